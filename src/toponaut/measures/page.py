"""Measures as one HTML page: figures, map and tables, without scripts and external resources.

Everything that came from the web or from a user is escaped.
"""

from collections.abc import Sequence
from html import escape

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

_STYLE = """
:root { color-scheme: light dark; --ink: #1c2530; --soft: #66727f; --ground: #f6f5f1; --card: #fff;
  --rule: #1c253016;
  --land: #b4bcc4; --s0: #0b6e8a; --s1: #d9822b; --s2: #4c8c4a; --s3: #b3446c; --s4: #6b5fb0; --s5:
  #9a7d0a; --s6: #3a7bd5;
  --s7: #7a5c43; }
@media (prefers-color-scheme: dark) { :root { --ink: #e9e7e2; --soft: #98a3ae; --ground: #12161b;
  --card: #1a2027;
  --rule: #ffffff18; --land: #56616d; --s0: #4fb6d0; --s1: #f0a35a; --s2: #7fbf7b; --s3: #e58aac;
  --s4: #a79be8; --s5: #d6b84a;
  --s6: #7fb0f5; --s7: #c4a287; } }
* { box-sizing: border-box }
body { margin: 0 auto; max-width: 1160px; padding: 2.2rem 1.2rem 4rem; font: 16px/1.5 system-ui,
  -apple-system, "Segoe UI",
  Roboto, sans-serif; color: var(--ink); background: var(--ground); }
h1 { font-size: 1.9rem; line-height: 1.2; margin: 0; letter-spacing: -.01em; overflow-wrap: anywhere
  }
h2 { font-size: 1.15rem; margin: 2.6rem 0 .9rem } h3 { font-size: 1rem; margin: 0 }
.lead { color: var(--soft); margin: .4rem 0 0; max-width: 62rem; overflow-wrap: anywhere } .like {
  color: var(--soft); font-size: .8rem; margin: 0 0 .5rem }
.note { color: var(--soft); font-size: .85rem; margin: .5rem 0 0 }
.numbers { display: grid; grid-template-columns: repeat(auto-fit, minmax(12rem, 1fr)); gap: .8rem;
  margin: 1.6rem 0 0 }
.numbers div, article { background: var(--card); border: 1px solid var(--rule); border-radius: 12px
  }
.numbers div { padding: .8rem 1rem .7rem } .numbers b { display: block; font-size: 1.55rem;
  line-height: 1.2; font-weight: 650;
  font-variant-numeric: tabular-nums; letter-spacing: -.01em } .numbers span { color: var(--soft);
  font-size: .85rem }
.figures { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 26rem), 1fr));
  gap: 1rem }
article { padding: 1rem 1.1rem; min-width: 0 } .tables { display: flex; flex-wrap: wrap; gap: 1rem }
.tables article { flex: 1 1 auto; max-width: 100% } .tables .note { width: 0; min-width: 100% }
svg { width: 100%; height: auto; display: block } .keys { display: flex; flex-wrap: wrap; gap: .2rem
  1.1rem; font-size: .85rem;
  margin: .5rem 0 0; padding: 0; list-style: none } .keys i { display: inline-block; width: .8rem;
  height: .8rem; border-radius: 3px;
  margin-right: .4rem; vertical-align: -1px }
.grid { stroke: var(--rule); fill: none } .tick { fill: var(--soft); font-size: 11.5px } .label {
  fill: var(--soft); font-size: 12px }
.line { fill: none; stroke-width: 2.2; stroke-linejoin: round } .line.faint { stroke-width: 1.3;
  opacity: .75 }
.band { opacity: .16; stroke: none } .map { padding: 0; overflow: hidden } .map .keys { padding:
  .7rem 1.1rem 0; margin: 0 }
.map .note { padding: .2rem 1.1rem 1rem; margin: 0 } .land { fill: var(--land) } .spot { fill:
  var(--s1); fill-opacity: .62; stroke: var(--card); stroke-width: .8 }
.spot.away { fill: var(--s0); fill-opacity: .4 } .name { fill: var(--ink); font-size: 15px;
  font-weight: 600; paint-order: stroke;
  stroke: var(--card); stroke-width: 3.5px; stroke-linejoin: round }
.scroll { overflow-x: auto } table { border-collapse: collapse; font-size: .9rem;
  font-variant-numeric: tabular-nums; width: 100% }
td, th { padding: .38rem .75rem; text-align: right; border-top: 1px solid var(--rule); white-space:
  nowrap }
tr > :first-child { padding-left: 0 } tr > :last-child { padding-right: 0 } .words { text-align:
  left } th { color: var(--soft); font-weight: 500; border: 0 }
footer { margin-top: 2.5rem; color: var(--soft); font-size: .85rem }
@media (max-width: 40rem) { body { padding: 1.3rem .8rem 3rem } h1 { font-size: 1.5rem } .map .tick,
  .name.more { display: none } .name { font-size: 26px } }
"""


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
