"""Log-odds learned during the crawl: several kinds of evidence on one scale.

    log(P / (1 - P)) = w . x

Each evidence x_i adds its weight to the log-odds, as in naive Bayes. But the weights are learned
together, so that two that say the same (the name in the URL and in the link text) are not counted
twice, and P is calibrated: of links at 0.2, one in five is relevant. This is online logistic
regression with AdaGrad steps (Duchi, Hazan and Singer 2011).

The initial weights are *priors*, set by hand from the figures in the papers.
"""

from collections.abc import Sequence
from typing import Any

import cython
import msgspec
import numpy as np
from cython.cimports.libc.math import exp, sqrt
from numpy.typing import NDArray

if not cython.compiled:
    raise ImportError("toponaut is not compiled: run make setup, or reinstall it")

Floats = NDArray[np.float64]
EvidenceRow = Sequence[float] | Floats

# The first step of a weight; later ones are divided by the root of all squared gradients. A wrong
# guess moves a weight by a third, so a prior of 3 needs about ten surprises to become 0.
_STEP = cython.declare(cython.double, 0.3)
# Added to the squares, so that the first steps are not too long.
_FIRM = cython.declare(cython.double, 1.0)
_MOST = cython.declare(cython.double, 30.0)  # log-odds: exp() of more adds nothing


class LogOddsState(msgspec.Struct, frozen=True):
    """Weights and squares as little-endian numbers."""

    weights: bytes
    squares: bytes


@cython.cclass
class LogOdds:
    """P(yes | evidence), by weights that learn."""

    _weights: cython.double[::1]
    _squares: cython.double[::1]

    def __init__(self, prior: Sequence[float]) -> None:
        self._weights, self._squares = np.array(prior, np.float64), np.zeros(len(prior))

    @property
    def weights(self) -> Floats:
        return np.asarray(self._weights)

    def chances(self, evidence: NDArray[Any]) -> Floats:
        """P for each row of evidence."""
        odds = (evidence * self.weights).sum(axis=-1)  # (`@` would start BLAS threads)
        return np.asarray(1 / (1 + np.exp(-np.clip(odds, -_MOST, _MOST))))

    @cython.ccall
    def chance(self, evidence: EvidenceRow) -> cython.double:
        """P for one row."""
        odds: cython.double = 0.0
        k: cython.Py_ssize_t
        for k in range(self._weights.shape[0]):
            odds += self._weights[k] * cython.cast(cython.double, evidence[k])
        return 1 / (1 + exp(-min(max(odds, -_MOST), _MOST)))

    @cython.ccall
    def adds(self, place: cython.Py_ssize_t) -> cython.bint:
        """Whether more of an evidence raises P."""
        return self._weights[place] > 0

    def parts(self, evidence: EvidenceRow) -> list[float]:
        """How much each evidence of a row adds to the log-odds."""
        parts = []
        k: cython.Py_ssize_t
        for k in range(self._weights.shape[0]):
            parts.append(  # noqa: PERF401 (k is typed)
                self._weights[k] * cython.cast(cython.double, evidence[k])
            )
        return parts

    def learn(self, evidence: EvidenceRow, yes: bool) -> None:
        """One outcome: a step against the error."""
        error: cython.double = self.chance(evidence) - yes
        slope: cython.double
        k: cython.Py_ssize_t
        for k in range(self._weights.shape[0]):
            slope = error * cython.cast(cython.double, evidence[k])
            self._squares[k] += slope * slope
            self._weights[k] -= _STEP * slope / sqrt(_FIRM + self._squares[k])

    def saved(self) -> LogOddsState:
        squares = np.asarray(self._squares)
        return LogOddsState(self.weights.astype("<f8").tobytes(), squares.astype("<f8").tobytes())

    def restore(self, saved: LogOddsState) -> None:
        """Take over a saved state. Raises ValueError if it was learned from other evidence."""
        weights, squares = np.frombuffer(saved.weights, "<f8"), np.frombuffer(saved.squares, "<f8")
        fits = len(weights) == len(squares) == self._weights.shape[0]
        if not fits or not np.isfinite([weights, squares]).all():
            raise ValueError("its weights are of other evidence")
        self._weights, self._squares = weights.copy(), squares.copy()


def weighted_chance(
    models: Sequence[LogOdds],
    weights: Sequence[float],
    evidence: list[float],
    place: cython.Py_ssize_t,
    by_model: Sequence[float],
) -> float:
    """The sum of the chances by several models, with weights.

    The evidence at `place` is another one for each model. In the end it is that of the first.
    """
    total: cython.double = 0.0
    model: LogOdds
    k: cython.Py_ssize_t
    for k in range(len(models) - 1, -1, -1):
        evidence[place], model = by_model[k], models[k]
        total += model.chance(evidence) * cython.cast(cython.double, weights[k])
    return total


def highest_chance(
    models: Sequence[LogOdds],
    weights: Sequence[float],
    evidence: list[float],
    place: cython.Py_ssize_t,
    by_model: Sequence[float],
    unknown: cython.Py_ssize_t,
) -> float:
    """An upper bound of `weighted_chance`, if the evidence at `unknown` is from 0 to 1."""
    total: cython.double = 0.0
    model: LogOdds
    k: cython.Py_ssize_t
    for k in range(len(models)):
        evidence[place], model = by_model[k], models[k]
        evidence[unknown] = 1.0 if model.adds(unknown) else 0.0
        total += model.chance(evidence) * cython.cast(cython.double, weights[k])
    return total
