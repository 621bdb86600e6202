"""File names of a node's log, and durable renames.

    000000.parquet  000001.parquet  000002.tail  000003.tail

Segments are numbered in the order of their visits. Each starts as a tail and becomes Parquet when
it is sealed; the newest tail grows. A file is written as *.part, synced, renamed, and then its
directory is synced: without that, a power cut could undo the rename.
"""

import os
import re
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from itertools import count
from pathlib import Path
from urllib.parse import quote

from toponaut.errors import InputError
from toponaut.store.disk import sync_directory

_SEGMENT = re.compile(r"(\d{6,})\.(?:tail|parquet)")
_ASIDE = re.compile(r"\.(?:torn|parquet\.damaged\d*)$")


class DamagedLogError(InputError):
    """A file of the log whose bytes have changed."""

    def __init__(self, path: Path | str, why: str) -> None:
        super().__init__(
            f"{path} is damaged: {why}",
            "All other files of the log are safe. Restore this file from a copy, or run "
            "`toponaut check DIR --repair`: it keeps what is readable, and resuming the crawl "
            "fetches the lost pages again",
        )
        self.why = why


def directory_of(logs: Path, node: str) -> Path:
    """The directory of a node's log."""
    return logs / folder_of(node)


def folder_of(node: str) -> str:
    """The folder name of a node's log: the node's name, percent-encoded where necessary."""
    name = quote(node, safe=" +,@")
    return name if name.strip(".") else name.replace(".", "%2E") or "%"


def tail(directory: Path, number: int) -> Path:
    """The path of a segment that is not sealed yet."""
    return directory / f"{number:06}.tail"


def sealed(directory: Path, number: int) -> Path:
    """The path of a sealed segment."""
    return directory / sealed_name(number)


def sealed_name(number: int) -> str:
    return f"{number:06}.parquet"


def torn(directory: Path, number: int) -> Path:
    """Where the torn end of a tail is kept after it was cut off."""
    return directory / f"{number:06}.torn"


def set_aside(path: Path) -> Path:
    """The new name for a damaged segment: one that no earlier one has."""
    names = (path.with_name(f"{path.name}.damaged{k or ''}") for k in count())
    return next(name for name in names if not name.exists())


def losses(directory: Path) -> list[tuple[str, int]]:
    """Numbers without a segment, and files with lost bytes: new ones mean that visits are lost."""
    present = numbers(directory)
    gaps = sorted(set(range(present[-1])) - set(present)) if present else []
    aside = [(name, size) for name, size in listing(directory) if _ASIDE.search(name)]
    return [*((f"{number:06}", 0) for number in gaps), *aside]


def numbers(directory: Path, end: int | None = None) -> list[int]:
    """The numbers of the segments, oldest first; only those below `end`, if given."""
    try:
        names = [path.name for path in directory.iterdir()]
    except FileNotFoundError:
        return []
    except OSError as error:
        raise unreadable(directory, error) from error
    return numbers_in(names, end)


def numbers_in(names: Iterable[str], end: int | None = None) -> list[int]:
    """The same for a list of file names."""
    present = {int(found[1]) for name in names if (found := _SEGMENT.fullmatch(name))}
    return sorted(number for number in present if end is None or number < end)


def listing(directory: Path) -> list[tuple[str, int]]:
    """Files and sizes: if the listing is the same, nothing was written. May be empty briefly."""
    try:
        with os.scandir(directory) as entries:
            return sorted((entry.name, entry.stat().st_size) for entry in entries)
    except OSError:
        return []


def size(directory: Path, end: int | None = None) -> int:
    """Bytes of all segments. A segment being sealed may be counted in both forms."""
    total = 0
    for number in numbers(directory, end):
        for path in (tail(directory, number), sealed(directory, number)):
            with suppress(FileNotFoundError):
                total += path.stat().st_size
    return total


def part(path: Path) -> Path:
    """The name of a file while it is being written."""
    return path.with_name(path.name + ".part")


def publish(path: Path) -> None:
    """Renames a complete and synced *.part file to its final name, durably."""
    part(path).replace(path)
    sync_directory(path.parent)


@contextmanager
def writing(path: Path | str) -> Iterator[None]:
    """Reports a failed write as an InputError."""
    try:
        yield
    except OSError as error:
        raise InputError(
            f"the log cannot be written: {path}: {error.strerror or error}",
            "Nothing already written is lost. Free disk space or fix the permissions, then resume "
            "the crawl",
        ) from error


def unreadable(path: Path | str, error: Exception) -> InputError:
    """The error for a file that cannot be read at all."""
    return InputError(
        f"the log cannot be read: {path}: {getattr(error, 'strerror', None) or error}",
        "Fix the permissions or the disk",
    )


def damaged(path: Path | str, why: object) -> DamagedLogError:
    """The error for a segment whose bytes have changed."""
    lines = str(why).strip().splitlines() or ["unreadable"]
    return DamagedLogError(path, lines[0])
