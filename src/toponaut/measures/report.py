"""The report of one crawl, or of several for comparison, as one HTML page.

Figures as in the papers, map and tables, without scripts and external resources. Everything that
came from the web or from a user is escaped.
"""

from collections.abc import Callable, Sequence
from html import escape
from importlib import resources

import numpy as np
from msgspec import Struct

from toponaut.measures.columns import PlaceCount
from toponaut.measures.harvest import Bars, HarvestPoint
from toponaut.measures.measure import Measures
from toponaut.measures.svg import BarGroup, ChartLine, bars, lines, rows, share, short
from toponaut.measures.tables import (
    MOST_NODES,
    Column,
    Entries,
    MeasuredRuns,
    MeasureTable,
    Number,
    count,
    mean_and_spread,
    mean_of,
    number,
    percent,
    tables,
)
from toponaut.measures.world_map import Ground, world_map

_LONGEST = 15  # bars of a histogram; greater lengths share the last bar


class Figure(Struct, frozen=True):
    """A drawing with its texts. `keys`: the meaning of the colours."""

    title: str
    like: str
    drawing: str
    keys: tuple[tuple[str, int], ...] = ()
    note: str = ""


def figures(entries: Entries) -> list[Figure]:
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


def _keys(entries: Entries) -> tuple[tuple[str, int], ...]:
    if len(entries) == 1:
        return ()
    return tuple((entry.name, number) for number, entry in enumerate(entries))


def _harvest(entries: Entries) -> list[Figure]:
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
    entries: Entries, title: str, like: str, under: str, get: Callable[[Measures], Bars], note: str
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
    for k, run in enumerate(runs):
        counts = [*run.counts[: many - 1], sum(run.counts[many - 1 :])] if many else []
        shares[k, : len(counts)] = np.array(counts) / max(1, run.total)
    return list(shares.mean(axis=0).tolist())


def _coverage(entries: Entries) -> Figure:
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


def _truth(entries: Entries) -> list[Figure]:
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


# --- the page -------------------------------------------------------------------------------------

Embed = Callable[[str, Sequence[PlaceCount]], str]
_STYLE = resources.files("toponaut.measures").joinpath("report.css").read_text("utf-8")


def page(
    entries: Entries,
    title: str,
    lead: str,
    ground: Ground | None = None,
    embed: Embed | None = None,
) -> str:
    """The report of one crawl, or of several. `ground`: the places of the world, for the map;
    `embed` puts a map that can be moved in place of its picture.
    """
    single = entries[0].runs[0] if len(entries) == 1 and len(entries[0].runs) == 1 else None
    colours = "".join(
        f".line.s{k}{{stroke:var(--s{k})}}"
        f".bar.s{k},.band.s{k},i.s{k}{{fill:var(--s{k});background:var(--s{k})}}"
        for k in range(8)
    )
    drawn = "".join(_figure(figure) for figure in figures(entries))
    whole = "".join(_table(table, len(entries) > 1) for table in tables(entries))
    world = _map(entries, ground, embed) if single else ""
    return f"""<!doctype html>
<html lang="en"><head><meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{escape(title)}</title><style>{_STYLE}{colours}</style></head><body>
<header><h1>{escape(title)}</h1><p class="lead">{escape(lead)}</p></header>
{_numbers(entries)}
<h2>Over the crawl</h2><div class="figures">{drawn}</div>
{world}
<h2>Tables</h2><div class="tables">{whole}</div>
<footer>Measured by Toponaut from the crawl's log. Definitions: docs/explanation/measures.md.
Place data: GeoNames (CC BY 4.0).</footer>
</body></html>
"""


def _numbers(entries: Entries) -> str:
    """The most important figures; only for a single entry."""
    if len(entries) != 1:
        return ""
    runs = entries[0].runs
    shown: tuple[Column, ...] = (
        ("pages", lambda run: run.whole.pages, count),
        ("relevant", lambda run: run.whole.relevant, count),
        ("harvest rate", lambda run: run.whole.harvest, percent),
        ("geo-coverage", lambda run: run.whole.geo_coverage, percent),
        ("geo-focus, mean of nodes", lambda run: run.averages.geo_focus, percent),
        ("distinct addresses in targets", lambda run: run.whole.distinct_entities, count),
        ("geo-centrality", lambda run: run.whole.geo_centrality, number),
        ("overlap", lambda run: run.whole.overlap, percent),
        ("URLs sent per page", lambda run: run.whole.communication, number),
        ("over a bridge", lambda run: run.bridges.bridged_share, percent),
    )
    values = (mean_and_spread([get(run) for run in runs], form) for _, get, form in shown)
    inside = "".join(
        f"<div><b>{escape(value)}</b><span>{escape(name)}</span></div>"
        for (name, _, _), value in zip(shown, values, strict=True)
    )
    return f'<div class="numbers">{inside}</div>'


def _figure(figure: Figure) -> str:
    under = _legend(figure.keys) + _note(figure.note)
    return f"<article>{_head(figure.title, figure.like)}{figure.drawing}{under}</article>"


def _map(entries: Entries, ground: Ground | None, embed: Embed | None) -> str:
    places = entries[0].runs[0].places
    drawn = world_map(places, ground)
    drawn = embed(drawn, places) if embed else drawn
    keys = (("places in the targets", 1), ("other places", 0))
    words = "Circles: pages with an address there."
    return (
        f'<h2>Where the pages are</h2><article class="map">{drawn}'
        f'{_legend(keys)}<p class="note">{words}</p></article>'
    )


def _table(table: MeasureTable, named: bool) -> str:
    """`named`: with the first column, the names of the crawls."""
    lines = [row if named else row[1:] for row in (table.head, *table.rows)]
    columns = list(zip(*lines, strict=True))
    kinds = [' class="words"' if _are_words(column[1:]) else "" for column in columns]
    head, *rows = (list(zip(line, kinds, strict=True)) for line in lines)
    titles = "".join(f"<th{kind}>{escape(cell)}</th>" for cell, kind in head)
    cells = ("".join(f"<td{kind}>{escape(cell)}</td>" for cell, kind in row) for row in rows)
    body = "".join(f"<tr>{row}</tr>" for row in cells)
    inside = f"<thead><tr>{titles}</tr></thead><tbody>{body}</tbody>"
    scroll = f'<div class="scroll"><table>{inside}</table></div>'
    return f"<article>{_head(table.title, table.like)}{scroll}{_note(table.note)}</article>"


def _are_words(cells: Sequence[str]) -> bool:
    return any(cell[:1].isalpha() for cell in cells)


def _head(title: str, like: str) -> str:
    return f'<h3>{escape(title)}</h3><p class="like">{escape(like)}</p>'


def _legend(keys: Sequence[tuple[str, int]]) -> str:
    if not keys:
        return ""
    inside = "".join(
        f'<li><i class="s{colour % 8}"></i>{escape(name)}</li>' for name, colour in keys
    )
    return f'<ul class="keys">{inside}</ul>'


def _note(note: str) -> str:
    return f'<p class="note">{escape(note)}</p>' if note else ""
