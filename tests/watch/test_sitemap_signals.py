"""Dates in sitemaps bring visits forward; what they said is in the log."""

from pathlib import Path

import pytest

from toponaut.records import Outcome, QueuedLink, Visit
from toponaut.watch.revisit_table import DAY_S, RevisitTable
from toponaut.watch.sitemap_signals import SitemapSignals

MAP = "http://a.test/sitemap.xml"
OLD, NEW = "http://a.test/old", "http://a.test/new"


def visit(url: str, outcome: Outcome = Outcome.FETCHED, day: float = 10.0) -> Visit:
    sitemap = outcome is Outcome.SITEMAP
    return Visit(0, "n", url, 200, outcome, time=day * DAY_S, sitemap=sitemap)


@pytest.fixture
def pages(tmp_path: Path) -> RevisitTable:
    table = RevisitTable(tmp_path)
    for url in (OLD, NEW):
        table.learn(visit(url))
    return table


@pytest.fixture
def signals(pages: RevisitTable) -> SitemapSignals:
    found = SitemapSignals(pages, per_day=100)
    found.learn(visit(MAP, Outcome.SITEMAP))
    return found


def test_pages_modified_since_their_visit_are_looked_at_soon(
    signals: SitemapSignals, pages: RevisitTable
) -> None:
    dates = {OLD: 9 * DAY_S, NEW: 11 * DAY_S, "http://a.test/unknown": 11 * DAY_S}
    news = signals.news(MAP, dates, 12 * DAY_S)
    assert news is not None
    assert news.urls == (NEW,)
    assert not pages.is_urgent(pages.row(NEW) or 0)  # only the note in the log counts
    assert signals.learn_note(news.note) == [pages.row(NEW)]
    assert [pages.is_urgent(row) for row in range(2)] == [False, True]
    assert signals.learn_note("watch 100 requests a day") == []


def test_dates_in_the_future_say_nothing(signals: SitemapSignals) -> None:
    news = signals.news(MAP, {NEW: 50 * DAY_S}, 12 * DAY_S)
    assert news is not None  # it has dates: that is news, once
    assert news.urls == ()
    signals.learn_note(news.note)
    assert signals.news(MAP, {NEW: 50 * DAY_S}, 12 * DAY_S) is None
    assert signals.news(MAP, {}, 12 * DAY_S) is None


def test_sitemaps_with_dates_are_read_every_day(signals: SitemapSignals) -> None:
    def due(day: float) -> list[tuple[str, QueuedLink]]:
        return list(signals.due(day * DAY_S))

    assert due(12.0) == []  # it may have no dates: after 30 days
    [(node, link)] = due(40.1)
    assert (node, link.url, link.sitemap, link.revisit) == ("n", MAP, True, True)
    assert due(40.2) == []
    signals.learn(visit(MAP, Outcome.SITEMAP, day=40.2))
    news = signals.news(MAP, {OLD: 0.0}, 40.2 * DAY_S)
    assert news is not None
    signals.learn_note(news.note)
    assert due(41.0) == []
    assert len(due(41.3)) == 1


def test_sitemaps_take_a_twentieth_of_the_requests(pages: RevisitTable) -> None:
    """50 sitemaps with dates and 100 requests a day: each every ten days."""
    signals = SitemapSignals(pages, per_day=100)
    for number in range(50):
        url = f"http://{number}.test/sitemap.xml"
        signals.learn(visit(url, Outcome.SITEMAP))
        news = signals.news(url, {OLD: 0.0}, 10 * DAY_S)
        assert news is not None
        signals.learn_note(news.note)
    assert list(signals.due(19.9 * DAY_S)) == []
    assert len(list(signals.due(20.1 * DAY_S))) == 50
