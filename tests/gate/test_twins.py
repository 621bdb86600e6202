"""Twins: what is believed of a site after which pairs of URLs, and what a crawl makes of it."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.support.crawling import crawl, job, urls, visits
from tests.support.web_answers import Redirect
from tests.support.webserver import Sites, TestWeb

from toponaut.crawl.explain import explain
from toponaut.gate.twins import CONFIRMED, Twins, form_of, twin_named
from toponaut.job.sections import LimitsSection
from toponaut.records import Outcome, Refusal, Visit
from toponaut.urls import normalise

NODE = "Cn1"


def page(url: str, text: int, canonical: str = "") -> Visit:
    """A page; `text` is the simhash of its text."""
    named = twin_named(url, canonical)
    return Visit(0, NODE, url, 200, Outcome.FETCHED, simhash=text, canonical=named)


def moved(url: str, target: str) -> Visit:
    named = twin_named(url, target)
    return Visit(0, NODE, url, 301, Outcome.REDIRECT, canonical=named)


def gone(url: str) -> Visit:
    return Visit(0, NODE, url, 404, Outcome.GONE)


def text(number: int) -> int:
    """Simhashes that are far apart."""
    return (number * 0x9E3779B97F4A7C15) % 2**64


def learned(*many: Visit) -> Twins:
    twins = Twins()
    for visit in many:
        twins.learn(visit)
    return twins


def pairs(one: str, other: str, count: int = 3) -> list[Visit]:
    """Pages that are the same under both patterns."""
    return [
        page(pattern.format(number), text(number))
        for number in range(1, count + 1)
        for pattern in (one, other)
    ]


KINDS = {
    "scheme": ("http://a.test/{}", "https://a.test/{}"),
    "www": ("http://a.test/{}", "http://www.a.test/{}"),
    "slash": ("http://a.test/{}", "http://a.test/{}/"),
    "index": ("http://a.test/{}/", "http://a.test/{}/index.html"),
}


@pytest.mark.parametrize("kind", KINDS)
def test_three_equal_pairs_make_twins_of_a_kind(kind: str) -> None:
    one, other = KINDS[kind]
    seen = pairs(one, other)
    for count in range(len(seen)):  # nothing is believed before the third pair
        twins = learned(*seen[:count], page(one.format("new"), text(9)))
        assert not twins.is_twin(NODE, other.format("new"))
    twins = learned(*seen, page(one.format("new"), text(9)))
    assert twins.is_twin(NODE, other.format("new"))
    assert not twins.is_twin(NODE, one.format("new")), "it is the page itself"
    assert not twins.is_twin(NODE, other.format("another")), "it was not fetched in any form"
    assert twins.usual(other.format("another")) == other.format("another")
    for others in set(KINDS) - {kind}:
        assert not twins.is_twin(NODE, KINDS[others][1].format("new"))


def test_a_site_says_nothing_about_another_nor_a_node_about_another() -> None:
    seen = [*pairs(*KINDS["scheme"]), page("http://b.test/x", text(9)), page("http://a.test/x", 5)]
    assert not learned(*seen).is_twin(NODE, "https://b.test/x")
    assert not learned(*seen).is_twin("Cn2", "https://a.test/x")


@pytest.mark.parametrize("kind", KINDS)
def test_one_counter_example_ends_it(kind: str) -> None:
    one, other = KINDS[kind]
    seen = [*pairs(one, other), page(one.format("new"), text(9))]
    for against in (
        [page(one.format("x"), text(10)), page(other.format("x"), text(11))],
        [page(one.format("x"), text(10)), gone(other.format("x"))],
    ):
        assert not learned(*seen, *against).is_twin(NODE, other.format("new"))


MOVES = [
    ("http://a.test/{}", "https://a.test/{}"),
    ("https://a.test/{}", "http://a.test/{}"),
    ("https://www.a.test/{}", "https://a.test/{}"),
    ("http://a.test/{}", "https://www.a.test/{}"),  # two kinds at once
    ("http://a.test/{}", "http://a.test/{}/"),
    ("http://a.test/{}/", "http://a.test/{}"),
    ("http://a.test/{}/index.php", "http://a.test/{}/"),
    ("http://a.test/{}/index.html", "https://www.a.test/{}"),
]


@pytest.mark.parametrize(("old", "new"), MOVES)
def test_new_links_take_the_form_to_which_pages_move(old: str, new: str) -> None:
    redirects = [moved(old.format(number), new.format(number)) for number in range(3)]
    twins = learned(*redirects[:2])
    assert twins.usual(old.format("x")) == old.format("x")
    twins.learn(redirects[2])
    assert twins.usual(old.format("x")) == new.format("x")
    assert twins.usual(new.format("x")) == new.format("x")
    canonical = [page(old.format(k), text(k), new.format(k)) for k in range(1, 4)]
    assert learned(*canonical).usual(old.format("x")) == new.format("x")


def test_moves_in_both_directions_are_not_believed() -> None:
    to_https = [moved(f"http://a.test/{k}", f"https://a.test/{k}") for k in range(5)]
    back = moved("https://a.test/shop", "http://a.test/shop")
    assert learned(*to_https, back).usual("http://a.test/x") == "http://a.test/x"


def test_a_page_that_stays_refutes_the_moves_of_folders() -> None:
    folders = [moved(f"http://a.test/{k}", f"http://a.test/{k}/") for k in range(5)]
    assert learned(*folders).usual("http://a.test/x") == "http://a.test/x/"
    stays = page("http://a.test/about", text(1))
    assert learned(*folders, stays).usual("http://a.test/x") == "http://a.test/x"
    assert learned(stays, *folders).usual("http://a.test/x") == "http://a.test/x"


def test_files_and_the_home_page_have_no_slash() -> None:
    twins = learned(*(moved(f"http://a.test/{k}", f"http://a.test/{k}/") for k in range(3)))
    for url in ("http://a.test/", "http://a.test/menu.html", "http://a.test/index.html"):
        assert twins.usual(url) == url
    bare = learned(*(moved(f"http://a.test/{k}/", f"http://a.test/{k}") for k in range(3)))
    assert bare.usual("http://a.test/") == "http://a.test/"
    assert bare.usual("http://a.test/x/index.html") == "http://a.test/x/index.html"


def test_the_state_is_bounded() -> None:
    twins = Twins(sites=2, pages=4)
    for visit in [*pairs(*KINDS["scheme"]), page("http://a.test/new", text(9))]:
        twins.learn(visit)
    assert twins.knows_moves
    for site in "bc":
        twins.learn(page(f"http://{site}.test/", text(1)))
    assert not twins.knows_moves, "the oldest site is forgotten"


URLS = st.builds(
    "{}://{}{}/{}{}".format,
    st.sampled_from(["http", "https"]),
    st.sampled_from(["", "www."]),
    st.sampled_from(["a.test", "b.test:8080", "www.test"]),
    st.lists(st.sampled_from(["", "x", "y.html", "index.html", "index.php"]), max_size=4).map(
        "/".join
    ),
    st.sampled_from(["", "?a=1", "?a=/x/"]),
)


@given(URLS)
def test_a_url_can_be_put_together_again(url: str) -> None:
    normal = normalise(url)
    assert normal is not None
    assert form_of(normal).url == normal


@given(st.lists(st.builds(page, URLS, st.integers(1, 3).map(text), URLS)), URLS)
def test_the_usual_form_is_a_twin_and_its_own_usual_form(seen: list[Visit], url: str) -> None:
    twins = learned(*seen)
    usual = twins.usual(url)
    assert form_of(usual)[:3] == form_of(url)[:3]
    assert twins.usual(usual) == usual


def both_forms() -> tuple[list[str], Sites]:
    """A site whose pages are linked and served with and without a slash."""
    names = [f"page-{number}" for number in range(12)]
    home = "".join(f'<a href="/{name}">a</a><a href="/{name}/">b</a>' for name in names)
    bodies = {name: f"<p>{' '.join(f'{name} {word}' for word in range(90))}" for name in names}
    site = {f"/{name}{slash}": body for name, body in bodies.items() for slash in ("", "/")}
    return names, {"a.test": {"/": home, **site}}


def test_a_crawl_fetches_a_page_once_under_its_forms(tmp_path: Path) -> None:
    names, sites = both_forms()
    with TestWeb(sites) as web:
        crawl(tmp_path, job(["http://a.test/"], ordering="breadth-first"), proxy=web.proxy)
        asked = [access.path for access in web.accesses if access.path != "/robots.txt"]
    assert {path.strip("/") for path in asked} == {"", *names}
    skipped = urls(tmp_path, Outcome.TWIN)
    assert len(asked) + len(skipped) == 1 + 2 * len(names)
    assert len(asked) <= 1 + len(names) + CONFIRMED
    state = str(explain(tmp_path, skipped[0]))
    assert state.startswith(f"{skipped[0]}: same page as another\n")


def test_a_resumed_crawl_knows_the_same_twins(tmp_path: Path) -> None:
    _, sites = both_forms()
    asked = []
    for stops in ((0,), (7, 10, 0)):  # pages; 0: no limit
        with TestWeb(sites) as web:
            for pages in stops:
                limits = LimitsSection(private_networks=True, pages=pages)
                wanted = job(["http://a.test/"], ordering="breadth-first", limits=limits)
                crawl(tmp_path / str(len(stops)), wanted, proxy=web.proxy)
            asked.append([one.path for one in web.accesses if one.path != "/robots.txt"])
    assert asked[0] == asked[1]


def test_a_link_to_the_old_form_is_refused_and_the_usual_one_fetched(tmp_path: Path) -> None:
    pages = {f"/{k}": f'<p>page {k}</p><a href="http://a.test/{k + 1}">on</a>' for k in range(6)}
    old = {path: Redirect(f"http://www.a.test{path}") for path in pages}
    sites: Sites = {"a.test": old, "www.a.test": {**pages, "/6": "<p>the end</p>"}}
    with TestWeb(sites) as web:
        crawl(tmp_path, job(["http://a.test/0"]), proxy=web.proxy)
        asked = [access.url for access in web.accesses if "robots" not in access.path]
    assert [url for url in asked if "www" not in url] == [f"http://a.test/{k}" for k in range(3)]
    assert [url for url in asked if "www" in url] == [f"http://www.a.test/{k}" for k in range(7)]
    refused = {one.url: one.why for visit in visits(tmp_path) for one in visit.refused}
    assert refused == {f"http://a.test/{k}": Refusal.TWIN for k in range(3, 7)}
