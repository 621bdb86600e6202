"""The words around a place's name in a query that say how it is meant: "in", "near", "within 5 km of", "near me"."""

import re
from collections.abc import Sequence
from enum import StrEnum
from typing import NamedTuple

from msgspec import Struct

from toponaut.places.names.tokens import TextTokens

IN = frozenset("in at from inside within em en à dans aus no na nos nas".split())
NEAR = frozenset("near nearby around nahe bei perto près proche cerca vicino by beside".split())
# Between a word such as "in" and the name: "in downtown houston", "close to the city of houston", "perto de lisboa".
LINKS = frozenset(
    "the city town village of de do da du d von der dem um to downtown central greater metro area region".split()
)
_CLOSE_TO = frozenset(
    {("close", "to"), ("next", "to"), ("in", "der", "nähe", "von"), ("in", "the", "area", "of")}
)
# Codes of states and countries that are words of a sentence as well: they count after a comma, in capitals, or where no other
# place follows. "hotels in portland or salem" has no Oregon, "portland or hotels" has.
WORDY = frozenset("in or me de la as is it at to so no be by my us do am an et es".split())

NO_NAMES = IN | NEAR | LINKS | WORDY  # of towns, too: Of in Turkey, To in Burkina Faso
LINKED = frozenset({"city", "town", "village"})
_STREET_WORDS = 6
POSTCODE = re.compile(r"\d{4,5}")

_NUMBER = r"(?P<number>\d{1,5}(?:[.,]\d{1,3})?)\s*(?P<unit>km|kilomet(?:er|re)s?|mi|miles?|meilen|m|met(?:er|re)s?)"
WITHIN = re.compile(
    rf"\b(?:(?:with)?in(?:\s+a)?(?:\s+radius\s+of)?\s+|im\s+umkreis\s+von\s+|a\s+menos\s+de\s+)?{_NUMBER}"
    r"\s+(?:of|from|around|um|von|de|do|da)\b",
    re.IGNORECASE,
)
HERE = re.compile(
    r"\b(?:near|close\s+to|around|next\s+to|of|from)\s+(?:me|here)\b|\bnearby\s*$|\bin\s+my\s+(?:area|town|city)\b"
    r"|\bin\s+(?:der|meiner)\s+nähe\s*$|\bperto\s+de\s+mim\b|\bprès\s+de\s+(?:chez\s+)?moi\b",
    re.IGNORECASE,
)


class Manner(StrEnum):
    """How something is to lie to the place."""

    IN = "in"
    NEAR = "near"
    WITHIN = "within"


class Query(Struct, frozen=True):
    """A query in words."""

    text: str
    tokens: TextTokens
    words: tuple[str, ...]  # in lower case
    spans: tuple[tuple[int, int], ...]

    def comma_after(self, word: int) -> bool:
        end = self.spans[word][1]
        return (
            "," in self.text[end : self.spans[word + 1][0]] if word + 1 < len(self.words) else False
        )


class Joint(NamedTuple):
    """The words before a name that say how it is meant."""

    begin: int  # the first of them; the name's own first word where there are none
    street: (
        int  # the first word of a street between them and the name; the name's where there is none
    )
    manner: Manner = Manner.IN
    radius_km: float | None = None


def joint_of(query: Query, first: int) -> Joint:
    within = WITHIN.search(query.text)
    if within and within.end() <= query.spans[first][0]:
        behind = _past_links(query, word_at(query, within.end()), first)
        if behind == first or _is_street(query, behind, first):
            begin = word_at(query, within.start())
            return Joint(begin, behind, Manner.WITHIN, km_of(within["number"], within["unit"]))
    for at in range(first - 1, max(first - 2 - _STREET_WORDS, -1), -1):
        begin, manner = _preposition(query, at)
        if manner is not None:
            behind = _past_links(query, at + 1, first)
            if behind == first or _is_street(query, behind, first):
                return Joint(begin, behind, manner)
            break
    return Joint(first, first)


def _preposition(query: Query, at: int) -> tuple[int, Manner | None]:
    """Whether a word, with those before it, is one of "in", "near", "close to": its first word, and what it says."""
    for phrase in _CLOSE_TO:
        begin = at - len(phrase) + 1
        if begin >= 0 and query.words[begin : at + 1] == phrase:
            return begin, Manner.NEAR
    word = query.words[at]
    return at, Manner.NEAR if word in NEAR else Manner.IN if word in IN else None


def _past_links(query: Query, first: int, end: int) -> int:
    """The first word from `first` on that is none such as "the city of"."""
    return next((k for k in range(first, end) if query.words[k] not in LINKS), end)


def _is_street(query: Query, first: int, end: int) -> bool:
    """Whether some words may be a street: "221b baker street", "lange straße 5"."""
    return end - first <= _STREET_WORDS and any(
        word[0].isdigit() for word in query.words[first:end]
    )


def km_of(number: str, unit: str) -> float:
    value = float(number.replace(",", "."))
    unit = unit.lower()
    factor = (
        1.609344
        if unit.startswith(("mi", "mei"))
        else 0.001
        if unit in ("m",) or unit.startswith("met")
        else 1.0
    )
    return max(value * factor, 0.05)


def word_at(query: Query, offset: int) -> int:
    """The first word that begins at or behind an offset."""
    return next(
        (k for k, (start, _) in enumerate(query.spans) if start >= offset), len(query.words)
    )


def joined(before: str, after: str) -> str:
    parts: Sequence[str] = [part.strip(" ,;") for part in (before, after)]
    return " ".join(part for part in parts if part)
