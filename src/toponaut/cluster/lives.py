"""The logs of a crawl on the shared storage, life by life and segment by segment: one of them is on this machine at a time."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

import pyarrow as pa

from toponaut.log import MAIN, Epoch, tables, tails
from toponaut.log import files as log_files
from toponaut.log.segments import SealedSegment
from toponaut.store import Store


class Life(NamedTuple):
    """One of the logs."""

    number: int  # its epoch; 0 for `main`
    actor: str
    folder: str
    ends: int | None = None  # the first segment that does not count; None: all do


def lives(known: Sequence[Epoch]) -> list[Life]:
    """The logs of these epochs, and `main`."""
    ends = {one.before: one.segments for one in known if one.before}
    named = (
        Life(one.number, one.actor, log_files.folder_of(one.log), ends.get(one.number))
        for one in known
    )
    return [Life(0, "", log_files.folder_of(MAIN)), *named]


def life_tables(logs: Store, life: Life, fields: tuple[str, ...]) -> Iterator[pa.RecordBatch]:
    """Some columns of what counts of a log, in its order."""
    for number in segment_numbers(logs, life):
        yield from segment_tables(logs, life, number, fields)


def segment_tables(
    logs: Store, life: Life, number: int, fields: tuple[str, ...]
) -> Iterator[pa.RecordBatch]:
    """The same of one of its segments."""
    with _segment(logs, life, number) as path:
        if path.suffix != ".parquet":
            yield from map(tables.pack, tails.chunks(path, grows=True))
            return
        with SealedSegment(path) as segment:
            for group in range(len(segment.group_rows)):
                yield segment.table(group, fields)


def segment_numbers(logs: Store, life: Life) -> list[int]:
    """The segments that count. Of a life that has ended nobody has to ask which these are."""
    return (
        log_files.numbers_in(logs.names(life.folder))
        if life.ends is None
        else list(range(life.ends))
    )


@contextmanager
def _segment(logs: Store, life: Life, number: int) -> Iterator[Path]:
    """A segment on this machine; of `main` it may be a tail."""
    name = f"{life.folder}/{log_files.sealed_name(number)}"
    if not life.number and not logs.exists(name):
        name = f"{life.folder}/{number:06}.tail"
    with logs.opened(name) as path:
        yield path
