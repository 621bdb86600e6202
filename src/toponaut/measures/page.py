"""Measures as one HTML page: figures, map and tables, without scripts and external resources.

Everything that came from the web or from a user is escaped.
"""

from collections.abc import Sequence
from html import escape
from importlib import resources

from toponaut.measures.figures import Figure, figures
from toponaut.measures.tables import (
    MeasuredRuns,
    MeasureTable,
    count,
    mean_and_spread,
    number,
    percent,
    tables,
)
from toponaut.measures.world_map import Ground, world_map

_STYLE = resources.files("toponaut.measures").joinpath("report.css").read_text("utf-8")


def page(
    entries: Sequence[MeasuredRuns], title: str, lead: str, ground: Ground | None = None
) -> str:
    """The report of one crawl, or of several. `ground`: the places of the world, for the map."""
    single = entries[0].runs[0] if len(entries) == 1 and len(entries[0].runs) == 1 else None
    colours = "".join(
        f".line.s{k}{{stroke:var(--s{k})}}"
        f".bar.s{k},.band.s{k},i.s{k}{{fill:var(--s{k});background:var(--s{k})}}"
        for k in range(8)
    )
    drawn = "".join(_figure(figure) for figure in figures(entries))
    whole = "".join(_table(table, len(entries) > 1) for table in tables(entries))
    world = _map(entries, ground) if single else ""
    return f"""<!doctype html>
<html lang="en"><head><meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{escape(title)}</title><style>{_STYLE}{colours}</style></head><body>
<header><h1>{escape(title)}</h1><p class="lead">{escape(lead)}</p></header>
{_numbers(entries)}
<h2>Over the crawl</h2><div class="figures">{drawn}</div>
{world}
<h2>Tables</h2><div class="tables">{whole}</div>
<footer>Measured by Toponaut from the crawl's log. Definitions: docs/measures.md.
Place data: GeoNames (CC BY 4.0).</footer>
</body></html>
"""


def _numbers(entries: Sequence[MeasuredRuns]) -> str:
    """The most important figures; only for a single entry."""
    if len(entries) != 1:
        return ""
    runs = entries[0].runs
    shown = (
        ("pages", mean_and_spread([run.whole.pages for run in runs], count)),
        ("relevant", mean_and_spread([run.whole.relevant for run in runs], count)),
        ("harvest rate", mean_and_spread([run.whole.harvest for run in runs], percent)),
        ("geo-coverage", mean_and_spread([run.whole.geo_coverage for run in runs], percent)),
        (
            "geo-focus, mean of nodes",
            mean_and_spread([run.averages.geo_focus for run in runs], percent),
        ),
        (
            "distinct addresses",
            mean_and_spread([run.whole.distinct_entities for run in runs], count),
        ),
        ("geo-centrality", mean_and_spread([run.whole.geo_centrality for run in runs], number)),
        ("overlap", mean_and_spread([run.whole.overlap for run in runs], percent)),
        ("URLs sent per page", mean_and_spread([run.whole.communication for run in runs], number)),
        ("over a bridge", mean_and_spread([run.bridges.bridged_share for run in runs], percent)),
    )
    inside = "".join(
        f"<div><b>{escape(value)}</b><span>{escape(name)}</span></div>" for name, value in shown
    )
    return f'<div class="numbers">{inside}</div>'


def _figure(figure: Figure) -> str:
    under = _keys(figure.keys) + _note(figure.note)
    return f"<article>{_head(figure.title, figure.like)}{figure.drawing}{under}</article>"


def _map(entries: Sequence[MeasuredRuns], ground: Ground | None) -> str:
    places = entries[0].runs[0].places
    keys = (("places in the targets", 1), ("other places", 0))
    words = "Circles: pages with an address there. Small dots: all places of the gazetteer."
    return (
        f'<h2>Where the pages are</h2><article class="map">{world_map(places, ground)}{_keys(keys)}'
        f'<p class="note">{words}</p></article>'
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


def _keys(keys: Sequence[tuple[str, int]]) -> str:
    if not keys:
        return ""
    inside = "".join(
        f'<li><i class="s{colour % 8}"></i>{escape(name)}</li>' for name, colour in keys
    )
    return f'<ul class="keys">{inside}</ul>'


def _note(note: str) -> str:
    return f'<p class="note">{escape(note)}</p>' if note else ""
