"""What stands right beside a name and says which place it is: "Paris, Texas", "Portland, OR", "26121 Oldenburg".

Read from right to left, so that "Paris, Lamar County, Texas" settles the county before the town. Context counts only
if the gazetteer has the name in that area; a list of cities ("Paris, London and Rome") says nothing.
"""

import re
from dataclasses import dataclass, field

import numpy as np

from toponaut.places.gazetteer import CODE, KINDS, Gazetteer, great_circle_km
from toponaut.places.nametable import Matches
from toponaut.places.tokens import Ints, Tokens, chain
from toponaut.records import Kind

Memory = dict[tuple[int, int], tuple[Ints, Ints]]  # names of a town and of an area -> what lies in what
_REMEMBERED = 50_000

_WIDEST_GAP = 4
_GAP = re.compile(r"\s{0,2},?\s{0,2}\(?|\s?[-–/|·•]\s?")
_COUNTY, _STATE = KINDS.index(Kind.COUNTY), KINDS.index(Kind.STATE)
# A postcode's own centre and its town's middle are at most so far apart.
_POSTCODE_KM = 40.0
# Countries that write the postcode before the town.
_POSTCODE_FIRST = frozenset({"DE", "AT", "CH", "FR", "IT", "ES", "PT", "NL", "BE", "DK", "SE", "NO", "FI", "PL", "CZ"})


@dataclass
class Context:
    """What the neighbours settle, for the matches of one chunk."""

    candidates: dict[int, Ints] = field(default_factory=dict)  # match -> the rows that remain
    codes: list[tuple[int, int, int, int]] = field(default_factory=list)  # abbreviations: start, end, name, row
    dropped: set[int] = field(default_factory=set)  # matches that turned out to be abbreviations


def read_context(gazetteer: Gazetteer, text: str, tokens: Tokens, found: Matches, memory: Memory) -> Context:
    """`memory` keeps what was looked up from one document to the next; it changes no answer."""
    reader = _Reader(gazetteer, text, tokens, found, memory)
    for k in range(len(found.first) - 1, -1, -1):
        reader.settle(k)
    return reader.context


class _Reader:
    """Goes through the matches of a chunk; what it needs of their neighbours is taken from the arrays once."""

    def __init__(self, gazetteer: Gazetteer, text: str, tokens: Tokens, found: Matches, memory: Memory) -> None:
        self.gazetteer, self.text, self.tokens, self.found, self.memory = gazetteer, text, tokens, found, memory
        self.context = Context()
        self.begins = {first: k for k, first in enumerate(found.first.tolist())}
        self.codes = _codes_after(gazetteer, text, tokens, found)
        last_token = len(tokens.start) - 1
        after = np.minimum(found.last + 1, last_token)
        self.after = np.where(found.last < last_token, after, -1).tolist()
        self.gaps = list(zip(tokens.end[found.last].tolist(), tokens.start[after].tolist(), strict=True))
        before = np.maximum(found.first - 1, 0)
        self.before = list(zip(tokens.start[before].tolist(), tokens.end[before].tolist(), strict=True))

    def settle(self, k: int) -> None:
        after = self.after[k]
        if after >= 0:
            end, start = self.gaps[k]
            told = after in self.codes or after in self.begins
            if (
                told
                and start - end <= _WIDEST_GAP
                and _GAP.fullmatch(self.text, end, start)
                and self._by_area(k, after)
            ):
                return
            if self.text.startswith(" state", end) and not self.text[end + 6 : end + 7].isalnum():
                self._keep(k, self._states(k))
                return
        self._by_word_before(k)

    def _by_area(self, k: int, after: int) -> bool:
        """By the abbreviation or the name of an area that follows."""
        if after in self.codes:
            last, name = self.codes[after]
            inside, around = self._inside(k, name)
            if len(inside):
                self.context.candidates[k] = inside
                start, end = int(self.tokens.start[after]), int(self.tokens.end[last])
                self.context.codes.append((start, _with_stop(self.text, start, end), name, int(around[0])))
                self.context.dropped |= {self.begins[t] for t in range(after, last + 1) if t in self.begins}
                return True
        follower = self.begins.get(after)
        if follower is None:
            return False
        areas = self.context.candidates.get(follower)
        if areas is None:
            inside, around = self._inside(k, int(self.found.name[follower]))
        else:
            inside, around = _inside(self.gazetteer, self._rows(k), areas)
        if len(inside):
            self.context.candidates[k], self.context.candidates[follower] = inside, around
        return len(inside) > 0

    def _by_word_before(self, k: int) -> None:
        """By a postcode before the name, or by "state of"."""
        start, end = self.before[k]
        if end - start in (4, 5) and self.text[start:end].isdecimal():
            self._keep(k, _by_postcode(self.gazetteer, self._rows(k), self.text[start:end]))
        elif end - start == 2 and self.text[max(0, start - 6) : end].lower() == "state of":
            self._keep(k, self._states(k))

    def _inside(self, k: int, area: int) -> tuple[Ints, Ints]:
        """As `_inside` below, for a match and the name of an area; remembered, for pages name the same towns often."""
        key = (int(self.found.name[k]), area)
        known = self.memory.get(key)
        if known is None:
            known = _inside(self.gazetteer, self._rows(k), self.gazetteer.names.postings(area)[0])
            if len(self.memory) < _REMEMBERED:
                self.memory[key] = known
        return known

    def _rows(self, k: int) -> Ints:
        return self.gazetteer.names.postings(int(self.found.name[k]))[0]

    def _states(self, k: int) -> Ints:
        rows = self._rows(k)
        return np.asarray(rows[self.gazetteer.levels[rows] == _STATE])

    def _keep(self, k: int, rows: Ints) -> None:
        if len(rows):
            self.context.candidates[k] = rows


def _inside(gazetteer: Gazetteer, rows: Ints, areas: Ints) -> tuple[Ints, Ints]:
    """Of `rows` those that lie in one of `areas`, and the areas around the largest of them."""
    areas = areas[gazetteer.levels[areas] <= _COUNTY]
    if not len(areas):
        return rows[:0], areas
    lineage = gazetteer.lineage[rows]
    lineage = np.where(lineage == rows[:, None], -2, lineage)  # nothing lies in itself
    inside = rows[(lineage[:, :, None] == areas).any(axis=(1, 2))]
    if not len(inside):
        return inside, inside
    largest = inside[np.argmax(gazetteer.prior[inside])]
    return inside, areas[(gazetteer.lineage[largest][:, None] == areas).any(axis=0)]


def _codes_after(gazetteer: Gazetteer, text: str, tokens: Tokens, found: Matches) -> dict[int, tuple[int, int]]:
    """Abbreviations of states and countries after matches: first token -> (last token, name). Longest first."""
    names = gazetteer.names
    first = np.unique(found.last + 1)
    first = first[first < len(tokens.start)]
    near = tokens.start[first] - tokens.end[first - 1] <= _WIDEST_GAP
    first = first[near & tokens.upper[first] & (tokens.end[first] - tokens.start[first] <= 5)]
    codes: dict[int, tuple[int, int]] = {}
    if not len(first):
        return codes
    run, last = tokens.hash[first], first
    for _ in range(3):  # "P.E.I." has three tokens
        index = names.find(run)
        for k in np.flatnonzero(index >= 0).tolist():
            name, begin, end = int(index[k]), int(first[k]), int(last[k])
            if CODE in names.postings(name)[1] and _looks_like_code(text, tokens, begin, end):
                codes[begin] = (end, name)
        grow = (tokens.end[last] - tokens.start[last] <= 2) & tokens.joined[last]
        if not grow.any():
            break
        first, last = first[grow], last[grow] + 1
        run = chain(run[grow], tokens.hash[last])
    return codes


def _looks_like_code(text: str, tokens: Tokens, first: int, last: int) -> bool:
    """ "TX" and "D.C." in capitals; "Tex." with its stop; "Ont" by its comma. Never "in", "or", "me"."""
    start, end = int(tokens.start[first]), int(tokens.end[last])
    word = text[start:end]
    return word.isupper() or text[end : end + 1] == "." or (len(word) > 2 and text[max(0, start - 2) : start] == ", ")


def _with_stop(text: str, start: int, end: int) -> int:
    """The stop of "Calif." and "N.Y." belongs to them; the one after "OR" ends a sentence."""
    word = text[start:end]
    return end + 1 if text[end : end + 1] == "." and not (word.isupper() and word.isalpha()) else end


def _by_postcode(gazetteer: Gazetteer, rows: Ints, code: str) -> Ints:
    """Of `rows` those that a postcode before the name points to."""
    kept = []
    for row in rows.tolist():
        country = gazetteer.country(row)
        if country in _POSTCODE_FIRST and (area := gazetteer.postcode(country, code)) and area.code == code:
            lat, lon = gazetteer.latlon[row]
            if great_circle_km(lat, lon, area.lat, area.lon) <= _POSTCODE_KM:
                kept.append(row)
    return np.array(kept, np.int32)
