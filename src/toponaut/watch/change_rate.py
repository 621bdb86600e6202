"""How often a page changes, from what its visits found: changed since the last one, or not.

If changes come at random at a rate of delta a day, a visit after t days finds a change with the
probability 1 - exp(-delta t). From n visits that found one, after t days on average, and visits
that found none, after U days together, the most likely delta solves

    n t / (exp(delta t) - 1) + a / delta = U + b

(Cho and Garcia-Molina 2003, here with a prior: a changes in b days, from pages of the same kind).
Without a prior and with equal intervals that is -ln(share of visits without a change) / t. The mean
interval replaces the single ones, which are alike. So a page needs only three numbers.
"""

import math
from enum import IntEnum
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from toponaut.records import Visit

Floats = NDArray[np.float64]
# The weight of the prior, in changes. Swept 0.5, 1, 1.5, 2 on the pages of bench/watch.py: 1 has
# the least cost after five visits a page, the others up to 1 % more.
PRIOR_CHANGES = 1.0
_STEPS, _EXACT = 60, 1e-5  # of a bisection
_MOST = 1e4  # changes a day


class PageKind(IntEnum):
    """Kinds of pages that change alike."""

    OTHER = 0
    FRONT = 1  # of a host
    PLACE = 2  # with one or two addresses
    LIST = 3  # with more


# Changes a day of each kind before any page was visited twice. Set: the facts of a shop change
# once a year, lists and front pages every other week or so.
FIRST_RATES = {
    PageKind.OTHER: 0.01,
    PageKind.FRONT: 0.05,
    PageKind.PLACE: 0.003,
    PageKind.LIST: 0.05,
}
_MANY = 3  # addresses


def kind_of(visit: Visit) -> PageKind:
    """The kind of a fetched page."""
    if len(visit.addresses) >= _MANY:
        return PageKind.LIST
    if visit.url.count("/") == 3 and visit.url.endswith("/"):
        return PageKind.FRONT
    return PageKind.PLACE if visit.addresses else PageKind.OTHER


class ChangeCounts(NamedTuple):
    """What the visits of a page, or of all pages of a kind, have found. Times are in days."""

    changes: float = 0.0  # visits that found a change
    changed_days: float = 0.0  # the intervals before them
    same_days: float = 0.0  # the intervals before the others

    def added(self, days: float, changed: bool) -> "ChangeCounts":
        """With one more visit."""
        if changed:
            return ChangeCounts(self.changes + 1, self.changed_days + days, self.same_days)
        return ChangeCounts(self.changes, self.changed_days, self.same_days + days)


def rate_of(counts: ChangeCounts, prior: float, weight: float = PRIOR_CHANGES) -> float:
    """The most likely changes a day. `prior`: the rate of pages of its kind."""
    changes, changed_days, same_days = counts
    right = same_days + weight / prior
    if not changes:
        return weight / right
    mean = changed_days / changes

    def excess(rate: float) -> float:
        return changes * mean / math.expm1(min(rate * mean, 500.0)) + weight / rate - right

    # Between the two bounds: without the prior, and with intervals that hide no change.
    low, high = max(weight / right, 1e-9), (weight + changes) / right
    for _ in range(_STEPS):
        middle = math.sqrt(low * high)
        low, high = (middle, high) if excess(middle) > 0.0 else (low, middle)
        if high - low < _EXACT * low:
            break
    return min(math.sqrt(low * high), _MOST)


class KindRates:
    """The rates of all kinds: a fold over the visits of all pages. They are the priors."""

    def __init__(self) -> None:
        self._counts = {kind: ChangeCounts() for kind in PageKind}
        self._visits = dict.fromkeys(PageKind, 0)
        self._rates: dict[PageKind, tuple[int, float]] = {}  # at so many visits

    def add(self, kind: PageKind, days: float, changed: bool) -> None:
        self._visits[kind] += 1
        self._counts[kind] = self._counts[kind].added(days, changed)

    def rate(self, kind: PageKind) -> float:
        """The rate of a kind, found again when a twentieth more visits were made."""
        visits = self._visits[kind]
        known = self._rates.get(kind)
        if known is None or visits > known[0] * 1.05:
            known = self._rates[kind] = visits, rate_of(self._counts[kind], FIRST_RATES[kind])
        return known[1]
