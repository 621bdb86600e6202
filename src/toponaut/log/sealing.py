"""Tails become Parquet: in a thread or process of its own, if wanted, while the newest tail grows.

A segment is written whole under another name, synced, renamed, and only then its tail is removed. Whenever that is
interrupted, one whole copy of every visit is there under a name that readers know.
"""

from pathlib import Path

from toponaut.log import files, frames, segments, tails
from toponaut.records import Visit
from toponaut.store.disk import sync_directory


def seal(directory: Path) -> int:
    """Seals all tails but the newest, which may be growing. Gives how many. Only one may do so at a time."""
    done = 0
    for number in files.numbers(directory)[:-1]:
        path = files.tail(directory, number)
        if path.exists():
            if not files.sealed(directory, number).exists():
                segments.write(files.sealed(directory, number), tails.chunks(path))
            with files.writing(path):
                path.unlink()
                sync_directory(directory)
            done += 1
    return done


def last_visit(directory: Path, number: int) -> Visit | None:
    """The last visit of a segment, of a sealed one without its links and text; None if there is none."""
    try:
        with segments.Segment(files.sealed(directory, number)) as segment:
            table = segment.table(len(segment.group_rows) - 1, ("stamp",))
            return segment.visits(table.slice(table.num_rows - 1))[0]
    except FileNotFoundError:
        pass
    path = files.tail(directory, number)
    tail = tails.whole(path) if path.exists() else None
    return frames.decode(tail.last, path) if tail and tail.rows else None
