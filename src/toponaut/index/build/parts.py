"""The files of an index's table, each with the rows of some pages that follow one another:

    000000000000.arrays  000000020000.arrays  ...        named by the number of their first page

Every commit adds one, and an index that is kept fresh beside a crawl commits every few seconds. What opening takes grows with the number of
files (0.1 ms for each), so they are merged as the digits of a counter are carried: ten that end the table, none of them
with 10^k pages, become one. A table of a million pages has 54 at most.

A merged file has the name of the first that is in it, and takes its place at once. What is left of the others, should the process
be killed before they are removed, lies within it and is not read.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from toponaut.places.gazetteer import arrays

Part = dict[str, NDArray[Any]]
_CARRY = 10
_END = (
    "_end"  # of a column's name: where the rows of each page end in a longer column, counted from the file's own first
)


def write(folder: Path, first: int, columns: Part) -> None:
    """The rows of the pages from number `first` on."""
    arrays.write(_path(folder, first), columns)


def cut(folder: Path, pages: int) -> None:
    """Removes what an interrupted run has added behind the first so many pages."""
    for path in _paths(folder):
        if _first(path) >= pages:
            path.unlink()


def opened(folder: Path) -> list[Part]:
    """All files, in their order."""
    while True:
        try:
            return [part for _, part in _opened(folder)]
        except FileNotFoundError:  # it was merged into another since the folder was listed
            continue


def _opened(folder: Path) -> list[tuple[Path, Part]]:
    found, pages = [], 0
    for path in _paths(folder):
        if _first(path) >= pages:  # else it is in the one before
            part = arrays.open_mapped(path)
            found.append((path, part))
            pages = _first(path) + _rows(part)
    return found


def merge(folder: Path) -> None:
    """Merges the last files, if they are many and small. For the one that writes."""
    there = _opened(folder)
    ending = _to_merge([_rows(part) for _, part in there])
    if ending:
        merged = there[-ending:]
        first = merged[0][0]
        arrays.write(first, _joined([part for _, part in merged]))
        for path in _paths(folder):
            if path > first:
                path.unlink()


def _to_merge(sizes: Sequence[int]) -> int:
    """How many of the files at the end become one."""
    below = 1
    while below <= max(sizes, default=0):
        below *= _CARRY
        small = next((k for k, size in enumerate(reversed(sizes)) if size >= below), len(sizes))
        if small >= _CARRY:
            return small
    return 0


def _joined(parts: Sequence[Part]) -> Part:
    return {name: ends(parts, name) if name.endswith(_END) else column(parts, name) for name in parts[0]}


def column(parts: Sequence[Part], name: str) -> NDArray[Any]:
    """A column of all files."""
    return parts[0][name] if len(parts) == 1 else np.concatenate([part[name] for part in parts])


def ends(parts: Sequence[Part], name: str) -> NDArray[np.int64]:
    """The same of one that says where rows end, counted from the first row of all."""
    offsets = np.cumsum([0, *(int(part[name][-1]) if len(part[name]) else 0 for part in parts)])
    return np.concatenate([part[name] + offset for part, offset in zip(parts, offsets, strict=False)])


def _rows(part: Part) -> int:
    return len(part["url"])


def _first(path: Path) -> int:
    return int(path.stem)


def _path(folder: Path, first: int) -> Path:
    return folder / f"{first:012}.arrays"


def _paths(folder: Path) -> list[Path]:
    return sorted(folder.glob("*.arrays"))
