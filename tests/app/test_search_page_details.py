"""The search page in a browser: list, map and URL agree, and it is accessible."""

from collections.abc import Iterator
from itertools import pairwise

import pytest
from playwright.sync_api import Browser, Locator, Page, expect
from tests.support.browser import chromium, window
from tests.support.serving import serve
from tests.support.towns import PAGES, TownPage, crawl_towns

PORTUGAL = 2264397
BREAD = tuple(
    TownPage(f"/tx/bread{k}", f"Bread {k}", f"Bread number {k}{k} of Houston, Texas.")
    for k in range(2)
)


@pytest.fixture(scope="module")
def base(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with serve(crawl_towns(tmp_path_factory.mktemp("towns"), (*PAGES, *BREAD))) as url:
        yield url


@pytest.fixture(scope="module")
def browser(base: str) -> Iterator[Browser]:
    assert base  # after the crawl, which needs its own event loop
    with chromium() as started:
        yield started


@pytest.fixture
def page(browser: Browser, base: str) -> Iterator[Page]:
    with window(browser, base) as opened:
        yield opened


def titles(page: Page) -> Locator:
    return page.locator(".hit .title")


def test_breadcrumbs_use_ids(page: Page) -> None:
    page.goto("/?q=pizza+in+lisbon")
    expect(page.locator(".crumbs li")).to_have_text(["Everywhere", "Portugal", "Lisbon"])
    page.locator(".crumbs button", has_text="Portugal").click()
    expect(page.locator(".chip.place")).to_contain_text("in Portugal")
    assert page.url.endswith(f"?q=pizza&place={PORTUGAL}")


def test_an_area_and_its_city_have_different_names(page: Page) -> None:
    page.goto("/?q=pizza+in+lisbon")
    expect(page.locator(".chip.place")).to_contain_text("in Lisbon, Portugal")
    page.locator(".other", has_text="Lisbon, Portugal (the whole area)").click()
    expect(titles(page).first).to_be_visible()


@pytest.mark.parametrize(
    "query",
    [
        "q=kunst&near=53.14%2C8.21",
        "q=pizza&place=0&box=-10%2C38%2C-8%2C42",
        f"q=pizza&place={PORTUGAL}",
    ],
)
def test_searching_again_keeps_the_place(page: Page, query: str) -> None:
    page.goto(f"/?{query}")
    expect(titles(page).first).to_be_visible()
    before = titles(page).all_text_contents()
    with page.expect_response("**/api/search?*"):
        page.press("#q", "Enter")
    expect(titles(page)).to_have_text(before)
    assert page.url.endswith(f"/?{query}")
    page.fill("#q", "museums")
    page.press("#q", "Enter")
    page.wait_for_url("**/?q=museums")


def test_the_map_says_if_no_page_has_an_address_there(page: Page) -> None:
    page.goto("/?q=bread+in+houston")
    expect(titles(page)).to_have_count(2)
    expect(page.locator("#none-here")).to_be_visible()
    page.fill("#q", "plumbers in houston")
    page.press("#q", "Enter")
    expect(page.locator(".pin").first).to_be_visible()
    expect(page.locator("#none-here")).to_be_hidden()


def test_the_nearest_page_is_on_the_map(page: Page) -> None:
    """Oldenburg's museum is nearest to Hanover, 130 km away."""
    page.goto("/?q=kunst&near=52.37,9.73")
    expect(titles(page)).to_have_text(["Landesmuseum"])
    expect(page.locator(".pin")).to_be_visible()
    expect(page.locator("#none-here")).to_be_hidden()


def test_an_unknown_street(page: Page) -> None:
    page.goto("/?q=plumbers+near+5+Nowhere+Street+houston")
    expect(page.locator(".chip.place")).to_have_text("near 5 Nowhere Street, Houston, Texas×")
    expect(page.locator(".note")).to_have_text(
        "No page has an address there; distances are from the centre of Houston."
    )


def test_a_circle_without_pages_leads_to_the_whole_place(page: Page) -> None:
    page.goto("/?q=bread+within+5+km+of+houston")
    expect(page.locator(".chip.place")).to_contain_text("within 5 km of Houston, Texas")
    page.get_by_role("button", name="Search all of Houston, Texas").click()
    expect(titles(page)).to_have_count(2)


@pytest.mark.parametrize(
    "address", ["/", "/?q=pizza", "/?q=pizza&page=http://towns.test/pt/forno", "/dashboard"]
)
def test_headings_and_names_for_screen_readers(page: Page, address: str) -> None:
    page.goto(address)
    expect(page.locator("h1:visible").first).to_be_visible()
    page.wait_for_load_state("networkidle")
    levels = [
        int(tag[1])
        for tag in page.evaluate(
            "[...document.querySelectorAll('h1,h2,h3')].filter(e => e.checkVisibility()).map(e => "
            "e.tagName)"
        )
    ]
    assert levels[0] == 1
    assert all(below <= above + 1 for above, below in pairwise(levels))
    for role in ("button", "link"):
        for one in page.get_by_role(role).all():
            assert (
                one.get_attribute("aria-label") or one.text_content() or one.get_attribute("title")
            )
