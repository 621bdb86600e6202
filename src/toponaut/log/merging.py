"""Several logs as one: merged by the stamps of their visits, those of equal stamps by the numbers of their logs.

Within a log stamps never fall, so the order of each log is kept, and a visit never comes before one that its node knew of
(LogWriter.heard). The order depends on the visits alone: not on how they lie in segments, nor on who reads them when.

One batch of every log is in memory at a time, of those that have begun and not ended at that stamp: a crawl of hundreds of lives, few of
which were at the same time, takes little more than one of few. All that is not later than the end of the batch that ends first can be
given away: nothing that comes before it is still to be read.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Generic, NamedTuple, Protocol, TypeVar

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from toponaut.log.reading import Batch
from toponaut.records import Visit

Part = TypeVar("Part", bound="_Sized")
Floats = NDArray[np.float64]


class _Sized(Protocol):
    def __len__(self) -> int: ...


class _Head(Generic[Part]):
    """Where one log stands: the batch that is being given away, and from which of its rows on that is to come."""

    def __init__(self, number: int, stamped: Iterator[tuple[Part, Floats]]) -> None:
        self.number = number
        self._rest = stamped
        self._latest = 0.0
        self.used = 0
        self.stamps: Floats = np.empty(0)
        self.part: Part
        self.alive = self.next_part()

    def next_part(self) -> bool:
        """Goes on to the next batch, if there is one."""
        found = next(self._rest, None)
        if found is None:
            self.alive = False
        else:
            self.part, stamps = found
            # Logs of older versions have no stamps: what reads as 0 must not come before what preceded it.
            self.stamps = np.maximum.accumulate(np.maximum(stamps, self._latest))
            self._latest = float(self.stamps[-1])
            self.used = 0
        return found is not None

    def upto(self, stamp: float, number: int) -> int:
        """How many rows of the batch come before, or are, the last row with this stamp of the log with this number."""
        return int(
            np.searchsorted(self.stamps, stamp, "right" if self.number <= number else "left")
        )


class Slice(Generic[Part]):
    """Some rows of a batch of one log that follow one another."""

    def __init__(self, head: _Head[Part], end: int) -> None:
        self.number, self.part, self.start, self.end = head.number, head.part, head.used, end
        self.stamps = head.stamps[head.used : end]


class Stamped(NamedTuple, Generic[Part]):
    """A log to be merged: its batches, each with the stamps of its rows, and a stamp that none of them is before."""

    begins: float
    batches: Iterator[tuple[Part, Floats]]


def rounds(logs: Mapping[int, Stamped[Part]]) -> Iterator[list[Slice[Part]]]:
    """The batches of logs, given by their numbers: round by round what comes next, to be put in the order that order_of() tells."""
    waiting = sorted(logs, key=lambda number: logs[number].begins, reverse=True)
    heads: list[_Head[Part]] = []
    while heads or waiting:
        while waiting and all(logs[waiting[-1]].begins <= head.stamps[-1] for head in heads):
            number = waiting.pop()
            if (head := _Head(number, logs[number].batches)).alive:
                heads.append(head)
        if not heads:
            continue
        heads.sort(key=lambda head: head.number)
        first = min(heads, key=lambda head: (head.stamps[-1], head.number))
        ends = [head.upto(first.stamps[-1], first.number) for head in heads]
        yield [Slice(head, end) for head, end in zip(heads, ends, strict=True) if end > head.used]
        for head, end in zip(heads, ends, strict=True):
            head.used = end
            if end == len(head.part):
                head.next_part()
        heads = [head for head in heads if head.alive]


def order_of(slices: Sequence[Slice[Part]]) -> NDArray[np.int64]:
    """The order of the rows of slices, laid one behind the other."""
    stamps = np.concatenate([one.stamps for one in slices])
    numbers = np.repeat([one.number for one in slices], [len(one.stamps) for one in slices])
    return np.lexsort((numbers, stamps))


def stamped_batches(batches: Iterator[Batch]) -> Iterator[tuple["Rows", Floats]]:
    """Batches with the stamps of their visits."""
    for batch in batches:
        yield Rows(batch), np.array([visit.stamp for visit in batch.visits])


class Rows:
    """A batch as something that has as many rows as it has visits."""

    def __init__(self, batch: Batch) -> None:
        self.batch = batch

    def __len__(self) -> int:
        return len(self.batch.visits)


def visits_of(slices: Sequence[Slice[Rows]]) -> list[Visit]:
    """The visits of a round, in order."""
    visits = [visit for one in slices for visit in one.part.batch.visits[one.start : one.end]]
    return [visits[k] for k in order_of(slices).tolist()]


def stamped_tables(tables: Iterator[pa.RecordBatch]) -> Iterator[tuple[pa.RecordBatch, Floats]]:
    """Tables with the stamps of their rows."""
    for table in tables:
        known = "stamp" in table.schema.names
        yield table, table.column("stamp").to_numpy() if known else np.zeros(len(table))


def table_of(slices: Sequence[Slice[pa.RecordBatch]]) -> pa.RecordBatch:
    """The rows of a round, in order, with the columns that all of them have."""
    shared = [
        name
        for name in slices[0].part.schema.names
        if all(name in one.part.schema.names for one in slices)
    ]
    parts = [one.part.select(shared).slice(one.start, one.end - one.start) for one in slices]
    return (
        pa.Table.from_batches(parts)
        .take(pa.array(order_of(slices)))
        .combine_chunks()
        .to_batches()[0]
    )
