"""Two counts for each of many hosts or sites, in cells by the hash of their names."""

import cython
import numpy as np

if not cython.compiled:
    raise ImportError("toponaut is not compiled: run make setup, or reinstall it")


@cython.cclass
class CellCounts:
    """Pairs of counts. Names that share a cell are rare enough."""

    _bits: cython.int
    _pairs: cython.uint[:, ::1]

    def __init__(self, bits: int) -> None:
        self._bits = bits
        self._pairs = np.zeros((1 << bits, 2), np.uint32)

    def cell(self, mark: cython.ulonglong) -> int:
        """The cell for the fingerprint of a name."""
        return mark >> (64 - self._bits)

    def add(self, cell: cython.Py_ssize_t, column: cython.Py_ssize_t) -> None:
        """Count one more."""
        self._pairs[cell, column] += 1

    def pair(self, cell: cython.Py_ssize_t) -> tuple[int, int]:
        return self._pairs[cell, 0], self._pairs[cell, 1]

    def totals(self) -> list[int]:
        """Both counts of all cells together."""
        totals: list[int] = np.asarray(self._pairs).sum(axis=0, dtype=int).tolist()
        return totals

    def saved(self) -> tuple[bytes, bytes]:
        table = np.asarray(self._pairs)
        cells = np.flatnonzero(table.any(axis=1))
        return cells.astype("<u4").tobytes(), table[cells].astype("<u4").tobytes()

    def restore(self, saved: tuple[bytes, bytes]) -> None:
        """Take over saved counts. Raises ValueError if they are damaged."""
        cells, pairs = np.frombuffer(saved[0], "<u4"), np.frombuffer(saved[1], "<u4")
        table = np.zeros((1 << self._bits, 2), np.uint32)
        if len(pairs) != 2 * len(cells) or (cells >= len(table)).any():
            raise ValueError("its tables do not fit together")
        table[cells] = pairs.reshape(-1, 2)
        self._pairs = table
