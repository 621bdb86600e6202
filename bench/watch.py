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

from toponaut.crawl.price import Price
from toponaut.crawl.progress import Totals
from toponaut.frontier import Frontier
from toponaut.job import Job, WatchSection
from toponaut.records import Outcome, Visit
from toponaut.timing import SimulatedTime
from toponaut.urls import host_of
from toponaut.watch.agenda import Agenda
from toponaut.watch.budget import RequestBudget
from toponaut.watch.change_rate import ChangeCounts, KindRates, PageKind, rate_of
from toponaut.watch.importance import importance_of
from toponaut.watch.revisit_table import DAY_S, RevisitTable
from toponaut.watch.schedule import (
    ADAPTIVE,
    SCHEDULES,
    Floats,
    WatchedPages,
    cost_of,
    next_interval,
    rates_for,
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
    return rates_for("lambda", known, budget)


def learned_rates(
    name: str, pages: SimulatedPages, budget: float, visits: int, seed: int
) -> Floats:
    """The rates of a schedule after it has visited each page so many times."""
    chance = np.random.default_rng(seed)
    count = len(pages.changes)
    counts = [ChangeCounts()] * count
    kinds = KindRates()
    interval = np.full(count, count / budget)
    changes = np.array([kinds.rate(kind) for kind in pages.kinds])
    for _ in range(visits):
        rates = rates_for(name, WatchedPages(pages.importance, changes, interval), budget)
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
    return rates_for(name, WatchedPages(pages.importance, changes, interval), budget)


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
    often = freshness_of_the_best(count)
    yield f"top decile of importance: visited {often:.1f} times as often as the median page"


# --- speed ---------------------------------------------------------------------------------------


class TableFigures(NamedTuple):
    """The cost of an agenda."""

    microseconds: float  # CPU time of a visit: put into the frontier, learned, planned
    bytes: float  # of a page


def measure_table(count: int, visits: int, folder: Path) -> TableFigures:
    """Fill a table with pages, and visit those that are due."""
    (folder / "pages").mkdir()
    clock = SimulatedTime()
    table = RevisitTable(folder / "pages")
    budget = RequestBudget(Job(), Totals(), clock, max(count // 7, 1), 0)
    agenda = Agenda(WatchSection(), table, budget)
    for number in range(count):
        url = f"http://host-{number % 50_000}.example/some/path/of-a-page-{number}.html"
        agenda.learn(Visit(number, "a", url, 200, Outcome.FETCHED, relevant=number % 4 == 0))
    frontier = Frontier(folder / "frontier", 0)
    price = Price([frontier], DAY_S, 1.0, 0)
    agenda.attach({"a": frontier}, price, calibrated=True)
    made, spent = 0, 0.0
    while made < visits:
        start = time.process_time()
        agenda.put_due(clock.now())
        spent += time.process_time() - start
        taken = frontier.next(clock.now())
        if taken is None:
            clock.advance_to(max(agenda.next_due() or 0.0, clock.now() + 1.0))
            continue
        outcome = Outcome.REVISED if made % 8 == 0 else Outcome.CONFIRMED
        visit = Visit(made, "a", taken.url, 200, outcome, time=clock.now(), revisit=True)
        start = time.process_time()
        agenda.learn(visit)
        spent += time.process_time() - start
        frontier.release(host_of(taken.url), clock.now())
        made += 1
    return TableFigures(spent / made * 1e6, table.size / count)


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--pages", type=int, default=20_000)
    parser.add_argument("--table", type=int, default=1_000_000)
    options = parser.parse_args()
    for shape in (SHAPE, 1.0):
        for line in _quality(options.pages, shape):
            print(line)
    with tempfile.TemporaryDirectory() as folder:
        found = measure_table(options.table, min(options.table // 10, 50_000), Path(folder))
    print(
        f"{options.table:,} pages: {found.microseconds:.1f} us of CPU a visit, "
        f"{found.bytes:.0f} bytes a page"
    )


if __name__ == "__main__":
    main()
