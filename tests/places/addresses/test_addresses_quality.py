"""Floors for the quality of the address finder on the labelled fragments."""

from functools import partial

import pytest
from bench.addresses import find_by_toponaut, measure, open_finder, scores
from bench.judge import fragments
from bench.world import false_friends, reliability

# Precision and recall, a little below the figures of bench/addresses.py (us 0.998 and 0.971, de
# 0.985 and 0.955).
FLOORS = {"us": (0.985, 0.955), "de": (0.97, 0.94)}
# The share of owners found, and the share of named owners that are right (us 0.94 and 0.96, de 0.91
# and 0.85). A third of the German pages has a person, a trade or an event where a name would be.
OWNERS = {"us": (0.92, 0.94), "de": (0.88, 0.82)}


@pytest.mark.parametrize("folder", FLOORS)
def test_precision_and_recall_do_not_fall(folder: str) -> None:
    counts, mistakes = measure(partial(find_by_toponaut, open_finder()), fragments(folder))
    precision, recall, _ = scores(counts)
    assert precision >= FLOORS[folder][0], "\n".join(mistakes)
    assert recall >= FLOORS[folder][1], "\n".join(mistakes)
    owners_found, owners_right = (
        counts["owner"] / counts["owned"],
        counts["owner"] / counts["named"],
    )
    assert owners_found >= OWNERS[folder][0]
    assert owners_right >= OWNERS[folder][1]


def test_pages_of_numbers_and_names_have_no_addresses() -> None:
    """One or two of a hundred such pages have a find (bench/world.py)."""
    finder = open_finder()
    assert sum(bool(finder.find(page)) for page in false_friends(200)) <= 6


def test_confidence_does_not_promise_too_much() -> None:
    """Finds are right at least as often as they say, in each range of confidence."""
    judged = list(reliability(open_finder()))
    for low, high in ((0.5, 0.7), (0.7, 0.85), (0.85, 0.95), (0.95, 1.01)):
        finds = [(said, right) for said, right in judged if low <= said < high]
        said = sum(said for said, _ in finds) / len(finds)
        assert sum(right for _, right in finds) / len(finds) >= said, (low, high)
