"""The search endpoints: hits, pins and GeoJSON; and the towns that label the map."""

import numpy as np
from msgspec import Struct, structs

from toponaut.app.parameters import (
    HitParameters,
    PinParameters,
    SearchParameters,
    SuggestParameters,
    TownParameters,
    parse_box,
)
from toponaut.app.regions import terms_of
from toponaut.app.responses import Endpoint, NotFoundError
from toponaut.app.served_crawl import ServedCrawl
from toponaut.errors import InputError
from toponaut.index import Facet, Hit, Question, Search, SearchAnswer
from toponaut.index.query.hits import format_address, one_line
from toponaut.index.query.suggestions import Suggestion
from toponaut.places.gazetteer.gazetteer import KINDS, Gazetteer
from toponaut.records import Address, Kind, Precision


class SearchResponse(SearchAnswer, frozen=True):
    """An answer, with the places that can narrow it down."""

    facets: tuple[Facet, ...] = ()
    region: str = ""  # the readers' region for which the hits are ranked; "": none
    regions: tuple[str, ...] = ()  # regions to choose from


# Page number, latitude, longitude, radius in km (0: exact), score.
PinRow = tuple[int, float, float, float, float]


class PinsResponse(Struct, frozen=True):
    pins: tuple[PinRow, ...]
    total: int


def search(crawl: ServedCrawl, parameters: SearchParameters, client: str = "") -> SearchResponse:
    region = crawl.regions.region(client, parameters.region)
    question = parameters.question(parameters.limit, parameters.offset)
    question = structs.replace(question, interests=terms_of(region))
    everything = structs.replace(question, place=0) if is_empty(question) else question
    with crawl.locked_search() as index:
        answer = _ask(index, question)
        facets = index.facets(everything)
        words = index.reader.terms.analyse(answer.what)
    name = region.name if region else ""
    if crawl.query_counts and not parameters.offset:
        crawl.query_counts.add(name, words)
    return SearchResponse(
        **structs.asdict(answer), facets=facets, region=name, regions=crawl.regions.names
    )


def _ask(index: Search, question: Question) -> SearchAnswer:
    """An empty question is not an error here: it finds nothing."""
    if is_empty(question):
        return SearchAnswer(question.text, "", None, 0, (), pages=index.pages)
    return index.ask(question)


def is_empty(question: Question) -> bool:
    """Whether a question asks for nothing."""
    return not (question.text.split() or question.place or question.box or question.here)


def pins(crawl: ServedCrawl, parameters: PinParameters) -> PinsResponse:
    question = parameters.question()
    with crawl.locked_search() as index:
        found = () if is_empty(question) else index.pins(question, parameters.most)
    rows = []
    for pin in found:
        radius = pin.point.radius_km if pin.point.is_area else 0.0
        rows.append((pin.number, pin.point.lat, pin.point.lon, radius, pin.score))
    return PinsResponse(tuple(rows), len(found))


def hit(crawl: ServedCrawl, parameters: HitParameters) -> Hit:
    with crawl.locked_search() as index:
        try:
            return index.hit(parameters.number)
        except InputError as error:
            raise NotFoundError(error.cause, error.fix) from error


class SuggestResponse(Struct, frozen=True):
    suggestions: tuple[Suggestion, ...]


def suggest(crawl: ServedCrawl, parameters: SuggestParameters) -> SuggestResponse:
    with crawl.locked_search() as index:
        return SuggestResponse(index.complete(parameters.q, parameters.limit))


# --- GeoJSON ---------------------------------------------------------------------------------


class PointGeometry(Struct, frozen=True, tag="Point"):
    coordinates: tuple[float, float]  # longitude, latitude


class PointProperties(Struct, frozen=True):
    url: str
    title: str
    address: str
    organisation: str
    phone: str
    precision: Precision
    radius_km: float  # the address is anywhere within this distance
    score: float
    captured: str


class PointFeature(Struct, frozen=True, tag="Feature"):
    geometry: PointGeometry
    properties: PointProperties


class FeatureCollection(Struct, frozen=True, tag="FeatureCollection"):
    features: tuple[PointFeature, ...]


def geojson(crawl: ServedCrawl, parameters: SearchParameters) -> FeatureCollection:
    """Every point of every hit, with its address."""
    question = parameters.question(parameters.limit, parameters.offset)
    with crawl.locked_search() as index:
        hits = _ask(index, question).hits
        features = [feature for hit in hits for feature in _features(hit, _addresses(index, hit))]
    return FeatureCollection(tuple(features))


def _addresses(index: Search, hit: Hit) -> tuple[Address, ...]:
    found = index.reader.page_by_number(hit.number).addresses if hit.points else []
    return index.reader.document(found[0])[0].addresses if found else ()


def _features(hit: Hit, addresses: tuple[Address, ...]) -> list[PointFeature]:
    features = []
    for point in hit.points:
        address = addresses[point.address]
        properties = PointProperties(
            url=hit.url,
            title=hit.title,
            address=one_line(format_address(address)),
            organisation=one_line(address.organisation),
            phone=one_line(address.phone),
            precision=point.precision,
            radius_km=point.radius_km,
            score=hit.score,
            captured=hit.captured,
        )
        features.append(PointFeature(PointGeometry((point.lon, point.lat)), properties))
    return features


# --- map labels ------------------------------------------------------------------------------

_LABELLED = (KINDS.index(Kind.COUNTRY), KINDS.index(Kind.CITY))
TownRow = tuple[str, float, float, int, Kind]  # name, latitude, longitude, population, kind


class TownsResponse(Struct, frozen=True):
    towns: tuple[TownRow, ...]


class TownLabels:
    """The largest places in view. A view is compared with all places, which takes 1 ms."""

    def __init__(self, gazetteer: Gazetteer) -> None:
        rows = np.flatnonzero(np.isin(gazetteer.levels, _LABELLED))
        self._rows = rows[np.argsort(-gazetteer.population[rows], kind="stable")]
        self._lat, self._lon = gazetteer.latlon[self._rows].astype(np.float32).T.copy()

    def answer(self, crawl: ServedCrawl, parameters: TownParameters) -> TownsResponse:
        box = parse_box(parameters.box)
        west, east = self._lon >= box.west, self._lon <= box.east
        inside = (west & east) if box.west <= box.east else (west | east)
        inside &= (self._lat >= box.south) & (self._lat <= box.north)
        rows = self._rows[np.flatnonzero(inside)[: parameters.most]].tolist()
        places = (crawl.gazetteer.place_at(row) for row in rows)
        return TownsResponse(
            tuple((one.name, one.lat, one.lon, one.population, one.kind) for one in places)
        )


def endpoints(gazetteer: Gazetteer) -> tuple[Endpoint, ...]:
    towns, geo_media = TownLabels(gazetteer).answer, "application/geo+json"
    points = "The points of the hits, as GeoJSON"
    return (
        Endpoint(
            "/api/search",
            "Search by what and where",
            SearchParameters,
            SearchResponse,
            search,
            answer_client=search,
        ),
        Endpoint(
            "/api/search.geojson", points, SearchParameters, FeatureCollection, geojson, geo_media
        ),
        Endpoint("/api/pins", "The points of matching pages", PinParameters, PinsResponse, pins),
        Endpoint(
            "/api/suggest", "How a query may go on", SuggestParameters, SuggestResponse, suggest
        ),
        Endpoint("/api/hit", "A hit by its page number", HitParameters, Hit, hit),
        Endpoint("/api/towns", "The largest places in view", TownParameters, TownsResponse, towns),
    )
