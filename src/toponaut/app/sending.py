"""Answers over HTTP: packed where that pays, and not sent again to whoever has them."""

import re

import msgspec
import xxhash
from isal import igzip
from starlette.requests import Request
from starlette.responses import Response

from toponaut.errors import InputError

JSON = "application/json"
_SMALLEST = 1024  # bytes: below, packing saves less than a packet
# Measured on 2,000 pins (67 KB): level 1 packs to 8.1 KB in 0.06 ms, level 3 to 7.6 in 0.18; zlib's level 6 to 6.8 in 1.0.
_LEVEL = 1
_PACKED = re.compile(
    r"^(?:text/|application/(?:json|geo\+json|javascript|xml|opensearch)|image/svg)"
)
_REFUSED = re.compile(r"\bgzip\s*;\s*q=0(?:\.0*)?\s*(?:,|$)")


class NotFoundError(InputError):
    """What was asked for is not there: 404 instead of 400."""


def pack(body: bytes) -> bytes:
    packed: bytes = igzip.compress(body, _LEVEL)
    return packed


def tag_of(body: bytes) -> str:
    """A weak one: packed and not, it is the same."""
    return f'W/"{xxhash.xxh3_64_hexdigest(body)}"'


def accepts_gzip(request: Request) -> bool:
    accepted = request.headers.get("accept-encoding", "").lower()
    return "gzip" in accepted and not _REFUSED.search(accepted)


def respond(
    request: Request, body: bytes, media: str, headers: dict[str, str] | None = None
) -> Response:
    """An answer that may be kept, and is asked for anew every time ("no-cache"): then only its tag is compared."""
    tag = tag_of(body)
    said = {
        "ETag": tag,
        "Cache-Control": "private, no-cache",
        "Vary": "Accept-Encoding",
        **(headers or {}),
    }
    if knows(request, tag):
        return Response(status_code=304, headers=said)
    if len(body) > _SMALLEST and _PACKED.match(media) and accepts_gzip(request):
        return Response(
            pack(body), headers={**said, "Content-Encoding": "gzip", "Content-Type": media}
        )
    return Response(body, headers={**said, "Content-Type": media})


def knows(request: Request, tag: str) -> bool:
    return tag in (part.strip() for part in request.headers.get("if-none-match", "").split(","))


def as_json(request: Request, value: object, media: str = JSON) -> Response:
    return respond(request, msgspec.json.encode(value), media)


def refuse(status: int, cause: str, cure: str, headers: dict[str, str] | None = None) -> Response:
    """What is wrong, and what to do about it."""
    said = {"Cache-Control": "no-store", "Content-Type": JSON, **(headers or {})}
    return Response(msgspec.json.encode({"error": cause, "cure": cure}), status, said)
