"""What can be fetched soon: counted by class of promise, and capped by the pace of a host."""

import math
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from toponaut.frontier import Frontier
from toponaut.frontier.supply import CLASSES, FLOORS, class_of, classes_of
from toponaut.records import QueuedLink

HIGH, LOW = class_of(0.5), class_of(0.01)


def links(host: str, count: int, promise: float) -> list[QueuedLink]:
    return [QueuedLink(f"https://{host}/{promise}/{number}", promise) for number in range(count)]


def supply(
    frontier: Frontier, seconds: float, now: float = 0.0, pace: float = 1.0
) -> tuple[float, float]:
    """Links at 0.5 and at 0.01; there are no others."""
    counts = frontier.fetchable(now, seconds, pace)
    assert counts.sum() == counts[HIGH] + counts[LOW]
    return float(counts[HIGH]), float(counts[LOW])


def test_a_host_counts_as_often_as_it_can_be_asked(tmp_path: Path) -> None:
    """100 links at 0.5 and 50 at 0.01: in 60 s at one a second, the 61 best can be fetched."""
    frontier = Frontier(tmp_path, 1)
    frontier.put(links("big.example", 100, 0.5) + links("big.example", 50, 0.01))
    assert supply(frontier, 60.0) == (61, 0)
    assert supply(frontier, 119.0) == (100, 20)
    assert supply(frontier, 1e6) == (100, 50)
    assert supply(frontier, 60.0, pace=0.0) == (100, 50), "without a delay there is no cap"


def test_hosts_with_few_links_count_in_full(tmp_path: Path) -> None:
    frontier = Frontier(tmp_path, 1)
    frontier.put(links("a.example", 32, 0.5) + links("b.example", 20, 0.01))
    assert supply(frontier, 5.0) == (32, 20)
    assert frontier.summaries == 0


def test_the_pace_is_measured(tmp_path: Path) -> None:
    """Asked every 10 s, next at second 10, a host gives 1 + 90 / 10 pages in 100 s."""
    frontier = Frontier(tmp_path, 1)
    frontier.put(links("slow.example", 100, 0.5))
    assert frontier.next(0.0)
    frontier.release("slow.example", 10.0)
    assert supply(frontier, 100.0) == (10, 0)


def test_a_host_that_rests_beyond_the_horizon_does_not_count(tmp_path: Path) -> None:
    frontier = Frontier(tmp_path, 1)
    frontier.put(links("dead.example", 3, 0.5) + links("live.example", 2, 0.01))
    frontier.hold("dead.example", 600.0)
    assert supply(frontier, 60.0) == (0, 2)
    assert supply(frontier, 60.0, now=590.0) == (3, 2)


def test_counts_follow_links_that_move_sink_and_leave(tmp_path: Path) -> None:
    frontier = Frontier(tmp_path, 1)
    some = links("a.example", 40, 0.01)
    frontier.put(some)
    frontier.put([QueuedLink(some[0].url, 0.5)])
    assert supply(frontier, 1e6) == (1, 39)
    assert frontier.next(0.0, again=lambda entry: min(entry.promise, 0.01))
    assert supply(frontier, 1e6) == (0, 39)
    assert frontier.drop("a.example") == 39
    assert supply(frontier, 1e6) == (0, 0)
    assert frontier.summaries == 0, "its row is free again"
    frontier.put(links("b.example", 40, 0.5))
    assert supply(frontier, 9.0) == (10, 0)


def test_counts_survive_a_clean_close(tmp_path: Path) -> None:
    frontier = Frontier(tmp_path, 1)
    frontier.put(links("big.example", 100, 0.5) + links("small.example", 3, 0.01))
    frontier.close(b"here")
    reopened = Frontier(tmp_path, 1)
    assert supply(reopened, 60.0) == (61, 3)
    reopened.put(links("other.example", 100, 0.5))
    assert supply(reopened, 60.0) == (122, 3)


@given(st.floats(allow_nan=False))
def test_a_class_begins_at_its_floor(promise: float) -> None:
    number = class_of(promise)
    assert FLOORS[number] <= promise
    assert number == CLASSES - 1 or promise < FLOORS[number + 1]
    assert classes_of(np.array([promise]))[0] == number


def test_classes_are_an_eighth_of_an_octave_wide() -> None:
    assert FLOORS[0] == -math.inf
    assert FLOORS[CLASSES - 1] / FLOORS[CLASSES - 9] == pytest.approx(2.0)
