"""Named arrays in one file: written once, then mapped from disk and shared by all processes.

Layout: an 8-byte magic word, the header's length, a JSON header (name, type, shape, offset of each
array), then the arrays, each at a multiple of 64 bytes. Strings are one UTF-8 blob with offsets
(`pack_strings`).
"""

import mmap
import os
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
from numpy.typing import NDArray

_MAGIC = b"TOPOARR1"
_ALIGN = 64

Arrays = Mapping[str, NDArray[Any]]


class _ArrayEntry(msgspec.Struct):
    name: str
    dtype: str
    shape: list[int]
    offset: int


def write(path: Path, arrays: Arrays) -> None:
    """Write to a temporary file and rename it: a reader sees the whole file or no file."""
    entries, offset = [], 0
    for name, array in arrays.items():
        entries.append(_ArrayEntry(name, array.dtype.str, list(array.shape), offset))
        offset += -(-array.nbytes // _ALIGN) * _ALIGN
    header = msgspec.json.encode(entries)
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=path.name)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(_MAGIC + len(header).to_bytes(8, "little") + header)
            file.write(bytes(-file.tell() % _ALIGN))
            for array in arrays.values():
                file.write(np.ascontiguousarray(array).tobytes())
                file.write(bytes(-file.tell() % _ALIGN))
        Path(name).chmod(0o644)
        Path(name).replace(path)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise


def open_mapped(path: Path) -> dict[str, NDArray[Any]]:
    """The arrays of a file, mapped read-only. Raises ValueError if the file is not a whole one."""
    with path.open("rb") as file:
        size = path.stat().st_size
        if size < 16:
            raise ValueError(f"{path} is too short")
        mapped = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
    if mapped[:8] != _MAGIC:
        raise ValueError(f"{path} is not an array file")
    length = int.from_bytes(mapped[8:16], "little")
    try:
        entries = msgspec.json.decode(mapped[16 : 16 + length], type=list[_ArrayEntry])
    except msgspec.MsgspecError as error:
        raise ValueError(f"{path} has a broken header") from error
    base = -(-(16 + length) // _ALIGN) * _ALIGN
    arrays = {}
    for entry in entries:
        dtype = np.dtype(entry.dtype)
        count, start = int(np.prod(entry.shape)), base + entry.offset
        if start + count * dtype.itemsize > size:
            raise ValueError(f"{path} is cut short")
        array = np.frombuffer(mapped, dtype, count, start) if count else np.empty(0, dtype)
        arrays[entry.name] = array.reshape(entry.shape)
    return arrays


def pack_strings(strings: Sequence[str]) -> tuple[NDArray[np.uint8], NDArray[np.int64]]:
    """One blob and its offsets: string i is blob[offset[i]:offset[i + 1]]."""
    encoded = [string.encode() for string in strings]
    offsets = np.zeros(len(encoded) + 1, np.int64)
    np.cumsum([len(part) for part in encoded], out=offsets[1:])
    return np.frombuffer(b"".join(encoded), np.uint8), offsets
