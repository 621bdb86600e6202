"""Every measure on an example worked out by hand, and against brute force."""

from collections import deque
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from toponaut.measures.columns import Marks
from toponaut.measures.completeness import CrawlFindings, between, chapman
from toponaut.measures.gathering import parents
from toponaut.measures.graph import Edges, Graph, graph_of, pack
from toponaut.measures.harvest import Bars, bridges, harvest, weights_over
from toponaut.measures.link_measures import centrality, locality
from toponaut.measures.tables import count, mean_and_spread, mean_of, number, percent, size
from toponaut.measures.truth import WebTruth, against_truth, oracle_harvest

Links = list[tuple[int, int]]


def graph(vertices: int, links: Links) -> Graph:
    pairs = np.array(links, np.int64).reshape(-1, 2)
    return graph_of(vertices, pack(pairs[:, 0], pairs[:, 1]))


def bools(text: str) -> "np.typing.NDArray[np.bool_]":
    """ "R.." is a relevant page and two others."""
    return np.array([sign == "R" for sign in text], np.bool_)


def ints(*values: int) -> "np.typing.NDArray[np.int64]":
    return np.array(values, np.int64)


# --- geo-centrality -------------------------------------------------------------------------------

# Figure 2 of Gao, Lee and Miao 2006: node 1 links to 2, 3, 4, and these to 5, 6, 7, 8. Numbered
# from 0 here.
FIGURE_2 = [(0, 1), (0, 2), (0, 3), (1, 4), (1, 5), (2, 6), (3, 7)]


def test_geo_centrality_of_the_papers_example() -> None:
    every = np.ones(8, np.bool_)
    assert centrality(graph(8, FIGURE_2), every, k=2, m=10)[0] == pytest.approx(
        1 + 3 * 0.1 + 4 * 0.01
    )  # 1.34
    assert centrality(graph(8, FIGURE_2), every, k=1, m=10)[0] == pytest.approx(1.3)
    assert centrality(graph(8, FIGURE_2), every, k=0, m=10)[0] == 1


def test_a_page_is_counted_once_at_its_shortest_distance() -> None:
    """Links back to the start, across a level, and twice to one page add nothing."""
    links = [*FIGURE_2, (4, 0), (1, 0), (1, 2), (3, 6), (0, 0)]
    assert centrality(graph(8, links), np.ones(8, np.bool_), k=2)[0] == pytest.approx(1.34)


def test_only_pages_with_addresses_count() -> None:
    some = np.zeros(8, np.bool_)
    some[[2, 4, 7]] = True  # node 3, and the grandchildren 5 and 8
    value = centrality(graph(8, FIGURE_2), some, k=2)
    assert value[0] == pytest.approx(0.1 + 2 * 0.01)
    assert value[1] == pytest.approx(0.1)
    assert value.tolist()[4:] == [1, 0, 0, 1]
    assert centrality(graph(8, FIGURE_2), np.zeros(8, np.bool_)).tolist() == [0] * 8


vertices = st.integers(1, 9)
webs = vertices.flatmap(
    lambda n: st.tuples(
        st.just(n),
        st.lists(st.tuples(st.integers(0, n - 1), st.integers(0, n - 1)), max_size=30),
        st.lists(st.integers(-1, 2), min_size=n, max_size=n),
    )
)


@given(webs, st.integers(0, 4), st.sampled_from([1.0, 2.0, 10.0]))
def test_geo_centrality_equals_a_search_from_each_page(
    web: tuple[int, Links, list[int]], k: int, m: float
) -> None:
    many, links, colours = web
    aware = [colour >= 0 for colour in colours]
    expected = []
    for page in range(many):
        distance = {page: 0}
        waiting = deque([page])
        while waiting:
            here = waiting.popleft()
            for there in sorted({to for source, to in links if source == here} - distance.keys()):
                distance[there] = distance[here] + 1
                waiting.append(there)
        expected.append(sum(m**-far for to, far in distance.items() if far <= k and aware[to]))
    assert centrality(
        graph(many, links), np.array(aware, np.bool_), k, m
    ).tolist() == pytest.approx(expected)


# --- geographic locality --------------------------------------------------------------------------


def test_locality_of_a_small_web() -> None:
    """Pages 0, 1, 2 are about target 7, pages 3, 4 about target 9, page 5 about none.

    Linked pairs: 0-1 (both ways, counts once), 1-3, 3-4. Same target: 0-1, 3-4. Page 5's links do
    not count. Of 5 * 4 / 2 = 10 pairs 7 are unlinked; about the same target are 3 + 1 = 4 pairs, 2
    of them unlinked.
    """
    web = graph(6, [(0, 1), (1, 0), (1, 3), (4, 3), (5, 0), (2, 5)])
    found = locality(web, ints(7, 7, 7, 9, 9, -1))
    assert (found.pages, found.linked, found.linked_same, found.unlinked, found.unlinked_same) == (
        5,
        3,
        2,
        7,
        2,
    )
    assert found.linked_share == pytest.approx(2 / 3)
    assert found.unlinked_share == pytest.approx(2 / 7)
    nothing = locality(graph(2, []), ints(-1, -1))
    assert (nothing.linked_share, nothing.unlinked_share) == (None, None)


@given(webs)
def test_locality_equals_a_count_over_all_pairs(web: tuple[int, Links, list[int]]) -> None:
    many, links, target = web
    counts = {(linked, same): 0 for linked in (True, False) for same in (True, False)}
    for one, other in combinations([page for page in range(many) if target[page] >= 0], 2):
        linked = (one, other) in links or (other, one) in links
        counts[linked, target[one] == target[other]] += 1
    found = locality(graph(many, links), np.array(target, np.int64))
    assert (found.linked_same, found.linked) == (
        counts[True, True],
        counts[True, True] + counts[True, False],
    )
    assert (found.unlinked_same, found.unlinked) == (
        counts[False, True],
        counts[False, True] + counts[False, False],
    )


# --- the link graph -------------------------------------------------------------------------------


def marks(*values: int) -> Marks:
    return np.array(values, np.uint64)


def test_a_link_to_a_redirect_is_a_link_to_where_it_leads() -> None:
    """Pages 10 and 2**63; redirects 5 -> 6 -> 2**63, 7 -> nowhere that was fetched, 8 -> 9 -> 8 for
    ever."""
    edges = Edges(marks(10, 2**63), marks(5, 6, 7, 8, 9, 10))
    assert edges.vertices(marks(10, 2**63, 11)).tolist() == [0, 1, -1]
    five, six, seven, eight, nine = edges.vertices(marks(5, 6, 7, 8, 9)).tolist()
    edges.add(ints(0, 0, 0, 0, -1), marks(5, 7, 8, 99, 10))
    edges.add(ints(1), marks(10))
    edges.add(ints(five, six, seven, eight, nine), marks(6, 2**63, 12345, 9, 8))
    made = edges.graph()
    assert list(zip(made.sources.tolist(), made.target.tolist(), strict=True)) == [(0, 1), (1, 0)]


def test_parents_are_found_through_visits_without_a_page() -> None:
    """0 seeds; 1 page; 2 robots.txt found by 1; 3 sitemap found by 2; 4 page found by 3; 5 redirect
    by 4; 6 page by 5; 8 page found by a visit that is gone (7).
    """
    sequence, found = ints(0, 1, 2, 3, 4, 5, 6, 8), ints(-1, 0, 1, 2, 3, 4, 5, 7)
    page = np.array([0, 1, 0, 0, 1, 0, 1, 1], np.bool_)
    assert parents(sequence, found, page).tolist() == [-1, 0, 1, -1]
    assert parents(ints(), ints(), np.zeros(0, np.bool_)).tolist() == []


# --- harvest, bridges, weights --------------------------------------------------------------------


def test_harvest_so_far_and_in_a_window() -> None:
    found = harvest(bools("R..RR"), window=2)
    assert [point.pages for point in found.curve] == [1, 2, 3, 4, 5]
    assert [point.relevant for point in found.curve] == [1, 1, 1, 2, 3]
    assert [point.harvest for point in found.curve] == pytest.approx(
        [1, 1 / 2, 1 / 3, 2 / 4, 3 / 5]
    )
    assert [point.window for point in found.curve] == pytest.approx([1, 1 / 2, 0, 1 / 2, 1])
    long = harvest(bools("R.........").repeat(1000))
    assert len(long.curve) == 200
    assert (long.window, long.curve[-1].pages, long.curve[-1].harvest) == (500, 10_000, 0.1)
    assert harvest(bools("")).curve == ()


def test_bridges_and_tails() -> None:
    """The seed page 0 is relevant. Below it:

    0 R - 1 . - 2 . - 3 R           a bridge of 2
                3 R - 4 R           a bridge of 0
                4 R - 5 . - 6 .     a tail of 2
    0 R - 7 .                       a tail of 1
    8 . - 9 R                       a seed that is not relevant: page 9 has no relevant page above
    8 . - 10 .                      and this branch did not start at one
    """
    parent = ints(-1, 0, 1, 2, 3, 4, 5, 0, -1, 8, 8)
    found = bridges(bools("R..RR....R."), parent)
    assert found.bridges == Bars((1, 0, 1))
    assert found.tails == Bars((0, 1, 1))
    assert found.unbridged == 2
    assert found.bridged_share == 0.5
    assert bridges(bools("..."), ints(-1, 0, 1)).bridges == Bars(())


@given(st.lists(st.tuples(st.booleans(), st.integers(-1, 30)), max_size=30))
def test_bridges_equal_a_walk_up_from_each_page(pages: list[tuple[bool, int]]) -> None:
    relevant = [wanted for wanted, _ in pages]
    parent = [min(above, page - 1) for page, (_, above) in enumerate(pages)]

    def others_above(page: int) -> int | None:
        """Pages that are not relevant between a page and the relevant one above it."""
        above, passed = parent[page], 0
        while above >= 0 and not relevant[above]:
            above, passed = parent[above], passed + 1
        return passed if above >= 0 else None

    gaps = [others_above(page) for page in range(len(pages)) if relevant[page]]
    leaves = [page for page in range(len(pages)) if page not in parent and not relevant[page]]
    tails = [above + 1 for page in leaves if (above := others_above(page)) is not None]
    found = bridges(np.array(relevant, np.bool_), np.array(parent, np.int64))
    known = sorted(gap for gap in gaps if gap is not None)
    assert [
        length for length, many in enumerate(found.bridges.counts) for _ in range(many)
    ] == known
    assert [
        length for length, many in enumerate(found.tails.counts) for _ in range(many)
    ] == sorted(tails)
    assert found.unbridged == gaps.count(None)


def test_weights_and_precision_over_the_first_pages() -> None:
    promise = np.array([4.0, 1.0, 1.0] + [0.5] * 197 + [9.0] * 100)
    relevant = bools("RR." + "." * 297)
    hundred, two_hundred, table_1, every = weights_over(promise, relevant)
    assert hundred.mean_weight == pytest.approx(0.545)  # 6 + 97 / 2
    assert (hundred.pages, hundred.max_weight) == (100, 4)
    assert (hundred.relevant, hundred.precision) == (2, 0.02)
    assert (two_hundred.pages, two_hundred.max_weight, two_hundred.precision) == (200, 4, 0.01)
    assert (table_1.pages, table_1.max_weight) == (213, 9)
    assert (every.pages, every.max_weight) == (300, 9)
    assert every.mean_weight == pytest.approx((6 + 197 / 2 + 900) / 300)


# --- cost, completeness ---------------------------------------------------------------------------


def test_chapmans_estimate() -> None:
    """10 marked, 15 caught, 5 of them marked: 11 * 16 / 6 - 1 = 28.33. Variance 11 * 16 * 5 * 10 /
    (36 * 7) = 34.92; of the 20 seen and 8.33 unseen, the unseen times or by exp(1.96 * sqrt(ln(1 +
    34.92 / 69.44))) = 3.494.
    """
    found = chapman("turtles", "one", "other", marks(*range(10), 3), marks(*range(5, 20)))
    assert (found.first_found, found.second_found, found.both_found) == (10, 15, 5)
    assert found.total == pytest.approx(28.3333, abs=1e-4)
    assert found.low == pytest.approx(20 + 8.3333 / 3.494, abs=1e-3)
    assert found.high == pytest.approx(20 + 8.3333 * 3.494, abs=1e-2)
    assert found.found_share == pytest.approx(20 / 28.3333, abs=1e-4)
    assert not found.reliable  # 5 in both
    same = chapman("turtles", "one", "other", marks(*range(9)), marks(*range(9)))
    assert (same.total, same.low, same.high, same.found_share, same.reliable) == (9, 9, 9, 1, True)
    nothing = chapman("turtles", "one", "other", marks(), marks(1))
    assert (nothing.total, nothing.low, nothing.reliable) == (None, None, False)


def test_two_crawls_estimate_what_both_missed() -> None:
    one = CrawlFindings("april", marks(*range(40)), marks(1))
    other = CrawlFindings("may", marks(*range(20, 70)), marks(2))
    pages, entities = between(one, other)
    assert pages.total == pytest.approx(41 * 51 / 21 - 1)
    assert (pages.what, pages.first, pages.second, pages.both_found) == (
        "relevant pages",
        "april",
        "may",
        20,
    )
    assert (entities.both_found, entities.reliable) == (0, False)


# --- the truth ------------------------------------------------------------------------------------

WEB = {
    "s": ("a", "b"),
    "a": ("x",),
    "b": ("y", "r1"),
    "x": ("r2",),
    "y": (),
    "r1": ("s",),
    "r2": (),
}
TRUTH = WebTruth(relevant=lambda url: url.startswith("r"), links=WEB.__getitem__)


def test_the_oracle_takes_the_shortest_way() -> None:
    """s, b (it leads to r1), r1, then a and y are two links or more from r2: a was found first; x,
    r2."""
    assert oracle_harvest(TRUTH, ["s"], 10) == [0, 0, 0, 1, 1, 1, 2, 2]
    assert oracle_harvest(TRUTH, ["s"], 10, ahead=2) == [0, 0, 0, 1, 1, 1, 2, 2]
    assert oracle_harvest(TRUTH, ["s"], 3) == [0, 0, 0, 1]
    assert oracle_harvest(TRUTH, [], 3) == [0]


@given(webs, st.integers(0, 3))
def test_the_oracle_finds_all_that_can_be_reached_and_fetches_nothing_twice(
    web: tuple[int, Links, list[int]], ahead: int
) -> None:
    _, links, colours = web

    def links_of(url: str) -> list[str]:
        return [str(to) for source, to in links if str(source) == url]

    def relevant(url: str) -> bool:
        return colours[int(url)] >= 0

    reached, waiting = {"0"}, ["0"]
    while waiting:
        new = set(links_of(waiting.pop())) - reached
        reached |= new
        waiting += new
    got = oracle_harvest(WebTruth(relevant, links_of), ["0"], 100, ahead)
    assert len(got) == 1 + len(reached)
    assert got[-1] == sum(map(relevant, reached))
    assert got == sorted(got)


def test_a_crawl_is_compared_with_the_oracle() -> None:
    """The crawl fetches s, a, b, r1, r1 (by another node), x. It takes x for relevant and overlooks
    nothing."""
    judged_relevant, true = bools("...RRR"), bools("...RR.")
    found = against_truth(
        judged_relevant, ints(0, 1, 2, 3, 3, 4), true, oracle_harvest(TRUTH, ["s"], 6)
    )
    assert [point.relevant for point in found.curve] == [0, 0, 0, 1, 1, 1]
    assert [point.oracle for point in found.curve] == [0, 0, 1, 1, 1, 2]
    assert [point.of_oracle for point in found.curve] == [None, None, 0, 1, 1, 0.5]
    assert found.judged_right == pytest.approx(5 / 6)
    assert (found.false_relevant, found.false_other) == (1, 0)


# --- numbers in words -----------------------------------------------------------------------------


def test_numbers_as_people_read_them() -> None:
    assert mean_and_spread([0.0725], percent) == "7.25 %"
    assert mean_and_spread([0.07, 0.08, 0.09], percent) == "8.00 ± 1.00 %"
    assert mean_and_spread([0.5, 0.5]) == "0.5000"
    assert mean_and_spread([13.891]) == "13.89"
    assert mean_and_spread([12_872_000], count) == "12,872,000"
    assert mean_and_spread([None, None]) == "–"
    assert mean_and_spread([None, 0.25]) == "0.2500"
    assert [mean_and_spread([many], size) for many in (0, 999, 1000, 2_500_000, 3e12)] == [
        "0 bytes", "999 bytes", "1.0 KB", "2.5 MB", "3,000.0 GB",
    ]  # fmt: skip
    assert mean_of([1, 2, 3, None]) == (2, 1)
    assert number(-0.5).format(-0.5) == "-0.5000"
