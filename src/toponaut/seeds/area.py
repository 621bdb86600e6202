"""Which coordinates are in a place: those whose nearest gazetteer entry is the place or in it."""

import numpy as np
from numpy.typing import NDArray

from toponaut.places.containment import rows_inside
from toponaut.places.gazetteer.gazetteer import KINDS, Gazetteer, unit_vectors
from toponaut.places.names.tokens import Bools
from toponaut.records import Kind, Place

# A point farther than this from every entry of the place is not in it.
_FAR_KM = 30.0
_EARTH_KM = 6371.0
_SETTLED = tuple(KINDS.index(kind) for kind in (Kind.CITY, Kind.NEIGHBOURHOOD))
_AT_ONCE = 512  # points; the distances of one batch to a country's places fit into 100 MB


class SeedArea:
    """The area of a place, as far as a gazetteer of points knows it."""

    def __init__(self, gazetteer: Gazetteer, place: Place) -> None:
        self.place = place
        inside = rows_inside(gazetteer, [gazetteer.row(place.id)])
        settled = np.isin(gazetteer.levels, _SETTLED)
        own = gazetteer.xyz[(inside & settled).nonzero()[0]]
        own = own if len(own) else gazetteer.xyz[[gazetteer.row(place.id)]]
        near = settled & self._near(gazetteer, own)
        rows = near.nonzero()[0]
        self._xyz, self._inside = gazetteer.xyz[rows], inside[rows]

    def _near(self, gazetteer: Gazetteer, own: NDArray[np.float32]) -> Bools:
        """The rows that may be nearest to a point of the area: in its box, and a margin."""
        margin = 2 * _FAR_KM / _EARTH_KM
        low, high = own.min(axis=0) - margin, own.max(axis=0) + margin
        return np.asarray(((gazetteer.xyz >= low) & (gazetteer.xyz <= high)).all(axis=1))

    def contains(self, points: list[tuple[float, float]]) -> list[bool]:
        """For each point (latitude, longitude), whether it is in the place."""
        found: list[bool] = []
        for begin in range(0, len(points), _AT_ONCE):
            vectors = unit_vectors(np.array(points[begin : begin + _AT_ONCE])).astype(np.float32)
            closeness = vectors @ self._xyz.T
            nearest = closeness.argmax(axis=1)
            best = np.take_along_axis(closeness, nearest[:, None], axis=1)[:, 0]
            close = np.sqrt(np.maximum(2 - 2 * best, 0)) * _EARTH_KM < _FAR_KM
            found.extend((self._inside[nearest] & close).tolist())
        return found
