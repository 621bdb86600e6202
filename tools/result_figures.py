"""Figures of runs in the tables of results.md: means with their spread, and paired differences."""

from collections.abc import Callable, Mapping

from toponaut.measures import Measures
from toponaut.measures.intervals import mean_interval
from toponaut.measures.tables import NOTHING, Form, MeasuredRuns, Number, mean_and_spread

Get = Callable[[Measures], Number]
Entries = Mapping[str, MeasuredRuns]


def difference(one: MeasuredRuns, other: MeasuredRuns, get: Get) -> str:
    """Paired by web, in points."""
    both = zip(map(get, one.runs), map(get, other.runs), strict=True)
    points = [100 * (a - b) for a, b in both if a is not None and b is not None]
    return mean_interval(points).format(1) if points and one is not other else NOTHING


def figure(entries: Mapping[str, MeasuredRuns], name: str, get: Get, form: Form) -> str:
    return (
        mean_and_spread([get(run) for run in entries[name].runs], form)
        if name in entries
        else NOTHING
    )


def mean(entry: MeasuredRuns, get: Get) -> float | None:
    known = [value for run in entry.runs if (value := get(run)) is not None]
    return sum(known) / len(known) if known else None
