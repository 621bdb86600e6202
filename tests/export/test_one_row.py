"""One organisation at one address is one exported row, however pages write both."""

from pathlib import Path

import pytest
from tests.support.towns import written

from toponaut.export import addresses
from toponaut.export.one_row import same_name
from toponaut.export.selection import CrawlLogs, ExportFilter, Selection
from toponaut.places.addresses.normal import normal_form
from toponaut.places.gazetteer import Gazetteer
from toponaut.records import Address, Outcome, Precision, Visit

SITE = "http://guide.test"


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Spirit", "Spirit Pizza"),
        ("The Lamp House, LLC", "Lamp House"),
        ("Café Müller", "CAFE MULLER"),
        ("Beacon Lamps Troy", "Beacon Lamps"),
        ("Candle Conrer", "Candle Corner"),
        ("Fox & Son Lamps", "Fox and Son Lamps"),
        ("LampWorks", "Lamp Works"),
    ],
)
def test_names_of_one_organisation(one: str, other: str) -> None:
    assert same_name(one, other, "Troy")
    assert same_name(other, one, "Troy")


def test_names_of_two_organisations() -> None:
    assert not same_name("Oak Lamps", "Elm Lamps")
    assert not same_name("Alpha Books", "Beta Tours")


def at(
    name: str,
    unit: str = "",
    city: str = "Troy",
    code: str = "12180",
    phone: str = "",
    evidence: str = "text",
    lat: float = 42.73,
    street: str = "Oak St",
) -> Address:
    return Address(
        "", -1, -1, number="8", street=street, unit=unit, city=city, state="NY", postcode=code,
        country="US", normal=normal_form("8", street, unit, city, "NY", code, "US"),
        organisation=name, phone=phone, lat=lat, lon=-73.69, precision=Precision.CITY,
        evidence=(evidence,), confidence=0.9,
    )  # fmt: skip


def names(root: Path, gazetteer: Gazetteer, *seen: Address, site: str = SITE) -> list[str]:
    visits = [
        Visit(k, "n", f"{site}/{k}", 200, Outcome.FETCHED, time=float(k), addresses=(address,))
        for k, address in enumerate(seen)
    ]
    logs = CrawlLogs([written(root / f"crawl{len(list(root.iterdir()))}", visits)])
    selection = Selection(ExportFilter(), gazetteer, [])
    found = addresses.rows(logs.visits(addresses.FIELDS, lambda *_: None), selection)
    return [f"{row.organisation} {row.unit}".strip() for row in found]


def test_spellings_of_name_unit_and_area_are_one_row(tmp_path: Path, gazetteer: Gazetteer) -> None:
    seen = [at("Spirit Pizza"), at("Spirit Pizza"), at("Spirit"), at("", code="")]
    assert names(tmp_path, gazetteer, *seen) == ["Spirit Pizza"]
    assert len(names(tmp_path, gazetteer, at("Spirit", unit="Suite 4"), at("Spirit"))) == 1
    near = [at("Spirit"), at("Spirit", city="Watervliet", code="")]
    assert names(tmp_path, gazetteer, *near) == ["Spirit"]


def test_one_phone_is_one_organisation(tmp_path: Path, gazetteer: Gazetteer) -> None:
    phone = "+15185550100"
    seen = [at("Troy Zoo", phone=phone, evidence="json-ld"), at("Animals", phone=phone)]
    assert names(tmp_path, gazetteer, *seen) == ["Troy Zoo"]


def test_two_organisations_stay_two(tmp_path: Path, gazetteer: Gazetteer) -> None:
    seen = [at("Alpha Books"), at("Beta Tours"), at("")]
    assert names(tmp_path, gazetteer, *seen) == ["Alpha Books", "Beta Tours"]
    assert len(names(tmp_path, gazetteer, at("Alpha", unit="1"), at("Beta", unit="2"))) == 2
    far = [at("Alpha Books"), at("Alpha Books", city="Buffalo", code="14201", lat=40.0)]
    assert names(tmp_path, gazetteer, *far) == ["Alpha Books", "Alpha Books"]


def test_one_page_against_many_of_its_site_is_a_misreading(
    tmp_path: Path, gazetteer: Gazetteer
) -> None:
    assert names(tmp_path, gazetteer, *[at("Oak Lamps")] * 3, at("Lamp News")) == ["Oak Lamps"]
    assert len(names(tmp_path, gazetteer, at("Oak Lamps"), at("Lamp News"))) == 2


def test_a_direction_before_or_after_the_street_is_the_same(
    tmp_path: Path, gazetteer: Gazetteer
) -> None:
    north, south = "NE 42nd Street", "42nd St NE"
    lamps = at("Beacon Lamps", street=north), at("Beacon Lamps", street=south)
    assert names(tmp_path, gazetteer, *lamps) == ["Beacon Lamps"]
    others = at("Beacon Lamps", street=north), at("Alpha Books", street=south)
    assert sorted(names(tmp_path, gazetteer, *others)) == ["Alpha Books", "Beacon Lamps"]
