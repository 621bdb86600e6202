"""Seeds as evidence for the owner of an address on their site."""

from pathlib import Path

import pytest

from toponaut.export.address_fold import AddressSighting
from toponaut.records import Precision
from toponaut.seeds.known import KnownSeeds, keep_seeds
from toponaut.seeds.seed import Seed

CAFE = Seed("https://cafe.example/", "osm", "Café am Schloss", "cafe", 53.138, 8.217, "osm:node/4")
PORTAL = "https://town.example/"
LISTED = [
    Seed(f"{PORTAL}roma", "osm", "Pizzeria Roma", "restaurant", 53.1400, 8.2140, "osm:node/5"),
    Seed(f"{PORTAL}kino", "osm", "Kino Lichtblick", "cinema", 53.1437, 8.2222, "osm:node/6"),
]
HOUSE, POSTCODE = (Precision.GIVEN, 0.05), (Precision.POSTCODE, 4.0)


@pytest.fixture
def known(tmp_path: Path) -> KnownSeeds:
    keep_seeds(tmp_path, [CAFE, *LISTED])
    return KnownSeeds([tmp_path])


def seen(
    url: str,
    name: str,
    at: tuple[Precision, float] = POSTCODE,
    evidence: tuple[str, ...] = ("text",),
    lat: float = 53.1381,
) -> AddressSighting:
    return AddressSighting(
        "", -1, -1, url=url, time=0.0, relevant=True, organisation=name, city="Oldenburg",
        lat=lat, lon=8.2170, precision=at[0], radius_km=at[1], evidence=evidence,
    )  # fmt: skip


IMPRINT = "https://cafe.example/impressum"
DATA = ("json-ld", "text")


@pytest.mark.parametrize(
    ("address", "owner", "is_evidence"),
    [
        (seen(IMPRINT, ""), "Café am Schloss", True),
        (seen(IMPRINT, "Impressum - Café am Schloss"), "Café am Schloss", True),
        (seen(IMPRINT, "Café am Schloss GmbH", evidence=DATA), "Café am Schloss GmbH", True),
        # Somebody else's address, or that of somebody else in the same street.
        (seen(IMPRINT, "Web Design Meier"), "Web Design Meier", False),
        # Only the text names another owner of the seed's own house.
        (seen(IMPRINT, "Torten und Frühstück", HOUSE), "Café am Schloss", True),
        (seen(IMPRINT, "Museum im Schloss", HOUSE, DATA), "Museum im Schloss", False),
        # Another branch, in a town 20 km away.
        (seen(IMPRINT, "", lat=53.3380), "", False),
        # A site with several seeds does not say which.
        (seen(PORTAL, ""), "", False),
        (seen(PORTAL, "Roma: Pizzeria"), "Pizzeria Roma", True),
        (seen("https://other.example/", "Café am Schloss"), "Café am Schloss", False),
    ],
)
def test_owners_by_seeds(
    address: AddressSighting, owner: str, is_evidence: bool, known: KnownSeeds
) -> None:
    found = known.with_owner(address)
    assert found.organisation == owner
    assert ("seed" in found.evidence) is is_evidence


def test_a_crawl_without_seeds_of_sources(tmp_path: Path) -> None:
    address = seen(IMPRINT, "")
    assert KnownSeeds([tmp_path]).with_owner(address) is address
