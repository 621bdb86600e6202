"""Columns of numbers that live in files: mapped into memory, grown where they lie.

The kernel keeps what is in use in memory and may drop the rest at any time, so a queue of any length takes no memory
of our own. A number is read through a memoryview (42 ns; through numpy 200), a batch through numpy; both see the
same bytes.

Room is claimed from the disk before it is mapped. A sparse file would do without, but then a full disk would kill
the process (SIGBUS, at whichever store meets it); so it is an OSError, raised before anything has changed.
"""

import mmap
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

# Growing a file copies nothing, so steps may be small: a quarter wastes at most a fifth of the file.
_LEAST = 1024
_ZEROS = bytes(1 << 20)
_TYPES = {"d": np.float64, "Q": np.uint64, "I": np.uint32, "B": np.uint8}


class Columns:
    """Columns of one length. `formats` names each with its type as in the struct module: "d", "Q", "I" or "B"."""

    def __init__(
        self, directory: Path, name: str, formats: Mapping[str, str], capacity: int = 0
    ) -> None:
        self.capacity = 0
        self.arrays: dict[str, NDArray[Any]] = {}
        self.views: dict[str, memoryview] = {}
        self._maps: dict[str, mmap.mmap] = {}
        self._formats = formats
        self._paths = {column: directory / f"{name}.{column}" for column in formats}
        if capacity:
            self._map(capacity)

    @property
    def size(self) -> int:
        """Bytes on disk and in the address space."""
        return sum(map(len, self._maps.values()))

    def reserve(self, count: int) -> bool:
        """Makes room for `count` rows. True if the arrays and views are new ones."""
        if count <= self.capacity:
            return False
        capacity = max(_LEAST, count, self.capacity * 5 // 4)
        for column, path in self._paths.items():
            width = np.dtype(_TYPES[self._formats[column]]).itemsize
            _claim(path, self.capacity * width, capacity * width)
        self._map(capacity)
        return True

    def _map(self, capacity: int) -> None:
        for column, path in self._paths.items():
            kind = self._formats[column]
            with path.open("r+b") as file:
                mapped = mmap.mmap(file.fileno(), capacity * np.dtype(_TYPES[kind]).itemsize)
            self._maps[column] = mapped
            self.arrays[column] = np.frombuffer(mapped, _TYPES[kind])
            self.views[column] = memoryview(mapped).cast(kind)  # type: ignore[call-overload]
        self.capacity = capacity

    def flush(self) -> list[Path]:
        """Everything is on disk when this returns: in these files."""
        for mapped in self._maps.values():
            mapped.flush()
        return list(self._paths.values()) if self.capacity else []

    def delete(self) -> None:
        """Removes the files. Their memory is freed as soon as the last array or view of it is gone."""
        self.arrays, self.views, self._maps, self.capacity = {}, {}, {}, 0
        for path in self._paths.values():
            path.unlink(missing_ok=True)


def _claim(path: Path, old: int, new: int) -> None:
    """The file has `new` bytes on disk, zeros after the first `old`; or an OSError leaves it as it was."""
    handle = os.open(path, os.O_RDWR | os.O_CREAT, 0o644)
    try:
        os.truncate(handle, old)
        if hasattr(os, "posix_fallocate"):
            os.posix_fallocate(handle, old, new - old)
        else:  # macOS
            os.lseek(handle, old, os.SEEK_SET)
            missing = new - old
            while missing:
                missing -= os.write(handle, _ZEROS[:missing])
    except OSError:
        os.truncate(handle, old)
        raise
    finally:
        os.close(handle)
