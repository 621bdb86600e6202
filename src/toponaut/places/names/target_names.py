"""The dictionary of a job's targets: which place a bare name means in a URL or a link text.

Gao, Lee and Miao 2006 looked for the names of their hundred cities and no others (section 3.4). So
a name that a target has means this target: "Birmingham" is in Alabama if that is a target, and of
two targets the more populous is meant (3.5: "Glendale" is in Arizona). A target needs its state
next to it if it is a dwarf beside the best known place of its name ("Paris", Texas).

Names that are words ("Mobile", "Buffalo") are read as names here, unless the word is so common that
it is hardly ever one ("Reading"). "LA" is read as "L.A." if the gazetteer knows that name.

A link text that is nothing but such a name, or the name and the head of a list ("Lincoln Hotels"),
needs no other evidence.
"""

from collections.abc import Iterator
from functools import cached_property

import numpy as np

from toponaut.places.gazetteer.gazetteer import ALIAS, JOINED, WEAK, Gazetteer
from toponaut.places.names.tokens import Bools, Ints

# A target with less than this share of the population of the name's main place needs its state.
# Of the paper's cities Saint Petersburg in Florida has least, 5 %; Paris in Texas has 1 %.
DWARF_TARGET = 0.03
# Class of tables/words from which a target's name is a word: "mobile" has 3, "buffalo" 4, "bath" 5.
FREQUENT_TARGET = 5
# Words of link texts in directories of towns, after the name of the town.
LISTED = frozenset(
    """apartments attorneys attractions condos dentists doctors events hotels jobs lawyers motels
    nightlife plumbers realtors rentals restaurants tourism""".split()
)


class TargetNames:
    """`own`: whether each row of the gazetteer is itself a target."""

    def __init__(self, gazetteer: Gazetteer, own: Bools) -> None:
        self._gazetteer, self._own = gazetteer, own

    def meant(self, name: int, ranked: Ints) -> Ints:
        """Places of a name, targets first. `ranked`: those without targets, best known first."""
        rows, quality = self._gazetteer.names.postings(name)
        usable = self._own[rows] & (quality >= JOINED)
        usable &= (quality != WEAK) | (rows == self._joined.get(name, -1))
        if not usable.any():
            return ranked
        people = self._gazetteer.population
        targets = rows[usable][np.argsort(-people[rows[usable]], kind="stable")]
        known = int(people[ranked[0]]) if len(ranked) else 0
        targets = targets[people[targets] >= DWARF_TARGET * known]
        return np.concatenate([targets, ranked[~np.isin(ranked, targets)]])

    def has(self, rows: Ints) -> bool:
        """Whether the first of some places is a target."""
        return len(rows) > 0 and bool(self._own[rows[0]])

    @cached_property
    def initials(self) -> dict[int, tuple[str, int]]:
        """Names of two letters that are a target's initials: "LA" with the row of "L.A."."""
        found: dict[int, tuple[str, int]] = {}
        names = self._gazetteer.names
        for row, words in self._words():
            letters = "".join(word[0] for word in words)
            if len(letters) != 2 or (name := names.lookup(letters)) < 0:
                continue
            dotted = names.lookup(f"{letters[0]}.{letters[1]}.")
            if dotted >= 0:
                rows, quality = names.postings(dotted)
                if ((rows == row) & (quality >= ALIAS)).any():
                    found.setdefault(name, (letters, row))
        return found

    @cached_property
    def _joined(self) -> dict[int, int]:
        """The targets' own names without spaces ("sanantonio")."""
        lookup = self._gazetteer.names.lookup
        return {lookup("".join(words)): row for row, words in self._words() if len(words) > 1}

    def _words(self) -> Iterator[tuple[int, list[str]]]:
        """The rows of targets with the words of their names."""
        for row in np.flatnonzero(self._own).tolist():
            yield row, self._gazetteer.name(row).split()


def bare_name(text: str) -> str:
    """A link text without the head of a list: "Lincoln" for "Lincoln Hotels"."""
    name, _, last = text.strip().rpartition(" ")
    return name if last.lower() in LISTED else text.strip()
