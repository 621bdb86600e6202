"""Compiled kernels and their numpy twins: identical results on any text."""

import sys
from collections.abc import Iterator
from itertools import product
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from numpy.typing import NDArray

from toponaut.kernels import COMPILED, Kernels
from toponaut.places.gazetteer import Gazetteer
from toponaut.places.gazetteer.cache import open_names
from toponaut.places.names.finder import NameFinder
from toponaut.places.names.name_table import Matches, NameTable
from toponaut.places.names.tokens import CHUNK, TextTokens

pytestmark = pytest.mark.skipif(
    COMPILED is None, reason="no compiler was at hand: there is one implementation"
)

PIECES = (
    "New York", "Paris, Texas", "Winston-Salem", "St. Paul", "L.A.", "Halle (Saale)",
    "Coeur d’Alene", "Neustadt an der Weinstraße",
    "Köln", "Łódź", "ŁÓDŹ", "東京都", "大阪市に", "リマ", "リマインダー", "ロマ",
    "Санкт-Петербург", "القاهرة،",
    "กรุงเทพมหานคร", "नई दिल्ली", "e\u0301", "Ho Chi Minh City",
    "Las Palmas de Gran Canaria", "Llanfairpwllgwyngyllgogerychwyrndrobwllllantysiliogogogoch",
    "x" * 63, "X" * 65, "in", "the",
    "Twenty-One", "and 5th", "& Main", "PO Box 12", "Drawer", "97201", "1", "100-104", "½", "?",
    "\ud800", "\udfff", "🙂", "\U000e0041",
    " ", "  ", "\n", "\t", "\r\n", "\u00a0", "\u200b", "\u2003", "\u2028", "\0", "\x1f", "\x85",
    "\x92", ",", ".", "-", "(", ")", "|",
)  # fmt: skip
# Any characters, and parts of names, addresses and hard cases, with and without spaces.
texts = st.one_of(
    st.text(),
    st.text(st.characters(max_codepoint=0xFF)),
    st.lists(st.sampled_from(PIECES), max_size=40).map("".join),
    st.lists(st.sampled_from(PIECES), max_size=40).map(" ".join),
    st.lists(st.sampled_from(PIECES) | st.text(max_size=5), max_size=40).map(" ".join),
)


@pytest.fixture(scope="module")
def kernels() -> Kernels:
    assert COMPILED is not None
    return COMPILED


@pytest.fixture(scope="module")
def plain(finder: NameFinder) -> NameTable:
    """The table of names without kernels."""
    return NameTable(finder.gazetteer._arrays, None)


def columns(tokens: TextTokens) -> list[list[int]]:
    everything = (
        tokens.start,
        tokens.end,
        tokens.upper,
        tokens.hash,
        tokens.joined,
        tokens.hyphened,
        tokens.comma,
    )
    return [column.tolist() for column in (*everything, tokens.line)]


def found(matches: Matches) -> list[list[int]]:
    return [column.tolist() for column in matches]


def agree(one: NameTable, other: NameTable, text: str) -> None:
    """Compares all results of two name tables on a text."""
    (first, chars), (second, others) = (
        one.tokeniser.read_composed(text),
        other.tokeniser.read_composed(text),
    )
    assert first == second
    assert chars.composed == others.composed
    assert np.array_equal(chars.kind, others.kind)
    assert np.array_equal(chars.planes, others.planes)
    for tokens, twins in zip(
        one.tokeniser.chunked(chars), other.tokeniser.chunked(others), strict=True
    ):
        assert columns(tokens) == columns(twins)
        for caseless, apart in product((False, True), repeat=2):
            matches = one.scan(tokens, caseless=caseless, apart=apart)
            assert found(matches) == found(other.scan(twins, caseless=caseless, apart=apart))


@given(texts)
@example("")
@example("Portland Oregon " * 4)  # 64 characters
@example("x" * 64)
@example("x" * 128 + " ")
def test_tokens_and_names(gazetteer: Gazetteer, plain: NameTable, text: str) -> None:
    agree(gazetteer.names, plain, text)


@pytest.mark.parametrize("filling", ["Paris ", "New York, ", "Łódź – ", "東京", "x"])
@pytest.mark.parametrize("more", [-1, 0, 1, CHUNK])
def test_where_chunks_end(gazetteer: Gazetteer, plain: NameTable, filling: str, more: int) -> None:
    agree(gazetteer.names, plain, (filling * CHUNK)[: CHUNK + more])


@given(texts, st.data())
def test_some_hashes(
    gazetteer: Gazetteer, plain: NameTable, text: str, data: st.DataObject
) -> None:
    tokens, twins = gazetteer.names.tokeniser.words(text), plain.tokeniser.words(text)
    count = len(tokens.start)
    which = data.draw(st.lists(st.integers(-count, count - 1))) if count else []
    at = np.array(which, np.int64)
    assert tokens.hash_at(at).tolist() == twins.hash_at(at).tolist()
    assert tokens.hash_at(at[::2]).tolist() == twins.hash_at(at[::2]).tolist()  # not contiguous


@given(st.lists(st.integers(0, 2**64 - 1), max_size=20), st.data())
def test_hashes_in_the_table(
    gazetteer: Gazetteer, plain: NameTable, others: list[int], data: st.DataObject
) -> None:
    keys = gazetteer.names.keys
    known = data.draw(st.lists(st.integers(-len(keys), len(keys) - 1), max_size=20))
    hashes = np.append(keys[known], np.array(others, np.uint64))
    found = gazetteer.names.find(hashes)
    assert found.tolist() == plain.find(hashes).tolist()
    assert found[: len(known)].tolist() == [k % len(keys) for k in known]
    assert gazetteer.names.find(hashes[::2]).tolist() == plain.find(hashes[::2]).tolist()


@given(texts)
@example("")
@example("Ho Chi Minh City " * 40)  # longer than the limit
@example("Las Palmas de Gran Canaria")
@example("東京")
@example("x" * 401)
def test_a_whole_name(gazetteer: Gazetteer, plain: NameTable, text: str) -> None:
    for name in (text, *text.split(), text.title()):
        assert gazetteer.names.lookup(name) == plain.lookup(name)


def test_mentions(finder: NameFinder) -> None:
    """Both find the same places."""
    arrays = finder.gazetteer._arrays
    text = (
        "She moved from Paris, Texas to Łódź, then to New York (NY) and 26121 Oldenburg; not "
        "to Mr. Houston's Street. "
    )
    other = NameFinder(Gazetteer(arrays, None), arrays)
    assert finder.find(text * 30) == other.find(text * 30) != []
    assert finder.glance(finder.scan(text)) == other.glance(other.scan(text)) != {}


# --- invalid arguments ---------------------------------------------------------------------------


def spoiled(array: NDArray[Any]) -> Iterator[NDArray[Any]]:
    """An array that is too short, too long, and empty."""
    yield from (array[:-1].copy(), np.append(array, array[-1:]), array[:0].copy())


def test_buffers_that_do_not_fit(kernels: Kernels, gazetteer: Gazetteer) -> None:
    names = gazetteer.names
    tokens = names.tokeniser.words("In New York, in Paris")
    of: list[NDArray[Any]] = [
        tokens.chars.kind,
        tokens.chars.planes,
        tokens.start,
        tokens.end,
        tokens.upper,
    ]
    table: list[NDArray[Any]] = [names.keys, names.flags, names.buckets, names.firsts]
    assert len(kernels.scan(tuple(of), tuple(table), False, False)[0])
    for part in range(5):
        for bad in spoiled(of[part].ravel()):
            with pytest.raises(ValueError, match="lie in their text"):
                kernels.scan((*of[:part], bad, *of[part + 1 :]), tuple(table), False, False)
    for part in range(4):
        for bad in spoiled(table[part]):
            with pytest.raises(ValueError, match="is whole"):
                kernels.scan(tuple(of), (*table[:part], bad, *table[part + 1 :]), False, False)
            with pytest.raises(ValueError, match="is whole"):
                kernels.find(names.keys[:3].copy(), (*table[:part], bad, *table[part + 1 :]))
    fold, kind = gazetteer._arrays["fold"], gazetteer._arrays["kind"]
    for name, some, classes in (
        ("x" * 401, fold, kind),
        ("x", fold[:-1], kind),
        ("x", fold[:255], kind[:255]),
    ):
        with pytest.raises(ValueError, match="400 characters"):
            kernels.lookup(name, some, classes, tuple(table))
    for short in (fold[:-1], fold[:0], np.append(fold, fold[:1])):
        with pytest.raises(ValueError, match="an alphabet"):
            kernels.read("x", short, kind)
    with pytest.raises(ValueError, match="an alphabet"):
        kernels.read("x", fold[:255], kind[:255])
    for begin, stop in ((-1, 3), (2, 1), (0, 22), (0, sys.maxsize)):
        with pytest.raises(ValueError, match="in its text"):
            kernels.tokens(tokens.chars.kind, begin, stop, True)


numbers = st.integers(-3, 30) | st.sampled_from([-(2**63), 2**63 - 1])


@given(st.lists(st.tuples(numbers, numbers), max_size=5), st.lists(numbers, max_size=5), st.data())
def test_wrong_tokens(
    kernels: Kernels,
    gazetteer: Gazetteer,
    spans: list[tuple[int, int]],
    at: list[int],
    data: st.DataObject,
) -> None:
    """Any token offsets give a result or ValueError, and no read beyond the text."""
    text = data.draw(st.text(max_size=20))
    names = gazetteer.names
    chars = names.tokeniser.read(text)
    start, end = (np.array([span[side] for span in spans], np.int64) for side in (0, 1))
    inside = all(0 <= one <= other <= len(text) for one, other in spans)
    try:
        kernels.scan(
            (chars.kind, chars.planes, start, end, np.ones(len(spans), np.bool_)),
            (names.keys, names.flags, names.buckets, names.firsts), True, True,
        )  # fmt: skip
    except ValueError:
        assert not inside
    else:
        assert inside
    asked = [k for k in at if -len(spans) <= k < len(spans)]
    answered = len(asked) == len(at) and all(
        0 <= spans[k][0] <= spans[k][1] <= len(text) for k in asked
    )
    try:
        kernels.hash_at(len(text), chars.planes, start, end, np.array(at, np.int64))
    except ValueError:
        assert not answered
    else:
        assert answered


def test_wrong_buckets(kernels: Kernels, gazetteer: Gazetteer) -> None:
    """A damaged table gives fewer names, but no read beyond it."""
    names = gazetteer.names
    tokens = names.tokeniser.words("In New York, in Paris")
    of = (tokens.chars.kind, tokens.chars.planes, tokens.start, tokens.end, tokens.upper)
    for low, high in ((-5, 3), (2**31 - 9, 2**31 - 1), (-(2**31), 2**31 - 1), (7, 2)):
        buckets = np.full_like(names.buckets, low)
        buckets[1::2] = high
        first, _, index = kernels.scan(
            of, (names.keys, names.flags, buckets, names.firsts), True, False
        )
        assert len(first) == len(index) <= 8 * len(tokens.start)


def test_a_fresh_finder_uses_them() -> None:
    assert open_names().gazetteer.names.tokeniser.words("Paris").kernels is COMPILED
