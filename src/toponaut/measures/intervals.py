"""Intervals for means and ratios over few targets: percentile bootstrap (Efron 1979).

The targets are drawn with replacement, RESAMPLES times, always the same draws. Figures of one
target stay together, so ratios are paired. With fewer than ten targets such an interval is somewhat
too narrow.
"""

from collections.abc import Sequence

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

RESAMPLES = 10_000
_TAILS = (2.5, 97.5)  # percent: an interval of 95 %

Floats = NDArray[np.float64]


class Interval(Struct, frozen=True):
    """A figure and its interval. None: it cannot be computed (a division by zero)."""

    middle: float | None
    low: float | None = None
    high: float | None = None

    def format(self, decimals: int = 0) -> str:
        """The figure as "7.3 (6.1 to 8.0)", or a dash."""
        if self.middle is None:
            return "–"
        middle = f"{self.middle:,.{decimals}f}"
        if self.low is None or self.high is None:
            return middle
        return f"{middle} ({self.low:,.{decimals}f} to {self.high:,.{decimals}f})"


def mean_interval(values: Sequence[float]) -> Interval:
    """The mean of some figures."""
    return ratio_interval(values, [1.0] * len(values))


def ratio_interval(upper: Sequence[float], lower: Sequence[float]) -> Interval:
    """Sum over sum, of two figures for each target."""
    above, below = np.array(upper, np.float64), np.array(lower, np.float64)
    if not below.sum():
        return Interval(None)
    middle = float(above.sum() / below.sum())
    if len(above) < 2:
        return Interval(middle)
    drawn = np.random.default_rng(0).integers(0, len(above), (RESAMPLES, len(above)))
    sums, bases = above[drawn].sum(axis=1), below[drawn].sum(axis=1)
    low, high = np.percentile(sums[bases > 0] / bases[bases > 0], _TAILS).tolist()
    return Interval(middle, low, high)
