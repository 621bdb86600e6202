"""Context right next to a name: "Paris, Texas", "Portland, OR", "26121 Oldenburg".

Reads from right to left, so that "Paris, Lamar County, Texas" settles the county before the town.
Context counts only if the gazetteer has the name in that area. A list of cities ("Paris, London and
Rome") is not context, nor is a list of states: "Delaware, Ohio, Nevada, Iowa" are four, though Ohio
has a Delaware and Iowa a Nevada. Nor are names in lines below each other: these are mostly lists.
"""

import re
from dataclasses import dataclass, field
from typing import Any

import cython
import numpy as np

from toponaut.places.gazetteer.gazetteer import CODE, KINDS, Gazetteer, great_circle_km
from toponaut.places.names.name_table import Matches
from toponaut.places.names.tokens import Ints, TextTokens
from toponaut.records import Kind

if not cython.compiled:
    raise ImportError("toponaut is not compiled: run make setup, or reinstall it")

_REMEMBERED = 50_000  # pairs of names: pages often name the same towns
_WIDEST_GAP = cython.declare(cython.Py_ssize_t, 4)
_GAP = re.compile(r"\s{0,2},?\s{0,2}\(?|\s?[-–/|·•]\s?")
_LONGEST_CODE = cython.declare(cython.Py_ssize_t, 5)
_MOST_INITIALS = cython.declare(cython.Py_ssize_t, 3)  # "P.E.I." has three tokens
_CODE = cython.declare(cython.uchar, CODE)
_COUNTY = cython.declare(cython.uchar, KINDS.index(Kind.COUNTY))
_STATE = cython.declare(cython.uchar, KINDS.index(Kind.STATE))
# Largest distance between the centres of a postcode and of its town.
_POSTCODE_KM = 40.0
# Countries that write the postcode before the town.
_POSTCODE_FIRST = frozenset(
    {"DE", "AT", "CH", "FR", "IT", "ES", "PT", "NL", "BE", "DK", "SE", "NO", "FI", "PL", "CZ"}
)


@dataclass
class ChunkContext:
    """What the context settles, for the matches of one chunk."""

    candidates: dict[int, Ints] = field(default_factory=dict)  # match -> the rows that remain
    # Abbreviations: start, end, name, row.
    codes: list[tuple[int, int, int, int]] = field(default_factory=list)
    dropped: set[int] = field(default_factory=set)  # matches that turned out to be abbreviations


@cython.cclass
class ContextReader:
    """Reads the context of names. Caches look-ups across documents."""

    gazetteer: Any
    _names: Any
    _state_word: cython.ulonglong
    _known: dict[tuple[int, int], tuple[Any, Any]]  # by names of town and area
    _posting_start: cython.const[cython.int][::1]  # by name
    _posting_row: cython.const[cython.int][::1]
    _posting_quality: cython.const[cython.uchar][::1]
    _levels: cython.const[cython.uchar][::1]  # by row, as those below
    _lineage: cython.const[cython.int][:, ::1]
    _size: cython.const[cython.float][::1]

    def __init__(self, gazetteer: Gazetteer) -> None:
        names = gazetteer.names
        self.gazetteer, self._names, self._known = gazetteer, names, {}
        self._state_word = names.tokeniser.words("state").hash[0]
        self._posting_start, self._posting_row = names.posting_start, names.posting_row
        self._posting_quality = names.posting_quality
        self._levels, self._lineage = gazetteer.levels, gazetteer.lineage
        self._size = gazetteer.prior

    def read(self, text: str, tokens: TextTokens, found: Matches) -> ChunkContext:
        """The context of the matches of a chunk, which are in order and do not overlap."""
        reader: _ChunkReader = _ChunkReader(self, text, tokens, found)
        k: cython.Py_ssize_t
        for k in range(len(found.first) - 1, -1, -1):
            reader.settle(k)
        return reader.context

    def inside(self, name: int, area: int) -> tuple[Ints, Ints]:
        """As `_inside` below, for the names of a town and of an area.

        "New York, New York" is a town in its state. But "Florida" twice does not mean the one in
        Uruguay's Florida, because the name mostly means another place.
        """
        known = self._known.get((name, area))
        if known is None:
            rows, areas = self.rows(name), self.rows(area)
            known = self._inside(rows, areas)
            if name == area and rows[0] not in known[0] and rows[0] not in known[1]:
                known = known[0][:0], known[1][:0]
            if len(self._known) < _REMEMBERED:
                self._known[name, area] = known
        return known

    def is_area(self, name: cython.Py_ssize_t) -> bool:
        """Whether a name mostly means a state, a country or more."""
        return self._levels[self._posting_row[self._posting_start[name]]] <= _STATE

    @cython.cfunc
    def rows(self, name: int) -> object:
        """The places of a name."""
        return self._names.postings(name)[0]

    @cython.cfunc
    def is_code(self, name: cython.Py_ssize_t) -> cython.bint:
        """Whether a name is the abbreviation of a place."""
        at: cython.Py_ssize_t
        for at in range(self._posting_start[name], self._posting_start[name + 1]):
            if self._posting_quality[at] == _CODE:
                return True
        return False

    @cython.cfunc
    def _inside(self, rows: Any, areas: Any) -> tuple:  # type: ignore[type-arg]
        """The rows that are in one of `areas`, and the areas around the largest of these rows."""
        row: cython.const[cython.int][:] = rows
        k: cython.Py_ssize_t
        largest: cython.Py_ssize_t = -1
        around: list[int] = [area for area in areas.tolist() if self._levels[area] <= _COUNTY]
        inside: list[int] = []
        for k in range(row.shape[0]):
            if self._is_inside(row[k], around):
                inside.append(row[k])
                if largest < 0 or self._size[row[k]] > self._size[largest]:
                    largest = row[k]
        around = [area for area in around if largest >= 0 and self._is_above(area, largest)]
        return np.array(inside, np.int32), np.array(around, np.int32)

    @cython.cfunc
    def _is_inside(self, row: cython.int, areas: list[int]) -> cython.bint:
        area: cython.int
        for area in areas:  # noqa: SIM110
            if area != row and self._is_above(area, row):  # no place is in itself
                return True
        return False

    @cython.cfunc
    def _is_above(self, area: cython.int, row: cython.Py_ssize_t) -> cython.bint:
        level: cython.Py_ssize_t
        for level in range(self._lineage.shape[1]):  # noqa: SIM110
            if self._lineage[row, level] == area:
                return True
        return False


@cython.cclass
class _ChunkReader:
    """Settles the matches of a chunk that have context."""

    context: Any
    _contexts: ContextReader
    _text: str
    _tokens: Any
    _start: cython.const[cython.longlong][::1]  # by token
    _end: cython.const[cython.longlong][::1]
    _upper: cython.const[cython.uchar][::1]
    _joined: cython.const[cython.uchar][::1]
    _hash: cython.const[cython.ulonglong][::1]
    _first: cython.const[cython.longlong][::1]  # by match
    _last: cython.const[cython.longlong][::1]
    _name: cython.const[cython.longlong][::1]

    def __init__(
        self, contexts: ContextReader, text: str, tokens: TextTokens, found: Matches
    ) -> None:
        self._contexts, self._text, self._tokens = contexts, text, tokens
        self._start, self._end, self._hash = tokens.start, tokens.end, tokens.hash
        self._upper, self._joined = tokens.upper.view(np.uint8), tokens.joined.view(np.uint8)
        self._first, self._last, self._name = found
        self.context = ChunkContext()

    @cython.cfunc
    def settle(self, k: cython.Py_ssize_t) -> cython.void:
        """By the words after a match, else by the word before it."""
        after: cython.Py_ssize_t = self._last[k] + 1
        end: cython.Py_ssize_t = self._end[after - 1]
        if after < self._start.shape[0] and self._start[after] - end <= _WIDEST_GAP:
            if self._by_area(k, after):
                return
            if self._hash[after] == self._contexts._state_word and self._names_state(end):
                self._keep(k, self._states(k))
                return
        before: cython.Py_ssize_t = max(self._first[k] - 1, 0)
        self._by_word_before(k, self._start[before], self._end[before])

    @cython.cfunc
    def _names_state(self, end: cython.Py_ssize_t) -> cython.bint:
        """Whether "state" follows."""
        return self._text.startswith(" state", end) and not self._text[end + 6 : end + 7].isalnum()

    @cython.cfunc
    def _by_area(self, k: cython.Py_ssize_t, after: cython.Py_ssize_t) -> cython.bint:
        """By an abbreviation or the name of an area after a match."""
        followed: cython.bint = k + 1 < self._first.shape[0] and self._first[k + 1] == after
        last: cython.Py_ssize_t
        code: cython.Py_ssize_t
        last, code = self._code(after)
        if not followed and code < 0:
            return False
        if not _GAP.fullmatch(self._text, self._end[after - 1], self._start[after]):
            return False
        if code >= 0 and self._by_code(k, after, last, code):
            return True
        if not followed or self._is_list(k) or self._is_pronoun(k + 1):
            return False
        areas = self.context.candidates.get(k + 1)
        if areas is None:
            inside, around = self._contexts.inside(self._name[k], self._name[k + 1])
        else:
            inside, around = self._contexts._inside(self._contexts.rows(self._name[k]), areas)
        if not len(inside):
            return False
        self.context.candidates[k], self.context.candidates[k + 1] = inside, around
        return True

    @cython.cfunc
    def _code(self, at: cython.Py_ssize_t) -> tuple[cython.Py_ssize_t, cython.Py_ssize_t]:
        """The longest abbreviation of a state or country at a token: last token and name, or -1."""
        found: tuple[cython.Py_ssize_t, cython.Py_ssize_t] = (-1, -1)
        last: cython.Py_ssize_t = at
        name: cython.Py_ssize_t
        if not self._upper[at] or self._end[at] - self._start[at] > _LONGEST_CODE:
            return found
        while True:
            name = self._contexts._names.find_run(self._tokens.hash[at : last + 1])
            # In this order: few words look like codes.
            if name >= 0 and self._looks_like_code(at, last) and self._contexts.is_code(name):
                found = (last, name)
            if self._end[last] - self._start[last] > 2 or not self._joined[last]:
                return found
            last += 1
            if last - at == _MOST_INITIALS:
                return found

    @cython.cfunc
    def _looks_like_code(self, first: cython.Py_ssize_t, last: cython.Py_ssize_t) -> cython.bint:
        """Whether it looks like "TX", "D.C.", "Tex." or ", Ont"; not like "in", "or", "me"."""
        start: cython.Py_ssize_t = self._start[first]
        end: cython.Py_ssize_t = self._end[last]
        if self._text[start:end].isupper() or self._text[end : end + 1] == ".":
            return True
        return end - start > 2 and self._text[max(0, start - 2) : start] == ", "

    @cython.cfunc
    def _by_code(
        self,
        k: cython.Py_ssize_t,
        after: cython.Py_ssize_t,
        last: cython.Py_ssize_t,
        code: cython.Py_ssize_t,
    ) -> cython.bint:
        """By an abbreviation, from one token to another."""
        inside, around = self._contexts.inside(self._name[k], code)
        if not len(inside):
            return False
        start: cython.Py_ssize_t = self._start[after]
        end: cython.Py_ssize_t = _with_stop(self._text, start, self._end[last])
        covered: cython.Py_ssize_t = k + 1
        self.context.candidates[k] = inside
        self.context.codes.append((start, end, code, int(around[0])))
        while covered < self._first.shape[0] and self._first[covered] <= last:
            self.context.dropped.add(covered)
            covered += 1
        return True

    @cython.cfunc
    def _is_list(self, k: cython.Py_ssize_t) -> cython.bint:
        """Whether a match and the next are items of a list, by line ends and states around them."""
        is_area = self._contexts.is_area
        gap: str = self._gap(k)
        if "," not in gap and "\n" in gap:
            return True
        if self._name[k] == self._name[k + 1] or not is_area(self._name[k]):
            return False
        if "," not in gap or (self._gap(k - 1) == ", " and is_area(self._name[k - 1])):
            return True
        return self._gap(k + 1) == ", " and is_area(self._name[k + 2])

    @cython.cfunc
    def _is_pronoun(self, k: cython.Py_ssize_t) -> cython.bint:
        """Whether a match is a word such as "us", not an area: "Call Us", but "Call, US"."""
        start: cython.Py_ssize_t = self._start[self._first[k]]
        end: cython.Py_ssize_t = self._end[self._last[k]]
        return end - start <= 2 and not self._text[start:end].isupper()

    @cython.cfunc
    def _gap(self, k: cython.Py_ssize_t) -> str:
        """The text between a match and the next, up to a few characters; "" for the last match."""
        if not 0 <= k < self._first.shape[0] - 1:
            return ""
        end: cython.Py_ssize_t = self._end[self._last[k]]
        return self._text[end : min(self._start[self._first[k + 1]], end + _WIDEST_GAP + 1)]

    @cython.cfunc
    def _by_word_before(
        self, k: cython.Py_ssize_t, start: cython.Py_ssize_t, end: cython.Py_ssize_t
    ) -> cython.void:
        """By a postcode before the name, or by "state of"."""
        if 4 <= end - start <= 5 and self._text[start:end].isdecimal():
            gazetteer, rows = self._contexts.gazetteer, self._contexts.rows(self._name[k])
            self._keep(k, _by_postcode(gazetteer, rows, self._text[start:end]))
        elif end - start == 2 and self._text[max(0, start - 6) : end].lower() == "state of":
            self._keep(k, self._states(k))

    @cython.cfunc
    def _states(self, k: cython.Py_ssize_t) -> object:
        rows = self._contexts.rows(self._name[k])
        return rows[self._contexts.gazetteer.levels[rows] == _STATE]

    @cython.cfunc
    def _keep(self, k: cython.Py_ssize_t, rows: Any) -> cython.void:
        if len(rows):
            self.context.candidates[k] = rows


def _with_stop(text: str, start: int, end: int) -> int:
    """The end with the full stop of "Calif." or "N.Y."; the one after "OR" ends a sentence."""
    word = text[start:end]
    stopped = text[end : end + 1] == "." and not (word.isupper() and word.isalpha())
    return end + 1 if stopped else end


def _by_postcode(gazetteer: Gazetteer, rows: Ints, code: str) -> Ints:
    """The rows near the area of a postcode before the name."""
    kept = []
    for row in rows.tolist():
        country = gazetteer.country(row)
        if country not in _POSTCODE_FIRST:
            continue
        if (area := gazetteer.postcode(country, code)) and area.code == code:
            lat, lon = gazetteer.latlon[row]
            if great_circle_km(lat, lon, area.lat, area.lon) <= _POSTCODE_KM:
                kept.append(row)
    return np.array(kept, np.int32)
