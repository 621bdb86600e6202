"""The words before a place name that relate it to the query: "in", "near", "within 5 km of".

Words are compared without accents: people leave them out when they type.
"""

import re
import unicodedata
from enum import StrEnum
from typing import NamedTuple

from msgspec import Struct

from toponaut.places.names.tokens import TextTokens

IN = frozenset("in at from inside within em en à a au aux dans aus no na nos nas".split())
ARTICLES = frozenset({"a"})  # also "à" typed without its accent: only before a clear name
_NEAR_SPOT = frozenset("near nearby nahe perto pres proche cerca vicino".split())
NEAR = _NEAR_SPOT | frozenset("around bei beim am by beside".split())
# Between the preposition and the name: "in downtown houston", "close to the city of houston".
LINKS = frozenset(
    """the city town village of de do da du d la le les l des von vom der dem den um to downtown
    central greater metro area region""".split()
)
_CLOSE_TO = tuple(
    tuple(phrase.split())
    for phrase in (
        "close to", "next to", "in the area of", "in der nahe", "in der naehe", "in nahe",
        "a cote", "non loin", "a proximite", "aux alentours",
    )
)  # fmt: skip
# Codes of states and countries that are also common words. They count after a comma, in capitals,
# or if no other place follows: "hotels in portland or salem" is not in Oregon, "portland or hotels"
# is.
WORDY_CODES = frozenset("in or me de la as is it at to so no be by my us do am an et es".split())

# Though there is Of in Turkey, To and Centre in Burkina Faso.
NOT_NAMES = IN | NEAR | LINKS | WORDY_CODES | {"centre", "center"}
# Parts of a town: "tacos east austin", "weed store downtown minneapolis".
PARTS = frozenset(
    """north south east west northeast northwest southeast southwest northern southern eastern
    western central downtown uptown midtown inner greater""".split()
)
LINKED = frozenset({"city", "town", "village"})
LANDMARKS = frozenset(
    """bahnhof hauptbahnhof hbf gare station airport flughafen aeroport rathaus mairie hafen port
    dom zoo university universitat hospital klinikum harbor harbour stadium stadion""".split()
)
_STREET_WORDS, _SPOT_WORDS = 6, 4
POSTCODE = re.compile(r"\d{4,5}")

_DISTANCE = (
    r"(?P<number>\d{1,5}(?:[.,]\d{1,3})?)\s*"
    r"(?P<unit>km|kilomet(?:er|re)s?|mi|miles?|meilen|m|met(?:er|re)s?)"
)
WITHIN = re.compile(
    r"\b(?:(?:with)?in(?:\s+a)?(?:\s+radius\s+of)?\s+|im\s+umkreis\s+von\s+|a\s+menos\s+de\s+)?"
    rf"{_DISTANCE}\s+(?:of|from|around|um|von|de|do|da)\b",
    re.IGNORECASE,
)
HERE = re.compile(
    r"\b(?:near|close\s+to|around|next\s+to|of|from)\s+(?:me|here)\b|\bnearby\s*$"
    r"|\bin\s+my\s+(?:area|town|city)\b|\bin\s+(?:der|meiner)\s+n(?:ä|a|ae)he\s*$"
    r"|\bperto\s+de\s+mim\b|\bpr[eè]s\s+de\s+(?:chez\s+)?moi\b",
    re.IGNORECASE,
)


class Manner(StrEnum):
    """How a page should relate to the place."""

    IN = "in"
    NEAR = "near"
    WITHIN = "within"


class TokenisedQuery(Struct, frozen=True):
    text: str
    tokens: TextTokens
    words: tuple[str, ...]  # in lower case
    plain: tuple[str, ...]  # the same without accents
    spans: tuple[tuple[int, int], ...]

    def comma_after(self, word: int) -> bool:
        if word + 1 >= len(self.words):
            return False
        return "," in self.text[self.spans[word][1] : self.spans[word + 1][0]]

    def word_at(self, offset: int) -> int:
        """The first word that starts at or after an offset."""
        starts = (k for k, (start, _) in enumerate(self.spans) if start >= offset)
        return next(starts, len(self.words))


class Preposition(NamedTuple):
    """The preposition before a name. Without one, `begin` is the name's first word."""

    begin: int  # its first word
    spot: int  # the first word of a spot before the name; without one, the name's first word
    manner: Manner = Manner.IN
    radius_km: float | None = None


def preposition_before(query: TokenisedQuery, first: int) -> Preposition:
    within = WITHIN.search(query.text)
    if within and within.end() <= query.spans[first][0]:
        after = _skip_links(query, query.word_at(within.end()), first)
        if after == first or _is_house(query, after, first):
            begin, km = query.word_at(within.start()), to_km(within["number"], within["unit"])
            return Preposition(begin, after, Manner.WITHIN, km)
    for at in range(first - 1, max(first - 2 - _STREET_WORDS, -1), -1):
        begin, manner = _match(query, at)
        if manner is not None:
            after = _skip_links(query, at + 1, first)
            sure = begin < at or query.plain[at] in _NEAR_SPOT
            if after == first or _is_spot(query, after, first, sure):
                return Preposition(begin, after, manner)
            break
    return Preposition(first, first)


def _match(query: TokenisedQuery, at: int) -> tuple[int, Manner | None]:
    """Whether a preposition such as "in" or "close to" ends at a word: its start and manner."""
    for phrase in _CLOSE_TO:
        begin = at - len(phrase) + 1
        if begin >= 0 and query.plain[begin : at + 1] == phrase:
            return begin, Manner.NEAR
    if query.plain[at] in NEAR:
        return at, Manner.NEAR
    return at, Manner.IN if query.words[at] in IN else None


def _skip_links(query: TokenisedQuery, first: int, end: int) -> int:
    """The first word from `first` on that is not part of a link such as "the city of"."""
    return next((k for k in range(first, end) if query.plain[k] not in LINKS), end)


def _is_spot(query: TokenisedQuery, first: int, end: int, sure: bool) -> bool:
    """Whether words between a preposition and a town may be a spot there.

    After "near" a few words always are: "near squirrel hill pittsburgh". After "am" and the like
    they are if they name a landmark: "am bahnhof oldenburg".
    """
    named = sure or not LANDMARKS.isdisjoint(query.plain[first:end])
    return (named and end - first <= _SPOT_WORDS) or _is_house(query, first, end)


def _is_house(query: TokenisedQuery, first: int, end: int) -> bool:
    """Whether words may be a street with a number: "221b baker street", "lange straße 5"."""
    digits = any(word[0].isdigit() for word in query.words[first:end])
    return end - first <= _STREET_WORDS and digits


def fold(text: str) -> str:
    """In lower case, without accents. Only for single words: the length may change."""
    apart = unicodedata.normalize("NFKD", text.lower())
    return "".join(char for char in apart if not unicodedata.combining(char))


def to_km(number: str, unit: str) -> float:
    value, unit = float(number.replace(",", ".")), unit.lower()
    if unit.startswith(("mi", "mei")):
        value *= 1.609344
    elif unit == "m" or unit.startswith("met"):
        value *= 0.001
    return max(value, 0.05)


def join_words(before: str, after: str) -> str:
    return " ".join(part for one in (before, after) if (part := one.strip(" ,;")))
