"""Glances: the same places, weights and order as seen slowly."""

import tracemalloc

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from tests.support.slow_glance import SlowGlancer

from toponaut.places.gazetteer import Gazetteer
from toponaut.places.names.finder import NameFinder
from toponaut.places.names.home_countries import Home, HomeCountries
from toponaut.places.names.name_table import Matches

# Towns and areas of the same name, states, codes and similar words, prefixes, and other words.
PIECES = (
    "Paris", "Paris, Texas", "Paris, TX", "Portland, OR", "Portland, Me", "ÖR", "DŽ",
    "New York, New York", "Florida, Florida",
    "Delaware, Ohio, Nevada, Iowa", "San Jose", "San José, Costa Rica", "Salem",
    "Springfield, Illinois", "Springfield", "Washington",
    "Washington, Washington, DC", "Georgia", "Tbilisi, Georgia", "Victoria", "Oldenburg",
    "Oldenburg, Niedersachsen", "Île-de-France",
    "in", "In", "İn", "near", "at", "À", "à", "jusqu'à", "throughout", "Reading", "Of", "Mobile",
    "Suede", "India", "Europe", "Africa",
    "東京", "大阪, 日本", "Москва", "Москва, Россия", "القاهرة", "Loja", "Bunda", "Türen",
    "Houston, Houston", "West coast", "Canada", "USA",
    ",", ", ", ".", "\n", " - ", "x",
)  # fmt: skip
texts = st.one_of(
    st.lists(st.sampled_from(PIECES), max_size=60).map(" ".join),
    st.lists(st.sampled_from(PIECES), max_size=60).map(", ".join),
    st.lists(st.sampled_from(PIECES) | st.text(max_size=5), max_size=40).map("".join),
)
languages = st.sampled_from(["", "en", "de", "pt", "ja", "zz"])


@pytest.fixture(scope="module")
def slow(gazetteer: Gazetteer) -> SlowGlancer:
    return SlowGlancer(gazetteer)


@pytest.fixture(scope="module")
def tongues(gazetteer: Gazetteer) -> HomeCountries:
    return HomeCountries(gazetteer)


def agree(finder: NameFinder, slow: SlowGlancer, text: str, home: Home) -> None:
    scan = finder.scan(text)
    assert list(finder.glance(scan, home).items()) == list(slow.weights(scan, home).items())


@given(texts, languages)
@example("", "en")
@example("Paris, Texas " * 4000, "en")  # several chunks
@example(" ".join(PIECES) * 20, "pt")
def test_any_text(
    finder: NameFinder, slow: SlowGlancer, tongues: HomeCountries, text: str, language: str
) -> None:
    agree(finder, slow, text, tongues.home(language, "http://x.example/", " the and of " * 99))


def test_thousands_of_names(finder: NameFinder, slow: SlowGlancer) -> None:
    gazetteer = finder.gazetteer
    for step in (1, 7):
        towns = ", ".join(gazetteer.name(row) for row in range(0, 4000 * step, step))
        agree(finder, slow, towns, frozenset())


def test_every_kind_of_place(finder: NameFinder, slow: SlowGlancer, tongues: HomeCountries) -> None:
    """Names with many candidates, such as states and counties with towns of the same name."""
    names = finder.gazetteer.names
    most = np.argsort(np.diff(names.posting_start))[-3000:]
    rows = names.posting_row[names.posting_start[most]].tolist()
    said = [finder.gazetteer.name(row) for row in rows]
    home = tongues.home("en", "", " the and of " * 99)
    for k in range(0, len(said), 30):
        agree(finder, slow, "in " + " in ".join(said[k : k + 30]), home)


@pytest.mark.parametrize("bad", [2**31, 2**63 - 1, -(2**63)])
@pytest.mark.parametrize("column", ["first", "last", "name"])
def test_wrong_matches(finder: NameFinder, column: str, bad: int) -> None:
    """Matches outside of the tokens or the table are rejected, and nothing beyond is read."""
    scan = finder.scan("In New York, NY, in Paris, Texas and in Florida, Florida")
    ((tokens, matches),) = scan.chunks
    spoiled: Matches = matches._replace(**{column: np.full_like(matches.first, bad)})
    with pytest.raises(IndexError):
        finder.glance(scan._replace(chunks=[(tokens, spoiled)]))


def test_no_memory_leak(finder: NameFinder) -> None:
    scan = finder.scan("In New York, NY, in Paris, Texas and in Florida, Florida")
    home = frozenset({1, 2})
    assert len(finder.glance(scan, home)) > 2
    tracemalloc.start()
    before = tracemalloc.get_traced_memory()[0]
    for _ in range(2000):
        finder.glance(scan, home)
    grown = tracemalloc.get_traced_memory()[0] - before
    tracemalloc.stop()
    assert grown < 2000
