"""Repairing a log after a kill or a power cut, when a writer opens it.

| found                  | cause                           | repair                          |
| ---------------------- | ------------------------------- | ------------------------------- |
| *.part                 | a file was being written        | removed: a tail has its visits  |
| 7.parquet and 7.tail   | sealed, tail not yet removed    | the tail is removed             |
| 7.tail and 8.tail      | sealing not started or finished | none: the next seal() does both |
| a tail with a torn end | a write was in progress         | cut; the end is kept in 7.torn  |

Nothing is deleted that does not exist elsewhere: *.torn is synced before the tail is cut.
"""

import os
from pathlib import Path

from toponaut.errors import InputError
from toponaut.log import files, tails
from toponaut.log.segments import SealedSegment
from toponaut.records import Visit
from toponaut.store.disk import sync_directory


def repair(directory: Path) -> int:
    """Repairs a node's log directory. Returns the number of bytes cut off torn tails."""
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
