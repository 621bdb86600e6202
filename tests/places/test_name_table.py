"""Tokens and names: the same as found slowly, on any text."""

from itertools import product

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from tests.support.slow_names import SlowNames

from toponaut.places.gazetteer import Gazetteer
from toponaut.places.names.name_table import LONGEST, NameTable
from toponaut.places.names.tokens import CHUNK, TextTokens

PIECES = (
    "New York", "Paris, Texas", "Winston-Salem", "St. Paul", "L.A.", "Halle (Saale)",
    "Coeur d’Alene", "Neustadt an der Weinstraße", "Köln", "Łódź", "ŁÓDŹ", "東京都", "大阪市に",
    "リマ", "リマインダー", "ロマ", "Санкт-Петербург", "القاهرة،", "กรุงเทพมหานคร", "नई दिल्ली",
    "e\u0301", "Ho Chi Minh City", "Las Palmas de Gran Canaria",
    "Llanfairpwllgwyngyllgogerychwyrndrobwllllantysiliogogogoch", "x" * 63, "X" * 65, "in", "the",
    "1", "½", "?", "\ud800", "\udfff", "🙂", "\U000e0041",
    " ", "  ", "\n", "\t", "\r\n", "\u00a0", "\u200b", "\u2003", "\u2028", "\0", "\x1f", "\x85",
    ",", ".", "-", "(", ")", "|",
)  # fmt: skip
# Any characters, and parts of names and hard cases, with and without spaces.
texts = st.one_of(
    st.text(),
    st.text(st.characters(max_codepoint=0xFF)),
    st.lists(st.sampled_from(PIECES), max_size=40).map("".join),
    st.lists(st.sampled_from(PIECES) | st.text(max_size=5), max_size=40).map(" ".join),
)


@pytest.fixture(scope="module")
def names(gazetteer: Gazetteer) -> NameTable:
    return gazetteer.names


@pytest.fixture(scope="module")
def slow(gazetteer: Gazetteer) -> SlowNames:
    return SlowNames(gazetteer._arrays)


@given(texts)
@example("")
@example("x" * 64)
@example("x" * 128 + " ")
def test_tokens_and_names(names: NameTable, slow: SlowNames, text: str) -> None:
    tokens = names.tokeniser.words(text)
    columns = (tokens.start, tokens.end, tokens.upper, tokens.hash, tokens.joined)
    rows = list(zip(*(column.tolist() for column in columns), strict=True))
    assert rows == slow.tokens(text)
    for caseless, apart in product((False, True), repeat=2):
        found = names.scan(tokens, caseless=caseless, apart=apart)
        rows = list(zip(*(column.tolist() for column in found), strict=True))
        assert rows == slow.scan(text, caseless, apart)


@given(texts)
def test_characters(names: NameTable, slow: SlowNames, text: str) -> None:
    chars = names.tokeniser.read(text)
    assert chars.kind.tolist() == [slow.kind(char) for char in text]
    planes = chars.planes.tolist()
    assert len(planes) == (3 if any(slow.fold(char) > 0xFF for char in text) else 1)
    for shift, plane in zip((0, 8, 16), planes, strict=False):
        assert plane == [slow.fold(char) >> shift & 0xFF for char in text]


@pytest.mark.parametrize("filling", ["Paris ", "New York, ", "Łódź – ", "東京", "x"])
@pytest.mark.parametrize("more", [-1, 0, 1, CHUNK])
def test_where_chunks_end(names: NameTable, filling: str, more: int) -> None:
    """Chunks cover the text, and only a text without spaces is cut inside of words."""
    text = (filling * CHUNK)[: CHUNK + more]
    chunks = list(names.tokeniser.chunks(text))
    assert [chunk.chunk.start for chunk in chunks[1:]] == [one.chunk.stop for one in chunks[:-1]]
    assert (chunks[0].chunk.start, chunks[-1].chunk.stop) == (0, len(text))
    for chunk in chunks[:-1]:
        assert text[chunk.chunk.stop - 1].isspace() or " " not in filling


@given(texts)
@example("")
@example("Ho Chi Minh City " * 40)  # longer than the limit
@example("Las Palmas de Gran Canaria")
@example("東京")
@example("x" * 401)
def test_a_whole_name(names: NameTable, slow: SlowNames, text: str) -> None:
    for name in (text, *text.split(), text.title()):
        hashes = [token.hash for token in slow.tokens(name[:400])][:LONGEST]
        index = slow.run(hashes) if hashes else -1
        is_name = index >= 0 and len(names.postings(index)[0]) > 0
        assert names.lookup(name) == (index if is_name else -1)


@given(st.lists(st.integers(0, 2**64 - 1), max_size=20), st.data())
def test_hashes_in_the_table(names: NameTable, others: list[int], data: st.DataObject) -> None:
    known = data.draw(st.lists(st.integers(0, len(names.keys) - 1), max_size=20))
    hashes = np.append(names.keys[known], np.array(others, np.uint64))
    found = names.find(hashes)
    assert found[: len(known)].tolist() == known
    for index, value in zip(found[len(known) :].tolist(), others, strict=True):
        assert index == -1 or names.keys[index] == value
    assert names.find(hashes[::2]).tolist() == found[::2].tolist()  # not contiguous


numbers = st.integers(-3, 30) | st.sampled_from([-(2**63), 2**63 - 1])


@given(st.lists(st.tuples(numbers, numbers), max_size=5), st.text(max_size=20))
def test_wrong_tokens(names: NameTable, spans: list[tuple[int, int]], text: str) -> None:
    """Any token offsets give a result or IndexError, and no read beyond the text."""
    chars = names.tokeniser.read(text)
    start, end = (np.array([span[side] for span in spans], np.int64) for side in (0, 1))
    tokens = TextTokens(start, end, np.ones(len(spans), np.bool_), chars, slice(0, len(text)))
    try:
        names.scan(tokens, caseless=True, apart=True)
    except IndexError:
        assert not all(0 <= one <= other <= len(text) for one, other in spans)
