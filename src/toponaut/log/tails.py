"""The tail: a file of framed visits. A cut anywhere loses nothing before it.

    header   8 bytes magic with the version, 8 bytes sequence of the first visit
    frame    4 bytes length, 4 bytes xxh32 of the payload, payload

Numbers are little-endian. The payload is the Visit in MessagePack, a map by field name: 11 % larger
than an array, but tails written before a field was added stay readable, and a reader that wants
four fields of thirty skips the rest. A run of zeros, which a power cut may leave, is not a valid
frame, because xxh32 of an empty payload is not 0.
"""

import os
import struct
from collections.abc import Iterator
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple

import msgspec
import xxhash

from toponaut.log import files
from toponaut.records import Visit

_ANY_VERSION = b"TOPOLOG"
MAGIC = _ANY_VERSION + b"1"
HEADER = struct.Struct("<8sQ")
_HEAD = struct.Struct("<II")
_EMPTY_HEAD = bytes(_HEAD.size)
# The most that is in memory at a time, and the size of a row group in a sealed segment. Larger
# groups pack slightly better: 256 visits 5,051 bytes each, 1,024 4,906, 4,096 4,844 (bench/log.py).
CHUNK_VISITS = 1024
CHUNK_BYTES = 16_000_000
_READ_AHEAD = 1 << 20

_encoder = msgspec.msgpack.Encoder()
_decoder = msgspec.msgpack.Decoder(Visit)


def add_frame(buffer: bytearray, visit: Visit) -> None:
    """Appends a visit's frame to a buffer. If it raises, the buffer is unchanged."""
    start = len(buffer)
    buffer += _EMPTY_HEAD
    begin = len(buffer)
    try:
        _encode(buffer, visit, begin)
    except BaseException:
        del buffer[start:]
        raise
    with memoryview(buffer) as view:
        checksum = xxhash.xxh32_intdigest(view[begin:])
    _HEAD.pack_into(buffer, start, len(buffer) - begin, checksum)


def _encode(buffer: bytearray, visit: Visit, begin: int) -> None:
    try:
        _encoder.encode_into(visit, buffer, begin)
    except UnicodeEncodeError:  # a lone surrogate, which UTF-8 cannot encode
        plain = msgspec.to_builtins(visit, builtin_types=(bytes,))
        _encoder.encode_into(_without_surrogates(plain), buffer, begin)


def _without_surrogates(data: Any) -> Any:
    """The same data with surrogate pairs joined and lone surrogates replaced, as browsers do."""
    match data:
        case str():
            return data.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
        case dict():
            return {name: _without_surrogates(value) for name, value in data.items()}
        case list() | tuple():
            return [_without_surrogates(value) for value in data]
    return data


def decode(payload: bytes, path: Path) -> Visit:
    """The visit in a frame's payload."""
    try:
        return _decoder.decode(payload)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise _unknown_format(path, error) from error


def _unknown_format(path: Path, error: Exception) -> Exception:
    return files.damaged(path, f"a visit has a format this version cannot read: {error}")


class TailState(NamedTuple):
    """The intact part of a tail."""

    size: int
    first: int  # sequence of its first visit
    rows: int
    last: bytes  # payload of its last frame; b"" without frames


def check(path: Path) -> TailState | None:
    """Reads how much of a tail is intact; None if not even its header is."""
    with path.open("rb", buffering=_READ_AHEAD) as file:
        first = _first_sequence(file, path)
        if first is None:
            return None
        size, rows, last = HEADER.size, 0, b""
        for payload, end in _frames(file):
            size, rows, last = end, rows + 1, payload
        return TailState(size, first, rows, last)


def _first_sequence(file: BinaryIO, path: Path) -> int | None:
    """The sequence of a tail's first visit; None if it has no whole header: a power cut may leave
    zeros.
    """
    header = file.read(HEADER.size)
    if len(header) < HEADER.size:
        return None
    magic, first = HEADER.unpack(header)
    if magic != MAGIC and magic.startswith(_ANY_VERSION):
        raise files.damaged(path, "it does not start like a log of this version")
    return int(first) if magic == MAGIC else None


def _frames(file: BinaryIO) -> Iterator[tuple[bytes, int]]:
    """Payloads and end offsets of the frames that exist now, up to the first invalid one."""
    size = os.fstat(file.fileno()).st_size
    end = file.tell()
    while end + _HEAD.size <= size:
        length, checksum = _HEAD.unpack(file.read(_HEAD.size))
        end += _HEAD.size + length
        if end > size:
            return
        payload = file.read(length)
        if len(payload) < length or xxhash.xxh32_intdigest(payload) != checksum:
            return
        yield payload, end


def payloads(path: Path, grows: bool) -> Iterator[bytes]:
    """The payloads of a tail. If it no longer grows, it must end with a complete frame."""
    try:
        file = path.open("rb", buffering=_READ_AHEAD)
    except FileNotFoundError:
        raise
    except OSError as error:
        raise files.unreadable(path, error) from error
    with file:
        end = 0
        if _first_sequence(file, path) is not None:
            end = HEADER.size
            for payload, after in _frames(file):
                yield payload
                end = after
        file.seek(end)
        if not grows and file.read(1):
            raise files.damaged(
                path, "it ends within a visit. Resuming the crawl sets that end aside"
            )


def chunks(path: Path, skip: int = 0, grows: bool = False) -> Iterator[list[Visit]]:
    """The visits of a tail from row `skip` on."""
    visits: list[Visit] = []
    size = 0
    for row, payload in enumerate(payloads(path, grows)):
        if row < skip:
            continue
        visits.append(decode(payload, path))
        size += len(payload)
        if len(visits) >= CHUNK_VISITS or size >= CHUNK_BYTES:
            yield visits
            visits, size = [], 0
    if visits:
        yield visits


def decode_columns(path: Path, grows: bool, row: type[Any]) -> dict[str, list[Any]]:
    """Some fields of all visits of a tail, by name: those of the msgspec struct `row`."""
    decoder = msgspec.msgpack.Decoder(row)
    try:
        rows = [decoder.decode(payload) for payload in payloads(path, grows)]
    except msgspec.DecodeError as error:
        raise _unknown_format(path, error) from error
    return {name: [getattr(one, name) for one in rows] for name in row.__struct_fields__}
