"""What the driver and the actors tell each other several times a second, and the page budget.

A driver is one run of the command, with an epoch. If two drivers run the same crawl, the actors
follow the later one, and report that to the other.
"""

import os
import socket
from collections.abc import Mapping

from msgspec import Struct

from toponaut.cluster.exchange import ActorLayout
from toponaut.crawl.progress import NodeFigures, Progress, Totals, progress_of

DRIVER = "driver"  # the name of its epochs
_SHARE = 4  # each grant is a quarter of an actor's even share, so that all finish together


class DriverIdentity(Struct, frozen=True):
    """One run of the command."""

    epoch: int
    host: str
    process: int

    @classmethod
    def here(cls, epoch: int) -> "DriverIdentity":
        return cls(epoch, socket.gethostname(), os.getpid())

    @property
    def name(self) -> str:
        return f"process {self.process} on {self.host}"

    def is_gone(self) -> bool:
        """Whether its process has ended; always False for another machine."""
        if self.host != socket.gethostname():
            return False
        try:
            os.kill(self.process, 0)
        except ProcessLookupError:
            return True
        except PermissionError:
            pass
        return False


class DriverContact(Struct, frozen=True):
    """The driver that an actor follows, and the seconds since its last call."""

    by: DriverIdentity
    ago: float


class DriverOrder(Struct, frozen=True):
    """The driver's call to an actor."""

    driver: DriverIdentity
    allowed: int | None = None  # pages it may have fetched in total; -1: no limit; None: as before
    reclaim: bool = False  # take back the pages that it does not use
    market: "Market | None" = None


class Market(Struct, frozen=True):
    """What an actor must know of the whole crawl to find the price of a request."""

    others: Totals  # of all other actors
    seconds: float  # since the crawl began
    elsewhere: tuple[float, ...]  # links that other actors could fetch, by class of promise
    elsewhere_soon: tuple[float, ...] = ()  # up to the near horizon of the price


class MarketOffer(Struct, frozen=True):
    """What an actor has for the market."""

    supply: tuple[float, ...] = ()  # links that it could fetch, by class of promise
    soon: tuple[float, ...] = ()  # up to the near horizon of the price
    price: float = 0.0
    waits: bool = False  # none of its links reaches the price


class ActorReport(Struct, frozen=True):
    """The state of an actor."""

    actor: str
    epoch: int
    idle: bool
    activity: int  # counts all events: unchanged means that nothing happened
    allowed: int  # pages that it may have fetched
    figures: NodeFigures
    time: float
    trouble: str = ""
    offer: MarketOffer = MarketOffer()

    @property
    def needs_none(self) -> bool:
        """Whether it has no use for pages."""
        return self.idle or self.offer.waits

    @property
    def totals(self) -> Totals:
        return self.figures.totals


class ActorReply(Struct, frozen=True):
    """An actor's answer to an order. It is empty while the actor starts and reads the logs."""

    report: ActorReport | None = None
    trouble: str = ""  # why it could not start
    taken_over: str = ""  # the other driver that it follows


def progress_of_actors(
    reports: Mapping[str, ActorReport], layout: ActorLayout, seconds: float
) -> Progress:
    """The progress of a crawl on a cluster, from the latest reports of its actors."""
    figures = [reports[actor].figures for actor in layout.actors if actor in reports]
    time = max((one.time for one in reports.values()), default=0.0)
    price = max((one.offer.price for one in reports.values()), default=0.0)
    return progress_of(figures, time, seconds, price)


def market_for(actor: str, reports: Mapping[str, ActorReport], seconds: float) -> Market:
    """The market of one actor. `seconds`: since the crawl began."""
    others = [report for name, report in reports.items() if name != actor]
    totals = Totals()
    for report in others:
        totals.add_totals(report.totals)
    supply = zip(*(report.offer.supply for report in others), strict=True)
    soon = zip(*(report.offer.soon for report in others), strict=True)
    return Market(totals, seconds, tuple(map(sum, supply)), tuple(map(sum, soon)))


class PageBudget:
    """The job's page limit, granted to actors in parts: all grants together never exceed it.

    `limit`: 0 for no limit. `pages`: pages that each actor has fetched, in all its lives.
    """

    def __init__(self, limit: int, pages: Mapping[str, int]) -> None:
        self._limited = limit > 0
        self._granted = dict(pages)
        self._pool = max(limit - sum(pages.values()), 0)

    def grant(self, actor: str, kept: int, pages: int, idle: bool) -> int:
        """The pages that an actor may have fetched in total; -1: no limit.

        `kept`: the rest of its last grant, after it returned what it did not need.
        """
        if not self._limited:
            return -1
        self._pool += self._granted[actor] - kept
        more = min(max(self._pool // (_SHARE * len(self._granted)), 1), self._pool)
        if idle or kept - pages >= more:
            more = 0
        self._pool -= more
        self._granted[actor] = kept + more
        return self._granted[actor]

    def is_spent(self, pages: Mapping[str, int]) -> bool:
        """Whether all pages of the limit are fetched."""
        return (
            self._limited
            and self._pool == 0
            and all(pages[actor] >= many for actor, many in self._granted.items())
        )
