"""The served crawl: its name, targets and bounds, and example queries."""

import asyncio
import math
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import numpy as np
from msgspec import Struct
from starlette.concurrency import run_in_threadpool

from toponaut.app.example_queries import example_queries
from toponaut.app.parameters import NoParameters
from toponaut.app.responses import Endpoint
from toponaut.app.served_crawl import MapTiles, ServedCrawl
from toponaut.crawl.status import is_running
from toponaut.index.georeference import city_km
from toponaut.job.targets import job_targets
from toponaut.places.gazetteer import Gazetteer
from toponaut.records import Kind, Place

_MAX_TARGETS = 200
_KM_PER_DEGREE = 111.2
_OUTLIERS = 0.01  # of the places in a country: remote islands, left out of the first view

_PATIENCE_S = 1.0  # examples of 100,000 pages take 0.1 s
_PAUSE_S = 10.0  # between two checks of the index's size

_AREAS = (Kind.CONTINENT, Kind.COUNTRY, Kind.STATE, Kind.COUNTY)

Bounds = tuple[float, float, float, float]  # west, south, east, north


class TargetInfo(Struct, frozen=True):
    id: int
    name: str
    kind: Kind
    path: tuple[str, ...]
    lat: float
    lon: float


class CrawlInfo(Struct, frozen=True):
    name: str  # of the crawl's directory
    pages: int  # in the index
    indexed: str  # when the index last changed
    running: bool  # whether the crawl runs
    targets: tuple[TargetInfo, ...]
    targets_total: int
    bounds: Bounds | None  # of the targets
    tiles: MapTiles | None
    examples: tuple[str, ...]  # queries with results


class AboutService:
    """Answers /api/about. Examples are found in advance, and again when the index has grown."""

    def __init__(self, crawl: ServedCrawl) -> None:
        self._crawl = crawl
        self._targets = job_targets(crawl.gazetteer, crawl.job)
        self._bounds = bounds_of(crawl.gazetteer, self._targets)
        self._examples: tuple[str, ...] = ()
        self._examined = 0  # pages of the index when the examples were found

    @asynccontextmanager
    async def lifespan(self, _: object) -> AsyncIterator[None]:
        """Start when there are examples, or after a second without: the page never waits."""
        first = asyncio.create_task(run_in_threadpool(self._renew))
        await asyncio.wait([first], timeout=_PATIENCE_S)
        renewing = asyncio.create_task(self._keep_renewing(first))
        yield
        renewing.cancel()
        await asyncio.wait([renewing])

    async def _keep_renewing(self, first: asyncio.Task[None]) -> None:
        await first
        while True:
            await asyncio.sleep(_PAUSE_S)
            await run_in_threadpool(self._renew)

    def _renew(self) -> None:
        with self._crawl.locked_search() as index:
            pages = index.pages
        if pages > 1.5 * self._examined:
            self._examples, self._examined = example_queries(self._crawl), pages

    def answer(self, crawl: ServedCrawl, _: NoParameters) -> CrawlInfo:
        with crawl.locked_search() as index:
            pages = index.pages
        return CrawlInfo(
            crawl.name,
            pages,
            crawl.indexed(),
            is_running(crawl.directory),
            tuple(_target(place) for place in self._targets[:_MAX_TARGETS]),
            len(self._targets),
            self._bounds,
            crawl.tiles,
            self._examples,
        )

    def endpoint(self) -> Endpoint:
        about = "The served crawl, its targets, and example queries"
        return Endpoint("/api/about", about, NoParameters, CrawlInfo, self.answer)


def _target(place: Place) -> TargetInfo:
    return TargetInfo(place.id, place.name, place.kind, place.path, place.lat, place.lon)


def bounds_of(gazetteer: Gazetteer, places: list[Place]) -> Bounds | None:
    """A section of the map with the places and nearly everything inside them."""
    bounds = [_bounds(gazetteer, place) for place in places]
    if not bounds:
        return None
    west, south, east, north = zip(*bounds, strict=True)
    return round(min(west), 4), round(min(south), 4), round(max(east), 4), round(max(north), 4)


def _bounds(gazetteer: Gazetteer, place: Place) -> Bounds:
    row = gazetteer.row(place.id)
    below = list(gazetteer.rows_below(row)) if place.kind in _AREAS else []
    spots = gazetteer.latlon[np.concatenate([[row], *below]).astype(np.int64)]
    (south, west), (north, east) = np.quantile(spots, (_OUTLIERS, 1 - _OUTLIERS), axis=0).tolist()
    high = city_km(place.population if place.kind is Kind.CITY else 0) / _KM_PER_DEGREE
    wide = high / max(math.cos(math.radians(place.lat)), 0.1)
    west, south = max(west - wide, -180), max(south - high, -90)
    return west, south, min(east + wide, 180), min(north + high, 90)
