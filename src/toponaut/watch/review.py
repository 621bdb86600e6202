"""The review of a watch: once a day, the price of a visit and what is known of each kind of pages.

It is a note in the log, before it has any effect. So a watch that was killed continues with the
same schedule, and the log explains why a page was due when it was.
"""

from collections.abc import Mapping

import msgspec
import numpy as np
from msgspec import Struct

from toponaut.crawl.price import NO_PRICE, Price
from toponaut.crawl.progress import Totals
from toponaut.frontier import Frontier
from toponaut.frontier.supply import CLASSES, FLOORS
from toponaut.job import WatchSection
from toponaut.watch.budget import RequestBudget
from toponaut.watch.change_rate import RatePrior
from toponaut.watch.revisit_table import RevisitTable, Rows
from toponaut.watch.schedule import (
    ADAPTIVE,
    LEAST_CHANGE,
    SCHEDULES,
    Floats,
    WatchedPages,
    best_rates,
)

SAMPLE = 10_000  # pages from which prices are found; 2 % off at most
_NEW_SHARE = 0.5  # of requests that new links get at most, if their promises are no probabilities
_REVISIT_SHARE = 0.5  # of requests that known pages get at least: this is a watch
_NOTE = "review "


class Review(Struct, frozen=True):
    """The result of a review."""

    value: float  # lambda, or the factor of another schedule
    priors: tuple[RatePrior, ...]  # by kind of page
    per_day: int  # requests, for which `value` was found
    schedule: str

    @property
    def note(self) -> str:
        """What the log says."""
        return _NOTE + msgspec.json.encode(self).decode()


def review_in(detail: str) -> Review | None:
    """The review in a note of the log, if it is one."""
    if not detail.startswith(_NOTE):
        return None
    try:
        return msgspec.json.decode(detail.removeprefix(_NOTE), type=Review)
    except msgspec.DecodeError:  # of another version: the next review replaces it
        return None


def sampled(pages: RevisitTable, most: int = SAMPLE) -> slice:
    """Some rows, spread evenly over the table."""
    return slice(None, None, max(-(-pages.count // most), 1))


def watched_pages(pages: RevisitTable, rows: Rows, schedule: str) -> WatchedPages:
    """The columns that a schedule needs."""
    importance = pages.column("importance")[rows].astype(np.float64)
    changes = np.maximum(pages.unseen_rates(rows), LEAST_CHANGE)
    interval = np.ones(len(importance))
    if schedule in ADAPTIVE:
        interval = pages.column("interval")[rows].astype(np.float64)
    interest = pages.column("interest")[rows].astype(np.float64) if pages.interest else None
    return WatchedPages(importance, changes, interval, interest)


class Reviewer:
    """Finds the number of the schedule (lambda) at which pages and new links use up the budget."""

    def __init__(
        self,
        section: WatchSection,
        pages: RevisitTable,
        budget: RequestBudget,
        frontiers: Mapping[str, Frontier],
        price: Price,
        calibrated: bool,
    ) -> None:
        self._section, self._pages, self._budget = section, pages, budget
        self._frontiers, self._price, self._calibrated = frontiers, price, calibrated

    def review(self, now: float, in_frontier: int) -> Review:
        """Review all pages. `in_frontier`: how many of them wait in the frontiers."""
        pages, schedule = self._pages, self._section.schedule
        priors = pages.fitted_priors()
        if priors != pages.priors:
            pages.priors = priors
            pages.estimate(slice(None))
        some = watched_pages(pages, sampled(pages), schedule)
        share = pages.count / len(some.importance)
        least = _REVISIT_SHARE * self._budget.per_day
        others = self._new_links(now, in_frontier) + share * self._dated_visits()
        wanted = max(self._budget.per_day - others, least)
        value = SCHEDULES[schedule].find(some, wanted / share)
        return Review(value, priors, self._budget.per_day, schedule)

    def _dated_visits(self) -> float:
        """The changes of the sampled pages that sitemaps will tell in a day: each is a visit."""
        rows = sampled(self._pages)
        return float((self._pages.column("rate")[rows] - self._pages.unseen_rates(rows)).sum())

    def _new_links(self, now: float, in_frontier: int) -> float:
        """The links that the next day takes at the current price."""
        waiting = sum(len(frontier) for frontier in self._frontiers.values()) - in_frontier
        if not self._calibrated:
            return min(max(waiting, 0), _NEW_SHARE * self._budget.per_day)
        self._price.elsewhere = self._supply()
        self._price.find(self._budget.left(), Totals(), now)
        fetchable = self._price.supply(self._budget.left(), now)
        if self._price.level != NO_PRICE:
            fetchable = fetchable[FLOORS.index(self._price.level) :]
        return max(float(fetchable.sum()) - in_frontier, 0.0)

    def _supply(self) -> Floats:
        """The visits of a day that are worth each class of promises, and not the next better."""
        some = watched_pages(self._pages, sampled(self._pages, SAMPLE // 10), "")
        share = self._pages.count / len(some.importance)
        days = self._section.new_page_days
        wanted = [
            share * float(best_rates(some.importance, some.changes, floor * days).sum())
            for floor in FLOORS[1:]
        ]
        counts: Floats = np.zeros(CLASSES)
        counts[1:] = -np.diff(np.array([*wanted, 0.0]))
        return counts
