"""Prior odds and traits of names in the compiled gazetteer: examples, and all names."""

import numpy as np
import pytest

from toponaut.places.gazetteer import Gazetteer
from toponaut.places.names.evidence import BARE, SIZE_LEAST, NameFacts


def name(gazetteer: Gazetteer, said: str) -> NameFacts:
    index = gazetteer.names.lookup(said)
    assert index >= 0
    return NameFacts(float(gazetteer.names.odds[index]), int(gazetteer.names.traits[index]))


@pytest.mark.parametrize(
    ("said", "single", "level", "small", "common"),
    [
        ("Fort Worth", False, 4, False, True),  # a fort is a common word
        ("Fort-Worth", False, 4, False, True),
        ("Reading", True, 4, False, True),
        ("Islands", True, 2, False, True),  # the plural of a word
        ("Marshville", True, 4, True, False),
        ("Texas", True, 2, False, False),
        ("Canada", True, 1, False, False),
        ("東京", True, 4, False, False),  # two characters, but one word
    ],
)
def test_traits(
    gazetteer: Gazetteer, said: str, single: bool, level: int, small: bool, common: bool
) -> None:
    found = name(gazetteer, said)
    assert (found.single, found.level, found.small, found.common) == (single, level, small, common)


def test_names_of_people(gazetteer: Gazetteer) -> None:
    assert name(gazetteer, "Houston").surname
    assert name(gazetteer, "Paris").given
    assert not name(gazetteer, "Tbilisi").given


def test_odds(gazetteer: Gazetteer) -> None:
    """A town has nearly even odds; words and villages less, large cities and states more."""
    odds = {
        said: name(gazetteer, said).odds
        for said in ("Of", "Reading", "Marshville", "Chicago", "Texas", "Fort Worth")
    }
    assert BARE + SIZE_LEAST < odds["Marshville"] < BARE
    assert (
        odds["Of"]
        < -4
        < odds["Reading"]
        < odds["Marshville"]
        < 0
        < 1
        < odds["Chicago"]
        < odds["Fort Worth"]
        < odds["Texas"]
    )


def test_every_name_has_odds(gazetteer: Gazetteer) -> None:
    names = gazetteer.names
    borne = np.diff(names.posting_start) > 0
    levels = gazetteer.levels[names.posting_row[names.posting_start[:-1][borne]]]
    assert (names.traits[borne] >> 5 == levels).all()
    assert (names.odds[borne] != 0).mean() > 0.99
    assert not names.odds[~borne].any()  # prefixes are not names
