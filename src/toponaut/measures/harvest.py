"""The harvest over the crawl, and how relevant pages follow one another.

Harvest, bridges, tails and distances: Ahlers and Boll 2009, Figures 7 to 10. Weights over k pages:
Chubak and Shokouhi 2005, Tables I to IV.
"""

from collections import Counter

import numpy as np
from msgspec import Struct

from toponaut.measures.columns import Bools, Floats, Ints, PageColumns, share

POINTS = 200  # of a curve: more than a figure can show
WINDOW_SHARE, WINDOW_LEAST = 20, 50  # the window is a 20th of the crawl, at least 50 pages


class HarvestPoint(Struct, frozen=True):
    """The harvest after `pages` pages."""

    pages: int
    relevant: int  # so far: Figure 7
    harvest: float  # relevant / downloaded, so far: Figure 8
    window: float  # the same for the last pages only


class HarvestCurve(Struct, frozen=True):
    """The curve, and the size of its sliding window."""

    window: int
    curve: tuple[HarvestPoint, ...]


def harvest(relevant: Bools, window: int | None = None) -> HarvestCurve:
    """Harvest rate = relevant pages / downloaded pages, cumulative and in a sliding window."""
    many = len(relevant)
    span = window or max(WINDOW_LEAST, many // WINDOW_SHARE)
    total = np.concatenate([[0], np.cumsum(relevant)])
    curve = []
    for at in moments(many).tolist():
        before = max(0, at - span)
        so_far = int(total[at])
        curve.append(
            HarvestPoint(at, so_far, so_far / at, int(so_far - total[before]) / (at - before))
        )
    return HarvestCurve(span, tuple(curve))


def moments(many: int, points: int = POINTS) -> Ints:
    """At most `points` numbers of pages, evenly spaced, the last `many`."""
    if many <= points:
        return np.arange(1, many + 1)
    return np.round(np.linspace(many / points, many, points)).astype(np.int64)


# --- bridges, tails, distances --------------------------------------------------------------------


class Bars(Struct, frozen=True):
    """A histogram: counts[n] is the number of length n."""

    counts: tuple[int, ...]

    @property
    def total(self) -> int:
        return sum(self.counts)


class Bridges(Struct, frozen=True):
    """How many other pages are between relevant pages."""

    bridges: Bars  # other pages between a relevant page and the relevant one above it
    tails: Bars  # other pages after the last relevant one of a branch; from 1
    unbridged: int  # relevant pages with no relevant page above them
    bridged_share: float | None  # of relevant pages below a relevant one: bridge of at least 1


class Distances(Struct, frozen=True):
    """Links from a seed."""

    relevant: Bars
    all: Bars


def since_relevant(relevant: Bools, parent: Ints) -> Ints:
    """For every page the number of other pages since the last relevant one above, itself included.

    0 for a relevant page, -1 if there is no relevant one above. Parents come before their children.
    """
    since: list[int] = []
    for wanted, above in zip(relevant.tolist(), parent.tolist(), strict=True):
        if wanted:
            since.append(0)
        else:
            before = since[above] if above >= 0 else -1
            since.append(before + 1 if before >= 0 else -1)
    return np.array(since, np.int64)


def bridges(relevant: Bools, parent: Ints) -> Bridges:
    """Bridges and tails (Figure 9). Every page was reached from one other, or from a seed:

    relevant -> other -> other -> relevant -> other -> (the branch ends)
                 a bridge of 2                a tail of 1
    """
    since = since_relevant(relevant, parent)
    below = relevant & (parent >= 0)
    gaps = since[parent[below]]
    leaf = np.ones(len(relevant), np.bool_)
    leaf[parent[parent >= 0]] = False
    tails = since[leaf & (since > 0)]
    unbridged = int((relevant & (parent < 0)).sum() + (gaps < 0).sum())
    gaps = gaps[gaps >= 0]
    return Bridges(bars(gaps), bars(tails), unbridged, share((gaps > 0).sum(), len(gaps)))


def distances(pages: PageColumns) -> Distances:
    """How far pages are from the seeds, by the links followed (Figure 10)."""
    return Distances(bars(pages.hops[pages.relevant]), bars(pages.hops))


def bars(lengths: Ints) -> Bars:
    """The histogram of lengths from 0 to the greatest."""
    counts = Counter(lengths.tolist())
    return Bars(tuple(counts[length] for length in range(max(counts, default=-1) + 1)))


# --- weights over k pages -------------------------------------------------------------------------


class WeightsAt(Struct, frozen=True):
    """The first k pages: their weights, and how many are relevant."""

    pages: int
    mean_weight: float | None
    max_weight: float | None
    relevant: int
    precision: float | None


def weights_over(weight: Floats, relevant: Bools) -> tuple[WeightsAt, ...]:
    """Average and greatest weight and precision over the first k = 100, 200, 500, 1,000, ... pages,
    and over 213 as in the paper's Table I.

    Weights are by the job's interests, with their rarity in the whole crawl, so crawls with other
    orderings can be weighed, too. Without interests they are the promises of the pages. Precision
    is by the crawl's own judgement, where the paper asked people.
    """
    return tuple(_weights(weight[:k], relevant[:k]) for k in _marks(len(relevant)))


_TABLE_I = 213  # pages


def _marks(many: int) -> list[int]:
    steps = [first * 10**power for power in range(2, 10) for first in (1, 2, 5)]
    return [*(step for step in sorted((*steps, _TABLE_I)) if step < many), many]


def _weights(weight: Floats, relevant: Bools) -> WeightsAt:
    many, wanted = len(relevant), int(relevant.sum())
    if not many:
        return WeightsAt(0, None, None, 0, None)
    return WeightsAt(many, float(weight.mean()), float(weight.max()), wanted, share(wanted, many))
