"""The tail: visits framed one after the other, so that a cut anywhere costs nothing before it.

    header   8 bytes magic with the version, 8 bytes sequence of the first visit
    frame    4 bytes length, 4 bytes xxh32 of the payload, payload

All numbers are little-endian. The payload is the Visit as MessagePack, a map by the names of its fields: 11 %
larger than an array, but a tail written before a field was added can still be read, and a reader that wants four
fields of thirty skips the rest unread. A stretch of zeros, as a power cut may leave, is no frame: xxh32 of nothing
is not 0.
"""

import os
import struct
from collections.abc import Iterator
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple

import msgspec
import xxhash

from toponaut.log.files import damaged
from toponaut.records import Visit

MAGIC = b"TOPOLOG1"
HEADER = struct.Struct("<8sQ")
_HEAD = struct.Struct("<II")
_EMPTY_HEAD = bytes(_HEAD.size)

_encoder = msgspec.msgpack.Encoder()
_decoder = msgspec.msgpack.Decoder(Visit)


def add(buffer: bytearray, visit: Visit) -> None:
    """Puts a visit's frame at the end of a buffer, or leaves the buffer as it was and raises."""
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
    except (
        UnicodeEncodeError
    ):  # half a surrogate pair, which UTF-8 cannot hold; no page of ours should have one
        _encoder.encode_into(
            _mended(msgspec.to_builtins(visit, builtin_types=(bytes,))), buffer, begin
        )


def _mended(data: Any) -> Any:
    """The same with surrogate pairs joined and lone ones replaced, as browsers do."""
    match data:
        case str():
            return data.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
        case dict():
            return {name: _mended(value) for name, value in data.items()}
        case list() | tuple():
            return [_mended(value) for value in data]
    return data


class Frame(NamedTuple):
    """A whole frame of a tail."""

    payload: bytes
    end: int  # where it ends in the file


def first_sequence(file: BinaryIO, path: Path) -> int | None:
    """The sequence that a tail begins with; None if the file ends within its header."""
    header = file.read(HEADER.size)
    if len(header) < HEADER.size:
        return None
    magic, first = HEADER.unpack(header)
    if magic != MAGIC:
        raise damaged(path, "it does not begin as a log of this version does")
    return int(first)


def whole(file: BinaryIO) -> Iterator[Frame]:
    """The frames from where the file stands, up to its end or to the first that is not whole.

    What is written meanwhile is left for the next time.
    """
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
        yield Frame(payload, end)


def decode(payload: bytes, path: Path) -> Visit:
    """The visit in a frame."""
    try:
        return _decoder.decode(payload)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise damaged(path, f"a visit is not as this version writes it: {error}") from error
