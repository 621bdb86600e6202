"""A hand-made web of towns that share their names, for the tests of the index."""

from collections.abc import Iterable
from html import escape
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace
from tests.support.crawling import crawl, job

from toponaut.crawl.directory import LOG
from toponaut.job import TargetsSection, render
from toponaut.log import LogWriter
from toponaut.records import Address, Outcome, Precision, Visit

TARGETS = TargetsSection(places=("Portugal", "Germany", "Greece", "United States"))


class TownPage(Struct, frozen=True):
    """A page that may have an address and coordinates in its markup."""

    path: str
    title: str
    text: str
    address: tuple[str, str, str, str, str] | None = None  # street, postcode, city, region, country
    name: str = ""
    spot: tuple[float, float] | None = None
    language: str = "en"

    @property
    def url(self) -> str:
        return f"http://towns.test{self.path}"

    def html(self) -> str:
        data = ""
        if self.address:
            street, postcode, city, region, country = self.address
            geo = (
                f',"geo":{{"@type":"GeoCoordinates","latitude":{self.spot[0]},"longitude":{self.spot[1]}}}'
                if self.spot
                else ""
            )
            data = (
                f'<script type="application/ld+json">{{"@context":"https://schema.org","@type":"LocalBusiness","name":"{self.name}",'
                f'"address":{{"@type":"PostalAddress","streetAddress":"{street}","postalCode":"{postcode}",'
                f'"addressLocality":"{city}","addressRegion":"{region}","addressCountry":"{country}"}}{geo}}}</script>'
            )
        return (
            f'<html lang="{self.language}"><head><title>{escape(self.title)}</title>{data}</head>'
            f"<body><h1>{escape(self.title)}</h1><p>{escape(self.text)}</p></body></html>"
        )


PAGES = (
    TownPage(
        "/pt/forno", "Forno d'Ouro",
        "Pizza from a wood oven in Lisbon, Portugal. Our pizza is baked all day in the Baixa.",
        ("Rua Augusta 100", "1100-053", "Lisboa", "Lisboa", "PT"), "Forno d'Ouro",
        (38.7107, -9.1372),
    ),
    TownPage("/pt/guide", "Where to eat in Lisbon",
        "Lisbon, Portugal has many pizza places, fish restaurants and bars. Lisbon never sleeps."),
    TownPage(
        "/pt/porto", "Pizzaria do Porto", "Pizza in Porto, Portugal, by the river Douro.",
        ("Rua das Flores 20", "4050-262", "Porto", "Porto", "PT"), "Pizzaria do Porto",
        (41.1427, -8.6146),
    ),
    TownPage(
        "/oh/lisbon", "Lisbon Pizza Shop",
        "Pizza, subs and wings in Lisbon, Ohio. Call us for pizza.",
        ("120 Market Street", "44432", "Lisbon", "OH", "US"), "Lisbon Pizza Shop",
    ),
    *(
        TownPage(
            f"/ga/school{k}", f"Athens school number {k}",
            f"Public schools in Athens, Georgia. Public school {k} of the Clarke County district.",
            (f"{100 + 7 * k} Prince Avenue", "30601", "Athens", "GA", "US"), f"Athens School {k}",
        )
        for k in range(3)
    ),
    TownPage("/gr/athens", "Athens in three days",
        "Athens, Greece: the Acropolis, museums and hotels. Athens, Greece is old."),
    TownPage(
        "/de/pizzeria", "Pizzeria Roma",
        "Pizzeria in Oldenburg: Pizza und Pasta in der Langen Straße.",
        ("Lange Straße 5", "26122", "Oldenburg", "Niedersachsen", "DE"), "Pizzeria Roma",
        (53.1402, 8.2137), "de",
    ),
    TownPage(
        "/de/museum", "Landesmuseum", "Das Landesmuseum in Oldenburg zeigt Kunst im Schloss.",
        ("Damm 1", "26135", "Oldenburg", "Niedersachsen", "DE"), "Landesmuseum", (53.1376, 8.2170),
        "de",
    ),
    TownPage(
        "/de/bremen", "Pizzeria Bremen", "Pizzeria in Bremen am Markt.",
        ("Am Markt 1", "28195", "Bremen", "Bremen", "DE"), "Pizzeria Bremen", (53.0758, 8.8072),
        "de",
    ),
    TownPage(
        "/tx/plumber", "Bayou Plumbers",
        "Plumbers in Houston, Texas. A plumber for pipes and drains.",
        ("200 Milam Street", "77002", "Houston", "TX", "US"), "Bayou Plumbers", (29.7625, -95.3635),
    ),
    TownPage(
        "/tx/katy", "Katy Plumbers", "Plumbers in Katy, Texas. Pipes and drains in the west.",
        ("5000 Mason Road", "77450", "Katy", "TX", "US"), "Katy Plumbers", (29.7350, -95.7510),
    ),
    TownPage(
        "/tx/tower", "Milam Tower", "Offices in Houston, Texas.",
        ("100 Milam Street", "77002", "Houston", "TX", "US"), "Milam Tower", (29.7633, -95.3628),
    ),
    TownPage(
        "/tx/glasses", "Reading glasses and mobile phone repair",
        "Reading glasses and mobile phone repair in Houston, Texas. A nice hotel next door.",
        ("1 Main Street", "77002", "Houston", "TX", "US"), "Specs",
    ),
    TownPage("/words", "How to read",
        "Reading for pleasure, in any town, with or without reading glasses. Nice words on mobile "
        "phones."),
)  # fmt: skip


def write_web(folder: Path, pages: Iterable[TownPage]) -> Path:
    """The pages as a folder to replay, with a noindex front page that links to all."""
    folder.mkdir(parents=True, exist_ok=True)
    pages = list(pages)
    links = "".join(f'<a href="{page.path}">page</a> ' for page in pages)
    head = '<meta name="robots" content="noindex"><title>Front</title>'
    front = f"<html><head>{head}</head><body>{links}</body></html>"
    (folder / "front.html").write_text(front, encoding="utf-8")
    lines = ["http://towns.test/\tfront.html"]
    for number, page in enumerate(pages):
        (folder / f"{number}.html").write_text(page.html(), encoding="utf-8")
        lines.append(f"{page.url}\t{number}.html\ttext/html\t2025-03-04T05:06:07Z")
    (folder / "manifest.tsv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    return folder


def crawl_towns(root: Path, pages: Iterable[TownPage] = PAGES) -> Path:
    """A crawl of the pages."""
    web = write_web(root / "web", pages)
    crawl(root / "crawl", replace(job(["http://towns.test/"]), targets=TARGETS), replay=web)
    return root / "crawl"


# --- hand-made visits -----------------------------------------------------------------------------


def address(place: int, normal: str) -> Address:
    return Address(
        "", -1, -1, street="Rua", city="x", country="PT", normal=normal, place=place, confidence=0.9
    )


def spotted(lat: float, lon: float, normal: str) -> Address:
    """An address with coordinates."""
    return Address(
        "", -1, -1, normal=normal, lat=lat, lon=lon, precision=Precision.GIVEN, confidence=0.9
    )


def visit(
    sequence: int,
    url: str,
    text: str,
    outcome: Outcome = Outcome.FETCHED,
    title: str = "A page",
    addresses: tuple[Address, ...] = (),
    scope: tuple[tuple[int, float], ...] = (),
    simhash: int = 0,
) -> Visit:
    return Visit(
        sequence, LOG, url, 200, outcome, time=1.8e9 + sequence, title=title, text=text,
        addresses=addresses, scope=scope,
        simhash=simhash,
    )  # fmt: skip


def written(root: Path, log: list[Visit]) -> Path:
    """A crawl directory with this log."""
    root.mkdir(exist_ok=True)
    (root / "job.toml").write_text(render(job(["http://a.test/"])), encoding="utf-8")
    with LogWriter(root / "log", LOG) as writer:
        for one in log:
            writer.append(one)
    return root
