"""Pages linked by the proximity of their places, in space and in the location hierarchy.

After Kozanidis, Stamou and Spyros 2009.
"""

import numpy as np
from msgspec import Struct

from toponaut.errors import InputError
from toponaut.index.georeference import LEAST_ADDRESSED, LEAST_MEANT, STRENGTHS
from toponaut.index.query.hits import one_line
from toponaut.index.query.ranking import TextQuery, draw, fold_copies
from toponaut.index.query.reader import FoundPages, IndexReader
from toponaut.places.gazetteer import Gazetteer

_RADII_KM = (1.0, 5.0, 25.0, 100.0)  # around a point, until there are enough pages
_MAX_POINTS = 3  # of a page


class Neighbour(Struct, frozen=True):
    """A page near another."""

    url: str
    title: str
    place: int = 0  # common to both
    path: tuple[str, ...] = ()
    distance_km: float | None = None


class Nearby(Struct, frozen=True):
    """Pages near one page."""

    in_space: tuple[Neighbour, ...] = ()  # nearest first
    in_hierarchy: tuple[Neighbour, ...] = ()  # smallest common place first


def find_nearby(reader: IndexReader, gazetteer: Gazetteer, url: str, limit: int) -> Nearby:
    page = reader.page(url)
    if not len(page.numbers):
        raise InputError(f"{url} is not in the index", "Use the URL of a search hit")
    return Nearby(_in_space(reader, page, limit), _in_hierarchy(reader, gazetteer, page, limit))


def _in_space(reader: IndexReader, page: FoundPages, limit: int) -> tuple[Neighbour, ...]:
    at = reader.table.points_of(page.numbers).at[:_MAX_POINTS].tolist()
    points = [reader.table.point(one) for one in at]
    for km in _RADII_KM if points else ():
        layers = [
            reader.around(field, point.lat, point.lon, km)
            for point in points
            for field in ("cell", "area")
        ]
        found = draw(reader, TextQuery(None), layers, 10 * limit)
        nearest = np.full(len(found.numbers), np.inf)
        for point in points:
            distances, _ = reader.table.distances(found.numbers, point.lat, point.lon)
            nearest = np.minimum(nearest, distances)
        inside = np.flatnonzero(nearest <= km)
        ranked = inside[np.argsort(nearest[inside], kind="stable")]
        ranked = ranked[found.numbers[ranked] != page.numbers[0]]
        ranked = ranked[fold_copies(reader.table, found.numbers[ranked])[0]]
        if len(ranked) >= limit or km == _RADII_KM[-1]:
            return tuple(
                _neighbour(reader, found, k, distance_km=float(nearest[k]))
                for k in ranked[:limit].tolist()
            )
    return ()


def _in_hierarchy(
    reader: IndexReader, gazetteer: Gazetteer, page: FoundPages, limit: int
) -> tuple[Neighbour, ...]:
    """Pages tied to the same places, those with an address first, from the smallest place up."""
    neighbours: list[Neighbour] = []
    known = {int(page.numbers[0])}
    for place in _own_places(reader, gazetteer, page):
        layers = [
            reader.tied(place, range(LEAST_ADDRESSED, STRENGTHS)),
            reader.tied(place, range(LEAST_MEANT, LEAST_ADDRESSED)),
        ]
        found = draw(reader, TextQuery(None), layers, limit)
        path = gazetteer.place(place).path
        for k in fold_copies(reader.table, found.numbers)[0].tolist():
            if int(found.numbers[k]) not in known and len(neighbours) < limit:
                known.add(int(found.numbers[k]))
                neighbours.append(_neighbour(reader, found, k, place, path))
        if len(neighbours) >= limit:
            break
    return tuple(neighbours)


def _own_places(reader: IndexReader, gazetteer: Gazetteer, page: FoundPages) -> list[int]:
    """The places of a page, the smallest first, then those with the strongest tie."""
    at = reader.table.ties_of(page.numbers).at
    places, strengths = reader.table.tie_place[at].tolist(), reader.table.tie_strength[at].tolist()
    ties = [
        (-int(gazetteer.levels[gazetteer.row(place)]), -strength, place)
        for place, strength in zip(places, strengths, strict=True)
        if strength >= LEAST_MEANT
    ]
    return [place for _, _, place in sorted(ties)]


def _neighbour(
    reader: IndexReader,
    found: FoundPages,
    k: int,
    place: int = 0,
    path: tuple[str, ...] = (),
    distance_km: float | None = None,
) -> Neighbour:
    page, _ = reader.document(found.addresses[k])
    km = None if distance_km is None else round(distance_km, 3)
    return Neighbour(page.url, one_line(page.title) or page.url, place, path, km)
