"""The parts of an answer agree: pages of hits, their total, pins, facets and alternatives."""

from pathlib import Path

from msgspec.structs import replace
from tests.support.towns import address, spotted, visit, written

from toponaut.index import Question, Search, index_folder
from toponaut.index.write.update import update_index
from toponaut.places.names.finder import NameFinder
from toponaut.records import Visit

HOUSTON, LISBON, ATHENS, GEORGIAN = 4699066, 2267057, 264371, 4180386
STATES, TEXAS, COUNTY = 6252001, 4736286, 1000048201
KM = 1 / 111.2  # one kilometre north, in degrees


def search_of(root: Path, log: list[Visit], finder: NameFinder) -> Search:
    update_index(written(root, log))
    return Search(index_folder(root), finder)


def with_simhash(number: int, page: Visit) -> Visit:
    return replace(page, simhash=number * 0x9E3779B97F4A7C15 % 2**64)


def test_a_circle_is_paged_to_its_end(tmp_path: Path, finder: NameFinder) -> None:
    """Cells extend beyond a circle. Here more of the best pages than drawn at first are outside."""
    outside = [
        visit(
            k,
            f"http://out.test/{k}",
            "Pizza pizza",
            title="Pizza",
            addresses=(spotted(5.2 * KM, 20.0, f"o{k}"),),
        )
        for k in range(400)
    ]
    inside = [
        visit(
            400 + k,
            f"http://in.test/{k}",
            "Bread, soup, pizza and tea",
            addresses=(spotted(4.5 * KM, 20.0, f"i{k}"),),
        )
        for k in range(35)
    ]
    search = search_of(
        tmp_path, [with_simhash(k, page) for k, page in enumerate(outside + inside, 1)], finder
    )
    question = Question("pizza within 5 km of me", here=(0.0, 20.0))
    answers = [search.ask(replace(question, offset=offset)) for offset in (0, 10, 20, 30)]
    assert [answer.total for answer in answers] == [35] * 4
    assert {hit.url for answer in answers for hit in answer.hits} == {page.url for page in inside}
    assert len(search.pins(question)) == 35


def test_pins_and_facets_include_hits_with_only_some_words(
    tmp_path: Path, finder: NameFinder
) -> None:
    spots = [replace(spotted(29.76, -95.36 + k, f"{k}"), place=HOUSTON) for k in range(2)]
    log = [
        visit(k, f"http://{k}.test/", text, addresses=(spots[k],))
        for k, text in enumerate(("Red wine", "Red beer"))
    ]
    search = search_of(tmp_path, [with_simhash(k, page) for k, page in enumerate(log, 1)], finder)
    answer = search.ask(Question("red wine"))
    assert (answer.total, len(answer.hits)) == (2, 2)
    assert "pages with some of them" in answer.note
    assert [(facet.name, facet.pages) for facet in search.facets(Question("red wine"))] == [
        ("United States", 2)
    ]
    assert sorted(pin.number for pin in search.pins(Question("red wine"))) == [0, 1]


def test_a_place_with_pages_beats_namesakes_without(tmp_path: Path, finder: NameFinder) -> None:
    """An American crawl without pages in Lisbon, Maine, means Lisbon in Portugal."""
    american = [located(k, HOUSTON) for k in range(300)]
    portuguese = visit(300, "http://300.test/", "Wine", scope=((LISBON, 1.0),))
    search = search_of(
        tmp_path,
        [with_simhash(k, page) for k, page in enumerate([*american, portuguese], 1)],
        finder,
    )
    where = search.ask(Question("pizza in lisbon")).where
    assert where
    assert where.place
    assert where.place.id == LISBON


def test_the_largest_namesake_is_always_offered(tmp_path: Path, finder: NameFinder) -> None:
    pages = [located(k, HOUSTON) for k in range(300)]
    search = search_of(tmp_path, [with_simhash(k, page) for k, page in enumerate(pages, 1)], finder)
    answer = search.ask(Question("pizza athens"))
    assert answer.where
    assert answer.where.place
    assert answer.where.place.id == GEORGIAN
    assert ATHENS in {other.id for other in answer.others}


def test_every_step_of_a_path_has_its_id(tmp_path: Path, finder: NameFinder) -> None:
    search = search_of(tmp_path, [located(0, HOUSTON)], finder)
    where = search.ask(Question("pizza in houston")).where
    assert where
    assert where.place
    assert where.place.path == ("United States", "Texas", "Harris County", "Houston")
    assert where.place.path_ids == (STATES, TEXAS, COUNTY, HOUSTON)


def located(number: int, place: int) -> Visit:
    return visit(
        number, f"http://{number}.test/", "Pizza", addresses=(address(place, f"{number}"),)
    )
