"""What opening a log puts right: every state that a kill or a power cut can leave behind.

| found                         | what had happened                        | done                                     |
|-------------------------------|------------------------------------------|------------------------------------------|
| *.part                        | a file was being written                 | removed: its visits are still in a tail  |
| 7.parquet and 7.tail          | sealed, the tail not yet removed         | the tail is removed                      |
| 7.tail and 8.tail             | sealing had not begun or not finished    | left: the next seal() takes both         |
| a tail that ends in no frame  | a write was under way                    | cut, what is cut kept in 7.torn          |

Nothing is ever thrown away that is not elsewhere, whole: a *.torn file is written and synced before the tail is cut.
"""

import os
from pathlib import Path

from toponaut.errors import InputError
from toponaut.log import files, tails
from toponaut.log.segments import Segment
from toponaut.store.disk import sync_directory


def mend(directory: Path) -> int:
    """Puts a node's directory right. Gives the number of bytes that were cut off torn tails."""
    for unfinished in directory.glob("*.part"):
        unfinished.unlink()
    cut = 0
    for number in files.numbers(directory):
        path = files.tail(directory, number)
        if path.exists() and not _is_sealed(directory, number):
            cut += _cut(directory, number)
    sync_directory(directory)
    return cut


def _is_sealed(directory: Path, number: int) -> bool:
    """Whether a tail has become Parquet; then the tail goes. If only the Parquet is damaged, that goes instead."""
    path = files.sealed(directory, number)
    try:
        with Segment(path):
            files.tail(directory, number).unlink()
            return True
    except FileNotFoundError:
        return False
    except InputError:
        path.unlink()
        return False


def _cut(directory: Path, number: int) -> int:
    """Takes the torn end off a tail; all of it, if not even its header is whole."""
    path = files.tail(directory, number)
    tail = tails.whole(path)
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
