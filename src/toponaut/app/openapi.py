"""The description of the API (OpenAPI 3.1), made from the endpoints themselves."""

import re
from collections.abc import Sequence
from typing import Any

import msgspec
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from toponaut import __version__
from toponaut.app import archived, asked, opensearch
from toponaut.app.endpoint import Endpoint
from toponaut.app.sending import JSON, as_json
from toponaut.app.state import State

PATH = "/openapi.json"
_REFERENCE = "#/components/schemas/{name}"
_NO_WORD = re.compile(r"\W+")
_OTHERS = (  # path, what it gives, what it takes, of which type
    (
        archived.PATH,
        "The captured copy of a page; to be shown in a sandbox",
        asked.Page,
        "text/html",
        str,
    ),
    (
        "/api/crawl",
        "The crawl as it stands: its curve, nodes, queue and faults",
        asked.Nothing,
        JSON,
        State,
    ),
    ("/metrics", "The same for Prometheus", asked.Nothing, "text/plain", str),
    ("/health", "Whether the server is up; needs no token", asked.Nothing, JSON, dict[str, str]),
    (
        opensearch.PATH,
        "How a browser can search here from its address line",
        asked.Nothing,
        opensearch.MEDIA,
        str,
    ),
    (PATH, "This description", asked.Nothing, JSON, dict[str, Any]),
)
_FAULTS = {
    "400": "A parameter is wrong: the cause and the cure",
    "401": "The token is missing or wrong, where one is wanted",
    "404": "There is no such page",
}


class Fault(msgspec.Struct, frozen=True):
    error: str  # what is wrong
    cure: str  # what to do about it


class Described(msgspec.Struct, frozen=True):
    path: str
    about: str
    takes: type[msgspec.Struct]
    media: str
    gives: Any


def route(endpoints: Sequence[Endpoint]) -> Route:
    described = description(endpoints)

    async def answer(request: Request) -> Response:
        return as_json(request, described)

    return Route(PATH, answer, methods=["GET"])


def description(endpoints: Sequence[Endpoint]) -> dict[str, Any]:
    own = [Described(one.path, one.about, one.takes, one.media, one.gives) for one in endpoints]
    every = [
        *own,
        *(
            Described(path, about, takes, media, gives)
            for path, about, takes, media, gives in _OTHERS
        ),
    ]
    every.sort(key=lambda one: one.path)
    kinds = [one.gives for one in every]
    schemas, components = msgspec.json.schema_components([*kinds, Fault], ref_template=_REFERENCE)
    faults = {code: _answer(about, JSON, schemas[-1]) for code, about in _FAULTS.items()}
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "Toponaut",
            "version": __version__,
            "description": "Searching a crawl by what and where. Offsets into texts count characters (Unicode code points).",
        },
        "paths": {
            one.path: {"get": _operation(one, schema, faults)}
            for one, schema in zip(every, schemas[:-1], strict=True)
        },
        "components": {
            "schemas": components,
            "securitySchemes": {"token": {"type": "http", "scheme": "bearer"}},
        },
        "security": [{}, {"token": []}],
    }


def _operation(one: Described, schema: dict[str, Any], faults: dict[str, Any]) -> dict[str, Any]:
    return {
        "operationId": _NO_WORD.sub("_", one.path).strip("_"),
        "summary": one.about,
        "parameters": _parameters(one.takes),
        "responses": {"200": _answer(one.about, one.media, schema), **faults},
    }


def _parameters(takes: type[msgspec.Struct]) -> list[dict[str, Any]]:
    properties = msgspec.json.schema(takes, ref_template=_REFERENCE)["$defs"][takes.__name__].get(
        "properties", {}
    )
    required = {field.name for field in msgspec.structs.fields(takes) if field.required}
    return [
        {"name": name, "in": "query", "required": name in required, "schema": schema}
        for name, schema in properties.items()
    ]


def _answer(about: str, media: str, schema: dict[str, Any]) -> dict[str, Any]:
    return {"description": about, "content": {media: {"schema": schema}}}
