"""Failures of a host: the formula by hand, and the promises of combined after a few of them."""

import pytest
from tests.strategy.test_combined import CAME, DULL, HERE, ordering

from toponaut.records import Link, Outcome, QueuedLink, Visit
from toponaut.strategy.ordering.arrivals import (
    Arrivals,
    ArrivalsState,
    arrival_factor,
    sound_share,
)
from toponaut.strategy.ordering.combined import CombinedOrdering

__all__ = ["ordering"]  # the fixture

BAD = [Link(f"http://bad.example/houston-{k}", HERE, "Houston") for k in range(3)]
DULL_LINK = Link("http://good.example/x", HERE, "something")


@pytest.mark.parametrize(
    ("failed", "factor"),
    [
        (0, 1.0),
        (1, 0.95 * 0.2 / (0.95 * 0.2 + 0.05) / 0.95),  # 0.19 / 0.24 = 0.792; / 0.95 = 0.833
        (2, 0.038 / 0.088 / 0.95),  # 0.455
        (4, 0.00152 / 0.05152 / 0.95),  # 0.031
    ],
)
def test_failures_without_a_page_by_hand(failed: int, factor: float) -> None:
    assert arrival_factor(0, failed) == pytest.approx(factor)


def test_pages_and_failures_by_hand() -> None:
    assert arrival_factor(1, 0) == 1.0  # 5 / 6 is more than 4 / 5
    assert arrival_factor(1, 4) == pytest.approx(5 / 10 / 0.8)
    assert arrival_factor(6, 29) == pytest.approx(10 / 40 / 0.8)
    assert arrival_factor(0, 12) < 1e-6 < arrival_factor(1, 12)


def test_counts_are_by_host_and_survive_saving() -> None:
    arrivals = Arrivals()
    for came in (False, True, False):
        arrivals.add("www.a.example", came)
    again = Arrivals()
    again.restore(arrivals.saved())
    for one in (arrivals, again):
        assert one.factor("www.a.example") == arrival_factor(1, 2)
        # A first request failed: S = 7.6 / 11 / 0.8 = 0.864; relative to 0.95.
        assert one.factor("a.example") == pytest.approx(7.6 / 11 / 0.8 / 0.95)
    with pytest.raises(ValueError, match="do not fit"):
        again.restore(ArrivalsState((b"1234", b"1234"), 0, 0))


def test_first_requests_teach_about_new_hosts() -> None:
    """S by hand: 7.6 of 10 before; after 28 failures 7.6 / 38 = 0.2, of 0.8 that is 1/4."""
    assert sound_share(0, 0) == pytest.approx(0.95)
    assert sound_share(28, 0) == pytest.approx(0.25)
    assert sound_share(50, 50) == 0.95
    # 0.25 * 0.2 = 0.05 of a sound host, against 0.75
    assert arrival_factor(0, 1, 0.25) == pytest.approx(0.05 / 0.8 / 0.95)
    arrivals = Arrivals()
    arrivals.add("seed.example", False, by_link=False)
    assert arrivals.factor("new.example") == pytest.approx(1.0)
    for k in range(28):
        for _ in range(1 + k % 2):  # only the first counts
            arrivals.add(f"dead-{k}.example", False)
    assert arrivals.factor("new.example") == pytest.approx(0.25 / 0.95)
    arrivals.add("seed.example", True)
    arrivals.add("good.example", True)
    assert arrivals.factor("good.example") == 1.0
    assert arrivals.factor("new.example") > 0.25 / 0.95


@pytest.mark.parametrize(
    "outcome",
    [Outcome.GONE, Outcome.CLIENT_ERROR, Outcome.TIMEOUT, Outcome.FORBIDDEN, Outcome.FETCHED],
)
def test_a_host_that_fails_sinks_below_any_price(
    ordering: CombinedOrdering,
    outcome: Outcome,
) -> None:
    """FETCHED without a simhash is an empty page. Waiting links sink as new ones do."""
    first = ordering.rate(CAME, DULL, [*BAD, DULL_LINK])
    assert first[0].promise > first[-1].promise, "it names the target"
    waiting = [
        QueuedLink(link.url, rating.promise, ordering_memo=rating.memo)
        for link, rating in zip(BAD, first, strict=False)
    ]
    for number in range(5):
        url = f"http://bad.example/{number}"
        ordering.learn(Visit(number, "Cn1", url, 0, outcome))
    later = ordering.rate(CAME, DULL, [*BAD, DULL_LINK])
    for rating in later[:-1]:
        assert rating.promise < 0.01 * first[0].promise
        assert "requests to its host may fail (factor 0.0064)" in rating.why
    assert later[-1].promise > later[0].promise
    for queued, rating in zip(waiting, later, strict=False):
        assert ordering.again(queued) == pytest.approx(rating.promise)
    ordering.learn(Visit(9, "Cn1", "http://bad.example/9", 200, Outcome.FETCHED, simhash=1))
    assert ordering.again(waiting[0]) > 0.3 * first[0].promise, "a page came"
