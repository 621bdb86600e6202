"""Appending to a node's log: buffered, committed in groups, sealed on the way.

A visit is in one of three places: in the buffer, in the write under way, or on the disk. The bytes are let go only
when fsync has returned. So whatever fails, a full disk or a fsync that reports an error and forgets it (as Linux
does), the same bytes are written again at the same offset next time, and no half frame can come to stand between
whole ones.

Threads: one may append while another syncs or seals; `_buffered` guards the buffer, `_disk` the files.
"""

import os
from collections.abc import Callable
from pathlib import Path
from threading import Lock
from types import TracebackType
from typing import BinaryIO, Self

from toponaut.errors import InputError
from toponaut.log import files, frames, tails
from toponaut.log.mending import mend
from toponaut.log.positions import Position, mark
from toponaut.log.sealing import last_visit, seal
from toponaut.records import Visit
from toponaut.store.disk import make_directory

# Eight seconds at full speed, 400 visits of 20 KB a second, where a sync is due every second.
_BUFFER_BYTES = 64_000_000
_TICK = 1e-6  # between two stamps at least; a float can tell apart a quarter of it in Unix seconds of our time


class LogWriter:
    """The one writer of a node's log, in `logs`/<node>/. Opening it mends what a crash left behind.

    `written` counts the visits of the log from `first`, those in the buffer included: it is the sequence of the next one.
    `synced` counts those that no crash can take back; if a segment was moved away, both count what it held.
    """

    def __init__(self, logs: Path, node: str, first: int = 0) -> None:
        self.directory = files.directory_of(logs, node)
        self._first = first
        self._buffer = bytearray()
        self._under_way = bytearray()
        self._last: Visit | None = None  # that was appended
        self._gathered: tuple[int, Visit | None] = (
            0,
            None,
        )  # visits, those under way included, and the last of them
        self._file: BinaryIO
        self._buffered = Lock()
        self._disk = Lock()
        with files.writing(self.directory):
            make_directory(self.directory)
            self.cut = mend(self.directory)  # bytes of torn writes, set aside in *.torn
            self._stamp = _last_stamp(self.directory)
            self._open_newest()

    def _open_newest(self) -> None:
        numbers = files.numbers(self.directory)
        newest = numbers[-1] if numbers else -1
        path = files.tail(self.directory, newest)
        tail = tails.whole(path) if path.exists() else None
        if tail is None:
            last = last_visit(self.directory, newest)
            self.written = self.synced = last.sequence + 1 if last else self._first
            self._begin(newest + 1)
            return
        last = frames.decode(tail.last, path) if tail.rows else None
        self.written = self.synced = last.sequence + 1 if last else tail.first
        self._last = last
        self._at = Position(newest, tail.rows, _mark(last))
        self._file = path.open("r+b", buffering=0)
        _sync_data(
            self._file.fileno()
        )  # whoever wrote the last visits may have been killed before they were safe
        self._size = tail.size

    def _begin(self, number: int) -> None:
        """A new tail, on the disk with its header before anything relies on it."""
        path = files.tail(self.directory, number)
        file = files.part(path).open("w+b", buffering=0)
        try:
            file.write(frames.HEADER.pack(frames.MAGIC, self.synced))
            os.fsync(file.fileno())
            files.publish(path)
        except BaseException:
            file.close()
            raise
        self._file = file
        self._size = frames.HEADER.size
        self._at = Position(number)

    @property
    def position(self) -> bytes:
        """After the last synced visit: a fold that has taken in all synced visits notes this."""
        return self._at.note()

    def stamp(self, now: float) -> float:
        """For the next visit: now, but after the visits before it and after what was heard of."""
        self._stamp = max(now, self._stamp + _TICK)
        return self._stamp

    def heard(self, stamp: float) -> None:
        """Another log had come so far when it sent what follows from here: it comes before that in their common order."""
        self._stamp = max(self._stamp, stamp)

    def append(self, visit: Visit) -> None:
        """Takes a visit into the buffer. If it raises, the visit has not been taken.

        It never writes: a visit may reach the disk only after the answer in the archive that it points to, and when
        that is so only the caller of sync() knows.
        """
        if len(self._buffer) + len(self._under_way) >= _BUFFER_BYTES:
            raise InputError(
                f"{self.written - self.synced:,} visits wait to be written to {self.directory}",
                "The disk is full or too slow. Nothing already written is lost: mend that and start the crawl again",
            )
        with self._buffered:
            if visit.sequence != self.written:
                raise ValueError(f"visit {visit.sequence} where {self.written} is next")
            frames.add(self._buffer, visit)
            self._last = visit
            self.written += 1

    def sync(self) -> None:
        """Brings all visits appended so far to the disk. If it raises, it can be called again later."""
        with self._disk:
            self._gather()
            self._bring()

    def sync_later(self) -> Callable[[], None]:
        """Gathers the visits appended so far, and gives what brings them to the disk: for another thread."""
        with self._disk:
            self._gather()

        def bring() -> None:
            with self._disk:
                self._bring()

        return bring

    def _gather(self) -> None:
        with self._buffered:
            if self._under_way:  # the last sync failed
                self._under_way += self._buffer
            else:
                self._under_way = self._buffer
            self._buffer = bytearray()
            self._gathered = self.written, self._last

    def _bring(self) -> None:
        if not self._under_way:
            return
        with files.writing(files.tail(self.directory, self._at.segment)):
            try:
                self._write(self._under_way)
            except OSError:
                self._file.truncate(self._size)
                raise
        self._size += len(self._under_way)
        self._under_way = bytearray()
        count, last = self._gathered
        self._at = Position(self._at.segment, self._at.rows + count - self.synced, _mark(last))
        self.synced = count

    def _write(self, frames_: bytearray) -> None:
        self._file.seek(self._size)
        with memoryview(frames_) as view:
            done = 0
            while done < len(view):
                done += self._file.write(view[done:])
        _sync_data(self._file.fileno())

    def roll(self) -> int:
        """Begins a new tail, so that the one before can be sealed while visits are appended; none while that is empty. Gives the
        number of the segment that grows now."""
        with self._disk:
            self._gather()
            self._bring()
            if self._at.rows:
                old = self._file
                with files.writing(self.directory):
                    self._begin(self._at.segment + 1)
                old.close()
            return self._at.segment

    def seal(self) -> int:
        """Makes the visits so far a Parquet segment. Gives the number of segments sealed."""
        self.roll()
        return seal(self.directory)

    def close(self) -> None:
        """Syncs and lets the file go."""
        try:
            self.sync()
        finally:
            self._file.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()


def _sync_data(descriptor: int) -> None:
    """Waits for the disk. fdatasync writes the size but not the time of the last change: one disk write less."""
    getattr(os, "fdatasync", os.fsync)(descriptor)


def _last_stamp(directory: Path) -> float:
    """Of the log's last visit."""
    for number in reversed(files.numbers(directory)):
        if last := last_visit(directory, number):
            return last.stamp
    return 0.0


def _mark(visit: Visit | None) -> int:
    return mark(visit.sequence, visit.url, visit.time) if visit else 0
