"""Reading a log in order, while it grows and is sealed, from this process or another.

Whether a segment is a tail or Parquet makes no difference to what is read or to positions in it. The newest tail
grows, and may be sealed and removed at any moment; no visit is lost or repeated, because
- whether a later segment is there is looked up *before* a segment is read: if there is one, this one is complete,
- a file that is open stays readable when its name is gone,
- a tail that is gone before it could be opened is there as Parquet.
"""

from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import NamedTuple, TypeVar

from toponaut.log import files, tails
from toponaut.log.positions import Position, StaleError, mark, noted
from toponaut.log.segments import Segment
from toponaut.records import Visit

Fields = tuple[str, ...] | None
Found = TypeVar("Found")


class Batch(NamedTuple):
    """Some visits that follow one another, and the position after them."""

    visits: list[Visit]
    position: bytes

    def position_after(self, count: int) -> bytes:
        """After the first of them, one at least. They are of one segment."""
        end, last = noted(self.position), self.visits[count - 1]
        rows = end.rows - len(self.visits) + count
        return Position(end.segment, rows, mark(last.sequence, last.url, last.time)).note()


def read(
    directory: Path,
    after: bytes | None = None,
    fields: Iterable[str] | None = None,
    ends: int | None = None,
) -> Iterator[Visit]:
    """The visits of a node's log after a position, in order, up to what is there now. See batches()."""
    for batch in batches(directory, after, fields, ends):
        yield from batch.visits


def batches(
    directory: Path,
    after: bytes | None = None,
    fields: Iterable[str] | None = None,
    ends: int | None = None,
) -> Iterator[Batch]:
    """The same in batches of bounded size, each with its position for going on later.

    Of a sealed segment only `fields` are read ("url", "links", "links.url"; None for all): the others may keep their
    defaults, except those that have none. `ends`: that segment and later ones do not count (epochs.py). Raises StaleError if
    the log does not hold the visit before `after`.
    """
    start = noted(after)
    wanted = None if fields is None else tuple(fields)
    known = files.numbers(directory, ends)
    if start.rows and start.segment not in known:
        raise StaleError
    while True:
        later = next((number for number in known if number > start.segment), None)
        if start.segment in known:
            yield from rest_of_segment(directory, start, wanted, grows=later is None)
        if later is None:
            return
        start = Position(later)
        known = files.numbers(directory, ends)


def read_from(
    directory: Path, sequence: int, fields: Iterable[str] | None = None, ends: int | None = None
) -> Iterator[Visit]:
    """The visits of a log from a sequence on, up to what is there now."""
    numbers = files.numbers(directory, ends)
    before = (
        number for number in reversed(numbers) if _first_sequence(directory, number) <= sequence
    )
    start = Position(next(before, 0)).note()
    for batch in batches(directory, start, fields, ends):
        yield from (visit for visit in batch.visits if visit.sequence >= sequence)


def _first_sequence(directory: Path, number: int) -> int:
    """What a segment begins with; beyond all sequences if it is empty."""
    chunks = either(
        directory,
        number,
        lambda path: _sealed_chunks(path, 0, ()),
        lambda path: tails.chunks(path, 0, True),
    )
    return next((visits[0].sequence for visits in chunks), 2**63)


def first_stamp(directory: Path, after: bytes | None = None, ends: int | None = None) -> float:
    """A stamp that no visit after a position is before: that which the position's segment begins with. 0 if there is none."""
    number = next(
        (one for one in files.numbers(directory, ends) if one >= noted(after).segment), None
    )
    if number is None:
        return 0.0
    stamps = either(
        directory,
        number,
        _sealed_stamp,
        lambda path: (one[0].stamp for one in tails.chunks(path, 0, True)),
    )
    return next(stamps, 0.0)


def _sealed_stamp(path: Path) -> Iterator[float]:
    with Segment(path) as segment:
        yield segment.least("stamp")


def rest_of_segment(
    directory: Path, start: Position, fields: Fields, grows: bool
) -> Iterator[Batch]:
    """What follows a position in its segment. The visit before it is read as well, and must be the one it was."""
    row = skip = max(0, start.rows - 1)
    unchecked = start.rows > 0
    for visits in either(
        directory,
        start.segment,
        lambda path: _sealed_chunks(path, skip, fields),
        lambda path: tails.chunks(path, skip, grows),
    ):
        row += len(visits)
        last = visits[-1]
        if unchecked:
            first = visits.pop(0)
            if mark(first.sequence, first.url, first.time) != start.mark:
                raise StaleError
            unchecked = False
        if visits:
            yield Batch(
                visits,
                Position(start.segment, row, mark(last.sequence, last.url, last.time)).note(),
            )
    if unchecked:
        raise StaleError


def _sealed_chunks(path: Path, skip: int, fields: Fields) -> Iterator[list[Visit]]:
    with Segment(path) as segment:
        for group, rows in enumerate(segment.group_rows):
            if skip < rows:
                yield segment.visits(segment.table(group, fields).slice(skip))
            skip = max(0, skip - rows)


def either(
    directory: Path,
    number: int,
    sealed: Callable[[Path], Iterator[Found]],
    tail: Callable[[Path], Iterator[Found]],
) -> Iterator[Found]:
    """What one of two readers finds in a segment: that for Parquet or that for tails."""
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
