"""Endpoints and their responses, compressed and tagged for caches; errors; static files."""

import gzip
import mimetypes
import re
from collections.abc import Callable, Iterator
from html import escape
from http import HTTPStatus
from pathlib import Path
from string import Template
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

OWN = Path(__file__).parent / "static"
JSON = "application/json"
_ERROR_PAGE = Template((OWN / "error.html").read_text(encoding="utf-8"))
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
    answer_client: Callable[[ServedCrawl, Any, str], object] | None = None  # with its IP address

    def route(self, crawl: ServedCrawl) -> Route:
        def respond_json(request: Request) -> Response:  # not async: it runs in a thread
            parameters = read_parameters(request.query_params, self.parameters)
            if self.answer_client:
                client = request.client.host if request.client else ""
                return as_json(request, self.answer_client(crawl, parameters, client), self.media)
            return as_json(request, self.answer(crawl, parameters), self.media)

        return Route(self.path, respond_json, methods=["GET"])


def respond(
    request: Request,
    body: bytes,
    media: str,
    headers: dict[str, str] | None = None,
    packed: Callable[[], bytes] | None = None,
) -> Response:
    """A response that clients may cache but must revalidate ("no-cache"): 304 if unchanged.

    `packed` returns the body compressed; without it, it is compressed here, fast.
    """
    tag = f'W/"{xxhash.xxh3_64_hexdigest(body)}"'  # weak: the same with and without compression
    sent = {"ETag": tag, "Cache-Control": "private, no-cache", "Vary": "Accept-Encoding"}
    sent |= headers or {}
    known = request.headers.get("if-none-match", "").split(",")
    if tag in (part.strip() for part in known):
        return Response(status_code=304, headers=sent)
    sent["Content-Type"] = media
    if len(body) > _LEAST_BYTES and _COMPRESSED.match(media) and _accepts_gzip(request):
        compressed: bytes = packed() if packed else igzip.compress(body, _LEVEL)
        return Response(compressed, headers={**sent, "Content-Encoding": "gzip"})
    return Response(body, headers=sent)


def _accepts_gzip(request: Request) -> bool:
    accepted = request.headers.get("accept-encoding", "").lower()
    return "gzip" in accepted and not _REFUSED.search(accepted)


def as_json(request: Request, value: object, media: str = JSON) -> Response:
    return respond(request, msgspec.json.encode(value), media)


def error_response(
    request: Request, status: int, cause: str, fix: str, headers: dict[str, str] | None = None
) -> Response:
    """An error: its cause, and how to fix it. A page for people who follow a link, else JSON."""
    sent = {"Cache-Control": "no-store", "Vary": "Accept", **(headers or {})}
    if "text/html" in request.headers.get("accept", ""):
        words = {"title": HTTPStatus(status).phrase, "cause": _sentence(cause), "fix": fix}
        text = _ERROR_PAGE.substitute({name: escape(value) for name, value in words.items()})
        return Response(text, status, {**sent, "Content-Type": "text/html; charset=utf-8"})
    body = msgspec.json.encode({"error": cause, "fix": fix})
    return Response(body, status, {**sent, "Content-Type": JSON})


def _sentence(text: str) -> str:
    return f"{text[:1].upper()}{text[1:].removesuffix('.')}."


# --- static files --------------------------------------------------------------------------------

_TYPES = {
    ".js": "text/javascript; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".html": "text/html; charset=utf-8",
    ".json": "application/json",
}
# Our files are revalidated; those of the map library only change with its version.
_LIBRARY = "maplibre/"
_LIBRARY_CACHED = {"Cache-Control": "private, max-age=86400"}
_NOT_SENT = frozenset({".pmtiles", ".version"})


class StaticFiles:
    """The files of the page, by name: our own, and the map library under maplibre/."""

    def __init__(self) -> None:
        self._files = {name: path.read_bytes() for name, path in _below(OWN)}
        if f"{_LIBRARY}maplibre-gl.js" not in self._files:
            fix = "In a checkout, run `make setup`; else reinstall toponaut"
            raise InputError("the map library is missing", fix)
        self._compressed: dict[str, bytes] = {}  # by name, when first needed

    def route(self, path: str, name: str) -> Route:
        """One file under its own path."""
        return Route(path, lambda request: self._respond(request, name), methods=["GET"])

    def all_under(self, folder: str) -> Route:
        """All files by name."""

        def answer(request: Request) -> Response:
            return self._respond(request, request.path_params["name"])

        return Route(f"{folder}/{{name:path}}", answer, methods=["GET"])

    def _respond(self, request: Request, name: str) -> Response:
        body = self._files.get(name)
        if body is None:
            raise NotFoundError("there is no such file", "Open the search page at /")
        media = _TYPES.get(Path(name).suffix) or mimetypes.guess_type(name)[0]
        cached = _LIBRARY_CACHED if name.startswith(_LIBRARY) else {}
        return respond(
            request, body, media or "application/octet-stream", cached, lambda: self._packed(name)
        )

    def _packed(self, name: str) -> bytes:
        """A file compressed well, once: files are sent often, and the map library is large."""
        if name not in self._compressed:
            self._compressed[name] = gzip.compress(self._files[name], 9)
        return self._compressed[name]


def _below(folder: Path) -> Iterator[tuple[str, Path]]:
    """Files by name, without those that are not sent as they are."""
    for path in sorted(folder.rglob("*")):
        if path.is_file() and path.suffix not in _NOT_SENT:
            yield path.relative_to(folder).as_posix(), path
