"""Several logs as one: merged by the stamps of their visits, equal stamps by the logs' numbers.

Stamps never fall within a log, so the order of each log is kept, and a visit never precedes one
that its node had heard of (LogWriter.heard). The order depends on the visits alone, not on how they
are stored or when they are read.

One batch per log is in memory at a time, only from logs that have started and not ended at that
stamp. Of the current batches, one ends first; all rows up to its end can be yielded, because no
earlier row is left to read.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Generic, NamedTuple, TypeVar

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from toponaut.log.reading import Batch
from toponaut.records import Visit

Rows = TypeVar("Rows")  # some rows of a log: visits or columns
Floats = NDArray[np.float64]


class _Head(Generic[Rows]):
    """The current batch of a log, and how many of its rows were yielded."""

    def __init__(self, number: int, batches: Iterator[tuple[Rows, Floats]]) -> None:
        self.number = number
        self._rest = batches
        self._latest = 0.0
        self.used = 0
        self.stamps: Floats = np.empty(0)
        self.batch: Rows
        self.alive = self.next_batch()

    def next_batch(self) -> bool:
        found = next(self._rest, None)
        if found is None:
            self.alive = False
        else:
            self.batch, stamps = found
            # Logs of older versions have no stamps: a 0 must not move a visit forward.
            self.stamps = np.maximum.accumulate(np.maximum(stamps, self._latest))
            self._latest = float(self.stamps[-1])
            self.used = 0
        return found is not None

    def rows_until(self, stamp: float, number: int) -> int:
        """How many rows of the batch are not later than this stamp of the log `number`."""
        return int(
            np.searchsorted(self.stamps, stamp, "right" if self.number <= number else "left")
        )


class Slice(Generic[Rows]):
    """Consecutive rows of a batch of one log."""

    def __init__(self, head: _Head[Rows], end: int) -> None:
        self.number, self.batch, self.start, self.end = head.number, head.batch, head.used, end
        self.stamps = head.stamps[head.used : end]


class StampedLog(NamedTuple, Generic[Rows]):
    """A log to merge: its batches with the stamps of their rows, and a lower bound for them."""

    begins: float
    batches: Iterator[tuple[Rows, Floats]]


def rounds(logs: Mapping[int, StampedLog[Rows]]) -> Iterator[list[Slice[Rows]]]:
    """Yields the slices that come next, round by round; sort their rows by _order()."""
    waiting = sorted(logs, key=lambda number: logs[number].begins, reverse=True)
    heads: list[_Head[Rows]] = []
    while heads or waiting:
        while waiting and all(logs[waiting[-1]].begins <= head.stamps[-1] for head in heads):
            number = waiting.pop()
            if (head := _Head(number, logs[number].batches)).alive:
                heads.append(head)
        if not heads:
            continue
        heads.sort(key=lambda head: head.number)
        first = min(heads, key=lambda head: (head.stamps[-1], head.number))
        ends = [head.rows_until(first.stamps[-1], first.number) for head in heads]
        yield [Slice(head, end) for head, end in zip(heads, ends, strict=True) if end > head.used]
        for head, end in zip(heads, ends, strict=True):
            head.used = end
            if end == len(head.stamps):
                head.next_batch()
        heads = [head for head in heads if head.alive]


def _order(slices: Sequence[Slice[Rows]]) -> NDArray[np.int64]:
    """The order of the rows of concatenated slices."""
    stamps = np.concatenate([one.stamps for one in slices])
    numbers = np.repeat([one.number for one in slices], [len(one.stamps) for one in slices])
    return np.lexsort((numbers, stamps))


def stamped_batches(batches: Iterator[Batch]) -> Iterator[tuple[Batch, Floats]]:
    """Batches with the stamps of their visits."""
    for batch in batches:
        yield batch, np.array([visit.stamp for visit in batch.visits])


def visits_of(slices: Sequence[Slice[Batch]]) -> list[Visit]:
    """The visits of a round, in order."""
    visits = [visit for one in slices for visit in one.batch.visits[one.start : one.end]]
    return [visits[k] for k in _order(slices).tolist()]


def stamped_tables(tables: Iterator[pa.RecordBatch]) -> Iterator[tuple[pa.RecordBatch, Floats]]:
    """Tables with the stamps of their rows."""
    for table in tables:
        known = "stamp" in table.schema.names
        yield table, table.column("stamp").to_numpy() if known else np.zeros(len(table))


def table_of(slices: Sequence[Slice[pa.RecordBatch]]) -> pa.RecordBatch:
    """The rows of a round, in order, with the columns that all of them have."""
    shared = [
        name
        for name in slices[0].batch.schema.names
        if all(name in one.batch.schema.names for one in slices)
    ]
    parts = [one.batch.select(shared).slice(one.start, one.end - one.start) for one in slices]
    rows = pa.Table.from_batches(parts).take(pa.array(_order(slices)))
    return rows.combine_chunks().to_batches()[0]
