"""Targets by their initials in link texts: "Restaurants in LA" (target_names.py says which).

Initials of two letters are also codes of states ("Baton Rouge, LA"), words ("La Plata") and parts
of longer names ("LA Times"). They count in capitals only, in a line that is not all in capitals,
not after a comma or a place of the state, not before a postcode or a word that makes a longer name.
"""

import re

import numpy as np

from toponaut.places.gazetteer.gazetteer import CODE, Gazetteer
from toponaut.places.names.finder import NameMatch
from toponaut.places.names.target_names import TargetNames
from toponaut.places.names.vocabulary import ORGANISATION

_LONGER = frozenset(ORGANISATION.split()) | {"galaxy"}
_NEXT = re.compile(r"\s*(\w*)")
_ODDS = 1.0  # it is a place
_WORDS_BEFORE = 3  # the longest name of a town that is looked up before a code


class InitialsReader:
    def __init__(self, gazetteer: Gazetteer, targets: TargetNames) -> None:
        self._names, self._lineage = gazetteer.names, gazetteer.lineage
        self._rows = {letters: (name, row) for name, (letters, row) in targets.initials.items()}
        self._pattern = re.compile(rf"\b(?:{'|'.join(self._rows)})\b") if self._rows else None

    def find(self, text: str) -> list[NameMatch]:
        """The initials of targets in a text, in order."""
        if not self._pattern:
            return []
        found = []
        for match in self._pattern.finditer(text):
            name, row = self._rows[match.group()]
            if self._is_target(text, match.start(), match.end(), name):
                rows = np.array([row], np.int32)
                found.append(NameMatch(match.start(), match.end(), name, rows, _ODDS))
        return found

    def _is_target(self, text: str, start: int, end: int, name: int) -> bool:
        before = text[text.rfind("\n", 0, start) + 1 : start].rstrip()
        line = f"{before} {text[start:].partition(chr(10))[0]}"
        if before.endswith(",") or (line.isupper() and len(line.split()) > 1):
            return False
        following = _NEXT.match(text, end)
        word = following.group(1) if following else ""
        if word.isdigit() or (word[:1].isupper() and word.lower() in _LONGER):
            return False
        return not self._is_in_state(before.split()[-_WORDS_BEFORE:], name)

    def _is_in_state(self, words: list[str], code: int) -> bool:
        """Whether words end with the name of a place in a state or country with a code."""
        rows, quality = self._names.postings(code)
        states = rows[quality == CODE]
        for first in range(len(words)):
            name = self._names.lookup(" ".join(words[first:])) if words[first][:1].isupper() else -1
            if name >= 0 and np.isin(self._lineage[self._names.postings(name)[0]], states).any():
                return True
        return False
