"""Places that only WordNet has: rivers, mountains, seas, regions, parks, nicknames.

The knowledge base of Kozanidis, Stamou and Spyros 2009 is GeoWordNet: WordNet's toponyms with
coordinates and part-of relations. The gazetteer covers its cities, states and countries better;
1,600 names remain: "Cape Cod", "Silicon Valley", "Gulf of Mexico". A name without coordinates gets
those of the smallest place it is part of, up to a country: Cape Cod is in Massachusetts.

WordNet does not say how else a word is used. So we ignore single words that are short for a longer
name ("Amazon" for the river), an alias or nowhere ("Cancer"), and names that begin with an article.
"""

from collections.abc import Sequence
from itertools import accumulate
from typing import NamedTuple

import numpy as np

from toponaut.places.gazetteer.gazetteer import KINDS, PRIMARY, WEAK, Gazetteer
from toponaut.places.names.name_table import IS_NAME, IS_PREFIX, LONGEST, Matches, longest
from toponaut.places.names.tokens import Hashes, Index, TextTokens, chain
from toponaut.places.names.url_names import grouped
from toponaut.records import Kind

Point = tuple[float, ...]  # on the unit sphere; () if unknown

_COUNTRY = KINDS.index(Kind.COUNTRY)
_LONGER = (
    "River Sea Ocean Lake Mountains Mountain Islands Island Desert Range Peninsula Falls Peak Bay"
)
_APART = "\n|\n"
# Rejects words with which no name begins, by the first bits of their hash: 97 % of the sieve is
# empty.
_SIEVE_BITS = 16
_TO_SIEVE = np.uint64(64 - _SIEVE_BITS)
_SEVERAL, _ONE = 2, 1  # words that a name must have


class Toponym(NamedTuple):
    name: str
    point: Point
    areas: tuple[str, ...] = ()  # names of the places it is part of, the smallest first


class Toponyms:
    """`wordnet`: a gazetteer of WordNet's toponyms. Names that `gazetteer` has are left to it."""

    def __init__(self, wordnet: Gazetteer, gazetteer: Gazetteer) -> None:
        self._wordnet, self._names = wordnet, wordnet.names
        self._the = int(self._names.tokeniser.words("the").hash[0])
        self._least = self._words_needed(gazetteer)
        self._sieve = np.zeros(1 << _SIEVE_BITS, np.uint8)
        for bit, believed in (
            (_ONE, self._least == _ONE),
            (_SEVERAL, self._names.flags & IS_PREFIX != 0),
        ):
            self._sieve[(self._names.keys[believed] >> _TO_SIEVE).view(np.int64)] |= np.uint8(bit)
        self._found: dict[int, Toponym] = {}  # by name

    def in_text(
        self, tokens: TextTokens, *, caseless: bool = False
    ) -> tuple[Index, Index, list[Toponym]]:
        """Names in tokens: first and last token of each, and its toponym. They do not overlap."""
        first, last, name = longest(self._scan(tokens, caseless))
        least = self._least[name]
        believed = (least > 0) & (last - first + 1 >= (_SEVERAL if caseless else least))
        believed &= tokens.hash_at(first) != np.uint64(self._the)
        if not caseless:
            believed &= tokens.upper[last]
        first, last, name = first[believed], last[believed], name[believed]
        found = [self._found.get(index) or self._look_up(index) for index in name.tolist()]
        return first, last, found

    def in_lines(self, lines: Sequence[str]) -> list[list[Toponym]]:
        """The toponyms in each line of words without capitals, such as the words of URLs."""
        found: list[list[Toponym]] = [[] for _ in lines]
        done = 0
        for group in grouped(lines, len(_APART)):
            tokens = self._names.tokeniser.words(_APART.join(group))
            begins = np.array([0, *accumulate(len(line) + len(_APART) for line in group)][:-1])
            first, _, toponyms = self.in_text(tokens, caseless=True)
            numbers = np.searchsorted(begins, tokens.start[first], "right") - 1 + done
            for k, toponym in zip(numbers.tolist(), toponyms, strict=True):
                found[k].append(toponym)
            done += len(group)
        return found

    # --- names ------------------------------------------------------------------------------------

    def _scan(self, tokens: TextTokens, caseless: bool) -> Matches:
        """The longest name that begins at each token. As NameTable.scan, but by bisection: 8,000
        names fit into the cache."""
        first = np.arange(len(tokens.start)) if caseless else tokens.upper.nonzero()[0]
        run = tokens.hash_at(first)
        bits = _SEVERAL if caseless else _ONE | _SEVERAL
        here = (self._sieve[(run >> _TO_SIEVE).view(np.int64)] & bits).nonzero()[0]
        first = last = first[here]
        run = run[here]
        found: list[Matches] = []
        for _ in range(LONGEST):
            index = self._find(run)
            here = (index >= 0).nonzero()[0]
            here = here[(last[here] == first[here]) | tokens.joined_at(last[here] - 1)]
            first, last, run, index = first[here], last[here], run[here], index[here]
            flags = self._names.flags[index]
            whole = flags & IS_NAME != 0
            found.append(Matches(first[whole], last[whole], index[whole]))
            grow = (flags & IS_PREFIX != 0) & (last < len(tokens.start) - 1)
            first, last = first[grow], last[grow] + 1
            run = chain(run[grow], tokens.hash_at(last))
            if not len(first):
                break
        every = Matches(*(np.concatenate(column) for column in zip(*found, strict=True)))
        order = np.lexsort((-every.last, every.first))
        order = order[np.r_[True, np.diff(every.first[order]) > 0]] if len(order) else order
        return Matches(every.first[order], every.last[order], every.name[order])

    def _find(self, hashes: Hashes) -> Index:
        """For each hash its index in the table, or -1."""
        index = np.minimum(np.searchsorted(self._names.keys, hashes), len(self._names.keys) - 1)
        return np.where(self._names.keys[index] == hashes, index, -1)

    # --- look-up ----------------------------------------------------------------------------------

    def _words_needed(self, gazetteer: Gazetteer) -> Index:
        """For every name the number of words it must have; 0 if it is ignored."""
        names, tokeniser = self._names, self._names.tokeniser
        at = gazetteer.names.find(names.keys)
        known = (at >= 0) & (gazetteer.names.flags[np.maximum(at, 0)] & IS_NAME != 0)
        least = np.where((names.flags & IS_NAME != 0) & ~known, _SEVERAL, 0)
        single = {
            self._wordnet.name(row): row for row in range(len(self._wordnet)) if self._point(row)
        }
        single = {
            name: row
            for name, row in single.items()
            if name.isalpha() and name[0].isupper() and len(name) > 3
        }
        hashes = tokeniser.words(" ".join(single)).hash  # the hash of a single word is its key
        chained = chain(hashes[:, None], tokeniser.words(_LONGER).hash).ravel()
        longer = self._find(chained).reshape(len(hashes), -1)
        found = self._find(hashes).tolist()
        for index, others, row in zip(found, longer, single.values(), strict=True):
            short = any(row in names.postings(other)[0] for other in others[others >= 0].tolist())
            if least[index] and not short:
                least[index] = _ONE
        return least

    def _look_up(self, index: int) -> Toponym:
        """The place of a name: the one with the best claim to it, then the broadest."""
        rows, quality = self._names.postings(index)
        rows = rows[quality >= WEAK] if (quality >= WEAK).any() else rows
        primary = quality[: len(rows)] == PRIMARY
        best = int(rows[np.lexsort((self._wordnet.levels[rows], ~primary))[0]])
        areas = tuple(self._wordnet.name(row) for row in self._wordnet.rows_above(best))
        found = self._found[index] = Toponym(self._wordnet.name(best), self._point(best), areas)
        return found

    def named(self, text: str) -> list[Toponym]:
        """The toponyms that a text names, each once, in the order of the text."""
        found: dict[str, Toponym] = {}
        for tokens in self._names.tokeniser.chunks(text):
            for toponym in self.in_text(tokens)[2]:
                found.setdefault(toponym.name, toponym)
        return list(found.values())

    def _point(self, row: int) -> Point:
        """The coordinates of a place, or of the place it is part of."""
        while row >= 0 and self._wordnet.levels[row] >= _COUNTRY:
            point = self._wordnet.xyz[row]
            if np.isfinite(point).all():
                return tuple(point.tolist())
            row = int(self._wordnet.parents[row])
        return ()
