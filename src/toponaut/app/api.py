"""Searching by JSON: hits, pins, GeoJSON."""

from msgspec import Struct, structs

from toponaut.app import asked
from toponaut.app.endpoint import Endpoint
from toponaut.app.sending import NotFoundError
from toponaut.app.site import Site
from toponaut.errors import InputError
from toponaut.index import Facet, Hit, Question, Search, SearchAnswer
from toponaut.index.query.extracts import one_line
from toponaut.index.query.hits import format_address
from toponaut.records import Address, Precision


class Found(SearchAnswer, frozen=True):
    """An answer, with the places that it can be narrowed down to."""

    facets: tuple[Facet, ...] = ()


Pin = tuple[
    int, float, float, float, float
]  # number of the page, latitude, longitude, radius in km (0: exact), score


class Pinned(Struct, frozen=True):
    pins: tuple[Pin, ...]
    total: int


def search(site: Site, said: asked.Search) -> Found:
    question = said.question(said.limit, said.offset)
    with site.asking() as index:
        answer = _answer(index, question)
        facets = index.facets(
            structs.replace(question, place=0) if _is_empty(question) else question
        )
    return Found(**structs.asdict(answer), facets=facets)


def _answer(index: Search, question: Question) -> SearchAnswer:
    """Where nothing is asked, nothing is found, and that is no mistake."""
    return (
        SearchAnswer(question.text, "", None, 0, (), pages=index.pages)
        if _is_empty(question)
        else index.ask(question)
    )


def _is_empty(question: Question) -> bool:
    return not (question.text.split() or question.place or question.box or question.here)


def pins(site: Site, said: asked.Pins) -> Pinned:
    question = said.question()
    with site.asking() as index:
        found = () if _is_empty(question) else index.pins(question, said.most)
    rows = (
        (
            pin.number,
            pin.point.lat,
            pin.point.lon,
            pin.point.radius_km if pin.point.is_area else 0.0,
            pin.score,
        )
        for pin in found
    )
    return Pinned(tuple(rows), len(found))


def hit(site: Site, said: asked.Hit) -> Hit:
    with site.asking() as index:
        try:
            return index.hit(said.number)
        except InputError as error:
            raise NotFoundError(error.cause, error.cure) from error


# --- GeoJSON ---------------------------------------------------------------------------------------------------------


class Geometry(Struct, frozen=True, tag="Point"):
    coordinates: tuple[float, float]  # longitude, latitude


class Properties(Struct, frozen=True):
    url: str
    title: str
    address: str
    organisation: str
    phone: str
    precision: Precision
    radius_km: float  # it is anywhere within this distance
    score: float
    captured: str


class Feature(Struct, frozen=True, tag="Feature"):
    geometry: Geometry
    properties: Properties


class FeatureCollection(Struct, frozen=True, tag="FeatureCollection"):
    features: tuple[Feature, ...]


def geojson(site: Site, said: asked.Search) -> FeatureCollection:
    """Every point of every hit, each with the address that it is the point of."""
    question = said.question(said.limit, said.offset)
    with site.asking() as index:
        hits = _answer(index, question).hits
        features = [feature for hit in hits for feature in _features(hit, _addresses(index, hit))]
    return FeatureCollection(tuple(features))


def _addresses(index: Search, hit: Hit) -> tuple[Address, ...]:
    found = index.reader.page_by_number(hit.number).addresses if hit.points else []
    return index.reader.document(found[0])[0].addresses if found else ()


def _features(hit: Hit, addresses: tuple[Address, ...]) -> list[Feature]:
    return [
        Feature(
            Geometry((point.lon, point.lat)),
            Properties(
                url=hit.url,
                title=hit.title,
                address=one_line(format_address(address)),
                organisation=one_line(address.organisation),
                phone=one_line(address.phone),
                precision=point.precision,
                radius_km=point.radius_km,
                score=hit.score,
                captured=hit.captured,
            ),
        )
        for point in hit.points
        if (address := addresses[point.address])
    ]


ENDPOINTS = (
    Endpoint(
        "/api/search",
        "Pages that answer a query, with how it was understood",
        asked.Search,
        Found,
        search,
    ),
    Endpoint(
        "/api/search.geojson",
        "The points of the same pages",
        asked.Search,
        FeatureCollection,
        geojson,
        "application/geo+json",
    ),
    Endpoint(
        "/api/pins", "Where the matching pages are, thousands of them", asked.Pins, Pinned, pins
    ),
    Endpoint("/api/hit", "A page by its number, as a pin has it", asked.Hit, Hit, hit),
)
