"""Sitemaps and feeds as signals: one request says which pages of a site were modified.

A sitemap with dates is read once a day, one without dates every 30 days, for its new pages. All of
them together take a twentieth of the requests at most. A page that was modified after its last
visit is looked at soon, and a page with an older date may wait: how far each sitemap is trusted
follows from its record (date_record.py).

What a sitemap said is a note in the log, so that a watch that was killed knows it, too.
"""

from collections.abc import Iterator, Mapping

import msgspec
from msgspec import Struct

from toponaut.records import Outcome, QueuedLink, Visit
from toponaut.timing import crawl_moment
from toponaut.urls import host_of
from toponaut.watch.date_record import DateRecord
from toponaut.watch.revisit_table import DAY_S, Hint, RevisitTable

_NOTE = "modified "
_DATED_DAYS, _UNDATED_DAYS = 1.0, 30.0
_SHARE = 0.05  # of requests
_LOOK_S = 3600.0  # sitemaps are due at whole hours, so that few looks are needed


class ModifiedPages(Struct, frozen=True):
    """What a sitemap with dates said: the pages to look at soon."""

    sitemap: str
    urls: tuple[str, ...]

    @property
    def note(self) -> str:
        """What the log says."""
        return _NOTE + msgspec.json.encode(self).decode()


class _SitemapState(Struct):
    number: int  # its record is pages.dates[number]
    node: str = ""
    depth: int = 0
    read: float = 0.0  # when
    again: bool = False  # it was read again in a watch, so it is known whether it has dates
    put: float = -DAY_S  # when it was put into a frontier, unless it was read since


class SitemapSignals:
    """The sitemaps of a crawl: when they are read again, and what they said."""

    def __init__(self, pages: RevisitTable, per_day: int) -> None:
        self._pages, self._per_day = pages, per_day
        self._known: dict[str, _SitemapState] = {}
        self._dated: set[str] = set()
        self._hour = -1.0

    # --- learning --------------------------------------------------------------------------------

    def learn(self, visit: Visit) -> list[int]:
        """Take a request for a sitemap; return the rows of pages that are new in it, or gone."""
        moment = crawl_moment(visit.time, visit.stamp)
        known = self._known.get(visit.url)
        if visit.outcome is not Outcome.SITEMAP:
            if known is None:
                return []
            known.read, known.put = moment, -DAY_S
            return self._pages.list_in(known.number, ())
        if known is None:
            known = self._known[visit.url] = _SitemapState(len(self._pages.dates))
            self._pages.dates.append(DateRecord())
        known.node, known.depth, known.read, known.put = visit.node, visit.depth, moment, -DAY_S
        known.again = visit.revisit
        return self._pages.list_in(known.number, visit.known) if visit.url in self._dated else []

    def learn_note(self, detail: str) -> list[int]:
        """Take a note of the log; return the rows of the pages to look at soon."""
        if not detail.startswith(_NOTE):
            return []
        said = msgspec.json.decode(detail.removeprefix(_NOTE), type=ModifiedPages)
        self._dated.add(said.sitemap)
        rows = [row for url in said.urls if (row := self._pages.row(url)) is not None]
        self._pages.look_soon(rows, Hint.DATED)
        return rows

    def give_up(self, host: str, moment: float) -> None:
        """A host failed too often: its sitemaps that were due are lost from the frontier."""
        for url, known in self._known.items():
            if host_of(url) == host and self._is_due(url, known, moment // _LOOK_S):
                known.read, known.put = moment, -DAY_S

    # --- what sitemaps say -----------------------------------------------------------------------

    def news(self, sitemap: str, dates: Mapping[str, float], now: float) -> ModifiedPages | None:
        """The pages to look at soon; None if there is nothing new."""
        known = self._known.get(sitemap)
        record = self._pages.dates[known.number] if known else DateRecord()
        last, importance = self._pages.column("last"), self._pages.column("importance")
        newer = []
        for url, date in dates.items():
            row = self._pages.row(url)
            if row is not None and last[row] < date <= now and not self._pages.hint(row):
                newer.append((-float(importance[row]), url))
        urls = tuple(url for _, url in sorted(newer)[: record.pages_at_once])
        first = bool(dates) and sitemap not in self._dated
        return ModifiedPages(sitemap, urls) if urls or first else None

    def due(self, now: float) -> Iterator[tuple[str, QueuedLink]]:
        """The sitemaps to read now, with their nodes."""
        hour = now // _LOOK_S
        if hour == self._hour:
            return
        self._hour = hour
        for url, known in self._known.items():
            if self._is_due(url, known, hour) and known.put + DAY_S <= now:
                known.put = now
                yield known.node, QueuedLink(url, 1.0, known.depth, sitemap=True, revisit=True)

    def _is_due(self, url: str, known: _SitemapState, hour: float) -> bool:
        least = len(self._known) / (_SHARE * self._per_day)
        undated = known.again and url not in self._dated
        days = max(_UNDATED_DAYS if undated else _DATED_DAYS, least)
        next_hour: float = (known.read + days * DAY_S) // _LOOK_S
        return next_hour < hour
