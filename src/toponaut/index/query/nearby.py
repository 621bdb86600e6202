"""Pages linked by nearness of their places, in space and in the hierarchy (SPEC 4; Kozanidis, Stamou and Spyros 2009)."""

import numpy as np
from msgspec import Struct

from toponaut.errors import InputError
from toponaut.index.query.extracts import shown
from toponaut.index.query.opened import Found, Opened
from toponaut.index.query.ranking import Sought, draw, fold
from toponaut.index.ties import LEAST_ADDRESSED, LEAST_MEANT, STRENGTHS
from toponaut.places.gazetteer import Gazetteer

_WIDENING = (1.0, 5.0, 25.0, 100.0)  # km around a point, until there is enough
_POINTS = 3  # of a page that are looked around


class Neighbour(Struct, frozen=True):
    """A page near another."""

    url: str
    title: str
    place: int = 0  # that both hang on
    path: tuple[str, ...] = ()
    distance_km: float | None = None


class Nearby(Struct, frozen=True):
    """Pages near one page."""

    in_space: tuple[Neighbour, ...] = ()  # nearest first
    in_hierarchy: tuple[Neighbour, ...] = ()  # those of the smallest common place first


def nearby(opened: Opened, gazetteer: Gazetteer, url: str, limit: int) -> Nearby:
    page = opened.page(url)
    if not len(page.numbers):
        raise InputError(f"the index has no page {url}", "Give the URL of a hit, as it is shown")
    return Nearby(_in_space(opened, page, limit), _in_hierarchy(opened, gazetteer, page, limit))


def _in_space(opened: Opened, page: Found, limit: int) -> tuple[Neighbour, ...]:
    at = opened.table.points_of(page.numbers).at[:_POINTS].tolist()
    spots = [opened.table.point(one) for one in at]
    best: dict[
        int, tuple[float, int]
    ] = {}  # by page: its distance, and where it is in what was found
    for km in _WIDENING if spots else ():
        layers = [
            opened.around(field, spot.lat, spot.lon, km)
            for spot in spots
            for field in ("cell", "area")
        ]
        found = draw(opened, Sought(None), layers, 10 * limit)
        for spot in spots:
            distances, _ = opened.table.distances(found.numbers, spot.lat, spot.lon)
            for k in np.flatnonzero(distances <= km).tolist():
                best[k] = min(best.get(k, (np.inf, k)), (float(distances[k]), k))
        ranked = sorted(best.values())
        chosen = [k for _, k in ranked if found.numbers[k] != page.numbers[0]]
        chosen = [chosen[k] for k in fold(opened.table, found.numbers[chosen])[0].tolist()]
        if len(chosen) >= limit or km == _WIDENING[-1]:
            return tuple(
                _neighbour(opened, found, k, distance_km=best[k][0]) for k in chosen[:limit]
            )
        best.clear()
    return ()


def _in_hierarchy(
    opened: Opened, gazetteer: Gazetteer, page: Found, limit: int
) -> tuple[Neighbour, ...]:
    """Pages that hang on the same places: the smallest ones that it has an address in, or is about, come first."""
    found: list[Neighbour] = []
    known = {int(page.numbers[0])}
    for place in _own_places(opened, gazetteer, page):
        layers = [
            opened.tied(place, range(LEAST_ADDRESSED, STRENGTHS)),
            opened.tied(place, range(LEAST_MEANT, LEAST_ADDRESSED)),
        ]
        drawn = draw(opened, Sought(None), layers, limit)
        path = gazetteer.place(place).path
        for k in fold(opened.table, drawn.numbers)[0].tolist():
            if int(drawn.numbers[k]) not in known and len(found) < limit:
                known.add(int(drawn.numbers[k]))
                found.append(_neighbour(opened, drawn, k, place, path))
        if len(found) >= limit:
            break
    return tuple(found)


def _own_places(opened: Opened, gazetteer: Gazetteer, page: Found) -> list[int]:
    """The places of a page, narrow ones first, of equally narrow ones those it is tied to most."""
    at = opened.table.ties_of(page.numbers).at
    places, strengths = opened.table.tie_place[at].tolist(), opened.table.tie_strength[at].tolist()
    strong = [
        (place, strength)
        for place, strength in zip(places, strengths, strict=True)
        if strength >= LEAST_MEANT
    ]
    level = {place: int(gazetteer.levels[gazetteer.row(place)]) for place, _ in strong}
    return [
        place
        for place, strength in sorted(strong, key=lambda tie: (-level[tie[0]], -tie[1], tie[0]))
    ]


def _neighbour(
    opened: Opened,
    found: Found,
    k: int,
    place: int = 0,
    path: tuple[str, ...] = (),
    distance_km: float | None = None,
) -> Neighbour:
    page, _ = opened.document(found.addresses[k])
    km = None if distance_km is None else round(distance_km, 3)
    return Neighbour(page.url, shown(page.title) or page.url, place, path, km)
