"""The price: the promise that a link needs to be worth a request now.

A crawl has a budget of requests, and a host is asked only once in a while. A crawl that takes the
best link of any *ready* host spends its budget on bad links while the best hosts rest. So it looks
ahead over a horizon of T seconds (limits.seconds if the job sets it, otherwise limits.patience):

    supply(p) = sum over hosts of min(g * links with a promise of at least p, 1 + (T - rest) / pace)
    price     = the highest p with supply(p) >= requests left

g is the expected growth: pages to come will bring as many links, as good, as those so far. After n
requests with m left, g = (n + m) / n. With a time limit g is 1: there may be no time for them.

That is the price of a whole crawl. It says which links are worth a request, but not when: with many
slots all of them would be asked at once, and the best host gives only one page a second. A crawl
that spreads its requests evenly over S = T / 2 is in no hurry: after t seconds, (n + m) (t + h) / S
- n are due within the next h. Where these can go to better links, nothing else need be asked now:

    supply_h(p) = sum over hosts of min(links with a promise of at least p, 1 + (h - rest) / pace)
    price       = at least the highest p with supply_h(p) >= requests due within h, and >= 1

So a crawl asks its best links first, as with one request at a time. If it is late, more are due and
the price falls. h is ten turns of a host: ten delays. Without a delay there is no such price.

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
_TURNS = 10  # of a host, in the near horizon
_SPREAD = 0.5  # the share of the time over which requests are spread: links found late need time
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
        self,
        frontiers: Sequence[Frontier],
        patience: float,
        delay: float,
        seed: int,
        spreads: bool = True,
    ) -> None:
        """`spreads`: the requests over the time; False: somebody else does."""
        self.level = NO_PRICE
        self._frontiers = frontiers
        self._patience, self._delay = patience, delay
        self._near = min(_TURNS * delay, patience) if spreads else 0.0  # seconds
        self._began: tuple[float, int] | None = None  # the time, and the requests made before
        self.found_again_at = math.inf  # then the price may have fallen: more requests are due
        self._salt = fingerprint(f"explore {seed}")
        self._taken = self._fresh_until = 0  # numbers of requests
        self.elsewhere: Counts = np.zeros(CLASSES)  # on a cluster: the supply of other actors
        self.elsewhere_soon: Counts = np.zeros(CLASSES)  # and that up to the near horizon
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

    def is_old(self, now: float) -> bool:
        return self._taken >= self._fresh_until or now >= self.found_again_at

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
        if self._near and self.level > NO_PRICE:
            due = self._due(made + in_flight, requests, left, now)
            self.level = max(self.level, price_of(self.supply_soon(now) + self.elsewhere_soon, due))
        self.found_again_at = now + self._near if self._near else math.inf
        soon = min(self._taken, requests) // _SHARE
        self._fresh_until = self._taken + int(min(max(soon, 1), _MOST))

    def supply(self, left: Left, now: float, growth: float = 1.0) -> Counts:
        """The links here that can be fetched before the horizon, by class of promise."""
        seconds = left.seconds if left.seconds < math.inf else self._patience
        counts = (one.fetchable(now, seconds, self._delay, growth) for one in self._frontiers)
        return sum(counts, np.zeros(CLASSES))

    def _due(self, made: int, requests: float, left: Left, now: float) -> float:
        """The requests that are due up to the near horizon, at least one."""
        began, before = self._began = self._began or (now, made)
        passed, made = now - began, made - before
        seconds = left.seconds + passed if left.seconds < math.inf else self._patience
        share = min((passed + self._near) / max(_SPREAD * seconds, self._near), 1.0)
        return max((made + requests) * share - made, 1.0)

    def supply_soon(self, now: float) -> Counts:
        """The links here that can be fetched up to the near horizon, by class of promise."""
        counts = (one.fetchable(now, self._near, self._delay) for one in self._frontiers)
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
