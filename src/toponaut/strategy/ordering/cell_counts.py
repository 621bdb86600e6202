"""Two counts for each of many hosts or sites, in cells by the hash of their names."""

import numpy as np
from numpy.typing import NDArray


class CellCounts:
    """Pairs of counts. Names that share a cell are rare enough."""

    def __init__(self, bits: int) -> None:
        self._bits = bits
        self.pairs: NDArray[np.uint32] = np.zeros((1 << bits, 2), np.uint32)

    def cell(self, mark: int) -> int:
        """The cell for the fingerprint of a name."""
        return mark >> (64 - self._bits)

    def pair(self, cell: int) -> tuple[int, int]:
        first, second = self.pairs[cell].tolist()
        return first, second

    def saved(self) -> tuple[bytes, bytes]:
        cells = np.flatnonzero(self.pairs.any(axis=1))
        return cells.astype("<u4").tobytes(), self.pairs[cells].astype("<u4").tobytes()

    def restore(self, saved: tuple[bytes, bytes]) -> None:
        """Take over saved counts. Raises ValueError if they are damaged."""
        cells, pairs = np.frombuffer(saved[0], "<u4"), np.frombuffer(saved[1], "<u4")
        if len(pairs) != 2 * len(cells) or (cells >= len(self.pairs)).any():
            raise ValueError("its tables do not fit together")
        self.pairs[:] = 0
        self.pairs[cells] = pairs.reshape(-1, 2)
