"""The words that show where a US address may be, and a cheap test of the words after a number.

`is_promising` rejects nine of ten numbers that begin no address, before anything is read. A street
(street.py) is known by more than its form, by a type, a route, a grid or a leading word, and then
that word is in its name; or it is a bare name, and then a state that is hardly another word, or a
state and a ZIP code, must follow closely. The kernel that looks for numbers applies the same test.

`TABLE` holds all these words for the kernel: a hash table with open addressing, each entry a word
of up to 16 letters and its kinds as bits.
"""

import re

import numpy as np
from numpy.typing import NDArray

from toponaut.places.addresses.us.scan import Gap, UsWord
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
    STRONG_TYPES,
    TYPELESS,
    TYPES,
    UNITS,
)

HINT_WINDOW = 70  # characters after a number that hold its street's type
NEAR = 130  # characters after a number that hold most ZIP codes
WINDOW = 2 * NEAR  # characters read after an anchor: five lines
READ_BEFORE = 48  # characters read before a number
_LETTERS = re.compile(r"[a-z]+")
_CAPITALS = re.compile(r"\b[A-Z]{2}\b")
_STATE_WORDS = frozenset(name[-1] for name in STATES if len(name[-1]) > 3)

_HINTS = _STATE_WORDS.union(TYPES, TYPELESS, LEADING, ROUTE_CORES - {"i"}, DIRECTIONS) - {
    "no",
    "so",
}
NAMED = TYPELESS.union(ORDINAL_WORDS)  # names of streets without a type
# Words inside a street's name that may be written in lower case.
_INSIDE = CONNECTORS.union(DIRECTIONS, STRONG_TYPES, ROUTE_CORES, ROUTE_MODIFIERS)
_INSIDE |= {name[0] for name in STATES if len(name) == 1}
JUNIOR = frozenset({"jr", "sr", "ii", "iii"})
FLOORS = frozenset({"floor", "floors", "fl", "flr", "level", "story"})
# Words that may come between a street and its town.
_BETWEEN = LONE_UNITS.union(UNITS, FLOORS, LABELS, "# p po pob pobox post box drawer".split())
STATE_BEGINNINGS = frozenset(name[0] for name in STATES)
ENDINGS = NAMED.union(STRONG_TYPES)  # the last word of a street's name, except "5th"
_LONGEST_RUN = 9  # words of one name, as in street.py
_ODD_REACH = 12  # words among which units, brackets and labels move a town further away
# Words that hold the state otherwise: four of a name, a direction, "in", five of a town, three of
# its own.
_STATE_REACH = 14
_ZIP = 5


def is_hinted(text: str, at: int) -> bool:
    """Whether a word of street names, or a state, is near."""
    window = text[at : at + HINT_WINDOW]
    if not _HINTS.isdisjoint(_LETTERS.findall(window.lower())):
        return True
    return not STATE_CODES.isdisjoint(_CAPITALS.findall(window))


def is_clear_state(word: str, key: str) -> bool:
    """Whether a capitalised word begins a state's name ("Ohio", "OH", "New"); not "In", "Me"."""
    if key not in STATE_BEGINNINGS:
        return False
    return len(word) > 3 or word.isupper() or "." in word or key == "new"


def is_promising(words: list[UsWord]) -> bool:
    """Whether a street may be read from the words after a number."""
    return bool(words) and (_may_be_typed(words) or _may_be_bare(words))


def _may_be_typed(words: list[UsWord]) -> bool:
    directed = words[0].key in DIRECTIONS
    small = any(not word.is_name for word in words[: 3 if directed else 1])
    leads = True  # only directions and "the" came before
    for index, word in enumerate(words[:_LONGEST_RUN]):
        key, after = word.key, words[index + 1 : index + 2]
        if index and word.gap != Gap.SPACE and not (word.gap == Gap.COMMA and key in JUNIOR):
            return False
        if not small and not word.is_name and key not in _INSIDE:
            return False
        if (index and key in TYPES) or (key in ROUTE_CORES and after and _may_number(after[0])):
            return True
        if leads and (key in NAMED or key in LEADING):
            return True
        if _has_digit(word) and (leads or "-" in word.text):
            return True
        is_mile = bool(after) and after[0].key == "mile"
        if word.text.isdigit() and words[index - 1].key not in LEADING and not is_mile:
            return False
        leads = leads and (key in DIRECTIONS or key == "the")
    return False


def _may_number(word: UsWord) -> bool:
    """Whether a word may be the number of a road: "19", "K", "K-12", "#"."""
    return len(word.text) <= 2 or "-" in word.text or word.text[0].isdigit()


def _has_digit(word: UsWord) -> bool:
    return any(map(str.isdigit, word.text))


def _may_be_bare(words: list[UsWord]) -> bool:
    reach = len(words) if any(map(_is_odd, words[1:_ODD_REACH])) else _STATE_REACH
    states = [word for word in words[1:reach] if word.key in STATE_BEGINNINGS]
    if any(word.text[0].isupper() and is_clear_state(word.text, word.key) for word in states):
        return True
    long = [word.text for word in words if states and len(word.text) >= _ZIP]
    return any(text[:_ZIP].isdecimal() for text in long)


def _is_odd(word: UsWord) -> bool:
    is_penthouse = word.key.startswith("ph") and _has_digit(word)
    return word.key in _BETWEEN or word.gap == Gap.OPEN or is_penthouse


# --- the same words for the kernel ----------------------------------------------------------------

_BITS = (1 << 64) - 1
_LONGEST = 16  # letters
_GROUPS = (
    *(_HINTS, {code.lower() for code in STATE_CODES}, NUMBER_WORDS, ENDINGS, TYPES, NAMED),
    *(ROUTE_CORES, DIRECTIONS, {"the"}, LEADING, _INSIDE, JUNIOR, {"mile"}, _BETWEEN),
    *(STATE_BEGINNINGS, {"new"}),
)  # in the order of signs.h


def _folded_in(value: int) -> int:
    return value ^ (value >> 32)


def _hash(low: int, high: int) -> int:
    """As hash_of_block in kernels.h."""
    first = _folded_in(low * 0x9E3779B97F4A7C15 & _BITS)
    return _folded_in((first + high & _BITS) * 0xD6E8FEB86659FD93 & _BITS)


def _table() -> NDArray[np.uint64]:
    """Has at least four entries per word, so most other words hit an empty entry first."""
    words: frozenset[str] = frozenset().union(*_GROUPS)
    table = np.zeros((1 << (4 * len(words)).bit_length(), 3), np.uint64)
    for word in sorted(words):
        letters = word.encode().ljust(_LONGEST, b"\0")
        low, high = (int.from_bytes(letters[at : at + 8], "little") for at in (0, 8))
        place = _hash(low, high) % len(table)
        while table[place, 0]:
            place = (place + 1) % len(table)
        table[place] = low, high, sum(1 << k for k, group in enumerate(_GROUPS) if word in group)
    return table


TABLE = _table()
