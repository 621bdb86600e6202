"""Appending to a node's log: buffered, synced in groups, sealed from time to time.

A visit is in the buffer, in the current write, or on the disk. Bytes are released only after fsync
has returned. If anything fails (a full disk; an fsync error, which Linux reports only once), the
same bytes are written again at the same offset, so an incomplete frame never precedes a complete
one.

Threads: one may append while another syncs or seals. `_buffer_lock` guards the buffer, `_disk_lock`
the files.
"""

import os
from collections.abc import Callable
from pathlib import Path
from threading import Lock
from typing import BinaryIO, Self

import msgspec

from toponaut.errors import InputError
from toponaut.log import files, tails
from toponaut.log.reading import Position, visit_hash
from toponaut.log.segments import SealedSegment, seal
from toponaut.records import Visit
from toponaut.store.disk import make_directory, sync_directory

_BUFFER_BYTES = 64_000_000  # 8 s at 400 visits of 20 KB a second; a sync is due every second
_TICK = 1e-6  # least difference between two stamps; floats resolve a quarter of it


class LogWriter:
    """The only writer of a node's log, in `logs`/<node>/. Opening it repairs a crashed log.

    `written` is the sequence of the next visit: `first` plus all visits appended so far. `synced`
    is the same for visits on the disk. Both still count visits of segments that were moved away.
    """

    def __init__(self, logs: Path, node: str, first: int = 0) -> None:
        self.directory = files.directory_of(logs, node)
        self._first = first
        self._buffer = bytearray()
        self._writing = bytearray()
        self._last: Visit | None = None  # the last visit appended
        self._write_end: tuple[int, Visit | None] = (
            0,
            None,
        )  # `written` and last visit of _writing
        self._file: BinaryIO
        self._buffer_lock = Lock()
        self._disk_lock = Lock()
        with files.writing(self.directory):
            make_directory(self.directory)
            self.cut = repair(self.directory)  # bytes of torn writes, now in *.torn
            self._stamp = last_stamp(self.directory)
            self._open_newest()

    def _open_newest(self) -> None:
        numbers = files.numbers(self.directory)
        newest = numbers[-1] if numbers else -1
        path = files.tail(self.directory, newest)
        tail = tails.check(path) if path.exists() else None
        if tail is None:
            last = last_visit(self.directory, newest)
            self.written = self.synced = last.sequence + 1 if last else self._first
            self._start_tail(newest + 1)
            return
        last = tails.decode(tail.last, path) if tail.rows else None
        self.written = self.synced = last.sequence + 1 if last else tail.first
        self._last = last
        self._end = Position(newest, tail.rows, visit_hash(last))
        self._file = path.open("r+b", buffering=0)
        _sync_data(self._file.fileno())  # the last writer may have been killed before its sync
        self._size = tail.size

    def _start_tail(self, number: int) -> None:
        """Creates a new tail; its header is on the disk before it is used."""
        path = files.tail(self.directory, number)
        file = files.part(path).open("w+b", buffering=0)
        try:
            file.write(tails.HEADER.pack(tails.MAGIC, self.synced))
            os.fsync(file.fileno())
            files.publish(path)
        except BaseException:
            file.close()
            raise
        self._file = file
        self._size = tails.HEADER.size
        self._end = Position(number)

    @property
    def position(self) -> bytes:
        """The position after the last synced visit, for folds that have read that far."""
        return self._end.encode()

    @property
    def mark(self) -> bytes:
        """The position, for folds that are invalid once a visit before it is lost or restored."""
        losses = files.losses(self.directory)
        return self.position + (msgspec.msgpack.encode(losses) if losses else b"")

    def stamp(self, now: float) -> float:
        """The stamp for the next visit: now, but later than all visits here or heard of."""
        self._stamp = max(now, self._stamp + _TICK)
        return self._stamp

    def heard(self, stamp: float) -> None:
        """Makes later visits here come after a visit of another log with this stamp."""
        self._stamp = max(self._stamp, stamp)

    def append(self, visit: Visit) -> None:
        """Adds a visit to the buffer. If it raises, the visit was not added.

        Never writes: a visit may reach the disk only after its response is in the archive, and only
        the caller of sync() knows when that is.
        """
        if len(self._buffer) + len(self._writing) >= _BUFFER_BYTES:
            raise InputError(
                f"{self.written - self.synced:,} visits wait to be written to {self.directory}",
                "The disk is full or too slow. Nothing already written is lost: fix that and "
                "resume the crawl",
            )
        with self._buffer_lock:
            if visit.sequence != self.written:
                raise ValueError(f"expected visit {self.written}, got {visit.sequence}")
            tails.add_frame(self._buffer, visit)
            self._last = visit
            self.written += 1

    def sync(self) -> None:
        """Writes all visits appended so far to the disk. If it raises, call it again later."""
        with self._disk_lock:
            self._collect()
            self._flush()

    def sync_later(self) -> Callable[[], None]:
        """Collects the visits appended so far; returns a callable that writes them."""
        with self._disk_lock:
            self._collect()

        def flush() -> None:
            with self._disk_lock:
                self._flush()

        return flush

    def _collect(self) -> None:
        with self._buffer_lock:
            if self._writing:  # the last sync failed
                self._writing += self._buffer
            else:
                self._writing = self._buffer
            self._buffer = bytearray()
            self._write_end = self.written, self._last

    def _flush(self) -> None:
        if not self._writing:
            return
        with files.writing(files.tail(self.directory, self._end.segment)):
            try:
                self._write(self._writing)
            except OSError:
                self._file.truncate(self._size)
                raise
        self._size += len(self._writing)
        self._writing = bytearray()
        count, last = self._write_end
        rows = self._end.rows + count - self.synced
        self._end = Position(self._end.segment, rows, visit_hash(last))
        self.synced = count

    def _write(self, frames: bytearray) -> None:
        self._file.seek(self._size)
        with memoryview(frames) as view:
            done = 0
            while done < len(view):
                done += self._file.write(view[done:])
        _sync_data(self._file.fileno())

    def roll(self) -> int:
        """Starts a new tail if the current one has visits; returns the growing one's number."""
        with self._disk_lock:
            self._collect()
            self._flush()
            if self._end.rows:
                old = self._file
                with files.writing(self.directory):
                    self._start_tail(self._end.segment + 1)
                old.close()
            return self._end.segment

    def seal(self) -> int:
        """Seals all visits so far. Returns the number of segments sealed."""
        self.roll()
        return seal(self.directory)

    def close(self) -> None:
        """Syncs and closes the file."""
        try:
            self.sync()
        finally:
            self._file.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def _sync_data(descriptor: int) -> None:
    """Waits for the disk. fdatasync skips the modification time: one disk write less."""
    getattr(os, "fdatasync", os.fsync)(descriptor)


# --- repair ---------------------------------------------------------------------------------------


def repair(directory: Path) -> int:
    """Repairs a log after a kill or a power cut. Returns the number of bytes cut off torn tails.

    | found                  | cause                           | repair                          |
    | ---------------------- | ------------------------------- | ------------------------------- |
    | *.part                 | a file was being written        | removed: a tail has its visits  |
    | 7.parquet and 7.tail   | sealed, tail not yet removed    | the tail is removed             |
    | 7.tail and 8.tail      | sealing not started or finished | none: the next seal() does both |
    | a tail with a torn end | a write was in progress         | cut; the end is kept in 7.torn  |

    Nothing is deleted that does not exist elsewhere: *.torn is synced before the tail is cut.
    """
    for unfinished in directory.glob("*.part"):
        unfinished.unlink()
    cut = 0
    for number in files.numbers(directory):
        path = files.tail(directory, number)
        if path.exists() and not _is_sealed(directory, number):
            cut += _cut_torn_end(directory, number)
    sync_directory(directory)
    return cut


def _is_sealed(directory: Path, number: int) -> bool:
    """Whether a tail was sealed. Removes the tail then, or the Parquet file if it is damaged."""
    path = files.sealed(directory, number)
    try:
        with SealedSegment(path):
            files.tail(directory, number).unlink()
            return True
    except FileNotFoundError:
        return False
    except InputError:
        path.unlink()
        return False


def _cut_torn_end(directory: Path, number: int) -> int:
    path = files.tail(directory, number)
    tail = tails.check(path)
    keep = tail.size if tail else 0
    with path.open("r+b") as file:
        file.seek(keep)
        torn = file.read()
        if torn:
            with files.torn(directory, number).open("ab") as aside:
                aside.write(torn)
                aside.flush()
                os.fsync(aside.fileno())
            sync_directory(directory)
            file.truncate(keep)
            os.fsync(file.fileno())
    if tail is None:
        path.unlink()
    return len(torn)


def last_visit(directory: Path, number: int) -> Visit | None:
    """The last visit of a segment, if any; from a sealed segment without links and text."""
    try:
        with SealedSegment(files.sealed(directory, number)) as segment:
            table = segment.table(len(segment.group_rows) - 1, ("stamp",))
            return segment.visits(table.slice(table.num_rows - 1))[0]
    except FileNotFoundError:
        pass
    path = files.tail(directory, number)
    tail = tails.check(path) if path.exists() else None
    return tails.decode(tail.last, path) if tail and tail.rows else None


def last_stamp(directory: Path) -> float:
    """The stamp of the log's last visit; 0 without visits."""
    for number in reversed(files.numbers(directory)):
        if last := last_visit(directory, number):
            return last.stamp
    return 0.0
