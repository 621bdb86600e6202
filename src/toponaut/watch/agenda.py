"""Which pages are due, and their way into the frontier.

New links and known pages compete under one price. What a visit to a known page promises is

    value_of_visit / H        (schedule.py)

H is `watch.new_page_days`: a new relevant page is worth as much as a relevant page that has been
stale for H days. So lambda / H is a price for links, and the other way round. The price of the next
day (crawl/price.py) counts the links that wait and the visits that would be due at each price. A
page is due when its visit is worth lambda; then it becomes a link of the frontier.

Not all pages are looked at each time. A *review* computes when each page is due, and keeps the
fiftieth part that is due first; the next review comes when these are through. A page in trouble
(gone, moved, host silent) is due after 1, 2, 4, ... days, whatever it is worth; then the pages of
its site that have addresses are looked at, too, and when one of its pages has changed.

Everything here follows from the log, the job and the time: after a kill the agenda is folded anew.
A page that was put into the frontier and got lost there (its host was given up) is due again a day
later.
"""

import heapq
import math
from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from toponaut.crawl.price import NO_PRICE, Price
from toponaut.crawl.progress import Totals
from toponaut.frontier import Frontier
from toponaut.frontier.supply import CLASSES, FLOORS
from toponaut.job import WatchSection
from toponaut.records import JudgedPage, Outcome, Visit
from toponaut.watch.budget import RequestBudget
from toponaut.watch.facts import facts_of, is_same
from toponaut.watch.revisit_table import DAY_S, RevisitTable
from toponaut.watch.schedule import (
    ADAPTIVE,
    LEAST_CHANGE,
    SCHEDULES,
    Floats,
    WatchedPages,
    best_rates,
    staleness_of,
    value_of_visit,
)

_SHARE, _LEAST = 50, 1000  # pages that a review keeps: a fiftieth of all, but so many at least
_SAMPLE = 10_000  # pages from which prices are found; 2 % off at most
_NEW_SHARE = 0.5  # of requests that new links get at most, if their promises are no probabilities
_REVISIT_SHARE = 0.5  # of requests that known pages get at least: this is a watch
_MOST_A_DAY = 24.0  # visits to one page
_GOLDEN = 0.6180339887498949  # its multiples are spread evenly between whole numbers
_AT_ONCE = 256  # pages that one call puts into the frontier
_LAST = 2.0**32 - 1  # seconds are whole numbers of 32 bits, to the year 2106
_URGENT = 1000.0  # more than any visit is worth, in prices
_FIRST = 1e15  # a factor that puts visits first where promises are no probabilities


Rows = slice | NDArray[np.int64]


class Agenda:
    """The pages that are due, of all nodes of a process."""

    def __init__(self, section: WatchSection, pages: RevisitTable, budget: RequestBudget) -> None:
        self.pages, self.budget = pages, budget
        self._section, self._schedule = section, SCHEDULES[section.schedule]
        self._price: Price | None = None
        self._frontiers: Mapping[str, Frontier] = {}
        self._calibrated = False
        self._due: list[tuple[float, int]] = []  # a heap: (moment, row)
        self._unplanned: list[int] = []  # rows that were visited
        self._horizon = -math.inf  # pages due later are not in the heap
        self._value = 1.0  # lambda, or the factor of another schedule
        self._reviewed = -math.inf
        self.changes: list[float] = []  # moments of visits that found other facts

    learns_from = RevisitTable.learns_from

    def attach(self, frontiers: Mapping[str, Frontier], price: Price, calibrated: bool) -> None:
        """Connect it with the frontiers that it fills, and the price that it takes part in."""
        self._frontiers, self._price, self._calibrated = frontiers, price, calibrated

    # --- learning --------------------------------------------------------------------------------

    def learn(self, visit: Visit) -> None:
        """Take a visit, in the order of the log."""
        self.budget.learn(visit)
        row = self.pages.learn(visit)
        if row is None:
            return
        if visit.outcome is Outcome.REVISED:
            self.changes.append(float(self.pages.column("last")[row]))
        hinted, self.pages.hinted = self.pages.hinted, []
        if self._reviewed > -math.inf:
            self._unplanned += (row, *hinted)

    def _plan(self) -> None:
        """Find when pages are due after their visits: many at once, which takes no longer."""
        rows, self._unplanned = np.array(self._unplanned, np.int64), []
        for row, due in zip(rows.tolist(), self._due_times(rows).tolist(), strict=True):
            self._set_due(row, due)

    def _set_due(self, row: int, moment: float) -> None:
        due = int(moment)
        self.pages.column("due")[row] = due
        if due <= self._horizon:
            heapq.heappush(self._due, (due, row))

    def outcome_of_page(self, url: str, judged: JudgedPage) -> Outcome:
        """Whether a known page has the facts of its last visit."""
        row = self.pages.row(url)
        if row is None:
            return Outcome.REVISED
        before = int(self.pages.column("facts")[row]), int(self.pages.column("simhash")[row])
        same = is_same(facts_of(judged), judged.simhash, before)
        return Outcome.CONFIRMED if same else Outcome.REVISED

    def validators(self, url: str) -> tuple[str, str]:
        """The ETag and Last-Modified of a page, for a conditional request."""
        row = self.pages.row(url)
        record = None if row is None else self.pages.record(row)
        return (record.etag, record.modified) if record else ("", "")

    # --- what is due -----------------------------------------------------------------------------

    def put_due(self, now: float) -> None:
        """Put the pages that are due into the frontiers."""
        idle = not self._due or self._due[0][0] > now
        if self._unplanned and (idle or len(self._unplanned) >= _AT_ONCE):
            self._plan()
        if self.pages.count and (not self._due or now - self._reviewed > DAY_S):
            self._review(now)
        due = self.pages.column("due")
        put = 0
        while self._due and self._due[0][0] <= now and put < _AT_ONCE:
            moment, row = heapq.heappop(self._due)
            if due[row] == moment:  # it was not visited meanwhile
                record = self.pages.record(row)
                link = record.link(self._promise(row, now))
                self._frontiers[record.node].put_back(link)
                self._set_due(row, now + DAY_S)
                put += 1

    def next_due(self) -> float | None:
        """When the next page is due; None if there are none."""
        if self._unplanned:
            self._plan()
        return self._due[0][0] if self._due else None

    def _promise(self, row: int, now: float) -> float:
        """Above 1, the highest price: a page that is due was worth the price at the review. The
        most urgent first: what the visit is worth, in prices.
        """
        page = self.pages.page(row)
        days = (now - page["last"]) / DAY_S
        worth: float = value_of_visit(page["importance"], page["rate"], days) / self._value
        if page["strikes"] or page["hint"]:
            worth = _URGENT
        return (1.0 + min(worth, _URGENT)) * (1.0 if self._calibrated else _FIRST)

    # --- reviews ---------------------------------------------------------------------------------

    def _review(self, now: float) -> None:
        """Find the price of visits, and keep the pages that are due first."""
        self._reviewed, self._unplanned = now, []
        self._value = self._find_value()
        due = self.pages.column("due")
        due[:] = np.minimum(self._due_times(slice(None)), _LAST)
        most = max(_LEAST, len(due) // _SHARE)
        self._horizon = math.inf
        if len(due) > most:
            self._horizon = float(np.partition(due, most)[most])
        rows = np.flatnonzero(due <= self._horizon)
        self._due = sorted(zip(due[rows].tolist(), rows.tolist(), strict=True))

    def _find_value(self) -> float:
        """The number of the schedule (lambda) at which pages and new links use up the budget."""
        pages = self._watched(slice(None, None, -(-self.pages.count // _SAMPLE)))
        share = self.pages.count / len(pages.importance)
        least = _REVISIT_SHARE * self.budget.per_day
        wanted = max(self.budget.per_day - self._new_links(), least)
        return self._schedule.find(pages, wanted / share)

    def _new_links(self) -> float:
        """The links that the next day takes at the current price."""
        waiting = sum(len(frontier) for frontier in self._frontiers.values())
        if not self._calibrated or self._price is None:
            return min(waiting, _NEW_SHARE * self.budget.per_day)
        self._price.elsewhere = self._supply()
        self._price.find(self.budget.left(), Totals(), self._reviewed)
        fetchable = self._price.supply(self.budget.left(), self._reviewed)
        if self._price.level == NO_PRICE:
            return float(fetchable.sum())
        return float(fetchable[FLOORS.index(self._price.level) :].sum())

    def _supply(self) -> Floats:
        """The visits of a day that are worth each class of promises, and not the next better."""
        rows = slice(None, None, -(-self.pages.count // (_SAMPLE // 10)))
        importance, changes = self._weights(rows)
        share = self.pages.count / len(importance)
        days = self._section.new_page_days
        wanted = [
            share * float(best_rates(importance, changes, floor * days).sum())
            for floor in FLOORS[1:]
        ]
        counts: Floats = np.zeros(CLASSES)
        counts[1:] = -np.diff(np.array([*wanted, 0.0]))
        return counts

    def _weights(self, rows: Rows) -> tuple[Floats, Floats]:
        importance = self.pages.column("importance")[rows].astype(np.float64)
        changes = np.maximum(self.pages.column("rate")[rows].astype(np.float64), LEAST_CHANGE)
        return importance, changes

    def _watched(self, rows: Rows) -> WatchedPages:
        importance, changes = self._weights(rows)
        interval = np.ones(len(importance))
        if self._section.schedule in ADAPTIVE:
            interval = self.pages.column("interval")[rows].astype(np.float64)
        return WatchedPages(importance, changes, interval)

    def _rates(self, rows: Rows) -> Floats:
        """Visits a day, by the job's schedule."""
        rates = self._schedule.rates(self._watched(rows), self._value)
        return np.clip(rates, 1.0 / self._section.longest_days, _MOST_A_DAY)

    def _due_times(self, rows: Rows) -> Floats:
        last = self.pages.column("last")[rows].astype(np.float64)
        strikes = self.pages.column("strikes")[rows].astype(np.float64)
        days = self._spread(rows) / self._rates(rows)
        soon = np.minimum(2.0 ** (np.minimum(strikes, 30.0) - 1.0), self._section.longest_days)
        days = np.where(strikes > 0, soon, days)
        days = np.where(self.pages.column("hint")[rows] > 0, 0.0, days)
        times: Floats = last + DAY_S * days
        return times

    def _spread(self, rows: Rows) -> Floats:
        """The first visit comes after a part of the interval: a crawl fetched all at once."""
        first = self.pages.column("same_days")[rows] + self.pages.column("changed_days")[rows] == 0
        numbers = np.arange(*rows.indices(self.pages.count)) if isinstance(rows, slice) else rows
        parts: Floats = np.where(first, (numbers * _GOLDEN) % 1.0, 1.0)
        return parts

    # --- figures ---------------------------------------------------------------------------------

    def staleness(self) -> float:
        """The expected share of pages whose facts have changed since their last visit."""
        rows = slice(None, None, max(-(-self.pages.count // _SAMPLE), 1))
        return staleness_of(*self._weights(rows), self._rates(rows)) if self.pages.count else 0.0
