"""Glances at short texts, one for each piece of evidence."""

import pytest

from toponaut.job.targets import find_place
from toponaut.places.names.finder import NameFinder


def glanced(finder: NameFinder, text: str) -> dict[int, float]:
    return finder.glance(finder.scan(text))


def place(finder: NameFinder, name: str) -> int:
    return find_place(finder.gazetteer, name).id


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ("We met in Chicago last year.", "Chicago, IL"),
        ("A week in Paris, Texas, is long.", "Paris, TX"),
        ("A week in Paris, TX, is long.", "Paris, TX"),
        ("Portland, ME: lobsters", "Portland, ME"),
        (
            "A night near Marshville was cold.",
            "Marshville, NC",
        ),  # small, but after "near"
        ("We drove to Reading, Pennsylvania.", "Reading, PA"),  # a word, but its state follows
    ],
)
def test_the_heaviest_place(finder: NameFinder, text: str, meant: str) -> None:
    weights = glanced(finder, text)
    areas = {place(finder, name) for name in ("Texas", "Maine", "Pennsylvania")}
    cities = {one: weight for one, weight in weights.items() if one not in areas}
    assert max(cities, key=cities.__getitem__) == place(finder, meant)


def test_a_state_settles_a_name_in_the_whole_text(finder: NameFinder) -> None:
    weights = glanced(finder, "Paris is quiet. People in Paris like it. That is Paris, Texas.")
    assert place(finder, "Paris, TX") in weights
    assert place(finder, "Paris, France") not in weights


def test_other_names_support_a_place_near_them(finder: NameFinder) -> None:
    text = "The league of Portland, Salem, Eugene, Bend, Medford and Corvallis in Oregon."
    assert place(finder, "Salem, OR") in glanced(finder, text)
    assert place(finder, "Salem, OR") not in glanced(finder, "A week in Salem.")


def test_a_code_is_a_state_not_a_word(finder: NameFinder) -> None:
    weights = glanced(finder, "Mail it to Portland, OR or to us.")
    assert set(weights) == {place(finder, "Portland, OR"), place(finder, "Oregon")}


@pytest.mark.parametrize(
    "text", ["", "flour, water, salt and yeast", "The In Of A", "A " * 5000, "ZZ, ZZ, TX, TX"]
)
def test_texts_without_places(finder: NameFinder, text: str) -> None:
    assert sum(glanced(finder, text).values()) < 3


def test_repeated_names_have_more_weight(finder: NameFinder) -> None:
    weights = glanced(finder, "In Chicago. In Chicago. In Chicago. In Boston.")
    assert weights[place(finder, "Chicago, IL")] > 2 * weights[place(finder, "Boston, MA")] > 0


def test_separate_accents_are_composed(finder: NameFinder) -> None:
    text = "Eine Woche in München."
    assert glanced(finder, text.replace("ü", "u\u0308")) == glanced(finder, text) != {}
