"""The pages under watch: for each, when it was visited last, what it said, how often it changes.

A fold over the log, in files of numbers (frontier/mapped.py): 62 bytes a page, and 25 for the
tables of fingerprints. What a request needs (URL, validators, memos) is in a spool on the disk.
"""

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
from toponaut.watch.change_rate import ChangeCounts, KindRates, PageKind, kind_of, rate_of
from toponaut.watch.importance import importance_of
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
_FORMATS = {
    "where": "Q", "last": "I", "due": "I", "facts": "Q", "simhash": "Q", "changes": "B",
    "changed_days": "f", "same_days": "f", "importance": "f", "rate": "f",
    "inlinks": "I", "sibling": "I", "addresses": "B", "kind": "B", "strikes": "B", "relevant": "B",
    "hint": "B",
}  # fmt: skip


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
    """The pages in `directory`, which must be empty. `rule`: an adaptive rule to follow, or ""."""

    learns_from = (
        "node", "url", "status", "outcome", "time", "stamp", "relevant", "simhash", "facts",
        "depth", "hops", "score", "ordering_memo", "owner_memo", "etag", "modified",
        "addresses.normal",
        "links.url", "known", "sitemap", "requisite", "revisit",
    )  # fmt: skip

    def __init__(self, directory: Path, rule: str = "") -> None:
        self.count = 0
        self.hinted: list[int] = []  # rows to be looked at soon, for the agenda
        self.kinds = KindRates()
        self._rule = rule if rule in ADAPTIVE else ""
        adaptive = {"interval": "f"} if self._rule else {}
        self._columns = Columns(directory, "pages", _FORMATS | adaptive)
        self._columns.reserve(1)
        self._views: dict[str, Any] = self._columns.views
        self._rows = FingerprintTable(directory, "rows")
        self._hosts = FingerprintTable(directory, "hosts")  # the last row of each, plus 1
        self._spool = Spool(directory)

    def column(self, name: str) -> NDArray[Any]:
        """A column of all pages. It is replaced as the table grows."""
        return self._columns.arrays[name][: self.count]

    def page(self, row: int) -> dict[str, Any]:
        """Some values of one page."""
        names = ("last", "importance", "rate", "strikes", "hint")
        return {name: self._views[name][row] for name in names}

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
        for one in soon:
            views["hint"][one] = 1
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
        self._keep(row, visit)
        return row

    def _seen_again(self, row: int, visit: Visit, moment: float) -> None:
        views = self._views
        changed = visit.outcome is Outcome.REVISED
        days = max(moment - views["last"][row], 1.0) / DAY_S
        self.kinds.add(PageKind(views["kind"][row]), days, changed)
        if views["changes"][row] < _MOST_CHANGES:
            counts = self._counts(row).added(days, changed)
            views["changes"][row] = int(counts.changes)
            views["changed_days"][row], views["same_days"][row] = counts[1:]
        views["strikes"][row] = 0
        if self._rule:
            views["interval"][row] = next_interval(self._rule, views["interval"][row], changed)
        if changed:
            self._keep(row, visit)
        else:
            self._rate(row)
        if visit.status == 200:  # with 304 the validators are the same
            self._rewrite(row, self._encoded(visit))

    def _keep(self, row: int, visit: Visit) -> None:
        """What a fetched page says."""
        views = self._views
        views["facts"][row], views["simhash"][row] = visit.facts, visit.simhash
        views["kind"][row] = kind_of(visit)
        views["addresses"][row] = min(len(visit.addresses), 255)
        views["relevant"][row] = visit.relevant
        self._weigh(row)
        self._rate(row)

    def _weigh(self, row: int) -> None:
        views = self._views
        views["importance"][row] = importance_of(
            bool(views["relevant"][row]), views["addresses"][row], views["inlinks"][row]
        )

    def _rate(self, row: int) -> None:
        views = self._views
        prior = self.kinds.rate(PageKind(views["kind"][row]))
        views["rate"][row] = rate_of(self._counts(row), prior)

    def _counts(self, row: int) -> ChangeCounts:
        views = self._views
        return ChangeCounts(*(views[name][row] for name in ChangeCounts._fields))

    def _count_links(self, visit: Visit) -> None:
        """Links to pages here make them more important."""
        prints = [*visit.known, *fingerprints([link.url for link in visit.links])]
        found, rows = self._rows.find(np.array(prints, np.uint64))
        for row in rows[found].tolist():
            self._views["inlinks"][row] += 1
            self._weigh(row)

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
