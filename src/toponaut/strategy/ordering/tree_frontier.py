"""Tree frontier: a tree divides the links by their evidence, and each leaf learns what it is worth.

After TRES (Kontogiannis et al. 2021, arXiv 2112.07620): focused crawling as reinforcement learning,
where a decision tree divides the frontier and one link represents each leaf. In this small
form the value of a leaf is the mean of its outcomes, instead of a neural network's output, and
links have the fixed evidence of `combined` as features (link_evidence.py). An outcome is one step
of Q-learning, as in the paper:

    relevant (0 or 1) + decay * the best promise of the page's links

A failed fetch has the outcome 0. The promise of a link is the value of its leaf.
"""

from collections.abc import Sequence
from typing import ClassVar

import msgspec

from toponaut.records import PAGES, JudgedPage, Link, QueuedLink, Visit
from toponaut.strategy.learning.online_tree import OnlineTree, TreeNode
from toponaut.strategy.ordering import Ordering, Rating, begin_with_model
from toponaut.strategy.ordering.link_distance import LinkDistance
from toponaut.strategy.ordering.link_evidence import FIXED, LinkEvidence, packed, site_cell
from toponaut.strategy.ordering.tag_path_bandit import NO_PULLS
from toponaut.strategy.setting import Setting


class _TreeFrontierState(msgspec.Struct, frozen=True, tag="tree-frontier 1"):
    nodes: list[TreeNode]


class TreeFrontier(Ordering):
    """Values of leaves."""

    rates_again: ClassVar[bool] = True
    learns_from: ClassVar[tuple[str, ...]] = (
        "outcome", "relevant", "ordering_memo", "links.promise",
    )  # fmt: skip

    def __init__(self, evidence: LinkEvidence, decay: float) -> None:
        self._evidence, self._decay = evidence, decay
        self._distance = LinkDistance(decay)
        self._tree = OnlineTree()

    def rate(self, came: QueuedLink, judged: JudgedPage, links: Sequence[Link]) -> list[Rating]:
        if not links:
            return []
        score = self._distance.rate(came, judged, links[:1])[0].score
        here = site_cell(came.url)
        same = [site_cell(link.url) == here for link in links]
        rows = [packed(row) for row in self._evidence.read(came, judged, links, score, same)]
        ratings = {row: self._rating(row, score) for row in set(rows)}
        return [ratings[row] for row in rows]

    def _rating(self, row: bytes, score: float) -> Rating:
        value, leaf = self._tree.value(row), self._tree.leaf(row)
        return Rating(value, score, f"worth {value:.3g}, as the links of leaf {leaf}", row)

    def again(self, queued: QueuedLink) -> float:
        memo = queued.ordering_memo
        return self._tree.value(memo) if memo else queued.promise

    def learn(self, visit: Visit) -> None:
        if len(visit.ordering_memo) != len(FIXED) or visit.outcome in NO_PULLS:
            return
        outcome = 0.0
        if visit.outcome in PAGES:
            best = max((link.promise for link in visit.links), default=0.0)
            outcome = visit.relevant + self._decay * best
        self._tree.learn(visit.ordering_memo, outcome)

    def dump(self) -> bytes:
        return msgspec.msgpack.encode(_TreeFrontierState(self._tree.nodes))

    def load(self, model: bytes) -> None:
        nodes = msgspec.msgpack.decode(model, type=_TreeFrontierState).nodes
        _check(nodes)
        self._tree = OnlineTree(nodes)


def _check(nodes: Sequence[TreeNode]) -> None:
    """Raises ValueError unless the nodes are a tree of this evidence."""
    for at, node in enumerate(nodes):
        is_leaf = node.feature < 0 and len(node.features) == len(node.outcomes)
        leads_on = at < min(node.left, node.right) and max(node.left, node.right) < len(nodes)
        fits = all(len(row) == len(FIXED) for row in node.features)
        if not fits or not (is_leaf or (node.feature < len(FIXED) and leads_on)):
            raise ValueError("its tree is damaged")
    if not nodes:
        raise ValueError("its tree is empty")


def build(setting: Setting) -> TreeFrontier:
    evidence = LinkEvidence(setting.link_reader(), setting.names.gazetteer.row)
    ordering = TreeFrontier(evidence, setting.job.ordering.decay)
    begin_with_model(ordering, setting)
    return ordering
