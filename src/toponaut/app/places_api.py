"""The endpoints of the places view: organisations at their addresses, as JSON and GeoJSON."""

from msgspec import Struct

from toponaut.app.parameters import SearchParameters
from toponaut.app.responses import Endpoint
from toponaut.app.search_api import PointGeometry, is_empty
from toponaut.app.served_crawl import ServedCrawl
from toponaut.index.query.organisations import OrganisationAnswer, OrganisationHit


class OrganisationFeature(Struct, frozen=True, tag="Feature"):
    id: str
    geometry: PointGeometry
    properties: OrganisationHit


class OrganisationFeatures(Struct, frozen=True, tag="FeatureCollection"):
    features: tuple[OrganisationFeature, ...]


def places(crawl: ServedCrawl, parameters: SearchParameters) -> OrganisationAnswer:
    question = parameters.question(parameters.limit, parameters.offset)
    with crawl.locked_places() as search:
        if is_empty(question):
            return OrganisationAnswer(question.text, "", None, 0, ())
        return search.ask(question)


def geojson(crawl: ServedCrawl, parameters: SearchParameters) -> OrganisationFeatures:
    """The organisations with a point."""
    found = places(crawl, parameters).organisations
    return OrganisationFeatures(
        tuple(
            OrganisationFeature(one.id, PointGeometry((one.lon, one.lat)), one)
            for one in found
            if one.lat is not None and one.lon is not None
        )
    )


def endpoints() -> tuple[Endpoint, ...]:
    about = "Search organisations by what and where"
    as_points = "The same with points, as GeoJSON"
    media = "application/geo+json"
    return (
        Endpoint("/api/places", about, SearchParameters, OrganisationAnswer, places),
        Endpoint(
            "/api/places.geojson", as_points, SearchParameters, OrganisationFeatures, geojson, media
        ),
    )
