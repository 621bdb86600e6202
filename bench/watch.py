"""How well and how fast pages are scheduled for their next visits.

    python -m bench.watch [--pages 20000] [--table 1000000]

Quality: pages of four kinds change at random. The rates vary within a kind by a gamma law, shape 4
or 1 (as much as the mean). A quarter of the pages are relevant, with addresses and inlinks that
follow a power law. Each page is visited five times by each schedule, which learns
from what it finds; then the cost J of missed changes is computed with the true rates. All schedules
have the same budget: one request a page a week.

Speed: a table of a million pages is filled, then visited in the order in which pages are due.
Goals: 50 us of CPU a visit, 100 bytes of memory a page.
"""

import argparse
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import numpy as np

from toponaut.watch.change_rate import ChangeCounts, KindRates, PageKind, rate_of
from toponaut.watch.importance import importance_of
from toponaut.watch.schedule import (
    ADAPTIVE,
    SCHEDULES,
    Floats,
    WatchedPages,
    cost_of,
    next_interval,
    staleness_of,
)

# Changes a day, and the share of pages, of each kind of the simulated web. They are not the priors.
TRUE_RATES = {
    PageKind.OTHER: (0.03, 0.5),
    PageKind.FRONT: (0.15, 0.1),
    PageKind.PLACE: (0.008, 0.3),
    PageKind.LIST: (0.3, 0.1),
}
VISITS = 5
PER_DAY = 1 / 7  # requests a page
SHAPE = 4.0  # of the rates within a kind: they vary by half of their mean


class SimulatedPages(NamedTuple):
    """Pages with their true rates."""

    importance: Floats
    changes: Floats
    kinds: list[PageKind]


class ScheduleResult(NamedTuple):
    """How good a schedule is after some visits to each page."""

    cost: float  # J with the true rates
    staleness: float
    rates: Floats
    requests: float  # share of its requests with which "lambda" has the same cost


def simulated_pages(count: int, seed: int = 1, shape: float = SHAPE) -> SimulatedPages:
    chance = np.random.default_rng(seed)
    shares = [share for _, share in TRUE_RATES.values()]
    kinds = [list(TRUE_RATES)[k] for k in chance.choice(len(shares), count, p=shares)]
    means = np.array([TRUE_RATES[kind][0] for kind in kinds])
    changes = np.maximum(means * chance.gamma(shape, 1.0 / shape, count), 1e-4)
    relevant = chance.random(count) < 0.25
    addresses = np.where(relevant, chance.geometric(0.5, count), 0).tolist()
    inlinks = chance.pareto(1.1, count).astype(int).tolist()
    rows = zip(relevant.tolist(), addresses, inlinks, strict=True)
    importance = np.array([importance_of(*row) for row in rows])
    return SimulatedPages(importance, changes, kinds)


def known_rates(pages: SimulatedPages, budget: float) -> Floats:
    """The best rates if the rates of changes are known."""
    known = WatchedPages(pages.importance, pages.changes, np.ones(len(pages.changes)))
    return SCHEDULES["lambda"](known, budget)


def learned_rates(name: str, pages: SimulatedPages, budget: float, visits: int, seed: int) -> Floats:
    """The rates of a schedule after it has visited each page so many times."""
    chance = np.random.default_rng(seed)
    count = len(pages.changes)
    counts = [ChangeCounts()] * count
    kinds = KindRates()
    interval = np.full(count, count / budget)
    changes = np.array([kinds.rate(kind) for kind in pages.kinds])
    for _ in range(visits):
        rates = SCHEDULES[name](WatchedPages(pages.importance, changes, interval), budget)
        days = 1.0 / rates
        changed = chance.random(count) < -np.expm1(-pages.changes * days)
        for k, (one, found) in enumerate(zip(days.tolist(), changed.tolist(), strict=True)):
            kinds.add(pages.kinds[k], one, found)
            counts[k] = counts[k].added(one, found)
        if name in ADAPTIVE:
            steps = zip(interval.tolist(), changed.tolist(), strict=True)
            interval = np.array([next_interval(name, one, found) for one, found in steps])
        if name == "lambda":
            priors = {kind: kinds.rate(kind) for kind in PageKind}
            pairs = zip(counts, pages.kinds, strict=True)
            changes = np.array([rate_of(one, priors[kind]) for one, kind in pairs])
    return SCHEDULES[name](WatchedPages(pages.importance, changes, interval), budget)


def compare(count: int, seed: int = 1, shape: float = SHAPE) -> dict[str, ScheduleResult]:
    """All schedules, and the optimum under "known"."""
    pages, budget = simulated_pages(count, seed, shape), count * PER_DAY
    found = {"known": known_rates(pages, budget)}
    found |= {name: learned_rates(name, pages, budget, VISITS, seed + 1) for name in SCHEDULES}

    def cost(rates: Floats) -> float:
        return cost_of(pages.importance, pages.changes, rates)

    def same_cost(wanted: float) -> float:
        """The share of the budget with which "lambda" would have this cost."""
        low, high = 0.01, 10.0
        for _ in range(40):
            middle = (low * high) ** 0.5
            low, high = (middle, high) if cost(found["lambda"] * middle) > wanted else (low, middle)
        return high

    return {
        name: ScheduleResult(
            cost(rates),
            staleness_of(pages.importance, pages.changes, rates),
            rates,
            same_cost(cost(rates)),
        )
        for name, rates in found.items()
    }


def freshness_of_the_best(count: int, seed: int = 1) -> float:
    """How many times longer the median page waits for a visit than the top decile of importance."""
    pages = simulated_pages(count, seed)
    rates = learned_rates("lambda", pages, count * PER_DAY, VISITS, seed + 1)
    top = pages.importance >= np.quantile(pages.importance, 0.9)
    return float(np.median(1.0 / rates) / np.median(1.0 / rates[top]))


def _quality(count: int, shape: float) -> Iterator[str]:
    results = compare(count, shape=shape)
    best = results["known"].cost
    yield f"{count:,} pages, {VISITS} visits each, one request a page a week, shape {shape:g}"
    yield f"{'schedule':14} {'cost J':>10} {'to optimum':>10} {'stale':>7} {'lambda needs':>13}"
    for name, one in results.items():
        yield (
            f"{name:14} {one.cost:10,.0f} {one.cost / best - 1:10.1%} {one.staleness:7.1%} "
            f"{one.requests:13.0%}"
        )
    longest = float((1.0 / results["lambda"].rates).max())
    yield f"longest interval {longest:,.0f} days"
    yield f"top decile of importance: visited {freshness_of_the_best(count):.1f} times as often as the median"


if __name__ == "__main__":
    for shape in (4.0, 1.0):
        for line in _quality(20000, shape):
            print(line)
