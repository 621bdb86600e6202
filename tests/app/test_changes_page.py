"""The changes of a watch over HTTP, as a feed, and as a page in a browser."""

import xml.etree.ElementTree as ET
from collections.abc import Iterator
from pathlib import Path

import pytest
from msgspec.structs import replace
from playwright.sync_api import Browser, expect
from tests.support.browser import chromium, window
from tests.support.serving import ask, get, serve
from tests.support.watched import INTERRUPTED, SEATTLE, at, snapshot, visit, write

from toponaut.crawl.progress import WatchProgress
from toponaut.records import Outcome

HOSTILE = "<img src=x onerror=alert(1)>"
SHOP = at(SEATTLE, organisation="Pike Shop", normal="1 pike st", category="shop")
WATCHED = (
    visit(0, "north", "", Outcome.SEEDED),
    visit(1, "north", "http://a.test/contact", addresses=(SHOP,)),
    visit(2, "north", "", Outcome.CONTROL, detail="watch 100 requests a day"),
    visit(3, "north", "http://a.test/contact", Outcome.REVISED, revisit=True,
        addresses=(replace(SHOP, normal="9 pine st"),)),
    visit(4, "north", "http://b.test/", addresses=(
        replace(SHOP, normal="2 pike st", organisation=HOSTILE, category="restaurant"),)),
)  # fmt: skip


@pytest.fixture(scope="module")
def base(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    root: Path = tmp_path_factory.mktemp("changes") / "c"
    made = snapshot(stopped=INTERRUPTED)
    watch = WatchProgress(100, 90, 5, 0.25, 12, 2, ((1.8e9, "http://a.test/contact"),))
    write(root, replace(made, progress=replace(made.progress, watch=watch)), WATCHED)
    with serve(root) as url:
        yield url


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with chromium() as opened:
        yield opened


def test_changes_as_json(base: str) -> None:
    found = ask(base, "/api/changes")
    assert [one["kind"] for one in found["changes"]] == ["appeared", "moved"]
    assert found["kinds"] == {"moved": 1, "appeared": 1}
    assert ask(base, "/api/changes", category="restaurant")["total"] == 1
    assert ask(base, "/api/changes", kind="moved", place="Seattle, WA")["total"] == 1
    assert ask(base, "/api/changes", place="Lisbon, Portugal")["total"] == 0
    assert get(base, "/api/changes?kind=burnt").status == 400
    assert get(base, "/api/changes?since=2999-01-01").status == 400


def test_the_feed(base: str) -> None:
    answer = get(base, "/feed.atom?category=shop")
    assert answer.headers["content-type"].startswith("application/atom+xml")
    names = {"a": "http://www.w3.org/2005/Atom"}
    entries = ET.fromstring(answer.body).findall("a:entry", names)
    assert [one.findtext("a:title", "", names) for one in entries] == ["moved: Pike Shop"]


def test_the_dashboard_shows_the_watch(base: str) -> None:
    assert ask(base, "/api/crawl")["numbers"]["watch"]["used"] == 90
    assert b"toponaut_watch_budget_requests 100" in get(base, "/metrics").body


def test_the_page(base: str, browser: Browser) -> None:
    with window(browser, base) as page:
        page.goto(f"{base}/changes")
        expect(page.locator("#changes li")).to_have_count(2)
        expect(page.locator("#changes li").first).to_contain_text(HOSTILE)
        page.select_option("#kind", "moved")
        page.click("#filters button")
        expect(page.locator("#changes li")).to_have_count(1)
        expect(page.locator("#changes")).to_contain_text("1 pike st → 9 pine st")
        page.fill("#place", "Lisbon, Portugal")
        page.click("#filters button")
        expect(page.locator("#line")).to_have_text("No change matches. Choose fewer filters.")
        expect(page.locator("#map-card")).to_be_hidden()
