"""Words of a text and where addresses may begin: as a slow reference finds them, on any text."""

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from tests.support import us_spots as reference

from toponaut.places.addresses.us.hinting import is_hinted
from toponaut.places.addresses.us.promise import is_promising
from toponaut.places.addresses.us.scan import gap_of, read_words
from toponaut.places.addresses.us.spots import spots_of

# Words that decide whether a number may start an address, and hard characters.
PIECES = (
    "1", "22", "4500", "97201", "123456", "1234567", "٣", "٣٣٣٣٣", "½", "1/2", "3/4", "-", "–",
    "/", "&", ",", ":", ".", "$", "€", "£", "©", "_", "@", "%", "#", "(", ")", "[", "]",
    "N", "s", "a", "Mile", "North", "Main", "St", "st", "th", "street", "Stuff", "OR", "or",
    "ORx", "K\u212a", "\u0130", "\u0130s", "\u0130er 5", "NW\u0130", "é", "Élan", "O’Hare", "東",
    "ⅷ", "²", "box", "oX", "Pier", "PO Box", "Post Office Box", "P.O. DRAWER", "One", "ONE", "OnE",
    "Twenty", "Sixty", "Twenty-One", "and", "At", "corner", "Intersection", "A.v.e.", "Pk",
    "P\u212a", "5th", "NSW", "Vic", "Wales", "LG", "Oldenburg", "EC2V", "7RS", "Jr", "PH12", "Ohio",
    "New", "In", "N.Y.", "Highway", "the", "of", "Broadway", "12180-1234", "12-34", "Suite",
    "\0", "\xa0", "\t", "\n", "   ", "    ", "\u2003", "x" * 30, "\ud800", "🙂",
)  # fmt: skip
texts = st.one_of(
    st.text(),
    st.lists(st.sampled_from(PIECES) | st.sampled_from((" ", "")), max_size=60).map("".join),
    st.lists(st.sampled_from(PIECES) | st.text(max_size=5), max_size=60).map(" ".join),
)


@given(texts)
@example("")
@example("5th & Main")
@example("1 " * 600)
@example("ABCDEFGHIJKLMNOPQRSTUVWXYZ" * 600 + " One Liberty Plaza")
@example("\ud800 \udfff")
def test_where_addresses_may_begin(text: str) -> None:
    assert spots_of(text) == reference.spots_of(text)


@pytest.mark.parametrize("width", ["x", "ł", "🙂"])
def test_a_long_text(width: str) -> None:
    text = f"12 Main Street, PO Box 12 & Main St and 5th\n{width}" * 2000
    assert spots_of(text) == reference.spots_of(text)


@given(texts, st.integers(0, 300), st.integers(0, 300), st.integers(0, 50))
@example("12 Elm St.", 3, 9, 45)
@example("12 Elm Street", 3, 9, 45)  # cut off
@example("Élan’s Ö.B.B. & Söhne", 0, 99, 45)
def test_words_of_a_span(text: str, start: int, stop: int, most: int) -> None:
    words = read_words(text, start, stop, most)
    assert words == reference.read_words(text, start, stop, most)
    assert all(word.is_name != word.text[0].islower() for word in words)


@given(texts, st.integers(0, 60))
def test_words_after_a_number(text: str, at: int) -> None:
    assert is_hinted(text, at) == reference.is_hinted(text, at)
    assert is_promising(text, at) == reference.is_promising(
        reference.read_words(text, at, at + 260)
    )
    assert gap_of(text) is reference.gap_of(text)
