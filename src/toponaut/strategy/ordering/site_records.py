"""What came of the links to a site, and of the links from it: how many were followed, how many led to relevant pages.

Sites are registered domains, and kept by 20 bits of their hash: two tables of 8 MB whatever the size of the crawl. Of a
million sites some share a cell; most of them were seen once, so that a shared cell hardly changes.
"""

import math

import numpy as np
from numpy.typing import NDArray

from toponaut.places.names.tokens import Index

_BITS = 20
CELLS = 1 << _BITS
# A site counts as if this many of its links had been followed before, with the success of the whole crawl. Less, and one
# relevant page would make a site the best of all; more, and a site would have to be read through to be believed.
_BEFORE = 3.0
_MOST = 4.0  # log-odds apart from the crawl's own


def cell_of(mark: int) -> int:
    """The cell for the fingerprint of a site's name."""
    return mark >> (64 - _BITS)


class SiteRecords:
    """One table: followed and relevant, by cell."""

    def __init__(self) -> None:
        self._counts: NDArray[np.uint32] = np.zeros((CELLS, 2), np.uint32)
        self._all = [0, 0]  # followed and relevant, in all

    def add(self, cell: int, relevant: bool) -> None:
        self._counts[cell] += np.array([1, relevant], np.uint32)
        self._all[0] += 1
        self._all[1] += relevant

    def odds(self, cells: Index) -> NDArray[np.float64]:
        """How much better than the whole crawl each site did, as log-odds; 0 for one that was never seen."""
        followed, relevant = self._counts.take(cells, axis=0).T
        usual = self._usual()
        share = (relevant + _BEFORE * usual) / (followed + _BEFORE)
        odds = np.log(share / (1 - share)) - np.log(usual / (1 - usual))
        return np.asarray(
            np.minimum(np.maximum(odds, -_MOST), _MOST)
        )  # a third of the time of np.clip

    def odds_of(self, cell: int) -> float:
        """The same for one site."""
        followed, relevant = self._counts[cell].tolist()
        usual = self._usual()
        share = (relevant + _BEFORE * usual) / (followed + _BEFORE)
        odds = math.log(share / (1 - share)) - math.log(usual / (1 - usual))
        return min(max(odds, -_MOST), _MOST)

    def _usual(self) -> float:
        """The success of the whole crawl; one in 25 before the first page, as lookahead has it."""
        return (self._all[1] + 1) / (self._all[0] + 25)

    def saved(self) -> tuple[bytes, bytes]:
        cells = self._counts[:, 0].nonzero()[0]
        return cells.astype("<u4").tobytes(), self._counts[cells].astype("<u4").tobytes()

    def restore(self, saved: tuple[bytes, bytes]) -> None:
        """Takes over what was counted. A ValueError says that it cannot be."""
        cells, counts = np.frombuffer(saved[0], "<u4"), np.frombuffer(saved[1], "<u4")
        if len(counts) != 2 * len(cells) or (cells >= CELLS).any():
            raise ValueError("its tables do not fit together")
        self._counts[:] = 0
        self._counts[cells] = counts.reshape(-1, 2)
        self._all = self._counts.sum(axis=0, dtype=np.int64).tolist()
