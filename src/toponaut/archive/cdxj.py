"""The index next to each WARC: one line per answer, "SURT timestamp JSON", as pywb and wabac read
it.

While its WARC grows, an index is in the order of the records; when the WARC is complete it is
sorted. It is a fold over the WARC: missing lines are made from there. SURTs are made here, because
the package `surt` is AGPL and nine times slower; for 38,429 normalised URLs the keys were the same,
except for session ids.
"""

import os
import re
from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import Path
from urllib.parse import quote_from_bytes, unquote_to_bytes

import msgspec

from toponaut.archive.record_heads import HEAD_BYTES, UnreadableRecordError
from toponaut.archive.records import digest_of
from toponaut.archive.warc_files import WarcFile
from toponaut.archive.warc_reader import WHOLE, WarcReader

_CONTENT_TYPE = re.compile(rb"\ncontent-type[ \t]*:([^\r\n]*)", re.IGNORECASE)
_PLAIN = re.compile(r"[a-z0-9/_.~!$&'*+,:;=@()-]*", re.ASCII)  # a path or query without escapes
_AUTHORITY = re.compile(r"(?:www\d*\.)?(\[[^\]]*\]|[^:]*)(:\d+)?")
_PRINTABLE = b"!\"$&'()*+,-./:;<=>?@[\\]^_`{|}~"


class CdxjEntry(msgspec.Struct, frozen=True):
    """The JSON of a line. By convention, numbers are strings."""

    url: str
    mime: str
    status: str
    digest: str
    length: str
    offset: str
    filename: str

    @property
    def start(self) -> int:
        return int(self.offset)

    @property
    def end(self) -> int:
        """Where the record ends, and with it the group of records of this answer."""
        return int(self.offset) + int(self.length)


REVISIT = "warc/revisit"
_encode = msgspec.json.Encoder().encode
_decode = msgspec.json.Decoder(CdxjEntry).decode


def index_path(warc: Path) -> Path:
    return warc.with_name(warc.name.removesuffix(".warc.gz") + ".cdxj")


def format_line(entry: CdxjEntry, date: str) -> bytes:
    """A line of the index; `date` as in the WARC record."""
    timestamp = f"{date[:4]}{date[5:7]}{date[8:10]}{date[11:13]}{date[14:16]}{date[17:19]}"
    return f"{surt(entry.url)} {timestamp} ".encode() + _encode(entry) + b"\n"


def mime_of(content_type: str) -> str:
    words = content_type.replace(";", " ").split(None, 1)
    return words[0] if words else ""


def lines_in(index: Path) -> list[bytes]:
    """The lines of an index with their line ends, without an incomplete last one."""
    try:
        return [one for one in index.read_bytes().splitlines(keepends=True) if one.endswith(b"\n")]
    except FileNotFoundError:
        return []


def parse_line(line: bytes) -> CdxjEntry:
    """Parses a line. Raises msgspec.MsgspecError (a ValueError) or IndexError."""
    return _decode(line.split(b" ", 2)[2])


def replace_lines(index: Path, lines: Iterable[bytes]) -> None:
    """Replaces the content of an index, all or nothing."""
    draft = index.with_suffix(".cdxj.new")
    try:
        with draft.open("wb") as stream:
            stream.writelines(lines)
            stream.flush()
            os.fsync(stream.fileno())
        draft.replace(index)
    except OSError:
        draft.unlink(missing_ok=True)
        raise


def sort_index(index: Path) -> None:
    """Sorts an index by key, bytewise. 100,000 lines take 0.15 s."""
    replace_lines(index, sorted(lines_in(index)))


def complete_index(warc: Path, limit: int) -> int:
    """Makes an index list exactly the complete answers up to `limit`; gives the end of the last
    one.

    Keeps the lines the index has, and makes the missing ones from the WARC.
    """
    index = index_path(warc)
    lines, end = _trusted(warc, lines_in(index), min(limit, warc.stat().st_size))
    for line, answer_end in _answers(warc, end):
        if answer_end > limit:
            break
        lines.append(line)
        end = answer_end
    replace_lines(index, lines)
    return end


def latest_responses(warcs: list[Path], count: int) -> list[tuple[Path, CdxjEntry]]:
    """The last responses of some WARCs in order: at least `count`, from as few files as needed."""
    found: list[tuple[Path, CdxjEntry]] = []
    for warc in reversed(warcs):
        entries = sorted(_entries(warc), key=lambda entry: entry.start, reverse=True)
        found += ((warc, entry) for entry in entries if entry.mime != REVISIT)
        if len(found) >= count:
            break
    return found[::-1]


def line_of(name: str, offset: int, length: int, header: dict[str, str], block: bytes) -> bytes:
    """The index line of an answer, from its record in the WARC of this name."""
    head, _, _ = block.partition(b"\r\n\r\n")
    found = _CONTENT_TYPE.search(head)
    mime = mime_of(found[1].decode("latin-1") if found else "")
    entry = CdxjEntry(
        url=header["warc-target-uri"],
        mime=REVISIT if header["warc-type"] == "revisit" else mime,
        status=head.split(b" ", 2)[1][:3].decode("latin-1"),
        # A 304 without an original has no digest.
        digest=header.get("warc-payload-digest") or digest_of(b""),
        length=str(length),
        offset=str(offset),
        filename=name,
    )
    return format_line(entry, header["warc-date"])


def _entries(warc: Path) -> list[CdxjEntry]:
    """All entries of a WARC's index. Rebuilds an index that is missing or damaged."""
    index = index_path(warc)
    try:
        if index.exists():
            return [parse_line(line) for line in lines_in(index)]
    except (ValueError, IndexError):
        index.unlink()
    complete_index(warc, warc.stat().st_size)
    sort_index(index)
    return [parse_line(line) for line in lines_in(index)]


def _trusted(warc: Path, lines: list[bytes], limit: int) -> tuple[list[bytes], int]:
    """The lines up to `limit` and the end of their last record; none if that record is missing."""
    try:
        entries = [parse_line(line) for line in lines]
    except (ValueError, IndexError):
        return [], 0
    kept = [
        (entry.end, entry.start, line)
        for entry, line in zip(entries, lines, strict=True)
        if entry.end <= limit
    ]
    if not kept:
        return [], 0
    end, start, _ = max(kept)
    try:
        with WarcReader(WarcFile.whole(warc)) as reader:
            is_there = reader.record_at(start, HEAD_BYTES).end == end
    except UnreadableRecordError:
        is_there = False
    return ([line for _, _, line in kept], end) if is_there else ([], 0)


def _answers(warc: Path, start: int) -> Iterator[tuple[bytes, int]]:
    """Index line and end of every complete answer from `start` on."""
    with suppress(UnreadableRecordError), WarcReader(WarcFile.whole(warc)) as reader:
        for record in reader.records(WHOLE, start=start):
            if record.kind in ("response", "revisit"):
                length = record.end - record.offset
                line = line_of(warc.name, record.offset, length, record.header, record.block)
                yield line, record.end


# --- keys ---


def surt(url: str) -> str:
    """The SURT of a normalised URL: host reversed, all in lower case, parameters sorted.

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
    """Undoes percent-encoding until nothing changes."""
    raw = text.encode()
    while (less := unquote_to_bytes(raw)) != raw:
        raw = less
    return raw


def _canonical_path(path: str) -> str:
    """Percent-encodes once; drops doubled slashes, and dot segments that were percent-encoded."""
    kept: list[bytes] = []
    *folders, last = _unquoted(path).split(b"/")
    for segment in [*filter(None, folders), last]:
        if segment == b"..":
            del kept[-1:]
        elif segment != b".":
            kept.append(segment)
    return quote_from_bytes(b"/".join(kept), _PRINTABLE).lower()
