"""How often each page is visited: one number of requests a day, shared out among all pages.

LambdaCrawl (Kolobov, Peres, Lu, Horvitz: "Staying up to date with online content changes using
reinforcement learning for scheduling", NeurIPS 2019). A page with importance mu changes delta times
a day and is visited rho times a day. Each change that we miss costs less than the one before, so
the cost of all pages is

    J = sum of -mu ln(rho / (rho + delta))

It is least, for a given sum of all rho, where one more visit a day is worth the same for each page:

    mu delta / (rho (rho + delta)) = lambda
    rho = (-delta + sqrt(delta^2 + 4 mu delta / lambda)) / 2

`value_of_visit` is the left side for a page that was last visited t days ago (rho = 1/t). A page is
due when that reaches lambda. So lambda is a price: agenda.py compares it with the promise of links.

The other schedules are there for comparison. Each gives rates that add up to the same budget.
"""

from collections.abc import Callable
from typing import NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Number = TypeVar("Number", float, Floats)
LEAST_CHANGE = 1e-5  # a day: pages that never change are visited, too
LEAST_INTEREST = 0.01  # pages without a term of the interests are visited, too
_STEPS = 60  # of a bisection: to one part in 10^15
_RANGE = 1e12  # of lambda
# Nutch's AdaptiveFetchSchedule and StormCrawler's AdaptiveScheduler: the interval after a visit
# that found a change, and after one that did not.
ADAPTIVE = {"stormcrawler": (0.5, 1.5), "nutch": (0.8, 1.2)}


class WatchedPages(NamedTuple):
    """Columns of the pages to schedule: one row for each page."""

    importance: Floats
    changes: Floats  # a day, as estimated
    interval: Floats  # days, by an adaptive rule
    interest: Floats | None = None  # weights by the readers' interests; None: there are none


def best_rates(importance: Floats, changes: Floats, price: float) -> Floats:
    """Visits a day for each page if one more visit a day must be worth `price` (lambda)."""
    rates: Floats = (
        np.sqrt(changes * changes + 4.0 * importance * changes / price) - changes
    ) / 2.0
    return rates


def price_of_visits(importance: Floats, changes: Floats, budget: float) -> float:
    """The price (lambda) at which all pages together need `budget` visits a day."""
    low, high = 1.0 / _RANGE, _RANGE
    for _ in range(_STEPS):
        middle = float(np.sqrt(low * high))
        if best_rates(importance, changes, middle).sum() > budget:
            low = middle
        else:
            high = middle
    return high


def value_of_visit(importance: Number, changes: Number, days: Number) -> Number:
    """The worth of a visit now to a page, or to many, last visited so many days ago."""
    return importance * changes * days * days / (1.0 + changes * days)


def cost_of(importance: Floats, changes: Floats, rates: Floats) -> float:
    """J: the cost of missed changes at these rates."""
    return float((importance * np.log1p(changes / rates)).sum())


def staleness_of(importance: Floats, changes: Floats, rates: Floats) -> float:
    """The expected share of stale pages, by importance: delta / (rho + delta) of each page."""
    stale = importance * changes / (rates + changes)
    return float(stale.sum() / importance.sum()) if len(importance) else 0.0


def next_interval(rule: str, interval: float, changed: bool) -> float:
    """The interval of an adaptive rule after a visit."""
    shorter, longer = ADAPTIVE[rule]
    return interval * (shorter if changed else longer)


# --- schedules -----------------------------------------------------------------------------------


class Schedule(NamedTuple):
    """A rule for rates, in two steps, so that the rate of one page can be found without the others.

    `find` gives a number at which all pages together need a budget of visits a day (lambda, or a
    factor); `rates` the visits a day of each page at that number.
    """

    find: Callable[[WatchedPages, float], float]
    rates: Callable[[WatchedPages, float], Floats]


def rates_for(name: str, pages: WatchedPages, budget: float) -> Floats:
    """Visits a day of each page by a schedule; they add up to the budget."""
    schedule = SCHEDULES[name]
    return schedule.rates(pages, schedule.find(pages, budget))


def _changes(pages: WatchedPages) -> Floats:
    return np.maximum(pages.changes, LEAST_CHANGE)


def _in_proportion(weigh: Callable[[WatchedPages], Floats]) -> Schedule:
    def find(pages: WatchedPages, budget: float) -> float:
        return budget / float(weigh(pages).sum())

    def rates(pages: WatchedPages, factor: float) -> Floats:
        found: Floats = weigh(pages) * factor
        return found

    return Schedule(find, rates)


def _interest(pages: WatchedPages) -> Floats:
    """By the weights of Chubak and Shokouhi (2005); without interests, by importance."""
    if pages.interest is None:
        return pages.importance
    return np.maximum(pages.interest, LEAST_INTEREST)


_adaptive = _in_proportion(lambda pages: 1.0 / pages.interval)
SCHEDULES = {
    "lambda": Schedule(
        lambda pages, budget: price_of_visits(pages.importance, _changes(pages), budget),
        lambda pages, price: best_rates(pages.importance, _changes(pages), price),
    ),
    "interest": _in_proportion(_interest),
    "fixed": _in_proportion(lambda pages: np.ones(len(pages.importance))),
    "stormcrawler": _adaptive,
    "nutch": _adaptive,
}
