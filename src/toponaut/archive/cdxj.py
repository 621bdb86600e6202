"""The index beside each WARC: one line an answer, "SURT timestamp JSON", as pywb, wabac and cdxj-indexer have it.

While its WARC grows an index is in the order of the records; when the WARC is finished it is sorted, as readers
expect. It is a fold over the WARC: what is lost of it is read from there again.

The SURT ("com,example)/path?query") is made here: the package of that name is under the AGPL, brings tldextract
along and takes 14 us a URL, this 1.6. The keys are the same for URLs in normal form (compared on 38,429 of them),
but for session ids, which most normal forms do not have.
"""

import os
import re
from collections.abc import Iterable
from pathlib import Path
from urllib.parse import quote_from_bytes, unquote_to_bytes

import msgspec

_PLAIN = re.compile(r"[a-z0-9/_.~!$&'*+,:;=@()-]*", re.ASCII)  # of a path or query: nothing to undo
_AUTHORITY = re.compile(r"(?:www\d*\.)?(\[[^\]]*\]|[^:]*)(:\d+)?")
_PRINTABLE = b"!\"$&'()*+,-./:;<=>?@[\\]^_`{|}~"


class Entry(msgspec.Struct, frozen=True):
    """The JSON of a line; numbers are strings there, by custom."""

    url: str
    mime: str
    status: str
    digest: str
    length: str
    offset: str
    filename: str

    @property
    def start(self) -> int:
        """Where the record begins."""
        return int(self.offset)

    @property
    def end(self) -> int:
        """Where the record ends, and its group with it."""
        return int(self.offset) + int(self.length)


REVISIT = "warc/revisit"
_encode = msgspec.json.Encoder().encode
_decode = msgspec.json.Decoder(Entry).decode


def index_of(warc: Path) -> Path:
    """The path of a WARC's index."""
    return warc.with_name(warc.name.removesuffix(".warc.gz") + ".cdxj")


def line(entry: Entry, date: str) -> bytes:
    """A line of the index; `date` as in the record."""
    timestamp = f"{date[:4]}{date[5:7]}{date[8:10]}{date[11:13]}{date[14:16]}{date[17:19]}"
    return f"{surt(entry.url)} {timestamp} ".encode() + _encode(entry) + b"\n"


def mime_of(content_type: str) -> str:
    """The type without its parameters."""
    words = content_type.replace(";", " ").split(None, 1)
    return words[0] if words else ""


def lines_in(index: Path) -> list[bytes]:
    """The lines of an index with their ends; a torn last one is left out."""
    try:
        return [one for one in index.read_bytes().splitlines(keepends=True) if one.endswith(b"\n")]
    except FileNotFoundError:
        return []


def entry_in(line: bytes) -> Entry:
    """What a line says; msgspec.MsgspecError (a ValueError) or IndexError where it is none."""
    return _decode(line.split(b" ", 2)[2])


def replace(index: Path, lines: Iterable[bytes]) -> None:
    """A new content for an index, all or nothing."""
    beside = index.with_suffix(".cdxj.new")
    try:
        with beside.open("wb") as stream:
            stream.writelines(lines)
            stream.flush()
            os.fsync(stream.fileno())
        beside.replace(index)
    except OSError:
        beside.unlink(missing_ok=True)
        raise


def sort(index: Path) -> None:
    """An index in the order of its keys, byte by byte. 100,000 lines take 0.15 s."""
    replace(index, sorted(lines_in(index)))


def surt(url: str) -> str:
    """The sort-friendly key of a URL in normal form: host reversed, all in lower case, parameters in order.

    >>> surt("http://www.Example.com:8080/A/?b=2&a=1")
    'com,example:8080)/a?a=1&b=2'
    """
    authority, _, path = url.partition("://")[2].lower().partition("/")
    path, mark, query = path.partition("?")
    found = _AUTHORITY.fullmatch(authority)
    host, port = (found[1], found[2] or "") if found else (authority, "")
    if not _PLAIN.fullmatch(path) or "//" in f"/{path}":
        path = _canonical_path(path)
    if not _PLAIN.fullmatch(query):
        query = quote_from_bytes(_unquoted(query), _PRINTABLE).lower()
    if "&" in query:
        query = "&".join(
            "=".join(pair) for pair in sorted(one.split("=", 1) for one in query.split("&"))
        )
    return f"{','.join(reversed(host.split('.')))}{port})/{path.removesuffix('/')}{mark}{query}"


def _unquoted(text: str) -> bytes:
    """Percent-encoding undone as often as it goes."""
    raw = text.encode()
    while (less := unquote_to_bytes(raw)) != raw:
        raw = less
    return raw


def _canonical_path(path: str) -> str:
    """Percent-encoded once, without doubled slashes and the dot segments that stood behind percent signs."""
    kept: list[bytes] = []
    *folders, last = _unquoted(path).split(b"/")
    for segment in [*filter(None, folders), last]:
        if segment == b"..":
            del kept[-1:]
        elif segment != b".":
            kept.append(segment)
    return quote_from_bytes(b"/".join(kept), _PRINTABLE).lower()
