"""`toponaut demo`: what Toponaut does so far, on pages of its own, ending in a page to look at.

The map has no outlines: the gazetteer's own cities draw the continents.
"""

import html
from pathlib import Path
from typing import NamedTuple

import numpy as np
from rich.console import Console
from rich.table import Table

from toponaut.page.parse import parse
from toponaut.places.addresses.finder import AddressFinder
from toponaut.places.gazetteer.cache import open_names
from toponaut.places.names.finder import NameFinder
from toponaut.records import Address, Mention, Page, Response

DRAWN = 30_000  # of the largest places, as the map's ground
WIDTH, HEIGHT = 1080, 540

PAGES = {
    "https://paris-post.example/council.html": """<html lang=en><title>Council weighs new bridge - Paris Post</title>
        <h1>Council weighs new bridge</h1><p>The council of Paris heard on Monday from shop owners in Reno, Blossom and
        Honey Grove, who want the old bridge kept. Mayor Austin Reed said Lamar County would pay half. "Nobody in Dallas
        will help us," said Paris Baker, a teacher. The Washington Post had called the bridge the finest in
        Texas.<p>Paris Post, 221 Lamar Ave, <br>Paris, TX 75460""",
    "https://www.pizzeria-oldenburg.example/impressum": """<html lang=de><title>Impressum</title><h1>Impressum</h1>
        <p><b>Pizzeria Vesuvio</b><br>Lange Str. 12<br>26122 Oldenburg<p>Wir liefern nach Wardenburg, Rastede, Bad
        Zwischenahn und Hude, montags auch nach Bremen. Unser Mehl kommt aus Neapel.""",
    "https://guia.example/lisboa": """<html lang=pt><title>Onde comer em Lisboa</title><h1>Onde comer em Lisboa</h1><p>Do
        Chiado a Belém, e mais longe: Cascais, Sintra, Setúbal e o Porto. Para quem vem de Madrid ou de Paris.
        <p>Pizzaria Napoli, Rua Augusta 12, 1100-053 Lisboa""",
}

_STYLE = """
:root { color-scheme: light dark; --ink: #1d2733; --soft: #6b7785; --ground: #fbfaf7; --card: #fff; --mark: #ffe8a3; --dot: #c3cad2;
  --point: #d1495b; }
@media (prefers-color-scheme: dark) { :root { --ink: #e8e6e1; --soft: #98a2ad; --ground: #14181d; --card: #1d232a;
  --mark: #5b4a12; --dot: #3a434d; --point: #ff8c7a; } }
body { margin: 0 auto; max-width: 1120px; padding: 2rem 1.2rem 4rem; font: 16px/1.55 system-ui, sans-serif; color: var(--ink);
  background: var(--ground); }
h1 { font-size: 1.7rem; margin: 0 0 .2rem } h2 { font-size: 1rem; margin: 0 0 .6rem; overflow-wrap: anywhere }
p.lead { color: var(--soft); margin: 0 0 1.5rem } svg { width: 100%; height: auto; display: block }
article { background: var(--card); border-radius: 12px; padding: 1.1rem 1.3rem; margin: 1.2rem 0; box-shadow: 0 1px 4px #0002 }
pre { white-space: pre-wrap; font: inherit; margin: 0 0 1rem } mark { background: var(--mark); color: inherit; border-radius: 4px;
  padding: 0 .15em } table { border-collapse: collapse; width: 100%; font-size: .9rem } td, th { text-align: left;
  padding: .25rem .8rem .25rem 0; border-top: 1px solid #8883 } th { color: var(--soft); font-weight: 500 }
.ground { fill: var(--dot) } .point { fill: var(--point); fill-opacity: .75 } .map { background: var(--card); border-radius: 12px;
  overflow: hidden; box-shadow: 0 1px 4px #0002 } .scroll { overflow-x: auto }
.cards { display: flex; flex-wrap: wrap; gap: .8rem; margin: 0 0 1rem } .cards p { margin: 0; padding: .6rem .9rem; border-radius: 8px;
  border: 1px solid #8885; white-space: pre-line } small { color: var(--soft) }
"""


class Reading(NamedTuple):
    page: Page
    mentions: list[Mention]
    addresses: list[Address]


def run(out: Path) -> None:
    """Read the pages, print what was found, and write it as one self-contained page."""
    finder = open_names()
    found = [_read(finder, url, source) for url, source in PAGES.items()]
    names = Table("page", "name", "place", "confidence", box=None, header_style="bold")
    addresses = Table(
        "page", "organisation", "address", "normal form", box=None, header_style="bold"
    )
    for reading in found:
        host = reading.page.url.split("/")[2]
        for mention in reading.mentions:
            place = finder.gazetteer.place(mention.place)
            names.add_row(host, mention.text, " > ".join(place.path), f"{mention.confidence:.2f}")
        for address in reading.addresses:
            addresses.add_row(
                host, address.organisation, " ".join(address.text.split()), address.normal
            )
    for table in (names, addresses):
        Console(width=130).print(table, "")
    out.write_text(_report(finder, found), encoding="utf-8")
    print(f"Look at {out.absolute().as_uri()}")


def _read(finder: NameFinder, url: str, source: str) -> Reading:
    page = parse(Response(url, 200, source.encode(), "text/html; charset=utf-8"))
    return Reading(page, finder.find(page.text), AddressFinder(finder.gazetteer, finder).find(page))


def _report(finder: NameFinder, found: list[Reading]) -> str:
    points = {
        m.place: finder.gazetteer.place(m.place) for reading in found for m in reading.mentions
    }
    dots = "".join(
        f'<circle class="point" cx="{x:.1f}" cy="{y:.1f}" r="5"><title>{html.escape(place.name)}</title></circle>'
        for place in points.values()
        for x, y in [_project(place.lat, place.lon)]
    )
    return f"""<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>Toponaut: places in pages</title><style>{_STYLE}</style>
<h1>Places in pages</h1><p class="lead">Three pages, the place names and addresses in them, and where Toponaut puts them.</p>
<div class="map"><svg viewBox="0 0 {WIDTH} {HEIGHT}" role="img" aria-label="Map of the places found">
<path class="ground" d="{_ground(finder)}"/>{dots}</svg></div>
{"".join(_article(finder, reading) for reading in found)}
<p class="lead">Contains place data from GeoNames (CC BY 4.0).</p></html>"""


def _article(finder: NameFinder, reading: Reading) -> str:
    page, mentions, addresses = reading
    text, at = "", 0
    for mention in mentions:
        text += (
            html.escape(page.text[at : mention.start]) + f"<mark>{html.escape(mention.text)}</mark>"
        )
        at = mention.end
    rows = ""
    for mention in mentions:
        place = finder.gazetteer.place(mention.place)
        cells = (
            mention.text,
            " › ".join(place.path),
            f"{place.lat:.2f}, {place.lon:.2f}",
            f"{mention.confidence:.2f}",
        )
        rows += "<tr>" + "".join(f"<td>{html.escape(cell)}</td>" for cell in cells) + "</tr>"
    head = "<tr><th>name</th><th>place</th><th>lat, lon</th><th>confidence</th></tr>"
    cards = "".join(
        f"<p><b>{html.escape(address.organisation)}</b><br>{html.escape(address.text)}<br>"
        f"<small>{html.escape(address.normal)}</small></p>"
        for address in addresses
    )
    return (
        f"<article><h2>{html.escape(page.url)}</h2><pre>{text}{html.escape(page.text[at:])}</pre>"
        f'<div class="cards">{cards}</div><div class="scroll"><table>{head}{rows}</table></div></article>'
    )


def _ground(finder: NameFinder) -> str:
    """The largest places as dots, in one path: a small square each."""
    gazetteer = finder.gazetteer
    rows = np.argsort(gazetteer.population)[-DRAWN:]
    spots = {
        tuple(round(value, 1) for value in _project(*gazetteer.latlon[row]))
        for row in rows.tolist()
    }
    return "".join(f"M{x:g} {y:g}h.9v.9h-.9z" for x, y in sorted(spots))


def _project(lat: float, lon: float) -> tuple[float, float]:
    """Plain longitude and latitude, cut at 85 north and 60 south where hardly anybody lives."""
    return (lon + 180) / 360 * WIDTH, (85 - lat) / 145 * HEIGHT
