"""Writes the recorded town of `make demo`: examples/town/sites.toml as WARC, and its seeds.

    python -m tools.town

The texts are made up, and so are names, numbers and hosts; streets and postcodes are Oldenburg's.
"""

import json
import re
import tomllib
from collections.abc import Iterator
from html import escape
from pathlib import Path
from typing import Any

from toponaut.archive import records
from toponaut.records import Response
from toponaut.seeds.seed import Seed, to_tsv

TOWN = Path("examples/town")
WARC = "town.warc.gz"
HTML, PLAIN, PDF = "text/html; charset=utf-8", "text/plain", "application/pdf"
RECORDED = 1_793_610_000.0  # 2 November 2026, 9:00 UTC
FOOTER = (("/kontakt", "Kontakt"), ("/impressum", "Impressum"), ("/datenschutz", "Datenschutz"))
MOVED = {
    "https://huntekurier.example/lokales/cafe-luettje": "https://huntekurier.example/lokales/cafe-achternstrasse"
}
_LINK = re.compile(r"\[([^\]]+)\]\(([^)]+)\)")
_DAYS = {"Montag": "Mo", "Dienstag": "Tu", "Mittwoch": "We", "Donnerstag": "Th", "Freitag": "Fr",
         "Samstag": "Sa", "Sonntag": "Su"}  # fmt: skip
_TYPES = {"restaurant": "Restaurant", "bakery": "Bakery", "hotel": "Hotel", "pharmacy": "Pharmacy"}

Site = dict[str, Any]


def sites(folder: Path = TOWN) -> list[Site]:
    found: list[Site] = tomllib.loads((folder / "sites.toml").read_text(encoding="utf-8"))["site"]
    return found


def answers(folder: Path = TOWN) -> Iterator[Response]:
    """All that the servers of the town answer, in the order of the file."""
    for site in sites(folder):
        root = f"https://{site['host']}"
        yield _answer(f"{root}/robots.txt", "User-agent: *\nDisallow: /intern/\n", PLAIN)
        for path, title, text in site["pages"]:
            yield _answer(root + path, _page(site, path, title, _html(text)))
        for (path, title), body in zip(FOOTER, _footer_pages(site), strict=True):
            yield _answer(root + path, _page(site, path, f"{title} - {site['name']}", body))
    for old, new in MOVED.items():
        yield Response(old, 301, b"", headers=(("location", new),), started=RECORDED)
    notice = "Merkblatt: Bürgerbüro Mitte, Pferdemarkt 14, 26121 Oldenburg"
    url = "https://stadtportal-oldenburg.example/formulare/merkblatt.pdf"
    yield Response(url, 200, _pdf(notice), PDF, started=RECORDED)


def seeds(folder: Path = TOWN) -> list[Seed]:
    """The sites that a map of the town would name."""
    found = []
    for number, site in enumerate((one for one in sites(folder) if "seed" in one), 1):
        lat, lon = site["seed"]
        url, id = f"https://{site['host']}/", f"osm:node/{number}"
        found.append(Seed(url, "osm", site["name"], site["category"], lat, lon, id))
    return found


def write(folder: Path = TOWN) -> None:
    info = {"software": "Toponaut, tools/town.py", "description": "a town of made-up pages"}
    with (folder / WARC).open("wb") as file:
        file.write(records.pack(records.warcinfo(info, records.date_of(RECORDED), WARC, WARC)))
        for one in answers(folder):
            answer = records.answer_record(one)
            id, request, _ = records.ids(answer.url, answer.digest)
            file.write(records.pack(b"".join(records.response(answer, id, request))))
    (folder / "seeds.tsv").write_text(to_tsv(seeds(folder)), encoding="utf-8")


def _answer(url: str, text: str, kind: str = HTML) -> Response:
    return Response(url, 200, text.encode(), kind, started=RECORDED, seconds=0.2)


def _page(site: Site, path: str, title: str, body: str) -> str:
    """A page in the site's frame: menu above, footer below."""
    entries = [(one, name) for one, name, _ in site["pages"] if one.count("/") == 1][:6]
    menu = "".join(f'<li><a href="{one}">{escape(name)}</a></li>' for one, name in entries)
    below = " | ".join(f'<a href="{one}">{name}</a>' for one, name in FOOTER)
    data = _json_ld(site) if site.get("data") == "json-ld" and path in ("/", "/kontakt") else ""
    return (
        f'<!doctype html><html lang="de"><head><meta charset="utf-8">'
        f"<title>{escape(title)}</title>{data}</head><body>"
        f"<header><b>{escape(site['name'])}</b><nav><ul>{menu}</ul></nav></header>"
        f"<main><h1>{escape(title)}</h1>{body}</main>"
        f"<footer>{below}</footer></body></html>\n"
    )


def _html(text: str) -> str:
    """Paragraphs, headings, lists and links of a text."""
    parts: list[str] = []
    for block in text.strip().split("\n\n"):
        items: list[str] = []
        for line in block.split("\n"):
            shown = _LINK.sub(r'<a href="\2">\1</a>', escape(line, quote=False))
            if shown.startswith("## "):
                parts.append(f"<h2>{shown[3:]}</h2>")
            elif shown.startswith("- "):
                items.append(f"<li>{shown[2:]}</li>")
            else:
                parts.append(f"<p>{shown}</p>")
        if items:
            parts.append(f"<ul>{''.join(items)}</ul>")
    return "".join(parts)


def _footer_pages(site: Site) -> tuple[str, str, str]:
    name, street, town = (escape(site[key]) for key in ("name", "street", "town"))
    mail = f"info@{site['host']}"
    rows = "".join(f"<tr><td>{d}</td><td>{h} Uhr</td></tr>" for d, h in site.get("hours", ()))
    hours = f"<h2>Öffnungszeiten</h2><table>{rows}</table>" if rows else ""
    reach = f'Telefon: {site["phone"]}<br>E-Mail: <a href="mailto:{mail}">{mail}</a>'
    contact = f"<p><b>{name}</b><br>{street}<br>{town}</p><p>{reach}</p>{hours}"
    if site.get("data") == "microdata":
        code, _, place = town.partition(" ")
        contact = (
            f'<div itemscope itemtype="https://schema.org/LocalBusiness"><b itemprop="name">{name}'
            f'</b><p itemprop="address" itemscope itemtype="https://schema.org/PostalAddress">'
            f'<span itemprop="streetAddress">{street}</span><br>'
            f'<span itemprop="postalCode">{code}</span> '
            f'<span itemprop="addressLocality">{place}</span></p>'
            f'<p>Telefon: <span itemprop="telephone">{site["phone"]}</span></p></div>{hours}'
        )
    imprint = (
        f"<p>Angaben gemäß § 5 DDG</p><p>{name}<br>{street}<br>{town}</p><p>{reach}</p>"
        "<p>Für die Inhalte verlinkter Seiten sind deren Betreiber verantwortlich.</p>"
    )
    privacy = (
        f"<p>{name} verarbeitet nur Daten, die zum Anzeigen dieser Seiten nötig sind. Wir setzen "
        "keine Cookies und geben nichts an andere weiter. Auskunft erhalten Sie über die Anschrift "
        'im <a href="/impressum">Impressum</a>.</p>'
    )
    return contact, imprint, privacy


def _json_ld(site: Site) -> str:
    code, _, place = site["town"].partition(" ")
    address = {
        "@type": "PostalAddress",
        "streetAddress": site["street"],
        "postalCode": code,
        "addressLocality": place,
        "addressCountry": "DE",
    }
    data = {
        "@context": "https://schema.org",
        "@type": _TYPES.get(site["category"], "LocalBusiness"),
        "name": site["name"],
        "telephone": site["phone"],
        "url": f"https://{site['host']}/",
        "address": address,
    }
    if hours := site.get("hours"):
        data["openingHours"] = [
            f"{_days(days)} {times}" for days, times in hours if "und" not in times
        ]
    text = json.dumps(data, ensure_ascii=False)
    return f'<script type="application/ld+json">{text}</script>'


def _days(text: str) -> str:
    """ "Montag bis Freitag" -> "Mo-Fr"."""
    for name, short in _DAYS.items():
        text = text.replace(name, short)
    return text.replace(" bis ", "-").replace(", ", ",").replace(" und ", ",")


def _pdf(text: str) -> bytes:
    """A PDF of one line, as small as one can be."""
    shown = b"BT /F1 12 Tf 60 760 Td (" + text.encode("cp1252") + b") Tj ET"
    objects = [
        b"<< /Type /Catalog /Pages 2 0 R >>",
        b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
        b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents 4 0 R"
        b" /Resources << /Font << /F1 5 0 R >> >> >>",
        b"<< /Length %d >>\nstream\n%s\nendstream" % (len(shown), shown),
        b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>",
    ]
    file, offsets = b"%PDF-1.4\n", []
    for number, content in enumerate(objects, 1):
        offsets.append(len(file))
        file += b"%d 0 obj\n%s\nendobj\n" % (number, content)
    table = b"".join(b"%010d 00000 n \n" % offset for offset in offsets)
    size = len(objects) + 1
    return file + (
        b"xref\n0 %d\n0000000000 65535 f \n%strailer\n<< /Size %d /Root 1 0 R >>\n"
        b"startxref\n%d\n%%%%EOF\n" % (size, table, size, len(file))
    )


if __name__ == "__main__":
    write()
