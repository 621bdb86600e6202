"""Which figures a report has: the papers' figures from the measures of one crawl, or of several side by side."""

from collections.abc import Callable, Sequence

import numpy as np
from msgspec import Struct

from toponaut.measures.bridges import Bars
from toponaut.measures.harvest import HarvestPoint
from toponaut.measures.measure import Measures
from toponaut.measures.svg import BarGroup, ChartLine, bars, lines, rows, share, short
from toponaut.measures.tables import MOST_NODES, MeasuredRuns, Number, mean_of

_LONGEST = 15  # bars of a histogram; what is longer is one bar


class Figure(Struct, frozen=True):
    """A drawing with its words. `keys`: what the colours mean."""

    title: str
    like: str
    drawing: str
    keys: tuple[tuple[str, int], ...] = ()
    note: str = ""


def figures(entries: Sequence[MeasuredRuns]) -> list[Figure]:
    """All figures but the map."""
    return [
        *_harvest(entries),
        _lengths(entries, "Bridges", "Ahlers 2009, Figure 9", "other pages between two relevant ones",
                 lambda run: run.bridges.bridges, "0: straight from a relevant page to the next."),
        _lengths(entries, "Tails", "Ahlers 2009, Figure 9", "other pages after the last relevant one",
                 lambda run: run.bridges.tails, "Branches that left a relevant page and found no more."),
        _lengths(entries, "Distance from the seeds", "Ahlers 2009, Figure 10", "links from a seed",
                 lambda run: run.distances.relevant, "Of relevant pages."),
        _coverage(entries),
        *_truth(entries),
    ]  # fmt: skip


def _keys(entries: Sequence[MeasuredRuns]) -> tuple[tuple[str, int], ...]:
    return (
        tuple((entry.name, number) for number, entry in enumerate(entries))
        if len(entries) > 1
        else ()
    )


def _harvest(entries: Sequence[MeasuredRuns]) -> list[Figure]:
    found = [
        _curve(entry, number, lambda point: point.relevant) for number, entry in enumerate(entries)
    ]
    rate = [
        _curve(entry, number, lambda point: point.harvest) for number, entry in enumerate(entries)
    ]
    keys, note = _keys(entries), ""
    if len(entries) == 1:
        rate.insert(0, _curve(entries[0], 1, lambda point: point.window, faint=True))
        keys = (("since the start", 0), ("in the window", 1))
        note = f"The window slides over {entries[0].runs[0].harvest.window:,} pages."
    return [
        Figure("Relevant pages", "Ahlers 2009, Figure 7", lines(found, "pages", short, "Relevant pages over the crawl"),
               _keys(entries)),
        Figure("Harvest rate", "Ahlers 2009, Figure 8", lines(rate, "pages", share, "Harvest rate over the crawl"), keys, note),
    ]  # fmt: skip


def _curve(
    entry: MeasuredRuns, colour: int, get: Callable[[HarvestPoint], float], faint: bool = False
) -> ChartLine:
    """The mean of the runs, with a standard deviation on each side as a band, up to where the shortest run ends."""
    curves = [run.harvest.curve for run in entry.runs if run.harvest.curve]
    if not curves:
        return ChartLine(entry.name, (), colour=colour)
    longest = max(curves, key=len)
    end = min(curve[-1].pages for curve in curves)
    xs = [point.pages for point in longest if point.pages <= end]
    all_ys = np.array(
        [np.interp(xs, [p.pages for p in curve], [get(p) for p in curve]) for curve in curves]
    )
    middle = all_ys.mean(axis=0)
    points = [(float(x), float(y)) for x, y in zip(xs, middle, strict=True)]
    if len(curves) == 1:
        return ChartLine(entry.name, points, colour=colour, faint=faint)
    spread = all_ys.std(axis=0, ddof=1)
    low, high = np.maximum(0, middle - spread).tolist(), (middle + spread).tolist()
    return ChartLine(entry.name, points, low, high, colour, faint)


def _lengths(
    entries: Sequence[MeasuredRuns],
    title: str,
    like: str,
    under: str,
    get: Callable[[Measures], Bars],
    note: str,
) -> Figure:
    """How often each length occurs, as a share of all; beyond some length in one bar."""
    longest = max((len(get(run).counts) for entry in entries for run in entry.runs), default=0)
    many = min(longest, _LONGEST + 1)
    first = 1 if title == "Tails" else 0
    names = [str(length) for length in range(first, many)]
    if longest > many:
        names[-1] += "+"
    groups = [
        BarGroup(entry.name, _mean_shares([get(run) for run in entry.runs], many)[first:], number)
        for number, entry in enumerate(entries)
    ]
    return Figure(
        title,
        like,
        bars(names, groups, under, share, f"{title}: shares by length"),
        _keys(entries),
        note,
    )


def _mean_shares(runs: Sequence[Bars], many: int) -> list[float | None]:
    shares = np.zeros((len(runs), many))
    for number, run in enumerate(runs):
        counts = [*run.counts[: many - 1], sum(run.counts[many - 1 :])] if many else []
        shares[number, : len(counts)] = np.array(counts) / max(1, run.total)
    return list(shares.mean(axis=0).tolist())


def _coverage(entries: Sequence[MeasuredRuns]) -> Figure:
    """Coverage and focus: of each node of one crawl, or of several crawls."""
    like, keys = "Gao 2006, Tables 3 and 4", (("geo-coverage", 0), ("geo-focus", 1))
    nodes = entries[0].runs[0].nodes
    label = "Geo-coverage and geo-focus"
    if len(entries) == 1 and len(nodes) <= MOST_NODES:
        of_nodes = _pair([node.geo_coverage for node in nodes], [node.geo_focus for node in nodes])
        return Figure(
            "Nodes",
            like,
            bars([node.node for node in nodes], of_nodes, "nodes", share, label),
            keys,
        )
    covered = [_middle([run.whole.geo_coverage for run in entry.runs]) for entry in entries]
    focused = [_middle([run.averages.geo_focus for run in entry.runs]) for entry in entries]
    drawing = rows([entry.name for entry in entries], _pair(covered, focused), share, label)
    return Figure("Coverage and focus", like, drawing, keys)


def _pair(covered: Sequence[Number], focused: Sequence[Number]) -> list[BarGroup]:
    return [BarGroup("geo-coverage", covered, 0), BarGroup("geo-focus", focused, 1)]


def _middle(values: Sequence[Number]) -> float | None:
    found = mean_of(values)
    return found[0] if found else None


def _truth(entries: Sequence[MeasuredRuns]) -> list[Figure]:
    """Relevant pages beside the oracle's, where the truth is known; of each entry the first run."""
    told = [
        (number, run.truth) for number, entry in enumerate(entries) if (run := entry.runs[0]).truth
    ]
    curves = [(number, truth.curve) for number, truth in told if truth and truth.curve]
    if not curves:
        return []
    series = [
        ChartLine(entries[number].name, [(p.pages, p.relevant) for p in curve], colour=number)
        for number, curve in curves
    ]
    best = max((curve for _, curve in curves), key=lambda curve: curve[-1].pages)
    oracle = ChartLine(
        "oracle", [(p.pages, p.oracle) for p in best], colour=len(entries), faint=True
    )
    drawing = lines([oracle, *series], "pages", short, "Relevant pages beside the oracle's")
    keys = (*((entries[number].name, number) for number, _ in curves), ("oracle", len(entries)))
    return [Figure("Beside the oracle", "on a web whose truth is known", drawing, keys)]
