"""Reading a log in order, while it grows and is sealed, in this process or another.

Positions and results do not depend on whether a segment is a tail or sealed. The newest tail grows,
and may be sealed and removed at any moment. Still no visit is lost or repeated, because
- we check for a later segment *before* we read one: if there is one, this segment is complete,
- an open file stays readable after its name is gone,
- a tail that vanishes before we open it exists as Parquet.
"""

from collections.abc import Callable, Iterable, Iterator
from functools import partial
from pathlib import Path
from typing import NamedTuple, Self, TypeVar

import msgspec
import xxhash

from toponaut.errors import InputError
from toponaut.log import files, tails
from toponaut.log.segments import SealedSegment
from toponaut.records import Visit

Fields = tuple[str, ...] | None
T = TypeVar("T")


class StaleError(Exception):
    """The log lacks the visit before a position: whatever was folded up to there is invalid.

    Happens after a power cut to a fold that read a visit before it was synced, and after a segment
    was moved away.
    """


class Position(msgspec.Struct, frozen=True, array_like=True):
    """A point between two visits of a log: after `rows` visits of a segment, sealed or not."""

    segment: int = 0
    rows: int = 0
    hash: int = 0  # of the visit before it, to notice if that was replaced

    def encode(self) -> bytes:
        return msgspec.msgpack.encode(self)

    @classmethod
    def decode(cls, encoded: bytes | None) -> Self:
        """The decoded position; the start of the log for None."""
        if encoded is None:
            return cls()
        try:
            return msgspec.msgpack.decode(encoded, type=cls)
        except msgspec.DecodeError as error:
            raise unreadable_position() from error


def unreadable_position() -> InputError:
    return InputError(
        "a position in the log cannot be read", "Delete what was built from the log and resume"
    )


def visit_hash(visit: Visit | None) -> int:
    """32 bits that identify a visit; 0 for None."""
    if visit is None:
        return 0
    text = f"{visit.sequence} {visit.time!r} {visit.url}"
    return xxhash.xxh32_intdigest(text.encode(errors="replace"))


class Batch(NamedTuple):
    """Consecutive visits of one segment, and the position after them."""

    visits: list[Visit]
    position: bytes

    def position_after(self, count: int) -> bytes:
        """The position after the first `count` of them, at least one."""
        end = Position.decode(self.position)
        rows = end.rows - len(self.visits) + count
        return Position(end.segment, rows, visit_hash(self.visits[count - 1])).encode()


def read(
    directory: Path,
    after: bytes | None = None,
    fields: Iterable[str] | None = None,
    end: int | None = None,
) -> Iterator[Visit]:
    """The visits of a node's log after a position, in order. See batches()."""
    for batch in batches(directory, after, fields, end):
        yield from batch.visits


def batches(
    directory: Path,
    after: bytes | None = None,
    fields: Iterable[str] | None = None,
    end: int | None = None,
) -> Iterator[Batch]:
    """The visits that the log has now, in batches of bounded size, each with its end position.

    From sealed segments only `fields` are read ("url", "links", "links.url"; None for all); others
    may keep their defaults, except required ones. Segments from number `end` on are ignored
    (epochs.py). Raises StaleError if the log lacks the visit before `after`.
    """
    start = Position.decode(after)
    wanted = None if fields is None else tuple(fields)
    known = files.numbers(directory, end)
    if start.rows and start.segment not in known:
        raise StaleError
    while True:
        later = next((number for number in known if number > start.segment), None)
        if start.segment in known:
            yield from rest_of_segment(directory, start, wanted, grows=later is None)
        if later is None:
            return
        start = Position(later)
        known = files.numbers(directory, end)


def read_from(
    directory: Path, sequence: int, fields: Iterable[str] | None = None, end: int | None = None
) -> Iterator[Visit]:
    """The visits of a log from a sequence on."""
    numbers = files.numbers(directory, end)
    before = (
        number for number in reversed(numbers) if _first_sequence(directory, number) <= sequence
    )
    start = Position(next(before, 0)).encode()
    for batch in batches(directory, start, fields, end):
        yield from (visit for visit in batch.visits if visit.sequence >= sequence)


def _first_sequence(directory: Path, number: int) -> int:
    """The first sequence in a segment; for an empty one, a number beyond all sequences."""
    chunks = read_either(
        directory,
        number,
        lambda path: _sealed_chunks(path, 0, ()),
        lambda path: tails.chunks(path, 0, True),
    )
    return next((visits[0].sequence for visits in chunks), 2**63)


def first_stamp(directory: Path, after: bytes | None = None, end: int | None = None) -> float:
    """A lower bound for the stamps after a position: the first stamp of its segment, or 0."""
    start = Position.decode(after).segment
    number = next((number for number in files.numbers(directory, end) if number >= start), None)
    if number is None:
        return 0.0
    stamps = read_either(
        directory,
        number,
        _sealed_stamp,
        lambda path: (visits[0].stamp for visits in tails.chunks(path, 0, True)),
    )
    return next(stamps, 0.0)


def _sealed_stamp(path: Path) -> Iterator[float]:
    with SealedSegment(path) as segment:
        yield segment.minimum("stamp")


def rest_of_segment(
    directory: Path, start: Position, fields: Fields, grows: bool
) -> Iterator[Batch]:
    """The visits after a position in its segment. Checks that the visit before it is the same."""
    row = skip = max(0, start.rows - 1)
    unchecked = start.rows > 0
    for visits in read_either(
        directory,
        start.segment,
        lambda path: _sealed_chunks(path, skip, fields),
        lambda path: tails.chunks(path, skip, grows),
    ):
        row += len(visits)
        last = visits[-1]
        if unchecked:
            if visit_hash(visits.pop(0)) != start.hash:
                raise StaleError
            unchecked = False
        if visits:
            yield Batch(visits, Position(start.segment, row, visit_hash(last)).encode())
    if unchecked:
        raise StaleError


def _sealed_chunks(path: Path, skip: int, fields: Fields) -> Iterator[list[Visit]]:
    with SealedSegment(path) as segment:
        for group, rows in enumerate(segment.group_rows):
            if skip < rows:
                yield segment.visits(segment.table(group, fields).slice(skip))
            skip = max(0, skip - rows)


def read_either(
    directory: Path,
    number: int,
    sealed: Callable[[Path], Iterator[T]],
    tail: Callable[[Path], Iterator[T]],
) -> Iterator[T]:
    """Reads a segment with one of two functions, depending on its form."""
    try:
        yield from sealed(files.sealed(directory, number))
        return
    except FileNotFoundError:
        pass
    try:
        yield from tail(files.tail(directory, number))
        return
    except FileNotFoundError:  # sealed just now
        pass
    try:
        yield from sealed(files.sealed(directory, number))
    except FileNotFoundError as error:
        raise files.unreadable(files.sealed(directory, number), error) from error


def read_segments(
    directory: Path,
    sealed: Callable[[Path], Iterator[T]],
    tail: Callable[[bool, Path], Iterator[T]],
    end: int | None = None,
) -> Iterator[T]:
    """The same for all segments in order. `tail` is also given whether the tail may grow."""
    numbers = files.numbers(directory, end)
    for number in numbers:
        yield from read_either(directory, number, sealed, partial(tail, number == numbers[-1]))
