"""Did you mean: queries in another spelling, where the index or the gazetteer does not know a word."""

import difflib
import re

import numpy as np

from toponaut.index.query.choosing import Chosen
from toponaut.index.query.opened import Opened
from toponaut.index.words import Wanted
from toponaut.places.gazetteer import Gazetteer

_PLACES = 60_000  # of the largest: those of 7,000 people and more
_ALIKE = 0.8
_SHORTEST = 4  # letters of a word that is worth correcting
_MOST = 3
_AFTER = re.compile(
    r"\b(?:in|near|around|at|of|bei|nahe|em|perto de)\s+([^\d\W]{4,}(?:\s+[^\d\W]{3,})?)\s*$",
    re.IGNORECASE,
)


class Spelling:
    def __init__(self, gazetteer: Gazetteer) -> None:
        self._gazetteer = gazetteer
        self._by_letter: dict[
            str, dict[str, int]
        ] = {}  # names of large places with their people, by first letter

    def suggestions(
        self, text: str, chosen: Chosen, wanted: Wanted, opened: Opened
    ) -> tuple[str, ...]:
        found: list[str] = []
        if chosen.where is None:
            found += self._places(text, wanted)
        for word in wanted.missing:
            if len(word) >= _SHORTEST and (better := opened.words.similar(word)):
                found.append(_replaced(text, word, better))
        return tuple(one for one in dict.fromkeys(found) if one.lower() != text.lower())[:_MOST]

    def _places(self, text: str, wanted: Wanted) -> list[str]:
        """Where the wording promises a place and none is known by that name; or where a word is known nowhere."""
        said = _AFTER.search(text)
        words = [said[1]] if said else [word for word in wanted.missing if len(word) >= _SHORTEST]
        return [_replaced(text, word, name) for word in words for name in self._similar(word)]

    def _similar(self, word: str) -> list[str]:
        """Names of large places that are spelled much like a word: the closest first, of equally close ones the largest."""
        word = word.lower()
        names = self._names(word[:1])
        likely = [name for name in names if abs(len(name) - len(word)) <= 2]
        close = difflib.get_close_matches(word, likely, _MOST, _ALIKE)
        ratio = {name: difflib.SequenceMatcher(None, name, word).ratio() for name in close}
        return sorted(close, key=lambda name: (-round(ratio[name], 1), -names[name]))

    def _names(self, letter: str) -> dict[str, int]:
        if not self._by_letter:
            people = self._gazetteer.population
            for row in np.argsort(people, kind="stable")[-_PLACES:].tolist():
                name = self._gazetteer.name(row).lower()
                self._by_letter.setdefault(name[:1], {})[name] = int(people[row])
        return self._by_letter.get(letter, {})


def _replaced(text: str, word: str, better: str) -> str:
    """A query with one word in another spelling; the word may stand there with accents and capitals."""
    changed = re.sub(rf"\b{re.escape(word)}\b", better, text, count=1, flags=re.IGNORECASE)
    if changed != text:
        return changed
    close = difflib.get_close_matches(word, text.lower().split(), 1, 0.6)
    return (
        re.sub(re.escape(close[0]), better, text, count=1, flags=re.IGNORECASE) if close else text
    )
