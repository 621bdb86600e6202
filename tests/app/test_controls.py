"""The dashboard's buttons, clicked in a real browser while a real crawl runs."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect
from tests.support.browser import PHONE, chromium, window
from tests.support.controlled import HOST, LITTLE, PATIENCE_S, crawling
from tests.support.crawling import visits
from tests.support.serving import serve
from tests.support.watched import INTERRUPTED, snapshot, write
from tests.support.webserver import TestWeb

from toponaut.records import Outcome

TOKEN = "a-long-enough-token"
NEW = "http://elsewhere.test/"


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with chromium() as opened:
        yield opened


def give(page: Page, action: str, value: str, answer: str) -> None:
    """Choose a command, type its value, send it, and see what the crawl answers."""
    page.get_by_label("Command").select_option(action)
    page.get_by_label("Value").fill(value)
    page.get_by_role("button", name="Send").click()
    expect(page.locator("#control-note")).to_contain_text(answer)


def test_every_button_reaches_the_crawl(tmp_path: Path, browser: Browser) -> None:
    with (
        TestWeb(LITTLE.sites) as web,
        crawling(tmp_path, web, pages=1000) as process,
        serve(tmp_path / "c", token=TOKEN) as base,
    ):
        with window(browser, base) as page:
            page.goto(f"/dashboard?token={TOKEN}")
            note, state, line = (
                page.locator(name) for name in ("#control-note", "#state", "#line")
            )
            page.get_by_role("button", name="Pause").click()
            expect(note).to_have_text("paused: no new requests")
            expect(state).to_have_text("paused")
            give(page, "budget", "90", "the budget is 90 pages")
            expect(line).to_contain_text("of 90 pages")
            give(page, "exclude", HOST, f"excluded {HOST}")
            give(page, "seed", NEW, "added 1 seed")
            page.get_by_role("button", name="Resume").click()
            expect(note).to_have_text("resumed")
            expect(state).not_to_have_text("paused")
        out = process.communicate(timeout=PATIENCE_S)[0]
    assert "limits.pages = 90" in out
    log = visits(tmp_path / "c")
    details = [visit.detail for visit in log if visit.outcome is Outcome.CONTROL]
    assert details == ["pause", "budget 90 instead of 1000", f"exclude {HOST}", "resume"]
    assert any(visit.url.startswith(NEW) for visit in log)


def test_a_refused_command_says_why_and_a_phone_shows_all_buttons(
    tmp_path: Path, browser: Browser
) -> None:
    with (
        TestWeb(LITTLE.sites) as web,
        crawling(tmp_path, web),
        serve(tmp_path / "c", token=TOKEN) as base,
        window(browser, base, PHONE, phone=True, refused=(400,)) as page,
    ):
        page.goto(f"/dashboard?token={TOKEN}")
        give(page, "budget", "many", "budget needs a number of pages. Write: budget 5000")
        page.get_by_role("button", name="Resume").click()
        expect(page.locator("#control-note")).to_contain_text("the crawl is not paused")
        buttons = page.locator("#control-form").locator("button, select, input")
        for number in range(buttons.count()):
            box = buttons.nth(number).bounding_box()
            assert box
            assert 0 <= box["x"] <= box["x"] + box["width"] <= PHONE[0]


def test_without_a_token_there_are_no_buttons(tmp_path: Path, browser: Browser) -> None:
    root = write(tmp_path / "c", snapshot(stopped=INTERRUPTED))
    with serve(root) as base, window(browser, base) as page:
        page.goto("/dashboard")
        expect(page.locator("#state")).to_have_text("stopped")
        expect(page.locator("#controls")).to_be_hidden()
