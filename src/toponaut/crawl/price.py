"""The price: the promise that a link needs to be worth a request now.

A crawl has a budget of requests, and a host is asked only once in a while. A crawl that takes the
best link of any *ready* host spends its budget on bad links while the best hosts rest. So it looks
ahead over a horizon of T seconds (limits.seconds if the job sets it, otherwise limits.patience):

    supply(p) = sum over hosts of min(g * links with a promise of at least p, 1 + T / pace)
    price     = the highest p with supply(p) >= requests left

g is the expected growth: pages to come will bring as many links, as good, as those so far. After n
requests with m left, g = (n + m) / n. With a time limit g is 1: there may be no time for them.

A link below the price waits, even if its host is ready and slots are free. The price falls as good
links run out, and rises as more are found. If all links together cannot use up the budget, there is
no price. A small share of requests explores: it may go to links below the price.

There is always a link at or above a fresh price, so a crawl that waits has something to wait for.
"""

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from toponaut.crawl.progress import Totals
from toponaut.frontier import Frontier
from toponaut.frontier.supply import CLASSES, FLOORS, Counts
from toponaut.job import Job
from toponaut.records import Outcome
from toponaut.strategy.ordering import Ordering
from toponaut.urls import fingerprint

NO_PRICE = -math.inf
PATIENCE_S = 3600.0  # of limits.patience = "auto"
# One request in fifty explores.
_EXPLORED = 0.02
# A price is found again after a twentieth of the requests made, or left, but at most after this
# many; and whenever no link reaches it.
_SHARE, _MOST = 20, 40
# Hosts counted apart per settled visit: what a new price costs is spread over that many.
_SUMMARIES = 500
# The first requests say little about how many of them bring a page.
_PRIOR_REQUESTS = 20
_NO_REQUEST = (Outcome.SEEDED, Outcome.CONTROL, Outcome.ROBOTS_FILE)


class Left(NamedTuple):
    """What is left of the limits of a crawl; infinity without a limit."""

    pages: float
    seconds: float


def patience_of(job: Job, ordering: Ordering) -> float:
    """Seconds that the crawl looks ahead; 0: it never waits for a better link."""
    limits = job.limits
    if limits.patience == "auto":
        bounded = limits.pages or limits.total_bytes
        return PATIENCE_S if ordering.calibrated and bounded else 0.0
    return float(limits.patience)


class Price:
    """The price for all nodes in a process."""

    def __init__(
        self, frontiers: Sequence[Frontier], patience: float, delay: float, seed: int
    ) -> None:
        self.level = NO_PRICE
        self._frontiers = frontiers
        self._patience, self._delay = patience, delay
        self._salt = fingerprint(f"explore {seed}")
        self._taken = self._fresh_until = 0  # numbers of requests
        self.elsewhere: Counts = np.zeros(CLASSES)  # on a cluster: the supply of other actors
        self._settled = self._sunk = 0  # visits since the price was found; links that sank by then

    @property
    def waits(self) -> bool:
        """Whether there is a price at all."""
        return self._patience > 0.0

    def took(self) -> None:
        """A request starts."""
        self._taken += 1

    def settled(self) -> None:
        """A visit ended: links were found, and pages count."""
        self._settled += 1

    def explores(self) -> bool:
        """Whether the next request may go below the price: decided by its number and the seed."""
        share = fingerprint(f"{self._salt} {self._taken}") / 2.0**64 if self.waits else 1.0
        return share < _EXPLORED

    def is_old(self) -> bool:
        return self._taken >= self._fresh_until

    def may_have_fallen(self, idle: bool) -> bool:
        """Whether it is worth finding it again when no link reaches it. `idle`: it must be."""
        summaries = sum(frontier.summaries for frontier in self._frontiers)
        enough = 0 if idle else summaries // _SUMMARIES
        return self._settled > enough or self._sunk != self._all_sunk()

    def _all_sunk(self) -> int:
        return sum(frontier.sunk.count for frontier in self._frontiers)

    def find(self, left: Left, totals: Totals, now: float) -> None:
        """Finds the price from all that waits."""
        self._settled, self._sunk = 0, self._all_sunk()
        in_flight = sum(frontier.busy for frontier in self._frontiers)
        made = _requests(totals)
        requests = max((left.pages - in_flight) / _pages_per_request(totals, made), 1.0)
        growth = 1.0 if left.seconds < math.inf else 1.0 + requests / max(made, 1)
        supply = self.supply(left, now, growth) + growth * self.elsewhere
        self.level = price_of(supply, requests)
        soon = min(self._taken, requests) // _SHARE
        self._fresh_until = self._taken + int(min(max(soon, 1), _MOST))

    def supply(self, left: Left, now: float, growth: float = 1.0) -> Counts:
        """The links here that can be fetched before the horizon, by class of promise."""
        seconds = left.seconds if left.seconds < math.inf else self._patience
        counts = (one.fetchable(now, seconds, self._delay, growth) for one in self._frontiers)
        return sum(counts, np.zeros(CLASSES))


def price_of(supply: Counts, requests: float) -> float:
    """The highest class of promises whose links, with all better ones, use up the requests."""
    enough = supply[:0:-1].cumsum() >= requests  # from the best class on, without class 0
    return FLOORS[CLASSES - 1 - int(enough.argmax())] if enough.any() else NO_PRICE


def _requests(totals: Totals) -> int:
    others = sum(totals.outcomes[outcome] for outcome in _NO_REQUEST)
    return max(totals.visits - others, totals.pages)


def _pages_per_request(totals: Totals, requests: int) -> float:
    return (totals.pages + _PRIOR_REQUESTS) / (requests + _PRIOR_REQUESTS)
