"""The search page in a browser: typical use, and hostile pages."""

import re
from collections.abc import Iterator
from html import escape

import pytest
from playwright.sync_api import Browser, Dialog, Locator, Page, expect
from tests.support.browser import PHONE, chromium, map_colours, window
from tests.support.serving import serve
from tests.support.towns import PAGES, TownPage, crawl_towns

LIGHTEST, HEAVIEST = 300_000, 450_000  # bytes of a first load: less is not the page with its map
LIGHT_LAND, LIGHT_SEA = (247, 245, 239), (207, 224, 232)  # map.css
DARK_LAND, DARK_SEA = (30, 38, 45), (13, 22, 30)
MARKUP = '"><img src=x onerror="window.hacked=1"><script>window.hacked=2</script>'
UP = "window.hacked = parent.hacked = top.hacked = 3; alert(3)"


class Hostile(TownPage, frozen=True):
    """A page with attacks in its title, text, names and markup."""

    def html(self) -> str:
        name = MARKUP.replace('"', "&quot;").replace("<", "&lt;")
        return (
            f'<html lang="&quot;&gt;&lt;script&gt;"><head><title>{escape(self.title)}</title><base '
            f'href="http://evil.test/">'
            f'<meta http-equiv="refresh" content="0;url=javascript:{UP}"><link rel="stylesheet" '
            f'href="http://evil.test/a.css">'
            f'</head><body onload="{UP}"><h1>{escape(self.text)}</h1>'
            f'<div itemscope itemtype="https://schema.org/LocalBusiness"><b '
            f'itemprop="name">{name}</b><p itemprop="address" itemscope '
            'itemtype="https://schema.org/PostalAddress"><span itemprop="streetAddress">7 Fannin '
            "Street</span>, <span "
            'itemprop="addressLocality">Houston</span>, <span itemprop="addressRegion">TX</span> '
            '<span itemprop="postalCode">77002</span> '
            f'<span itemprop="addressCountry">US</span></p><b itemprop="telephone">{name}</b></div>'
            f'<script>{UP}</script><svg onload="{UP}"></svg><img src="http://evil.test/x.png" '
            f'onerror="{UP}">'
            f'<iframe srcdoc="<script>{UP}</script>"></iframe><a href="javascript:{UP}" '
            f'id="go">{name}</a>'
            f'<form action="http://evil.test/"><input autofocus '
            f'onfocus="{UP}"></form></body></html>'
        )


HOSTILE = Hostile(
    "/evil/%22%3E%3Cscript%3Ehacked=1%3C/script%3E",
    f"Hostile {MARKUP}",
    f"Hostile page of Houston, Texas. {MARKUP}",
)
CAFE = (
    "\N{SLICE OF PIZZA}\N{SLICE OF PIZZA} Espresso and cake. Bayou Cafe, 300 Main Street, Houston, "
    "TX 77002 (by the river). Coffee in Houston, Texas since 1950."
)
MORE = (
    TownPage("/tx/cafe", "Bayou Cafe", CAFE),
    *(
        TownPage(f"/tx/bakery{k}", f"Bakery {k}", f"Bread number {k}{k} of Houston, Texas.")
        for k in range(4)
    ),
    HOSTILE,
)


@pytest.fixture(scope="module")
def base(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with serve(crawl_towns(tmp_path_factory.mktemp("towns"), (*PAGES, *MORE))) as url:
        yield url


@pytest.fixture(scope="module")
def browser(base: str) -> Iterator[Browser]:
    """After the crawl, which needs its own event loop: playwright's runs in this thread."""
    assert base
    with chromium() as started:
        yield started


@pytest.fixture
def page(browser: Browser, base: str) -> Iterator[Page]:
    with window(browser, base) as opened:
        yield opened


def ask(page: Page, query: str) -> None:
    page.fill("#q", query)
    page.press("#q", "Enter")


def titles(page: Page) -> Locator:
    return page.locator(".hit .title")


# --- searching ------------------------------------------------------------------------------------


def test_what_and_where(page: Page) -> None:
    page.goto("/")
    expect(page.get_by_role("heading", name="Search by what and where")).to_be_visible()
    ask(page, "pizza in lisbon")
    expect(titles(page)).to_have_text(["Forno d'Ouro", "Where to eat in Lisbon"])
    expect(page.locator(".understood")).to_contain_text("pizza")
    expect(page.locator(".chip.place")).to_contain_text("in Lisbon, Portugal")
    expect(page.get_by_role("status")).to_have_text("2 pages for pizza in Lisbon, Portugal")
    first = page.locator(".hit").first
    expect(first.locator("mark").first).to_have_text("Pizza")
    expect(first.locator(".contact")).to_contain_text("Forno d'Ouro · ")
    expect(first.locator(".foot")).to_contain_text("Portugal › Lisbon")
    expect(first.locator(".why")).to_contain_text("has an address in Lisbon")
    assert page.title() == "pizza in Lisbon, Portugal - Toponaut"


def test_another_place_of_that_name(page: Page) -> None:
    page.goto("/?q=pizza+lisbon")
    expect(titles(page).first).to_have_text("Forno d'Ouro")
    page.locator(".other", has_text="Lisbon, Ohio").click()
    expect(titles(page)).to_have_text(["Lisbon Pizza Shop"])
    expect(page.locator(".chip.place")).to_contain_text("Lisbon, Ohio")
    page.get_by_title("Portugal › Lisbon › Lisbon").click()
    expect(titles(page).first).to_have_text("Forno d'Ouro")
    page.locator(".other", has_text="words only").click()
    expect(page.locator(".chip.place")).to_contain_text("anywhere, words only")
    expect(titles(page)).to_have_count(5)  # all with pizza, one without Lisbon


def test_another_spelling(page: Page) -> None:
    page.goto("/?q=plumbars+in+houston")
    page.locator(".spelling button").first.click()
    expect(titles(page).first).to_have_text("Bayou Plumbers")


def test_narrowing_down_and_up_again(page: Page) -> None:
    page.goto("/?q=pizza")
    everything = titles(page).count
    expect(titles(page).first).to_be_visible()
    before = everything()
    page.locator(".facet", has_text="Portugal").click()
    expect(page.locator(".chip.place")).to_contain_text("in Portugal")
    expect(titles(page)).to_have_count(3)
    page.locator(".facet", has_text="Porto").click()
    expect(titles(page)).to_have_text(["Pizzaria do Porto"])
    page.locator(".crumbs button", has_text="Portugal").click()
    expect(titles(page)).to_have_count(3)
    page.locator(".crumbs button", has_text="Everywhere").click()
    expect(titles(page)).to_have_count(before)
    assert before > 3


def test_more_results(page: Page) -> None:
    page.goto("/?place=6252001")
    expect(titles(page)).to_have_count(10)
    page.get_by_role("button", name="More results").click()
    expect(page.locator(".more")).to_have_count(0)
    found = titles(page).all_text_contents()
    assert len(found) == len({*found}) > 10


def test_words_without_pages_show_others_of_the_place(page: Page) -> None:
    page.goto("/?q=zeppelin+in+houston")
    expect(page.locator(".note").first).to_contain_text('No page contains "zeppelin"')
    expect(page.locator(".note").first).to_contain_text("others from there")
    expect(titles(page).first).to_be_visible()


def test_no_matches(page: Page) -> None:
    page.goto("/?q=zeppelin")
    expect(page.locator(".empty")).to_contain_text("No matches")


def test_near_me_asks_for_the_location(page: Page) -> None:
    page.context.grant_permissions(["geolocation"])
    page.context.set_geolocation({"latitude": 53.14, "longitude": 8.21})
    page.goto("/?q=kunst+near+me")
    page.get_by_role("button", name="Use my location", exact=True).click()
    expect(titles(page)).to_have_text(["Landesmuseum"])
    expect(page.locator(".distance")).to_contain_text("m away")
    assert "near=53.1400%2C8.2100" in page.url


def test_back_and_forward(page: Page) -> None:
    page.goto("/")
    ask(page, "pizza in portugal")
    page.locator(".facet", has_text="Porto").click()
    expect(titles(page)).to_have_text(["Pizzaria do Porto"])
    titles(page).click()
    expect(page.locator("#page h1")).to_have_text("Pizzaria do Porto")
    page.go_back()
    expect(page.locator("#page")).to_be_hidden()
    expect(titles(page)).to_have_text(["Pizzaria do Porto"])
    page.go_back()
    expect(page.locator("#q")).to_have_value("pizza in portugal")
    expect(titles(page)).to_have_count(3)
    page.go_back()
    expect(page.get_by_role("heading", name="Search by what and where")).to_be_visible()
    page.go_forward()
    page.go_forward()
    page.go_forward()
    expect(page.locator("#page h1")).to_have_text("Pizzaria do Porto")
    page.reload()
    expect(page.locator("#page h1")).to_have_text("Pizzaria do Porto")


def test_keyboard_only(page: Page) -> None:
    page.goto("/")
    page.keyboard.press("/")
    page.keyboard.type("pizza in portugal")
    page.keyboard.press("Enter")
    expect(titles(page)).to_have_count(3)
    page.keyboard.press("ArrowDown")
    expect(titles(page).nth(0)).to_be_focused()
    page.keyboard.press("j")
    page.keyboard.press("j")
    page.keyboard.press("k")
    expect(titles(page).nth(1)).to_be_focused()
    wanted = titles(page).nth(1).text_content()
    page.keyboard.press("Enter")
    expect(page.locator("#page h1")).to_have_text(wanted or "")
    page.keyboard.press("Escape")
    expect(titles(page).nth(1)).to_be_focused()
    page.keyboard.press("ArrowUp")
    page.keyboard.press("ArrowUp")
    expect(page.locator("#q")).to_be_focused()


# --- the map --------------------------------------------------------------------------------------


def test_a_click_splits_a_cluster_of_pins(page: Page) -> None:
    page.goto("/?q=pizza")
    cluster = page.locator(".pin.many").first
    expect(cluster).to_be_visible()
    scale = page.locator(".maplibregl-ctrl-scale")
    before = scale.text_content() or ""
    cluster.click()
    expect(scale).not_to_have_text(before)
    expect(page.locator(".pin.exact").first).to_be_visible()


def test_an_area_is_not_a_pin(page: Page) -> None:
    """The page in Ohio has a postcode, the one in Portugal coordinates."""
    page.goto("/?q=pizza+in+lisbon+ohio")
    expect(page.locator(".pin.vague")).to_have_count(1)
    expect(page.locator(".legend")).to_have_text("LegendPage with an approximate area")
    expect(page.locator(".pin.exact")).to_have_count(0)
    page.locator(".pin.vague").click()
    expect(page.locator(".popup")).to_contain_text("Lisbon Pizza Shop")
    ask(page, "pizza in lisbon portugal")
    expect(page.locator(".pin.exact")).to_have_count(1)
    expect(page.locator(".legend")).to_have_text("LegendPage with an exact address")


def test_hits_and_pins_highlight_each_other(page: Page) -> None:
    page.goto("/?q=plumbers+in+texas")
    expect(titles(page)).to_have_count(2)
    expect(page.locator(".pin")).to_have_count(2)
    page.locator(".hit").nth(1).hover()
    expect(page.locator(".pin.lit")).to_have_count(1)
    page.locator(".pin.lit").hover()
    expect(page.locator(".hit.lit")).to_have_count(1)
    assert page.locator(".hit").nth(1).get_attribute("class") == "hit lit"


def test_search_this_area(page: Page) -> None:
    page.goto("/?q=pizzeria+in+bremen")
    expect(titles(page).first).to_have_text("Pizzeria Bremen")
    expect(page.locator("#here")).to_be_hidden()
    page.locator(".maplibregl-ctrl-zoom-out").click()
    page.get_by_role("button", name="Search this area").click()
    expect(page.locator(".chip.place")).to_contain_text("in this map area")
    expect(titles(page).first).to_have_text("Pizzeria Bremen")
    page.reload()
    expect(titles(page).first).to_have_text("Pizzeria Bremen")
    page.locator(".chip.place .remove").click()
    expect(titles(page)).to_have_count(2)


def test_the_base_map(page: Page) -> None:
    page.goto("/?q=pizza+in+portugal")
    assert {LIGHT_LAND, LIGHT_SEA} <= map_colours(page)


# --- one page -------------------------------------------------------------------------------------


def test_a_page_with_its_addresses(page: Page) -> None:
    page.goto("/?q=espresso")
    titles(page).first.click()
    expect(page.locator("#page h1")).to_have_text("Bayou Cafe")
    assert "page=http" in page.url
    mark = page.locator(".captured mark.address")
    # After two emoji, which JavaScript counts twice.
    expect(mark).to_have_text("300 Main Street, Houston, TX 77002")
    expect(page.locator(".addresses li")).to_have_count(1)
    expect(page.locator("button.address")).to_contain_text("300 Main Street, Houston TX 77002, US")
    page.locator("button.address").click()
    expect(mark).to_have_class("address lit")
    expect(page.locator(".legend")).to_contain_text("Address of the open page")
    expect(page.locator(".mention").first).to_have_attribute(
        "title", re.compile("United States › Texas")
    )
    expect(page.locator(".explained")).to_contain_text("http://towns.test/")
    expect(page.get_by_role("link", name="Original")).to_have_attribute(
        "href", "http://towns.test/tx/cafe"
    )
    expect(page.get_by_role("link", name="Original")).to_have_attribute(
        "rel", "noopener noreferrer nofollow"
    )
    near = page.locator(".near button").first
    name = near.text_content() or ""
    near.click()
    expect(page.locator("#page h1")).to_have_text(name)
    page.locator("#close").click()
    expect(page.locator(".hits")).to_be_visible()


def test_the_archived_copy_is_shown_on_request(page: Page) -> None:
    page.goto("/?q=espresso")
    titles(page).first.click()
    button = page.locator("#show-copy")
    expect(button).to_be_visible()
    expect(page.locator("iframe")).to_have_count(0)
    button.click()
    assert page.locator("iframe").get_attribute("sandbox") == ""
    expect(page.frame_locator("iframe").locator("h1")).to_have_text("Bayou Cafe")


def dialogs_of(page: Page) -> list[str]:
    """Messages of alert() from now on."""
    heard: list[str] = []

    def hear(dialog: Dialog) -> None:
        heard.append(dialog.message)
        dialog.dismiss()

    page.on("dialog", hear)
    return heard


def unharmed(page: Page) -> None:
    for frame in page.frames:
        assert frame.evaluate("typeof window.hacked") == "undefined"


def test_a_hostile_page_is_only_text(page: Page) -> None:
    """In the list, page view and popup. The window also checks requests and policy errors."""
    dialogs = dialogs_of(page)
    page.goto("/?q=hostile")
    expect(titles(page)).to_have_text([HOSTILE.title])
    expect(page.locator(".hit b")).to_contain_text("<img src=x onerror=")
    unharmed(page)
    page.locator(".pin").first.click()
    expect(page.locator(".popup")).to_contain_text("<script>window.hacked=2</script>")
    unharmed(page)
    page.locator(".popup button").click()
    expect(page.locator("#page h1")).to_have_text(HOSTILE.title)
    expect(page.locator(".captured")).to_contain_text("<script>window.hacked=2</script>")
    unharmed(page)
    hrefs = page.locator("a").evaluate_all("links => links.map((link) => link.href)")
    assert {href.split(":")[0] for href in hrefs} == {"http"}
    assert (
        page.locator(
            "#page script, #page img, #page svg, #page form, .hit img, .hit script"
        ).count()
        == 0
    )
    assert dialogs == []


def test_a_hostile_copy_cannot_run(browser: Browser, base: str) -> None:
    """Not in a watched window: Chromium logs what it has blocked."""
    context = browser.new_context(base_url=base)
    page = context.new_page()
    gone: list[str] = []
    dialogs = dialogs_of(page)
    context.on("requestfinished", lambda request: gone.append(request.url))
    context.on(
        "requestfailed",
        lambda request: gone.append(request.url) if request.failure != "csp" else None,
    )
    page.goto("/?q=hostile")
    titles(page).click()
    page.locator("#show-copy").click()
    inside = page.frame_locator("iframe.copy")
    expect(inside.locator("h1")).to_contain_text("Hostile page of Houston")
    inside.locator("#go").click()
    page.wait_for_timeout(1_000)  # what could leave would have left by then
    unharmed(page)
    assert dialogs == []
    own = (base, f"blob:{base}", "about:", "data:")
    assert [url for url in gone if not url.startswith(own)] == []
    context.close()


# --- devices and failures -------------------------------------------------------------------------


def test_on_a_phone(browser: Browser, base: str) -> None:
    with window(browser, base, PHONE, phone=True) as page:
        for address, shown in (
            ("/", ".start"),
            ("/?q=pizza", ".hit"),
            (f"/?q=hostile&page={HOSTILE.url}", "#page h1"),
        ):
            page.goto(address)
            expect(page.locator(shown).first).to_be_visible()
            assert page.evaluate("document.documentElement.scrollWidth") == PHONE[0]
            assert (
                page.evaluate(
                    "Math.max(...[...document.querySelectorAll('.side')].map((side) => "
                    "side.scrollWidth))"
                )
                <= PHONE[0]
            )
        page.goto("/?q=pizza+in+portugal")
        expect(titles(page).first).to_be_visible()
        expect(page.locator("#map")).not_to_be_visible()
        page.get_by_role("button", name="Map", exact=True).tap()
        expect(page.locator(".pin").first).to_be_visible()
        expect(titles(page).first).not_to_be_visible()
        page.get_by_role("button", name="List", exact=True).tap()
        expect(titles(page).first).to_be_visible()


def test_dark_mode(browser: Browser, base: str) -> None:
    with window(browser, base, dark=True) as page:
        page.goto("/?q=pizza+in+portugal")
        expect(titles(page).first).to_be_visible()
        assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(18, 22, 27)"
        assert {DARK_LAND, DARK_SEA} <= map_colours(page)
        page.emulate_media(color_scheme="light")  # the map follows
        assert {LIGHT_LAND, LIGHT_SEA} <= map_colours(page)


@pytest.mark.parametrize("address", ["/", "/?q=pizza+in+lisbon"])
def test_a_first_load_is_light(page: Page, address: str) -> None:
    session = page.context.new_cdp_session(page)
    session.send("Network.enable")
    received: list[int] = []
    session.on(
        "Network.loadingFinished", lambda event: received.append(int(event["encodedDataLength"]))
    )
    page.goto(address)
    expect(page.locator(".pin").first).to_be_visible()
    page.wait_for_load_state("networkidle")
    assert LIGHTEST < sum(received) < HEAVIEST


def test_the_server_is_gone(browser: Browser, base: str) -> None:
    context = browser.new_context(base_url=base)
    page = context.new_page()
    page.goto("/")
    expect(page.locator(".start")).to_be_visible()
    page.route("**/api/search**", lambda route: route.abort())
    ask(page, "pizza")
    expect(page.get_by_role("alert")).to_contain_text("The server does not respond.")
    page.unroute("**/api/search**")
    page.get_by_role("button", name="Try again").click()
    expect(titles(page).first).to_be_visible()
    context.close()
