"""Whether the words behind a number can be a street at all: cheap, and right for nine of ten numbers that are none.

A reading (reading.py) is either of a street that is known by more than its form, by a type, a route, a grid, a leading
word, and then one of these stands among the words of one name (street.py); or of a bare name, and then a state that
cannot well be another word, or a state and a ZIP code, must follow closely. Where neither does, nothing is read.
The kernel that looks for numbers asks the same (kernels/words.c).
"""

from toponaut.places.addresses.us.hints import (
    BETWEEN,
    INSIDE,
    JUNIOR,
    NAMED,
    STATE_BEGINNINGS,
    is_clear_state,
)
from toponaut.places.addresses.us.scan import Gap, Word
from toponaut.places.addresses.us.types import TYPES
from toponaut.places.addresses.us.words import DIRECTIONS, LEADING, ROUTE_CORES

_LONGEST_RUN = 9  # words of one name, as in street.py
_ODD_REACH = 12  # words among which units, brackets and labels push a town further away
# Words among which a state stands else: four of a name, a direction, "in", five of a town, three of its own.
_STATE_REACH = 14
_ZIP = 5


def is_promising(words: list[Word]) -> bool:
    """Whether a street may be read from all the words behind a number."""
    return bool(words) and (_may_be_typed(words) or _may_be_bare(words))


def _may_be_typed(words: list[Word]) -> bool:
    directed = words[0].key in DIRECTIONS
    small = any(not word.is_name for word in words[: 3 if directed else 1])
    leads = True  # nothing but directions and "the" stands before
    for index, word in enumerate(words[:_LONGEST_RUN]):
        key, after = word.key, words[index + 1 : index + 2]
        if index and word.gap != Gap.SPACE and not (word.gap == Gap.COMMA and key in JUNIOR):
            return False
        if not small and not word.is_name and key not in INSIDE:
            return False
        if (index and key in TYPES) or (key in ROUTE_CORES and after and _may_number(after[0])):
            return True
        if leads and (key in NAMED or key in LEADING):
            return True
        if _has_digit(word) and (leads or "-" in word.text):
            return True
        if (
            word.text.isdigit()
            and words[index - 1].key not in LEADING
            and not (after and after[0].key == "mile")
        ):
            return False
        leads = leads and (key in DIRECTIONS or key == "the")
    return False


def _may_number(word: Word) -> bool:
    """Whether a word may be the number of a road: "19", "K", "K-12", "#"."""
    return len(word.text) <= 2 or "-" in word.text or word.text[0].isdigit()


def _has_digit(word: Word) -> bool:
    return any(map(str.isdigit, word.text))


def _may_be_bare(words: list[Word]) -> bool:
    reach = len(words) if any(map(_is_odd, words[1:_ODD_REACH])) else _STATE_REACH
    states = [word for word in words[1:reach] if word.key in STATE_BEGINNINGS]
    return any(map(_is_sure, states)) or (bool(states) and any(map(_may_be_zip, words)))


def _is_odd(word: Word) -> bool:
    return (
        word.key in BETWEEN
        or word.gap == Gap.OPEN
        or (word.key.startswith("ph") and _has_digit(word))
    )


def _is_sure(state: Word) -> bool:
    return state.text[0].isupper() and is_clear_state(state.text, state.key)


def _may_be_zip(word: Word) -> bool:
    return len(word.text) >= _ZIP and word.text[:_ZIP].isdecimal()
