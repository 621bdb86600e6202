"""Dates in sitemaps bring visits forward or delay them; what they said is in the log."""

from pathlib import Path

import pytest

from toponaut.records import Outcome, QueuedLink, Visit
from toponaut.urls import fingerprints
from toponaut.watch.date_record import DateRecord
from toponaut.watch.revisit_table import DAY_S, RevisitTable
from toponaut.watch.sitemap_signals import SitemapSignals

MAP = "http://a.test/sitemap.xml"
OLD, NEW = "http://a.test/old", "http://a.test/new"


def visit(
    url: str, outcome: Outcome = Outcome.FETCHED, day: float = 10.0, known: tuple[str, ...] = ()
) -> Visit:
    return Visit(
        0, "n", url, 200, outcome, time=day * DAY_S, sitemap=url == MAP or "sitemap" in url,
        revisit=day > 10.0, known=tuple(fingerprints(known)),
    )  # fmt: skip


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

    assert due(10.9) == []
    [(node, link)] = due(11.1)  # once, to see whether it has dates
    assert (node, link.url, link.sitemap, link.revisit) == ("n", MAP, True, True)
    assert due(11.2) == []
    signals.learn(visit(MAP, Outcome.SITEMAP, day=11.2))
    assert due(40.0) == []
    assert len(due(41.3)) == 1
    signals.learn(visit(MAP, Outcome.SITEMAP, day=40.2))
    news = signals.news(MAP, {OLD: 0.0}, 40.2 * DAY_S)
    assert news is not None
    signals.learn_note(news.note)
    assert due(41.2) == []
    assert len(due(41.4)) == 1


def test_a_sitemap_that_is_lost_with_its_host_waits_for_a_day(signals: SitemapSignals) -> None:
    assert len(list(signals.due(11.1 * DAY_S))) == 1
    signals.give_up("a.test", 11.2 * DAY_S)
    assert list(signals.due(12.0 * DAY_S)) == []
    assert len(list(signals.due(12.3 * DAY_S))) == 1


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


# --- how far dates are trusted -------------------------------------------------------------------


def test_a_record_of_dates_by_hand() -> None:
    """Six changes told, one missed: m = (3 + 1) / (3 + 1 + 6). Seven false dates: p = 8 / 16."""
    record = DateRecord(told=6, missed=1, false=7)
    assert record.silent == pytest.approx(0.4)
    assert record.right == pytest.approx(0.5)
    assert record.pages_at_once == 65
    for _ in range(35):
        record.forget()
    assert record.told == pytest.approx(3.0, rel=0.02)
    assert DateRecord().pages_at_once == 5
    assert DateRecord().silent == 1.0


def test_dates_that_are_new_each_day_bring_nothing_forward(
    signals: SitemapSignals, pages: RevisitTable
) -> None:
    """After six pages with a new date that had not changed: p = 2 / 9."""
    looked: list[str] = []
    for day in range(11, 20):
        if news := signals.news(MAP, {OLD: day * DAY_S}, day * DAY_S):
            signals.learn_note(news.note)
            looked += news.urls
        signals.learn(visit(MAP, Outcome.SITEMAP, day, (OLD,)))
        pages.learn(visit(OLD, Outcome.CONFIRMED, day + 0.1))
    assert len(looked) == 6


def test_pages_of_a_reliable_sitemap_are_visited_less(
    signals: SitemapSignals, pages: RevisitTable
) -> None:
    """Nine changes, all told: three of twelve are still expected without a new date."""
    for day in range(11, 20):
        news = signals.news(MAP, {OLD: day * DAY_S, NEW: 0.0}, day * DAY_S)
        assert news is not None
        signals.learn_note(news.note)
        signals.learn(visit(MAP, Outcome.SITEMAP, day, (OLD, NEW)))
        pages.learn(visit(OLD, Outcome.REVISED, day + 0.1))
    pages.estimate(slice(None))
    alone = pages.unseen_rates(slice(None)).copy()
    assert (alone == pages.column("rate")).all()  # only a review counts with the record
    pages.dates[1] = DateRecord(told=9 / 0.98)
    pages.weigh_dates()
    assert pages.unseen_rates(slice(None)) == pytest.approx(alone * 3 / 12)
    signals.learn(visit(MAP, Outcome.SITEMAP, 21, (OLD,)))  # NEW is no longer listed
    assert pages.unseen_rates(slice(None)) == pytest.approx(alone * [3 / 12, 1])
    signals.learn(visit(MAP, Outcome.GONE, 22))
    assert pages.unseen_rates(slice(None)) == pytest.approx(alone)
