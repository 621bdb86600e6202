"""How likely a request to a host brings a page, by its earlier requests (for combined.py).

A promise is about pages that arrive. A host is sound with the chance S: then a page arrives with
the chance ARRIVES. Else nothing arrives. After k failures and no page

    P(sound | k) = S (1 - ARRIVES)^k / (S (1 - ARRIVES)^k + 1 - S)

    k                       0     1     2     3     4      5       8        12
    P(k) / SOUND, S = .95   1     .83   .45   .14   .031   .0064   .00005   .0000001

so a promise is below any price after a few. With n pages and k failures it is a usual share,
(n + 4) / (n + k + 5), relative to ARRIVES and at most 1.

S begins at SOUND and is learned from the first requests to the hosts that links lead to: where a
page came from n of m, S = (n + 10 SOUND ARRIVES) / (m + 10) / ARRIVES, at most SOUND. So a crawl
whose links out of known hosts fail soon stays on these.
"""

import msgspec

from toponaut.strategy.ordering.cell_counts import CellCounts
from toponaut.urls import fingerprint

SOUND, ARRIVES = 0.95, 0.8
_BEFORE = 5  # pages that a host starts with in the second formula, ARRIVES of them good
_HOSTS_BEFORE = 10  # hosts that S starts with
_BITS = 18  # of the hash of a host: 2 MB


class ArrivalsState(msgspec.Struct, frozen=True):
    """The counts of hosts, and of first requests to those that links lead to."""

    hosts: tuple[bytes, bytes]
    firsts: int
    arrived: int


def arrival_factor(arrived: int, failed: int, sound: float = SOUND) -> float:
    """The factor on the promises of a host's links."""
    if arrived:
        share = (arrived + _BEFORE * ARRIVES) / (arrived + failed + _BEFORE)
        return min(share / ARRIVES, 1.0)
    still = sound * (1 - ARRIVES) ** failed
    return still / (still + 1 - sound) / SOUND


def sound_share(firsts: int, arrived: int) -> float:
    """The chance that a new host is sound: of so many first requests these brought a page."""
    share = (arrived + _HOSTS_BEFORE * SOUND * ARRIVES) / (firsts + _HOSTS_BEFORE)
    return min(share / ARRIVES, SOUND)


class Arrivals:
    """Pages and failures of hosts."""

    def __init__(self) -> None:
        self._hosts = CellCounts(_BITS)
        self._firsts = self._arrived = 0

    def add(self, host: str, came: bool, by_link: bool = True) -> None:
        """Count a request to a host, by a link or to a seed."""
        cell = self._cell(host)
        if by_link and self._hosts.pair(cell) == (0, 0):
            self._firsts += 1
            self._arrived += came
        self._hosts.add(cell, 0 if came else 1)

    def factor(self, host: str) -> float:
        """The factor on the promises of a host's links; 1 for a new host if new hosts answer."""
        arrived, failed = self._hosts.pair(self._cell(host))
        if arrived and not failed:
            return 1.0
        return arrival_factor(arrived, failed, sound_share(self._firsts, self._arrived))

    def _cell(self, host: str) -> int:
        return self._hosts.cell(fingerprint(host))

    def saved(self) -> ArrivalsState:
        return ArrivalsState(self._hosts.saved(), self._firsts, self._arrived)

    def restore(self, saved: ArrivalsState) -> None:
        """Take over saved counts. Raises ValueError if they are damaged."""
        self._hosts.restore(saved.hosts)
        self._firsts, self._arrived = saved.firsts, saved.arrived
