"""WARC records by their offsets: gzip, zstd or plain, in a file of their own or in place inside a zip.

One reader serves both the scan and the random access, so that what was indexed can be fetched. It checks what the
libraries let pass: fastwarc ends in silence at a file that was cut short, and numbers the records of a file that was
packed in one piece with offsets that nothing can be read from.
"""

from collections.abc import Iterator
from pathlib import Path
from types import TracebackType
from typing import Protocol, Self, cast

import zstandard
from isal import isal_zlib
from msgspec import Struct

from toponaut.archive.reading import parsed
from toponaut.web.replay.recorded import UnreadableError

HEAD = 1 << 16  # bytes that hold a record's header and its HTTP head
_CHUNK = 1 << 16
_FIRST = 1 << 14  # most records are smaller
_GZIP = b"\x1f\x8b"
_ZSTD = b"\x28\xb5\x2f\xfd"
_DICTIONARY = b"\x5d\x2a\x4d\x18"  # the frame that may begin a .warc.zst, with what all others were packed with
_GZIP_WINDOW = 31  # zlib's window bits for "with gzip's header and trailer"
_SLACK = 8  # bytes after a record: two line ends, and what careless writers add
_BAD = (cast(type[Exception], isal_zlib.IsalError), zstandard.ZstdError)


class PackedInOnePieceError(Exception):
    """Several records are packed together, so none can be read alone."""


class Part(Struct, frozen=True):
    """A WARC: a whole file, or the bytes of a zip that hold it."""

    path: Path
    name: str  # as indexes call it
    size: int
    start: int = 0


class Record(Struct, frozen=True):
    """A record. Its block may be read in part only."""

    header: dict[str, str]  # names in lower case
    block: bytes
    is_whole: bool  # all of the block was read
    end: int  # where the next one begins


class _Unpacker(Protocol):
    @property
    def eof(self) -> bool: ...

    @property
    def unused_data(self) -> bytes: ...

    def decompress(self, data: bytes, /) -> bytes: ...


class Reader:
    """An open WARC."""

    def __init__(self, part: Part) -> None:
        self._stream = part.path.open("rb", buffering=0)  # chunks are larger than any buffer
        self._part = part
        magic = self._bytes(0, 4)
        self.first = 0  # where the first record begins
        self._zstd = zstandard.ZstdDecompressor()
        if magic == _DICTIONARY:
            self.first = 8 + int.from_bytes(self._bytes(4, 4), "little")
            self._zstd = zstandard.ZstdDecompressor(dict_data=self._dictionary())
        self._packed = magic[:2] == _GZIP or magic in (_ZSTD, _DICTIONARY)
        self._is_gzip = magic[:2] == _GZIP

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        at: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        """Let go of the file."""
        self._stream.close()

    def at(self, offset: int, limit: int) -> Record:
        """The record at an offset, up to `limit` bytes of it. UnreadableError where none is, or not all of it."""
        if self._packed:
            some, length, end = self._unpacked(offset, limit)
        else:
            some, length, end = self._bytes(offset, limit), self._part.size - offset, 0
        try:
            header, block = parsed(some)
            size = int(header["content-length"])
        except (ValueError, KeyError):
            raise UnreadableError("no WARC record") from None
        whole = some.index(b"\r\n\r\n") + 4 + size
        if length < whole:
            raise UnreadableError("cut short")
        if self._packed and length > whole + _SLACK:
            raise PackedInOnePieceError
        if not self._packed:
            end = self._after(offset + whole)
        return Record(header, block, len(block) == size, end)

    def records(self) -> Iterator[tuple[int, Record]]:
        """Every record with its offset, with as much as its head takes. The error tells the last offset read."""
        offset = self.first
        while offset < self._part.size:
            record = self.at(offset, HEAD)
            yield offset, record
            offset = record.end

    def _bytes(self, offset: int, size: int) -> bytes:
        self._stream.seek(self._part.start + offset)
        return self._stream.read(min(size, self._part.size - offset))

    def _after(self, end: int) -> int:
        """Where the next record begins, behind the line ends of the last."""
        gap = self._bytes(end, _SLACK)
        return end + len(gap) - len(gap.lstrip(b"\r\n"))

    def _unpacked(self, offset: int, limit: int) -> tuple[bytes, int, int]:
        """Up to `limit` bytes of what is packed at an offset; the length of all of it; and where it ends."""
        inflate = self._begin()
        kept: list[bytes] = []
        have = length = 0
        place = offset
        while not inflate.eof:
            some = self._bytes(place, _CHUNK if kept else _FIRST)
            if not some:
                raise UnreadableError("cut short")
            try:
                out = inflate.decompress(some)
            except _BAD:
                raise UnreadableError("not unpackable") from None
            place += len(some)
            length += len(out)
            if have < limit:
                kept.append(out)
                have += len(out)
        return b"".join(kept)[:limit], length, place - len(inflate.unused_data)

    def _begin(self) -> _Unpacker:
        return cast(
            _Unpacker,
            isal_zlib.decompressobj(_GZIP_WINDOW) if self._is_gzip else self._zstd.decompressobj(),
        )

    def _dictionary(self) -> zstandard.ZstdCompressionDict:
        """It may be packed itself."""
        data = self._bytes(8, self.first - 8)
        if data.startswith(_ZSTD):
            data = zstandard.ZstdDecompressor().decompressobj().decompress(data)
        return zstandard.ZstdCompressionDict(data)
