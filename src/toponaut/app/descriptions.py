"""Descriptions for programs: the API as OpenAPI 3.1, and OpenSearch 1.1 for browsers."""

import re
from collections.abc import Sequence
from typing import Any
from xml.sax.saxutils import escape, quoteattr

import msgspec
from msgspec import Struct
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from toponaut import __version__
from toponaut.app.control_api import CONTROL_PATH
from toponaut.app.crawl_watcher import CrawlState
from toponaut.app.page_view import COPY_PATH
from toponaut.app.parameters import NoParameters, PageParameters
from toponaut.app.responses import JSON, Endpoint, as_json, respond
from toponaut.app.served_crawl import ServedCrawl

OPENAPI_PATH, OPENSEARCH_PATH = "/openapi.json", "/opensearch.xml"
_OPENSEARCH_MEDIA = "application/opensearchdescription+xml"
_REFERENCE = "#/components/schemas/{name}"
_NO_WORD = re.compile(r"\W+")
Described = tuple[str, str, type[Struct], str, Any]
_OTHERS: tuple[Described, ...] = (  # path, description, parameters, media type, result
    (COPY_PATH, "The captured copy of a page", PageParameters, "text/html", str),
    ("/api/crawl", "The crawl: curves, nodes, queue and errors", NoParameters, JSON, CrawlState),
    (CONTROL_PATH, "Whether POST takes commands to the crawl", NoParameters, JSON, dict[str, bool]),
    ("/metrics", "Metrics of the crawl for Prometheus", NoParameters, "text/plain", str),
    ("/health", "Whether the server is up; no token", NoParameters, JSON, dict[str, str]),
    (OPENSEARCH_PATH, "OpenSearch description", NoParameters, _OPENSEARCH_MEDIA, str),
    (OPENAPI_PATH, "This description", NoParameters, JSON, dict[str, Any]),
)
_ERRORS = {
    "400": "A parameter is wrong: cause and fix",
    "401": "The access token is missing or wrong",
    "404": "There is no such page",
}


class ErrorResponse(Struct, frozen=True):
    error: str  # the cause
    fix: str  # what to do about it


def openapi_route(endpoints: Sequence[Endpoint]) -> Route:
    described = openapi(endpoints)

    async def answer(request: Request) -> Response:
        return as_json(request, described)

    return Route(OPENAPI_PATH, answer, methods=["GET"])


def openapi(endpoints: Sequence[Endpoint]) -> dict[str, Any]:
    own = ((one.path, one.about, one.parameters, one.media, one.result) for one in endpoints)
    every = sorted([*own, *_OTHERS], key=lambda one: one[0])
    results = [result for *_, result in every]
    schemas, components = msgspec.json.schema_components(
        [*results, ErrorResponse], ref_template=_REFERENCE
    )
    errors = {code: _response(about, JSON, schemas[-1]) for code, about in _ERRORS.items()}
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "Toponaut",
            "version": __version__,
            "description": "Search a crawl by what and where. Text offsets count code points.",
        },
        "paths": {
            path: {
                "get": {
                    "operationId": _NO_WORD.sub("_", path).strip("_"),
                    "summary": about,
                    "parameters": _parameters(parameters),
                    "responses": {"200": _response(about, media, schema), **errors},
                }
            }
            for (path, about, parameters, media, _), schema in zip(every, schemas, strict=False)
        },
        "components": {
            "schemas": components,
            "securitySchemes": {"token": {"type": "http", "scheme": "bearer"}},
        },
        "security": [{}, {"token": []}],
    }


def _parameters(kind: type[Struct]) -> list[dict[str, Any]]:
    schema = msgspec.json.schema(kind, ref_template=_REFERENCE)["$defs"][kind.__name__]
    required = {field.name for field in msgspec.structs.fields(kind) if field.required}
    return [
        {"name": name, "in": "query", "required": name in required, "schema": one}
        for name, one in schema.get("properties", {}).items()
    ]


def _response(about: str, media: str, schema: dict[str, Any]) -> dict[str, Any]:
    return {"description": about, "content": {media: {"schema": schema}}}


# --- OpenSearch ------------------------------------------------------------------------------

_MAX_SHORT_NAME = 16  # characters, by the standard
_PAGING = "&limit={count?}&offset={startIndex?}"


def opensearch_route(crawl: ServedCrawl) -> Route:
    async def answer(request: Request) -> Response:
        base = f"{request.url.scheme}://{request.url.netloc}"  # checked by the guard
        return respond(request, opensearch(crawl.name, base).encode(), _OPENSEARCH_MEDIA)

    return Route(OPENSEARCH_PATH, answer, methods=["GET"])


def opensearch(name: str, base: str) -> str:
    page, json, geojson = (
        quoteattr(f"{base}{path}?q={{searchTerms}}{paging}")
        for path, paging in (("/", ""), ("/api/search", _PAGING), ("/api/search.geojson", _PAGING))
    )
    return f"""<?xml version="1.0" encoding="UTF-8"?>
<OpenSearchDescription xmlns="http://a9.com/-/spec/opensearch/1.1/">
  <ShortName>{escape(name[:_MAX_SHORT_NAME])}</ShortName>
  <Description>Search {escape(name)}, a Toponaut crawl, by what and where</Description>
  <InputEncoding>UTF-8</InputEncoding>
  <Url type="text/html" template={page}/>
  <Url type="application/json" template={json} indexOffset="0"/>
  <Url type="application/geo+json" template={geojson} indexOffset="0"/>
</OpenSearchDescription>
"""
