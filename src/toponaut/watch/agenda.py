"""Which pages are due, and their way into the frontier.

New links and known pages compete under one price. What a visit to a known page promises is

    value_of_visit / H        (schedule.py)

H is `watch.new_page_days`: a new relevant page is worth as much as a relevant page that has been
stale for H days. So lambda / H is a price for links, and the other way round. The price of the next
day (crawl/price.py) counts the links that wait and the visits that would be due at each price. A
page is due when its visit is worth lambda (due_queue.py); then it becomes a link of the frontier.

Once a day a *review* finds lambda (review.py). When a page of a site is in trouble or has changed,
the pages of its site that have addresses are looked at, too.

Everything here follows from the log, the job and the time: after a kill the agenda is folded anew.
If a host is given up, its pages that were due are lost from the frontier. They are due a day later,
but those that are to be looked at soon at once.
"""

import math
from collections.abc import Callable, Mapping

from msgspec.structs import replace

from toponaut.crawl.price import Price
from toponaut.frontier import Frontier
from toponaut.job import WatchSection
from toponaut.log.visit import asked_host
from toponaut.records import PAGES, JudgedPage, Outcome, Visit
from toponaut.timing import crawl_moment
from toponaut.urls import host_of
from toponaut.watch.budget import RequestBudget
from toponaut.watch.due_queue import LAST, DueQueue
from toponaut.watch.facts import facts_of, is_same
from toponaut.watch.page_records import PageRecord
from toponaut.watch.review import Review, Reviewer, review_in, sampled, watched_pages
from toponaut.watch.revisit_table import DAY_S, RevisitTable
from toponaut.watch.schedule import staleness_of
from toponaut.watch.sitemap_signals import SitemapSignals

_AT_ONCE = 256  # pages that one call puts into the frontier
_URGENT = 10.0  # the promise of pages that are looked at first
_FIRST = 1e15  # a factor that puts visits first where promises are no probabilities


class Agenda:
    """The pages that are due, of all nodes of a process."""

    def __init__(self, section: WatchSection, pages: RevisitTable, budget: RequestBudget) -> None:
        self.pages, self.budget = pages, budget
        self.learns_from = (*pages.learns_from, "detail", "dropped", "rules_of")
        self.changes: list[float] = []  # moments of visits that found other facts
        self._queue = DueQueue(section, pages)
        self._sitemaps = SitemapSignals(pages, budget.per_day)
        self._section = section
        self._frontiers: Mapping[str, Frontier] = {}
        self._reviewer: Reviewer | None = None
        self._note: Callable[[str], None] = lambda _: None
        self._factor = 1.0
        self._review: Review | None = None
        self._reviewed = -math.inf
        self._put: dict[int, int] = {}  # rows in the frontiers, and when they were due
        self._given_up: dict[str, float] = {}  # hosts that failed too often, and when

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
        if visit.sitemap:
            self._queue.plan_later(self._sitemaps.learn(visit), moment)
        elif (row := self.pages.learn(visit)) is not None:
            self._learn_page(row, visit, moment)
        if visit.dropped:
            self._given_up[host := asked_host(visit)] = moment
            self._sitemaps.give_up(host, moment)
            self.put_again(lambda one: one == host)

    def _learn_page(self, row: int, visit: Visit, moment: float) -> None:
        self._put.pop(row, None)
        if visit.outcome is Outcome.REVISED:
            self.changes.append(moment)
        hinted, self.pages.hinted = self.pages.hinted, []
        at_once = bool(hinted) or visit.outcome in PAGES
        soonest = moment if at_once else moment + self._queue.shortest_days * DAY_S
        self._queue.plan_later([row, *hinted], soonest)

    def _learn_note(self, detail: str, moment: float) -> None:
        if found := review_in(detail):
            self._apply(found, moment)
        elif rows := self._sitemaps.learn_note(detail):
            self._queue.plan_later(rows, moment)

    def _apply(self, review: Review, moment: float) -> None:
        """Follow a review: all pages are due at other times now, also those in the frontiers."""
        for row in self._put:
            record = self.pages.record(row)
            self._frontiers[record.node].mark_taken([record.url])
        self._put = {}
        self._review, self._reviewed = review, moment
        self._given_up = {
            host: then for host, then in self._given_up.items() if then + DAY_S > moment
        }
        self.pages.weigh_dates()
        self._queue.follow(review.value, new_priors=review.priors != self.pages.priors)
        self.pages.priors = review.priors

    def put_again(self, is_lost: Callable[[str], bool]) -> None:
        """The frontiers have dropped the links of some hosts: their pages are due once more."""
        for row, moment in list(self._put.items()):
            if is_lost(host_of(self.pages.record(row).url)):
                del self._put[row]
                self._queue.put(row, moment)

    def read_dates(self, sitemap: str, dates: Mapping[str, float], now: float) -> None:
        """Take the dates of pages in a sitemap that was read."""
        if news := self._sitemaps.news(sitemap, dates, now):
            self._note(news.note)

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
            self._queue.estimate()
            self._note(self._reviewer.review(now, len(self._put)).note)
        self._queue.prepare(now)
        for node, link in self._sitemaps.due(now):
            self._frontiers[node].put_back(replace(link, promise=_URGENT * self._factor))
        for _ in range(_AT_ONCE):
            if (taken := self._queue.take(now)) is None:
                break
            self._put_page(*taken, now)

    def _put_page(self, moment: int, row: int, now: float) -> None:
        record = self.pages.record(row)
        if (later := self._rests_until(row, record, moment)) > now:
            self._queue.put(row, later)
            return
        first = self._put.setdefault(row, max(moment, later))  # it may have waited for a day
        self._frontiers[record.node].put_back(record.link(self._promise(row, first)))
        self._queue.put(row, int(now + DAY_S))

    def _rests_until(self, row: int, record: PageRecord, moment: int) -> int:
        """When a page that was due at a moment may be visited, if its host was given up then."""
        given_up = self._given_up.get(host_of(record.url), -1.0)
        lost = moment <= given_up and not self.pages.hint(row)
        return int(given_up + DAY_S) if lost else 0

    def next_due(self) -> float | None:
        """When a page may be due; None if there are none."""
        return self._queue.next_due()

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
        return (2.0 - moment / (2.0 * LAST)) * self._factor

    def staleness(self) -> float:
        """The expected share of pages whose facts have changed since their last visit."""
        if not self.pages.count:
            return 0.0
        rows = sampled(self.pages)
        pages = watched_pages(self.pages, rows, "")
        return staleness_of(pages.importance, pages.changes, self._queue.rates(rows))
