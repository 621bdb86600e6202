"""How likely a request to a host brings a page, by its earlier requests (for combined.py).

A promise is about pages that arrive. A host is broken with the chance BROKEN: then nothing arrives.
Else a page arrives with the chance ARRIVES. After k failures and no page

    P(sound | k) = (1 - BROKEN) (1 - ARRIVES)^k / ((1 - BROKEN) (1 - ARRIVES)^k + BROKEN)

    k                 0     1     2     3     4      5       8        12
    P(k) / P(0)       1     .83   .45   .14   .031   .0064   .00005   .0000001

so a promise is below any price after a few. With n pages and k failures it is a usual share,
(n + 4) / (n + k + 5), relative to ARRIVES and at most 1.
"""

from toponaut.strategy.ordering.cell_counts import CellCounts
from toponaut.urls import fingerprint

BROKEN, ARRIVES = 0.05, 0.8
_BEFORE = 5  # pages that a host starts with in the second formula, ARRIVES of them good
_BITS = 18  # of the hash of a host: 2 MB


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
        self.counts = CellCounts(_BITS)

    def add(self, host: str, came: bool) -> None:
        """Count a request to a host."""
        self.counts.add(self._cell(host), 0 if came else 1)

    def factor(self, host: str) -> float:
        """The factor on the promises of a host's links; 1 for a new host."""
        arrived, failed = self.counts.pair(self._cell(host))
        return arrival_factor(arrived, failed) if failed else 1.0

    def _cell(self, host: str) -> int:
        return self.counts.cell(fingerprint(host))
