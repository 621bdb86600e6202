"""Lists in the columns of their publishers are read the same, and scored by hand."""

from pathlib import Path
from random import Random

import pytest
from bench.verify import PUBLISHERS, ListedRow, made_list, score, write_list
from msgspec.structs import replace
from tests.support.verifying import row_of

from toponaut.verify.listed_place import parse_columns, read_places
from toponaut.verify.verdict import VerifiedPlace

JOE = row_of(
    id="a" * 16, organisation="Joe's Diner", number="123", street="Main Street",
    city="Springfield", postcode="62701", country="us", phone="+12175550100",
    website="https://joes.example/", lat="39.8", lon="-89.65",
)  # fmt: skip


@pytest.mark.parametrize("publisher", PUBLISHERS)
def test_columns_of_all_publishers(publisher: str, tmp_path: Path) -> None:
    _, kind, columns = PUBLISHERS[publisher]
    write_list(tmp_path / f"places.{kind}", [ListedRow(JOE, "alive", JOE.id)], publisher)
    (place,) = read_places(tmp_path / f"places.{kind}", parse_columns(columns), "US")
    assert JOE.id in place.id
    assert (place.name, place.number, place.street) == ("Joe's Diner", "123", "Main Street")
    assert (place.city, place.postcode, place.country) == ("Springfield", "62701", "US")
    assert (place.phone, place.website) == (JOE.phone, JOE.website)
    assert (place.lat, place.lon) == (39.8, -89.65)


def test_a_made_list_has_half_of_the_places() -> None:
    rows = [replace(JOE, id=f"{number:016x}", confidence=1.0) for number in range(400)]
    listed = list(made_list(rows, Random(1)))
    assert 150 < len(listed) < 250
    assert {one.status for one in listed} == {"alive", "moved"}  # all have one name
    assert all(one.row.street == "Nowhere Lane" for one in listed if one.status == "moved")


def test_scores_by_hand() -> None:
    """Alive and found; alive, but taken for another; never there, and left out."""
    listed = [
        ListedRow(JOE, "alive", "a"),
        ListedRow(JOE, "alive", "b"),
        ListedRow(JOE, "unknown", ""),
    ]

    def verdict(row: int, status: str, found: str) -> VerifiedPlace:
        return VerifiedPlace(
            row, "", "", status, 1.0, "", "", None, "", "", 0, found, "", "", None, None, None
        )

    found = score(listed, [verdict(1, "alive", "a"), verdict(2, "alive", "c")])
    assert (found.places, found.right, found.wrong_place) == (3, 2, 1)
    assert found.mistakes == {("unknown", "left out"): 1}
