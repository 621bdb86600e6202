"""English adjectives of countries, by option."""

import pytest

import toponaut
from toponaut.places.gazetteer import Gazetteer
from toponaut.places.names.demonyms import DemonymFinder


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("A Turkish ferry and two Russian tugs", ["Turkish=TR", "Russian=RU"]),
        ("South Korean and North Korean divers", ["South Korean=KR", "North Korean=KP"]),
        ("Germans, Swedes and the Swiss", ["Germans=DE", "Swedes=SE", "Swiss=CH"]),
        ("Native American and Latin American art", []),
        ("to polish a german turk", []),
    ],
)
def test_demonyms_mean_their_country(text: str, expected: list[str], gazetteer: Gazetteer) -> None:
    found = DemonymFinder(gazetteer).add(text, [])
    assert [f"{one.text}={gazetteer.place(one.place).country}" for one in found] == expected


def test_they_are_found_by_option_and_names_are_kept() -> None:
    text = "A Syrian doctor moved to French Lick, Indiana."
    assert [one.text for one in toponaut.mentions(text)] == ["French Lick", "Indiana"]
    found = [one.text for one in toponaut.mentions(text, demonyms=True)]
    assert found == ["Syrian", "French Lick", "Indiana"]
