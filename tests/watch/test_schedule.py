"""When pages are visited again: the formulas by hand, and the quality on simulated pages."""

import math

import numpy as np
import pytest
from bench.watch import compare, freshness_of_the_best
from hypothesis import given
from hypothesis import strategies as st

from toponaut.records import Address, Outcome, Visit
from toponaut.watch.change_rate import ChangeCounts, KindRates, PageKind, kind_of, rate_of
from toponaut.watch.importance import importance_of
from toponaut.watch.schedule import (
    WatchedPages,
    best_rates,
    cost_of,
    next_interval,
    price_of_visits,
    rates_for,
    staleness_of,
    value_of_visit,
)

ONE = np.array([1.0])


def test_rates_by_hand() -> None:
    """Page 1: mu 1, delta 1. (-1 + sqrt(1 + 8)) / 2 = 1. Page 2: mu 3, delta 2, lambda 1/2:
    (-2 + sqrt(4 + 48)) / 2 = sqrt(13) - 1.
    """
    rates = best_rates(np.array([1.0, 3.0]), np.array([1.0, 2.0]), 0.5)
    assert rates == pytest.approx([1.0, math.sqrt(13) - 1])


def test_the_price_of_a_budget_by_hand() -> None:
    """The rates above add up to sqrt(13), so that budget has the price 1/2."""
    importance, changes = np.array([1.0, 3.0]), np.array([1.0, 2.0])
    assert price_of_visits(importance, changes, math.sqrt(13)) == pytest.approx(0.5)


def test_a_page_is_due_when_a_visit_is_worth_the_price() -> None:
    """mu delta t^2 / (1 + delta t): after one day 1/2, after two days 4/3."""
    assert value_of_visit(ONE, ONE, ONE) == pytest.approx([0.5])
    assert value_of_visit(ONE, ONE, 2 * ONE) == pytest.approx([4 / 3])
    assert best_rates(ONE, ONE, 4 / 3) == pytest.approx([0.5])


def test_cost_and_staleness_by_hand() -> None:
    """One visit a day and one change a day: -ln(1/2), and half of the time stale."""
    assert cost_of(ONE, ONE, ONE) == pytest.approx(math.log(2))
    assert staleness_of(np.array([1.0, 3.0]), np.array([1.0, 1.0]), np.array([1.0, 3.0])) == (
        pytest.approx((0.5 + 3 * 0.25) / 4)
    )


@given(
    st.lists(
        st.tuples(st.floats(0.01, 100), st.floats(1e-4, 50)), min_size=1, max_size=20, unique=True
    ),
    st.floats(0.01, 1000),
)
def test_no_other_rates_with_the_same_budget_cost_less(
    rows: list[tuple[float, float]], budget: float
) -> None:
    importance, changes = (np.array(column) for column in zip(*rows, strict=True))
    pages = WatchedPages(importance, changes, np.ones(len(rows)))
    rates = rates_for("lambda", pages, budget)
    assert rates.sum() == pytest.approx(budget, rel=1e-6)
    assert rates.min() > 0.0  # no page starves
    least = cost_of(importance, changes, rates)
    for name in ("fixed", "interest", "nutch"):
        others = rates_for(name, pages, budget)
        assert others.sum() == pytest.approx(budget)
        assert cost_of(importance, changes, others) >= least * (1 - 1e-6)


def test_adaptive_rules() -> None:
    """StormCrawler halves or takes 1.5 times the interval, Nutch 0.8 or 1.2 times."""
    assert [next_interval("stormcrawler", 8.0, found) for found in (True, False)] == [4.0, 12.0]
    assert [next_interval("nutch", 10.0, found) for found in (True, False)] == [8.0, 12.0]


# --- the rate of changes -------------------------------------------------------------------------


def test_the_rate_of_equal_intervals_by_hand() -> None:
    """Of four visits, ten days apart, three found no change: -ln(3/4) / 10."""
    counts = ChangeCounts().added(10, True)
    for _ in range(3):
        counts = counts.added(10, False)
    rate = -math.log(3 / 4) / 10
    assert rate_of(counts, 1.0, weight=0.0) == pytest.approx(rate, rel=1e-4)


def test_without_visits_the_rate_is_that_of_its_kind() -> None:
    assert rate_of(ChangeCounts(), 0.05) == pytest.approx(0.05)


def test_without_changes_the_rate_falls() -> None:
    """One change in 20 days is expected; after 20 days without one, half as many: 1 / 40."""
    assert rate_of(ChangeCounts(0, 0, 20), 0.05) == pytest.approx(1 / 40)


def test_visits_that_all_found_changes_give_a_finite_rate() -> None:
    rate = rate_of(ChangeCounts(5, 50, 0), 0.01)
    assert 0.01 < rate < 0.5


@given(st.integers(0, 40), st.floats(0.01, 400), st.floats(0, 4000), st.floats(1e-4, 10))
def test_more_time_without_a_change_never_raises_the_rate(
    changes: int, days: float, same: float, prior: float
) -> None:
    counts = ChangeCounts(changes, changes * days, same)
    before, after = rate_of(counts, prior), rate_of(counts.added(30, False), prior)
    assert 0 < after <= before * (1 + 1e-4)


def test_kinds_learn_from_their_pages() -> None:
    kinds = KindRates()
    first = kinds.rate(PageKind.LIST)
    for _ in range(1000):
        kinds.add(PageKind.LIST, 1.0, True)
        kinds.add(PageKind.LIST, 1.0, False)
    assert kinds.rate(PageKind.LIST) == pytest.approx(math.log(2), rel=0.05)
    assert KindRates().rate(PageKind.LIST) == pytest.approx(first)


@pytest.mark.parametrize(
    ("url", "addresses", "kind"),
    [
        ("http://a.org/", 0, PageKind.FRONT),
        ("http://a.org/x/", 0, PageKind.OTHER),
        ("http://a.org/contact", 1, PageKind.PLACE),
        ("http://a.org/", 3, PageKind.LIST),
    ],
)
def test_kinds(url: str, addresses: int, kind: PageKind) -> None:
    found = tuple(Address("", -1, -1, number=str(k)) for k in range(addresses))
    visit = Visit(0, "a", url, 200, Outcome.FETCHED, addresses=found)
    assert kind_of(visit) is kind


def test_importance_by_hand() -> None:
    """Relevant, e - 1 addresses and inlinks: (1 + 1) (1 + 1/4) = 2.5; not relevant: a tenth."""
    assert importance_of(True, 0, 0) == 1.0
    assert importance_of(True, 1, 1) == pytest.approx((1 + math.log(2)) * (1 + math.log(2) / 4))
    assert importance_of(False, 1, 1) == pytest.approx(0.1 * importance_of(True, 1, 1))


# --- quality -------------------------------------------------------------------------------------


def test_after_five_visits_the_schedule_is_near_the_optimum() -> None:
    """Measured with 20,000 pages: staleness 3 % above, 50 % fewer requests than Nutch's rule."""
    results = compare(3000)
    assert results["lambda"].staleness < 1.05 * results["known"].staleness
    for rival in ("nutch", "stormcrawler", "fixed"):
        assert results[rival].requests < 0.7
    assert (1 / results["lambda"].rates).max() < 365


def test_important_pages_are_visited_more_often() -> None:
    assert freshness_of_the_best(3000) > 3.0
