"""The kernel of quick scopes and its twin: identical places, weights and order."""

import tracemalloc
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from numpy.typing import NDArray

from toponaut.kernels import COMPILED, Kernels
from toponaut.places.gazetteer import Gazetteer
from toponaut.places.names import glance
from toponaut.places.names.finder import NameFinder
from toponaut.places.names.home_countries import Home, HomeCountries

pytestmark = pytest.mark.skipif(
    COMPILED is None, reason="no compiler was at hand: there is one implementation"
)

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
def plain(finder: NameFinder) -> NameFinder:
    """A finder without kernels."""
    arrays = finder.gazetteer._arrays
    return NameFinder(Gazetteer(arrays, None), arrays)


@pytest.fixture(scope="module")
def tongues(gazetteer: Gazetteer) -> HomeCountries:
    return HomeCountries(gazetteer)


def agree(finder: NameFinder, plain: NameFinder, text: str, home: Home) -> None:
    seen, expected = finder.glance(finder.scan(text), home), plain.glance(plain.scan(text), home)
    assert list(seen.items()) == list(expected.items())


@given(texts, languages)
@example("", "en")
@example("Paris, Texas " * 4000, "en")  # several chunks
@example(" ".join(PIECES) * 20, "pt")
def test_both_see_the_same(
    finder: NameFinder, plain: NameFinder, tongues: HomeCountries, text: str, language: str
) -> None:
    agree(finder, plain, text, tongues.home(language, "http://x.example/", " the and of " * 99))


def test_thousands_of_names(finder: NameFinder, plain: NameFinder) -> None:
    """The kernel's maps grow without changing the order of sums."""
    gazetteer = finder.gazetteer
    for step in (1, 7):
        towns = ", ".join(gazetteer.name(row) for row in range(0, 4000 * step, step))
        agree(finder, plain, towns, frozenset())


def test_every_kind_of_place(finder: NameFinder, plain: NameFinder, tongues: HomeCountries) -> None:
    """Names with many candidates, such as states and counties with towns of the same name."""
    names = finder.gazetteer.names
    most = np.argsort(np.diff(names.posting_start))[-3000:]
    rows = names.posting_row[names.posting_start[most]].tolist()
    said = [finder.gazetteer.name(row) for row in rows]
    for k in range(0, len(said), 30):
        agree(
            finder,
            plain,
            "in " + " in ".join(said[k : k + 30]),
            tongues.home("en", "", " the and of " * 99),
        )


# --- invalid arguments ---------------------------------------------------------------------------


class Asked:
    """The kernel's arguments, to be damaged one by one."""

    def __init__(self, finder: NameFinder, text: str) -> None:
        self.text, chunks = finder.scan(text)
        self.chunks: list[list[NDArray[Any]]] = [
            [tokens.chars.planes, tokens.start, tokens.end, tokens.upper, *found]
            for tokens, found in chunks
        ]
        self.table: list[NDArray[Any]] = list(finder.gazetteer.names.columns)
        self.columns: list[NDArray[Any]] = list(finder._glancer._columns)
        self.weights = glance._WEIGHTS

    def ask(self, kernels: Kernels, locative: tuple[Any, ...] = ("in",)) -> dict[int, float]:
        chunks = [tuple(chunk) for chunk in self.chunks]
        home = frozenset({1, 2})
        return kernels.glance(
            self.text,
            chunks,
            tuple(self.table),
            tuple(self.columns),
            self.weights,
            locative,
            home,
            True,
        )


@pytest.fixture
def asked(finder: NameFinder) -> Asked:
    return Asked(finder, "In New York, NY, in Paris, Texas and in Florida, Florida")


@pytest.fixture(scope="module")
def kernels() -> Kernels:
    assert COMPILED is not None
    return COMPILED


def test_buffers_that_do_not_fit(kernels: Kernels, asked: Asked) -> None:
    assert len(asked.ask(kernels)) > 2
    for parts in (asked.chunks[0], asked.table, asked.columns):
        for k, whole in enumerate(parts):
            flat = whole.ravel()
            for bad in (flat[:-1].copy(), np.append(flat, flat[-1:]), flat[:0].copy()):
                parts[k] = bad
                with pytest.raises(ValueError, match=r"lie in their text|is whole"):
                    asked.ask(kernels)
            parts[k] = whole
    asked.weights = asked.weights[:-1].copy()
    with pytest.raises(ValueError, match="all weights"):
        asked.ask(kernels)


@pytest.mark.parametrize("bad", [-1, -(2**63), 2**31, 2**63 - 1])
@pytest.mark.parametrize("part", [1, 2, 4, 5, 6])
def test_wrong_offsets(kernels: Kernels, asked: Asked, part: int, bad: int) -> None:
    for at in (0, -1):
        spoiled = asked.chunks[0][part].copy()
        spoiled[at] = bad
        asked.chunks[0][part] = spoiled
        with pytest.raises(ValueError, match="lie in their text"):
            asked.ask(kernels)


def test_wrong_postings(kernels: Kernels, asked: Asked) -> None:
    """A damaged gazetteer gives wrong places, but no read beyond it."""
    for part in (1, 2):
        whole = asked.columns[part]
        for low, high in ((-5, 3), (2**31 - 9, 2**31 - 1), (-(2**31), 200), (7, 2)):
            asked.columns[part] = np.full_like(whole, low)
            asked.columns[part][1::2] = high
            assert all(weight >= 0 for weight in asked.ask(kernels).values())
        asked.columns[part] = whole


def test_invalid_words(kernels: Kernels, asked: Asked) -> None:
    assert asked.ask(kernels, (3, None, "", "i", "inn")) == asked.ask(kernels, ())
    assert asked.ask(kernels, ("in",)) != asked.ask(kernels, ())


def test_no_memory_leak(kernels: Kernels, asked: Asked) -> None:
    asked.ask(kernels)
    tracemalloc.start()
    before = tracemalloc.get_traced_memory()[0]
    for _ in range(2000):
        asked.ask(kernels)
    grown = tracemalloc.get_traced_memory()[0] - before
    tracemalloc.stop()
    assert grown < 2000
