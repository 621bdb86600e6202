"""A regression tree that grows while it learns: leaves are split where outcomes differ most.

A leaf keeps its last samples. When it has GROWN more than at its last test, the split of one
feature with the least squared error is taken, if it lowers the error enough.
"""

import msgspec
import numpy as np
from numpy.typing import NDArray

GROWN = 32  # samples between two tests of a leaf
KEPT = 256  # samples of a leaf
LEAVES = 64
_LEAST = 8  # samples on each side of a split
_GAIN = 0.05  # share of the squared error that a split must save
_BEFORE = 2.0  # samples with the mean of all that a leaf starts with


class TreeNode(msgspec.Struct):
    """A split (`feature` >= 0) with two children, or a leaf with its samples."""

    feature: int = -1
    most: int = 0  # the greatest value that goes to the left
    left: int = 0
    right: int = 0
    count: int = 0  # of a leaf, all samples ever
    total: float = 0.0  # of their outcomes
    features: list[bytes] = msgspec.field(default_factory=list)
    outcomes: list[float] = msgspec.field(default_factory=list)


class OnlineTree:
    """Expected outcomes of things with some features, each a signed byte."""

    def __init__(self, nodes: list[TreeNode] | None = None) -> None:
        self.nodes = nodes or [TreeNode()]
        self._count = sum(node.count for node in self.nodes if node.feature < 0)
        self._total = sum(node.total for node in self.nodes if node.feature < 0)

    def leaf(self, features: bytes) -> int:
        """The number of the leaf for some features."""
        at = 0
        while (node := self.nodes[at]).feature >= 0:
            at = node.left if _signed(features[node.feature]) <= node.most else node.right
        return at

    def value(self, features: bytes) -> float:
        """The expected outcome; 0 before anything is learned."""
        leaf = self.nodes[self.leaf(features)]
        usual = self._total / self._count if self._count else 0.0
        return (leaf.total + _BEFORE * usual) / (leaf.count + _BEFORE)

    def learn(self, features: bytes, outcome: float) -> None:
        leaf = self.nodes[self.leaf(features)]
        leaf.count += 1
        leaf.total += outcome
        self._count += 1
        self._total += outcome
        leaf.features.append(features)
        leaf.outcomes.append(outcome)
        if leaf.count % GROWN == 0 and len(self.nodes) < 2 * LEAVES - 1:
            self._split(leaf)
        if len(leaf.outcomes) > KEPT:
            del leaf.features[0], leaf.outcomes[0]

    def _split(self, leaf: TreeNode) -> None:
        table = np.frombuffer(b"".join(leaf.features), np.int8).reshape(len(leaf.features), -1)
        outcomes = np.array(leaf.outcomes)
        found = _best_split(table, outcomes)
        if found is None:
            return
        feature, most = found
        goes_left = table[:, feature] <= most
        leaf.feature, leaf.most = feature, most
        leaf.left, leaf.right = len(self.nodes), len(self.nodes) + 1
        share = leaf.count / len(outcomes)  # forgotten samples are divided alike
        for side in (goes_left, ~goes_left):
            chosen = side.nonzero()[0].tolist()
            self.nodes.append(
                TreeNode(
                    count=round(share * len(chosen)),
                    total=share * float(outcomes[side].sum()),
                    features=[leaf.features[k] for k in chosen],
                    outcomes=[leaf.outcomes[k] for k in chosen],
                )
            )
        leaf.features, leaf.outcomes = [], []


def _signed(byte: int) -> int:
    return byte - 256 if byte > 127 else byte


def _best_split(table: NDArray[np.int8], outcomes: NDArray[np.float64]) -> tuple[int, int] | None:
    """The feature and the greatest value on the left that save most of the squared error."""
    whole = float(((outcomes - outcomes.mean()) ** 2).sum())
    best, found = _GAIN * whole, None
    for feature in range(table.shape[1]):
        order = np.argsort(table[:, feature], kind="stable")
        values, sums = table[order, feature], np.cumsum(outcomes[order])
        ends = np.flatnonzero(values[1:] != values[:-1]) + 1  # samples on the left
        ends = ends[(ends >= _LEAST) & (len(values) - ends >= _LEAST)]
        if not len(ends):
            continue
        left, right = sums[ends - 1], sums[-1] - sums[ends - 1]
        saved = left**2 / ends + right**2 / (len(values) - ends) - sums[-1] ** 2 / len(values)
        k = int(saved.argmax())
        if saved[k] > best:
            best, found = float(saved[k]), (feature, int(values[ends[k] - 1]))
    return found
