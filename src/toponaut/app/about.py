"""What is served: the crawl, its targets, where to look first and what to ask."""

import asyncio
import math
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import numpy as np
from msgspec import Struct
from starlette.concurrency import run_in_threadpool

from toponaut.app import asked
from toponaut.app.endpoint import Endpoint
from toponaut.app.examples import examples
from toponaut.app.site import Site, Tiles
from toponaut.crawl.status import is_running
from toponaut.index.georeference import city_km
from toponaut.job.targets import job_targets
from toponaut.places.gazetteer import Gazetteer
from toponaut.records import Kind, Place

_MOST_TARGETS = 200
_KM_A_DEGREE = 111.2
_OUTLIERS = 0.01  # of the places in a country: islands far away, which a first look can do without

_PATIENCE_S = 1.0  # examples of 100,000 pages take 0.1 s
_PAUSE_S = 10.0  # between two looks at how far the index has grown

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
    """Tells about a site. What takes long to find out is found out before anybody asks, and anew when the index has grown by half."""

    def __init__(self, site: Site) -> None:
        self._site = site
        self._targets = job_targets(site.gazetteer, site.job)
        self._bounds = bounds_of(site.gazetteer, self._targets)
        self._examples: tuple[str, ...] = ()
        self._looked_at = 0  # pages, when the examples were found

    @asynccontextmanager
    async def kept(self, _: object) -> AsyncIterator[None]:
        """For as long as the app runs. It begins when there are examples, or a second later without: who opens the page never waits."""
        first = asyncio.create_task(run_in_threadpool(self._renew))
        await asyncio.wait([first], timeout=_PATIENCE_S)
        keeping = asyncio.create_task(self._keep(first))
        yield
        keeping.cancel()
        await asyncio.wait([keeping])

    async def _keep(self, first: asyncio.Task[None]) -> None:
        await first
        while True:
            await asyncio.sleep(_PAUSE_S)
            await run_in_threadpool(self._renew)

    def _renew(self) -> None:
        with self._site.asking() as index:
            pages = index.pages
        if pages > 1.5 * self._looked_at:
            self._examples, self._looked_at = examples(self._site), pages

    def give(self, site: Site, _: asked.Nothing) -> About:
        with site.asking() as index:
            pages = index.pages
        return About(
            site.name,
            pages,
            site.indexed(),
            is_running(site.directory),
            tuple(_target(place) for place in self._targets[:_MOST_TARGETS]),
            len(self._targets),
            self._bounds,
            site.tiles,
            self._examples,
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
    return (
        max(west - wide, -180),
        max(south - high, -90),
        min(east + wide, 180),
        min(north + high, 90),
    )


def endpoint(abouts: Abouts) -> Endpoint:
    about = "What is served: the crawl, its targets, and queries to begin with"
    return Endpoint("/api/about", about, asked.Nothing, About, abouts.give)
