"""Tokens and their hashes: equal for equal words, despite case, accents and encoding."""

import unicodedata

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from toponaut.places.gazetteer import Gazetteer
from toponaut.places.names import alphabet
from toponaut.places.names.token_hashes import ShortTextHasher
from toponaut.places.names.tokens import CHUNK, TextTokens, Tokeniser


@pytest.fixture(scope="module")
def tokeniser(gazetteer: Gazetteer) -> Tokeniser:
    return gazetteer.names.tokeniser


def cut(text: str, tokens: TextTokens) -> list[str]:
    return [
        text[start:end]
        for start, end in zip(tokens.start.tolist(), tokens.end.tolist(), strict=True)
    ]


@pytest.mark.parametrize(
    ("text", "tokens", "joined"),
    [
        ("New York", ["New", "York"], [True, False]),
        ("Winston-Salem", ["Winston", "Salem"], [True, False]),
        ("St. Paul", ["St", "Paul"], [True, False]),
        ("Coeur d’Alene", ["Coeur", "d", "Alene"], [True, True, False]),
        ("Halle (Saale)", ["Halle", "Saale"], [True, False]),
        ("L.A.", ["L", "A"], [True, False]),
        ("Paris, Texas", ["Paris", "Texas"], [False, False]),
        ("Boston. Then", ["Boston", "Then"], [False, False]),
        ("洛杉矶", ["洛", "杉", "矶"], [True, True, False]),
        ("KÖLN/Bonn", ["KÖLN", "Bonn"], [True, False]),
        ("", [], []),
        ("...", [], []),
    ],
)
def test_cuts_and_joins(
    tokeniser: Tokeniser, text: str, tokens: list[str], joined: list[bool]
) -> None:
    found = tokeniser.words(text)
    assert cut(text, found) == tokens
    assert found.joined.tolist() == joined


@pytest.mark.parametrize(
    ("left", "right"),
    [
        ("Köln", "KOLN"),
        ("São", "sao"),
        ("Łódź", "lodz"),
        ("Straße", "strase"),
        ("Çorlu", "corlu"),
        ("ИРКУТСК", "Иркутск"),
    ],
)
def test_folds_case_and_accents(tokeniser: Tokeniser, left: str, right: str) -> None:
    assert tokeniser.words(left).hash.tolist() == tokeniser.words(right).hash.tolist()


@pytest.mark.parametrize(
    ("left", "right"), [("서울", "수원"), ("가나", "강남"), ("がか", "かか"), ("ホン", "ボン")]
)
def test_syllables_are_not_accents(tokeniser: Tokeniser, left: str, right: str) -> None:
    assert tokeniser.words(left).hash.tolist() != tokeniser.words(right).hash.tolist()


def test_both_alphabets_agree(tokeniser: Tokeniser) -> None:
    """Windows-1252 has the same classes and hashes if a Greek letter forces code points."""
    western = "".join(bytes([byte]).decode("cp1252", "ignore") for byte in range(256))
    narrow, wide = tokeniser.words(western), tokeniser.words(western + " λ")
    assert narrow.hash.tolist() == wide.hash.tolist()[:-1]
    assert narrow.upper.tolist() == wide.upper.tolist()[:-1]
    assert narrow.joined.tolist()[:-1] == wide.joined.tolist()[: len(narrow.joined) - 1]


@given(st.text(max_size=300))
def test_tokens_are_the_words_of_any_text(tokeniser: Tokeniser, text: str) -> None:
    tokens = tokeniser.words(text)
    assert (tokens.start < tokens.end).all()
    assert (tokens.end[:-1] <= tokens.start[1:]).all()
    for word in cut(text, tokens):
        assert unicodedata.category(word[0])[0] in "LNM"


@given(
    st.text(alphabet="abcXYZé -.\n", min_size=1, max_size=200),
    st.text(alphabet="abc -.\n", max_size=50),
)
def test_a_hash_depends_on_the_token_alone(tokeniser: Tokeniser, text: str, prefix: str) -> None:
    """The same words after any prefix have the same hashes."""
    alone, after = tokeniser.words(text), tokeniser.words(prefix + " " + text)
    assert after.hash.tolist()[len(after.hash) - len(alone.hash) :] == alone.hash.tolist()


def test_long_texts_are_cut_at_spaces(tokeniser: Tokeniser) -> None:
    text = "New York and Oldenburg, " * (3 * CHUNK // 20)
    words = [word for tokens in tokeniser.chunks(text) for word in cut(text, tokens)]
    assert words == text.replace(",", "").split()


def test_a_text_without_spaces_is_cut_anyway(tokeniser: Tokeniser) -> None:
    assert sum(len(tokens.start) for tokens in tokeniser.chunks("x" * (3 * CHUNK))) == 3


@pytest.mark.parametrize("text", ["“Łódź” – Kraków’s twin, Bānī, 🙂 Ōsaka", "Ž", "’", "a\ud800b ś"])
def test_a_few_other_letters_are_read_as_code_points(tokeniser: Tokeniser, text: str) -> None:
    """A Greek letter makes the tokeniser read code points."""
    narrow, wide = tokeniser.words(text), tokeniser.words(text + " λ")
    assert len(narrow.chars.planes) < len(wide.chars.planes)
    for column in ("start", "end", "hash", "upper", "line"):
        assert (
            getattr(narrow, column).tolist() == getattr(wide, column).tolist()[: len(narrow.start)]
        )


def test_words_that_differ_late_differ(tokeniser: Tokeniser) -> None:
    words = ["a" * length for length in range(1, 60)] + [
        "a" * length + "b" for length in range(1, 60)
    ]
    assert len(set(tokeniser.words(" ".join(words)).hash.tolist())) == len(words)


@given(st.text(max_size=60), st.data())
def test_hashes_of_some_tokens_are_those_of_all(
    tokeniser: Tokeniser, text: str, data: st.DataObject
) -> None:
    tokens = tokeniser.words(text)
    at = data.draw(
        st.lists(
            st.integers(0, max(0, len(tokens.start) - 1)), max_size=5 * bool(len(tokens.start))
        )
    )
    which = np.array(at, np.int64)
    assert tokens.hash_at(which).tolist() == tokens.hash[which].tolist()
    assert tokens.joined_at(which).tolist() == tokens.joined[which].tolist()


@pytest.fixture(scope="module")
def hasher() -> ShortTextHasher:
    return ShortTextHasher(*alphabet.alphabet())


@given(st.text(st.one_of(st.characters(), st.sampled_from("aB -.'é京都Лж")), max_size=120))
def test_short_texts_have_the_hashes_of_their_tokens(
    tokeniser: Tokeniser, hasher: ShortTextHasher, text: str
) -> None:
    assert hasher.hashes(text, 10) == tokeniser.words(text).hash[:10].tolist()


@pytest.mark.parametrize("length", [1, 8, 9, 16, 17, 32, 63, 64, 65, 200])
def test_long_words_have_the_same_hash_in_short_texts(
    tokeniser: Tokeniser, hasher: ShortTextHasher, length: int
) -> None:
    for word in ("a" * length, "Ж" * length):
        assert hasher.hashes(word, 10) == tokeniser.words(word).hash.tolist()
