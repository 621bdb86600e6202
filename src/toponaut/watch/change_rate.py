"""How often a page changes, from what its visits found: changed since the last one, or not.

If changes come at random at a rate of delta a day, a visit after t days finds a change with the
probability 1 - exp(-delta t). Before its visits, a page is one of its kind, whose rates follow a
gamma law with the mean m and the shape k (rate_prior.py fits both). From n visits that found a
change, after t days on average, and visits that found none, after U days together, the most likely
delta, on a scale of logarithms, solves

    n t / (exp(delta t) - 1) + (k + d) / delta = U + k / m

(Cho and Garcia-Molina 2003, here with a prior.) d are changes whose date is known: a page that says
when it was last modified. The days since count in U. Without a prior and with equal intervals delta
is -ln(share of visits without a change) / t. The mean interval replaces the single ones, which are
alike. So a page needs only four numbers.
"""

from email.utils import parsedate_to_datetime
from enum import IntEnum
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from toponaut.records import Visit

Floats = NDArray[np.float64]
_STEPS = 24  # of a bisection: to one part in a million
_MOST = 1e4  # changes a day
_MANY = 3  # addresses
_DAY_S = 86_400.0
# A date of modification counts as half a change: bytes change without facts, and the other way
# round. Dates within an hour of the request are those of pages made for it.
DATED = 0.5
_JUST_MADE, LONG_AGO = 1 / 24, 1000.0  # days


class PageKind(IntEnum):
    """Kinds of pages that change alike."""

    OTHER = 0
    FRONT = 1  # of a host
    PLACE = 2  # with one or two addresses
    LIST = 3  # with more


class RatePrior(NamedTuple):
    """The rates of the pages of a kind: a gamma law."""

    mean: float  # changes a day
    shape: float  # 1 / (deviation / mean) ^ 2


def kind_of(visit: Visit) -> PageKind:
    """The kind of a fetched page."""
    if len(visit.addresses) >= _MANY:
        return PageKind.LIST
    if visit.url.count("/") == 3 and visit.url.endswith("/"):
        return PageKind.FRONT
    return PageKind.PLACE if visit.addresses else PageKind.OTHER


class ChangeCounts(NamedTuple):
    """What the visits of pages have found, one row for each page. Times are in days."""

    changes: Floats  # visits that found a change
    changed_days: Floats  # the intervals before them
    same_days: Floats  # the intervals before the others
    dated: Floats  # changes whose date is known, since which `same_days` have passed

    @classmethod
    def none(cls, count: int) -> "ChangeCounts":
        """Of pages that were not visited again."""
        return cls(*(np.zeros(count) for _ in cls._fields))

    def added(self, days: Floats, changed: NDArray[np.bool_]) -> "ChangeCounts":
        """With one more visit to each page."""
        return ChangeCounts(
            self.changes + changed,
            self.changed_days + np.where(changed, days, 0.0),
            self.same_days + np.where(changed, 0.0, days),
            self.dated,
        )


def rates_of(counts: ChangeCounts, means: Floats, shapes: Floats) -> Floats:
    """The most likely changes a day of pages. `means`, `shapes`: of the priors of their kinds."""
    weight = shapes + counts.dated
    right = counts.same_days + shapes / means
    rates: Floats = weight / right
    rows = np.flatnonzero(counts.changes)
    if len(rows):
        rates[rows] = _with_changes(
            counts.changes[rows], counts.changed_days[rows], weight[rows], right[rows]
        )
    return np.minimum(rates, _MOST)


def _with_changes(changes: Floats, days: Floats, weight: Floats, right: Floats) -> Floats:
    mean = days / changes
    # Between two bounds: without these changes, and with intervals that hide no change.
    low, high = np.maximum(weight / right, 1e-9), (weight + changes) / right
    for _ in range(_STEPS):
        middle = np.sqrt(low * high)
        found = days / np.expm1(np.minimum(middle * mean, 500.0)) + weight / middle
        above = found > right
        low, high = np.where(above, middle, low), np.where(above, high, middle)
    found_rates: Floats = np.sqrt(low * high)
    return found_rates


def days_unmodified(visit: Visit) -> float | None:
    """How long a page had not been modified when it was fetched, as its server says."""
    if not visit.modified:
        return None
    try:
        modified = parsedate_to_datetime(visit.modified).timestamp()
    except (ValueError, OverflowError):
        return None
    days = (visit.time - modified) / _DAY_S
    return min(days, LONG_AGO) if days > _JUST_MADE else None
