"""One recorded answer, and what its bytes say."""

from collections.abc import Iterator
from typing import Protocol

from msgspec import Struct

Headers = tuple[tuple[str, str], ...]
_END = b"\r\n\r\n"


class UnreadableError(Exception):
    """A record that is not what the index promises; the message says how."""


class NoHttpError(UnreadableError):
    """A record without an HTTP answer in it."""


class Recorded(Struct, frozen=True):
    """An answer as it was recorded."""

    status: int
    headers: Headers  # names in lower case
    head: bytes  # as received; b"" where there was none, in a folder of pages
    payload: bytes
    cut: str = ""  # why the payload is not whole, in WARC's words: "length", "time", "disconnect", "unspecified"


class Recording(Protocol):
    """A web at rest."""

    def find(self, url: str, limit: int) -> Recorded | None:
        """The last answer for a URL in normal form; cut ("length") if it is longer than `limit` bytes."""
        ...

    def urls(self) -> Iterator[str]:
        """The URLs of all pages: HTML that was answered with 200."""
        ...

    def __len__(self) -> int:
        """How many URLs have an answer."""
        ...

    def close(self) -> None:
        """Let go of files."""
        ...


def recorded(block: bytes, cut: str) -> Recorded:
    """Head and payload of an HTTP answer; NoHttpError where it is none."""
    head, end, payload = block.partition(_END)
    if not end:
        head, end, payload = block.partition(b"\n\n")
    status, headers = parse_head(head)
    return Recorded(status, headers, head + end, payload, cut)


def parse_head(head: bytes) -> tuple[int, Headers]:
    """Status and headers of an answer; NoHttpError where it is none."""
    first, *lines = head.decode("utf-8" if _is_utf8(head) else "latin-1").splitlines() or [""]
    words = first.split(None, 2)
    if len(words) < 2 or not words[0].upper().startswith("HTTP") or not words[1][:3].isdecimal():
        raise NoHttpError("no HTTP answer")
    headers: list[tuple[str, str]] = []
    for line in lines:
        name, colon, value = line.partition(":")
        if line[:1] in (" ", "\t") and headers:  # an old way to break long lines
            headers[-1] = headers[-1][0], f"{headers[-1][1]} {line.strip()}"
        elif colon:
            headers.append((name.strip().lower(), value.strip()))
    return int(words[1][:3]), tuple(headers)


def value_of(headers: Headers, name: str) -> str:
    """The value of a header, "" if it is not there."""
    return next((value for header, value in headers if header == name), "")


def without_chunks(payload: bytes, headers: Headers) -> bytes:
    """A body put together from its chunks.

    Some archives keep the chunks, others join them and keep the header that speaks of them: what does not read as
    chunks to its end is a body already.
    """
    if "chunked" not in value_of(headers, "transfer-encoding").lower():
        return payload
    parts: list[bytes] = []
    place = 0
    while True:
        end = payload.find(b"\r\n", place, place + 64)
        try:
            size = int(payload[place:end].partition(b";")[0], 16) if end > 0 else -1
        except ValueError:
            return payload
        if size < 0 or end + 2 + size > len(payload):
            return payload
        if size == 0:
            return b"".join(parts)
        parts.append(payload[end + 2 : end + 2 + size])
        place = end + 2 + size + 2


def _is_utf8(head: bytes) -> bool:
    try:
        head.decode()
    except UnicodeDecodeError:
        return False
    return True
