"""All logs of a crawl, read as one: `main`, or the logs of a cluster's epochs, or both.

With `main` alone this is that log, with its positions. Several logs are read in the order of
merge.py, and a position is a map with one position per log.
"""

import heapq
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

import msgspec
import pyarrow as pa
from msgspec import Struct

from toponaut.log import files, merge, tails
from toponaut.log import tables as columns
from toponaut.log.epochs import Epoch, epochs
from toponaut.log.queries import LogSummary, find, merge_summaries, summary, trace
from toponaut.log.reading import (
    Batch,
    Position,
    StaleError,
    batches,
    first_stamp,
    read_segments,
    rest_of_segment,
    unreadable_position,
)
from toponaut.log.segments import SealedSegment
from toponaut.records import Visit
from toponaut.store import FolderStore, PatientStore, folder_at, open_store

MAIN = "main"  # the log of a crawl in one process; all its nodes write to it, in one order
_Positions = dict[str, bytes]


class LogPart(NamedTuple):
    """One of the logs of a crawl."""

    number: int  # its epoch; 0 for `main`
    name: str
    directory: Path
    end: int | None = None  # the first segment that does not count; None: all count


class Piece(Struct, frozen=True):
    """The visits of one segment after a position, for one of several parallel readers.

    It can be read on the machine that has the log or, from shared storage, on any other; also if
    the segment was a tail when the piece was made and is sealed now.
    """

    log: str  # its name
    start: Position
    grows: bool  # it was the last segment: a tail may end anywhere

    def batches(self, logs: str, fields: Iterable[str] | None) -> Iterator[Batch]:
        """Its visits (see reading.batches). `logs`: path or URL of the folder of all logs."""
        with self._directory(logs) as directory:
            wanted = None if fields is None else tuple(fields)
            yield from rest_of_segment(directory, self.start, wanted, self.grows)

    @contextmanager
    def _directory(self, logs: str) -> Iterator[Path]:
        """The directory of the log; for remote storage, a folder with a copy of the segment."""
        name = files.folder_of(self.log)
        if (here := folder_at(logs)) is not None:
            yield here / name
            return
        segment = f"{name}/{files.sealed_name(self.start.segment)}"
        with PatientStore(open_store(logs)).opened(segment) as copy:
            yield copy.parent


def _pieces(part: LogPart, start: Position) -> list[Piece]:
    """The pieces of a log after a position, in order."""
    numbers = files.numbers(part.directory, part.end)
    if start.rows and start.segment not in numbers:
        raise StaleError
    later = [number for number in numbers if number >= start.segment]
    return [
        Piece(
            part.name,
            start if number == start.segment else Position(number),
            grows=number == numbers[-1],
        )
        for number in later
    ]


class Logs:
    """The logs in a folder. `refresh` is called before anything is read."""

    def __init__(self, folder: Path, refresh: Callable[[], None] = lambda: None) -> None:
        self._refresh = refresh
        self._folder = folder
        self._store = FolderStore(folder)
        self._epochs: list[Epoch] = []  # read once: they never change

    def parts(self) -> list[LogPart]:
        """The logs that exist now, by number."""
        self._refresh()
        self._epochs = epochs(self._store, self._epochs)
        ends = {one.before: one.segments for one in self._epochs}
        named = [(0, MAIN), *((one.number, one.log) for one in self._epochs)]
        return [
            LogPart(
                number,
                name,
                files.directory_of(self._folder, name),
                ends.get(number) if number else None,
            )
            for number, name in named
        ]

    def _started(self) -> list[LogPart]:
        """The logs with files; `main` if there are none."""
        found = [part for part in self.parts() if part.directory.is_dir()]
        return found or [LogPart(0, MAIN, files.directory_of(self._folder, MAIN))]

    def _after(self, position: bytes | None) -> tuple[list[LogPart], _Positions]:
        """The logs, and the position in each."""
        parts, done = self._started(), _positions(position)
        if not set(done) <= {part.name for part in parts}:
            raise StaleError
        return parts, done

    def read(self, fields: Iterable[str] | None = None) -> Iterator[Visit]:
        """All visits that exist now, in order."""
        for batch in self.batches(None, fields):
            yield from batch.visits

    def batches(
        self, after: bytes | None = None, fields: Iterable[str] | None = None
    ) -> Iterator[Batch]:
        """The visits after a position, in batches with their end positions (reading.batches).

        A reader that continues from a position gets each visit once; the order holds among the
        visits that are new.
        """
        parts, done = self._after(after)
        if [part.name for part in parts] == [MAIN]:
            yield from batches(parts[0].directory, done.get(MAIN), fields)
            return
        wanted = _with_stamp(fields)
        stamped = {
            part.number: merge.StampedLog(
                first_stamp(part.directory, done.get(part.name), part.end),
                merge.stamped_batches(
                    batches(part.directory, done.get(part.name), wanted, part.end)
                ),
            )
            for part in parts
        }
        name_of = {part.number: part.name for part in parts}
        for slices in merge.rounds(stamped):
            for one in slices:
                done[name_of[one.number]] = one.batch.position_after(one.end)
            yield Batch(merge.visits_of(slices), msgspec.msgpack.encode(done))

    def pieces(self, after: bytes | None = None) -> list[Piece]:
        """The visits after a position, in pieces for parallel readers; each log's in order."""
        parts, done = self._after(after)
        return [
            piece for part in parts for piece in _pieces(part, Position.decode(done.get(part.name)))
        ]

    def tables(self, fields: Iterable[str]) -> Iterator[pa.RecordBatch]:
        """Some columns of all visits in order, as tables of some thousand rows."""
        parts = self._started()
        if len(parts) == 1:
            yield from _tables(parts[0], tuple(fields))
            return
        wanted = (*fields, "stamp")
        stamped = {
            part.number: merge.StampedLog(
                first_stamp(part.directory, None, part.end),
                merge.stamped_tables(_tables(part, wanted)),
            )
            for part in parts
        }
        for slices in merge.rounds(stamped):
            yield merge.table_of(slices)

    def find(self, url: str, fields: Iterable[str] | None = None) -> Iterator[Visit]:
        """The visits of a URL in normal form, in order."""
        wanted = _with_stamp(fields)
        return _merged([find(part.directory, url, wanted, part.end) for part in self._started()])

    def trace(self, url: str) -> tuple[list[Visit], list[Visit]]:
        """The visits of a URL in normal form, and the visits with a link to it; each in order."""
        traced = [trace(part.directory, url, part.end) for part in self._started()]
        return (
            list(_merged([iter(visits) for visits, _ in traced])),
            list(_merged([iter(linking) for _, linking in traced])),
        )

    def summary(self) -> LogSummary:
        """Summarises all logs."""
        return merge_summaries([summary(part.directory, part.end) for part in self._started()])

    def listing(self) -> list[tuple[str, str, int]]:
        """Files and sizes: if the listing is the same, nothing was written."""
        return [
            (part.name, *file) for part in self._started() for file in files.listing(part.directory)
        ]


def position_after(before: bytes | None, read: Iterable[tuple[str, bytes]]) -> bytes:
    """The position `before`, moved to these positions in some of the logs."""
    return msgspec.msgpack.encode(_positions(before) | dict(read))


def _positions(encoded: bytes | None) -> _Positions:
    """Positions by log name. A position in `main` alone has no map around it."""
    if encoded is None:
        return {}
    try:
        found = msgspec.msgpack.decode(encoded)
        return msgspec.convert(found, _Positions) if isinstance(found, dict) else {MAIN: encoded}
    except msgspec.MsgspecError as error:
        raise unreadable_position() from error


def _merged(found: list[Iterator[Visit]]) -> Iterator[Visit]:
    return heapq.merge(*found, key=lambda visit: visit.stamp) if len(found) > 1 else found[0]


def _with_stamp(fields: Iterable[str] | None) -> tuple[str, ...] | None:
    return None if fields is None else (*fields, "stamp")


def _tables(part: LogPart, fields: tuple[str, ...]) -> Iterator[pa.RecordBatch]:
    def in_sealed(path: Path) -> Iterator[pa.RecordBatch]:
        with SealedSegment(path) as segment:
            yield from segment.tables(fields)

    def in_tail(grows: bool, path: Path) -> Iterator[pa.RecordBatch]:
        return map(columns.pack, tails.chunks(path, grows=grows))

    return read_segments(part.directory, in_sealed, in_tail, part.end)
