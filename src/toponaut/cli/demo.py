"""`toponaut demo`: three built-in pages, read and shown as tables and as an HTML report."""

from collections import Counter
from html import escape
from pathlib import Path
from typing import NamedTuple

from toponaut.api.notebook import records_html, svg_map
from toponaut.api.reading import extract, mentions, pages_of
from toponaut.api.results import Records
from toponaut.app.embedded_map import Spot, embedded_map
from toponaut.cli.terminal import make_console, make_table, write_text
from toponaut.records import Address, Mention, Page

PAGES = {
    "https://paris-post.example/council.html": """<html lang=en>
        <title>Council weighs new bridge - Paris Post</title><h1>Council weighs new bridge</h1>
        <p>The council of Paris heard on Monday from shop owners in Reno, Blossom and Honey Grove,
        who want the old bridge kept. Mayor Austin Reed said Lamar County would pay half. "Nobody in
        Dallas will help us," said Paris Baker, a teacher. The Washington Post had called the bridge
        the finest in Texas.<p>Paris Post, 221 Lamar Ave, <br>Paris, TX 75460""",
    "https://www.pizzeria-oldenburg.example/impressum": """<html lang=de><title>Impressum</title>
        <h1>Impressum</h1><p><b>Pizzeria Vesuvio</b><br>Lange Str. 12<br>26122 Oldenburg
        <p>Wir liefern nach Wardenburg, Rastede, Bad Zwischenahn und Hude, montags auch nach Bremen.
        Unser Mehl kommt aus Neapel.""",
    "https://guia.example/lisboa": """<html lang=pt><title>Onde comer em Lisboa</title>
        <h1>Onde comer em Lisboa</h1><p>Do Chiado a Belém, e mais longe: Cascais, Sintra, Setúbal e
        o Porto. Para quem vem de Madrid ou de Paris.
        <p>Pizzaria Napoli, Rua Augusta 12, 1100-053 Lisboa""",
}
_STYLE = """
:root { color-scheme: light dark; --ink: light-dark(#1c2530, #e9e7e2);
  --soft: light-dark(#5f6b78, #9ba6b1); --card: light-dark(#fff, #1a2027);
  --raised: light-dark(#fff, #232b34); --rule: #8883; --radius: 12px; --shadow: 0 1px 6px #0003 }
body { margin: 0 auto; max-width: 1120px; padding: 2rem 1.2rem 4rem; font: 16px/1.55 system-ui }
svg { width: 100%; height: auto; display: block; border-radius: 12px }
article { border: 1px solid #8885; border-radius: 12px; padding: 1rem 1.3rem; margin: 1.2rem 0;
  overflow-x: auto }
h2 { font-size: 1rem; overflow-wrap: anywhere } h3 { font-size: .9rem; font-weight: 500 }
pre { white-space: pre-wrap; font: inherit } mark { border-radius: 4px; padding: 0 .15em }
table { border-collapse: collapse; width: 100%; font-size: .9rem }
td, th { text-align: left; padding: .25rem .8rem .25rem 0; border-top: 1px solid #8883 }
"""


class Reading(NamedTuple):
    """A page with everything that was found in it."""

    page: Page
    mentions: Records[Mention]
    addresses: Records[Address]


def run(output: Path) -> None:
    """Reads the pages, prints what was found, and writes it as one self-contained HTML file."""
    readings = [_read(url, html) for url, html in PAGES.items()]
    names = make_table("page", "name", "place", "country", "confidence")
    addresses = make_table("page", "organisation", "address", "normal form")
    for page, mentioned, found in readings:
        host = page.url.split("/")[2]
        for row in mentioned.to_dicts():
            confidence = f"{row['confidence']:.2f}"
            names.add_row(host, row["text"], row["name"], row["country"], confidence)
        for one in found:
            addresses.add_row(host, one.organisation, " ".join(one.text.split()), one.normal)
    for table in (names, addresses):
        make_console(130).print(table, "")
    write_text(output, _report(readings))
    print(f"Report: {output.absolute().as_uri()}")


def _read(url: str, html: str) -> Reading:
    ((_, page),) = pages_of(html, url)
    return Reading(page, mentions(page.text), extract(html, url=url))


def _report(readings: list[Reading]) -> str:
    rows = [row for reading in readings for row in reading.mentions.to_dicts()]
    points = {row["place"]: (row["lat"], row["lon"], row["name"]) for row in rows}
    times = Counter(row["place"] for row in rows)
    spots = [Spot(name, lat, lon, times[place]) for place, (lat, lon, name) in points.items()]
    world = embedded_map(svg_map(list(points.values())), spots, "mentions")
    return f"""<!doctype html><html lang="en"><meta charset="utf-8">
<meta name="viewport" content="width=device-width"><title>Toponaut: places in pages</title>
<style>{_STYLE}</style><h1>Places in pages</h1>
<p>Three pages, the place names and addresses in them, and the places they mean.</p>
{world}{"".join(map(_article, readings))}
<p>Contains place data from GeoNames (CC BY 4.0).</p></html>"""


def _article(reading: Reading) -> str:
    page, mentioned, addresses = reading
    text, end = "", 0
    for mention in mentioned:
        text += escape(page.text[end : mention.start]) + f"<mark>{escape(mention.text)}</mark>"
        end = mention.end
    return (
        f"<article><h2>{escape(page.url)}</h2><pre>{text}{escape(page.text[end:])}</pre>"
        f"<h3>Addresses</h3>{records_html(addresses, with_map=False)}"
        f"<h3>Place names</h3>{records_html(mentioned, with_map=False)}</article>"
    )
