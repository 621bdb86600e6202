"""The files of a node's log, and making their names last.

    000000.parquet  000001.parquet  000002.tail  000003.tail

Segments are numbered in the order of their visits. Each is a tail first and Parquet once sealed; the newest tail
grows. A file gets its name only when it is whole and on the disk: it is written as *.part, synced, renamed, and then
the directory is synced, for a rename that the directory has not written down is undone by a power cut.
"""

import os
import re
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from urllib.parse import quote

from toponaut.errors import InputError
from toponaut.store.disk import sync_directory

_SEGMENT = re.compile(r"(\d{6,})\.(?:tail|parquet)")


def directory_of(logs: Path, node: str) -> Path:
    """Where a node's log is."""
    return logs / folder_of(node)


def folder_of(node: str) -> str:
    """What the folder of a node's log is called. A name that cannot be a file's is percent-encoded."""
    name = quote(node, safe=" +,@")
    return name if name.strip(".") else name.replace(".", "%2E") or "%"


def tail(directory: Path, number: int) -> Path:
    """The path of a segment that is not sealed yet."""
    return directory / f"{number:06}.tail"


def sealed(directory: Path, number: int) -> Path:
    """The path of a sealed segment."""
    return directory / sealed_name(number)


def sealed_name(number: int) -> str:
    """What a sealed segment is called."""
    return f"{number:06}.parquet"


def torn(directory: Path, number: int) -> Path:
    """Where what was cut off a torn tail is kept."""
    return directory / f"{number:06}.torn"


def numbers(directory: Path, ends: int | None = None) -> list[int]:
    """The segments that are there, oldest first; those before `ends`, if that is given. A node that has not begun has none."""
    try:
        names = [path.name for path in directory.iterdir()]
    except FileNotFoundError:
        return []
    except OSError as error:
        raise unreadable(directory, error) from error
    return numbers_in(names, ends)


def numbers_in(names: Iterable[str], ends: int | None = None) -> list[int]:
    """The segments of these names."""
    there = {int(found[1]) for name in names if (found := _SEGMENT.fullmatch(name))}
    return sorted(number for number in there if ends is None or number < ends)


def listing(directory: Path) -> list[tuple[str, int]]:
    """The files with their sizes: where that is as it was, nothing was written. Empty while there is none, or one is just sealed."""
    try:
        with os.scandir(directory) as entries:
            return sorted((entry.name, entry.stat().st_size) for entry in entries)
    except OSError:
        return []


def size(directory: Path, ends: int | None = None) -> int:
    """The bytes of all segments. One that is sealed and removed meanwhile may be counted in either form."""
    total = 0
    for number in numbers(directory, ends):
        for path in (tail(directory, number), sealed(directory, number)):
            with suppress(FileNotFoundError):
                total += path.stat().st_size
    return total


def part(path: Path) -> Path:
    """What a file is called until it is whole."""
    return path.with_name(path.name + ".part")


def publish(path: Path) -> None:
    """Gives a file that is whole and synced its name, for good."""
    part(path).replace(path)
    sync_directory(path.parent)


@contextmanager
def writing(path: Path | str) -> Iterator[None]:
    """Turns what the system says about a failed write into words."""
    try:
        yield
    except OSError as error:
        raise InputError(
            f"the log cannot be written: {path}: {error.strerror or error}",
            "Nothing already written is lost. Make room or mend the permissions, then start the crawl again",
        ) from error


def unreadable(path: Path | str, error: Exception) -> InputError:
    """The message for a file that cannot be read at all."""
    return InputError(
        f"the log cannot be read: {path}: {getattr(error, 'strerror', None) or error}",
        "Mend the permissions or the disk",
    )


def damaged(path: Path | str, why: object) -> InputError:
    """The message for a segment whose bytes are not those that were written."""
    return InputError(
        f"{path} is damaged: {str(why).strip().splitlines()[0] if str(why).strip() else 'unreadable'}",
        "All other files of the log are safe. Put a copy of this one back, or move it out of the directory and start "
        "the crawl again: pages that only it tells of are fetched again where other pages link to them",
    )
