"""Records on disk that are written once, read once and then forgotten.

They are appended to segments, files of about 32 MB. A record's location is one number: its segment,
offset and length. A segment is deleted with its last record. Segments that keep a few records (of
URLs with low promises) would pile up. So once more than half of all bytes are dead, the owner moves
the records of the emptiest segment to the end (`sparse`): the disk holds at most twice the live
bytes.
"""

import os
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

# A compromise: clearing a half-live segment takes 0.12 s; 10 million URLs need 33 open files.
SEGMENT = 32 << 20
_BUFFER = 1 << 20
_OFFSET, _NUMBER = 16, 44  # shifts: 16 bits of length, 28 of offset, 20 of segment (32 TB)
_LENGTHS, _OFFSETS = (1 << 16) - 1, (1 << 28) - 1
# Limits of one `append`, bytes and records: offsets must fit though a segment may exceed its size.
LONGEST, MOST = (1 << 12) - 1, 1 << 15


class _SpoolFile:
    file = -1

    def __init__(self, path: Path, size: int = 0, live: int = 0) -> None:
        self.path, self.size, self.live = path, size, live
        self.file = os.open(path, os.O_RDWR | os.O_CREAT, 0o644)

    def __del__(self) -> None:
        if self.file >= 0:
            os.close(self.file)


class Spool:
    """The segments in a directory, given as (number, size, live bytes). The last one grows."""

    def __init__(self, directory: Path, segments: Sequence[tuple[int, int, int]] = ()) -> None:
        self._directory = directory
        self._segments = {
            number: _SpoolFile(self._path(number), size, live) for number, size, live in segments
        }
        self._tail = bytearray()  # the end of the last segment, not yet written
        self._last = max(self._segments, default=0)
        self.size = sum(segment.size for segment in self._segments.values())
        self.live = sum(segment.live for segment in self._segments.values())

    def _path(self, number: int) -> Path:
        return self._directory / f"spool-{number}"

    @property
    def buffered(self) -> int:
        """Bytes in memory, not yet on disk."""
        return len(self._tail)

    def segments(self) -> list[tuple[int, int, int]]:
        """The argument that opens it again."""
        return [
            (number, segment.size, segment.live)
            for number, segment in sorted(self._segments.items())
        ]

    def append(self, records: Sequence[bytes]) -> NDArray[np.uint64]:
        """Adds records; returns their locations. After an OSError, none was added."""
        start = self._add(b"".join(records))
        lengths = np.fromiter(map(len, records), np.uint64, len(records))
        offsets = np.cumsum(lengths) - lengths + np.uint64(start)
        return (offsets << np.uint64(_OFFSET)) | lengths | np.uint64(self._last << _NUMBER)

    def append_one(self, record: bytes) -> int:
        """Adds a record; returns its location. After an OSError, it was not added."""
        return self._add(record) << _OFFSET | len(record) | self._last << _NUMBER

    def _add(self, records: bytes) -> int:
        """Adds bytes; returns their offset in the last segment."""
        if not self._segments or self._segments[self._last].size >= SEGMENT:
            self._begin_segment()
        elif len(self._tail) >= _BUFFER:
            self._write()
        segment, added = self._segments[self._last], len(records)
        start = segment.size
        self._tail += records
        segment.size += added
        segment.live += added
        self.size += added
        self.live += added
        return start

    def _begin_segment(self) -> None:
        if self._segments:
            self._write()
        full, number = self._last, self._last + 1
        self._segments[number] = _SpoolFile(self._path(number))
        self._last = number
        if full and not self._segments[full].live:
            self._delete(full)

    def _write(self) -> None:
        """Writes the tail to disk. After a failure, all of it is written again next time."""
        segment = self._segments[self._last]
        offset, rest = segment.size - len(self._tail), memoryview(bytes(self._tail))
        while rest:
            written = os.pwrite(segment.file, rest, offset)
            offset, rest = offset + written, rest[written:]
        self._tail.clear()

    def read(self, where: int) -> bytes:
        """The record at a location."""
        number, offset, length = where >> _NUMBER, (where >> _OFFSET) & _OFFSETS, where & _LENGTHS
        segment = self._segments[number]
        if number == self._last:
            start = offset - (segment.size - len(self._tail))
            if start >= 0:
                return bytes(self._tail[start : start + length])
        return os.pread(segment.file, length, offset)

    def forget(self, where: int) -> None:
        """Marks a record as dead."""
        self._forget(where >> _NUMBER, where & _LENGTHS)

    def forget_all(self, wheres: NDArray[np.uint64]) -> None:
        """Marks records as dead."""
        numbers, index = np.unique(wheres >> np.uint64(_NUMBER), return_inverse=True)
        sums = np.bincount(index, weights=(wheres & np.uint64(_LENGTHS)).astype(np.float64))
        for number, length in zip(numbers.tolist(), sums.tolist(), strict=True):
            self._forget(number, int(length))

    def _forget(self, number: int, length: int) -> None:
        segment = self._segments[number]
        segment.live -= length
        self.live -= length
        if not segment.live and number != self._last:
            self._delete(number)

    def _delete(self, number: int) -> None:
        segment = self._segments.pop(number)
        self.size -= segment.size
        segment.path.unlink()

    def sparse(self) -> int | None:
        """The emptiest segment, whose records should be moved, if most bytes are dead."""
        if self.size <= 2 * self.live + SEGMENT:
            return None
        full = ((segment.live / segment.size, number) for number, segment in self._segments.items())
        return min(
            ((share, number) for share, number in full if number != self._last), default=(0, None)
        )[1]

    @staticmethod
    def lies_in(wheres: NDArray[np.uint64], number: int) -> NDArray[np.bool_]:
        """Which of the locations are in this segment."""
        inside: NDArray[np.bool_] = wheres >> np.uint64(_NUMBER) == number
        return inside

    def flush(self) -> list[Path]:
        """Writes everything to disk; returns the files."""
        if self._segments:
            self._write()
        for segment in self._segments.values():
            os.fsync(segment.file)
        return [segment.path for segment in self._segments.values()]
