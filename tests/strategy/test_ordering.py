"""Orderings: the formulas on examples worked by hand, and the exact order of fetches on tiny
webs."""

from pathlib import Path

import pytest
from tests.support.crawling import crawl, job, urls

from toponaut.crawl.strategies import setting_of
from toponaut.errors import InputError
from toponaut.job import (
    CollaborationSection,
    Job,
    OrderingSection,
    PolitenessSection,
    TargetsSection,
)
from toponaut.records import JudgedPage, Link, Outcome, Page, QueuedLink
from toponaut.strategy.collaboration.by_hash import ByHash
from toponaut.strategy.ordering.breadth_first import BreadthFirst
from toponaut.strategy.ordering.link_distance import LinkDistance
from toponaut.strategy.registry import collaboration_of, ordering_of
from toponaut.urls import fingerprint

LINKS = [Link("http://b.test/", "http://a.test/"), Link("http://c.test/", "http://a.test/")]
ADDRESS = "<p>Joe's Diner, 123 Main Street, Springfield, IL 62701"


def test_link_distance_halves_the_score_until_a_page_is_relevant() -> None:
    """Ahlers and Boll 2009: seed 1, child 1/2, grandchild 1/4; 1/2 again after a relevant page."""
    ordering = LinkDistance(0.5)
    assert ordering.seed()[:2] == (1.0, 1.0)
    dull, wanted = (
        JudgedPage(Page("http://a.test/")),
        JudgedPage(Page("http://a.test/"), relevant=True),
    )
    child = ordering.rate(QueuedLink("http://a.test/", 1.0, score=1.0), dull, LINKS)
    assert [rated[:2] for rated in child] == [(0.5, 0.5)] * 2
    grandchild = ordering.rate(QueuedLink("http://a.test/", 0.5, score=0.5), dull, LINKS)
    assert grandchild[0][:2] == (0.25, 0.25)
    assert ordering.rate(QueuedLink("http://a.test/", 0.25, score=0.25), wanted, LINKS)[0][:2] == (
        0.5,
        0.5,
    )


def test_a_fixed_cut_off() -> None:
    """Ahlers and Boll 2009, 6.1: with a cut-off of 2 the links of the second dull page in a row
    are not followed."""
    ordering, dull = LinkDistance(0.5, cutoff=2), JudgedPage(Page("http://a.test/"))
    entering = [
        ordering.rate(QueuedLink("http://a.test/", score, score=score), dull, LINKS)[0].enters
        for score in (1.0, 0.5, 0.25)
    ]
    assert entering == [True, True, False]
    relevant = JudgedPage(Page("http://a.test/"), relevant=True)
    assert ordering.rate(QueuedLink("http://a.test/", 0.25, score=0.25), relevant, LINKS)[0].enters


def test_the_decay_may_be_another() -> None:
    ordering = LinkDistance(0.25)
    assert (
        ordering.rate(QueuedLink("http://a.test/", 1.0, score=1.0), JudgedPage(Page("")), LINKS)[
            0
        ].promise
        == 0.25
    )


def test_breadth_first_goes_by_links_from_a_seed() -> None:
    ordering = BreadthFirst()
    assert ordering.seed().promise == 0.0
    assert (
        ordering.rate(QueuedLink("http://a.test/", -2.0, hops=2), JudgedPage(Page("")), LINKS)[
            0
        ].promise
        == -3.0
    )


def web(folder: Path, pages: dict[str, str]) -> Path:
    """One page a host, so that no clock has a say in the order: names are hosts, bodies name the
    hosts linked to."""
    folder.mkdir()
    lines = []
    for name, body in pages.items():
        words = body.split()
        anchors = "".join(
            f'<a href="http://{word}.test/">{word}</a> ' for word in words if word != "ADDRESS"
        )
        (folder / f"{name}.html").write_text(
            anchors + (ADDRESS if "ADDRESS" in words else ""), encoding="utf-8"
        )
        lines.append(f"http://{name}.test/\t{name}.html\ttext/html\n")
    (folder / "manifest.tsv").write_text("".join(lines), encoding="utf-8")
    return folder


WEBS = {
    # the relevant page b lifts its children e over c's
    "lifted": {"a": "b c", "b": "ADDRESS e", "c": "d", "d": "f", "e": "g", "f": "", "g": ""},
    # a chain away from the seed, next to a relevant chain that never sinks
    "chain": {"a": "b", "b": "c r", "c": "d", "d": "", "r": "ADDRESS s", "s": "ADDRESS t", "t": ""},
}
LEVELS = [  # of equal promise the order is drawn by the seed: compared as sets
    ("lifted", "breadth-first", [{"a"}, {"b", "c"}, {"d", "e"}, {"f", "g"}]),
    ("chain", "breadth-first", [{"a"}, {"b"}, {"c", "r"}, {"d", "s"}, {"t"}]),
    # b, c 1/2; if b comes first then e (1/2) may come before c; d 1/4, g 1/4, f 1/8
    ("lifted", "link-distance", [{"a"}, {"b", "c", "e"}, {"d", "g"}, {"f"}]),
    # b 1/2; c, r 1/4; then s 1/2 after the relevant r
    ("chain", "link-distance", [{"a"}, {"b"}, {"c", "r", "s", "t"}, {"d"}]),
]


@pytest.mark.parametrize(("name", "ordering", "levels"), LEVELS)
def test_the_order_of_fetches(
    tmp_path: Path, name: str, ordering: str, levels: list[set[str]]
) -> None:
    one = PolitenessSection(delay=0.0, concurrent=1, robots=False, contact="https://bot.example/")
    crawl(
        tmp_path / "c",
        job(["http://a.test/"], ordering=ordering, politeness=one),
        replay=web(tmp_path / "web", WEBS[name]),
    )
    order = [url.removeprefix("http://")[0] for url in urls(tmp_path / "c", Outcome.FETCHED)]
    at = 0
    for level in levels:
        assert set(order[at : at + len(level)]) == level, order
        at += len(level)
    if (name, ordering) == (
        "chain",
        "link-distance",
    ):  # once r is read, its chain (1/2) goes before c (1/4)
        assert order[order.index("r") :][:3] == ["r", "s", "t"]


def test_hash_gives_a_url_to_one_node_always() -> None:
    collaboration = ByHash(["n0", "n1", "n2"])
    page = JudgedPage(Page("http://a.test/"))
    for link, answer in zip(LINKS, collaboration.assign(page, LINKS), strict=True):
        assert answer.owners == (f"n{fingerprint(link.url) % 3}",)
    many = [Link(f"http://a.test/{number}", "") for number in range(3000)]
    owners = [answer.owners[0] for answer in collaboration.assign(page, many)]
    assert all(900 < owners.count(node) < 1100 for node in ("n0", "n1", "n2"))


OLDENBURG = TargetsSection(places=("Oldenburg, DE",))


@pytest.mark.parametrize(
    "wanted",
    [
        Job(targets=OLDENBURG, ordering=OrderingSection(strategy="deepest")),
        Job(targets=OLDENBURG, collaboration=CollaborationSection(strategy="lottery")),
    ],
)
def test_an_unknown_strategy_is_named_with_those_there_are(wanted: Job) -> None:
    setting = setting_of(wanted)
    with pytest.raises(
        InputError,
        match=r'there is no (ordering|collaboration) "(deepest|lottery)".*(hash|link-distance)',
    ):
        (ordering_of(setting), collaboration_of(setting))
