"""The pages under watch: for each, when it was visited last, what it said, how often it changes.

A fold over the log, in files of numbers (frontier/mapped.py): 68 bytes a page, and 25 for the
tables of fingerprints. What a request needs is in a spool on the disk (page_records.py).
"""

from collections.abc import Iterable, Sequence
from enum import IntEnum
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from toponaut.frontier.mapped import Columns
from toponaut.frontier.table import FingerprintTable
from toponaut.records import FAILURES, PAGES, Outcome, Visit
from toponaut.timing import crawl_moment
from toponaut.urls import fingerprint, fingerprints, host_of
from toponaut.watch.change_rate import (
    DATED,
    ChangeCounts,
    PageKind,
    RatePrior,
    days_unmodified,
    kind_of,
    rates_of,
)
from toponaut.watch.date_record import DateRecord
from toponaut.watch.importance import importance_of
from toponaut.watch.interest import PageInterest
from toponaut.watch.page_records import PageRecord, PageRecords
from toponaut.watch.rate_prior import FIRST_PRIORS, fit_prior
from toponaut.watch.schedule import ADAPTIVE, next_interval

DAY_S = 86_400.0
FIRST_INTERVAL = 7.0  # days, of an adaptive rule
SEEN_AGAIN = frozenset({Outcome.REVISED, Outcome.CONFIRMED})
# Later visits after which a page may be gone: it is looked at again soon.
TROUBLE = FAILURES | {Outcome.REDIRECT, Outcome.NO_INDEX}
_MOST_STRIKES = 200
_MOST_CHANGES = 255  # after so many, the rate of a page is known
# If a page of a site is in trouble or has changed, its pages with addresses are looked at soon,
# unless they are more than this: a shop, not a directory.
_FEW, _WALK = 5, 100
_SAMPLE = 1000  # pages of a kind from which its prior is fitted
_FORMATS = {
    "where": "Q", "last": "I", "due": "I", "facts": "Q", "simhash": "Q", "changes": "B",
    "changed_days": "f", "same_days": "f", "importance": "f", "rate": "f",
    "inlinks": "I", "sibling": "I", "sitemap": "I", "addresses": "B", "kind": "B", "strikes": "B",
    "relevant": "B", "hint": "B", "visits": "B", "dated": "B",
}  # fmt: skip


Rows = slice | NDArray[np.int64]


class Hint(IntEnum):
    """Why a page is looked at soon."""

    NONE = 0
    SITE = 1  # another page of its site has changed, or is in trouble
    DATED = 2  # its sitemap says that it was modified


class RevisitTable:
    """The pages in `directory`, which must be empty. `rule`: an adaptive rule to follow, or "".
    `interest` weighs pages by what readers want.
    """

    _learns_from = (
        "node", "url", "status", "outcome", "time", "stamp", "relevant", "simhash", "facts",
        "depth", "hops", "score", "ordering_memo", "owner_memo", "etag", "modified",
        "addresses.normal",
        "links.url", "known", "sitemap", "requisite", "revisit",
    )  # fmt: skip

    def __init__(
        self, directory: Path, rule: str = "", interest: PageInterest | None = None
    ) -> None:
        self.count = 0
        self.interest = interest
        self.learns_from = (*self._learns_from, *(interest.learns_from if interest else ()))
        self.hinted: list[int] = []  # rows to be looked at soon, for the agenda
        self.dates = [DateRecord()]  # of sitemaps, by number; 0: of none
        self._silent = np.ones(1)  # of them, as at the last review
        self.priors: tuple[RatePrior, ...] = tuple(FIRST_PRIORS[kind] for kind in PageKind)
        self._rule = rule if rule in ADAPTIVE else ""
        more = {"interval": "f"} if self._rule else {}
        more |= {"interest": "f"} if interest else {}
        self._columns = Columns(directory, "pages", _FORMATS | more)
        self._columns.reserve(1)
        self._views: dict[str, Any] = self._columns.views
        self._rows = FingerprintTable(directory, "rows")
        self._hosts = FingerprintTable(directory, "hosts")  # the last row of each, plus 1
        self._records = PageRecords(directory)

    def column(self, name: str) -> NDArray[Any]:
        """A column of all pages. It is replaced as the table grows."""
        return self._columns.arrays[name][: self.count]

    def is_urgent(self, row: int) -> bool:
        """Whether a page is looked at soon, whatever it is worth."""
        return bool(self._views["strikes"][row] or self._views["hint"][row])

    def hint(self, row: int) -> Hint:
        """Whether something says that a page may have changed."""
        return Hint(self._views["hint"][row])

    def look_soon(self, rows: Iterable[int], why: Hint) -> None:
        """Mark pages to be visited soon, whatever they are worth."""
        hints = self._views["hint"]
        for row in rows:
            hints[row] = max(hints[row], why)

    def list_in(self, sitemap: int, prints: Sequence[int]) -> list[int]:
        """A sitemap lists the pages with these fingerprints, and no others; return the rows for
        which that is new. A page in several sitemaps counts for the first.
        """
        column = self.column("sitemap")
        found, numbers = self._rows.find(np.array(prints, np.uint64))
        rows = numbers[found].astype(np.int64)
        lost = np.setdiff1d(np.flatnonzero(column == sitemap), rows)
        more = rows[column[rows] == 0]
        column[lost], column[more] = 0, sitemap
        return [*lost.tolist(), *more.tolist()]

    def set_due(self, row: int, moment: int) -> None:
        self._views["due"][row] = moment

    def is_due_at(self, row: int, moment: int) -> bool:
        """Whether a page is still due at that moment: it was not visited meanwhile."""
        return bool(self._views["due"][row] == moment)

    def row(self, url: str) -> int | None:
        """The row of a page; None if it was never fetched."""
        return self._rows.get(fingerprint(url))

    def record(self, row: int) -> PageRecord:
        """What a request for a page needs."""
        return self._records.read(int(self._columns.arrays["where"][row]))

    def learn(self, visit: Visit) -> int | None:
        """Take a visit, in the order of the log; return its row if it is of a page here."""
        if not visit.url or visit.sitemap or visit.requisite:
            return None
        if visit.outcome in PAGES:
            self._count_links(visit)
        row = self.row(visit.url)
        if row is None:
            return self._add(visit) if visit.outcome in PAGES else None
        moment = crawl_moment(visit.time, visit.stamp)
        if visit.outcome in SEEN_AGAIN:
            self._seen_again(row, visit, moment)
        elif visit.outcome in TROUBLE:
            strikes = self._views["strikes"]
            strikes[row] = min(strikes[row] + 1, _MOST_STRIKES)
        else:
            return None
        self._views["last"][row] = int(moment)
        self._views["hint"][row] = 0
        if visit.outcome is Outcome.REVISED or self._views["strikes"][row] == 1:
            self._hint(row, host_of(visit.url), moment)
        return row

    def _hint(self, row: int, host: str, moment: float) -> None:
        """Look soon at the pages of the same host that have addresses."""
        views, rows = self._views, []
        other = self._hosts.get(fingerprint(host)) or 0
        for _ in range(_WALK):
            if not other:
                break
            if views["addresses"][other - 1]:
                rows.append(other - 1)
            other = views["sibling"][other - 1]
        if other or len(rows) > _FEW:  # a large site
            return
        soon = [one for one in rows if one != row and views["last"][one] < moment - DAY_S]
        self.look_soon(soon, Hint.SITE)
        self.hinted += soon

    def _add(self, visit: Visit) -> int | None:
        if (where := self._records.append(visit)) is None:
            return None
        row = self.count
        if self._columns.reserve(row + 1):
            self._views = self._columns.views
        self._rows.reserve(1)
        self._rows.set(fingerprint(visit.url), row)
        self.count += 1
        views = self._views
        views["where"][row] = where
        views["last"][row] = int(crawl_moment(visit.time, visit.stamp))
        if self._rule:
            views["interval"][row] = FIRST_INTERVAL
        views["inlinks"][row] = 1
        self._hosts.reserve(1)
        host = fingerprint(host_of(visit.url))
        views["sibling"][row] = self._hosts.get(host) or 0
        self._hosts.set(host, row + 1)
        if (days := days_unmodified(visit)) is not None:
            views["dated"][row], views["same_days"][row] = 1, DATED * days
        self._keep(row, visit)
        return row

    def _seen_again(self, row: int, visit: Visit, moment: float) -> None:
        views = self._views
        changed = visit.outcome is Outcome.REVISED
        days = max(moment - views["last"][row], 1.0) / DAY_S
        if views["changes"][row] < _MOST_CHANGES:
            views["changes"][row] += changed
            views["changed_days" if changed else "same_days"][row] += days
        if sitemap := views["sitemap"][row]:
            self.dates[sitemap].score(self.hint(row) is Hint.DATED, changed)
        views["visits"][row] = min(views["visits"][row] + 1, 255)
        views["strikes"][row] = 0
        if self._rule:
            views["interval"][row] = next_interval(self._rule, views["interval"][row], changed)
        if changed:
            self._keep(row, visit)
        if visit.status == 200 and (visit.etag or visit.modified):  # with 304 they are the same
            self._records.rewrite(self.column("where"), row, visit)

    def _keep(self, row: int, visit: Visit) -> None:
        """What a fetched page says."""
        views = self._views
        views["facts"][row], views["simhash"][row] = visit.facts, visit.simhash
        views["kind"][row] = kind_of(visit)
        views["addresses"][row] = min(len(visit.addresses), 255)
        views["relevant"][row] = visit.relevant
        if self.interest:
            views["interest"][row] = self.interest.weigh(visit)
        self._weigh(row)

    def _weigh(self, row: int) -> None:
        views = self._views
        views["importance"][row] = importance_of(
            bool(views["relevant"][row]),
            views["addresses"][row],
            views["inlinks"][row],
            views["interest"][row] if self.interest else 0.0,
        )

    def _count_links(self, visit: Visit) -> None:
        """Links to pages here make them more important."""
        prints = [*visit.known, *fingerprints([link.url for link in visit.links])]
        found, rows = self._rows.find(np.array(prints, np.uint64))
        for row in rows[found].tolist():
            self._views["inlinks"][row] += 1
            self._weigh(row)

    # --- rates of changes ------------------------------------------------------------------------

    def estimate(self, rows: Rows) -> None:
        """Estimate the rates of changes of pages, by their visits and the priors."""
        kinds = self.column("kind")[rows]
        means, shapes = np.array(self.priors).T
        self.column("rate")[rows] = rates_of(self._counts(rows), means[kinds], shapes[kinds])

    def fitted_priors(self) -> tuple[RatePrior, ...]:
        """The priors that fit the visits so far."""
        kinds, seen = self.column("kind"), self.column("visits") > 0
        found = []
        for kind in PageKind:
            rows = np.flatnonzero(seen & (kinds == kind))
            some = rows[:: -(-len(rows) // _SAMPLE) or 1]
            found.append(fit_prior(self._counts(some), FIRST_PRIORS[kind]))
        return tuple(found)

    def _counts(self, rows: Rows) -> ChangeCounts:
        counts = (self.column(name)[rows].astype(np.float64) for name in ChangeCounts._fields)
        changes, changed_days, same_days, dated = counts
        return ChangeCounts(changes, changed_days, same_days, DATED * dated)

    def weigh_dates(self) -> None:
        """A day has passed: count with the records of sitemaps as they are now."""
        for one in self.dates:
            one.forget()
        self._silent = np.array([1.0, *(one.silent for one in self.dates[1:])])

    def unseen_rates(self, rows: Rows) -> NDArray[np.float64]:
        """Changes a day that only visits find: sitemaps tell the others."""
        sitemaps = self.column("sitemap")[rows]
        sitemaps = np.where(sitemaps < len(self._silent), sitemaps, 0)  # none newer than a review
        found: NDArray[np.float64] = self.column("rate")[rows] * self._silent[sitemaps]
        return found

    @property
    def size(self) -> int:
        """Bytes of the columns and of the table of fingerprints."""
        return sum(one.columns.size for one in (self._rows, self._hosts)) + self._columns.size
