"""The figures of a report, as in the papers: of one crawl, or of several for comparison."""

from collections.abc import Callable, Sequence

import numpy as np
from msgspec import Struct

from toponaut.measures.harvest import Bars, HarvestPoint
from toponaut.measures.measure import Measures
from toponaut.measures.svg import BarGroup, ChartLine, bars, lines, rows, share, short
from toponaut.measures.tables import MOST_NODES, MeasuredRuns, Number, mean_of

_LONGEST = 15  # bars of a histogram; greater lengths share the last bar


class Figure(Struct, frozen=True):
    """A drawing with its texts. `keys`: the meaning of the colours."""

    title: str
    like: str
    drawing: str
    keys: tuple[tuple[str, int], ...] = ()
    note: str = ""


def figures(entries: Sequence[MeasuredRuns]) -> list[Figure]:
    """All figures but the map."""
    return [
        *_harvest(entries),
        _lengths(entries, "Bridges", "Ahlers 2009, Figure 9", "other pages between relevant ones",
                 lambda run: run.bridges.bridges, "0: a relevant page links to the next one."),
        _lengths(entries, "Tails", "Ahlers 2009, Figure 9", "pages after the last relevant one",
                 lambda run: run.bridges.tails, "Branches without further relevant pages."),
        _lengths(entries, "Distance from the seeds", "Ahlers 2009, Figure 10", "links from a seed",
                 lambda run: run.distances.relevant, "Relevant pages only."),
        _coverage(entries),
        *_truth(entries),
    ]  # fmt: skip


def _keys(entries: Sequence[MeasuredRuns]) -> tuple[tuple[str, int], ...]:
    if len(entries) == 1:
        return ()
    return tuple((entry.name, number) for number, entry in enumerate(entries))


def _harvest(entries: Sequence[MeasuredRuns]) -> list[Figure]:
    numbered = list(enumerate(entries))
    found = [_curve(entry, k, lambda point: point.relevant) for k, entry in numbered]
    rate = [_curve(entry, k, lambda point: point.harvest) for k, entry in numbered]
    keys, note = _keys(entries), ""
    if len(entries) == 1:
        rate.insert(0, _curve(entries[0], 1, lambda point: point.window, faint=True))
        keys = (("since the start", 0), ("in the window", 1))
        note = f"The window slides over {entries[0].runs[0].harvest.window:,} pages."
    drawn = lines(found, "pages", short, "Relevant pages over the crawl")
    rates = lines(rate, "pages", share, "Harvest rate over the crawl")
    return [
        Figure("Relevant pages", "Ahlers 2009, Figure 7", drawn, _keys(entries)),
        Figure("Harvest rate", "Ahlers 2009, Figure 8", rates, keys, note),
    ]


def _curve(
    entry: MeasuredRuns, colour: int, get: Callable[[HarvestPoint], float], faint: bool = False
) -> ChartLine:
    """The mean of the runs with a band of one standard deviation, up to the end of the shortest."""
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
    """The distribution of lengths."""
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
    drawing = bars(names, groups, under, share, f"{title}: shares by length")
    return Figure(title, like, drawing, _keys(entries), note)


def _mean_shares(runs: Sequence[Bars], many: int) -> list[float | None]:
    shares = np.zeros((len(runs), many))
    for number, run in enumerate(runs):
        counts = [*run.counts[: many - 1], sum(run.counts[many - 1 :])] if many else []
        shares[number, : len(counts)] = np.array(counts) / max(1, run.total)
    return list(shares.mean(axis=0).tolist())


def _coverage(entries: Sequence[MeasuredRuns]) -> Figure:
    """Coverage and focus: by node for one crawl, else by crawl."""
    like, keys = "Gao 2006, Tables 3 and 4", (("geo-coverage", 0), ("geo-focus", 1))
    nodes = entries[0].runs[0].nodes
    label = "Geo-coverage and geo-focus"
    if len(entries) == 1 and len(nodes) <= MOST_NODES:
        by_node = _pair([node.geo_coverage for node in nodes], [node.geo_focus for node in nodes])
        drawing = bars([node.node for node in nodes], by_node, "nodes", share, label)
        return Figure("Nodes", like, drawing, keys)
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
    """Relevant pages compared with the oracle's, if the truth is known; the first run of each."""
    truths = [(number, entry.runs[0].truth) for number, entry in enumerate(entries)]
    curves = [(number, truth.curve) for number, truth in truths if truth and truth.curve]
    if not curves:
        return []
    series = [
        ChartLine(entries[number].name, [(p.pages, p.relevant) for p in curve], colour=number)
        for number, curve in curves
    ]
    best = max((curve for _, curve in curves), key=lambda curve: curve[-1].pages)
    points = [(p.pages, p.oracle) for p in best]
    oracle = ChartLine("oracle", points, colour=len(entries), faint=True)
    drawing = lines([oracle, *series], "pages", short, "Relevant pages of crawl and oracle")
    keys = (*((entries[number].name, number) for number, _ in curves), ("oracle", len(entries)))
    return [Figure("Compared with the oracle", "if the truth is known", drawing, keys)]
