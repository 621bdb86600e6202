"""Every view, at three widths, light and dark: no barriers (axe-core), nothing beyond the edge."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect
from tests.support.browser import chromium, window
from tests.support.serving import serve
from tests.support.towns import PAGES, crawl_towns

AXE = Path(__file__).parents[2] / "build" / "npm" / "axe.min.js"
WIDTHS = {"phone": (375, 740), "tablet": (768, 1024), "desktop": (1280, 800)}
VIEWS = {
    "start": ("/", ".start h1"),
    "search": ("/?q=pizza+near+lisbon", ".hit"),
    "places": ("/?q=pizza&view=places", ".hit"),
    "nothing": ("/?q=zeppelin", ".empty"),
    "page": ("/?q=pizza&page=http://towns.test/pt/forno", "#page h1"),
    "changes": ("/changes", "h1"),
    "dashboard": ("/dashboard", ".numbers dd"),
}
WITH_MAP = ("search", "dashboard")


@pytest.fixture(scope="module")
def base(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with serve(crawl_towns(tmp_path_factory.mktemp("towns"), PAGES)) as url:
        yield url


@pytest.fixture(scope="module")
def browser(base: str) -> Iterator[Browser]:
    assert base  # after the crawl, which needs its own event loop
    with chromium() as started:
        yield started


def barriers(page: Page, rules: str = "") -> list[str]:
    """What axe finds, in words; with all rules, or with one."""
    if not page.evaluate("typeof axe === 'object'"):
        page.evaluate(AXE.read_text(encoding="utf-8"))
    found: Any = page.evaluate("rules => axe.run(rules ? { runOnly: [rules] } : {})", rules)
    return [
        f"{one['id']}: {node['target']} {node['failureSummary']}"
        for one in found["violations"]
        for node in one["nodes"]
    ]


@pytest.mark.parametrize("view", VIEWS)
def test_a_view(browser: Browser, base: str, view: str) -> None:
    """Loaded once, then turned to each width and to light and dark.

    Drawing a map without a GPU takes seconds: two views have one, the others miss it.
    """
    address, shown = VIEWS[view]
    with window(browser, base, WIDTHS["desktop"], aborted=view not in WITH_MAP) as page:
        if view not in WITH_MAP:
            page.route("**/maplibre-gl.js", lambda route: route.abort())
        page.goto(address)
        expect(page.locator(shown).first).to_be_visible()
        page.wait_for_load_state("networkidle")
        for name, (width, height) in WIDTHS.items():
            page.set_viewport_size({"width": width, "height": height})
            assert page.evaluate("document.documentElement.scrollWidth") <= width, name
            assert barriers(page) == [], name
            page.emulate_media(color_scheme="dark")
            assert barriers(page, "color-contrast") == [], name
            page.emulate_media(color_scheme="light")


def test_list_and_map_share_a_tablet(browser: Browser, base: str) -> None:
    with window(browser, base, WIDTHS["tablet"]) as page:
        page.goto("/?q=pizza")
        expect(page.locator(".hit").first).to_be_visible()
        expect(page.locator("#map")).to_be_visible()
        expect(page.locator("#toggle")).to_be_hidden()
        box = page.locator("#map").bounding_box()
        assert box
        assert box["width"] > 350


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
def test_an_error_is_a_page(browser: Browser, base: str, dark: bool) -> None:
    with window(browser, base, WIDTHS["phone"], dark=dark, refused=(400, 404)) as page:
        page.goto("/nowhere")
        expect(page.get_by_role("heading", name="Not Found")).to_be_visible()
        assert barriers(page) == []
        page.goto("/api/search?limit=none")
        expect(page.get_by_role("heading", name="Bad Request")).to_be_visible()
        page.get_by_role("link", name="Search").last.click()
        expect(page.locator(".start h1")).to_be_visible()
