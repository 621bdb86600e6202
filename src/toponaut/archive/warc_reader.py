"""Reads WARC records, in order or by offset. Everything in Toponaut that reads a WARC reads it
here.

A WARC is plain, or packed with gzip or zstd so that each record is a member (a frame) of its own.
It is a file, or a stored member of a WACZ, read in place. `_unpack` knows the packings and
`parse_record` the record format; a further packing, or ARC, belongs there. HTTP answers in records:
http_answers.py.

The reader checks what libraries accept: fastwarc ends without an error in a truncated file, and
gives useless offsets to records that share a gzip member.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Protocol, Self, cast
from zipfile import ZIP_STORED, BadZipFile, ZipFile

import zstandard
from isal import isal_zlib
from msgspec import Struct

from toponaut.errors import InputError

HEAD_BYTES = 1 << 16  # enough for a record's header and the head of its HTTP answer
WHOLE = 1 << 62  # as a limit: all of a record
_CHUNK = 1 << 16
_FIRST_CHUNK = 1 << 14  # most records are smaller
_SEARCH_CHUNK = 1 << 20
_END = b"\r\n\r\n"
_GZIP = b"\x1f\x8b"
_ZSTD = b"\x28\xb5\x2f\xfd"
_ZSTD_DICTIONARY = b"\x5d\x2a\x4d\x18"  # the frame that may begin a .warc.zst
_STARTS = (_GZIP + b"\x08", _ZSTD, b"WARC/1.")  # first bytes of a record
_GZIP_WBITS = 31  # zlib's window bits for gzip
_SLACK = 8  # bytes allowed after a record: two line ends, and what careless writers add
_GAP = 64  # line ends allowed between two plain records
_ERRORS = (cast(type[Exception], isal_zlib.IsalError), zstandard.ZstdError)


class UnreadableRecordError(Exception):
    """There is no readable record at this offset; the message says why."""


class SharedMemberError(UnreadableRecordError):
    """Several records share a gzip member or zstd frame, so none can be read by its offset."""

    def __init__(self) -> None:
        super().__init__("several records packed together")


class WarcFile(Struct, frozen=True):
    """A WARC: a whole file, or the bytes of a zip that hold it."""

    path: Path
    name: str  # as indexes call it
    size: int
    start: int = 0

    @classmethod
    def whole(cls, path: Path) -> Self:
        return cls(path, path.name, path.stat().st_size)

    def repack_error(self) -> InputError:
        """The error for a WARC whose records share a gzip member."""
        return InputError(
            f"{self.path} is one gzip member for all records, so single pages cannot be read",
            f"Repack it: warcio recompress {self.path} new.warc.gz",
        )


class WarcRecord(Struct, frozen=True):
    """A record. Its block may have been read in part only."""

    header: dict[str, str]  # names in lower case
    block: bytes
    offset: int
    end: int  # where the next record begins
    head: bytes  # the header as written, without the empty line

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


class _RecordInflater(Protocol):
    @property
    def eof(self) -> bool: ...

    @property
    def unused_data(self) -> bytes: ...

    def decompress(self, data: bytes, /) -> bytes: ...


class WarcReader:
    """An open WARC."""

    def __init__(self, file: WarcFile) -> None:
        self._stream = file.path.open("rb", buffering=0)  # chunks are larger than any buffer
        self._file = file
        magic = self.raw(0, 4)
        self._is_gzip = magic[:2] == _GZIP
        self._is_packed = self._is_gzip or magic in (_ZSTD, _ZSTD_DICTIONARY)
        self._zstd: zstandard.ZstdDecompressor | None = None
        self.first = 0  # offset of the first record
        if magic == _ZSTD_DICTIONARY:
            self.first = 8 + int.from_bytes(self.raw(4, 4), "little")
            self._zstd = zstandard.ZstdDecompressor(dict_data=self._read_dictionary())
        elif not self._is_packed:
            self.first = self._skip_line_ends(0)

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

    def record_at(self, offset: int, limit: int, *, allow_torn: bool = False) -> WarcRecord:
        """The record at an offset, up to `limit` bytes of it. Raises UnreadableRecordError.

        `allow_torn`: of a record that the end of the file cuts off, gives what there is.
        """
        if self._is_packed:
            some, length, end = self._unpack(offset, limit, allow_torn)
        else:
            some, length, end = self.raw(offset, limit), self._file.size - offset, 0
        header, head, block = parse_record(some)
        if "content-length" not in header:
            raise UnreadableRecordError("not a WARC record")
        size = int(header["content-length"])
        whole = len(head) + len(_END) + size
        if length < whole:
            if not allow_torn:
                raise UnreadableRecordError("cut short")
            end = self._file.size
        elif self._is_packed and length > whole + _SLACK:
            raise SharedMemberError
        elif not self._is_packed:
            end = self._skip_line_ends(offset + whole)
        return WarcRecord(header, block, offset, end, head)

    def records(
        self, limit: int = HEAD_BYTES, *, start: int | None = None, allow_torn: bool = False
    ) -> Iterator[WarcRecord]:
        """All records from `start` on, each as by record_at."""
        offset = self.first if start is None else start
        while offset < self._file.size:
            record = self.record_at(offset, limit, allow_torn=allow_torn)
            yield record
            offset = record.end

    def header_at(self, offset: int) -> dict[str, str]:
        """The header of the gzip record at an offset. Raises UnreadableRecordError."""
        try:
            some = isal_zlib.decompressobj(_GZIP_WBITS).decompress(
                self.raw(offset, HEAD_BYTES), HEAD_BYTES
            )
        except _ERRORS:
            raise UnreadableRecordError("not unpackable") from None
        return parse_record(some)[0]

    def find_record(self, offset: int) -> int:
        """The offset of the next readable record; the size of the WARC if there is none."""
        overlap = max(map(len, _STARTS)) - 1
        while offset < self._file.size:
            some = self.raw(offset, _SEARCH_CHUNK + overlap)
            for found in sorted(_start_positions(some)):
                if found < _SEARCH_CHUNK and self._is_record(offset + found):
                    return offset + found
            offset += _SEARCH_CHUNK
        return self._file.size

    def _is_record(self, offset: int) -> bool:
        try:
            return bool(self.record_at(offset, HEAD_BYTES).kind)
        except UnreadableRecordError:
            return False

    def _skip_line_ends(self, offset: int) -> int:
        gap = self.raw(offset, _GAP)
        return offset + len(gap) - len(gap.lstrip(b"\r\n"))

    def _unpack(self, offset: int, limit: int, allow_torn: bool) -> tuple[bytes, int, int]:
        """Up to `limit` unpacked bytes of the member at an offset; its unpacked length; its end."""
        inflater = self._inflater()
        kept: list[bytes] = []
        have = length = 0
        place = offset
        while not inflater.eof:
            some = self.raw(place, _CHUNK if kept else _FIRST_CHUNK)
            if not some:
                if allow_torn:
                    break
                raise UnreadableRecordError("cut short")
            try:
                out = inflater.decompress(some)
            except _ERRORS:
                raise UnreadableRecordError("not unpackable") from None
            place += len(some)
            length += len(out)
            if have < limit:
                kept.append(out)
                have += len(out)
        return b"".join(kept)[:limit], length, place - len(inflater.unused_data)

    def _inflater(self) -> _RecordInflater:
        if self._is_gzip:
            return cast(_RecordInflater, isal_zlib.decompressobj(_GZIP_WBITS))
        self._zstd = self._zstd or zstandard.ZstdDecompressor()
        return cast(_RecordInflater, self._zstd.decompressobj())

    def _read_dictionary(self) -> zstandard.ZstdCompressionDict:
        data = self.raw(8, self.first - 8)
        if data.startswith(_ZSTD):  # it may be packed itself
            data = zstandard.ZstdDecompressor().decompressobj().decompress(data)
        return zstandard.ZstdCompressionDict(data)


def parse_record(record: bytes) -> tuple[dict[str, str], bytes, bytes]:
    """Header (names in lower case), header as written, block. Raises UnreadableRecordError."""
    head, end, rest = record.partition(_END)
    version, *lines = head.decode("utf-8", "replace").split("\r\n")
    if not end or not version.startswith("WARC/"):
        raise UnreadableRecordError("not a WARC record")
    pairs = (line.partition(":") for line in lines)
    header = {name.strip().lower(): value.strip() for name, _, value in pairs}
    length = header.get("content-length", "0")
    if not length.isdecimal():
        raise UnreadableRecordError("not a WARC record")
    return header, head, rest[: int(length)]


def starts_like_warc(first: bytes) -> bool:
    """Whether the first 8 bytes of a file are those of a WARC, perhaps of a damaged one."""
    return first.startswith((*_STARTS, _ZSTD_DICTIONARY))


def _start_positions(some: bytes) -> Iterator[int]:
    for start in _STARTS:
        found = some.find(start)
        while found >= 0:
            yield found
            found = some.find(start, found + 1)


# --- the WARCs in a file -------------------------------------------------------------------------

WARC_ENDINGS = (".warc", ".warc.gz", ".warc.zst")
_INDEX_ENDINGS = (".cdx", ".cdx.gz", ".cdxj", ".cdxj.gz")
_LOCAL_HEADER = 30  # bytes of a zip member's header before its name and extra field


def warcs_in(path: Path) -> list[WarcFile]:
    """The WARCs in a WARC or WACZ file."""
    return _in_wacz(path) if is_zip(path) else [WarcFile.whole(path)]


def is_zip(path: Path) -> bool:
    with path.open("rb") as stream:
        return stream.read(4) == b"PK\x03\x04"


def index_names(path: Path) -> list[str]:
    with ZipFile(path) as package:
        names = package.namelist()
    return [name for name in names if name.startswith("indexes/") and name.endswith(_INDEX_ENDINGS)]


def _in_wacz(path: Path) -> list[WarcFile]:
    try:
        with ZipFile(path) as package:
            members = [one for one in package.infolist() if one.filename.endswith(WARC_ENDINGS)]
    except BadZipFile:
        cause = f"{path} is damaged: its table of contents is not at its end"
        raise InputError(cause, "Download the WACZ again") from None
    if not members:
        cause = f"{path} is a zip without WARCs"
        raise InputError(cause, "Name a WARC, a WACZ, or a folder of pages")
    files = []
    with path.open("rb") as stream:
        for member in members:
            if member.compress_type != ZIP_STORED:
                raise InputError(
                    f"{path} compresses {member.filename}, so single pages cannot be read",
                    f"Unpack it and use the folder: unzip {path}",
                )
            stream.seek(member.header_offset)
            header = stream.read(_LOCAL_HEADER)
            names = sum(int.from_bytes(header[k : k + 2], "little") for k in (26, 28))
            start = member.header_offset + _LOCAL_HEADER + names
            files.append(WarcFile(path, member.filename, member.file_size, start))
    return files
