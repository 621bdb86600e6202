"""What is served: the crawl, its targets, where to look first and what to ask."""

import math

import numpy as np
from msgspec import Struct

from toponaut.app import asked
from toponaut.app.endpoint import Endpoint
from toponaut.app.examples import examples
from toponaut.app.site import Site, Tiles
from toponaut.crawl.status import is_running
from toponaut.index.ties import city_km
from toponaut.places.gazetteer import Gazetteer
from toponaut.records import Kind, Place
from toponaut.targets import job_targets

_MOST_TARGETS = 200
_KM_A_DEGREE = 111.2
_OUTLIERS = 0.01  # of the places in a country: islands far away, which a first look can do without

_AREAS = (Kind.CONTINENT, Kind.COUNTRY, Kind.STATE, Kind.COUNTY)

Bounds = tuple[float, float, float, float]  # west, south, east, north


class Target(Struct, frozen=True):
    id: int
    name: str
    kind: Kind
    path: tuple[str, ...]
    lat: float
    lon: float


class About(Struct, frozen=True):
    name: str  # of the crawl's directory
    pages: int  # in the index
    indexed: str  # when something was added last
    running: bool  # the crawl
    targets: tuple[Target, ...]
    targets_total: int
    bounds: Bounds | None  # of the targets
    tiles: Tiles | None
    examples: tuple[str, ...]  # queries that can be answered


class Abouts:
    """Tells about a site. What takes long to find out is found out once, or when the index has grown by half."""

    def __init__(self) -> None:
        self._targets: tuple[list[Place], Bounds | None] | None = None
        self._examples: tuple[int, tuple[str, ...]] = (0, ())

    def give(self, site: Site, _: asked.Nothing) -> About:
        with site.asking() as index:
            if self._targets is None:
                places = job_targets(site.gazetteer, site.job)
                self._targets = places, bounds_of(site.gazetteer, places)
            if index.pages > 1.5 * self._examples[0]:
                self._examples = index.pages, examples(index, site.gazetteer)
            pages = index.pages
        targets, bounds = self._targets
        return About(
            site.name,
            pages,
            site.indexed(),
            is_running(site.directory),
            tuple(_target(place) for place in targets[:_MOST_TARGETS]),
            len(targets),
            bounds,
            site.tiles,
            self._examples[1],
        )


def _target(place: Place) -> Target:
    return Target(place.id, place.name, place.kind, place.path, place.lat, place.lon)


def bounds_of(gazetteer: Gazetteer, places: list[Place]) -> Bounds | None:
    """A stretch of the map with the places and, of countries and states, nearly all that lies in them."""
    found = [_around(gazetteer, place) for place in places]
    if not found:
        return None
    west, south, east, north = zip(*found, strict=True)
    return round(min(west), 4), round(min(south), 4), round(max(east), 4), round(max(north), 4)


def _around(gazetteer: Gazetteer, place: Place) -> Bounds:
    row = gazetteer.row(place.id)
    below = list(gazetteer.rows_below(row)) if place.kind in _AREAS else []
    spots = gazetteer.latlon[np.concatenate([[row], *below]).astype(np.int64)]
    (south, west), (north, east) = np.quantile(spots, (_OUTLIERS, 1 - _OUTLIERS), axis=0).tolist()
    high = city_km(place.population if place.kind is Kind.CITY else 0) / _KM_A_DEGREE
    wide = high / max(math.cos(math.radians(place.lat)), 0.1)
    return max(west - wide, -180), max(south - high, -90), min(east + wide, 180), min(north + high, 90)


def endpoint() -> Endpoint:
    about = "What is served: the crawl, its targets, and queries to begin with"
    return Endpoint("/api/about", about, asked.Nothing, About, Abouts().give)
