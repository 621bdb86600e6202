"""A list of places, checked against a crawl of a small web: every status, with its proof."""

import csv
import json
from pathlib import Path

import pytest
from tests.support.crawling import crawl, job, run_here
from tests.support.shops import shop
from tests.support.verifying import row_of

import toponaut
from toponaut.errors import InputError
from toponaut.job import LimitsSection
from toponaut.verify.completeness import PairedPlaces, estimates, in_words
from toponaut.verify.listed_place import ListedPlace, parse_columns, read_places
from toponaut.verify.run import VerifyReport

SPRINGFIELD = ("Springfield", "IL", "62701", "US")
PAGES = {
    "http://front.test/": "<title>Front</title>"
    + "".join(
        f'<a href="http://{host}.test/">{host}</a> '
        for host in ("joes", "books", "tours", "parked", "quiet", "bakery", "gone", "chain")
    ),
    "http://joes.test/": shop("Joe's Diner", ("123 Main Street", *SPRINGFIELD), "(217) 555-0100"),
    # It has moved: the list has another address.
    "http://books.test/": shop("Alpha Books", ("900 Elm Avenue", *SPRINGFIELD), "(217) 555-0111"),
    "http://tours.test/": "<title>Beta Tours</title><h1>Beta Tours is permanently closed</h1>"
    "<p>Thank you for twenty years.</p><address>40 Oak Street, Springfield, IL 62701</address>",
    "http://parked.test/": "<title>parked.test</title><p>This domain is for sale.</p>",
    "http://quiet.test/": "<title>Gamma Yoga</title><p>Gamma Yoga teaches every day.</p>",
    "http://bakery.test/": shop("New Bakery", ("7 Pine Street", *SPRINGFIELD), kind="Bakery"),
    "http://chain.test/": "<title>Chain</title><p>We are everywhere.</p>",
}
PLACES = """\
id,name,phone,website,address,city,postcode,lat,lon
a,Joes Diner,217-555-0100,http://joes.test/,123 Main St,Springfield,62701,,
b,Alpha Books,,http://books.test/,12 First Street,Springfield,62701,,
c,Beta Tours,,http://tours.test/,40 Oak St,Springfield,62701,,
d,Delta Cleaners,,http://parked.test/,41 Oak St,Springfield,62701,,
e,Gamma Yoga,,http://quiet.test/,5 Lake Rd,Springfield,62701,,
f,Epsilon Grill,,http://gone.test/,6 Lake Rd,Springfield,62701,,
g,Zeta Nails,,,7 Lake Rd,Springfield,62701,39.7989,-89.6443
"""


@pytest.fixture(scope="module")
def web(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("web")
    lines = []
    for number, (url, html) in enumerate(PAGES.items()):
        (folder / f"{number}.html").write_text(html, encoding="utf-8")
        lines.append(f"{url}\t{number}.html\ttext/html\t2026-03-04T05:06:07Z\n")
    (folder / "manifest.tsv").write_text("".join(lines), encoding="utf-8")
    return folder


@pytest.fixture(scope="module")
def crawled(tmp_path_factory: pytest.TempPathFactory, web: Path) -> Path:
    directory = tmp_path_factory.mktemp("crawl") / "c"
    crawl(directory, job(["http://front.test/"]), replay=web)
    return directory


@pytest.fixture(scope="module")
def places(tmp_path_factory: pytest.TempPathFactory) -> Path:
    file = tmp_path_factory.mktemp("list") / "places.csv"
    file.write_text(PLACES, encoding="utf-8")
    return file


@pytest.fixture(scope="module")
def report(crawled: Path, places: Path) -> VerifyReport:
    return toponaut.open(crawled).verify(places)


def test_every_status_has_its_reason(report: VerifyReport) -> None:
    said = {place.id: (place.status, place.reason) for place in report.places}
    assert said == {
        "a": ("alive", "name, phone, website and address agree"),
        "b": ("moved", "name and website agree, the address is another"),
        "c": ("closed", "the page says so"),
        "d": ("closed", "the domain is parked"),
        "e": ("alive", "its website names it"),
        "f": ("unknown", "its website failed once: gone"),
        "g": ("unknown", "the list gives no website, and no page names it there"),
    }
    assert report.counts() == {"alive": 2, "moved": 1, "closed": 2, "unknown": 2}


def test_a_verdict_has_a_proof(report: VerifyReport, crawled: Path) -> None:
    by_id = {place.id: place for place in report.places}
    closed, moved = by_id["c"], by_id["b"]
    assert closed.url == "http://tours.test/"
    assert "permanently closed" in closed.quote
    assert closed.date is not None
    assert closed.date.year == 2026
    assert (crawled / "archive" / closed.archive).is_file()
    assert closed.offset > 0
    assert moved.found_address == "900 Elm Avenue, Springfield"
    assert by_id["a"].confidence > 0.95 > by_id["e"].confidence > by_id["g"].confidence == 0.0


def test_places_that_the_list_lacks(report: VerifyReport) -> None:
    assert [row.organisation for row in report.missing] == ["New Bakery"]


def test_the_command(crawled: Path, places: Path, tmp_path: Path) -> None:
    verdicts, missing = tmp_path / "verdicts.csv", tmp_path / "missing.geojson"
    done = run_here("verify", places, crawled, "-o", verdicts, "--missing", missing)
    assert done.stdout.startswith("7 places: 2 alive, 1 moved, 2 closed, 2 unknown\n")
    with verdicts.open(encoding="utf-8", newline="") as lines:
        assert [row["status"] for row in csv.DictReader(lines)][:3] == ["alive", "moved", "closed"]
    assert json.loads(missing.read_text())["type"] == "FeatureCollection"
    again = run_here("verify", places, crawled, "-o", verdicts)
    assert (again.returncode, "--force" in again.stderr) == (2, True)


def test_websites_of_the_list_are_fetched(web: Path, places: Path, tmp_path: Path) -> None:
    few = LimitsSection(private_networks=True, pages=1)
    crawl(tmp_path / "c", job(["http://front.test/"], limits=few), replay=web)
    found = toponaut.open(tmp_path / "c").verify(places, pages=20, replay=web)
    assert found.counts()["unknown"] == 2
    assert found.places[0].status == "alive"


# --- lists -----------------------------------------------------------------------------------


def listed(file: Path, text: str, columns: str = "") -> list[ListedPlace]:
    file.write_text(text, encoding="utf-8")
    return list(read_places(file, parse_columns(columns), "US"))


def test_columns_of_publishers(tmp_path: Path) -> None:
    osm = {
        "type": "Feature",
        "geometry": {"type": "Point", "coordinates": [8.2, 53.1]},
        "properties": {
            "@id": "node/1", "name": "Vesuvio", "amenity": "restaurant",
            "contact:phone": "0441 555010", "addr:street": "Lange Straße",
            "addr:housenumber": "12", "addr:country": "DE",
        },
    }  # fmt: skip
    overture = {
        "type": "Feature",
        "geometry": {"type": "Point", "coordinates": [-89.6, 39.8]},
        "properties": {
            "id": "08f", "names": {"primary": "Joe's"},
            "categories": {"primary": "pizza_restaurant"},
            "phones": ["+12175550100"], "websites": ["joes.example"],
            "addresses": [{"freeform": "123 Main St", "locality": "Springfield", "country": "US"}],
        },
    }  # fmt: skip
    data = json.dumps({"type": "FeatureCollection", "features": [osm, overture]})
    first, second = listed(tmp_path / "places.geojson", data)
    assert (first.id, first.category, first.phone) == ("node/1", "restaurant", "+49441555010")
    assert (first.number, first.street, first.lat) == ("12", "Lange Straße", 53.1)
    assert (second.name, second.category) == ("Joe's", "restaurant")
    assert (second.number, second.street, second.city) == ("123", "Main St", "Springfield")
    assert second.website == "https://joes.example/"


def test_columns_with_other_names(tmp_path: Path) -> None:
    text = "Titel,Ort,Straße\nVesuvio,Oldenburg,Lange Str. 12 a\n"
    (place,) = listed(tmp_path / "p.csv", text, "name=Titel,city=Ort,street=Straße")
    assert (place.name, place.city, place.number, place.street) == (
        "Vesuvio", "Oldenburg", "12 a", "Lange Str.",
    )  # fmt: skip


@pytest.mark.parametrize(
    ("name", "text", "columns", "cause"),
    [
        ("p.csv", "name,note\nVesuvio,nice\n", "", "no place with a name and a position"),
        ("p.csv", "", "", "no place with a name and a position"),
        ("p.csv", "name,city\nVesuvio,Oldenburg\n", "name=Titel", 'no column "Titel" for name'),
        ("p.csv", "name,city\nVesuvio,Oldenburg\n", "colour=red", '--columns has "colour=red"'),
        ("p.txt", "Vesuvio", "", "unknown kind of file"),
        ("p.geojson", "{", "", "is damaged"),
    ],
)
def test_bad_lists(tmp_path: Path, name: str, text: str, columns: str, cause: str) -> None:
    with pytest.raises(InputError, match=cause):
        listed(tmp_path / name, text, columns)


# --- completeness ----------------------------------------------------------------------------


def test_capture_and_recapture() -> None:
    """By hand: 20 of the crawl, 15 of the list, 9 in both: 21 * 16 / 10 - 1 = 32.6."""
    rows = [row_of(id=f"{number:016x}", category="cafe") for number in range(1000, 1020)]
    places = [ListedPlace(number, category="cafe") for number in range(1, 16)]
    same = {number: f"{999 + number:016x}" for number in range(1, 10)}
    whole, cafes = estimates(PairedPlaces(rows, places, same))
    assert (whole.first_found, whole.second_found, whole.both_found) == (20, 15, 9)
    assert whole.total == pytest.approx(32.6)
    assert cafes.what == "cafe"
    assert in_words(cafes).startswith("cafe: about 33 (")
    assert in_words(cafes).endswith("of which the crawl has 61%")
