"""Records on disk that are written once, read once and then forgotten.

They are appended to segments, files of about 32 MB. Where a record lies is one number: its segment, its offset there
and its length. A segment whose last record is forgotten is deleted. Those that keep a few (the URLs that nobody ever
wants most) would pile up: once more than half of all bytes are dead, the owner copies what is left of the emptiest
segment to the end (`sparse`), so that the disk holds no more than twice what waits.
"""

import os
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

# Between two evils: to clear a segment takes 0.12 s (measured, half of it live), and 10 million URLs make 33 open files.
SEGMENT = 32 << 20
_BUFFER = 1 << 20
_OFFSET, _NUMBER = (
    16,
    44,
)  # shifts: 16 bits of length, 28 of offset, 20 of segment number (32 TB of URLs)
_LENGTHS, _OFFSETS = (1 << 16) - 1, (1 << 28) - 1
# What one `append` may take, so that an offset fits although a segment is only closed once it is full.
LONGEST, MOST = (1 << 12) - 1, 1 << 15


class _Segment:
    file = -1

    def __init__(self, path: Path, size: int = 0, live: int = 0) -> None:
        self.path, self.size, self.live = path, size, live
        self.file = os.open(path, os.O_RDWR | os.O_CREAT, 0o644)

    def __del__(self) -> None:
        if self.file >= 0:
            os.close(self.file)


class Spool:
    """The segments of a directory: those of `segments` (number, size, live bytes), the last of which is written on."""

    def __init__(self, directory: Path, segments: Sequence[tuple[int, int, int]] = ()) -> None:
        self._directory = directory
        self._segments = {
            number: _Segment(self._path(number), size, live) for number, size, live in segments
        }
        self._tail = bytearray()  # the end of the last segment, not yet written
        self._last = max(self._segments, default=0)
        self.size = sum(segment.size for segment in self._segments.values())
        self.live = sum(segment.live for segment in self._segments.values())

    def _path(self, number: int) -> Path:
        return self._directory / f"spool-{number}"

    @property
    def buffered(self) -> int:
        """Bytes that are in memory only."""
        return len(self._tail)

    def segments(self) -> list[tuple[int, int, int]]:
        """What opens it again."""
        return [
            (number, segment.size, segment.live)
            for number, segment in sorted(self._segments.items())
        ]

    def append(self, records: Sequence[bytes]) -> NDArray[np.uint64]:
        """Where each lies now. An OSError means that none was taken."""
        start = self._add(b"".join(records))
        lengths = np.fromiter(map(len, records), np.uint64, len(records))
        offsets = np.cumsum(lengths) - lengths + np.uint64(start)
        return (offsets << np.uint64(_OFFSET)) | lengths | np.uint64(self._last << _NUMBER)

    def append_one(self, record: bytes) -> int:
        """Where it lies now. An OSError means that it was not taken."""
        return self._add(record) << _OFFSET | len(record) | self._last << _NUMBER

    def _add(self, records: bytes) -> int:
        """Its offset in the last segment."""
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
        self._segments[number] = _Segment(self._path(number))
        self._last = number
        if full and not self._segments[full].live:
            self._delete(full)

    def _write(self) -> None:
        """The tail goes to disk. What was written before a failure is written again the next time."""
        segment = self._segments[self._last]
        offset, rest = segment.size - len(self._tail), memoryview(bytes(self._tail))
        while rest:
            written = os.pwrite(segment.file, rest, offset)
            offset, rest = offset + written, rest[written:]
        self._tail.clear()

    def read(self, where: int) -> bytes:
        """A record."""
        number, offset, length = where >> _NUMBER, (where >> _OFFSET) & _OFFSETS, where & _LENGTHS
        segment = self._segments[number]
        if number == self._last:
            start = offset - (segment.size - len(self._tail))
            if start >= 0:
                return bytes(self._tail[start : start + length])
        return os.pread(segment.file, length, offset)

    def forget(self, where: int) -> None:
        """A record is no longer needed."""
        self._forget(where >> _NUMBER, where & _LENGTHS)

    def forget_all(self, wheres: NDArray[np.uint64]) -> None:
        """Records are no longer needed."""
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
        """The emptiest segment, if most of all that lies here is dead: its records should be moved."""
        if self.size <= 2 * self.live + SEGMENT:
            return None
        full = ((segment.live / segment.size, number) for number, segment in self._segments.items())
        return min(
            ((share, number) for share, number in full if number != self._last), default=(0, None)
        )[1]

    @staticmethod
    def lies_in(wheres: NDArray[np.uint64], number: int) -> NDArray[np.bool_]:
        """Which of the records lie in this segment."""
        inside: NDArray[np.bool_] = wheres >> np.uint64(_NUMBER) == number
        return inside

    def flush(self) -> list[Path]:
        """Everything is on disk when this returns: in these files."""
        if self._segments:
            self._write()
        for segment in self._segments.values():
            os.fsync(segment.file)
        return [segment.path for segment in self._segments.values()]
