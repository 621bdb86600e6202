"""How likely a request to a host brings a page, by its earlier requests (for combined.py).

A promise is about pages that arrive. A host is broken with the chance BROKEN: then nothing arrives.
Else a page arrives with the chance ARRIVES. After k failures and no page

    P(sound | k) = (1 - BROKEN) (1 - ARRIVES)^k / ((1 - BROKEN) (1 - ARRIVES)^k + BROKEN)

    k                 0     1     2     3     4      5       8        12
    P(k) / P(0)       1     .83   .45   .14   .031   .0064   .00005   .0000001

so a promise is below any price after a few. With n pages and k failures it is a usual share,
(n + 4) / (n + k + 5), relative to ARRIVES and at most 1.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from toponaut.urls import fingerprint, host_of

BROKEN, ARRIVES = 0.05, 0.8
_BEFORE = 5  # pages that a host starts with in the second formula, ARRIVES of them good
_BITS = 18  # of the hash of a host: 1 MB
_CELLS = 1 << _BITS
_MOST = 65_535


def arrival_factor(arrived: int, failed: int) -> float:
    """The factor on the promises of a host's links."""
    if arrived:
        share = (arrived + _BEFORE * ARRIVES) / (arrived + failed + _BEFORE)
        return min(share / ARRIVES, 1.0)
    sound = (1 - BROKEN) * (1 - ARRIVES) ** failed
    return sound / (sound + BROKEN) / (1 - BROKEN)


class Arrivals:
    """Pages and failures of hosts."""

    def __init__(self) -> None:
        self._counts: NDArray[np.uint16] = np.zeros((_CELLS, 2), np.uint16)

    def add(self, url: str, came: bool) -> None:
        """Count a request to the host of a URL."""
        cell, column = _cell(host_of(url)), 0 if came else 1
        self._counts[cell, column] = min(int(self._counts[cell, column]) + 1, _MOST)

    def factor(self, url: str) -> float:
        """The factor on the promise of a link; 1 for a new host."""
        arrived, failed = self._counts[_cell(host_of(url))].tolist()
        return arrival_factor(arrived, failed) if failed else 1.0

    def factors(self, urls: Sequence[str]) -> NDArray[np.float64]:
        """The same for many links."""
        hosts = [host_of(url) for url in urls]
        known = {host: self.factor(f"http://{host}/") for host in dict.fromkeys(hosts)}
        return np.array([known[host] for host in hosts])

    def saved(self) -> tuple[bytes, bytes]:
        cells = np.flatnonzero(self._counts.any(axis=1))
        return cells.astype("<u4").tobytes(), self._counts[cells].astype("<u2").tobytes()

    def restore(self, saved: tuple[bytes, bytes]) -> None:
        """Take over saved counts. Raises ValueError if they are damaged."""
        cells, counts = np.frombuffer(saved[0], "<u4"), np.frombuffer(saved[1], "<u2")
        if len(counts) != 2 * len(cells) or (cells >= _CELLS).any():
            raise ValueError("its tables do not fit together")
        self._counts[:] = 0
        self._counts[cells] = counts.reshape(-1, 2)


def _cell(host: str) -> int:
    return fingerprint(host) >> (64 - _BITS)
