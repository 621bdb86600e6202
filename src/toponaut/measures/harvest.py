"""SPEC 2: the harvest over the crawl (Ahlers and Boll 2009, Figures 7 and 8)."""

import numpy as np
from msgspec import Struct

from toponaut.measures.arrays import Bools, Floats, Ints, share

POINTS = 200  # of a curve: more than a figure can show
WINDOW_SHARE, WINDOW_LEAST = (
    20,
    50,
)  # the sliding window is a 20th of the crawl, and at least 50 pages


class HarvestPoint(Struct, frozen=True):
    """A moment of the crawl: after so many pages."""

    pages: int
    relevant: int  # so far: Figure 7
    harvest: float  # relevant / downloaded, so far: Figure 8
    window: float  # the same of the last pages only


class HarvestCurve(Struct, frozen=True):
    """The curve, and how many pages its sliding window spans."""

    window: int
    curve: tuple[HarvestPoint, ...]


def harvest(relevant: Bools, window: int | None = None, points: int = POINTS) -> HarvestCurve:
    """Harvest rate = relevant pages / downloaded pages, cumulative and in a sliding window, in the order of the log."""
    many = len(relevant)
    span = window or max(WINDOW_LEAST, many // WINDOW_SHARE)
    total = np.concatenate([[0], np.cumsum(relevant)])
    curve = []
    for at in moments(many, points).tolist():
        before = max(0, at - span)
        so_far = int(total[at])
        curve.append(
            HarvestPoint(at, so_far, so_far / at, int(so_far - total[before]) / (at - before))
        )
    return HarvestCurve(span, tuple(curve))


def moments(many: int, points: int = POINTS) -> Ints:
    """At most so many counts of pages, evenly spread, the last of them all."""
    if many <= points:
        return np.arange(1, many + 1)
    return np.round(np.linspace(many / points, many, points)).astype(np.int64)


# --- SPEC 3: weights over k pages -----------------------------------------------------------------


class WeightsAt(Struct, frozen=True):
    """The first k pages: how heavy they were for the ordering, and how many were relevant."""

    pages: int
    mean_weight: float | None
    max_weight: float | None
    relevant: int
    precision: float | None


def weights_over(weight: Floats, relevant: Bools) -> tuple[WeightsAt, ...]:
    """Average and greatest weight and precision over the first k pages (Chubak and Shokouhi, Tables I to IV), for k = 100,
    200, 500, 1,000, ... and all.

    Weights are those of the job's interests, by its scheme, with interests as rare as they are in the whole crawl; so crawls
    with other orderings can be weighed as well, as the paper does with its breadth-first crawler. Where the job has no
    interests they are the promises with which pages were taken. Precision is by the crawl's own judgement of relevance,
    where the paper asked people.
    """
    return tuple(_weights(weight[:k], relevant[:k]) for k in _marks(len(relevant)))


def _marks(many: int) -> list[int]:
    steps = [first * 10**power for power in range(2, 10) for first in (1, 2, 5)]
    return [*(step for step in steps if step < many), many]


def _weights(weight: Floats, relevant: Bools) -> WeightsAt:
    many, wanted = len(relevant), int(relevant.sum())
    if not many:
        return WeightsAt(0, None, None, 0, None)
    return WeightsAt(many, float(weight.mean()), float(weight.max()), wanted, share(wanted, many))
