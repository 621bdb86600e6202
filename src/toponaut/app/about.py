"""The served crawl: its name, targets and bounds, and example queries.

Examples are categories of organisations, else words from page titles, in the cities of the targets
with the most addresses; if the index has none of those, in other cities.
"""

import asyncio
import math
from collections import Counter
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from itertools import product

import numpy as np
from msgspec import Struct
from starlette.concurrency import run_in_threadpool
from tantivy import Query

from toponaut.app.parameters import NoParameters
from toponaut.app.responses import Endpoint
from toponaut.app.served_crawl import MapTiles, ServedCrawl
from toponaut.app.tile_files import BaseMap
from toponaut.crawl.status import is_running
from toponaut.index import Question, Search
from toponaut.index.georeference import LEAST_ADDRESSED, STRENGTHS, city_km
from toponaut.job.targets import job_targets
from toponaut.places.containment import rows_inside
from toponaut.places.gazetteer.gazetteer import KINDS, Gazetteer
from toponaut.records import Kind, Place

_MAX_TARGETS = 200
_KM_PER_DEGREE = 111.2
_OUTLIERS = 0.01  # of the places in a country: remote islands, left out of the first view

_PATIENCE_S = 1.0  # examples of 100,000 pages take 0.1 s
_PAUSE_S = 10.0  # between two checks of the index's size

_AREAS = (Kind.CONTINENT, Kind.COUNTRY, Kind.STATE, Kind.COUNTY)

Bounds = tuple[float, float, float, float]  # west, south, east, north


class CrawlInfo(Struct, frozen=True):
    name: str  # of the crawl's directory
    pages: int  # in the index
    indexed: str  # when the index last changed
    running: bool  # whether the crawl runs
    targets: tuple[Place, ...]  # the first of them
    targets_total: int
    bounds: Bounds | None  # of the targets
    tiles: MapTiles | None
    basemap: BaseMap | None
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
            tuple(self._targets[:_MAX_TARGETS]),
            len(self._targets),
            self._bounds,
            crawl.tiles,
            crawl.basemap.base_map() if crawl.basemap else None,
            self._examples,
        )

    def endpoint(self) -> Endpoint:
        about = "The served crawl, its targets, and example queries"
        return Endpoint("/api/about", about, NoParameters, CrawlInfo, self.answer)


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


# --- example queries -----------------------------------------------------------------------------

_EXAMPLES = 4
_COUNTED, _CITIES = 500, 6  # places whose pages are counted; cities that are examined
_HITS = 20  # of a city, whose titles are read
_SHORTEST = 4  # letters of a word
_TRIED = 3  # words per city
_SITE_WORDS = frozenset(  # in titles, about the site rather than its subject
    """about contact directions first home index links list locations more number official online
    open page pages search site sitemap terms this welcome what where website with your aktuell
    aktuelles anfahrt bürger impressum kontakt seite startseite über willkommen contactos início
    página sobre accueil bienvenue""".split()
)


def example_queries(crawl: ServedCrawl) -> tuple[str, ...]:
    """Queries that were tried and have hits. The lock is released between two steps."""
    with crawl.locked_search() as index:
        targets = [place.id for place in job_targets(crawl.gazetteer, crawl.job)]
        cities = _cities(index, crawl.gazetteer, targets)
    words = {}
    for city in cities:
        with crawl.locked_search() as index:
            titles = _title_words(index, crawl.gazetteer, city)
            words[city.id] = _categories(index, city) or titles
    with crawl.locked_search() as index:
        worth = _worth(index, Counter(word for few in words.values() for word in few))
    examples: dict[str, str] = {}
    for _, city in product(range(_EXAMPLES), cities):  # each city once before any comes twice
        unused = sorted(words[city.id] - examples.keys(), key=lambda word: (-worth[word], word))
        for word in unused[:_TRIED]:
            query = f"{word} in {city.name}"
            with crawl.locked_search() as index:
                works = _works(index, query, city.id)
            words[city.id].discard(word)
            if works:
                examples[word] = query
                break
        if len(examples) == _EXAMPLES:
            break
    return tuple(examples.values())


def _cities(index: Search, gazetteer: Gazetteer, targets: Sequence[int]) -> list[Place]:
    """The cities with the most addresses. One that is only mentioned may be an error: "Tours"."""
    reader = index.reader
    counted = reader.searcher.aggregate(
        Query.all_query(), {"places": {"terms": {"field": "within", "size": _COUNTED}}}
    )
    ids = [int(bucket["key"]) for bucket in counted["places"]["buckets"]]
    addressed = {
        id: reader.about(id, range(LEAST_ADDRESSED, STRENGTHS))
        for id in ids
        if _is_city(gazetteer, id)
    }
    best = sorted((id for id in addressed if addressed[id]), key=lambda id: (-addressed[id], id))
    inside = rows_inside(gazetteer, [gazetteer.row(id) for id in targets])
    wanted = [id for id in best if inside[gazetteer.row(id)]] or best
    return [gazetteer.place(id) for id in wanted[:_CITIES]]


def _is_city(gazetteer: Gazetteer, id: int) -> bool:
    try:
        return KINDS[gazetteer.levels[gazetteer.row(id)]] is Kind.CITY
    except KeyError:  # the index was built with another gazetteer
        return False


def _categories(index: Search, city: Place) -> set[str]:
    """The categories of organisations on the pages of a city, as words."""
    pages = index.ranked(Question("", place=city.id), _HITS).pages
    found = {one.category for page in pages for one in page.addresses if one.place == city.id}
    return {category for category in found if category.isalpha()}


def _title_words(index: Search, gazetteer: Gazetteer, city: Place) -> set[str]:
    """The words of titles in a city that are not place names."""
    hits = index.ask(Question("", place=city.id, limit=_HITS)).hits
    words = {word for hit in hits for word in hit.title.lower().split() if word.isalpha()}
    long = {word for word in words - _SITE_WORDS if len(word) >= _SHORTEST}
    return {word for word in long if gazetteer.names.lookup(word) < 0}


def _worth(index: Search, cities: Counter[str]) -> dict[str, float]:
    """Words of many cities are kinds of things ("hotels"); words of all pages say nothing."""
    frequency = index.reader.searcher.doc_freq
    return {
        word: count * math.log(1 + index.pages / (1 + frequency("title", word)))
        for word, count in cities.items()
    }


def _works(index: Search, query: str, city: int) -> bool:
    answer = index.ask(Question(query, limit=1))
    place = answer.where.place if answer.where else None
    return bool(answer.hits and place and place.id == city)
