"""Reads the records of a WARC or ARC, in order or by offset. Everything that reads one reads it
here.

`walk` reads files of strangers: it steps over damage, reads records that share a gzip member, and
gives the record that the end of the file cuts off. `records` and `record_at` read our own archives
and accept neither. unpacking.py knows the packings, record_heads.py the formats, warc_files.py
where WARCs are, http_answers.py the HTTP answers in records.

Libraries accept too much or too little: fastwarc ends without an error in a truncated file and
gives useless offsets to records that share a gzip member; warcio stops at the first damage.
"""

from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from shutil import rmtree
from tempfile import mkdtemp
from typing import Self
from weakref import finalize

import zstandard
from msgspec import Struct

from toponaut.archive.record_heads import (
    HEAD_BYTES,
    NO_RECORD,
    RECORD_START,
    RecordHead,
    UnreadableRecordError,
    read_head,
)
from toponaut.archive.unpacking import (
    GZIP,
    ZSTD,
    ZSTD_DICTIONARY,
    Cursor,
    PackedCursor,
    PlainCursor,
    read_dictionary,
    search,
    skip_line_ends,
)
from toponaut.archive.warc_files import WarcFile

WHOLE = 1 << 62  # as a limit: all of a record
_SOON = 4096  # bytes that hold most heads
_SEARCH_CHUNK = 1 << 20
_RUBBISH = 64  # bytes between two records that are passed over in silence: a wrong length
CUT_SHORT = "cut short"


class WarcRecord(Struct, frozen=True):
    """A record. Its block may have been read in part only."""

    header: dict[str, str]  # names in lower case
    block: bytes
    offset: int  # of the record; of its member if that is shared
    end: int  # where the next record begins
    head: bytes  # the header as written, without the empty line
    shared: bool = False  # it is not alone in its gzip member: `offset` does not lead to it
    torn: bool = False  # the file or the member ends within it

    @property
    def is_whole(self) -> bool:
        return len(self.block) == self.size

    @property
    def kind(self) -> str:
        return self.header.get("warc-type", "")

    @property
    def size(self) -> int:
        """The length of the whole block."""
        return int(self.header["content-length"])

    @property
    def url(self) -> str:
        """The target; WARC 1.0's grammar, and wget, put it in angle brackets."""
        return self.header.get("warc-target-uri", "").strip("<>")


class DamagedSpan(Struct, frozen=True):
    """Bytes of a WARC without a readable record."""

    offset: int
    end: int
    reason: str


def unusable(found: WarcRecord | DamagedSpan) -> str:
    """Why something met on a walk cannot be read by its offset; "" for a record that can."""
    if isinstance(found, DamagedSpan):
        return f"{found.end - found.offset:,} damaged bytes ({found.reason})"
    if found.torn:
        return CUT_SHORT
    return "several records packed together" if found.shared else ""


class WarcReader:
    """An open WARC."""

    def __init__(self, file: WarcFile) -> None:
        self._stream = file.path.open("rb", buffering=0)  # chunks are larger than any buffer
        self._file = file
        start = self.raw(0, 4)
        self._magic = _packing(start, file.name)  # the first bytes of a packed record
        self._zstd: zstandard.ZstdDecompressor | None = None
        self.first = 0  # offset of the first record
        if start == ZSTD_DICTIONARY:
            dictionary, self.first = read_dictionary(self.raw)
            self._zstd = zstandard.ZstdDecompressor(dict_data=dictionary)
        elif self._magic == ZSTD:
            self._zstd = zstandard.ZstdDecompressor()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        self._stream.close()

    def raw(self, offset: int, size: int) -> bytes:
        """Bytes of the WARC as they are, packed or not."""
        self._stream.seek(self._file.start + offset)
        return self._stream.read(max(min(size, self._file.size - offset), 0))

    def walk(
        self, limit: int = HEAD_BYTES, start: int | None = None
    ) -> Iterator[WarcRecord | DamagedSpan]:
        """All records from an offset on, up to `limit` bytes of each block, and all damage."""
        cursor = self._cursor(self.first if start is None else start)
        damage: DamagedSpan | None = None
        while True:
            try:
                if not _begin_record(cursor):
                    break
                record = _read_record(cursor, limit)
            except UnreadableRecordError as error:
                reason = damage or DamagedSpan(cursor.offset, 0, str(error))
                cursor, passed = self._pass_damage(cursor)
                is_small = damage is None and passed <= _RUBBISH
                damage = None if is_small else reason
                continue
            if damage:
                yield DamagedSpan(damage.offset, record.offset, damage.reason)
                damage = None
            yield record
        if damage:
            yield DamagedSpan(damage.offset, self._file.size, damage.reason)

    def records(self, limit: int = HEAD_BYTES, *, start: int | None = None) -> Iterator[WarcRecord]:
        """All records of an undamaged WARC. Raises UnreadableRecordError."""
        expected = start
        for found in self.walk(limit, start):
            if isinstance(found, DamagedSpan):
                raise UnreadableRecordError(found.reason)
            if found.torn:
                raise UnreadableRecordError(CUT_SHORT)
            if expected is not None and found.offset != expected:
                raise UnreadableRecordError(NO_RECORD)
            yield found
            expected = found.end

    def record_at(self, offset: int, limit: int) -> WarcRecord:
        """The record at an offset. Raises UnreadableRecordError."""
        record = next(self.records(limit, start=offset), None)
        if record is None:
            raise UnreadableRecordError(CUT_SHORT)
        return record

    def header_at(self, offset: int) -> dict[str, str]:
        """The header of the record at an offset. Raises UnreadableRecordError."""
        return _read_head(self._cursor(offset)).fields

    def unpack(self, path: Path) -> None:
        """Writes all records to a plain WARC, so that each has an offset."""
        cursor = self._cursor(self.first)
        with path.open("wb") as stream, suppress(UnreadableRecordError):
            while some := cursor.ensure(1) or (cursor.next_member() and cursor.ensure(1)):
                cursor.take(len(some), 0)
                stream.write(some)

    def _cursor(self, offset: int) -> Cursor:
        if self._magic:
            return PackedCursor(self.raw, offset, self._zstd)
        return PlainCursor(self.raw, offset, self._file.size)

    def _pass_damage(self, cursor: Cursor) -> tuple[Cursor, int]:
        """A cursor where the next record may begin, and how many bytes are in between."""
        with suppress(UnreadableRecordError):
            if not cursor.is_broken and not cursor.is_cut:
                return cursor, search(cursor, RECORD_START)
        return self._cursor(self._next_member(cursor.offset + 1)), self._file.size

    def _next_member(self, offset: int) -> int:
        """Where the next gzip member or zstd frame seems to begin."""
        overlap = len(self._magic) - 1
        while offset < self._file.size:
            found = self.raw(offset, _SEARCH_CHUNK + overlap).find(self._magic)
            if found >= 0:
                return offset + found
            offset += _SEARCH_CHUNK
        return self._file.size


def _packing(start: bytes, name: str) -> bytes:
    """The magic of a packed WARC by its first bytes or, if they are damaged, by its name."""
    if start.startswith(GZIP):
        return GZIP
    if start in (ZSTD, ZSTD_DICTIONARY):
        return ZSTD
    if start == b"WARC" or not name.endswith((".gz", ".zst")):
        return b""
    return GZIP if name.endswith(".gz") else ZSTD


def _begin_record(cursor: Cursor) -> bool:
    """Moves to the first byte of the next record; False at the end of the file."""
    skip_line_ends(cursor)
    while not cursor.ensure(1):
        if cursor.is_cut and not cursor.inside:
            raise UnreadableRecordError(CUT_SHORT)
        if not cursor.next_member():
            return False
        skip_line_ends(cursor)
    return True


def _read_head(cursor: Cursor) -> RecordHead:
    head = read_head(cursor.ensure(_SOON)) or read_head(some := cursor.ensure(HEAD_BYTES))
    if head is None:
        raise UnreadableRecordError(CUT_SHORT if some.startswith(b"WARC/") else NO_RECORD)
    return head


def _read_record(cursor: Cursor, limit: int) -> WarcRecord:
    offset, inside = cursor.offset, cursor.inside
    head = _read_head(cursor)
    cursor.take(head.length, 0)
    block, size = cursor.take(head.size, limit)
    skip_line_ends(cursor)
    shared = inside or (cursor.inside and bool(cursor.ensure(1)))
    torn = size < head.size or cursor.is_cut
    return WarcRecord(head.fields, block, offset, cursor.end, head.written, shared, torn)


class AddressableWarcs:
    """WARCs in which every record can be read by its offset.

    A WARC whose records share a gzip member is unpacked into a temporary folder, which goes with
    this object.
    """

    def __init__(self) -> None:
        self._folder: Path | None = None
        self._copies = 0

    def addressable(self, file: WarcFile) -> WarcFile:
        """The WARC itself if its first records are alone in their members, or else a copy."""
        with WarcReader(file) as reader:
            first = next(reader.walk(), None)
            is_shared = isinstance(first, WarcRecord) and first.shared
            return self.unpacked(file) if is_shared else file

    def unpacked(self, file: WarcFile) -> WarcFile:
        """A plain copy of a WARC, under the same name."""
        if self._folder is None:
            self._folder = Path(mkdtemp(prefix="toponaut-unpacked-"))
            finalize(self, rmtree, self._folder, ignore_errors=True)
        copy = self._folder / f"{self._copies}.warc"
        self._copies += 1
        with WarcReader(file) as reader:
            reader.unpack(copy)
        return WarcFile(copy, file.name, copy.stat().st_size)
