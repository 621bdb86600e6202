"""The words that show where a US address may be."""

from collections.abc import Iterable
from enum import IntFlag, auto

from toponaut.places.addresses.us.words import (
    CONNECTORS,
    DIRECTIONS,
    FOLLOWERS,
    LABELS,
    LEADING,
    LONE_UNITS,
    MONTHS,
    NOT_STREETS,
    ORDINAL_WORDS,
    ROUTE_CORES,
    ROUTE_MODIFIERS,
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

NAMED = TYPELESS.union(ORDINAL_WORDS)  # names of streets without a type
ENDINGS = NAMED.union(STRONG_TYPES)  # the last word of a street's name, except "5th"
JUNIOR = frozenset({"jr", "sr", "ii", "iii"})
FLOORS = frozenset({"floor", "floors", "fl", "flr", "level", "story"})
STATE_BEGINNINGS = frozenset(name[0] for name in STATES)
STATE_NAMES = frozenset(map(" ".join, STATES))
NOT_BARE = MONTHS.union(FOLLOWERS, NOT_STREETS, UNITS)  # in no street's name without a type
# Words near a street number: of street names, and long last words of states.
HINTS = frozenset(name[-1] for name in STATES if len(name[-1]) > 3).union(
    TYPES, TYPELESS, LEADING, ROUTE_CORES - {"i"}, DIRECTIONS
) - {"no", "so"}
# Words inside a street's name that may be written in lower case.
_INSIDE = CONNECTORS.union(
    DIRECTIONS,
    STRONG_TYPES,
    ROUTE_CORES,
    ROUTE_MODIFIERS,
    (name[0] for name in STATES if len(name) == 1),
)
# Words that may come between a street and its town.
_BETWEEN = LONE_UNITS.union(UNITS, FLOORS, LABELS, "# p po pob pobox post box drawer".split())


class WordKind(IntFlag):
    """What a word after a number may be (promise.py)."""

    TYPE = auto()
    NAMED = auto()
    ROUTE = auto()
    DIRECTION = auto()
    THE = auto()
    LEADS = auto()
    INSIDE = auto()
    JUNIOR = auto()
    MILE = auto()
    BETWEEN = auto()
    STATE = auto()
    NOT_BARE = auto()


_GROUPS = {
    WordKind.TYPE: TYPES,
    WordKind.NAMED: NAMED,
    WordKind.ROUTE: ROUTE_CORES,
    WordKind.DIRECTION: DIRECTIONS,
    WordKind.THE: {"the"},
    WordKind.LEADS: LEADING,
    WordKind.INSIDE: _INSIDE,
    WordKind.JUNIOR: JUNIOR,
    WordKind.MILE: {"mile"},
    WordKind.BETWEEN: _BETWEEN,
    WordKind.STATE: STATE_BEGINNINGS,
    WordKind.NOT_BARE: NOT_BARE,
}
KINDS: dict[str, int] = {}  # of each word, as bits
for _kind, _group in _GROUPS.items():
    KINDS |= {word: KINDS.get(word, 0) | int(_kind) for word in _group}


MOST_LETTERS = 15  # longer words count as this long


def lengths_by_start(words: Iterable[str]) -> bytes:
    """The lengths of words that begin with each pair of letters: a quick test of other words.

    Bit n of the two bytes for a pair (the lower one first, pairs from "aa" to "zz") says that there
    is such a word of n letters; the last one also counts for longer words.
    """
    table = bytearray(2 * 26 * 26)
    for word in words:
        if len(word) > 1 and word[:2].isascii() and word[:2].isalpha():
            pair = 26 * (ord(word[0]) - ord("a")) + ord(word[1]) - ord("a")
            length = min(len(word), MOST_LETTERS)
            table[2 * pair + length // 8] |= 1 << length % 8
    return bytes(table)


def is_clear_state(word: str, key: str) -> bool:
    """Whether a capitalised word begins a state's name ("Ohio", "OH", "New"); not "In", "Me"."""
    if key not in STATE_BEGINNINGS:
        return False
    return len(word) > 3 or word.isupper() or "." in word or key == "new"
