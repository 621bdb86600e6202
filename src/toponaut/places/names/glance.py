"""A glance at a text: weights over places, without a decision on every name.

Weighing each name by its context, and resolving all of them together (weighing.py, resolve.py),
takes ten times as long as finding them, and most pages are not about a wanted place. A glance uses
the strongest evidence for its time: the prior odds of a name, "in" or "near" before it, and the
state or country right after it ("Paris, Texas"), which settles it in the whole text. The other
names get their likeliest place, unless the countries and states of the text support another one.

The compiled kernel (kernels/glance.c) takes 25 us a page and needs no cache. Here the meanings of
names are cached.

The heaviest place is the same as in a full resolution on 81 % of the pages of bench/crawl and 58 %
of the texts of bench/toponyms (bench/judging.py).
"""

from collections.abc import Iterable, Mapping, Sequence
from functools import reduce
from itertools import islice
from math import exp
from operator import add
from typing import NamedTuple

import numpy as np

from toponaut.places.gazetteer.gazetteer import CODE, WEAK, Gazetteer
from toponaut.places.names.context import ContextReader
from toponaut.places.names.evidence import (
    AFTER_LOCATIVE,
    ALIAS_ABROAD,
    EXONYM,
    EXPLICIT,
    STATE_ABROAD,
    TOWN_ABROAD,
    abroad_odds,
)
from toponaut.places.names.home_countries import ENGLISH, Home, country_rows
from toponaut.places.names.name_table import Matches
from toponaut.places.names.resolve import (
    BY_ALIAS,
    BY_WEAK_ALIAS,
    LARGE_NAMESAKE,
    NAMESAKE,
    PART_OF_TOWN,
    RESERVE,
    SAME_COUNTRY,
    SAME_STATE,
    SIZE,
    TOWN,
    prior,
)
from toponaut.places.names.tokens import Bytes, Index, Ints, TextTokens
from toponaut.places.names.vocabulary import LOCATIVE

# A name counts above these odds. Swept -0.5, 0 and 0.5: equal within 0.03 of shared weight.
SURE = 0.0
COMPANY = 10.0  # for a candidate whose country and state all others share. Swept 6 to 16: 10 wins.
LEAST_ABROAD = 0.3  # a place abroad needs more weight than this: a town of even odds three times
CANDIDATES = 5  # of a name. Swept 3 to 8: more change little.
_TEMPERATURE = 1.5  # how much weight unlikely candidates of a name get
_LEAST = SURE - AFTER_LOCATIVE  # prior odds of a name, unless its state or country follows
_LOCATIVE = tuple(LOCATIVE.split())
_FAINT = 0.1  # a share of belief below it does not vote
_REMEMBERED = 50_000  # names with the places they are settled on
# For the kernel, in the order of struct Weights (kernels/glance.h).
_WEIGHTS = np.array(
    [
        *(EXPLICIT, AFTER_LOCATIVE, SURE, _LEAST),
        *(SIZE, BY_ALIAS, BY_WEAK_ALIAS, PART_OF_TOWN, NAMESAKE, LARGE_NAMESAKE, TOWN),
        *(_TEMPERATURE, _FAINT, SAME_COUNTRY, SAME_STATE, COMPANY, RESERVE),
        *(LEAST_ABROAD, EXONYM, ALIAS_ABROAD, *TOWN_ABROAD, *STATE_ABROAD),
    ]
)


class _GlanceCandidate(NamedTuple):
    place: int
    score: float
    country: int  # rows; -1: no such area
    state: int
    own: float  # votes of its own name for its country and state
    abroad: float  # factor of belief if it is outside of the home countries


class _NameMeaning(NamedTuple):
    """The candidates of a name, likeliest first, and its votes for countries and states."""

    candidates: tuple[_GlanceCandidate, ...]
    votes: tuple[tuple[int, float], ...]  # by row


class Glancer:
    """Glances at texts. Caches look-ups across texts."""

    def __init__(self, gazetteer: Gazetteer, contexts: ContextReader) -> None:
        self._gazetteer, self._contexts = gazetteer, contexts
        # By name and the row it is settled on (-1: not settled).
        self._meanings: dict[tuple[int, int], _NameMeaning] = {}
        self._codes: dict[str, int] = {}  # the names of codes; -1: not a code
        self._english = country_rows(gazetteer)[ENGLISH]
        names = gazetteer.names
        self._columns = (
            names.odds, names.posting_start, names.posting_row, names.posting_quality,
            gazetteer.ids, gazetteer.levels, gazetteer.lineage, gazetteer.prior,
        )  # fmt: skip

    def weights(
        self, text: str, chunks: Iterable[tuple[TextTokens, Matches]], home: Home = frozenset()
    ) -> dict[int, float]:
        """Place ids with weights. `home`: the home countries of the text (home_countries.py)."""
        if kernels := self._gazetteer.names.kernels:
            parts = [
                (tokens.chars.planes, tokens.start, tokens.end, tokens.upper, *found)
                for tokens, found in chunks
            ]
            table, english = self._gazetteer.names.columns, self._english in home
            return kernels.glance(
                text, parts, table, self._columns, _WEIGHTS, _LOCATIVE, home, english
            )
        state = _GlanceState({}, {})
        for tokens, matches in chunks:
            self._add(text, tokens, matches, state)
        return self._placed(state, home)

    # --- which names are places ---------------------------------------------------------------

    def _add(self, text: str, tokens: TextTokens, matches: Matches, state: "_GlanceState") -> None:
        explicit = self._settle(text, tokens, matches, state)
        itself = self._gazetteer.names.odds[matches.name]
        likely = itself > _LEAST
        likely[list(explicit)] = True
        some = likely.nonzero()[0]
        first = matches.first[some]
        columns = (
            some, itself[some], matches.name[some], tokens.upper[matches.last[some]],
            tokens.start[first - 1], tokens.end[first - 1], tokens.start[first],
        )  # fmt: skip
        for k, odds, name, ends_upper, begin, stop, start in zip(
            *(column.tolist() for column in columns), strict=True
        ):
            odds += explicit.get(k, 0.0)
            if start - stop == 1 and text[begin:stop].lower() in _LOCATIVE:
                odds += AFTER_LOCATIVE
            if odds > SURE and ends_upper:
                state.beliefs[name] = state.beliefs.get(name, 0.0) + 1 / (1 + exp(-odds))

    def _settle(
        self, text: str, tokens: TextTokens, matches: Matches, state: "_GlanceState"
    ) -> dict[int, float]:
        """Settle matches by a comma and an area after them. Returns odds to add, by match."""
        explicit: dict[int, float] = {}
        after = np.minimum(matches.last + 1, len(tokens.start) - 1)
        near = (tokens.start[after] - tokens.end[matches.last] == 2) & tokens.upper[after]
        which = near.nonzero()[0]
        ends, following = tokens.end[matches.last[which]].tolist(), after[which].tolist()
        names, firsts = matches.name.tolist(), matches.first.tolist()
        for k, end, token in zip(which.tolist(), ends, following, strict=True):
            if text[end] != ",":
                continue
            listed = k + 1 < len(firsts) and firsts[k + 1] == token
            code = self._code(text, tokens, token)
            if code < 0 and (not listed or self._is_list(names, k, which)):
                continue
            area = code if code >= 0 else names[k + 1]
            inside, around = self._contexts.inside(names[k], area)
            if len(inside):
                explicit[k] = EXPLICIT
                state.settled[names[k]], state.settled[area] = int(inside[0]), int(around[0])
                if code >= 0:
                    state.beliefs[area] = state.beliefs.get(area, 0.0) + 1.0
                if listed:  # a match that is really a code does not count
                    explicit[k + 1] = -EXPLICIT if code >= 0 else EXPLICIT
        return explicit

    def _is_list(self, names: Sequence[int], k: int, near: Index) -> bool:
        """Whether a match and the next are in a list of states. `near`: matches before commas."""
        is_area = self._contexts.is_area
        if names[k] == names[k + 1] or not is_area(names[k]):
            return False
        more = [
            one for at, one in ((k - 1, k - 1), (k + 1, k + 2)) if at in near and one < len(names)
        ]
        return any(is_area(names[one]) for one in more)

    def _code(self, text: str, tokens: TextTokens, token: int) -> int:
        """The name of a code of two capitals such as "TX"; -1 if it is not a code."""
        start, end = int(tokens.start[token]), int(tokens.end[token])
        code = text[start:end]
        if len(code) != 2 or not code.isupper():
            return -1
        if code not in self._codes:
            _forget_if_full(self._codes)
            names = self._gazetteer.names
            index = int(names.find(tokens.hash_at(np.array([token])))[0])
            self._codes[code] = index if index >= 0 and CODE in names.postings(index)[1] else -1
        return self._codes[code]

    # --- which places they are ----------------------------------------------------------------

    def _placed(self, state: "_GlanceState", home: Home) -> dict[int, float]:
        _forget_if_full(self._meanings)
        keys = [(name, state.settled.get(name, -1)) for name in state.beliefs]
        self._learn([key for key in keys if key not in self._meanings])
        named = [
            (self._meanings[key], belief)
            for key, belief in zip(keys, state.beliefs.values(), strict=True)
        ]
        tally: dict[int, float] = {}
        for meant, _ in named:
            for area, vote in meant.votes:
                tally[area] = tally.get(area, 0.0) + vote
        per_vote = COMPANY / (RESERVE + len(named))
        chosen = [
            (*_choice(candidates, tally, per_vote), belief, settled >= 0)
            for ((candidates, _), belief), (_, settled) in zip(named, keys, strict=True)
            if candidates
        ]
        english = self._english in home
        if home:  # countries that the text names count as home
            home |= {
                one.country
                for one, *_ in chosen
                if one.state < 0 and (one.abroad == 1.0 or not english)
            }
        weights: dict[int, float] = {}
        for one, share, belief, settled in chosen:
            near = not home or settled or (not english if one.state < 0 else one.country in home)
            weight = belief * share * (1.0 if near else one.abroad)
            if near or weight > LEAST_ABROAD:
                weights[one.place] = weights.get(one.place, 0.0) + weight
        return weights

    def _learn(self, keys: Sequence[tuple[int, int]]) -> None:
        """Cache the meanings of names, all at once: vector operations take the same time."""
        gazetteer = self._gazetteer
        postings = {key: self._candidates(*key) for key in keys}
        self._meanings.update((key, _NameMeaning((), ())) for key in keys)
        named = [key for key in keys if len(postings[key][0])]
        if not named:
            return
        rows, quality = (np.concatenate([postings[key][part] for key in named]) for part in (0, 1))
        counts = np.array([len(postings[key][0]) for key in named])
        begins, owner = counts.cumsum() - counts, np.arange(len(named)).repeat(counts)
        scores = prior(gazetteer, rows, quality, owner, begins)
        columns = (
            gazetteer.ids[rows],
            scores,
            *gazetteer.lineage[rows, 1:3].T,
            gazetteer.prior[rows],
            gazetteer.levels[rows],
            quality,
        )
        found = zip(*(column.tolist() for column in columns), strict=True)
        for key, count in zip(named, counts.tolist(), strict=True):
            self._meanings[key] = _meaning(sorted(islice(found, count), key=lambda one: -one[1]))

    def _candidates(self, name: int, row: int) -> tuple[Ints, Bytes]:
        rows, quality = self._gazetteer.names.postings(name)
        usable = (rows == row) if row >= 0 else quality >= WEAK
        return rows[usable][:CANDIDATES], quality[usable][:CANDIDATES]


class _GlanceState(NamedTuple):
    """Belief in names so far, and the rows that some are settled on."""

    beliefs: dict[int, float]
    settled: dict[int, int]


def _meaning(found: Sequence[tuple[int, float, int, int, float, int, int]]) -> _NameMeaning:
    """`found`: id, score, country, state, size, level, quality of candidates, likeliest first."""
    heard = [exp((score - found[0][1]) / _TEMPERATURE) for _, score, *_ in found]
    total = _sum(heard)
    votes: dict[int, float] = {}
    for (_, _, country, state, *_), loudness in zip(found, heard, strict=True):
        for area in (country, state):
            if area >= 0 and loudness > _FAINT * total:
                votes[area] = max(votes.get(area, 0.0), loudness / total)
    candidates = []
    for place, score, country, state, size, level, quality in found:
        own = SAME_COUNTRY * votes.get(country, 0.0) + SAME_STATE * votes.get(state, 0.0)
        candidates.append(
            _GlanceCandidate(
                place, score, country, state, own, exp(abroad_odds(size, level, quality))
            )
        )
    return _NameMeaning(tuple(candidates), tuple(votes.items()))


def _choice(
    candidates: tuple[_GlanceCandidate, ...], tally: Mapping[int, float], per_vote: float
) -> tuple[_GlanceCandidate, float]:
    """The candidate with most support from the other names, and the share of belief in it."""
    if len(candidates) == 1:
        return candidates[0], 1.0
    said = tally.get
    scores = [
        score + per_vote * (SAME_COUNTRY * said(country, 0.0) + SAME_STATE * said(state, 0.0) - own)
        for _, score, country, state, own, _ in candidates
    ]
    best = max(scores)
    return candidates[scores.index(best)], 1 / _sum([exp(score - best) for score in scores])


def _sum(numbers: Iterable[float]) -> float:
    """From left to right, as the kernel adds. From Python 3.12 on, `sum` rounds differently."""
    return reduce(add, numbers)


def _forget_if_full(memory: dict[str, int] | dict[tuple[int, int], _NameMeaning]) -> None:
    if len(memory) > _REMEMBERED:
        memory.clear()
