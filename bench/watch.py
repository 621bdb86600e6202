"""How well and how fast pages are scheduled for their next visits.

    python -m bench.watch [--pages 20000] [--table 1000000]

Quality: pages of four kinds change at random. The rates vary within a kind by a gamma law, of
several shapes (4: by half of the mean, 1: by all of it). A quarter of the pages are relevant, with
addresses and inlinks that follow a power law. Each page is visited five times by each schedule,
which learns from what it finds; then cost J and staleness are computed with the true rates. All
schedules have the same budget: one request a page a week. Goals: staleness within 5 % of the
optimum with known rates; requests at most 70 % of an adaptive rule's at equal staleness; the top
decile of importance at least 3 times fresher than the median page; no page starves.

Nobody can know a rate from five answers of yes or no. The row "all seen" is a bound for every
estimator: it knows the true law of each kind, and sees every single change of the same weeks. "half
dated" is "lambda" if half of the pages say when they were last modified.

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
from numpy.typing import NDArray

from toponaut.crawl.price import Price
from toponaut.crawl.progress import Totals
from toponaut.frontier import Frontier
from toponaut.job import Job, WatchSection
from toponaut.records import Outcome, Visit
from toponaut.timing import SimulatedTime
from toponaut.urls import host_of
from toponaut.watch.agenda import Agenda
from toponaut.watch.budget import RequestBudget
from toponaut.watch.change_rate import DATED, LONG_AGO, ChangeCounts, PageKind, rates_of
from toponaut.watch.importance import importance_of
from toponaut.watch.rate_prior import FIRST_PRIORS, fit_prior
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
SHAPES = (16.0, SHAPE, 2.0, 1.0)


class SimulatedPages(NamedTuple):
    """Pages with their true rates."""

    importance: Floats
    changes: Floats
    kinds: NDArray[np.int64]  # PageKind


class ScheduleResult(NamedTuple):
    """How good a schedule is after some visits to each page."""

    cost: float  # J with the true rates
    staleness: float
    rates: Floats
    requests: float  # share of its requests with which "lambda" has the same staleness
    freshness: float  # how many times longer the median page is stale than the top decile


def simulated_pages(count: int, seed: int = 1, shape: float = SHAPE) -> SimulatedPages:
    chance = np.random.default_rng(seed)
    shares = [share for _, share in TRUE_RATES.values()]
    kinds = chance.choice(len(shares), count, p=shares)
    means = np.array([TRUE_RATES[kind][0] for kind in PageKind])[kinds]
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


def all_seen_rates(pages: SimulatedPages, budget: float, shape: float, seed: int) -> Floats:
    """The rates if each change during five of the best intervals were seen, and the law known."""
    days = VISITS / known_rates(pages, budget)
    seen = np.random.default_rng(seed).poisson(pages.changes * days)
    means = np.array([TRUE_RATES[kind][0] for kind in PageKind])[pages.kinds]
    changes = (shape + seen) / (shape / means + days)
    return known_rates(pages._replace(changes=changes), budget)


def first_counts(pages: SimulatedPages, dated: float, seed: int) -> ChangeCounts:
    """What the crawl found out: the age of a share of the pages."""
    chance = np.random.default_rng(seed)
    ages: Floats = np.minimum(chance.exponential(1.0 / pages.changes), LONG_AGO)
    weights: Floats = np.where(chance.random(len(ages)) < dated, DATED, 0.0)
    none = np.zeros(len(ages))
    return ChangeCounts(none, none, weights * ages, weights)


def learned_rates(
    name: str, pages: SimulatedPages, budget: float, visits: int, seed: int, dated: float = 0.0
) -> Floats:
    """The rates of a schedule after it has visited each page so many times."""
    chance = np.random.default_rng(seed)
    count = len(pages.changes)
    counts = first_counts(pages, dated, seed + 1)
    interval = np.full(count, count / budget)
    changes = _estimated(counts, pages.kinds)
    for _ in range(visits):
        rates = rates_for(name, WatchedPages(pages.importance, changes, interval), budget)
        days = 1.0 / rates
        changed = chance.random(count) < -np.expm1(-pages.changes * days)
        counts = counts.added(days, changed)
        if name in ADAPTIVE:
            steps = zip(interval.tolist(), changed.tolist(), strict=True)
            interval = np.array([next_interval(name, one, found) for one, found in steps])
        if name == "lambda":
            changes = _estimated(counts, pages.kinds)
    return rates_for(name, WatchedPages(pages.importance, changes, interval), budget)


def _estimated(counts: ChangeCounts, kinds: NDArray[np.int64]) -> Floats:
    """The rates of changes as a watch estimates them."""
    priors = []
    for kind in PageKind:
        rows = np.flatnonzero((kinds == kind) & (counts.changes + counts.same_days > 0))[:1000]
        some = ChangeCounts(*(column[rows] for column in counts))
        priors.append(fit_prior(some, FIRST_PRIORS[kind]))
    means, shapes = np.array(priors).T
    return rates_of(counts, means[kinds], shapes[kinds])


def compare(count: int, seed: int = 1, shape: float = SHAPE) -> dict[str, ScheduleResult]:
    """All schedules, and the optimum under "known"."""
    pages, budget = simulated_pages(count, seed, shape), count * PER_DAY
    found = {"known": known_rates(pages, budget)}
    found |= {name: learned_rates(name, pages, budget, VISITS, seed + 1) for name in SCHEDULES}
    found["half dated"] = learned_rates("lambda", pages, budget, VISITS, seed + 1, dated=0.5)
    found["all seen"] = all_seen_rates(pages, budget, shape, seed + 1)

    def stale(rates: Floats) -> float:
        return staleness_of(pages.importance, pages.changes, rates)

    def same_staleness(wanted: float) -> float:
        """The share of the budget with which "lambda" would be as stale."""
        low, high = 0.01, 10.0
        for _ in range(40):
            middle = (low * high) ** 0.5
            low, high = (
                (middle, high) if stale(found["lambda"] * middle) > wanted else (low, middle)
            )
        return high

    return {
        name: ScheduleResult(
            cost_of(pages.importance, pages.changes, rates),
            stale(rates),
            rates,
            same_staleness(stale(rates)),
            freshness_of_the_best(pages, rates),
        )
        for name, rates in found.items()
    }


def freshness_of_the_best(pages: SimulatedPages, rates: Floats) -> float:
    """How many times longer the median page waits for a visit than the top decile of importance."""
    top = pages.importance >= np.quantile(pages.importance, 0.9)
    return float(np.median(1.0 / rates) / np.median(1.0 / rates[top]))


def _quality(count: int, shape: float) -> Iterator[str]:
    results = compare(count, shape=shape)
    best = results["known"]
    yield f"{count:,} pages, {VISITS} visits each, one request a page a week, shape {shape:g}"
    yield (
        f"{'schedule':14} {'cost J':>8} {'to best':>8} {'stale':>6} {'to best':>8} "
        f"{'lambda needs':>13} {'longest':>10} {'top decile':>11}"
    )
    for name, one in results.items():
        yield (
            f"{name:14} {one.cost:8,.0f} {one.cost / best.cost - 1:8.1%} {one.staleness:6.1%} "
            f"{one.staleness / best.staleness - 1:8.1%} {one.requests:13.0%} "
            f"{(1.0 / one.rates).max():5,.0f} days {one.freshness:9.1f} x"
        )


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

    def note(text: str) -> None:
        agenda.learn(Visit(0, "a", "", 0, Outcome.CONTROL, text, time=clock.now()))

    agenda.attach({"a": frontier}, price, calibrated=True, note=note)
    made, spent = 0, 0.0
    while made < visits:
        start = time.process_time()
        agenda.put_due(clock.now())
        due = agenda.next_due() or 0.0
        spent += time.process_time() - start
        taken = frontier.next(clock.now())
        if taken is None:
            clock.advance_to(max(due, clock.now() + 1.0))
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
    for shape in SHAPES:
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
