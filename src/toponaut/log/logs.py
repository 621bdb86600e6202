"""All that a crawl has written down, read as one log: `main`, or the logs of the epochs of a cluster, or both.

With `main` alone this is that log, with its positions. Of several the order is that of merging.py, and a position is one for each log.
"""

import heapq
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from pathlib import Path
from typing import NamedTuple

import msgspec
import pyarrow as pa

from toponaut.log import files, merging, tails
from toponaut.log import tables as columns
from toponaut.log.epochs import Epoch, epochs
from toponaut.log.pieces import Piece, pieces
from toponaut.log.positions import StaleError, noted, unreadable_position
from toponaut.log.reading import Batch, batches, either, first_stamp
from toponaut.log.search import find, trace
from toponaut.log.segments import Segment
from toponaut.log.summary import Summary, summary, together
from toponaut.records import Visit
from toponaut.store import Folder

MAIN = (
    "main"  # the log of a process; all its nodes write to it, so that their visits have one order
)
_Positions = dict[str, bytes]


class Part(NamedTuple):
    """One of the logs."""

    number: int  # its epoch; 0 for `main`
    name: str
    directory: Path
    ends: int | None = None  # the first segment that does not count; None: all do


class Logs:
    """The logs in a folder. Epochs are read once: they never change. `refresh` is called before anything is read."""

    def __init__(self, folder: Path, refresh: Callable[[], None] = lambda: None) -> None:
        self._refresh = refresh
        self._folder = folder
        self._store = Folder(folder)
        self._epochs: list[Epoch] = []

    def parts(self) -> list[Part]:
        """The logs that there are now, by their numbers."""
        self._refresh()
        self._epochs = epochs(self._store, self._epochs)
        ends = {one.before: one.segments for one in self._epochs}
        lives = [(one.number, one.log) for one in self._epochs]
        named = (
            (number, name, files.directory_of(self._folder, name))
            for number, name in [(0, MAIN), *lives]
        )
        return [
            Part(number, name, where, ends.get(number) if number else None)
            for number, name, where in named
        ]

    def _begun(self) -> list[Part]:
        """Those with something in them; `main` if none has."""
        there = [part for part in self.parts() if part.directory.is_dir()]
        return there or [Part(0, MAIN, files.directory_of(self._folder, MAIN))]

    def read(self, fields: Iterable[str] | None = None) -> Iterator[Visit]:
        """All visits that are there now, in order."""
        for batch in self.batches(None, fields):
            yield from batch.visits

    def batches(
        self, after: bytes | None = None, fields: Iterable[str] | None = None
    ) -> Iterator[Batch]:
        """The visits after a position, in batches, each with its position for going on later (see reading.batches). Who goes on
        hears of each visit once; the order is that among the visits that are new.
        """
        parts, done = self._begun(), _positions(after)
        if not set(done) <= {part.name for part in parts}:
            raise StaleError
        if [part.name for part in parts] == [MAIN]:
            yield from batches(parts[0].directory, done.get(MAIN), fields)
            return
        wanted = None if fields is None else (*fields, "stamp")
        stamped = {
            part.number: merging.Stamped(
                first_stamp(part.directory, done.get(part.name), part.ends),
                merging.stamped_batches(
                    batches(part.directory, done.get(part.name), wanted, part.ends)
                ),
            )
            for part in parts
        }
        name_of = {part.number: part.name for part in parts}
        for slices in merging.rounds(stamped):
            for one in slices:
                done[name_of[one.number]] = one.part.batch.position_after(one.end)
            yield Batch(merging.visits_of(slices), msgspec.msgpack.encode(done))

    def pieces(self, after: bytes | None = None) -> list[Piece]:
        """The visits after a position, in pieces that can be read apart: by the numbers of the logs, those of each in order."""
        parts, done = self._begun(), _positions(after)
        if not set(done) <= {part.name for part in parts}:
            raise StaleError
        found = (
            pieces(part.name, part.directory, noted(done.get(part.name)), part.ends)
            for part in parts
        )
        return [piece for each in found for piece in each]

    def tables(self, fields: Iterable[str]) -> Iterator[pa.RecordBatch]:
        """Some columns of all visits, in tables of some thousand, in order."""
        parts = self._begun()
        if len(parts) == 1:
            yield from _tables(parts[0], tuple(fields))
            return
        wanted = (*fields, "stamp")
        stamped = {
            part.number: merging.Stamped(
                first_stamp(part.directory, None, part.ends),
                merging.stamped_tables(_tables(part, wanted)),
            )
            for part in parts
        }
        for slices in merging.rounds(stamped):
            yield merging.table_of(slices)

    def find(self, url: str, fields: Iterable[str] | None = None) -> Iterator[Visit]:
        """The visits of a URL in normal form, in order."""
        return self._merged(
            [find(part.directory, url, _stamped(fields), part.ends) for part in self._begun()]
        )

    def trace(self, url: str) -> tuple[list[Visit], list[Visit]]:
        """The visits of a URL in normal form, and those among whose links, new, known or refused, it is; each in order."""
        traced = [trace(part.directory, url, part.ends) for part in self._begun()]
        return (
            list(self._merged([iter(visits) for visits, _ in traced])),
            list(self._merged([iter(linking) for _, linking in traced])),
        )

    def _merged(self, found: list[Iterator[Visit]]) -> Iterator[Visit]:
        return heapq.merge(*found, key=lambda visit: visit.stamp) if len(found) > 1 else found[0]

    def summary(self) -> Summary:
        """Counts what is in all of them now."""
        return together([summary(part.directory, part.ends) for part in self._begun()])

    def listing(self) -> list[tuple[str, str, int]]:
        """Their files with their sizes: where that is as it was, nothing was written."""
        return [
            (part.name, *one) for part in self._begun() for one in files.listing(part.directory)
        ]


def position_after(before: bytes | None, read: Iterable[tuple[str, bytes]]) -> bytes:
    """The position of who was at one and has read on in some logs since, up to these of their own positions."""
    return msgspec.msgpack.encode(_positions(before) | dict(read))


def _positions(note: bytes | None) -> _Positions:
    """The positions by the names of the logs. One of `main` alone stands for itself."""
    if note is None:
        return {}
    try:
        told = msgspec.msgpack.decode(note)
        return msgspec.convert(told, _Positions) if isinstance(told, dict) else {MAIN: note}
    except msgspec.MsgspecError as error:
        raise unreadable_position() from error


def _stamped(fields: Iterable[str] | None) -> tuple[str, ...] | None:
    return None if fields is None else (*fields, "stamp")


def _tables(part: Part, fields: tuple[str, ...]) -> Iterator[pa.RecordBatch]:
    numbers = files.numbers(part.directory, part.ends)
    for number in numbers:
        tail = partial(_tail, grows=number == numbers[-1])
        yield from either(part.directory, number, lambda path: _sealed(path, fields), tail)


def _sealed(path: Path, fields: tuple[str, ...]) -> Iterator[pa.RecordBatch]:
    with Segment(path) as segment:
        for group in range(len(segment.group_rows)):
            yield segment.table(group, fields)


def _tail(path: Path, grows: bool) -> Iterator[pa.RecordBatch]:
    return map(columns.pack, tails.chunks(path, grows=grows))
