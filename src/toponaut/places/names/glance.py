"""A glance at a text: weights over places, without a decision on every name.

Weighing each name by its context, and resolving all of them together (weighing.py, resolve.py),
takes ten times as long as finding them, and most pages are not about a wanted place. A glance uses
the strongest evidence for its time: the prior odds of a name, "in" or "near" before it, and the
state or country right after it ("Paris, Texas"), which settles it in the whole text. The other
names get their likeliest place, unless the countries and states of the text support another one.
bench/judging.py measures how far both agree.
"""

from collections.abc import Iterable
from typing import Any

import cython
import numpy as np
from cython.cimports.libc.math import exp
from numpy.typing import NDArray

from toponaut.places.gazetteer.gazetteer import CODE, KINDS, WEAK, Gazetteer
from toponaut.places.names import evidence, resolve
from toponaut.places.names.context import ContextReader
from toponaut.places.names.evidence import EXPLICIT, abroad_odds
from toponaut.places.names.home_countries import ENGLISH, Home, country_rows
from toponaut.places.names.name_table import Matches
from toponaut.places.names.prior import prior
from toponaut.places.names.tokens import Bytes, Index, Ints, TextTokens
from toponaut.places.names.vocabulary import LOCATIVE
from toponaut.records import Kind

if not cython.compiled:
    raise ImportError("toponaut is not compiled: run make setup, or reinstall it")

_SURE = cython.declare(cython.double, 0.0)  # a name counts above these odds
_AFTER_LOCATIVE = cython.declare(cython.double, evidence.AFTER_LOCATIVE)
_LEAST = cython.declare(cython.double, -evidence.AFTER_LOCATIVE)  # prior odds of a name
_COMPANY = cython.declare(cython.double, 10.0)  # all others share country and state; swept 6-16
_LEAST_ABROAD = cython.declare(cython.double, 0.3)  # a place abroad needs more weight
_MOST = cython.declare(cython.Py_ssize_t, 5)  # candidates of a name; swept 3 to 8
_TEMPERATURE = cython.declare(cython.double, 1.5)  # how much unlikely candidates weigh
_FAINT = cython.declare(cython.double, 0.1)  # a share of belief below it does not vote
_RESERVE = cython.declare(cython.double, resolve.RESERVE)
_SAME_COUNTRY = cython.declare(cython.double, resolve.SAME_COUNTRY)
_SAME_STATE = cython.declare(cython.double, resolve.SAME_STATE)

_WEAK = cython.declare(cython.uchar, WEAK)
_COUNTRY = cython.declare(cython.Py_ssize_t, KINDS.index(Kind.COUNTRY))
_STATE = cython.declare(cython.Py_ssize_t, KINDS.index(Kind.STATE))
_MOST_CODES = 10_000  # in the cache
_LOCATIVE = frozenset(LOCATIVE.split())
_LONGEST = cython.declare(cython.Py_ssize_t, max(map(len, LOCATIVE.split())))


@cython.cclass
class _Chunk:
    """A chunk of text: its tokens, and the matches among them."""

    text: str
    start: cython.const[cython.longlong][::1]  # by token
    end: cython.const[cython.longlong][::1]
    upper: cython.const[cython.uchar][::1]
    first: cython.const[cython.longlong][::1]  # by match
    last: cython.const[cython.longlong][::1]
    name: cython.const[cython.longlong][::1]

    def __init__(self, text: str, tokens: TextTokens, matches: Matches) -> None:
        self.text = text
        self.start, self.end, self.upper = tokens.start, tokens.end, tokens.upper.view(np.uint8)
        self.first, self.last, self.name = matches

    @cython.cfunc
    def is_followed(self, k: cython.Py_ssize_t) -> cython.bint:
        """Whether two characters and a capital follow a match, as in ", Texas"."""
        after: cython.Py_ssize_t = self.last[k] + 1
        if after == self.start.shape[0] or not self.upper[after]:
            return False
        return self.start[after] - self.end[after - 1] == 2

    @cython.cfunc
    def is_after_locative(self, k: cython.Py_ssize_t) -> cython.bint:
        """Whether "in" or "near" is right before a match."""
        before: cython.Py_ssize_t = self.first[k] - 1
        if before < 0 or self.start[before + 1] - self.end[before] != 1:
            return False
        if self.end[before] - self.start[before] > _LONGEST:
            return False
        return self.text[self.start[before] : self.end[before]].lower() in _LOCATIVE


@cython.cclass
class _Candidates:
    """The candidates of names. Those of each name are adjacent, likeliest first."""

    row: cython.int[::1]
    quality: cython.uchar[::1]
    share: cython.double  # of belief in the last choice
    _score: cython.double[::1]  # prior.py
    _begin: cython.const[cython.longlong][::1]  # where those of each name begin, and the end
    _lineage: cython.const[cython.int][:, ::1]
    _heard: cython.double[::1]
    _own: cython.double[::1]  # votes of its own name for its country and state
    _tally: dict[int, float]  # votes of all names for countries and states, by row

    def __init__(
        self,
        lineage: Ints,
        rows: Ints,
        qualities: Bytes,
        scores: NDArray[np.float64],
        begins: Index,
    ) -> None:
        self.row, self.quality, self._score, self._begin = rows, qualities, scores, begins
        self._lineage, self._tally = lineage, {}
        self._heard, self._own = np.zeros((2, len(rows)))
        self._rank()

    @cython.cfunc
    def _rank(self) -> cython.void:
        """Put the likeliest candidate of each name first. They are few."""
        name: cython.Py_ssize_t
        k: cython.Py_ssize_t
        at: cython.Py_ssize_t
        for name in range(self._begin.shape[0] - 1):
            for k in range(self._begin[name] + 1, self._begin[name + 1]):
                at = k
                while at > self._begin[name] and self._score[at - 1] < self._score[at]:
                    self._swap(at - 1, at)
                    at -= 1

    @cython.cfunc
    def _swap(self, one: cython.Py_ssize_t, other: cython.Py_ssize_t) -> cython.void:
        self.row[one], self.row[other] = self.row[other], self.row[one]
        self.quality[one], self.quality[other] = self.quality[other], self.quality[one]
        self._score[one], self._score[other] = self._score[other], self._score[one]

    @cython.cfunc
    def vote(self) -> cython.void:
        """Let all names vote for the countries and states of their candidates."""
        name: cython.Py_ssize_t
        begin: cython.Py_ssize_t
        k: cython.Py_ssize_t
        total: cython.double
        for name in range(self._begin.shape[0] - 1):
            begin, total = self._begin[name], 0.0
            for k in range(begin, self._begin[name + 1]):
                self._heard[k] = exp((self._score[k] - self._score[begin]) / _TEMPERATURE)
                total += self._heard[k]
            for k in range(begin, self._begin[name + 1]):
                self._own[k] = _SAME_COUNTRY * self._vote(begin, k, _COUNTRY, total)
                self._own[k] += _SAME_STATE * self._vote(begin, k, _STATE, total)

    @cython.cfunc
    def _vote(
        self,
        begin: cython.Py_ssize_t,
        k: cython.Py_ssize_t,
        level: cython.Py_ssize_t,
        total: cython.double,
    ) -> cython.double:
        """The vote of a name for its k-th candidate's area, which counts once."""
        area: cython.int = self._lineage[self.row[k], level]
        first: cython.Py_ssize_t = begin
        while self._lineage[self.row[first], level] != area:
            first += 1
        if area < 0 or not self._heard[first] > _FAINT * total:
            return 0.0
        if first == k:
            self._tally[area] = self._tally.get(area, 0.0) + self._heard[k] / total
        return self._heard[first] / total

    @cython.cfunc
    def choose(self, name: cython.Py_ssize_t) -> cython.Py_ssize_t:
        """The candidate of a name with most support from the other names; -1 if it has none."""
        begin: cython.Py_ssize_t = self._begin[name]
        end: cython.Py_ssize_t = self._begin[name + 1]
        best: cython.Py_ssize_t = begin
        k: cython.Py_ssize_t
        per_vote: cython.double = _COMPANY / (_RESERVE + (self._begin.shape[0] - 1))
        country: cython.double
        state: cython.double
        total: cython.double = 0.0
        self.share = 1.0
        if end - begin < 2:
            return begin if begin < end else -1
        for k in range(begin, end):
            country = self._tally.get(self._lineage[self.row[k], _COUNTRY], 0.0)
            state = self._tally.get(self._lineage[self.row[k], _STATE], 0.0)
            self._score[k] += per_vote * (
                _SAME_COUNTRY * country + _SAME_STATE * state - self._own[k]
            )
            if self._score[k] > self._score[best]:
                best = k
        for k in range(begin, end):
            total += exp(self._score[k] - self._score[best])
        self.share = 1 / total
        return best


@cython.cclass
class Glancer:
    """Glances at texts."""

    _gazetteer: Any
    _contexts: Any
    _codes: dict[str, int]  # the names of codes; -1: not a code
    _english: Any  # a country's row
    _odds: cython.const[cython.double][::1]  # by name
    _posting_start: cython.const[cython.int][::1]
    _posting_row: cython.const[cython.int][::1]
    _posting_quality: cython.const[cython.uchar][::1]
    _ids: cython.const[cython.longlong][::1]  # by row, as those below
    _levels: cython.const[cython.uchar][::1]
    _lineage: cython.const[cython.int][:, ::1]
    _size: cython.const[cython.float][::1]

    def __init__(self, gazetteer: Gazetteer, contexts: ContextReader) -> None:
        names = gazetteer.names
        self._gazetteer, self._contexts, self._codes = gazetteer, contexts, {}
        self._english = country_rows(gazetteer)[ENGLISH]
        self._odds, self._posting_start = names.odds, names.posting_start
        self._posting_row, self._posting_quality = names.posting_row, names.posting_quality
        self._ids, self._levels = gazetteer.ids, gazetteer.levels
        self._lineage, self._size = gazetteer.lineage, gazetteer.prior

    def weights(
        self, text: str, chunks: Iterable[tuple[TextTokens, Matches]], home: Home = frozenset()
    ) -> dict[int, float]:
        """Place ids with weights. `home`: the home countries of the text (home_countries.py)."""
        beliefs: dict[int, float] = {}  # by name
        settled: dict[int, int] = {}  # the rows that names are settled on
        for tokens, matches in chunks:
            chunk: _Chunk = _Chunk(text, tokens, matches)
            self._add(chunk, self._settle(chunk, beliefs, settled), beliefs)
        return self._placed(beliefs, settled, home)

    # --- which names are places ---------------------------------------------------------------

    @cython.cfunc
    def _add(
        self, chunk: _Chunk, explicit: dict[int, float], beliefs: dict[int, float]
    ) -> cython.void:
        """Add the names of a chunk that are likely places. `explicit`: odds to add, by match."""
        k: cython.Py_ssize_t
        name: cython.Py_ssize_t
        odds: cython.double
        is_explicit: cython.bint
        for k in range(chunk.first.shape[0]):
            name = chunk.name[k]
            odds = self._odds[name]
            is_explicit = len(explicit) > 0 and k in explicit
            if not (odds > _LEAST or is_explicit) or not chunk.upper[chunk.last[k]]:
                continue
            if is_explicit:
                odds += explicit[k]
            if chunk.is_after_locative(k):
                odds += _AFTER_LOCATIVE
            if odds > _SURE:
                beliefs[name] = beliefs.get(name, 0.0) + 1 / (1 + exp(-odds))

    @cython.cfunc
    def _settle(self, chunk: _Chunk, beliefs: dict[int, float], settled: dict[int, int]) -> dict:  # type: ignore[type-arg]
        """Settle matches by a comma and an area after them. Returns odds to add, by match."""
        explicit: dict[int, float] = {}
        k: cython.Py_ssize_t
        after: cython.Py_ssize_t
        name: cython.Py_ssize_t
        code: cython.Py_ssize_t
        area: cython.Py_ssize_t
        listed: cython.bint
        for k in range(chunk.first.shape[0]):
            after, name = chunk.last[k] + 1, chunk.name[k]
            if not chunk.is_followed(k) or chunk.text[chunk.end[chunk.last[k]]] != ",":
                continue
            code = self._code(chunk.text[chunk.start[after] : chunk.end[after]])
            listed = k + 1 < chunk.first.shape[0] and chunk.first[k + 1] == after
            if code < 0 and (not listed or self._is_list(chunk, k)):
                continue
            area = code if code >= 0 else chunk.name[k + 1]
            inside, around = self._contexts.inside(name, area)
            if not len(inside):
                continue
            explicit[k] = EXPLICIT
            settled[name], settled[area] = int(inside[0]), int(around[0])
            if code >= 0:
                beliefs[area] = beliefs.get(area, 0.0) + 1.0
            if listed:  # a match that is really a code does not count
                explicit[k + 1] = -EXPLICIT if code >= 0 else EXPLICIT
        return explicit

    @cython.cfunc
    def _is_list(self, chunk: _Chunk, k: cython.Py_ssize_t) -> cython.bint:
        """Whether a match and the next are in a list of states."""
        is_area = self._contexts.is_area
        if chunk.name[k] == chunk.name[k + 1] or not is_area(chunk.name[k]):
            return False
        if k > 0 and chunk.is_followed(k - 1) and is_area(chunk.name[k - 1]):
            return True
        if k + 2 == chunk.first.shape[0] or not chunk.is_followed(k + 1):
            return False
        return is_area(chunk.name[k + 2])

    @cython.cfunc
    def _code(self, word: str) -> cython.Py_ssize_t:
        """The name of a code of two capitals such as "TX"; -1 if it is not a code."""
        if len(word) != 2 or not word.isupper():
            return -1
        if word not in self._codes:
            if len(self._codes) == _MOST_CODES:
                self._codes.clear()
            names = self._gazetteer.names
            name: int = names.lookup(word)
            self._codes[word] = name if name >= 0 and CODE in names.postings(name)[1] else -1
        return self._codes[word]

    # --- which places they are ----------------------------------------------------------------

    @cython.cfunc
    def _placed(self, beliefs: dict[int, float], settled: dict[int, int], home: Home) -> dict:  # type: ignore[type-arg]
        """The weights of the names' likeliest places."""
        candidates: _Candidates = self._candidates(beliefs, settled)
        chosen: list[int] = []
        shares: list[float] = []
        weights: dict[int, float] = {}
        english: cython.bint = self._english in home
        anywhere: cython.bint = not home
        near: cython.bint
        k: cython.Py_ssize_t
        one: cython.Py_ssize_t
        row: cython.Py_ssize_t
        weight: cython.double
        candidates.vote()
        for k in range(len(beliefs)):
            chosen.append(candidates.choose(k))
            shares.append(candidates.share)
        if home:
            home |= self._named_countries(candidates, chosen, english)
        for one, share, (name, belief) in zip(chosen, shares, beliefs.items(), strict=True):
            if one < 0:
                continue
            row, weight = candidates.row[one], belief * share
            near = anywhere or name in settled
            if not near and self._lineage[row, _STATE] < 0:
                near = not english
            elif not near:
                near = self._lineage[row, _COUNTRY] in home
            if not near:
                weight *= self._abroad(row, candidates.quality[one])
            if near or weight > _LEAST_ABROAD:
                place = self._ids[row]
                weights[place] = weights.get(place, 0.0) + weight
        return weights

    @cython.cfunc
    def _named_countries(
        self, candidates: _Candidates, chosen: list[int], english: cython.bint
    ) -> set:  # type: ignore[type-arg]
        """Countries that the text names: they count as home."""
        named: set[int] = set()
        one: cython.Py_ssize_t
        row: cython.Py_ssize_t
        for one in chosen:
            row = candidates.row[one] if one >= 0 else -1
            if row < 0 or self._lineage[row, _STATE] >= 0:
                continue
            if not english or self._abroad(row, candidates.quality[one]) == 1.0:
                named.add(self._lineage[row, _COUNTRY])
        return named

    @cython.cfunc
    def _abroad(self, row: cython.Py_ssize_t, quality: cython.uchar) -> cython.double:
        """The factor of belief in a place outside of the home countries."""
        return exp(abroad_odds(self._size[row], self._levels[row], quality))

    @cython.cfunc
    def _candidates(self, beliefs: dict[int, float], settled: dict[int, int]) -> _Candidates:
        """The candidates of names: the row that a name is settled on, or its first ones."""
        rows = np.empty(_MOST * len(beliefs), np.int32)
        qualities = np.empty(_MOST * len(beliefs), np.uint8)
        begins = np.empty(len(beliefs) + 1, np.int64)
        row: cython.int[::1] = rows
        quality: cython.uchar[::1] = qualities
        begin: cython.longlong[::1] = begins
        names: cython.Py_ssize_t = 0
        count: cython.Py_ssize_t = 0
        name: cython.Py_ssize_t
        only: cython.Py_ssize_t
        posting: cython.Py_ssize_t
        for name in beliefs:
            begin[names] = count
            only = settled.get(name, -1)
            for posting in range(self._posting_start[name], self._posting_start[name + 1]):
                row[count] = self._posting_row[posting]
                quality[count] = self._posting_quality[posting]
                count += row[count] == only if only >= 0 else quality[count] >= _WEAK
                if count == begin[names] + _MOST:
                    break
            names += 1
        begin[names] = count
        rows, qualities = rows[:count], qualities[:count]
        scores = prior(self._gazetteer, rows, qualities, begins)
        return _Candidates(self._gazetteer.lineage, rows, qualities, scores, begins)
