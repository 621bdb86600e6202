"""Links by the content of their page: the formula worked by hand, from the text of a page to the
owners of its links."""

from collections.abc import Iterable
from pathlib import Path
from unicodedata import normalize

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace
from tests.support.content import content_scope
from tests.support.crawling import crawl, visits

from toponaut.crawl.strategies import setting_of
from toponaut.job import CollaborationSection, Job, NodesSection, PolitenessSection, TargetsSection
from toponaut.job.sections import TerritorySection
from toponaut.job.targets import find_place
from toponaut.page.judge import judge_of
from toponaut.page.reading.reader import PageReader
from toponaut.places.gazetteer import Gazetteer
from toponaut.places.names.finder import NameFinder
from toponaut.places.scope import ContentCounts, ContentFormula, count_names
from toponaut.records import JudgedPage, Link, Outcome, Page, Response
from toponaut.strategy.collaboration import Assignment
from toponaut.strategy.registry import collaboration_of
from toponaut.urls import fingerprint

# Missouri's with its state once, alone twice; alone are Kansas twice, Missouri once
KANSAS_CITY = (
    "Barbecue in Kansas City, Missouri, is smoked slowly. Trains leave Kansas City every hour, "
    "and half of them cross into "
    "Kansas. He was born in Kansas City and lives in Kansas. Some say Missouri has the better beef."
)
ALBANY = (  # alone twice; Georgia twice, Oregon once
    "The paper mill in Albany closed. Georgia lost a thousand jobs, said the mayor of Albany. "
    "Georgia and Oregon make most "
    "of the paper."
)
LINKS = [Link(f"http://a.test/{number}", "http://a.test/") for number in range(6)]


def job(
    *nodes: tuple[str, ...], general: int = 1, policy: str = "A", a: float = 0.7, b: float = 0.5
) -> Job:
    """A job with these territories, whose links go by content."""
    return Job(
        partition="written",
        nodes=NodesSection(
            general=general,
            territories=tuple(TerritorySection(targets=targets) for targets in nodes),
        ),
        collaboration=CollaborationSection(
            strategy="content", policy="B" if policy == "B" else "A", content_a=a, content_b=b
        ),
    )


def read(wanted: Job, finder: NameFinder, text: str) -> JudgedPage:
    return judge_of(wanted, finder).judge(Page("http://a.test/", text=text))


def weights(judged: JudgedPage, gazetteer: Gazetteer) -> list[tuple[str, float]]:
    """The content of a page by codes of states, to six digits."""
    return [(gazetteer.place(place).admin1, round(weight, 6)) for place, weight in judged.content]


def rounded(scope: Iterable[tuple[int, float]]) -> list[tuple[int, float]]:
    return [(place, round(weight, 6)) for place, weight in scope]


# --- the formula ----------------------------------------------------------------------------------


def people(gazetteer: Gazetteer, *names: str) -> list[int]:
    return [find_place(gazetteer, name).population for name in names]


def test_kansas_city_by_hand(finder: NameFinder) -> None:
    """S(MO) = 475,378 / 628,311 = 0.756597, S(KS) = 0.243403; S~(MO) = 1/3, S~(KS) = 2/3.

    MO: 0.7 * 1 + 0.3 * (0.5 * 0.756597 + 0.5 * 1/3) * 2 = 0.7 + 0.6 * 0.544965 = 1.026979
    KS: 0.7 * 0 + 0.3 * (0.5 * 0.243403 + 0.5 * 2/3) * 2 = 0.6 * 0.455035 = 0.273021
    """
    gazetteer = finder.gazetteer
    assert people(gazetteer, "Kansas City, MO", "Kansas City, KS") == [475_378, 152_933], (
        "compute the numbers again"
    )
    judged = read(job(("Kansas City, MO",), ("Kansas City, KS",)), finder, KANSAS_CITY)
    assert weights(judged, gazetteer) == [
        ("MO", 1.026979),
        ("KS", 0.273021),
    ]


def test_other_weights_come_from_the_job(finder: NameFinder) -> None:
    """a = 0.4, b = 0.9. MO: 0.4 + 0.6 * (0.9 * 0.756597 + 0.1 * 1/3) * 2 = 0.4 + 1.2 * 0.714270 =
    1.257124 KS: 1.2 * (0.9 * 0.243403 + 0.1 * 2/3) = 1.2 * 0.285730 = 0.342876"""
    judged = read(
        job(("Kansas City, MO",), ("Kansas City, KS",), a=0.4, b=0.9), finder, KANSAS_CITY
    )
    assert weights(judged, finder.gazetteer) == [
        ("MO", 1.257124),
        ("KS", 0.342876),
    ]
    only_states = read(
        job(("Kansas City, MO",), ("Kansas City, KS",), a=0.0, b=0.0), finder, KANSAS_CITY
    )
    assert weights(only_states, finder.gazetteer) == [("KS", 1.333333), ("MO", 0.666667)]


def test_albany_by_hand(finder: NameFinder) -> None:
    """19 places of the name have 315,465 people: S(NY) = 0.320885, S(GA) = 0.237247, S(OR) =
    0.165391.

    GA: 0.3 * (0.5 * 0.237247 + 0.5 * 2/3) * 2 = 0.271174; OR: 0.3 * (0.5 * 0.165391 + 0.5 * 1/3) *
    2 = 0.149617; NY, the largest, whose state is not named: 0.3 * 0.5 * 0.320885 * 2 = 0.096266
    """
    gazetteer = finder.gazetteer
    names = "Albany, NY", "Albany, GA", "Albany, OR"
    assert people(gazetteer, *names) == [101_228, 74_843, 52_175], "compute the numbers again"
    assert weights(read(job(names), finder, ALBANY), gazetteer) == [
        ("GA", 0.271174),
        ("OR", 0.149617),
        ("NY", 0.096266),
    ]


def test_glendale_by_hand(gazetteer: Gazetteer) -> None:
    """22 places with 549,041 people: S(AZ) = 240,126 / 549,041 = 0.437356, S(CA) = 201,020 /
    549,041 = 0.366130.

    Three times alone, no state: AZ 0.3 * 0.5 * 0.437356 * 3 = 0.196810, CA 0.3 * 0.5 * 0.366130 * 3
    = 0.164758. Then California alone once, too: CA 0.3 * (0.5 * 0.366130 + 0.5) * 3 = 0.614758, and
    it wins.
    """
    arizona, california = (
        find_place(gazetteer, "Glendale, AZ"),
        find_place(gazetteer, "Glendale, CA"),
    )
    assert [arizona.population, california.population] == [240_126, 201_020], (
        "compute the numbers again"
    )
    alone = content_scope(gazetteer, ContentCounts({}, {"Glendale": 3}, {}), [arizona, california])
    assert rounded(alone.items()) == [
        (arizona.id, 0.196810),
        (california.id, 0.164758),
    ]
    state = find_place(gazetteer, "California").id
    named = content_scope(
        gazetteer, ContentCounts({}, {"Glendale": 3}, {state: 1}), [arizona, california]
    )
    assert rounded(named.items()) == [
        (california.id, 0.614758),
        (arizona.id, 0.196810),
    ]


def test_a_state_is_no_namesake_of_its_city(gazetteer: Gazetteer) -> None:
    """Of the places called New York the city has 99.8 % of the people, if the 20 millions of the
    state are left out."""
    city = find_place(gazetteer, "New York City")
    scope = content_scope(gazetteer, ContentCounts({}, {"New York": 1}, {}), [city])
    assert scope[city.id] == pytest.approx(0.3 * 0.5 * 0.998, abs=1e-4)


def test_what_lies_in_a_target_speaks_for_it(finder: NameFinder) -> None:
    """For the target Oregon: Portland with its state 0.7, its own name alone 0.3; Lisbon has its
    country for a state."""
    gazetteer = finder.gazetteer
    text = "We met in Portland, Oregon, and it rained. Oregon is wet. Lisbon, Portugal, is dry."
    judged = read(job(("Oregon",), ("Portugal",)), finder, text)
    assert rounded(judged.content) == [
        (find_place(gazetteer, "Oregon").id, 1.0),
        (find_place(gazetteer, "Portugal").id, 0.7),
    ]


def test_the_nearest_target_around_a_place_is_meant(finder: NameFinder) -> None:
    text = "We met in Portland, Oregon, and then in Salem, Oregon."
    judged = read(job(("Oregon",), ("Portland, OR",)), finder, text)
    names = [finder.gazetteer.place(place).name for place, _ in judged.content]
    assert sorted(names) == ["Oregon", "Portland"]
    assert [weight for _, weight in judged.content] == [pytest.approx(0.7)] * 2


@given(
    st.dictionaries(
        st.sampled_from(["Glendale", "Albany", "Portland", "Paris", "Kansas City"]),
        st.integers(1, 9),
    ),
    st.floats(0, 1),
    st.floats(0, 1),
)
def test_lone_names_share_no_more_than_they_have(
    gazetteer: Gazetteer, cities: dict[str, int], a: float, b: float
) -> None:
    """For any weights: all targets of the world together get at most 1 - a for each name alone."""
    everywhere = ContentFormula(gazetteer, np.arange(len(gazetteer), dtype=np.int32), a, b)
    total = sum(everywhere.weigh(ContentCounts({}, cities, {})).values())
    assert total <= (1 - a) * b * sum(cities.values()) + 1e-9


def test_counts_of_a_page_in_separate_accents(finder: NameFinder) -> None:
    """Letters with separate accents shift offsets: names are counted in the text that was read."""
    text = normalize("NFD", "Überall Königstraßen. In Köln, Nordrhein-Westfalen, regnet es.")
    judged = read(job(("Köln",)), finder, text)
    assert rounded(judged.content) == [(find_place(finder.gazetteer, "Köln").id, 0.7)]


def test_only_jobs_that_ask_for_it_pay_for_it(finder: NameFinder) -> None:
    plain = Job(targets=TargetsSection(places=("Kansas City, MO",)))
    assert read(plain, finder, KANSAS_CITY).content == ()
    asking = Job(targets=plain.targets, collaboration=CollaborationSection(strategy="content"))
    assert len(read(asking, finder, KANSAS_CITY).content) == 1


def test_names_of_no_target_count_nothing(finder: NameFinder) -> None:
    assert read(job(("Tulsa, OK",)), finder, KANSAS_CITY).content == ()
    assert count_names(finder.gazetteer, "", []) == ContentCounts({}, {}, {}, {})


# --- owners ---------------------------------------------------------------------------------------


def assigned(wanted: Job, finder: NameFinder, text: str) -> list[Assignment]:
    return collaboration_of(setting_of(wanted)).assign(read(wanted, finder, text), LINKS)


def test_all_links_go_where_the_page_belongs(finder: NameFinder) -> None:
    answers = assigned(job(("Kansas City, KS",), ("Kansas City, MO",)), finder, KANSAS_CITY)
    assert [answer.owners for answer in answers] == [("Cn2",)] * len(LINKS)
    assert answers[0].why == "the page names Kansas City, MO, US (1.03), Kansas City, KS, US (0.27)"


def test_under_policy_b_every_node_with_a_named_target_gets_them(finder: NameFinder) -> None:
    nodes = ("Kansas City, KS",), ("Tulsa, OK",), ("Kansas City, MO",)
    assert {answer.owners for answer in assigned(job(*nodes, policy="B"), finder, KANSAS_CITY)} == {
        ("Cn3", "Cn1")
    }


def test_one_node_has_the_weights_of_its_targets_one_by_one(finder: NameFinder) -> None:
    """The most probable place decides, not the most probable territory (section 3.4.3: arg max over
    city-state pairs)."""
    wanted = job(("Kansas City, MO",), ("Albany, GA", "Albany, OR", "Kansas City, KS"))
    assert assigned(wanted, finder, KANSAS_CITY + ALBANY)[0].owners == ("Cn1",)


def test_links_of_a_page_about_nothing_go_to_general_nodes_by_hash(finder: NameFinder) -> None:
    answers = assigned(job(("Tulsa, OK",), general=2), finder, KANSAS_CITY)
    assert [answer.owners for answer in answers] == [
        (f"general{fingerprint(link.url) % 2 + 1}",) for link in LINKS
    ]
    assert {answer.why for answer in answers} == {"the page names no target"}


def test_a_long_list_is_told_in_short(finder: NameFinder) -> None:
    towns = "Tulsa, OK", "Boston, MA", "Denver, CO", "Reno, NV", "Miami, FL"
    text = " ".join(f"They stayed in {town}, for a night." for town in towns)
    why = assigned(job(towns), finder, text)[0].why
    assert why.count("(0.70)") == 3
    assert why.endswith(" and 2 more")


def test_no_links_no_answers(finder: NameFinder) -> None:
    wanted = job(("Tulsa, OK",))
    assert collaboration_of(setting_of(wanted)).assign(read(wanted, finder, ALBANY), []) == []


def test_a_crawl_by_content(tmp_path: Path) -> None:
    """Seeds and the links of a page about nothing go to the general node, those of the others to
    their territories."""
    pages = {
        "home": ("All of it.", "s b"),
        "s": ("Ferries in Seattle, Washington, and rain in Seattle.", "x y"),
        "b": ("Chowder in Boston, Massachusetts.", "z"),
        **dict.fromkeys("xyz", ("Nothing here.", "")),
    }
    folder = tmp_path / "web"
    folder.mkdir()
    for name, (text, links) in pages.items():
        anchors = " ".join(f'<a href="http://{link}.test/">go</a>' for link in links.split())
        (folder / f"{name}.html").write_text(f"<p>{text} {anchors}", encoding="utf-8")
    lines = [f"http://{name}.test/\t{name}.html\ttext/html\n" for name in pages]
    (folder / "manifest.tsv").write_text("".join(lines), encoding="utf-8")
    polite = PolitenessSection(delay=0.0, robots=False, contact="https://bot.example/")
    wanted = replace(
        job(("Boston, MA",), ("Seattle, WA",)), seeds=("http://home.test/",), politeness=polite
    )
    crawl(tmp_path / "crawl", wanted, replay=folder)
    fetched_by = {
        visit.url: visit.node
        for visit in visits(tmp_path / "crawl")
        if visit.outcome is Outcome.FETCHED
    }
    assert fetched_by == {
        "http://home.test/": "general1", "http://s.test/": "general1", "http://b.test/": "general1",
        "http://x.test/": "Cn2", "http://y.test/": "Cn2", "http://z.test/": "Cn1",
    }  # fmt: skip


def test_a_reader_tells_the_server_and_the_content() -> None:
    body = f"<p>{KANSAS_CITY}</p>".encode()
    reader = PageReader(job(("Kansas City, MO",), ("Kansas City, KS",)))
    judged = reader.read(Response("http://a.test/", 200, body, "text/html", ip="192.0.2.7"))
    assert judged.ip == "192.0.2.7"
    assert [round(weight, 2) for _, weight in judged.content] == [1.03, 0.27]
