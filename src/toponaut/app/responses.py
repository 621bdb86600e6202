"""Endpoints of the API and their responses: compressed, tagged for caches, or an error."""

import re
from collections.abc import Callable
from typing import Any

import msgspec
import xxhash
from isal import igzip
from msgspec import Struct
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from toponaut.app.parameters import read_parameters
from toponaut.app.served_crawl import ServedCrawl
from toponaut.errors import InputError

JSON = "application/json"
_LEAST_BYTES = 1024  # below, compression saves less than a packet
# 2,000 pins (67 KB): level 1 gives 8.1 KB in 0.06 ms, level 3 7.6 KB in 0.18, zlib 6.8 KB in 1.0.
_LEVEL = 1
_COMPRESSED = re.compile(
    r"^(?:text/|application/(?:json|geo\+json|javascript|xml|opensearch)|image/svg)"
)
_REFUSED = re.compile(r"\bgzip\s*;\s*q=0(?:\.0*)?\s*(?:,|$)")


class NotFoundError(InputError):
    """Something does not exist: status 404 instead of 400."""


class Endpoint(Struct, frozen=True):
    """An endpoint of the API. Its route and its description (descriptions.py) come from this."""

    path: str
    about: str
    parameters: type[Struct]
    result: Any  # a type that msgspec can encode
    answer: Callable[[ServedCrawl, Any], object]
    media: str = JSON

    def route(self, crawl: ServedCrawl) -> Route:
        def respond_json(request: Request) -> Response:  # not async: it runs in a thread
            parameters = read_parameters(request.query_params, self.parameters)
            return as_json(request, self.answer(crawl, parameters), self.media)

        return Route(self.path, respond_json, methods=["GET"])


def etag(body: bytes) -> str:
    """A weak tag: the same with and without compression."""
    return f'W/"{xxhash.xxh3_64_hexdigest(body)}"'


def accepts_gzip(request: Request) -> bool:
    accepted = request.headers.get("accept-encoding", "").lower()
    return "gzip" in accepted and not _REFUSED.search(accepted)


def is_cached(request: Request, tag: str) -> bool:
    return tag in (part.strip() for part in request.headers.get("if-none-match", "").split(","))


def respond(
    request: Request, body: bytes, media: str, headers: dict[str, str] | None = None
) -> Response:
    """A response that clients may cache but must revalidate ("no-cache"): 304 if unchanged."""
    tag = etag(body)
    sent = {"ETag": tag, "Cache-Control": "private, no-cache", "Vary": "Accept-Encoding"}
    sent |= headers or {}
    if is_cached(request, tag):
        return Response(status_code=304, headers=sent)
    sent["Content-Type"] = media
    if len(body) > _LEAST_BYTES and _COMPRESSED.match(media) and accepts_gzip(request):
        compressed: bytes = igzip.compress(body, _LEVEL)
        return Response(compressed, headers={**sent, "Content-Encoding": "gzip"})
    return Response(body, headers=sent)


def as_json(request: Request, value: object, media: str = JSON) -> Response:
    return respond(request, msgspec.json.encode(value), media)


def error_response(
    status: int, cause: str, fix: str, headers: dict[str, str] | None = None
) -> Response:
    """An error: its cause, and how to fix it."""
    sent = {"Cache-Control": "no-store", "Content-Type": JSON, **(headers or {})}
    return Response(msgspec.json.encode({"error": cause, "fix": fix}), status, sent)
