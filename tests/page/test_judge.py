"""Which pages are relevant: small pages of all kinds, judged for targets of all kinds."""

from unicodedata import normalize

import pytest

from toponaut.job import Job
from toponaut.job.sections import TargetsSection
from toponaut.job.targets import find_place
from toponaut.page.judge import MOST_PLACES, Judge, Whole, judge_of
from toponaut.page.parse import parse
from toponaut.places.addresses.finder import AddressFinder
from toponaut.places.gazetteer.cache import open_names
from toponaut.places.names import weighing
from toponaut.places.names.finder import NameFinder
from toponaut.records import JudgedPage, Page, Response

DEPTHS: tuple[Whole, ...] = ("relevant", "named", "always")
PORTLAND_OREGON = "<h1>Ann's Books</h1><p>1005 W Burnside St<br>Portland, OR 97209</p>"
PORTLAND_MAINE = "<h1>Harbor Books</h1><p>64 Exchange St<br>Portland, ME 04101</p>"
OLDENBURG = "<h1>Impressum</h1><p>Buchladen am Markt<br>Lange Straße 12<br>26122 Oldenburg</p>"
NO_TOWN = "<h1>About us</h1><address>12 Memory Hill Road</address>"
ABOUT_PORTLAND = (
    "<title>Rain in Portland, Oregon</title><p>In Portland, Oregon, it rained for a week. The "
    "mayor of Portland said that "
    "people in Oregon are used to it. A visitor from Boston was not.</p>"
)
ABOUT_NOTHING = "<title>Bread</title><p>flour, water, salt and yeast, and a night of patience.</p>"


def page(html: str) -> Page:
    return parse(Response("https://example.com/", 200, html.encode(), "text/html; charset=utf-8"))


def judged(
    finder: NameFinder, html: str, *targets: str | int, relevant: str = "address"
) -> JudgedPage:
    gazetteer = finder.gazetteer
    places = [find_place(gazetteer, target) for target in targets]
    judge = Judge(
        finder,
        AddressFinder(gazetteer, finder),
        places,
        "scope" if relevant == "scope" else "address",
    )
    return judge.judge(page(html))


@pytest.mark.parametrize(
    ("html", "target", "relevant"),
    [
        (PORTLAND_OREGON, "Portland, OR", True),
        (PORTLAND_OREGON, "Portland, ME", False),  # the same name elsewhere
        (PORTLAND_MAINE, "Portland, OR", False),
        (PORTLAND_OREGON, "Multnomah County, OR", True),
        (PORTLAND_OREGON, "Oregon", True),
        (PORTLAND_OREGON, "United States", True),
        (PORTLAND_OREGON, "Maine", False),
        (PORTLAND_OREGON, "Germany", False),
        (OLDENBURG, "Oldenburg, Lower Saxony", True),
        (OLDENBURG, "Lower Saxony", True),
        (OLDENBURG, "Bremen", False),
        (NO_TOWN, "Portland, OR", False),  # an address in an unknown place
        (NO_TOWN, "United States", False),
        (ABOUT_PORTLAND, "Portland, OR", False),  # named, but no address
        (ABOUT_NOTHING, "Portland, OR", False),
        ("", "Portland, OR", False),
    ],
)
def test_an_address_in_a_target_makes_a_page_relevant(
    finder: NameFinder, html: str, target: str, relevant: bool
) -> None:
    assert judged(finder, html, target).relevant is relevant


def test_an_address_without_town_is_kept(finder: NameFinder) -> None:
    (address,) = judged(finder, NO_TOWN, "Portland, OR").addresses
    assert (address.street, address.place) == ("Memory Hill Road", 0)


def test_one_address_of_several_is_enough(finder: NameFinder) -> None:
    both = PORTLAND_OREGON + PORTLAND_MAINE
    assert judged(finder, both, "Portland, ME").relevant
    assert judged(finder, both, "Bremen", "Oregon").relevant
    assert not judged(finder, both, "Bremen", "Texas").relevant


def test_a_list_of_many_towns_is_not_about_one(finder: NameFinder) -> None:
    shops = [PORTLAND_MAINE.replace("64", str(64 + k)) for k in range(3)]
    wanted = TargetsSection(places=("Portland, OR",), least_share=0.25)
    for others, relevant in ((0, True), (3, True), (4, False)):
        towns = [*shops, "<p>9 Elm Street<br>Bangor, ME 04401</p>"][:others]
        judge = judge_of(Job(targets=wanted), finder)
        assert judge.judge(page(PORTLAND_OREGON + "".join(towns))).relevant is relevant


def test_a_city_listed_twice_is_one_target(finder: NameFinder) -> None:
    """The gazetteer has both "Lexington-Fayette" (the target) and Lexington (the postal name)."""
    html = "<p>120 N Limestone<br>Lexington, KY 40507</p>"
    wanted = find_place(finder.gazetteer, "Lexington-Fayette, KY, US")
    result = judged(finder, html, wanted.id)
    assert result.addresses[0].place != wanted.id
    assert result.relevant


def test_parts_of_a_city_count(finder: NameFinder) -> None:
    """In the gazetteer, Hollywood is part of California, not of Los Angeles."""
    html = "<p>6801 Hollywood Blvd<br>Hollywood, CA 90028</p><p>In Hollywood, California.</p>"
    hollywood = next(
        place
        for place in finder.gazetteer.lookup("Hollywood, CA")
        if place.kind.value == "neighbourhood"
    )
    in_part = html.replace("90028", "")
    assert judged(finder, in_part, hollywood.id).addresses[0].place == hollywood.id
    assert judged(finder, in_part, "Los Angeles, CA").relevant
    assert not judged(finder, in_part, "San Diego, CA").relevant


def test_a_part_of_a_city_is_less_than_the_city(finder: NameFinder) -> None:
    hollywood = next(
        place
        for place in finder.gazetteer.lookup("Hollywood, CA")
        if place.kind.value == "neighbourhood"
    )
    assert judged(finder, "<p>6801 Hollywood Blvd<br>Hollywood, CA</p>", hollywood.id).relevant
    assert not judged(
        finder, "<p>200 N Spring St<br>Los Angeles, CA 90012</p>", hollywood.id
    ).relevant


@pytest.mark.parametrize(
    ("html", "target", "relevant"),
    [
        (ABOUT_PORTLAND, "Portland, OR", True),  # the surrounding Oregon does not count against it
        (ABOUT_PORTLAND, "Oregon", True),
        (ABOUT_PORTLAND, "Boston, MA", False),  # only mentioned
        (ABOUT_PORTLAND, "Portland, ME", False),
        (PORTLAND_OREGON, "Portland, OR", True),
        (ABOUT_NOTHING, "Portland, OR", False),
        ("<p>Oregon is a state.</p>", "Portland, OR", False),  # only the area around the target
    ],
)
def test_a_scope_in_a_target_makes_a_page_relevant(
    finder: NameFinder, html: str, target: str, relevant: bool
) -> None:
    assert judged(finder, html, target, relevant="scope").relevant is relevant


def test_the_title_counts_in_the_scope(finder: NameFinder) -> None:
    result = judged(
        finder,
        "<title>Plumbers in Tulsa, Oklahoma</title><p>Call us.</p>",
        "Tulsa, OK",
        relevant="scope",
    )
    assert result.relevant
    assert result.scope[0][0] == find_place(finder.gazetteer, "Tulsa, OK").id


def test_a_scope_is_heaviest_first_and_bounded(finder: NameFinder) -> None:
    towns = [
        finder.gazetteer.place_at(row).name
        for row in finder.gazetteer.population.argsort()[-400:].tolist()
    ]
    scope = judged(
        finder, "<ul>" + "".join(f"<li>{town}</li>" for town in towns) + "</ul>", "Oregon"
    ).scope
    weights = [weight for _, weight in scope]
    assert len(scope) == MOST_PLACES
    assert weights == sorted(weights, reverse=True)
    assert 0 < sum(weights) <= 1


def test_judging_twice_gives_the_same_result(finder: NameFinder) -> None:
    """Caches of the finders do not change results."""
    pages = [PORTLAND_OREGON, ABOUT_PORTLAND, OLDENBURG, PORTLAND_MAINE, NO_TOWN]
    first = [judged(finder, html, "Portland, OR") for html in pages]
    assert [judged(finder, html, "Portland, OR") for html in reversed(pages)] == first[::-1]


def test_caches_are_bounded_and_do_not_change_results(
    forgetful: NameFinder, monkeypatch: pytest.MonkeyPatch
) -> None:
    """When its cache is full, a finder clears it and continues."""
    texts = [
        f"He lives in {town}, near Boston." for town in ("Tulsa", "Houston", "Dallas", "Denver")
    ]
    expected = [forgetful.find(text) for text in texts]
    monkeypatch.setattr(weighing, "_REMEMBERED", 2)
    assert [forgetful.find(text) for text in texts * 2] == expected * 2


@pytest.fixture
def forgetful() -> NameFinder:
    return open_names()  # its own, because its cache is cleared here


def test_pages_that_name_no_target_get_a_quick_scope(finder: NameFinder) -> None:
    """A quick scope does not check names: it takes "Washington Post" for Washington."""
    html = "<p>As the Washington Post said of Boston, Massachusetts.</p>"
    washington = find_place(finder.gazetteer, "Washington, DC").id
    assert washington in dict(judged(finder, html, "Tulsa, OK").scope)
    assert washington not in dict(judged(finder, html, "Boston, MA").scope)
    always = Judge(finder, AddressFinder(finder.gazetteer, finder), [], whole="always")
    assert always.judge(page(html)).scope == judged(finder, html, "Boston, MA").scope


@pytest.mark.parametrize(
    "html", [PORTLAND_OREGON, PORTLAND_MAINE, OLDENBURG, NO_TOWN, ABOUT_PORTLAND, ABOUT_NOTHING, ""]
)
@pytest.mark.parametrize("target", ["Portland, OR", "Oregon", "Bremen"])
def test_relevance_does_not_depend_on_depth(finder: NameFinder, html: str, target: str) -> None:
    addresses = AddressFinder(finder.gazetteer, finder)
    targets = [find_place(finder.gazetteer, target)]
    by_address = [
        Judge(finder, addresses, targets, "address", whole).judge(page(html)) for whole in DEPTHS
    ]
    by_scope = [
        Judge(finder, addresses, targets, "scope", whole).judge(page(html)) for whole in DEPTHS
    ]
    assert len({one.relevant for one in by_address}) == len({one.relevant for one in by_scope}) == 1
    assert by_address[0].addresses == by_address[1].addresses == by_address[2].addresses
    if by_address[0].relevant:
        assert by_address[0].scope == by_address[2].scope


def test_a_page_with_decomposed_accents_is_read(finder: NameFinder) -> None:
    html = normalize("NFD", "<p>Eine Woche in Köln am Rhein, in München und in Düsseldorf.</p>")
    assert judged(finder, html, "Köln", relevant="scope").scope[0][0] in {
        find_place(finder.gazetteer, name).id for name in ("Köln", "München", "Düsseldorf")
    }


def test_judge_of_a_job(finder: NameFinder) -> None:
    by_address = judge_of(Job(targets=TargetsSection(places=("Portland, OR",))), finder)
    by_scope = judge_of(
        Job(targets=TargetsSection(places=("Portland, OR",), relevant="scope")), finder
    )
    assert by_address.judge(page(PORTLAND_OREGON)).relevant
    assert not by_address.judge(page(ABOUT_PORTLAND)).relevant
    assert by_scope.judge(page(ABOUT_PORTLAND)).relevant
    assert (
        not judge_of(Job(), finder).judge(page(PORTLAND_OREGON)).relevant
    )  # a job without targets wants nothing
