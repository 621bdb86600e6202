"""The drive of an actor, and what it may fetch: pages that the driver grants, at one price for all.

The price depends on the whole crawl: what all actors have fetched, what is left of the limits, and
the links that others could fetch. The driver reports that to each actor (`Market`). An actor whose
links are all below the price waits and returns its pages, as a node of one process would.
"""

import math
import time as system_time
from collections.abc import Callable

from toponaut.cluster.reports import Market, MarketOffer
from toponaut.crawl.drive import LiveDrive
from toponaut.crawl.limits import limits_left
from toponaut.crawl.price import NO_PRICE, Left
from toponaut.crawl.progress import Totals
from toponaut.frontier.supply import Counts, class_of
from toponaut.job import LimitsSection
from toponaut.node import Node
from toponaut.timing import RunningSimulatedTime
from toponaut.web.politeness.leases import LeasedClocks

LEASE_TICK_S = 0.02  # between two questions to keepers
_ORPHAN_S = 60.0  # without a call of the driver: a forgotten crawl takes no more links


class GrantedPages:
    """The allowance of an actor: the pages that the driver grants it, while the driver calls."""

    def __init__(self, limits: LimitsSection, totals: Totals) -> None:
        self._limits, self._totals = limits, totals
        self.pages = totals.pages  # in all lives; -1: no limit
        self.market: Market | None = None
        self.heard = system_time.monotonic()  # from the driver

    def has_room(self, in_flight: int) -> bool:
        if system_time.monotonic() - self.heard >= _ORPHAN_S:
            return False
        return self.pages < 0 or self._totals.pages + in_flight < self.pages

    def reached(self) -> str:
        """The driver decides when to stop."""
        return ""

    def left(self) -> Left:
        """Of the whole crawl: grants are portions of it."""
        if self.market is None:
            return Left(math.inf, math.inf)
        return limits_left(self._limits, self.totals_of_all(), self.market.seconds)

    def totals_of_all(self) -> Totals:
        """The totals of the whole crawl."""
        totals = Totals()
        totals.add_totals(self._totals)
        if self.market:
            totals.add_totals(self.market.others)
        return totals


class ActorDrive(LiveDrive):
    """The drive of an actor: it never runs out of links, because others may send some."""

    def __init__(
        self,
        node: Node,
        granted: GrantedPages,
        clocks: LeasedClocks,
        settled: Callable[[], None],
    ) -> None:
        super().__init__([node], granted, settled)
        self._granted, self._clocks = granted, clocks

    def _find_price(self) -> None:
        granted = self._granted
        self._price.find(granted.left(), granted.totals_of_all(), self._time.now())

    def offer(self) -> MarketOffer:
        """What this actor could fetch. If no link reaches the price, the price is found again:
        without pages to fetch nothing else does that, and all actors could wait for each other.
        """
        price, now = self._price, self._time.now()
        if not price.waits:
            return MarketOffer()
        supply, soon = price.supply(self._granted.left(), now), price.supply_soon(now)
        if waits := self._waits(supply):
            self._find_price()
            waits = self._waits(supply)
        level = max(price.level, 0.0)
        return MarketOffer(tuple(supply.tolist()), tuple(soon.tolist()), level, waits)

    def _waits(self, supply: Counts) -> bool:
        level = self._price.level
        return level > NO_PRICE and not self.in_flight and not supply[class_of(level) :].any()

    def _pause(self, ready_at: float | None) -> float:
        if isinstance(self._time, RunningSimulatedTime):
            if ready_at is None or self.in_flight or self._clocks.waits:
                return 1.0
            self._time.advance_to(ready_at)
            return 0.001
        soonest = LEASE_TICK_S if self._clocks.crowded() else 0.001
        return 1.0 if ready_at is None else min(max(ready_at - self._time.now(), soonest), 1.0)
