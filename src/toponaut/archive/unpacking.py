"""The unpacked bytes of a WARC, forward from an offset, in bounded memory.

A WARC is plain, or packed with gzip or zstd: usually each record is a member (a frame) of its own,
sometimes many records share one. A cursor has the bytes up to the end of the current member;
`next_member` opens the one after it. A plain WARC counts as one member, and its cursor can jump.
"""

import re
from collections.abc import Callable
from typing import Protocol, cast

import zstandard
from isal import isal_zlib

from toponaut.archive.record_heads import UnreadableRecordError

Raw = Callable[[int, int], bytes]  # bytes of the file as they are, by offset and size

GZIP = b"\x1f\x8b\x08"
ZSTD = b"\x28\xb5\x2f\xfd"
ZSTD_DICTIONARY = b"\x5d\x2a\x4d\x18"  # the frame that may begin a .warc.zst
_ERRORS = (cast(type[Exception], isal_zlib.IsalError), zstandard.ZstdError)
_GZIP_WBITS = 31  # zlib's window bits for gzip
_FIRST_CHUNK, _CHUNK = 1 << 14, 1 << 17  # most records are smaller than the first
# Packed bytes inflated at once: both give at most 32 MB (gzip packs 1,000 to 1, zstd 32,000 to 1).
_GZIP_PIECE, _ZSTD_PIECE = 1 << 15, 1 << 10
_LINE_ENDS = b"\r\n"
_OVERLAP = 4096  # a start that a search may find half of


class _Inflater(Protocol):
    @property
    def eof(self) -> bool: ...

    @property
    def unused_data(self) -> bytes: ...

    def decompress(self, data: memoryview, /) -> bytes: ...


class Cursor(Protocol):
    """Unpacked bytes, forward from a place."""

    buffer: bytes  # the next bytes
    is_broken: bool  # the packing is damaged: nothing more comes out of this member

    @property
    def is_cut(self) -> bool:
        """Whether the end of the file has cut the member off."""
        ...

    @property
    def offset(self) -> int:
        """Where to read again: of the next byte, or of the member it is in."""
        ...

    @property
    def inside(self) -> bool:
        """Whether the next byte cannot be addressed: its member begins with other bytes."""
        ...

    @property
    def end(self) -> int:
        """Bytes of the file that were needed so far."""
        ...

    def ensure(self, size: int) -> bytes:
        """The buffer with at least `size` bytes, fewer at the end of the member."""
        ...

    def take(self, size: int, keep: int) -> tuple[bytes, int]:
        """Moves forward; gives at most `keep` of these bytes, and how many there were."""
        ...

    def next_member(self) -> bool:
        """Begins the next member; False if there is none."""
        ...


class PlainCursor:
    """The bytes of a plain WARC."""

    inside = is_broken = is_cut = False

    def __init__(self, raw: Raw, offset: int, size: int) -> None:
        self._raw, self._size = raw, size
        self.offset = offset
        self.buffer = b""

    @property
    def end(self) -> int:
        return self.offset

    def ensure(self, size: int) -> bytes:
        if len(self.buffer) < size:
            self.buffer = self._raw(self.offset, max(size, _FIRST_CHUNK))
        return self.buffer

    def take(self, size: int, keep: int) -> tuple[bytes, int]:
        taken = max(min(size, self._size - self.offset), 0)
        wanted = min(taken, keep)
        kept = self.buffer[:wanted]
        if len(kept) < wanted:
            kept = self._raw(self.offset, wanted)
        self.buffer = self.buffer[taken:]
        self.offset += taken
        return kept, taken

    def next_member(self) -> bool:
        return False


class PackedCursor:
    """The bytes of a WARC of gzip members or zstd frames."""

    def __init__(self, raw: Raw, offset: int, zstd: zstandard.ZstdDecompressor | None) -> None:
        self._raw, self._zstd = raw, zstd
        self._piece = _ZSTD_PIECE if zstd else _GZIP_PIECE
        self._chunk = memoryview(b"")
        self._read = offset  # the end of the chunk
        self.offset = offset
        self.inside = False
        self.buffer = b""
        self._inflater = self._make_inflater()
        self._ended = False  # by its last byte, or by the end of the file
        self.is_broken = False

    @property
    def end(self) -> int:
        return self._read - len(self._chunk)

    @property
    def is_cut(self) -> bool:
        return self._ended and not self._inflater.eof and self.end > self.offset

    def ensure(self, size: int) -> bytes:
        have = len(self.buffer)
        if have >= size or self._ended:
            return self.buffer
        parts = [self.buffer]
        while have < size and not self._ended:
            parts.append(self._inflate())
            have += len(parts[-1])
        self.buffer = b"".join(parts)
        return self.buffer

    def take(self, size: int, keep: int) -> tuple[bytes, int]:
        self.inside = self.inside or size > 0
        if len(self.buffer) >= size:
            kept, self.buffer = self.buffer[: min(size, keep)], self.buffer[size:]
            return kept, size
        kept_parts: list[bytes] = []
        taken = 0
        while taken < size and (some := self.ensure(1)):
            part = some[: size - taken]
            self.buffer = some[len(part) :]
            if taken < keep:
                kept_parts.append(part[: keep - taken])
            taken += len(part)
        return b"".join(kept_parts), taken

    def next_member(self) -> bool:
        while self.ensure(1):
            self.buffer = b""
        self.offset, self.inside = self.end, False
        self._inflater, self._ended = self._make_inflater(), False
        return bool(self._more())

    def _make_inflater(self) -> _Inflater:
        if self._zstd:
            return cast(_Inflater, self._zstd.decompressobj())
        return cast(_Inflater, isal_zlib.decompressobj(_GZIP_WBITS))

    def _more(self) -> memoryview:
        """The packed bytes that come next; none at the end of the file."""
        if not self._chunk:
            is_first = self._read == self.offset
            self._chunk = memoryview(self._raw(self._read, _FIRST_CHUNK if is_first else _CHUNK))
            self._read += len(self._chunk)
        return self._chunk

    def _inflate(self) -> bytes:
        piece = self._more()[: self._piece]
        if not piece:
            self._ended = True
            return b""
        try:
            out = self._inflater.decompress(piece)
        except _ERRORS:
            self.is_broken = True
            raise UnreadableRecordError("not unpackable") from None
        self._ended = self._inflater.eof
        used = len(piece) - (len(self._inflater.unused_data) if self._ended else 0)
        self._chunk = self._chunk[used:]
        return out


def skip_line_ends(cursor: Cursor) -> None:
    """Moves past line ends, to the next other byte of the member."""
    while some := cursor.ensure(1):
        blank = len(some) - len(some.lstrip(_LINE_ENDS))
        if not blank:
            return
        cursor.take(blank, 0)


def search(cursor: Cursor, pattern: re.Pattern[bytes]) -> int:
    """Moves to the next match after the first byte; to the end of the member without one. Gives the
    number of bytes passed."""
    passed = cursor.take(1, 0)[1]
    while some := cursor.ensure(_CHUNK):
        found = pattern.search(some)
        before = len(some) - _OVERLAP if len(some) >= _CHUNK else len(some)
        passed += cursor.take(found.start() if found else before, 0)[1]
        if found:
            break
    return passed


def read_dictionary(raw: Raw) -> tuple[zstandard.ZstdCompressionDict, int]:
    """The dictionary at the beginning of a .warc.zst, and where it ends."""
    end = 8 + int.from_bytes(raw(4, 4), "little")
    data = raw(8, end - 8)
    if data.startswith(ZSTD):  # it may be packed itself
        try:
            data = zstandard.ZstdDecompressor().decompressobj().decompress(data)
        except zstandard.ZstdError:
            raise UnreadableRecordError("its dictionary is not unpackable") from None
    return zstandard.ZstdCompressionDict(data), end
