"""The logs of a crawl on the shared storage, read segment by segment."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

import pyarrow as pa

from toponaut.log import MAIN, Epoch, tables, tails
from toponaut.log import files as log_files
from toponaut.log.segments import SealedSegment
from toponaut.store import Store


class EpochLog(NamedTuple):
    """The log of one epoch of an actor, or `main`, that of a crawl on one machine."""

    number: int  # its epoch; 0 for `main`
    actor: str
    folder: str
    ends: int | None = None  # the first segment that does not count; None: all do


def epoch_logs(known: Sequence[Epoch]) -> list[EpochLog]:
    """`main`, and the logs of these epochs."""
    ends = {one.before: one.segments for one in known if one.before}
    named = (
        EpochLog(one.number, one.actor, log_files.folder_of(one.log), ends.get(one.number))
        for one in known
    )
    return [EpochLog(0, "", log_files.folder_of(MAIN)), *named]


def log_tables(logs: Store, log: EpochLog, fields: tuple[str, ...]) -> Iterator[pa.RecordBatch]:
    """Some columns of the segments that count, in order."""
    for number in segment_numbers(logs, log):
        with _segment(logs, log, number) as path:
            if path.suffix != ".parquet":
                yield from map(tables.pack, tails.chunks(path, grows=True))
                continue
            with SealedSegment(path) as segment:
                for group in range(len(segment.group_rows)):
                    yield segment.table(group, fields)


def segment_numbers(logs: Store, log: EpochLog) -> list[int]:
    """The segments that count. For an epoch that has ended, no listing is needed."""
    if log.ends is None:
        return log_files.numbers_in(logs.names(log.folder))
    return list(range(log.ends))


@contextmanager
def _segment(logs: Store, log: EpochLog, number: int) -> Iterator[Path]:
    """A segment on this machine; the last one of `main` may be a tail."""
    name = f"{log.folder}/{log_files.sealed_name(number)}"
    if not log.number and not logs.exists(name):
        name = f"{log.folder}/{number:06}.tail"
    with logs.opened(name) as path:
        yield path
