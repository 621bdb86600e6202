"""How many waiting links of which promise could be fetched soon, without looking at each link.

Promises are sorted into 128 classes, eight for each factor of two from 2^-16 to 1. Row 0 counts the
links of all hosts that have few of them. A host with many links, or one that rests for long, has a
row of its own, because within a given time it yields only as many links as its pace allows.

The rows are columns in a file, like everything else in the frontier (mapped.py).
"""

import math
from bisect import bisect_right
from collections.abc import Iterable
from pathlib import Path

import cython
import numpy as np
from numpy.typing import NDArray

from toponaut.frontier.mapped import Columns

if not cython.compiled:
    raise ImportError("toponaut is not compiled: run make setup, or reinstall it")

CLASSES = 128
_STEPS, _OCTAVES = 8, 16
_EDGES = [2.0 ** (k / _STEPS - _OCTAVES) for k in range(1, CLASSES)]  # between two classes
FLOORS: tuple[float, ...] = (-math.inf, *_EDGES)  # the lowest promise of each class
_EDGE_ARRAY = np.array(_EDGES)
_WIDTH = cython.declare(cython.Py_ssize_t, CLASSES)  # of a row
Counts = NDArray[np.float64]


def class_of(promise: float) -> int:
    """The class of a promise."""
    return bisect_right(_EDGES, promise)


def classes_of(promises: NDArray[np.float64]) -> NDArray[np.int64]:
    """The classes of promises: the same comparisons, so the same classes."""
    return np.searchsorted(_EDGE_ARRAY, promises, "right")


class Supply:
    """Counts of links by row and class. `owners`: the hosts that have a row, by their rows."""

    def __init__(self, directory: Path, rows: int, owners: dict[int, int]) -> None:
        self.rows = max(rows, 1)  # ever used; row 0 is shared
        self.owners = owners
        self._free = [row for row in range(1, self.rows) if row not in owners]
        self.columns = Columns(directory, "supply", {"links": "I"}, rows * CLASSES)
        self.columns.reserve(CLASSES)
        self._bind()

    def _bind(self) -> None:
        self._view = self.columns.views["links"]
        self._array = self.columns.arrays["links"]

    def reserve(self, rows: int) -> None:
        """Makes room for more rows, so that `new_row` cannot fail."""
        missing = rows - len(self._free)
        if missing > 0 and self.columns.reserve((self.rows + missing) * CLASSES):
            self._bind()

    def has_room(self) -> bool:
        """Whether there is room for another row."""
        return bool(self._free) or (self.rows + 1) * CLASSES <= self.columns.capacity

    def new_row(self, host: int, promises: Iterable[float]) -> int:
        """A row of its own for a host whose links counted in row 0. Needs room."""
        if self._free:
            row = self._free.pop()
        else:
            row = self.rows
            self.rows += 1
        self.owners[row] = host
        for promise in promises:
            self.add(0, promise, -1)
            self.add(row, promise)
        return row

    def free_row(self, row: int) -> None:
        """Gives back the row of a host that has no more links."""
        self._array[row * CLASSES : (row + 1) * CLASSES] = 0
        del self.owners[row]
        self._free.append(row)

    def add(self, row: int, promise: float, change: int = 1) -> None:
        """Counts a link."""
        self._view[row * CLASSES + bisect_right(_EDGES, promise)] += change

    def add_all(self, rows: NDArray[np.uint32], promises: NDArray[np.float64]) -> None:
        """Counts many links."""
        np.add.at(self._array, rows.astype(np.int64) * CLASSES + classes_of(promises), 1)

    def move(self, row: int, old: float, new: float) -> None:
        """A link has another promise now."""
        self.add(row, old, -1)
        self.add(row, new)

    def fetchable(
        self, rests: NDArray[np.float64], paces: NDArray[np.float64], seconds: float, growth: float
    ) -> Counts:
        """Links that can be fetched within `seconds`, by class: all of row 0, and of a host with a
        row as many as its pace allows.

        `rests`, `paces`: by host, the seconds until it may be asked, and those between two
        requests. `growth`: the factor by which waiting links are expected to grow.
        """
        link: cython.const[cython.uint][::1] = self._array
        rest: cython.const[cython.double][::1] = rests
        pace: cython.const[cython.double][::1] = paces
        horizon: cython.double = seconds
        factor: cython.double = growth
        capped = np.zeros(CLASSES)  # links of a class or a better one
        total: cython.double[::1] = capped
        links: cython.double
        most: cython.double
        row: cython.Py_ssize_t
        k: cython.Py_ssize_t
        host: cython.Py_ssize_t
        for host, row in enumerate(self.owners):
            most = math.inf
            if rest[host] > horizon:
                most = 0.0
            elif pace[host] > 0.0:
                most = (horizon - rest[host]) / pace[host] + 1.0
            links = 0.0
            for k in range(_WIDTH - 1, -1, -1):
                links += link[row * _WIDTH + k]
                total[k] += min(factor * links, most)
        found: Counts = -np.diff(capped, append=0.0) + growth * self._array[:CLASSES]
        return found
