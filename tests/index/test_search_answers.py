"""Golden queries over a small crawl of towns that share their names, checked by hand."""

from pathlib import Path

import msgspec
import pytest
from msgspec.structs import replace
from tests.support.crawling import run_here
from tests.support.towns import PAGES, address, crawl_towns, spotted, visit, written

from toponaut.crawl.directory import LOG
from toponaut.errors import InputError
from toponaut.index import Box, IndexWriter, Question, Search, SearchAnswer, index_folder
from toponaut.index.write.update import update_index
from toponaut.log import LogWriter
from toponaut.places.names.finder import NameFinder
from toponaut.records import Address, Precision, Visit

BAIXA = (38.7107, -9.1372)


@pytest.fixture(scope="module")
def search(tmp_path_factory: pytest.TempPathFactory, finder: NameFinder) -> Search:
    root = crawl_towns(tmp_path_factory.mktemp("towns"))
    update_index(root)
    return Search(index_folder(root), finder)


def paths(answer: SearchAnswer) -> list[str]:
    return [hit.url.removeprefix("http://towns.test") for hit in answer.hits]


def place(answer: SearchAnswer) -> str:
    assert answer.where is not None
    assert answer.where.place is not None
    return ", ".join(reversed(answer.where.place.path))


# --- golden queries -------------------------------------------------------------------------------


def test_pizza_in_lisbon_is_in_portugal(search: Search) -> None:
    answer = search.ask(Question("pizza in lisbon"))
    assert place(answer) == "Lisbon, Lisbon, Portugal"
    # The address before the mention, and neither Porto nor Ohio.
    assert paths(answer) == ["/pt/forno", "/pt/guide"]
    first = answer.hits[0]
    assert first.address.startswith("Rua Augusta 100")
    assert first.path == ("Portugal", "Lisbon", "Lisbon")
    assert first.point is not None
    assert first.point.precision is Precision.GIVEN
    assert first.point.lat == pytest.approx(38.7107, abs=1e-4)
    assert "has an address in Lisbon" in first.why
    assert '"pizza" in the text' in first.why
    assert any(other.path[0] == "United States" and other.pages == 1 for other in answer.others)


def test_lisbon_ohio(search: Search) -> None:
    answer = search.ask(Question("pizza lisbon ohio"))
    assert place(answer) == "Lisbon, Columbiana County, Ohio, United States"
    assert paths(answer) == ["/oh/lisbon"]
    assert answer.where
    assert answer.where.place
    chosen = search.ask(Question("pizza in lisbon", place=answer.where.place.id))
    assert paths(chosen) == ["/oh/lisbon"]


def test_athens_is_the_one_with_the_schools(search: Search) -> None:
    schools = search.ask(Question("Athens public schools"))
    assert place(schools) == "Athens, Clarke County, Georgia, United States"
    assert set(paths(schools)) == {f"/ga/school{k}" for k in range(3)}
    assert any(other.path[0] == "Greece" for other in schools.others)
    assert schools.as_words
    museums = search.ask(Question("athens museums"))
    assert place(museums) == "Athens, Attica, Greece"
    assert paths(museums) == ["/gr/athens"]
    assert any(other.path[1:2] == ("Georgia",) for other in museums.others)


def test_a_country_includes_its_cities(search: Search) -> None:
    assert set(paths(search.ask(Question("pizza in portugal")))) == {
        "/pt/forno",
        "/pt/guide",
        "/pt/porto",
    }
    assert "/de/pizzeria" in paths(search.ask(Question("pizzeria niedersachsen")))


def test_within_five_kilometres(search: Search) -> None:
    answer = search.ask(Question("pizzeria within 5 km of oldenburg"))
    assert paths(answer) == ["/de/pizzeria"]  # Bremen is 40 km away
    wider = search.ask(Question("pizzeria within 60 km of oldenburg"))
    assert paths(wider) == ["/de/pizzeria", "/de/bremen"]
    distance = wider.hits[1].distance_km
    assert distance == pytest.approx(40, abs=3)


def test_a_circle_as_wide_as_a_continent(search: Search) -> None:
    """Too wide for cells: the exact distance decides. Lisbon to Bremen is 2,000 km, Ohio 6,000."""
    found = paths(search.ask(Question("pizzeria within 3000 km of lisbon portugal")))
    assert set(found) == {"/de/pizzeria", "/de/bremen"}


def test_near_a_known_address(search: Search) -> None:
    answer = search.ask(Question("plumbers near 100 milam street houston"))
    assert answer.where is not None
    assert answer.where.spot_found
    assert answer.where.lat == pytest.approx(29.7633)
    assert answer.where.lon == pytest.approx(-95.3628)
    assert paths(answer)[0] == "/tx/plumber"
    assert answer.hits[0].distance_km == pytest.approx(0.12, abs=0.05)


def test_near_me(search: Search) -> None:
    answer = search.ask(Question("pizza near me", here=BAIXA))
    assert paths(answer)[0] == "/pt/forno"
    assert answer.hits[0].distance_km == pytest.approx(0.035, abs=0.01)
    assert "/oh/lisbon" not in paths(answer)
    with pytest.raises(InputError, match="--near"):
        search.ask(Question("pizza near me"))


def test_common_words_stay_words(search: Search) -> None:
    for query, first in (
        ("reading glasses", "/tx/glasses"),
        ("mobile phone repair", "/tx/glasses"),
        ("nice hotel", "/tx/glasses"),
    ):
        answer = search.ask(Question(query))
        assert answer.where is None
        assert paths(answer)[0] == first


def test_no_place_and_no_words(search: Search) -> None:
    assert {"/pt/forno", "/oh/lisbon", "/de/pizzeria"} <= set(paths(search.ask(Question("pizza"))))
    anything = search.ask(Question("oldenburg"))
    assert {"/de/pizzeria", "/de/museum"} == set(paths(anything))
    for signs in ("!!! ***", "x" * 500, 'AND OR NOT ( " ] url:* '):
        assert search.ask(Question(signs)).total == 0
    for nothing in ("", "   "):
        with pytest.raises(InputError, match="the query is empty"):
            search.ask(Question(nothing))


def test_other_forms_of_a_word(search: Search) -> None:
    assert paths(search.ask(Question("school in athens ga"))) == paths(
        search.ask(Question("schools in athens ga"))
    )


def test_words_that_are_missing(search: Search) -> None:
    """The other words are searched, and a note says so."""
    answer = search.ask(Question("pizza quasar in lisbon"))
    assert answer.note.startswith('no page contains "quasar"; ')
    assert paths(answer) == ["/pt/forno", "/pt/guide"]
    assert answer.hits[0].extract.marks
    assert "quasar" not in answer.hits[0].why


def test_did_you_mean(search: Search) -> None:
    assert "pizza in lisbon" in search.ask(Question("pizza in lisbonn")).did_you_mean
    assert "museums in athens" in search.ask(Question("musaems in athens")).did_you_mean
    assert search.ask(Question("pizza in lisbon")).did_you_mean == ()


def test_a_box_on_the_map(search: Search) -> None:
    houston = Box(29.5, -95.6, 30.0, -95.0)
    assert set(paths(search.ask(Question("plumbers", box=houston)))) == {"/tx/plumber"}
    assert "/tx/katy" in paths(search.ask(Question("plumbers", box=Box(29.5, -96.0, 30.0, -95.0))))


def test_pins_for_a_map(search: Search) -> None:
    """Every point of every match, with its page."""
    question = Question("pizza in portugal")
    found = {search.hit(pin.number).url: pin.point for pin in search.pins(question)}
    found_paths = {url.removeprefix("http://towns.test") for url in found}
    assert found_paths == {"/pt/forno", "/pt/porto"}  # the guide has no point
    assert found["http://towns.test/pt/forno"].lat == pytest.approx(38.7107, abs=1e-4)


def test_facets_go_down_the_hierarchy(search: Search) -> None:
    countries = {facet.name: facet for facet in search.facets(Question("pizza"))}
    assert {"Portugal", "United States", "Germany"} <= set(countries)
    below = search.facets(Question("pizza", place=countries["Portugal"].id))
    assert {facet.name: facet.pages for facet in below} == {"Lisbon": 2, "Porto": 1}


def test_pages_near_a_page(search: Search) -> None:
    found = search.near("http://towns.test/de/pizzeria")
    assert found.in_space[0].url.endswith("/de/museum")
    assert found.in_space[0].distance_km == pytest.approx(0.36, abs=0.05)
    assert found.in_hierarchy[0].url.endswith("/de/museum")
    assert found.in_hierarchy[0].path == ("Germany", "Lower Saxony", "Oldenburg")
    with pytest.raises(InputError, match="not in the index"):
        search.near("http://nowhere.test/")


def test_an_area_stays_an_area(search: Search) -> None:
    """An address known only by postcode is not at the centre of the postcode area."""
    answer = search.ask(Question("pizza lisbon ohio"))
    point = answer.hits[0].point
    assert point is not None
    assert point.precision is Precision.POSTCODE
    assert point.radius_km == 4.0
    there = (point.lat, point.lon)
    assert search.ask(Question("pizza within 1 km of me", here=there)).total == 0
    near = search.ask(Question("pizza within 5 km of me", here=there))
    assert paths(near) == ["/oh/lisbon"]
    assert near.hits[0].distance_km == pytest.approx(2.83, abs=0.01)  # 4 / sqrt(2)


# --- the command line -----------------------------------------------------------------------------


def test_the_commands(tmp_path: Path) -> None:
    root = crawl_towns(tmp_path, PAGES[:4])
    first = run_here("index", root)
    assert "pages added" in first.stdout
    again = run_here("index", root, "--json")
    assert msgspec.json.decode(again.stdout)["pages"] == 0
    shown = run_here("search", root, "pizza in lisbon")
    assert "Lisbon, Lisbon, Portugal" in shown.stdout
    assert "Rua Augusta 100" in shown.stdout
    near = run_here("search", root, "pizza near me", "--near", "38.71,-9.13", "--json")
    assert msgspec.json.decode(near.stdout)["hits"][0]["url"] == "http://towns.test/pt/forno"
    assert run_here("search", root, "").returncode == 2
    assert run_here("search", root, "x", "--near", "north").returncode == 2
    assert run_here("index", tmp_path / "none").returncode == 2


# --- the index decides ----------------------------------------------------------------------------

LISBON, PORTO, ATHENS_GR, ATHENS_GA, READING_PA = 2267057, 2735943, 264371, 4180386, 5207728


def search_of(root: Path, log: list[Visit], finder: NameFinder) -> Search:
    update_index(written(root, log))
    return Search(index_folder(root), finder)


def mentioning(number: int, place: int, text: str, host: str = "") -> Visit:
    """A page that mentions one place."""
    return visit(number, f"http://{host or number}.test/{number}", text, scope=((place, 1.0),))


def located(number: int, place: int, text: str, host: str = "") -> Visit:
    """A page with one address."""
    own = address(place, f"{number} street")
    url = f"http://{host or number}.test/{number}"
    return visit(number, url, text, addresses=(own,), scope=((place, 1.0),))


def test_the_place_with_most_matching_pages_wins(tmp_path: Path, finder: NameFinder) -> None:
    """Greece has more people and as many pages; Georgia has those with the words."""
    log = [mentioning(k, ATHENS_GR, "temples and museums") for k in range(3)]
    log += [mentioning(k, ATHENS_GA, "public schools") for k in range(3, 6)]
    search = search_of(tmp_path / "crawl", log, finder)
    assert place(search.ask(Question("athens schools"))).endswith("Georgia, United States")
    assert place(search.ask(Question("athens museums"))).endswith("Attica, Greece")
    # Equal except for the population.
    assert place(search.ask(Question("athens"))).endswith("Attica, Greece")


def test_the_home_of_a_host_says_which_namesake_it_means(
    tmp_path: Path, finder: NameFinder
) -> None:
    """Pages read as mentioning Greece are on a host with its address in Georgia."""
    log = [located(0, ATHENS_GA, "how to find us", "guide")]
    log += [mentioning(k, ATHENS_GR, "pizza and more pizza", "guide") for k in range(1, 4)]
    log += [mentioning(4, ATHENS_GR, "pizza", "hellas")]
    search = search_of(tmp_path / "crawl", log, finder)
    greece = search.ask(Question("pizza in athens greece"))
    assert greece.hits[0].url == "http://hellas.test/4"  # fewer words, but no other home
    assert greece.hits[1].place_score == pytest.approx(0.6 * 0.25)


def test_a_common_word_is_a_place_if_the_index_says_so(tmp_path: Path, finder: NameFinder) -> None:
    log = [located(k, READING_PA, "plumbing in Reading") for k in range(4)]
    log += [
        visit(k, f"http://{k}.test/", "reading glasses for reading in bed") for k in range(4, 8)
    ]
    search = search_of(tmp_path / "crawl", log, finder)
    assert place(search.ask(Question("plumbing reading"))).endswith("Pennsylvania, United States")
    glasses = search.ask(Question("reading glasses"))
    assert glasses.where is None
    assert [other.id for other in glasses.others] == [READING_PA]  # offered, not taken


def test_words_times_place(tmp_path: Path, finder: NameFinder) -> None:
    """score = t * g: an address counts 1, a page about the place 0.6, a tenth of mentions 0.2."""
    log = [
        located(0, LISBON, "pizza"),
        mentioning(1, LISBON, "pizza"),
        visit(2, "http://2.test/", "pizza", scope=((LISBON, 0.1), (PORTO, 0.9))),
    ]
    found = search_of(tmp_path / "crawl", log, finder).ask(Question("pizza in lisbon")).hits
    assert [hit.place_score for hit in found] == [1.0, 0.6, 0.2]
    # The same words in texts of the same length.
    assert [hit.words_score for hit in found] == [1.0, 1.0, 1.0]
    assert [hit.score for hit in found] == [1.0, 0.6, 0.2]


def test_nearness_halves(tmp_path: Path, finder: NameFinder) -> None:
    """2 ^ (-d / 3): at 3 km a half, at 6 km a quarter. A degree of latitude has 111.195 km."""
    log = [
        visit(
            k, f"http://{k}.test/", "pizza", addresses=(spotted(38.7 + km / 111.195, -9.1, str(k)),)
        )
        for k, km in enumerate((0.0, 3.0, 6.0))
    ]
    hits = (
        search_of(tmp_path / "crawl", log, finder)
        .ask(Question("pizza near me", here=(38.7, -9.1)))
        .hits
    )
    assert [hit.place_score for hit in hits] == [
        pytest.approx(share, abs=0.01) for share in (0.99, 0.5, 0.25)
    ]
    assert [hit.distance_km for hit in hits] == [
        pytest.approx(km, abs=0.04) for km in (0.0, 3.0, 6.0)
    ]


def test_a_directory_is_shown_with_the_searched_address(tmp_path: Path, finder: NameFinder) -> None:
    """The address whose organisation has the words; within a circle only those inside; else the
    nearest."""
    owners = ((0.0, "Silva Realty"), (3.0, "Pizzaria Napoli"), (9.0, "Pizza Vesuvio"))
    listed = tuple(
        replace(spotted(38.7 + km / 111.195, -9.1, owner), organisation=owner, place=LISBON)
        for km, owner in owners
    )
    text = "Silva Realty, Pizzaria Napoli, Pizza Vesuvio"
    search = search_of(
        tmp_path / "crawl", [visit(0, "http://0.test/", text, addresses=listed)], finder
    )

    def shown(query: str) -> str:
        return search.ask(Question(query, here=(38.7, -9.1))).hits[0].organisation

    assert shown("pizza in lisbon") == "Pizza Vesuvio"
    assert shown("pizza near me") == "Pizza Vesuvio"
    assert shown("pizzaria near me") == "Pizzaria Napoli"
    assert shown("pizza within 5 km of me") == "Silva Realty"  # no pizza in the circle: the nearest
    assert shown("realty in lisbon") == "Silva Realty"


# --- categories -----------------------------------------------------------------------------------


def shop(number: int, name: str, category: str, text: str = "", title: str = "") -> Visit:
    """The page of an organisation in Lisbon."""
    own = replace(spotted(38.7, -9.1, str(number)), organisation=name, category=category)
    own = replace(own, place=LISBON)
    url = f"http://{number}.test/{number}"
    return visit(number, url, text or name, title=title, addresses=(own,), scope=((LISBON, 1.0),))


SHOPS = [
    shop(0, "Vesuvio", "restaurant", "Pasta and wine"),
    shop(1, "Tavern", "bar", "A bar, and next door is a restaurant"),
    shop(2, "Brinkmann", "bakery", "Bread and rolls"),
    visit(3, "http://3.test/3", "Bread.", title="Boulangerie Dupont", scope=((LISBON, 1.0),)),
    shop(4, "Restaurant Roma", "restaurant", "Wine", "Restaurant Roma"),
    shop(5, "Figaro", "hairdresser", "Wash and cut"),
]


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("restaurants in lisbon", [4, 1, 0]),  # a title, a text, a category
        ("ristorante in lisbon", [0, 4]),
        ("gaststaette in lisbon", [0, 4]),  # typed without umlauts
        ("bakery in lisbon", [2, 3]),  # of a page without addresses, the title says it
        ("shops in lisbon", [2, 3]),  # a bakery is a kind of shop
        ("barber shop in lisbon", [5]),  # which is not a shop
    ],
)
def test_words_that_name_categories(
    query: str, found: list[int], tmp_path: Path, finder: NameFinder
) -> None:
    hits = search_of(tmp_path / "crawl", SHOPS, finder).ask(Question(query)).hits
    by_category = ["by category" in hit.why for hit in hits]
    assert by_category == sorted(by_category)  # below direct matches
    assert sorted(int(hit.url[-1]) for hit in hits) == sorted(found)
    assert [int(hit.url[-1]) for hit in hits if "in the" in hit.why] == found[
        : by_category.count(False)
    ]


@pytest.mark.parametrize(
    "word",
    [
        "dentist",  # a category without pages
        "pizza",  # no category: not every restaurant has it
    ],
)
def test_missing_words_leave_other_pages_of_the_place(
    word: str, tmp_path: Path, finder: NameFinder
) -> None:
    answer = search_of(tmp_path / "crawl", SHOPS, finder).ask(Question(f"{word} in lisbon"))
    assert answer.note.startswith(f'no page contains "{word}"; no page of Lisbon contains')
    assert not any("category" in hit.why or word in hit.why for hit in answer.hits)


CHICAGO = 4887398
COMPOUNDS = [
    visit(k, f"http://{k}.test/{k}", text, scope=((LISBON, 1.0),))
    for k, text in enumerate(
        (
            "Tennis on a Platz",
            "Tennis, the Platz and more",
            "Tennis at night",
            "One psychotherapeut",
        )
    )
]


@pytest.mark.parametrize(
    ("query", "found"), [("tennisplatz", [0, 1, 2]), ("psychotherapie", [3]), ("golfplatz", [])]
)
def test_parts_of_words_and_words_that_begin_alike(
    query: str, found: list[int], tmp_path: Path, finder: NameFinder
) -> None:
    answer = search_of(tmp_path / "crawl", COMPOUNDS, finder).ask(Question(query))
    assert sorted(int(hit.url[-1]) for hit in answer.hits) == found
    assert ("parts of words" in answer.note) == bool(found)


KINGS_COUNTY, SUNSET_PARK = 5110302, 8436486


def test_a_quarter_without_pages_shows_those_of_its_county(
    tmp_path: Path, finder: NameFinder
) -> None:
    log = [visit(0, "http://0.test/0", "land use board", scope=((KINGS_COUNTY, 1.0),))]
    answer = search_of(tmp_path / "crawl", log, finder).ask(
        Question("land use sunset park brooklyn")
    )
    assert place(answer).startswith("Sunset Park")
    assert [hit.url for hit in answer.hits] == ["http://0.test/0"]
    assert answer.note == "no page of Sunset Park contains these words: these are of Kings County"


def test_pages_of_a_site_at_home_in_a_place_are_found_after_others(
    tmp_path: Path, finder: NameFinder
) -> None:
    """A club's home page and rules rarely name its town."""
    log = [
        visit(0, "http://club.test/", "tennis courts"),
        located(1, CHICAGO, "board", host="club"),
        mentioning(2, CHICAGO, "tennis here and there, and much more than that"),
        visit(3, "http://other.test/", "tennis courts"),
    ]
    answer = search_of(tmp_path / "crawl", log, finder).ask(Question("tennis chicago"))
    assert [hit.url for hit in answer.hits[:2]] == ["http://2.test/2", "http://club.test/"]
    assert "its site is in Chicago" in answer.hits[1].why
    assert "http://other.test/" not in {hit.url for hit in answer.hits}


SAMOENS = 2976284


@pytest.mark.parametrize(
    ("mentioning", "with_name", "is_place"), [(0, 0, True), (1, 3, True), (1, 4, False)]
)
def test_a_small_place_is_meant_if_many_pages_with_its_name_mention_it(
    mentioning: int, with_name: int, is_place: bool, tmp_path: Path, finder: NameFinder
) -> None:
    """... or if none has the name."""
    scope = ((CHICAGO, 0.97), (SAMOENS, 0.03))
    log = [
        visit(k, f"http://{k}.test/{k}", "samoens", scope=scope if k < mentioning else ())
        for k in range(with_name)
    ]
    log.append(visit(with_name, "http://9.test/9", "waterfall"))
    answer = search_of(tmp_path / "crawl", log, finder).ask(Question("waterfall samoens"))
    assert (answer.where is not None) == is_place


def test_pages_with_all_words_come_first(tmp_path: Path, finder: NameFinder) -> None:
    scope = ((CHICAGO, 1.0),)
    log = [
        visit(0, "http://a.test/0", "jazz " + "filler " * 300 + "club", scope=scope),
        visit(1, "http://a.test/1", "club club club", title="Club", scope=scope),
    ]
    answer = search_of(tmp_path / "crawl", log, finder).ask(Question("jazz club chicago"))
    assert [hit.url for hit in answer.hits] == ["http://a.test/0", "http://a.test/1"]
    assert '"jazz"' not in answer.hits[1].why


def add_zeppelins(root: Path) -> None:
    """A page that was fetched after the index was built."""
    with LogWriter(root / "log", LOG) as log:
        log.append(visit(log.written, "http://late.test/", "Zeppelins over Lisbon, Portugal"))


def test_a_search_updates_the_index(tmp_path: Path) -> None:
    root = crawl_towns(tmp_path, PAGES[:4])
    assert run_here("search", root, "x", "--near", "north").returncode == 2
    assert not index_folder(root).exists()  # a usage error is reported first
    shown = run_here("search", root, "pizza in lisbon")
    assert "Rua Augusta 100" in shown.stdout
    assert shown.stderr == ""
    add_zeppelins(root)
    late = run_here("search", root, "zeppelins", "--json")
    assert [hit["url"] for hit in msgspec.json.decode(late.stdout)["hits"]] == ["http://late.test/"]


def test_a_search_uses_the_old_index_while_another_process_updates_it(
    tmp_path: Path, finder: NameFinder
) -> None:
    root = crawl_towns(tmp_path, PAGES[:4])
    with IndexWriter(index_folder(root), finder):
        first = run_here("search", root, "pizza in lisbon")
    assert first.returncode == 2
    assert "another process is adding to" in first.stderr
    update_index(root)
    add_zeppelins(root)
    with IndexWriter(index_folder(root), finder):
        shown = run_here("search", root, "pizza in lisbon")
    assert shown.returncode == 0
    assert "Rua Augusta 100" in shown.stdout
    assert "searching the index without updating it: another process is adding to" in shown.stderr


# --- places among words ---------------------------------------------------------------------------

MOBILE = 4076598


def test_a_directory_that_names_all_its_towns(tmp_path: Path, finder: NameFinder) -> None:
    """Its navigation says "mobile" everywhere, but only the pages about Mobile in their titles."""
    towns = "Pawn shop directory: Mobile, Auburn, Selma, Dothan"
    there = (Address("", -1, -1, city="Mobile", country="US", normal="x", place=MOBILE),)
    log = [
        visit(
            k, f"http://a.test/mobile/{k}", towns, title=f"Pawn shop {k} in Mobile", addresses=there
        )
        for k in range(3)
    ]
    log += [visit(k, f"http://a.test/{k}", towns, title="Pawn shop") for k in range(3, 40)]
    update_index(written(tmp_path, log))
    search = Search(index_folder(tmp_path), finder)
    answer = search.ask(Question("pawn shop mobile"))
    assert place(answer).startswith("Mobile, Mobile County, Alabama")
    assert {hit.url for hit in answer.hits[:3]} == {one.url for one in log[:3]}


def test_the_words_of_a_place_are_words_too(tmp_path: Path, finder: NameFinder) -> None:
    """Of two pages with the same tie, the one with the city in its title comes first."""
    scope = ((CHICAGO, 1.0),)
    log = [
        visit(0, "http://a.test/0", "brunch and more, chicago", title="A list", scope=scope),
        visit(1, "http://a.test/1", "brunch and more, chicago", title="In Chicago", scope=scope),
    ]
    update_index(written(tmp_path, log))
    answer = Search(index_folder(tmp_path), finder).ask(Question("brunch chicago"))
    assert [hit.url for hit in answer.hits] == ["http://a.test/1", "http://a.test/0"]


def test_pages_of_the_place_if_none_has_the_words(search: Search) -> None:
    answer = search.ask(Question("museums in bremen"))
    assert paths(answer) == ["/de/bremen"]
    assert "others from there" in answer.note
    assert "museums" not in answer.hits[0].why


NEW_YORK = 5128581


def test_a_page_is_about_the_place_in_its_title(tmp_path: Path, finder: NameFinder) -> None:
    """A list names many places; the one in its title counts as if it had half of the mentions."""
    scope = ((CHICAGO, 0.9), (NEW_YORK, 0.1))
    log = [
        visit(0, "http://a.test/0", "jazz", title="Bars in New York City", scope=scope),
        visit(1, "http://a.test/1", "jazz", title="A list of bars", scope=scope),
    ]
    answer = search_of(tmp_path / "crawl", log, finder).ask(Question("jazz new york city"))
    assert [hit.place_score for hit in answer.hits] == [0.6, 0.2]


def test_a_title_names_one_of_two_places(tmp_path: Path, finder: NameFinder) -> None:
    """There are two Lisbons in Ohio."""
    columbiana, clark = 5160951, 4516749
    scope = ((columbiana, 0.86), (clark, 0.14))
    log = [visit(0, "http://a.test/0", "pizza", title="Pizza in Lisbon, Ohio", scope=scope)]
    answer = search_of(tmp_path / "crawl", log, finder).ask(Question("pizza lisbon ohio"))
    assert [one.pages for one in answer.others if one.id == clark] == [0]


BERLIN = 2950159


@pytest.mark.parametrize(("german", "country"), [(0, "US"), (5, "GB")])
def test_a_place_without_pages_is_the_largest_unless_all_pages_are_of_another_country(
    german: int, country: str, tmp_path: Path, finder: NameFinder
) -> None:
    log = [located(k, CHICAGO, "pizza") for k in range(10)]
    log += [located(k, BERLIN, "pizza") for k in range(10, 10 + german)]
    answer = search_of(tmp_path / "crawl", log, finder).ask(Question("pizza manchester"))
    assert answer.where is not None
    assert answer.where.place is not None
    assert answer.where.place.country == country
