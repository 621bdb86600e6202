"""Geo-rank: its formulas on examples worked by hand, what it reads of URLs and windows, and the
order of fetches."""

import math
import random
from collections.abc import Sequence
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.support.crawling import crawl, job, urls

from toponaut.job import PolitenessSection
from toponaut.places.gazetteer import Gazetteer
from toponaut.places.names.finder import NameFinder
from toponaut.places.names.toponyms import Toponyms
from toponaut.records import JudgedPage, Link, Outcome, Page, QueuedLink, Visit
from toponaut.strategy.ordering import Rating
from toponaut.strategy.ordering.geo_rank import GeoRank, location_focus, rank, spatial_correlation
from toponaut.strategy.ordering.geo_urls import UrlPlaces
from toponaut.strategy.ordering.geo_windows import Terms, count_terms
from toponaut.urls import tokens as url_tokens

LISBON, OLDENBURG, HOUSTON = 2267057, 2857458, 4699066
POLE, GREENWICH, EAST, FAR = (
    (0.0, 0.0, 1.0),
    (1.0, 0.0, 0.0),
    (0.0, 1.0, 0.0),
    (-1.0, 0.0, 0.0),
)  # FAR: 180 degrees east


@pytest.fixture(scope="module")
def geo(finder: NameFinder, wordnet: Gazetteer) -> GeoRank:
    return GeoRank(finder, wordnet, 50)


@pytest.fixture(scope="module")
def toponyms(finder: NameFinder, wordnet: Gazetteer) -> Toponyms:
    return Toponyms(wordnet, finder.gazetteer)


# --- the formulas ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("points", "correlation"),
    [
        ([], 0.0),
        ([GREENWICH], 1.0),
        ([GREENWICH, GREENWICH], 1.0),
        ([GREENWICH, POLE], 0.5),  # a quarter of the circumference, half of the longest way
        ([GREENWICH, FAR], 0.0),  # to the other side of the Earth
        ([GREENWICH, EAST, POLE], 0.5),  # all three pairs a quarter
        ([GREENWICH, EAST, FAR], 1 / 3),  # shares 1/2, 1/2 and 1: their mean is 2/3
        ([GREENWICH, ()], 1.0),  # the other point is unknown
        ([()], 1.0),
        ([GREENWICH, (), POLE], 0.5),
    ],
)
def test_spatial_correlation(points: Sequence[tuple[float, ...]], correlation: float) -> None:
    assert spatial_correlation(points) == pytest.approx(correlation)


def test_spatial_correlation_of_known_cities(geo: GeoRank) -> None:
    """Half the circumference is pi * 6371.0088 = 20,015.1 km. Lisbon and Porto are 273.4 km apart:
    1 - 0.01366; New York and London 5,570.2 km: 1 - 0.27830; London, Lisbon and Madrid 1,585.2,
    503.2 and 1,263.6 km: their mean is 1,117.4 km, 1 - 0.05583. (By the law of cosines from the
    cities' coordinates, not by our code.)"""
    links = [
        "http://a.test/lisbon/porto",
        "http://a.test/new-york/london",
        "http://a.test/london/lisbon/madrid",
    ]
    found = [answer.promise * 2 for answer in rate(geo, [Link(url, "") for url in links])]
    assert found == pytest.approx([0.98634, 0.72170, 0.94417], abs=1e-4)


@given(st.lists(st.tuples(st.floats(-1.57, 1.57), st.floats(-3.14, 3.14)), min_size=1, max_size=6))
def test_spatial_correlation_is_a_share(angles: list[tuple[float, float]]) -> None:
    points = [
        (math.cos(lat) * math.cos(lon), math.cos(lat) * math.sin(lon), math.sin(lat))
        for lat, lon in angles
    ]
    found = spatial_correlation(points)
    assert 0.0 <= found <= 1.0
    assert spatial_correlation(points[::-1]) == pytest.approx(found)


def test_location_focus_and_rank() -> None:
    assert location_focus(Terms(4, 14)) == pytest.approx(0.285714, abs=1e-6)
    assert location_focus(Terms(0, 0)) == 0.0
    assert rank(0.95, 0.29) == pytest.approx(0.62)
    assert rank(1.0, 0.0) == 0.5


# --- links ----------------------------------------------------------------------------------------


def rate(
    geo: GeoRank, links: list[Link], text: str = "", url: str = "http://a.test/", owner: int = 0
) -> list[Rating]:
    return geo.rate(QueuedLink(url, 1.0), JudgedPage(Page(url, text=text), registrant=owner), links)


def link(text: str, anchor: str, url: str) -> Link:
    """A link in a text, as the parser makes it."""
    start = text.index(anchor)
    return Link(url, "", anchor, start=start, end=start + len(anchor))


GUIDE = "our guide to hotels in Lisbon and\nin Porto\nsend us a letter"


def test_both_evidences_and_the_reason(geo: GeoRank) -> None:
    """The window of the first link is the whole text, 13 words with 2 names of one word each."""
    links = [
        link(GUIDE, "hotels", "http://www.visitlisbon.com/porto/"),
        link(GUIDE, "send", "http://a.test/letter"),
    ]
    both, one = rate(geo, links, GUIDE)
    assert (
        both.why
        == "rank 0.57 = mean of correlation 0.99 (Lisbon, Porto) and focus 0.15 (2 of 13 words)"
    )
    assert both.promise == pytest.approx((0.98634 + 2 / 13) / 2, abs=1e-4)
    assert both.score == both.promise
    assert (
        one.why == "rank 0.08 = mean of correlation 0.00 (no place) and focus 0.15 (2 of 13 words)"
    )
    assert one.enters


def test_a_link_enters_if_it_is_correlated_or_in_focus(geo: GeoRank) -> None:
    far = "http://a.test/lisbon/auckland"  # 19,600 km: nearly as far as can be
    in_text = link("See you in Lisbon again", "again", far)
    links = [
        Link("http://a.test/news", ""),
        Link("http://a.test/lisbon", ""),
        Link(far, ""),
        in_text,
    ]
    answers = rate(geo, links, "See you in Lisbon again")
    assert [answer.enters for answer in answers] == [False, True, False, True]
    assert answers[0].promise == 0.0
    assert "(no place) and focus 0.00 (0 of 0 words)" in answers[0].why


def test_a_seed_enters_at_once(geo: GeoRank) -> None:
    assert geo.seed()[:2] == (1.0, 1.0)
    assert geo.seed().enters


def test_no_links_no_answers(geo: GeoRank) -> None:
    assert rate(geo, []) == []


def test_many_places_are_named_in_part(geo: GeoRank) -> None:
    [answer] = rate(geo, [Link("http://a.test/lisbon/porto/madrid/paris/rome/vienna", "")])
    assert "(Lisbon, Porto, Madrid, Paris, ...)" in answer.why


# --- the owner of the domain ----------------------------------------------------------------------


def test_the_owners_place_is_an_entity_of_the_url(finder: NameFinder, wordnet: Gazetteer) -> None:
    """Houston and Oldenburg are 8,233 km apart: 1 - 8233 / 20,015 = 0.58866."""
    geo = GeoRank(finder, wordnet, 50)
    links = [
        Link("http://www.shop.test/a", ""),
        Link("http://shop.test/oldenburg", ""),
        Link("http://b.test/", ""),
    ]
    assert [answer.promise for answer in rate(geo, links)] == [0.0, 0.5, 0.0]
    geo.learn(Visit(0, "n", "https://shop.test/x", 200, Outcome.FETCHED, registrant=HOUSTON))
    geo.learn(Visit(1, "n", "https://b.test/x", 200, Outcome.FETCHED))
    answers = rate(geo, links)
    assert [answer.promise * 2 for answer in answers] == pytest.approx(
        [1.0, 0.58866, 0.0], abs=1e-4
    )
    assert "(Oldenburg, owner in Houston)" in answers[1].why
    assert [answer.enters for answer in answers] == [True, True, False]
    other = GeoRank(finder, wordnet, 50)
    other.load(geo.dump())
    assert rate(other, links) == answers


def test_a_page_tells_the_owner_of_its_own_domain_at_once(finder: NameFinder) -> None:
    geo = GeoRank(finder, None, 50)
    links = [
        Link("http://shop.test/a", ""),
        Link("http://b.test/", ""),
        Link("http://shop.test/oldenburg", ""),
    ]
    answers = rate(geo, links, url="http://www.shop.test/", owner=OLDENBURG)
    assert [answer.promise for answer in answers] == [0.5, 0.0, 0.5]
    assert "(Oldenburg)" in answers[2].why  # the same place counts once


@pytest.mark.parametrize("model", [b"", b"nonsense", b"\x80", b"\x81\xa1a\x01"])
def test_a_strange_model_is_refused(finder: NameFinder, model: bytes) -> None:
    with pytest.raises(ValueError, match="geo-rank"):
        GeoRank(finder, None, 50).load(model)


# --- URLs -----------------------------------------------------------------------------------------

URLS = """ http://www.visithouston.com/ http://losangeles-pizza.com/menu
http://a.test/tx/fort_worth/ http://a.test/al/mobile/ http://a.test/mobile/ http://mobile.a.test/al/
http://a.test/hotels-in-portland http://a.test/portland-me/ http://a.test/me/portland/
http://a.test/madison-avenue http://www.washington-post.test/ http://a.test/new-york-city/york
http://a.test/contact-us http://a.test/in-or-me-us-no http://a.test/de/impressum
http://a.test/de/oldenburg http://a.test/m%C3%BCnchen/ http://a.test/%E6%9D%B1%E4%BA%AC/
http://a.test/?city=lisbon&lang=pt http://192.0.2.7/lisbon http://a.test/a/b/c
http://a.test/LosAngeles http://houstonguide.test/tx http://city.kobe.jp/ http://a.test/paris/texas
http://ci.houston.tx.us/ http://a.test/or/salem http://salem.test/ http://a.test/reading
http://a.test/reading-uk http://a.test/hotels/bend-or http://a.test/or/bend http://a.test/bend
http://in-the.test/bend http://guide-mobile.test/al-news http://mobilenew.test/al-me
http://7-or.test/fr_me_the """.split()


def test_urls_are_read_as_one_by_one(finder: NameFinder) -> None:
    """What is looked through at once holds back nothing that reading each URL in full finds."""
    expected = [
        tuple(dict.fromkeys(mention.place for mention in finder.urls.find([url])[0]))
        for url in URLS
    ]
    assert sum(map(bool, expected)) > 15
    at_once = UrlPlaces(finder)
    assert at_once.find(URLS, [url_tokens(url) for url in URLS]) == expected
    again = URLS[::-1]  # all is remembered now
    assert at_once.find(again, [url_tokens(url) for url in again]) == expected[::-1]


def test_most_urls_are_not_read_in_full(finder: NameFinder) -> None:
    """Codes of states that are words make no suspects of URLs that only have such words."""
    dull = [
        f"http://a.test/{path}"
        for path in ("contact", "in-or-me-hi", "2024/05/the-news", "about/imprint", "login?id=7")
    ]
    assert UrlPlaces(finder).speaking(dull, [url_tokens(url) for url in dull]) == []


WORDS = (
    "new york san jose portland me or tx texas in de berlin mobile al houston guide street "
    "news the of 7 paris fr bend"
).split()


@settings(max_examples=60)
@given(st.integers())
def test_any_urls_are_read_as_one_by_one(finder: NameFinder, seed: int) -> None:
    chance = random.Random(seed)
    some = [
        f"http://{chance.choice(WORDS)}{chance.choice(['', '-', '.'])}{chance.choice(WORDS)}.test/"
        + chance.choice("-/_").join(chance.choices(WORDS, k=chance.randrange(5)))
        for _ in range(10)
    ]
    expected = [
        tuple(dict.fromkeys(mention.place for mention in finder.urls.find([url])[0]))
        for url in some
    ]
    assert UrlPlaces(finder).find(some, [url_tokens(url) for url in some]) == expected


# --- windows --------------------------------------------------------------------------------------

LONG = (
    " ".join(f"word{number}" for number in range(40))
    + " pizza in Springfield today "
    + " ".join(f"more{number}" for number in range(40))
)


def test_the_window_has_25_words_on_each_side(finder: NameFinder) -> None:
    """Around "today" with 25 words on each side: 51 words, of which one is a name; 3 words on each
    side hold it, 0 do not."""
    one = link(LONG, "today", "http://a.test/")
    for window, terms in ((50, Terms(1, 51)), (6, Terms(1, 7)), (2, Terms(1, 3)), (1, Terms(0, 1))):
        assert count_terms(finder, None, LONG, [one], window) == [terms]


def test_windows_that_overlap_count_for_themselves(finder: NameFinder) -> None:
    text = "hotels in Lisbon and then far away a boat to New York for all of us"
    links = [link(text, anchor, f"http://a.test/{anchor}") for anchor in ("hotels", "boat", "us")]
    # 2 words on each side: "hotels in Lisbon", "away a boat to New", which has no whole name, "all
    # of us"
    assert count_terms(finder, None, text, links, 4) == [Terms(1, 3), Terms(0, 5), Terms(0, 3)]
    # 3: "hotels in Lisbon and", "far away a boat to New York", "for all of us"; in any order
    assert count_terms(finder, None, text, links[::-1], 6) == [
        Terms(0, 4),
        Terms(2, 7),
        Terms(1, 4),
    ]
    assert count_terms(finder, None, text, links, 50) == [Terms(3, 16)] * 3


def test_a_name_cut_by_the_window_does_not_count_whatever_its_neighbours_show(
    finder: NameFinder,
) -> None:
    text = "far away a boat to New York for all of us"
    links = [link(text, anchor, f"http://a.test/{anchor}") for anchor in ("boat", "York")]
    # "away a boat to New" as above, though the window of the second link shows the whole of it;
    # that has "to New York for all"
    assert count_terms(finder, None, text, links, 4) == [Terms(0, 5), Terms(2, 5)]


def test_a_link_that_is_not_in_the_text_is_read_by_itself(finder: NameFinder) -> None:
    text = "trains to Porto, photos from in May"
    image = Link("http://a.test/", "", "a view of Lisbon", start=28, end=28)
    plain = link(text, "trains", "http://a.test/b")
    assert count_terms(finder, None, text, [image, plain], 4) == [Terms(1, 8), Terms(1, 3)]
    assert count_terms(finder, None, "", [Link("http://a.test/", "", "a view of Lisbon")], 50) == [
        Terms(1, 4)
    ]


def test_letters_with_separate_accents_are_read_as_others(finder: NameFinder) -> None:
    text = "hotels in Mu\u0308nchen today"
    assert count_terms(finder, None, text, [link(text, "today", "http://a.test/")], 50) == [
        Terms(1, 4)
    ]


def test_a_page_longer_than_a_chunk(finder: NameFinder) -> None:
    lines = [
        f"line {number} has a hotel in Lisbon for everybody who comes" for number in range(2000)
    ]
    text = "\n".join(lines)
    at = [text.index(f"line {number} ") for number in range(0, 2000, 50)]
    links = [Link("http://a.test/", "", "line", start=k, end=k + 4) for k in at]
    assert len(text) > 100_000
    named = [terms.named for terms in count_terms(finder, None, text, links, 12)]
    assert named == [1] + [2] * (len(links) - 1)  # that of its own line, and of the line before it


# --- WordNet --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("a walk on Cape Cod", ["Cape Cod"]),
        ("offices in Silicon Valley and the Lake District", ["Silicon Valley", "Lake District"]),
        ("skiing in the Alps", ["Alps"]),
        ("buy it on Amazon", []),  # short for the Amazon River
        ("a ship on the Amazon River", ["Amazon"]),
        ("The City never sleeps", []),
        ("born under Cancer", []),  # WordNet knows where in the sky
        ("hotels in Lisbon", []),  # the gazetteer's business
        ("a silicon valley", []),
        ("", []),
    ],
)
def test_wordnet_adds_what_the_gazetteer_lacks(
    toponyms: Toponyms, text: str, names: list[str]
) -> None:
    tokens = toponyms._names.tokeniser.words(text)
    assert [toponym.name for toponym in toponyms.in_text(tokens)[2]] == names


def test_wordnets_places_lie_where_what_they_are_part_of_lies(
    toponyms: Toponyms, finder: NameFinder
) -> None:
    """Cape Cod has no coordinates of its own; it is part of Massachusetts."""
    [[cape]] = toponyms.in_lines(["visit cape cod"])
    boston = finder.gazetteer.lookup("Boston, MA")[0]
    row = finder.gazetteer.row(boston.id)
    assert spatial_correlation([cape.point, tuple(finder.gazetteer.xyz[row].tolist())]) > 0.99
    assert toponyms.in_lines(["gulf of mexico hotels"])[0][0].point == ()


def test_wordnets_names_count_in_urls_and_windows(geo: GeoRank, finder: NameFinder) -> None:
    text = "rooms on Cape Cod"
    there, elsewhere = (
        link(text, "rooms", "http://a.test/cape-cod/boston"),
        Link("http://a.test/the-city/", ""),
    )
    [answer, silent] = rate(geo, [there, elsewhere], text)
    assert "(Boston, Cape Cod) and focus 0.50 (2 of 4 words)" in answer.why
    assert not silent.enters
    [without] = rate(GeoRank(finder, None, 50), [there], text)
    assert "(Boston) and focus 0.00 (0 of 4 words)" in without.why


def test_many_lines_are_read_in_chunks(toponyms: Toponyms) -> None:
    lines = ["hotels on cape cod for everybody"] * 2000
    assert [len(found) for found in toponyms.in_lines(lines)] == [1] * 2000


# --- crawls ---------------------------------------------------------------------------------------

ONE = PolitenessSection(delay=0.0, concurrent=1, robots=False, contact="https://bot.example/")


def web(folder: Path, pages: dict[str, str]) -> Path:
    """URLs with the bodies of their pages."""
    folder.mkdir()
    lines = []
    for number, (url, body) in enumerate(pages.items()):
        (folder / f"{number}.html").write_text(body, encoding="utf-8")
        lines.append(f"{url}\t{number}.html\ttext/html\n")
    (folder / "manifest.tsv").write_text("".join(lines), encoding="utf-8")
    return folder


def order(tmp_path: Path, pages: dict[str, str]) -> list[str]:
    wanted = job([next(iter(pages))], ordering="geo-rank", politeness=ONE)
    crawl(tmp_path / "c", wanted, replay=web(tmp_path / "web", pages))
    return urls(tmp_path / "c", Outcome.FETCHED)


def test_the_order_of_fetches_by_correlation(tmp_path: Path) -> None:
    """One host a page, links without words: Lisbon alone 1/2; with Porto 0.493; New York and London
    0.36; Houston and Oldenburg 0.294; Lisbon and Auckland (0.02) and the shop do not enter. What
    Lisbon's page links to (Porto, 1/2) overtakes."""
    links = [
        "http://s.test/shop",
        "http://n.test/new-york-london",
        "http://h.test/houston/oldenburg",
        "http://f.test/lisbon/auckland",
        "http://t.test/lisbon/porto",
        "http://l.test/lisbon",
    ]
    pages = {"http://a.test/": "".join(f'<a href="{url}"></a>' for url in links)} | dict.fromkeys(
        links, "<p>a page"
    )
    pages["http://l.test/lisbon"] = '<a href="http://p.test/porto"></a>'
    pages["http://p.test/porto"] = "<p>the end"
    assert order(tmp_path, pages) == [
        "http://a.test/", "http://l.test/lisbon", "http://p.test/porto", "http://t.test/lisbon/porto",
        "http://n.test/new-york-london", "http://h.test/houston/oldenburg",
    ]  # fmt: skip


def test_the_order_of_fetches_by_focus(tmp_path: Path) -> None:
    """URLs that name nothing. Windows reach over the whole page where it is short, so every link
    is on a page of its own, except the seed's, which name places: "hotels in Lisbon and Porto" 2 of
    5 words, "to Lisbon by train" 1 of 4, "read on" 0."""
    pages = {
        "http://a.test/lisbon": '<a href="http://b.test/lisbon"></a><a '
        'href="http://c.test/porto"></a><a href="http://d.test/paris"></a>',
        "http://b.test/lisbon": '<p>to Lisbon by <a href="http://x.test/1">train</a>',
        "http://c.test/porto": '<p>hotels in Lisbon and <a href="http://y.test/1">Porto</a>',
        "http://d.test/paris": '<p>read <a href="http://z.test/1">on</a>',
    } | dict.fromkeys(["http://x.test/1", "http://y.test/1", "http://z.test/1"], "<p>a page")
    found = order(tmp_path, pages)
    assert set(found[:4]) == set(list(pages)[:4])  # the seed and what has 1/2
    assert found[4:] == ["http://y.test/1", "http://x.test/1"]
