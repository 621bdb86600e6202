"""Waiting links that another page rates again: the best rating stays, the rest is only noted."""

from pathlib import Path

import pytest
from msgspec.structs import replace
from tests.support.crawling import crawl, job, urls, visits

from toponaut.crawl.known_links import links_to_rate_again, without_worse
from toponaut.exchange import NOWHERE, Exchange, Holding
from toponaut.frontier import Frontier
from toponaut.gate.gate import SortedLinks
from toponaut.job import PolitenessSection
from toponaut.records import Link, Outcome, QueuedLink, Refusal, RefusedLink
from toponaut.strategy.collaboration import Assignment
from toponaut.strategy.ordering import Rating
from toponaut.urls import fingerprint, fingerprints

URLS = [f"http://{name}.test/" for name in "abcd"]
LINKS = [Link(url, "http://page.test/") for url in URLS]
A, B, C, D = URLS
WAITING = {C: 0.2}


def promises(frontier: Frontier, *of: str) -> list[float | None]:
    return frontier.promises(frontier.keyed(of), fingerprints(of))


def test_links_that_wait_are_rated_again() -> None:
    """a is new, b was visited, c and d wait."""
    skipped, waiting = links_to_rate_again(URLS, [False, True, True, True], [None, None, 0.2, 0.7])
    assert skipped == [False, True, False, False]
    assert waiting == {C: 0.2, D: 0.7}


@pytest.mark.parametrize(("promise", "kept"), [(0.3, [A, C]), (0.2, [A]), (0.1, [A])])
def test_only_a_higher_rating_counts(promise: float, kept: list[str]) -> None:
    refused = (RefusedLink(D, Refusal.TOO_DEEP),)
    parted = SortedLinks([LINKS[0], LINKS[2]], [1, 4], (fingerprint(B),), refused)
    again = Rating(promise, 0.0, "again")
    better = [Rating(0.0, 0.0, "new"), again if promise > WAITING[C] else None]
    parted, rated = without_worse(parted, better, WAITING)
    assert [link.url for link in parted.wanted] == kept
    assert parted.depths == [1, 4][: len(kept)]
    assert [rating.why for rating in rated] == ["new", "again"][: len(kept)]
    assert parted.refused == refused
    assert set(parted.known) == {fingerprint(url) for url in (B, C) if url not in kept}


def test_links_that_may_not_enter_are_refused() -> None:
    parted = SortedLinks([LINKS[0], LINKS[1]], [0, 0], (), ())
    better = [Rating(0.5, 0.0, "", enters=False), Rating(0.1, 0.0, "")]
    parted, rated = without_worse(parted, better, {})
    assert [link.url for link in parted.wanted] == [B]
    assert parted.refused == (RefusedLink(A, Refusal.NO_PLACE),)
    assert len(rated) == 1


def test_a_frontier_says_what_waits_and_how_promising(tmp_path: Path) -> None:
    frontier = Frontier(tmp_path, 0)
    frontier.put([QueuedLink(A, 0.9), QueuedLink(B, 0.5)])
    frontier.meet([C])
    taken = frontier.next(0.0)
    assert taken is not None
    assert taken.url == A
    assert promises(frontier, *URLS) == [None, 0.5, None, None]
    frontier.put([QueuedLink(B, 0.6, found_by=7)])
    assert promises(frontier, B) == [0.6]
    assert promises(frontier) == []


def test_an_exchange_says_which_node_was_given_a_url(tmp_path: Path) -> None:
    """a was taken by one node and d met there; b waits at the other; both were given c."""
    one, other = Frontier(tmp_path / "1", 0), Frontier(tmp_path / "2", 0)
    one.put([QueuedLink(A, 0.9), QueuedLink(C, 0.1)])
    one.meet([D])
    other.put([QueuedLink(B, 0.5), QueuedLink(C, 0.2)])
    taken = one.next(0.0)
    assert taken is not None
    assert taken.url == A
    exchange = Exchange({"one": one, "other": other})
    found = exchange.holdings(URLS, fingerprints(URLS))
    assert found == [Holding("one"), Holding("other", 0.5), Holding("one", 0.1), NOWHERE]
    wanted = [Assignment(("other", "one"), "why", b"memo")] * len(LINKS)
    owners = exchange.single_owners(LINKS, wanted)
    assert [owner.owners for owner in owners] == [("one",), ("other",), ("one",), ("other",)]
    assert [owner.why for owner in owners[::3]] == ["one was given it before", "why"]
    assert {owner.memo for owner in owners} == {b"memo"}


# b finds x at 1/8 and r at 1/8. r is relevant and links back to b, which was visited. Its neighbour
# q is not relevant, and rates x with 1/4.
LINKED = {"seed": "a", "a": "b", "b": "x r", "r": "q b", "q": "x", "x": ""}


def folder_of(root: Path) -> Path:
    root.mkdir()
    lines = []
    for name, linked in LINKED.items():
        anchors = "".join(f'<a href="http://{to}.test/">{to}</a> ' for to in linked.split())
        address = "<p>123 Main Street, Springfield, IL 62701" if name == "r" else ""
        (root / name).write_text(anchors + address, encoding="utf-8")
        lines.append(f"http://{name}.test/\t{name}\ttext/html\n")
    (root / "manifest.tsv").write_text("".join(lines), encoding="utf-8")
    return root


@pytest.mark.parametrize(("ordering", "promise"), [("link-distance", 0.25), ("breadth-first", -3)])
def test_a_nearer_page_lifts_a_waiting_link(tmp_path: Path, ordering: str, promise: float) -> None:
    """Of x and r the random seed draws the first; with one of these seeds it is r."""
    folder = folder_of(tmp_path / "web")
    one = PolitenessSection(delay=0.0, concurrent=1, robots=False, contact="https://bot.example/")
    wanted = job(["http://seed.test/"], ordering=ordering, politeness=one)
    found = set()
    for seed in range(4):
        crawl(tmp_path / str(seed), replace(wanted, random_seed=seed), replay=folder)
        by_url = {visit.url: visit for visit in visits(tmp_path / str(seed))}
        q, x = by_url["http://q.test/"], by_url["http://x.test/"]
        r, b = by_url["http://r.test/"], by_url["http://b.test/"]
        assert [link.url for link in r.links] == [q.url]
        assert r.known == (fingerprint(b.url),)
        linked = {link.url for link in q.links}
        assert linked == ({x.url} if x.found_by == q.sequence else set())
        assert fingerprint(x.url) in (*q.known, *map(fingerprint, linked))
        order = urls(tmp_path / str(seed), Outcome.FETCHED)
        if order.index(x.url) > order.index("http://r.test/"):
            found.add((x.promise, x.found_by == q.sequence))
    assert found == {(promise, ordering == "link-distance")}
