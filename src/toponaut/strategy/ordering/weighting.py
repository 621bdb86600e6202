"""A page's weight against a region's interests: the three schemes of Chubak and Shokouhi 2005, section IV.

All lists are by interest: the i-th number of each belongs to the i-th interest. What else stands in a page enters by the
three numbers of `Counts` that tell of its length and of its most frequent word.
"""

from collections.abc import Sequence
from math import hypot, log
from typing import NamedTuple


class Counts(NamedTuple):
    """What the schemes need to know of a page."""

    tf: tuple[int, ...]  # how often each interest stands in it
    most: int = 0  # how often its most frequent word does
    words: int = 0  # how many words it has
    unique: int = 0  # how many different ones


def idf(pages: int, having: Sequence[int]) -> list[float]:
    """log(N/n) for each interest: N pages downloaded, n of them with the interest (the paper's equations 2 and 3).

    An interest that no page has had yet is as rare as one that a single page has.
    """
    return [log(pages / max(having_it, 1)) for having_it in having]


def nxx(page: Counts, priorities: Sequence[float]) -> float:
    """nxx.nxx (section IV.A): sum of tf * priority; neither document frequency nor length count."""
    return sum(tf * priority for tf, priority in zip(page.tf, priorities, strict=True))


def tfidf(page: Counts, priorities: Sequence[float], rarity: Sequence[float]) -> float:
    """tf.idf (equations 1 to 3): the cosine of the page's and the region's vectors over the interests.

    w_page = tf / max tf * log(N/n), and w_region = (0.5 + 0.5 * f / max f) * log(N/n). Where a vector has no length (no
    interest in the page, or none that is rarer than any) there is no angle, and the weight is 0.
    """
    most, highest = max(page.most, 1), max(priorities)
    ours = [tf / most * rare for tf, rare in zip(page.tf, rarity, strict=True)]
    theirs = [(0.5 + 0.5 * f / highest) * rare for f, rare in zip(priorities, rarity, strict=True)]
    lengths = hypot(*ours) * hypot(*theirs)
    return _product(ours, theirs) / lengths if lengths else 0.0


def lnu(
    page: Counts,
    priorities: Sequence[float],
    rarity: Sequence[float],
    pivot: float = 107.89,
    slope: float = 0.2,
) -> float:
    """Lnu.ltu (equations 4 to 6): the product of the page's Lnu and the region's ltu vector.

    L = (1 + ln tf) / (1 + ln average tf), n = 1; l = 1 + ln f, t = log(N/n); and u = 1 / ((1 - slope) * pivot + slope *
    unique terms) for both, so that a page much longer than the pivot has to say more. l means counts: where a priority
    is below 1, all are raised alike until the least of them is 1.
    """
    if not page.unique:
        return 0.0
    average = 1 + log(page.words / page.unique)
    unit = min(1.0, *priorities)
    ours = [(1 + log(tf)) / average if tf else 0.0 for tf in page.tf]
    theirs = [(1 + log(f / unit)) * rare for f, rare in zip(priorities, rarity, strict=True)]
    return (
        _product(ours, theirs)
        * _pivoted(page.unique, pivot, slope)
        * _pivoted(len(priorities), pivot, slope)
    )


def _pivoted(unique: int, pivot: float, slope: float) -> float:
    """Pivoted unique normalisation (equation 6)."""
    return 1 / ((1 - slope) * pivot + slope * unique)


def _product(one: Sequence[float], other: Sequence[float]) -> float:
    return sum(a * b for a, b in zip(one, other, strict=True))


def revisit_days(weight: float, highest: float, soonest: float, latest: float) -> float:
    """Days from one visit of a page to the next: visits are as frequent as the page is heavy, within bounds.

    "The more important a page is for a region's interest, the more frequently it will be looked for" (section V, which
    gives no formula).
    """
    if weight <= 0:
        return latest
    return min(latest, soonest * highest / weight)
