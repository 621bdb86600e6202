"""Sitemaps and feeds as signals: one request says which pages of a site were modified.

A sitemap with dates is read once a day, one without dates every 30 days, for its new pages. All of
them together take a twentieth of the requests at most. A page that was modified after its last
visit is looked at soon. Dates are noisy: many sites date every page anew, or never. So a date only
brings a visit forward, and no page waits longer because of it.

What a sitemap said is a note in the log, so that a watch that was killed knows it, too.
"""

from collections.abc import Iterator, Mapping

import msgspec
from msgspec import Struct

from toponaut.records import QueuedLink, Visit
from toponaut.timing import crawl_moment
from toponaut.watch.revisit_table import DAY_S, RevisitTable

_NOTE = "modified "
_DATED_DAYS, _UNDATED_DAYS = 1.0, 30.0
_SHARE = 0.05  # of requests
_MOST = 500  # pages that one reading brings forward
_LOOK_S = 3600.0  # sitemaps are due at whole hours, so that few looks are needed


class ModifiedPages(Struct, frozen=True):
    """What a sitemap with dates said."""

    sitemap: str
    urls: tuple[str, ...]

    @property
    def note(self) -> str:
        """What the log says."""
        return _NOTE + msgspec.json.encode(self).decode()


class _SitemapState(Struct):
    node: str
    depth: int
    read: float  # when
    dated: bool = False


class SitemapSignals:
    """The sitemaps of a crawl: when they are read again, and what they said."""

    def __init__(self, pages: RevisitTable, per_day: int) -> None:
        self._pages, self._per_day = pages, per_day
        self._known: dict[str, _SitemapState] = {}
        self._hour = -1.0

    def learn(self, visit: Visit) -> None:
        """A sitemap was read."""
        moment = crawl_moment(visit.time, visit.stamp)
        dated = visit.url in self._known and self._known[visit.url].dated
        self._known[visit.url] = _SitemapState(visit.node, visit.depth, moment, dated)

    def learn_note(self, detail: str) -> list[int]:
        """Take a note of the log; return the rows of the pages to look at soon."""
        if not detail.startswith(_NOTE):
            return []
        said = msgspec.json.decode(detail.removeprefix(_NOTE), type=ModifiedPages)
        if known := self._known.get(said.sitemap):
            known.dated = True
        rows = [row for url in said.urls if (row := self._pages.row(url)) is not None]
        self._pages.look_soon(rows)
        return rows

    def news(self, sitemap: str, dates: Mapping[str, float], now: float) -> ModifiedPages | None:
        """The pages that were modified after their last visit; None if that is nothing new."""
        last = self._pages.column("last")
        newer = []
        for url, date in dates.items():
            row = self._pages.row(url)
            if row is not None and last[row] < date <= now:
                newer.append(url)
        known = self._known.get(sitemap)
        first = bool(dates) and known is not None and not known.dated
        return ModifiedPages(sitemap, tuple(newer[:_MOST])) if newer or first else None

    def due(self, now: float) -> Iterator[tuple[str, QueuedLink]]:
        """The sitemaps to read now, with their nodes."""
        hour = now // _LOOK_S
        if hour == self._hour:
            return
        self._hour = hour
        least = len(self._known) / (_SHARE * self._per_day)
        for url, one in self._known.items():
            days = max(_DATED_DAYS if one.dated else _UNDATED_DAYS, least)
            if (one.read + days * DAY_S) // _LOOK_S < hour:
                one.read = now  # not again before it was read
                yield one.node, QueuedLink(url, 1.0, one.depth, sitemap=True, revisit=True)
