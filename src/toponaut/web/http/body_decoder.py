"""Decodes Content-Encoding piece by piece, with a limit on the output, so that a bomb stops there.

Wrong headers are handled so that a page can come of it: bytes in an unknown encoding, and bytes
that are not what "gzip" or "zstd" promise, stay unchanged; "deflate" may lack the zlib wrapper;
trailing bytes are ignored. A stream that ends early or fails its checksum is damaged.
"""

from collections.abc import Callable
from contextlib import suppress
from typing import NamedTuple, Protocol, cast

import brotli
import zstandard
from isal import isal_zlib

_MAX_STAGES = 3  # servers encode twice by mistake, never more
# A gzip file may have several members. Each costs a decompressor and a copy of the rest: the time
# for many empty ones grows with the square.
_MAX_MEMBERS = 100
_ZSTD_WINDOW = 8 * 1024 * 1024  # the limit over HTTP (RFC 9659)
# 4 bytes of zstd can become a block of 128 KB, the largest ratio (RFC 8878, 3.1.1.2).
_ZSTD_RATIO = 128 * 1024 // 4
_ERRORS = (
    cast(type[Exception], isal_zlib.error),
    cast(type[Exception], brotli.error),
    zstandard.ZstdError,
)


class DamagedBodyError(Exception):
    """The bytes cannot be decoded; the message says why."""


class BodyTooLargeError(Exception):
    """The decoded body exceeds the limit."""


class BodyDecoder:
    """Decodes one body: `feed` it the bytes, then `finish`. Both may raise DamagedBodyError or
    BodyTooLargeError."""

    def __init__(self, encoding: str, limit: int) -> None:
        self._stages = _stages(encoding)
        self._limit = limit
        self._parts: list[bytes] = []
        self.size = 0  # decoded so far

    def feed(self, data: bytes) -> None:
        for stage in self._stages:
            data = stage.feed(data, self._limit)
            if len(data) > self._limit and stage is not self._stages[-1]:
                raise BodyTooLargeError
        self.size += len(data)
        self._parts.append(data)
        if self.size > self._limit:
            raise BodyTooLargeError

    def finish(self) -> bytes:
        for stage in self._stages:
            stage.end()
        return self.start()

    def start(self) -> bytes:
        """The body as far as it was decoded, perhaps more than the limit."""
        return self._parts[0] if len(self._parts) == 1 else b"".join(self._parts)


class _Decompressor(Protocol):
    """A decompressor for one stream, with the interface of zlib's."""

    @property
    def eof(self) -> bool: ...

    @property
    def unused_data(self) -> bytes: ...

    def decompress(self, data: bytes, max_length: int, /) -> bytes: ...


class _Encoding(NamedTuple):
    head: int  # bytes needed to recognise it
    begin: Callable[[bytes], _Decompressor | None]  # None if the bytes are not encoded
    many: bool = False  # members may follow one another


class _Stage:
    def __init__(self, form: _Encoding) -> None:
        self._form = form
        self._member: _Decompressor | None = None  # the current one
        self._members = 0  # so far
        self._head = b""  # start of the next member, until complete
        self._plain = False  # not encoded at all
        self._over = False  # the rest is ignored

    def feed(self, data: bytes, limit: int) -> bytes:
        """`data` decoded; stops after `limit` bytes and a few more."""
        out: list[bytes] = []
        while data and not self._over:
            if self._member is None:
                data = self._begin(data)
            if self._member is not None:
                piece, data = self._decompress(self._member, data, limit + 1)
                limit -= len(piece)
                out.append(piece)
                if limit < 0:
                    break
        return data if self._plain else b"".join(out)

    def end(self) -> None:
        """Raises DamagedBodyError if the stream is incomplete."""
        if self._member is not None or (self._head and not self._members):
            raise DamagedBodyError("compressed body cut short")

    def _begin(self, data: bytes) -> bytes:
        """Begins a member. Returns the bytes to decode: none while its head is incomplete."""
        data, self._head = self._head + data, b""
        if len(data) < self._form.head:
            self._head = data
            return b""
        self._member = self._form.begin(data)
        if self._member is None:
            self._over, self._plain = True, not self._members
        self._members += 1
        if self._members > _MAX_MEMBERS:
            raise DamagedBodyError("too many gzip members")
        return data

    def _decompress(self, member: _Decompressor, data: bytes, most: int) -> tuple[bytes, bytes]:
        """The decoded bytes, and the bytes after the member's end."""
        try:
            piece = member.decompress(data, most)
        except _ERRORS as error:
            raise DamagedBodyError("compressed body damaged") from error
        if not member.eof:
            return piece, b""
        self._member, self._over = None, not self._form.many
        return piece, member.unused_data


def _gzip(head: bytes) -> _Decompressor | None:
    return _inflate(31) if head.startswith(b"\x1f\x8b") else None


def _deflate(head: bytes) -> _Decompressor | None:
    """RFC 9110 means zlib's wrapper (RFC 1950, 2.2: its first two bytes); some servers omit it."""
    wrapped = head[0] & 0x0F == 8 and int.from_bytes(head[:2], "big") % 31 == 0
    return _inflate(15 if wrapped else -15)


def _inflate(wbits: int) -> _Decompressor:
    member: _Decompressor = isal_zlib.decompressobj(wbits)  # 14 us for a page of 37 KB, zlib 30
    return member


def _zstd(head: bytes) -> _Decompressor | None:
    return _Zstd() if head.startswith(b"\x28\xb5\x2f\xfd") else None


def _brotli(_head: bytes) -> _Decompressor:
    return _Brotli()


class _Zstd:
    """zstandard's decompressor has no output limit, so it is fed in short slices."""

    def __init__(self) -> None:
        self._frame = zstandard.ZstdDecompressor(max_window_size=_ZSTD_WINDOW).decompressobj()
        self.unused_data = b""

    @property
    def eof(self) -> bool:
        return self._frame.eof

    def decompress(self, data: bytes, max_length: int, /) -> bytes:
        size = max(max_length // _ZSTD_RATIO, 16)
        out: list[bytes] = []
        for start in range(0, len(data), size):
            out.append(self._frame.decompress(data[start : start + size]))
            max_length -= len(out[-1])
            if self._frame.eof:
                self.unused_data = self._frame.unused_data + data[start + size :]
            if self._frame.eof or max_length <= 0:
                break
        return b"".join(out)


class _Brotli:
    """brotli's decompressor stops a little after its limit."""

    def __init__(self) -> None:
        self._stream = brotli.Decompressor()
        self.unused_data = b""

    @property
    def eof(self) -> bool:
        return bool(self._stream.is_finished())

    def decompress(self, data: bytes, max_length: int, /) -> bytes:
        return bytes(self._stream.process(data, output_buffer_limit=max_length))


_FORMATS = {
    "gzip": _Encoding(2, _gzip, many=True),
    "x-gzip": _Encoding(2, _gzip, many=True),
    "deflate": _Encoding(2, _deflate),
    "br": _Encoding(1, _brotli),
    "zstd": _Encoding(4, _zstd, many=True),
}


def _stages(encoding: str) -> list[_Stage]:
    """The stages for a Content-Encoding header: the encoding named last was applied last."""
    names = [
        name
        for part in encoding.lower().split(",")
        if (name := part.strip()) not in ("", "identity")
    ]
    if not all(name in _FORMATS for name in names):
        return []
    if len(names) > _MAX_STAGES:
        raise DamagedBodyError(f"compressed {len(names)} times")
    return [_Stage(_FORMATS[name]) for name in reversed(names)]


def decode_start(data: bytes, encoding: str, size: int) -> bytes:
    """The first `size` bytes of a body, or fewer if its end is missing. Raises DamagedBodyError if
    it cannot be decoded."""
    decoder = BodyDecoder(encoding, size)
    with suppress(BodyTooLargeError):
        decoder.feed(data)
    return decoder.start()[:size]
