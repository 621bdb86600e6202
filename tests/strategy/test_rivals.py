"""The orderings that others published for focused crawlers: their formulas, worked by hand."""

import math
from itertools import product

import msgspec
import pytest

from toponaut.crawl.strategies import setting_of
from toponaut.job import Job, OrderingSection, TargetsSection
from toponaut.job.targets import find_place
from toponaut.places.gazetteer.cache import open_gazetteer
from toponaut.records import JudgedPage, Link, Outcome, Page, QueuedLink, ScoredLink, Visit
from toponaut.strategy.learning.online_tree import GROWN, OnlineTree
from toponaut.strategy.ordering import Ordering
from toponaut.strategy.ordering.tag_path_bandit import ALPHA, TagPathBandit
from toponaut.strategy.registry import ordering_of

HOME = "http://shop.test/"
CAME = QueuedLink(HOME, 1.0, score=1.0)


def ordering(name: str) -> Ordering:
    targets = TargetsSection(places=("Oldenburg, DE",))
    return ordering_of(setting_of(Job(targets=targets, ordering=OrderingSection(strategy=name))))


def link(url: str, path: int = 0, anchor: str = "") -> Link:
    return Link(url, HOME, anchor, path=path)


def visit(
    memo: bytes, relevant: bool, outcome: Outcome = Outcome.FETCHED, best: float = 0.0
) -> Visit:
    links = (ScoredLink("http://x.test/", best, ("Cn1",)),) if best else ()
    return Visit(
        1, "Cn1", "http://y.test/", 200, outcome, relevant=relevant, ordering_memo=memo, links=links
    )


# --- page score -----------------------------------------------------------------------------------


def test_links_inherit_their_pages_score() -> None:
    rival, gazetteer = ordering("page-score"), open_gazetteer()
    inside = find_place(gazetteer, "Oldenburg, DE").id
    outside = find_place(gazetteer, "Hamburg, DE").id
    page = Page(HOME)
    links = [link("http://a.test/"), link("http://b.test/")]
    half = JudgedPage(page, scope=((outside, 0.6), (inside, 0.4)))
    assert [rating.promise for rating in rival.rate(CAME, half, links)] == [0.4, 0.4]
    assert rival.rate(CAME, JudgedPage(page), links)[0].promise == 0.0
    whole = JudgedPage(page, scope=((outside, 1.0),), relevant=True)
    assert [rating.promise for rating in rival.rate(CAME, whole, links)] == [1.0, 1.0]


# --- the bandit -----------------------------------------------------------------------------------


def test_the_bound_of_a_group_by_hand() -> None:
    bandit = TagPathBandit()
    page = JudgedPage(Page(HOME))
    menu, card, again = bandit.rate(
        CAME, page, [link(HOME + "m", 1), link(HOME + "c", 2), link(HOME + "d", 2)]
    )
    assert menu.promise == card.promise == pytest.approx(ALPHA * math.sqrt(math.log(2)))
    assert card == again
    assert menu.memo != card.memo
    for relevant in (True, True, False, True):
        bandit.learn(visit(card.memo, relevant))
    bandit.learn(visit(menu.memo, relevant=False))
    expected = {card.memo: 3 / 4 + ALPHA * math.sqrt(math.log(7) / 4)}
    expected[menu.memo] = ALPHA * math.sqrt(math.log(7))
    for memo, bound in expected.items():
        assert bandit.again(QueuedLink("http://z.test/", 9.0, ordering_memo=memo)) == (
            pytest.approx(bound)
        )
    assert bandit.again(QueuedLink("http://seed.test/", 1.0)) == 1.0
    rated = bandit.rate(CAME, page, [link(HOME + "e", 2)])[0]
    assert rated.promise == pytest.approx(expected[card.memo])
    assert rated.why.endswith("3 of 4 links with its tag path led to relevant pages")


def test_a_group_belongs_to_a_site() -> None:
    bandit, page = TagPathBandit(), JudgedPage(Page(HOME))
    here = bandit.rate(CAME, page, [link(HOME + "m", 1)])[0].memo
    there = QueuedLink("http://other.test/", 1.0)
    assert bandit.rate(there, page, [link(HOME + "m", 1)])[0].memo != here
    near = QueuedLink("http://www.shop.test/about", 1.0)
    assert bandit.rate(near, page, [link(HOME + "m", 1)])[0].memo == here


@pytest.mark.parametrize(
    ("outcome", "is_pull"),
    [
        (Outcome.FETCHED, True),
        (Outcome.GONE, True),
        (Outcome.TIMEOUT, True),
        (Outcome.REDIRECT, False),
        (Outcome.SITEMAP, False),
        (Outcome.ROBOTS_FILE, False),
    ],
)
def test_a_failed_fetch_is_a_pull_without_reward(outcome: Outcome, is_pull: bool) -> None:
    bandit = TagPathBandit()
    memo = (5).to_bytes(3, "little")
    bandit.learn(visit(memo, relevant=outcome is Outcome.FETCHED, outcome=outcome))
    bound = bandit.again(QueuedLink("http://z.test/", 0.0, ordering_memo=memo))
    reward = 1.0 if outcome is Outcome.FETCHED else 0.0
    assert bound == pytest.approx(reward + ALPHA * math.sqrt(math.log(2 + is_pull)))


# --- the tree -------------------------------------------------------------------------------------


def test_a_tree_splits_where_outcomes_differ() -> None:
    tree = OnlineTree()
    assert tree.value(b"\x00\x00") == 0.0
    rows = [bytes((first, second)) for first, second in product((0, 16, 0xF0), (0, 1, 2, 3))]
    for k in range(2 * GROWN):
        row = rows[k % len(rows)]
        tree.learn(row, 1.0 if row[0] == 16 else 0.0)  # 0xF0 is -16
    root = tree.nodes[0]
    assert (root.feature, root.most) == (0, 0)
    left, right = tree.nodes[root.left], tree.nodes[root.right]
    assert left.total == 0.0
    assert right.total == right.count
    assert left.count + right.count == 2 * GROWN
    usual = right.count / (2 * GROWN)
    assert tree.value(b"\x10\x00") == pytest.approx((right.count + 2 * usual) / (right.count + 2))
    assert tree.value(b"\xf0\x07") == pytest.approx(2 * usual / (left.count + 2))


def test_a_tree_does_not_split_what_is_alike() -> None:
    tree = OnlineTree()
    for k in range(4 * GROWN):
        tree.learn(bytes((k % 2, 0)), float(k // 2 % 2))
    assert len(tree.nodes) == 1
    assert tree.value(b"\x00\x00") == 0.5


def test_a_leaf_learns_the_page_and_what_it_promises() -> None:
    """One step of Q-learning with decay 1/2: 1 + 0.4/2 for the first, 0.8/2 for the second."""
    rival = ordering("tree-frontier")
    page = JudgedPage(Page(HOME))
    [rating] = rival.rate(CAME, page, [link(HOME + "a")])
    assert rating.promise == 0.0
    rival.learn(visit(rating.memo, relevant=True, best=0.4))
    rival.learn(visit(rating.memo, relevant=False, best=0.8))
    rival.learn(visit(rating.memo, relevant=False, outcome=Outcome.GONE))
    rival.learn(visit(rating.memo, relevant=False, outcome=Outcome.REDIRECT))
    rival.learn(visit(b"", relevant=True))
    [after] = rival.rate(CAME, page, [link(HOME + "a")])
    assert after.promise == pytest.approx((1.2 + 0.4 + 0.0) / 3)
    queued = QueuedLink(HOME + "a", 0.0, ordering_memo=rating.memo)
    assert rival.again(queued) == after.promise
    assert rival.again(QueuedLink(HOME, 1.0)) == 1.0


# --- models ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["tag-path-bandit", "tree-frontier"])
def test_a_model_goes_on_where_it_was_dumped(name: str) -> None:
    first, second = ordering(name), ordering(name)
    page = JudgedPage(Page(HOME))
    links = [link(f"{HOME}{k}", path=k) for k in range(4)]
    memos = [rating.memo for rating in first.rate(CAME, page, links)]
    for k in range(3 * GROWN):
        first.learn(visit(memos[k % 4], relevant=k % 4 == 2, best=0.1))
    second.load(first.dump())
    assert second.rate(CAME, page, links) == first.rate(CAME, page, links)
    for one in (first, second):
        one.learn(visit(memos[0], relevant=True))
    assert second.dump() == first.dump()


@pytest.mark.parametrize("name", ["tag-path-bandit", "tree-frontier"])
@pytest.mark.parametrize(
    "model",
    [
        b"",
        b"\x00",
        msgspec.msgpack.encode({"type": "lookahead 1"}),
        msgspec.msgpack.encode({"type": "tree-frontier 1", "nodes": []}),
        msgspec.msgpack.encode(
            {"type": "tree-frontier 1", "nodes": [{"feature": 1, "left": 0, "right": 0}]}
        ),
        msgspec.msgpack.encode(
            {"type": "tree-frontier 1", "nodes": [{"features": [b"x"], "outcomes": [1.0]}]}
        ),
        msgspec.msgpack.encode({"type": "tag-path-bandit 1", "arms": [b"1234", b"12"]}),
    ],
)
def test_a_damaged_model_is_refused(name: str, model: bytes) -> None:
    with pytest.raises(ValueError, match=r"\w"):
        ordering(name).load(model)
