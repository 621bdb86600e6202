"""Which pages are due, and their way into the frontier.

New links and known pages compete under one price. What a visit to a known page promises is

    value_of_visit / H        (schedule.py)

H is `watch.new_page_days`: a new relevant page is worth as much as a relevant page that has been
stale for H days. So lambda / H is a price for links, and the other way round. The price of the next
day (crawl/price.py) counts the links that wait and the visits that would be due at each price. A
page is due when its visit is worth lambda; then it becomes a link of the frontier.

Once a day a *review* finds lambda (review.py). When pages are due follows from it and their visits.
Not all pages are looked at each time: the fiftieth part that is due first waits in a heap, and is
filled again when it is empty. After visits, pages are planned many at once, which takes no longer
than one. A page in trouble (gone, moved, host silent) is due after 1, 2, 4, ... days, whatever it
is worth; then the pages of its site that have addresses are looked at, too, and when one of its
pages has changed.

Everything here follows from the log, the job and the time: after a kill the agenda is folded anew.
A page that was put into the frontier and got lost there (its host was given up) is due again a day
later.
"""

import heapq
import math
from collections.abc import Callable, Mapping

import numpy as np
from msgspec.structs import replace
from numpy.typing import NDArray

from toponaut.crawl.price import Price
from toponaut.frontier import Frontier
from toponaut.job import WatchSection
from toponaut.records import PAGES, JudgedPage, Outcome, Visit
from toponaut.timing import crawl_moment
from toponaut.watch.budget import RequestBudget
from toponaut.watch.facts import facts_of, is_same
from toponaut.watch.review import Review, Reviewer, review_in, sampled, watched_pages
from toponaut.watch.revisit_table import DAY_S, RevisitTable, Rows
from toponaut.watch.schedule import SCHEDULES, Floats, staleness_of
from toponaut.watch.sitemap_signals import SitemapSignals

_SHARE, _LEAST = 50, 1000  # pages in the heap: a fiftieth of all, but so many at least
_GOLDEN = 0.6180339887498949  # its multiples are spread evenly between whole numbers
_AT_ONCE = 256  # pages that one call plans, or puts into the frontier
_LAST = 2.0**32 - 1  # seconds are whole numbers of 32 bits, to the year 2106
_URGENT = 10.0  # the promise of pages that are looked at first
_FIRST = 1e15  # a factor that puts visits first where promises are no probabilities


class Agenda:
    """The pages that are due, of all nodes of a process."""

    def __init__(self, section: WatchSection, pages: RevisitTable, budget: RequestBudget) -> None:
        self.pages, self.budget = pages, budget
        self.learns_from = (*pages.learns_from, "detail")
        self.changes: list[float] = []  # moments of visits that found other facts
        self._sitemaps = SitemapSignals(pages, budget.per_day)
        self._section, self._schedule = section, SCHEDULES[section.schedule]
        self._frontiers: Mapping[str, Frontier] = {}
        self._reviewer: Reviewer | None = None
        self._note: Callable[[str], None] = lambda _: None
        self._factor = 1.0
        self._review: Review | None = None
        self._reviewed = -math.inf
        self._due: list[tuple[int, int]] = []  # a heap: (moment, row)
        self._horizon = -1.0  # pages due later are not in the heap
        self._unplanned: list[int] = []  # rows that were visited
        self._plan_by = math.inf  # none of them is due before
        self._put: dict[int, int] = {}  # rows in the frontiers, and when they were due
        self._estimated = False  # whether all rates of changes are by the current priors

    def attach(
        self,
        frontiers: Mapping[str, Frontier],
        price: Price,
        calibrated: bool,
        note: Callable[[str], None],
    ) -> None:
        """Connect it with the frontiers that it fills, the price that it takes part in, and the
        log: `note` writes a note that `learn` gets.
        """
        self._frontiers, self._note = frontiers, note
        self._factor = 1.0 if calibrated else _FIRST
        self._reviewer = Reviewer(
            self._section, self.pages, self.budget, frontiers, price, calibrated
        )

    # --- learning --------------------------------------------------------------------------------

    def learn(self, visit: Visit) -> None:
        """Take a visit, in the order of the log."""
        self.budget.learn(visit)
        moment = crawl_moment(visit.time, visit.stamp)
        if visit.outcome is Outcome.CONTROL:
            self._learn_note(visit.detail, moment)
            return
        if visit.outcome is Outcome.SITEMAP:
            self._sitemaps.learn(visit)
        row = self.pages.learn(visit)
        if row is None:
            return
        self._put.pop(row, None)
        if visit.outcome is Outcome.REVISED:
            self.changes.append(moment)
        hinted, self.pages.hinted = self.pages.hinted, []
        at_once = bool(hinted) or visit.outcome in PAGES
        self._plan_later(
            [row, *hinted], moment if at_once else moment + self._shortest_days * DAY_S
        )

    def _learn_note(self, detail: str, moment: float) -> None:
        if found := review_in(detail):
            self._apply(found, moment)
        elif rows := self._sitemaps.learn_note(detail):
            self._plan_later(rows, moment)

    def _plan_later(self, rows: list[int], soonest: float) -> None:
        """Plan pages again before the moment at which the first of them may be due."""
        if self._horizon >= 0.0:
            self._unplanned += rows
            self._plan_by = min(self._plan_by, soonest)

    def read_dates(self, sitemap: str, dates: Mapping[str, float], now: float) -> None:
        """Take the dates of pages in a sitemap that was read."""
        if news := self._sitemaps.news(sitemap, dates, now):
            self._note(news.note)

    def _apply(self, review: Review, moment: float) -> None:
        """Follow a review: all pages are due at other times now, also those in the frontiers."""
        for row in self._put:
            record = self.pages.record(row)
            self._frontiers[record.node].mark_taken([record.url])
        self._put = {}
        self._review, self._reviewed = review, moment
        self._due, self._horizon = [], -1.0
        if review.priors != self.pages.priors:
            self.pages.priors = review.priors
            self._estimated = False

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
        if not self.pages.count:
            return
        if self._wants_review(now) and self._reviewer:
            self._estimate()
            self._note(self._reviewer.review(now, len(self._put)).note)
        if not self._due:
            self._fill()
        elif now >= self._plan_by or len(self._unplanned) >= _AT_ONCE:
            self._plan()
        for node, link in self._sitemaps.due(now):
            self._frontiers[node].put_back(replace(link, promise=_URGENT * self._factor))
        put = 0
        while self._due and self._due[0][0] <= now and put < _AT_ONCE:
            moment, row = heapq.heappop(self._due)
            if self.pages.is_due_at(row, moment):  # it was not visited meanwhile
                record = self.pages.record(row)
                first = self._put.setdefault(row, moment)  # it may have waited there for a day
                self._frontiers[record.node].put_back(record.link(self._promise(row, first)))
                self._set_due(row, int(now + DAY_S))
                put += 1

    def next_due(self) -> float | None:
        """When a page may be due; None if there are none."""
        times = [self._plan_by] if self._unplanned else []
        if self._due:
            times.append(self._due[0][0])
        return min(times, default=None)

    def _wants_review(self, now: float) -> bool:
        """Once a day, and when budget or schedule are others than at the last one."""
        last = self._review
        if last is None or now - self._reviewed > DAY_S:
            return True
        return (last.per_day, last.schedule) != (self.budget.per_day, self._section.schedule)

    def _promise(self, row: int, moment: int) -> float:
        """Above 1, the highest price: a page that is due is worth the price. First those in
        trouble, then in the order in which they are due.
        """
        if self.pages.is_urgent(row):
            return _URGENT * self._factor
        return (2.0 - moment / (2.0 * _LAST)) * self._factor

    # --- when pages are due ----------------------------------------------------------------------

    def _fill(self) -> None:
        """Keep the pages that are due first."""
        self._estimate()
        due = self.pages.column("due")
        due[:] = np.minimum(self._due_times(slice(None)), _LAST)
        most = max(_LEAST, len(due) // _SHARE)
        self._horizon = math.inf
        if len(due) > most:
            self._horizon = float(np.partition(due, most)[most])
        rows = np.flatnonzero(due <= self._horizon)
        self._due = sorted(zip(due[rows].tolist(), rows.tolist(), strict=True))

    def _plan(self) -> None:
        """Find when pages are due after their visits."""
        rows = self._estimate()
        for row, due in zip(rows.tolist(), self._due_times(rows).tolist(), strict=True):
            self._set_due(row, int(min(due, _LAST)))

    def _estimate(self) -> NDArray[np.int64]:
        """Estimate how often the pages change that were visited; return their rows."""
        rows = np.array(self._unplanned, np.int64)
        self._unplanned, self._plan_by = [], math.inf
        self.pages.estimate(rows if self._estimated else slice(None))
        self._estimated = True
        return rows

    def _set_due(self, row: int, moment: int) -> None:
        self.pages.set_due(row, moment)
        if moment <= self._horizon:
            heapq.heappush(self._due, (moment, row))

    @property
    def _shortest_days(self) -> float:
        return min(self._section.shortest_hours / 24.0, self._section.longest_days)

    def _rates(self, rows: Rows) -> Floats:
        """Visits a day, by the job's schedule."""
        pages = watched_pages(self.pages, rows, self._section.schedule)
        rates = self._schedule.rates(pages, self._review.value if self._review else 1.0)
        return np.clip(rates, 1.0 / self._section.longest_days, 1.0 / self._shortest_days)

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
        first = self.pages.column("visits")[rows] == 0
        numbers = np.arange(*rows.indices(self.pages.count)) if isinstance(rows, slice) else rows
        parts: Floats = np.where(first, (numbers * _GOLDEN) % 1.0, 1.0)
        return parts

    # --- figures ---------------------------------------------------------------------------------

    def staleness(self) -> float:
        """The expected share of pages whose facts have changed since their last visit."""
        if not self.pages.count:
            return 0.0
        rows = sampled(self.pages)
        pages = watched_pages(self.pages, rows, "")
        return staleness_of(pages.importance, pages.changes, self._rates(rows))
