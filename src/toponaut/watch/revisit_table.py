"""The pages under watch: for each, when it was visited last, what it said, how often it changes.

A fold over the log, in files of numbers (frontier/mapped.py): 64 bytes a page, and 25 for the
tables of fingerprints. What a request needs (URL, validators, memos) is in a spool on the disk.
"""

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from toponaut.frontier.mapped import Columns
from toponaut.frontier.spool import LONGEST, MOST, Spool
from toponaut.frontier.table import FingerprintTable
from toponaut.records import FAILURES, PAGES, Outcome, QueuedLink, Visit
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
from toponaut.watch.importance import importance_of
from toponaut.watch.interest import PageInterest
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
    "inlinks": "I", "sibling": "I", "addresses": "B", "kind": "B", "strikes": "B", "relevant": "B",
    "hint": "B", "visits": "B", "dated": "B",
}  # fmt: skip


Rows = slice | NDArray[np.int64]


class PageRecord(Struct, frozen=True, array_like=True):
    """What a request for a page needs."""

    node: str
    url: str
    depth: int
    hops: int
    found_by: int
    score: float
    ordering_memo: bytes
    owner_memo: bytes
    etag: str
    modified: str

    def link(self, promise: float) -> QueuedLink:
        """The page as a link to visit again."""
        return QueuedLink(
            self.url, promise, self.depth, self.hops, self.found_by, score=self.score,
            ordering_memo=self.ordering_memo, owner_memo=self.owner_memo, revisit=True,
        )  # fmt: skip


_encode = msgspec.msgpack.Encoder().encode
_decode = msgspec.msgpack.Decoder(PageRecord).decode


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
        self.priors: tuple[RatePrior, ...] = tuple(FIRST_PRIORS[kind] for kind in PageKind)
        self._rule = rule if rule in ADAPTIVE else ""
        more = {"interval": "f"} if self._rule else {}
        more |= {"interest": "f"} if interest else {}
        self._columns = Columns(directory, "pages", _FORMATS | more)
        self._columns.reserve(1)
        self._views: dict[str, Any] = self._columns.views
        self._rows = FingerprintTable(directory, "rows")
        self._hosts = FingerprintTable(directory, "hosts")  # the last row of each, plus 1
        self._spool = Spool(directory)

    def column(self, name: str) -> NDArray[Any]:
        """A column of all pages. It is replaced as the table grows."""
        return self._columns.arrays[name][: self.count]

    def is_urgent(self, row: int) -> bool:
        """Whether a page is looked at soon, whatever it is worth."""
        return bool(self._views["strikes"][row] or self._views["hint"][row])

    def look_soon(self, rows: Iterable[int]) -> None:
        """Mark pages to be visited soon, whatever they are worth."""
        for row in rows:
            self._views["hint"][row] = 1

    def set_due(self, row: int, moment: int) -> None:
        self._views["due"][row] = moment

    def is_due_at(self, row: int, moment: int) -> bool:
        """Whether a page is still due at that moment: it was not visited meanwhile."""
        return bool(self._views["due"][row] == moment)

    def row(self, url: str) -> int | None:
        """The row of a page; None if it was never fetched."""
        return self._rows.get(fingerprint(url))

    def record(self, row: int) -> PageRecord:
        return _decode(self._spool.read(int(self._columns.arrays["where"][row])))

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
        self.look_soon(soon)
        self.hinted += soon

    def _add(self, visit: Visit) -> int | None:
        record = self._encoded(visit)
        if len(record) > LONGEST:
            return None
        row = self.count
        if self._columns.reserve(row + 1):
            self._views = self._columns.views
        self._rows.reserve(1)
        self._rows.set(fingerprint(visit.url), row)
        self.count += 1
        views = self._views
        views["where"][row] = self._spool.append_one(record)
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
        views["visits"][row] = min(views["visits"][row] + 1, 255)
        views["strikes"][row] = 0
        if self._rule:
            views["interval"][row] = next_interval(self._rule, views["interval"][row], changed)
        if changed:
            self._keep(row, visit)
        if visit.status == 200 and (visit.etag or visit.modified):  # with 304 they are the same
            self._rewrite(row, self._encoded(visit))

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

    # --- records ---------------------------------------------------------------------------------

    def _encoded(self, visit: Visit) -> bytes:
        return _encode(
            PageRecord(
                visit.node, visit.url, visit.depth, visit.hops, visit.found_by, visit.score,
                visit.ordering_memo, visit.owner_memo, visit.etag, visit.modified,
            )
        )  # fmt: skip

    def _rewrite(self, row: int, record: bytes) -> None:
        where = self._views["where"]
        if len(record) <= LONGEST:
            old = where[row]
            where[row] = self._spool.append_one(record)
            self._spool.forget(old)
        if (segment := self._spool.sparse()) is not None:
            self._move(segment)

    def _move(self, segment: int) -> None:
        """Move the live records of a mostly dead segment to the end."""
        wheres = self._columns.arrays["where"][: self.count]
        rows = np.flatnonzero(self._spool.lies_in(wheres, segment))
        for some in np.array_split(rows, -(-len(rows) // MOST) or 1):
            old = wheres[some]
            wheres[some] = self._spool.append([self._spool.read(one) for one in old.tolist()])
            self._spool.forget_all(old)

    @property
    def size(self) -> int:
        """Bytes of the columns and of the table of fingerprints."""
        return sum(one.columns.size for one in (self._rows, self._hosts)) + self._columns.size
