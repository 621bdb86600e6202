"""The words that tell where an address may be: what a street's name has, how it ends, numbers in words, states.

`TABLE` is all of them for the kernel: a hash table with open addressing, each entry a word of up to 16 letters and its
kinds as bits.
"""

import re

import numpy as np
from numpy.typing import NDArray

from toponaut.places.addresses.us.types import STRONG, TYPES
from toponaut.places.addresses.us.words import (
    CONNECTORS,
    DIRECTIONS,
    LABELS,
    LEADING,
    LONE_UNITS,
    NUMBER_WORDS,
    ORDINAL_WORDS,
    ROUTE_CORES,
    ROUTE_MODIFIERS,
    STATE_CODES,
    STATES,
    TYPELESS,
    UNITS,
)

HINT_WINDOW = 70  # a street's type stands within so many characters of its number
NEAR = 130  # most ZIP codes stand within so many
WINDOW = 2 * NEAR  # characters after an anchor that are looked at: five lines
BESIDE = 48  # characters before a number that are looked at
_LETTERS = re.compile(r"[a-z]+")
_CAPITALS = re.compile(r"\b[A-Z]{2}\b")
_STATE_WORDS = frozenset(name[-1] for name in STATES if len(name[-1]) > 3)
_HINTS = (
    _STATE_WORDS
    | frozenset(TYPES)
    | TYPELESS
    | LEADING
    | (ROUTE_CORES - {"i"})
    | (frozenset(DIRECTIONS) - {"no", "so"})
)
# For outlook.py: names without type, small words of a name, what may stand between a street and its town, first words of states.
NAMED = TYPELESS | frozenset(ORDINAL_WORDS)
INSIDE = (
    CONNECTORS
    | frozenset(DIRECTIONS)
    | frozenset(STRONG)
    | ROUTE_CORES
    | ROUTE_MODIFIERS
    | frozenset(name[0] for name in STATES if len(name) == 1)
)
JUNIOR = frozenset({"jr", "sr", "ii", "iii"})
FLOORS = frozenset({"floor", "floors", "fl", "flr", "level", "story"})
BETWEEN = (
    frozenset(UNITS)
    | LONE_UNITS
    | FLOORS
    | LABELS
    | frozenset("# p po pob pobox post box drawer".split())
)
STATE_BEGINNINGS = frozenset(name[0] for name in STATES)
ENDINGS = (
    frozenset(STRONG) | TYPELESS | frozenset(ORDINAL_WORDS)
)  # the last word of a street's name, but for "5th"


def is_hinted(text: str, at: int) -> bool:
    """Whether a word that streets have, or a state, stands near."""
    window = text[at : at + HINT_WINDOW]
    return not _HINTS.isdisjoint(_LETTERS.findall(window.lower())) or not STATE_CODES.isdisjoint(
        _CAPITALS.findall(window)
    )


def is_clear_state(word: str, key: str) -> bool:
    """Whether a capitalised word is the first of a state and cannot well be another: "Ohio", "OH", "Fla.", "New"; not "In", "Me"."""
    return key in STATE_BEGINNINGS and (
        len(word) > 3 or word.isupper() or "." in word or key == "new"
    )


_BITS = (1 << 64) - 1
_LONGEST = 16  # letters


def _folded_in(value: int) -> int:
    return value ^ (value >> 32)


def _hash(low: int, high: int) -> int:
    """As hash_of_block in kernels.h."""
    first = _folded_in(low * 0x9E3779B97F4A7C15 & _BITS)
    return _folded_in((first + high & _BITS) * 0xD6E8FEB86659FD93 & _BITS)


def _table() -> NDArray[np.uint64]:
    """Four times as many entries as words: most words that are not in it meet an empty entry first."""
    groups = (
        *(
            _HINTS,
            {code.lower() for code in STATE_CODES},
            NUMBER_WORDS,
            ENDINGS,
            TYPES,
            NAMED,
            ROUTE_CORES,
            DIRECTIONS,
        ),
        *({"the"}, LEADING, INSIDE, JUNIOR, {"mile"}, BETWEEN, STATE_BEGINNINGS, {"new"}),
    )  # in the order of signs.h
    words: frozenset[str] = frozenset().union(*groups)
    table = np.zeros((1 << (4 * len(words)).bit_length(), 3), np.uint64)
    for word in sorted(words):
        letters = word.encode().ljust(_LONGEST, b"\0")
        low, high = (int.from_bytes(letters[at : at + 8], "little") for at in (0, 8))
        place = _hash(low, high) % len(table)
        while table[place, 0]:
            place = (place + 1) % len(table)
        table[place] = low, high, sum(1 << k for k, group in enumerate(groups) if word in group)
    return table


TABLE = _table()
