"""The places view: one card for each organisation, over HTTP and in a browser."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from urllib.request import urlopen

import pytest
from playwright.sync_api import Browser, expect
from tests.support.browser import chromium, window
from tests.support.serving import serve
from tests.support.towns import PAGES, TownPage, crawl_towns

import toponaut
from toponaut.seeds.known import keep_seeds
from toponaut.seeds.seed import Seed

ROMA = ("Lange Straße 5", "26122", "Oldenburg", "Niedersachsen", "DE")
MENU = TownPage("/de/menu", "Pizzeria Roma: Speisekarte", "Pasta in Oldenburg.", ROMA, "Roma")

# More shops than one request brings.
SHOPS = tuple(
    TownPage(
        f"/de/laden-{number}", f"Laden {number}", f"Der Laden {number} in Jever.",
        (f"Neue Straße {number}", "26441", "Jever", "Niedersachsen", "DE"), f"Laden {number}",
        (53.57 + number / 1000, 7.9),
    )
    for number in range(1, 26)
)  # fmt: skip


@pytest.fixture(scope="module")
def crawl(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = crawl_towns(tmp_path_factory.mktemp("places"), (*PAGES, MENU, *SHOPS))
    seed = Seed(
        "http://towns.test/", "osm", "Pizzeria Roma", "restaurant", 53.1402, 8.2137, "osm:node/7"
    )
    keep_seeds(root / "given", [seed])
    return root


@pytest.fixture(scope="module")
def base(crawl: Path) -> Iterator[str]:
    with serve(crawl) as address:
        yield address


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with chromium() as found:
        yield found


def test_one_card_for_all_pages_of_an_organisation(base: str) -> None:
    with urlopen(f"{base}/api/places?q=pizzeria+oldenburg") as response:
        answer = json.load(response)
    (card,) = answer["organisations"]
    assert (card["organisation"], card["pages"]) == ("Pizzeria Roma", 2)
    assert card["address"] == "Lange Straße 5, 26122 Oldenburg, DE"
    assert card["ids"] == ["osm:node/7"]
    assert {url.rpartition("/")[2] for url in card["urls"]} == {"pizzeria", "menu"}
    assert answer["where"]["place"]["name"] == "Oldenburg"


@pytest.mark.parametrize("query", ["restaurant+oldenburg", "gasthaus+oldenburg"])
def test_an_organisation_is_found_by_its_category(base: str, query: str) -> None:
    with urlopen(f"{base}/api/places?q={query}") as response:
        (card,) = json.load(response)["organisations"]
    assert (card["organisation"], card["category"]) == ("Pizzeria Roma", "restaurant")


def test_cards_as_geojson(base: str) -> None:
    with urlopen(f"{base}/api/places.geojson?q=pizzeria+oldenburg") as response:
        (feature,) = json.load(response)["features"]
    assert feature["geometry"] == {"type": "Point", "coordinates": [8.2137, 53.1402]}
    assert feature["properties"]["organisation"] == "Pizzeria Roma"


def test_the_same_rows_as_an_export(crawl: Path) -> None:
    opened = toponaut.open(crawl)
    (card,) = opened.organisations("pizzeria oldenburg")
    row = next(row for row in opened.addresses() if row.id == card.id)
    assert {name: getattr(card, name) for name in row.__struct_fields__} == row.to_dict() | {
        "urls": row.urls, "ids": row.ids, "evidence": row.evidence, "place_path": row.place_path,
        "first_seen": row.first_seen, "last_seen": row.last_seen,
    }  # fmt: skip
    assert {one.organisation for one in opened.organisations("oldenburg")} == {
        "Pizzeria Roma",
        "Landesmuseum",
    }


def test_only_organisations_near_the_spot(crawl: Path) -> None:
    found = toponaut.open(crawl).organisations("plumbers within 5 km of houston")
    assert [one.organisation for one in found] == ["Bayou Plumbers"]
    assert found.answer.what == "plumbers"


def test_the_tab_in_the_search_page(browser: Browser, base: str) -> None:
    with window(browser, base) as page:
        page.goto("/?q=pizzeria+oldenburg")
        page.get_by_role("link", name="Places", exact=True).click()
        card = page.locator(".place-card")
        expect(card).to_have_count(1)
        expect(card).to_contain_text("Pizzeria Roma")
        expect(card).to_contain_text("osm:node/7")
        card.locator("summary").click()
        card.get_by_role("button").first.click()
        expect(page.locator("#page")).to_be_visible()
        assert "view=places" in page.url
        page.go_back()
        page.get_by_role("link", name="Pages", exact=True).click()
        expect(page.locator("a.title").first).to_be_visible()


def test_the_map_shows_the_places_of_the_cards(browser: Browser, base: str) -> None:
    with window(browser, base) as page:
        page.goto("/?q=pizzeria+oldenburg&view=places")
        expect(page.locator(".total")).to_have_text("1 place")
        pin = page.get_by_role("button", name="1 place", exact=True)
        page.locator(".place-card").hover()
        expect(pin).to_have_class(re.compile(r"\blit\b"))
        page.locator("#map").hover(position={"x": 20, "y": 400})
        pin.click()
        page.locator(".popup").get_by_role("button", name="Pizzeria Roma").click()
        expect(page.locator(".place-card.lit")).to_have_count(1)


def test_more_places_than_one_request_brings(browser: Browser, base: str) -> None:
    with window(browser, base) as page:
        page.goto("/?q=laden+jever&view=places")
        expect(page.locator(".place-card")).to_have_count(20)
        page.get_by_role("button", name="More places (5)").click()
        expect(page.locator(".place-card")).to_have_count(25)
        expect(page.locator(".more")).to_have_count(0)
