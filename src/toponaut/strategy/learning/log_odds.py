"""Log-odds learned during the crawl: several kinds of evidence on one scale.

    log(P / (1 - P)) = w . x

Each evidence x_i adds its weight to the log-odds, as in naive Bayes. But the weights are learned
together, so that two that say the same (the name in the URL and in the link text) are not counted
twice, and P is calibrated: of links at 0.2, one in five is relevant. This is online logistic
regression with AdaGrad steps (Duchi, Hazan and Singer 2011).

The initial weights are *priors*, set by hand from the figures in the papers.
"""

import math
from collections.abc import Sequence
from operator import mul
from typing import Any

import msgspec
import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

# The first step of a weight; later ones are divided by the root of all squared gradients. A wrong
# guess moves a weight by a third, so a prior of 3 needs about ten surprises to become 0.
_STEP = 0.3
_FIRM = 1.0  # added to the squares, so that the first steps are not too long
_MOST = 30.0  # log-odds: exp() of more adds nothing


class LogOddsState(msgspec.Struct, frozen=True):
    """Weights and squares as little-endian numbers."""

    weights: bytes
    squares: bytes


class LogOdds:
    """P(yes | evidence), by weights that learn."""

    def __init__(self, prior: Sequence[float]) -> None:
        self.weights: Floats = np.array(prior, np.float64)
        self._squares: Floats = np.zeros(len(prior))
        self._listed: list[float] | None = None  # the weights, until they change

    def chances(self, evidence: NDArray[Any]) -> Floats:
        """P for each row of evidence."""
        return chances(evidence, self.weights)

    def chance(self, evidence: Sequence[float]) -> float:
        """P for one row. For a dozen numbers a sum is faster than an array."""
        if self._listed is None:
            self._listed = self.weights.tolist()
        odds = sum(map(mul, self._listed, evidence))
        return 1 / (1 + math.exp(-min(max(odds, -_MOST), _MOST)))

    def learn(self, evidence: NDArray[Any], yes: bool) -> None:
        """One outcome: a step against the error."""
        slope = (float(self.chances(evidence)) - yes) * evidence
        self._squares += slope * slope
        self.weights -= _STEP * slope / np.sqrt(_FIRM + self._squares)
        self._listed = None

    def saved(self) -> LogOddsState:
        weights, squares = (a.astype("<f8").tobytes() for a in (self.weights, self._squares))
        return LogOddsState(weights, squares)

    def restore(self, saved: LogOddsState) -> None:
        """Take over a saved state. Raises ValueError if it was learned from other evidence."""
        weights, squares = np.frombuffer(saved.weights, "<f8"), np.frombuffer(saved.squares, "<f8")
        fits = len(weights) == len(squares) == len(self.weights)
        if not fits or not np.isfinite([weights, squares]).all():
            raise ValueError("its weights are of other evidence")
        self.weights, self._squares = weights.copy(), squares.copy()
        self._listed = None


def chances(evidence: NDArray[Any], weights: Floats) -> Floats:
    """P for each row of evidence, by one row of weights or by one for each."""
    odds = (evidence * weights).sum(axis=-1)  # (`@` would start BLAS threads)
    odds = np.minimum(np.maximum(odds, -_MOST), _MOST)  # 3 times as fast as np.clip
    return np.asarray(1 / (1 + np.exp(-odds)))
