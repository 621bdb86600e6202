"""Simhash: near copies close together, other pages of the same template far apart."""

import random
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from toponaut.gate.flood import CLOSE
from toponaut.gate.simhash import distance, simhash

_LETTERS = random.Random(0)
WORDS = [
    "".join(_LETTERS.choices("etaoinshrdlucmfw", k=_LETTERS.randint(2, 9))) for _ in range(3000)
]
COMMON_FIRST = [
    1 / (rank + 3) for rank in range(len(WORDS))
]  # as in any language, few words make up most of a text


def story(seed: int, sentences: int = 90) -> list[str]:
    rng = random.Random(seed)
    return [" ".join(rng.choices(WORDS, COMMON_FIRST, k=12)) + "." for _ in range(sentences)]


def test_near_copies() -> None:
    text = story(1)
    whole = simhash(" ".join(text))
    changed = [
        *text[:40],
        "Something else has happened here, and nobody knows why it did.",
        *text[41:],
    ]
    dated = [
        (distance(whole, simhash(f"{' '.join(text)}\nPrinted on {day} May 2026")))
        for day in range(1, 10)
    ]
    assert distance(whole, simhash(" ".join(changed))) <= CLOSE
    assert max(dated) <= CLOSE
    assert distance(whole, simhash("Home Shop Contact Jobs\n" + " ".join(text))) <= CLOSE


def test_pages_of_one_template_are_apart() -> None:
    menu = "\n".join(story(2, 40))
    pages = [simhash(f"{menu}\n{' '.join(story(seed, 60))}") for seed in range(3, 23)]
    apart = [distance(one, other) for place, one in enumerate(pages) for other in pages[:place]]
    assert min(apart) > CLOSE
    assert sum(apart) / len(apart) > 3 * CLOSE


def test_different_texts_differ_in_about_half_of_the_bits() -> None:
    rng = random.Random(4)
    texts = [
        " ".join("".join(rng.choices("abcdefghij", k=6)) for _ in range(300)) for _ in range(30)
    ]
    bits = [distance(simhash(one), simhash(other)) for one, other in pairwise(texts)]
    assert 26 < sum(bits) / len(bits) < 38


def test_scripts_without_spaces() -> None:
    rng = random.Random(5)
    one = "".join(chr(rng.randrange(0x4E00, 0x9FFF)) for _ in range(800))
    other = "".join(chr(rng.randrange(0x4E00, 0x9FFF)) for _ in range(800))
    assert distance(simhash(one), simhash(one[:400] + "新" + one[401:])) <= CLOSE
    assert distance(simhash(one), simhash(other)) > 15


def test_order_and_line_ends_count_little() -> None:
    text = story(6)
    whole = simhash(" ".join(text))
    assert distance(whole, simhash("\n".join(text))) <= CLOSE + 2
    assert distance(whole, simhash(" ".join(reversed(text)))) < 15


@pytest.mark.parametrize("text", ["", " ", "\n\t \n"])
def test_no_words_no_hash(text: str) -> None:
    assert simhash(text) == 0


def test_golden() -> None:
    """It is in the log, so it must not change: not with the machine, not with the version."""
    assert simhash("Springfield") == 0x0FA709DE45EFD8E0
    assert simhash("The quick brown fox jumps over the lazy dog") == 0x202220031C0A8808


def test_long_texts_are_counted_in_pieces() -> None:
    text = " ".join(story(7, 3000))
    assert distance(simhash(text), simhash(text + " one more word")) <= 1


@given(st.text(max_size=200))
def test_any_text(text: str) -> None:
    value = simhash(text)
    assert 0 <= value < 1 << 64
    assert (value == 0) == (not text or text.isspace())
    assert distance(value, value) == 0
