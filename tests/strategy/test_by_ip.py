"""The collaboration `ip`: real MMDB files of several layouts, from address to owner, and the
command that checks them."""

import json
from pathlib import Path
from typing import Any

import pytest
from mmdb_writer import MMDBWriter
from netaddr import IPSet
from tests.support.crawling import run_here

from toponaut.crawl.strategies import setting_of
from toponaut.errors import InputError
from toponaut.job import CollaborationSection, Job, NodesSection, TargetsSection, TerritorySection
from toponaut.places.gazetteer import Gazetteer
from toponaut.places.gazetteer.ip_database import (
    IpRecord,
    locate_record,
    open_ip_places,
    read_record,
)
from toponaut.records import JudgedPage, Link, Page
from toponaut.strategy.collaboration import Collaboration
from toponaut.strategy.registry import collaboration_of
from toponaut.urls import fingerprint

SEATTLE, LISBON, OLDENBURG, SPRINGFIELD_IL, SPRINGFIELD_MO = (
    5809844,
    2267057,
    2857458,
    4250542,
    4409896,
)


def nested(
    city: str, country: str, state: str, lat: float, lon: float, geoname: int = 0
) -> dict[str, Any]:
    """As GeoLite2 City writes it; without ids as DB-IP City Lite does."""
    named: dict[str, Any] = {"names": {"de": f"{city} auf Deutsch", "en": city}} if city else {}
    record: dict[str, Any] = {
        "country": {"iso_code": country, "names": {"en": "the country"}},
        "location": {"latitude": lat, "longitude": lon, "accuracy_radius": 20},
        "subdivisions": [{"iso_code": state, "names": {"en": "the state"}}],
    }
    return record | ({"city": named | ({"geoname_id": geoname} if geoname else {})} if city else {})


GEOLITE = {
    "203.0.113.0/24": nested("Seattle", "US", "WA", 47.61, -122.33, SEATTLE),
    "198.51.100.0/25": nested("Lissabon", "PT", "11", 38.72, -9.13, LISBON),
    "198.51.100.128/25": nested("", "PT", "", 39.5, -8.0),  # the middle of Portugal
    "2001:db8:1::/48": nested("Oldenburg", "DE", "NI", 53.14, 8.21, OLDENBURG),
}
FLAT = {  # as IPinfo writes it
    "203.0.113.0/24": {
        "city": "Seattle",
        "region": "Washington",
        "country": "US",
        "lat": "47.6062",
        "lng": "-122.33",
    },
    "198.51.100.0/24": {
        "city": "Lisbon",
        "region": "Lisbon",
        "country": "PT",
        "loc": "38.7167,-9.1333",
    },
    "192.0.2.0/24": {
        "city": "-",
        "region": "-",
        "country": "-",
        "lat": "0.000000",
        "lng": "0.000000",
    },
}
COUNTRIES = {
    "203.0.113.0/24": {"country": {"iso_code": "US"}, "registered_country": {"iso_code": "US"}}
}
NETWORKS = {
    "203.0.113.0/24": {
        "autonomous_system_number": 64500,
        "autonomous_system_organization": "Example",
    }
}


def database(path: Path, records: dict[str, Any], kind: str = "Test-City") -> str:
    writer = MMDBWriter(ip_version=6, database_type=kind, ipv4_compatible=True, languages=["en"])
    for network, record in records.items():
        writer.insert_network(IPSet([network]), record)
    writer.to_db_file(str(path))
    return str(path)


@pytest.fixture(scope="module")
def geolite(tmp_path_factory: pytest.TempPathFactory) -> str:
    return database(tmp_path_factory.mktemp("mmdb") / "city.mmdb", GEOLITE, "GeoLite2-City")


# --- records -> places ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("record", "said"),
    [
        (
            GEOLITE["203.0.113.0/24"],
            IpRecord("Seattle", "WA", "US", SEATTLE, (47.61, -122.33)),
        ),
        (FLAT["203.0.113.0/24"], IpRecord("Seattle", "Washington", "US", 0, (47.6062, -122.33))),
        (FLAT["198.51.100.0/24"], IpRecord("Lisbon", "Lisbon", "PT", 0, (38.7167, -9.1333))),
        (FLAT["192.0.2.0/24"], IpRecord()),  # "-" and 0, 0 are how it says nothing
        (  # as the flat files made from GeoLite2 write it
            {
                "city": "Porto",
                "country_code": "PT",
                "state1": "Porto",
                "latitude": 41.15,
                "longitude": -8.61,
            },
            IpRecord("Porto", "Porto", "PT", 0, (41.15, -8.61)),
        ),
        (
            {"city": "Lisbon", "country": "Portugal", "geoname_id": "2267057"},
            IpRecord("Lisbon", "", "Portugal", LISBON),
        ),
        (COUNTRIES["203.0.113.0/24"], IpRecord(country="US")),
        (NETWORKS["203.0.113.0/24"], IpRecord()),
        (
            {"city": {"names": {"pt-BR": "Lisboa"}}, "location": {"latitude": "north"}},
            IpRecord("Lisboa"),
        ),
        ({"city": 7, "subdivisions": ["x"], "location": None, "geoname_id": True}, IpRecord()),
        ({"city": "Nowhere", "latitude": 91.0, "longitude": 0.5}, IpRecord("Nowhere")),
        (None, IpRecord()),
        ("a text", IpRecord()),
    ],
)
def test_records_are_read_whoever_wrote_them(record: object, said: IpRecord) -> None:
    assert read_record(record) == said


@pytest.mark.parametrize(
    ("said", "place"),
    [
        (IpRecord("Whatever", "", "", SEATTLE), SEATTLE),  # the id is enough
        (
            IpRecord("Seattle", "WA", "US", 999_999_999_999),
            SEATTLE,
        ),  # an id that the gazetteer lacks
        (
            IpRecord("", "", "US", 6252001, (39.8, -98.6)),
            0,
        ),  # the id of a country, the middle of Kansas
        (IpRecord("Lisbon", "", "Portugal"), LISBON),  # the country's name does as well
        (IpRecord("Springfield", "MO", "US"), SPRINGFIELD_MO),
        (IpRecord("Springfield", "Illinois", "US"), SPRINGFIELD_IL),
        (
            IpRecord("Springfield", "", "US", 0, (39.8, -89.65)),
            SPRINGFIELD_IL,
        ),  # found by its coordinates
        (
            IpRecord("Springfield", "MO", "US", 0, (39.8, -89.65)),
            SPRINGFIELD_IL,
        ),  # which count for more
        (IpRecord("Springfield", "Alaska", "US"), 0),  # there is none
        (IpRecord("Springfield"), 0),  # and of this there are too many
        (IpRecord("Oldenburg (Osternburg)", "", "DE"), OLDENBURG),  # DB-IP adds the quarter
        (
            IpRecord("Oldenburg", "", "US", 0, (53.14, 8.21)),
            OLDENBURG,
        ),  # there is one, but not there: the nearest to the point
        (IpRecord("Kleinkleckersdorf", "", "DE", 0, (53.14, 8.21)), OLDENBURG),
        (IpRecord("Atlantis", "", "PT", 0, (38.0, -30.9)), 0),  # 240 km from the next island
        (IpRecord("Kleinkleckersdorf", "", "DE"), 0),
        (IpRecord("", "WA", "US", 0, (47.61, -122.33)), 0),  # it does not say that this is a city
        (IpRecord(), 0),
    ],
)
def test_a_record_is_a_city_of_the_gazetteer_or_none(
    gazetteer: Gazetteer, said: IpRecord, place: int
) -> None:
    assert locate_record(gazetteer, said) == place


# --- addresses -> places --------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("address", "place"),
    [
        ("203.0.113.7", SEATTLE),
        ("198.51.100.9", LISBON),
        ("198.51.100.200", 0),  # a country and no city
        ("2001:db8:1::5", OLDENBURG),
        ("2001:db8:2::5", 0),
        ("10.0.0.1", 0),
        ("192.168.1.1", 0),
        ("::1", 0),
        ("fe80::1%eth0", 0),
        ("not an address", 0),
        ("", 0),
    ],
)
def test_addresses_have_places(
    gazetteer: Gazetteer, geolite: str, address: str, place: int
) -> None:
    locate = open_ip_places(gazetteer, geolite)
    assert [locate(address), locate(address)] == [
        place,
        place,
    ]  # the second answer is a remembered one


def test_flat_databases_and_those_of_ipv4_alone_will_do(
    gazetteer: Gazetteer, tmp_path: Path
) -> None:
    locate = open_ip_places(gazetteer, database(tmp_path / "flat.mmdb", FLAT))
    assert [locate(f"{net}.1") for net in ("203.0.113", "198.51.100", "192.0.2")] == [
        SEATTLE,
        LISBON,
        0,
    ]
    writer = MMDBWriter(ip_version=4, database_type="City")
    writer.insert_network(IPSet(["203.0.113.0/24"]), FLAT["203.0.113.0/24"])
    writer.to_db_file(str(tmp_path / "old.mmdb"))
    locate = open_ip_places(gazetteer, str(tmp_path / "old.mmdb"))
    assert [locate("203.0.113.9"), locate("2001:db8::1")] == [SEATTLE, 0]


# --- places -> owners -----------------------------------------------------------------------------


def by_ip(path: str, general: int = 2) -> Collaboration:
    territories = (
        TerritorySection(name="west", targets=("Seattle, WA",)),
        TerritorySection(name="iberia", targets=("Portugal",)),
    )
    return collaboration_of(
        setting_of(
            Job(
                partition="written",
                targets=TargetsSection(),
                nodes=NodesSection(territories=territories, general=general),
                collaboration=CollaborationSection(strategy="ip", mmdb=path),
            )
        )
    )


LINKS = [Link(f"http://a.test/{number}", "http://a.test/") for number in range(40)]


@pytest.mark.parametrize(
    ("ip", "owner", "why"),
    [
        ("203.0.113.7", "west", "the page's server 203.0.113.7 is in Seattle (pop. 780,995)"),
        (
            "198.51.100.1",
            "iberia",
            "the page's server 198.51.100.1 is in Lisbon (pop. 517,802), which is in Portugal",
        ),
    ],
)
def test_all_links_go_to_the_node_of_the_pages_server(
    geolite: str, ip: str, owner: str, why: str
) -> None:
    answers = by_ip(geolite).assign(JudgedPage(Page("http://a.test/"), ip=ip), LINKS)
    assert {answer.owners for answer in answers} == {(owner,)}
    assert len(answers) == len(LINKS)
    assert answers[0].why == why


@pytest.mark.parametrize(
    ("ip", "why"),
    [
        (
            "2001:db8:1::5",
            "the page's server 2001:db8:1::5 is in Oldenburg (pop. 159,218), which is in no target",
        ),
        ("192.0.2.1", "the city of the page's server 192.0.2.1 is unknown"),
        ("", "the IP address of the page's server is unknown"),
    ],
)
def test_other_servers_leave_their_links_to_the_general_nodes_by_hash(
    geolite: str, ip: str, why: str
) -> None:
    answers = by_ip(geolite).assign(JudgedPage(Page("http://a.test/"), ip=ip), LINKS)
    expected = [(f"general{fingerprint(link.url) % 2 + 1}",) for link in LINKS]
    assert [answer.owners for answer in answers] == expected
    assert {answer.why for answer in answers} == {why}


# --- invalid databases ---------------------------------------------------------------------------


def test_a_job_without_a_database_says_where_to_get_one() -> None:
    with pytest.raises(
        InputError, match=r"needs an IP-to-city database\. .*collaboration\.mmdb.*toponaut data ip"
    ):
        by_ip("")


def test_a_missing_database_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(
        InputError, match=r"gone\.mmdb cannot be read \(No such file.*toponaut data ip"
    ):
        by_ip(str(tmp_path / "gone.mmdb"))


@pytest.mark.parametrize(
    "content", [b"", b"\x00" * 4096, b"<html>please log in</html>", b"\xab\xcd\xefMaxMind.com"]
)
def test_what_is_no_mmdb_is_an_error(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "x.mmdb").write_bytes(content)
    with pytest.raises(InputError, match=r"x\.mmdb is not an MMDB file"):
        by_ip(str(tmp_path / "x.mmdb"))


@pytest.mark.parametrize(
    ("records", "kind"), [(COUNTRIES, "GeoLite2-Country"), (NETWORKS, "GeoLite2-ASN")]
)
def test_a_database_without_cities_is_an_error(
    tmp_path: Path, records: dict[str, Any], kind: str
) -> None:
    with pytest.raises(
        InputError, match=rf'has no cities \(it is a "{kind}"\)\. Give a database of cities'
    ):
        by_ip(database(tmp_path / "x.mmdb", records, kind))


# --- the command ----------------------------------------------------------------------------------


def test_the_command_tells_where_databases_are() -> None:
    output = run_here("data", "ip").stdout
    assert "GeoLite2 City" in output
    assert 'mmdb = "' in output
    listed = [json.loads(line) for line in run_here("data", "ip", "--json").stdout.splitlines()]
    assert {"name", "address", "licence", "notes"} == set(listed[0])


def test_the_command_checks_a_database(geolite: str) -> None:
    done = run_here("data", "ip", geolite, "--look-up", "203.0.113.7", "--look-up", "10.0.0.1")
    assert "GeoLite2-City, built 20" in done.stdout
    assert (
        "of its first 4 networks have 75% a city, 100% coordinates, 75% a GeoNames id"
        in done.stdout
    )
    assert "Seattle, WA, US (pop. 780,995)" in done.stdout
    done = run_here(
        "data", "ip", geolite, "--json", "--look-up", "203.0.113.7", "--look-up", "10.0.0.1"
    )
    about, seattle, private = (json.loads(line) for line in done.stdout.splitlines())
    assert (about["type"], about["protocols"], about["sample"]) == (
        "GeoLite2-City",
        "IPv4 and IPv6",
        4,
    )
    assert about["has"]["a city of the gazetteer"] == 0.75
    assert (seattle["record"]["city"], seattle["place"]["id"]) == ("Seattle", SEATTLE)
    assert private["place"] is None


@pytest.mark.parametrize(
    ("arguments", "cause"),
    [
        (("--look-up", "8.8.8.8"), "no database to look addresses up in"),
        (("gone.mmdb",), "gone.mmdb cannot be read"),
        (("gone.mmdb", "--look-up", "seattle"), '"seattle" is not an IP address'),
    ],
)
def test_the_command_says_what_is_wrong(arguments: tuple[str, ...], cause: str) -> None:
    done = run_here("data", "ip", *arguments)
    assert done.returncode == 2
    assert done.stderr.startswith(f"toponaut: {cause}")
    assert done.stderr.count("\n") == 1
