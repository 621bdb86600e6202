"""The dashboard over HTTP and in a browser: live, on a phone, dark, with hostile pages."""

import signal
import subprocess
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from email.message import Message
from pathlib import Path

import msgspec
import pytest
from msgspec.structs import replace
from playwright.sync_api import Browser, Locator, Page, Route, expect
from tests.app.test_crawl_watcher import parsed
from tests.support.browser import PHONE, chromium, window
from tests.support.crawling import command
from tests.support.serving import serve
from tests.support.watched import INTERRUPTED, SEATTLE, VISITS, append, at, snapshot, visit, write

from toponaut.app.crawl_watcher import CrawlState, CrawlWatcher

HOSTILE = '<img src=x onerror="document.title=1">"\'</script><script>document.title=2</script>'
SOON = 30_000  # ms, on a busy machine


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with chromium() as opened:
        yield opened


@pytest.fixture(scope="module")
def still(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Path, str]]:
    """A stopped, hand-made crawl with a hostile page: its directory and URL."""
    bad = visit(
        9, HOSTILE, "http://evil.test/<script>alert(1)</script>", title=HOSTILE, relevant=True,
        addresses=(at(SEATTLE, f"1 {HOSTILE} St", organisation=HOSTILE),),
    )  # fmt: skip
    root = write(
        tmp_path_factory.mktemp("dashboard") / "still",
        snapshot(stopped=INTERRUPTED),
        (*VISITS, bad),
    )
    with serve(root) as base:
        yield root, base


def get(url: str, tag: str = "") -> tuple[int, Message, bytes]:
    request = urllib.request.Request(url, headers={"If-None-Match": tag} if tag else {})
    try:
        with urllib.request.urlopen(request, timeout=60) as answer:
            return answer.status, answer.headers, answer.read()
    except urllib.error.HTTPError as error:
        return error.code, error.headers, error.read()


def number(page: Page, name: str) -> Locator:
    return page.locator(f'#numbers [data-name="{name}"] dd').first


def opened(page: Page) -> Page:
    page.goto("/dashboard")
    page.locator("#nodes tbody tr").first.wait_for(timeout=SOON)
    return page


# --- over HTTP ------------------------------------------------------------------------------------


def test_the_state_is_sent_once(still: tuple[Path, str]) -> None:
    root, base = still
    status, headers, body = get(f"{base}/api/crawl")
    state = msgspec.json.decode(body, type=CrawlState)
    assert status == 200
    assert state == replace(CrawlWatcher(root).look(), written=state.written)
    assert (state.numbers.pages, state.stopped) == (6, INTERRUPTED)
    status, _, body = get(f"{base}/api/crawl", headers["ETag"])
    assert (status, body) == (304, b"")
    append(root, (visit(10, "north", "http://late.test/"),))
    while status == 304:  # the last state is cached for a moment
        time.sleep(0.1)
        status, _, body = get(f"{base}/api/crawl", headers["ETag"])
    assert (status, msgspec.json.decode(body, type=CrawlState).numbers.pages) == (200, 7)


def test_concurrent_requests(still: tuple[Path, str]) -> None:
    _, base = still
    with ThreadPoolExecutor(16) as pool:
        answers = list(pool.map(get, [f"{base}/api/crawl", f"{base}/metrics"] * 16))
    assert {status for status, _, _ in answers} == {200}
    assert len({body for _, _, body in answers}) == 2


def test_metrics_are_served(still: tuple[Path, str]) -> None:
    _, base = still
    status, headers, body = get(f"{base}/metrics")
    found = parsed(body.decode())
    assert (status, headers["Content-Type"]) == (200, "text/plain; version=0.0.4; charset=utf-8")
    assert found["toponaut_pages_total", "node", HOSTILE] == 1
    assert found["toponaut_index_pages", "", ""] >= 1


# --- in a browser ---------------------------------------------------------------------------------


def test_a_running_crawl(browser: Browser, tmp_path: Path) -> None:
    root, job = tmp_path / "crawl", tmp_path / "job.toml"
    job.write_text(
        'partition = "even"\n[targets]\nplaces = ["Seattle, WA", "Denver, CO"]\n[nodes]\ngeographic'
        " = 2\ngeneral = 1\n"
        '[politeness]\ncontact = "https://bot.example/"\n[limits]\npages = 90_000\n[storage]\nwarc '
        "= false\n",
        encoding="utf-8",
    )
    line, environment = command("crawl", job, root, "--synthetic", "1", "--workers", "0", "--quiet")
    with subprocess.Popen(
        line, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    ) as process:
        try:
            while not (root / "state" / "progress.json").exists() and process.poll() is None:
                time.sleep(0.1)
            with serve(root) as base, window(browser, base) as page:
                opened(page)
                expect(page.locator("#state")).to_have_text("running", timeout=SOON)
                expect(page.locator("#line")).to_contain_text("of 90,000 pages", timeout=SOON)
                before = number(page, "pages").inner_text()
                expect(number(page, "pages")).not_to_have_text(before, timeout=SOON)
                assert count(number(page, "pages")) > count_of(before)
                expect(number(page, "links waiting")).not_to_have_text("0")
                expect(page.locator("#nodes tbody tr")).to_have_count(3)
                expect(page.locator("#queue path.line")).to_have_count(1, timeout=SOON)
                process.send_signal(signal.SIGINT)
                expect(page.locator("#line")).to_have_text(
                    "Stopped because it was interrupted.", timeout=SOON
                )
                expect(page.locator("#announcement")).to_contain_text(
                    "Stopped because it was interrupted."
                )
                assert count(number(page, "pages")) == CrawlWatcher(root).look(60).numbers.pages
        finally:
            process.kill()


def count(shown: Locator) -> int:
    return count_of(shown.inner_text())


def count_of(shown: str) -> int:
    return int(shown.replace(",", ""))


def test_the_page(browser: Browser, still: tuple[Path, str]) -> None:
    with window(browser, still[1]) as page:
        opened(page)
        expect(page.locator("#name")).to_have_text("still")
        expect(page.locator("#line")).to_have_text("Stopped because it was interrupted.")
        expect(number(page, "errors")).to_have_text("2")
        expect(number(page, "places covered")).to_have_text("3")
        expect(page.locator("#harvest path.line")).to_have_count(2)
        words = "Map: 3 of 12 targets covered"
        expect(page.get_by_role("region", name=words)).to_be_visible()
        expect(page.locator("#map .legend li")).to_have_text(
            ["Pages about a target", "Target without pages"]
        )
        expect(page.locator("#places li").first).to_contain_text("Seattle, WA, US")
        expect(page.locator("#refused li").first).to_contain_text("calendar")
        assert page.locator("#nodes tbody th").all_inner_texts()[:2] == ["north", "south"]
        page.locator("#harvest").hover()
        expect(page.locator("#harvest .readout").first).to_contain_text("pages")
        link = page.locator("#latest a.page", has_text="Page 8")
        assert link.get_attribute("href") == "/?page=http%3A%2F%2Fa.test%2F3"


def test_hostile_text_stays_text(browser: Browser, still: tuple[Path, str]) -> None:
    with window(browser, still[1]) as page:
        opened(page)
        bad = page.locator("#latest li").first
        expect(bad.locator("a.page")).to_have_text(HOSTILE)
        expect(bad.locator(".where")).to_contain_text(f"1 {HOSTILE} St")
        expect(page.locator("#nodes tbody th").last).to_have_text(HOSTILE)
        assert bad.locator("a").count() == 2  # the page view, and the page itself
        assert page.locator("main img, main script").count() == 0
        assert page.title() == "still · Toponaut"


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
def test_the_page_fits_on_a_phone(browser: Browser, still: tuple[Path, str], dark: bool) -> None:
    with window(browser, still[1], PHONE, dark=dark, phone=True) as page:
        opened(page)
        assert page.evaluate("() => document.documentElement.scrollWidth") == PHONE[0]
        ground = page.evaluate("() => getComputedStyle(document.body).backgroundColor")
        assert ground == ("rgb(18, 22, 27)" if dark else "rgb(246, 245, 241)")


def test_only_web_addresses_are_links(browser: Browser, still: tuple[Path, str]) -> None:
    root, base = still
    state = CrawlWatcher(root).look()
    state = replace(state, latest=[replace(state.latest[0], url="javascript:alert(1)")])
    with window(browser, base) as page:
        page.route("**/api/crawl", lambda route: route.fulfill(json=msgspec.to_builtins(state)))
        links = opened(page).locator("#latest a")
        assert [link.get_attribute("href") for link in links.all()] == [
            "/?page=javascript%3Aalert%281%29"
        ]


def test_a_lost_connection(browser: Browser, still: tuple[Path, str]) -> None:
    """Not in a watched window: the browser logs an error for a server that is gone."""
    context = browser.new_context(base_url=still[1])
    page = opened(context.new_page())

    def refuse(route: Route) -> None:
        route.abort()

    page.route("**/api/crawl", refuse)
    # As if the user returned to the tab.
    page.evaluate("() => document.dispatchEvent(new Event('visibilitychange'))")
    expect(page.locator("#lost")).to_contain_text(
        "Connection lost: the server does not respond", timeout=SOON
    )
    expect(page.locator("#announcement")).to_have_text("Connection lost")
    expect(number(page, "errors")).to_have_text("2")  # the last known state
    page.unroute("**/api/crawl", refuse)
    expect(page.locator("#lost")).to_be_hidden(timeout=SOON)
    expect(page.locator("#announcement")).to_have_text("Reconnected")
    context.close()


def test_the_page_before_a_crawl(browser: Browser, still: tuple[Path, str]) -> None:
    """The page before a crawl has started."""
    with window(browser, still[1]) as page:
        page.route(
            "**/api/crawl",
            lambda route: route.fulfill(json=msgspec.to_builtins(CrawlState("new", "not started"))),
        )
        page.goto("/dashboard")
        expect(page.locator("#line")).to_have_text("No crawl has started here yet.")
        expect(number(page, "pages")).to_have_text("0")
        expect(page.locator("#harvest")).to_contain_text("No pages yet")
