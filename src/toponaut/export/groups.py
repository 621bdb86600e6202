"""The records of one answer, out of a crawl's archive: metadata, request, and the response or revisit that closes them.

The log knows where the answer lies; the records that belong to it stand before it, behind the answer before. Those that do not name
it (a warcinfo, what a lost piece of the log told of) are left where they are.
"""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import cast

from isal import isal_zlib
from msgspec import Struct

from toponaut.archive.members import packed
from toponaut.archive.reading import parsed

_GZIP = 31  # zlib's window bits for "with gzip's header and trailer"
_BAD = cast(type[Exception], isal_zlib.IsalError)  # isal's stub takes it for an instance
_MOST_BEFORE = 1 << 24  # bytes before an answer in which its request is looked for; usually 1,000
_PLACE = re.compile(rb"WARC-Refers-To-File(?:name|-Offset):[^\r\n]*\r\n", re.IGNORECASE)


class Group(Struct, frozen=True):
    """The records of an answer, each a gzip member; the last is the answer, whose header and block are at hand."""

    members: tuple[bytes, ...]
    header: dict[str, str]
    block: bytes

    @property
    def is_revisit(self) -> bool:
        return self.header["warc-type"] == "revisit"

    @property
    def original(self) -> tuple[str, int] | None:
        """File and offset of what a revisit refers to."""
        file, offset = (
            self.header.get(f"warc-refers-to-file{what}", "") for what in ("name", "-offset")
        )
        return (Path(file).name, int(offset)) if file and offset.isdecimal() else None


def read_group(path: Path, start: int, offset: int, end: int) -> Group:
    """The records from `start` on that belong to the answer from `offset` to `end`; ValueError where that is damaged."""
    start = start if 0 <= offset - start <= _MOST_BEFORE else offset
    with path.open("rb") as file:
        file.seek(start)
        raw = file.read(end - start)
    found = list(_members(raw[offset - start :]))
    if len(found) != 1 or len(raw) < end - start:
        raise ValueError("not one whole record")
    member, record = found[0]
    header, block = parsed(record)
    if header.get("warc-type") not in ("response", "revisit") or "warc-target-uri" not in header:
        raise ValueError("no answer")
    beside = [one for one, other in _members(raw[: offset - start]) if _belongs(other, header)]
    if header["warc-type"] == "revisit":
        member = _without_place(record)
    return Group((*beside, member), header, block)


def _members(raw: bytes) -> Iterator[tuple[bytes, bytes]]:
    """Every gzip member with the record in it; ValueError where one is not whole."""
    while raw:
        inflate = isal_zlib.decompressobj(_GZIP)
        try:
            record = inflate.decompress(raw)
        except _BAD as error:
            raise ValueError(str(error)) from error
        if not inflate.eof:
            raise ValueError("cut short")
        rest = inflate.unused_data
        yield raw[: len(raw) - len(rest)], record
        raw = rest


def _belongs(record: bytes, answer: dict[str, str]) -> bool:
    return parsed(record)[0].get("warc-concurrent-to") == answer.get("warc-record-id")


def _without_place(record: bytes) -> bytes:
    """A revisit without the two fields, not of the standard, that say in which file its original lies: it lies elsewhere now."""
    head, end, rest = record.partition(b"\r\n\r\n")
    return packed(_PLACE.sub(b"", head + b"\r\n")[:-2] + end + rest)
