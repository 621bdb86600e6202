"""The largest places in view: labels for a map without pictures."""

import numpy as np
from msgspec import Struct

from toponaut.app import asked
from toponaut.app.endpoint import Endpoint
from toponaut.app.site import Site
from toponaut.places.gazetteer.gazetteer import KINDS, Gazetteer
from toponaut.records import Kind

_LABELLED = (KINDS.index(Kind.COUNTRY), KINDS.index(Kind.CITY))

Town = tuple[str, float, float, int, Kind]  # name, latitude, longitude, people, kind


class InView(Struct, frozen=True):
    towns: tuple[Town, ...]


class Towns:
    """All places that can be labels, largest first. A view is compared with all of them, which takes 1 ms."""

    def __init__(self, gazetteer: Gazetteer) -> None:
        rows = np.flatnonzero(np.isin(gazetteer.levels, _LABELLED))
        self._rows = rows[np.argsort(-gazetteer.population[rows], kind="stable")]
        self._lat, self._lon = gazetteer.latlon[self._rows].astype(np.float32).T.copy()

    def give(self, site: Site, said: asked.Towns) -> InView:
        box = asked.box_in(said.box)
        west, east = self._lon >= box.west, self._lon <= box.east
        inside = (west & east) if box.west <= box.east else (west | east)
        inside &= (self._lat >= box.south) & (self._lat <= box.north)
        places = (
            site.gazetteer.place_at(row)
            for row in self._rows[np.flatnonzero(inside)[: said.most]].tolist()
        )
        return InView(
            tuple(
                (place.name, place.lat, place.lon, place.population, place.kind) for place in places
            )
        )


def endpoint(gazetteer: Gazetteer) -> Endpoint:
    return Endpoint(
        "/api/towns", "The largest places in view", asked.Towns, InView, Towns(gazetteer).give
    )
