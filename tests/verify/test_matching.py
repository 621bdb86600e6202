"""The one scored function, on labelled pairs of real-shaped variations."""

import csv
from collections import Counter
from pathlib import Path

import pytest
from bench.verify_cases import MadeTown, judge
from tests.support.verifying import listed_place, row_of

from toponaut.verify.matching import match_score

PAIRS = Path(__file__).with_name("pairs.tsv")


def labelled() -> list[tuple[bool, bool, str]]:
    """Each pair: whether it is one place, whether the score says so, and both names."""
    found = []
    with PAIRS.open(encoding="utf-8", newline="") as lines:
        for pair in csv.DictReader(lines, delimiter="\t"):
            sides = {"listed": {}, "found": {}}  # type: dict[str, dict[str, str]]
            for column, value in pair.items():
                side, _, part = column.partition("_")
                if side in sides:
                    sides[side][part] = value
            listed, row = listed_place(**sides["listed"]), row_of(**sides["found"])
            names = f"{listed.name} / {row.organisation}"
            found.append((pair["same"] == "1", match_score(listed, row).is_there, names))
    return found


def test_labelled_pairs() -> None:
    said = labelled()
    wrong = [names for is_same, is_said, names in said if is_same != is_said]
    right = sum(is_same and is_said for is_same, is_said, _ in said)
    precision = right / sum(is_said for _, is_said, _ in said)
    recall = right / sum(is_same for is_same, _, _ in said)
    assert (precision >= 0.95, recall >= 0.9) == (True, True), wrong


def test_the_odds_add_up() -> None:
    """Worked by hand: -3 + 3.5 (equal name) + 4.5 (phone) + 3 (house) + 0.7 (postcode) = 8.7."""
    here = {"number": "12", "street": "Lange Str.", "city": "Oldenburg", "postcode": "26122"}
    score = match_score(
        listed_place(name="Vesuvio", phone="+49441555010", **here),
        row_of(organisation="Vesuvio GmbH", phone="+49441555010", **here),
    )
    assert score.identity == 8.0
    assert score.location == 3.7
    assert score.km is None
    assert 0.99983 < score.probability < 0.99984
    assert score.agrees == ("name", "phone", "address")


def test_a_point_in_a_large_area_says_little() -> None:
    place = listed_place(name="A", lat="53.14", lon="8.21")
    exact = match_score(place, row_of(organisation="A", lat="53.14", lon="8.21", radius_km="0"))
    vague = match_score(place, row_of(organisation="A", lat="53.14", lon="8.21", radius_km="5"))
    far = match_score(place, row_of(organisation="A", lat="54.14", lon="8.21", radius_km="5"))
    assert exact.location > vague.location > 0 > far.location


def test_a_shared_site_is_not_a_website() -> None:
    place = listed_place(name="A", website="https://facebook.com/a")
    other = match_score(place, row_of(organisation="A", website="https://facebook.com/b"))
    same = match_score(place, row_of(organisation="A", website="https://www.facebook.com/a/"))
    assert "website" not in other.agrees
    assert "website" in same.agrees


@pytest.mark.parametrize(
    ("listed", "found", "other"),
    [
        ("12", "12", False), ("12", "12a", False), ("12", "12-14", False), ("12", "14", True),
        ("", "14", False), ("Unit 3, 12", "12", False),
    ],
)  # fmt: skip
def test_houses_next_door(listed: str, found: str, other: bool) -> None:
    place = listed_place(name="A", street="Lange Str.", number=listed)
    assert match_score(place, row_of(street="Lange Straße", number=found)).other_house is other


def test_hard_cases() -> None:
    """Chains, next-door moves, new tenants, the next town: `python -m bench.verify_cases`."""
    total, right = Counter[str](), Counter[str]()
    for seed in (7, 8):
        for case, status, wrong in judge(MadeTown(seed)):
            total[case.kind] += 1
            right[case.kind] += status == case.status and not wrong
    assert len(total) == 13
    assert right.total() >= 0.97 * total.total()
    assert all(right[kind] >= 0.8 * total[kind] for kind in total)
