"""What a text names, at a glance: weights over places, without a verdict on every name.

To doubt each name by all that stands around it, and to place all of them by each other (doubts.py, resolve.py), takes ten
times as long as to find them, and most of the web's pages are not about the places that somebody wants. A glance keeps what
tells most for its time: what a name is worth by itself, "in" or "near" before it, and the state or country right behind it
("Paris, Texas", "Portland, OR"), which settles it everywhere in the text. The others are put where they are mostly meant,
unless the countries and states of the others speak for another place of the name.

Where the kernels were compiled (kernels/glance.c), they do all of it in 25 us a page, without a memory; here what a name may mean
is remembered, for it takes 7 us to find out.

The heaviest place is the same as that of whole placing on 81 % of the pages of bench/crawl and 58 % of the texts of
bench/toponyms (bench/judging.py prints it); by the worth of names alone it was on 25 and 35 %.
"""

from collections.abc import Iterable, Mapping, Sequence
from functools import reduce
from itertools import islice
from math import exp
from operator import add
from typing import NamedTuple

import numpy as np

from toponaut.places.gazetteer.gazetteer import CODE, WEAK, Gazetteer
from toponaut.places.names.context import Contexts
from toponaut.places.names.cues import LOCATIVE
from toponaut.places.names.evidence import (
    AFTER_LOCATIVE,
    ALIAS_ABROAD,
    EXONYM,
    EXPLICIT,
    STATE_ABROAD,
    TOWN_ABROAD,
    abroad,
)
from toponaut.places.names.nametable import Matches
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
from toponaut.places.names.tokens import Bytes, Index, Ints, Tokens
from toponaut.places.names.tongues import ENGLISH, Home, country_rows

# A name counts from these odds on. Swept on bench/toponyms and bench/crawl, share of weight in common with whole placing:
# -0.5: 0.77 and 0.88; 0: 0.76 and 0.90; 0.5: 0.74 and 0.90.
SURE = 0.0
# For a candidate whose country and state all others share. Swept: 6: 0.74 and 0.90, 10: 0.76 and 0.90, 16: 0.77 and 0.89.
COMPANY = 10.0
FORLORN = 0.3  # a name that means a place abroad must have more weight than this: a town's, of even odds, three times
CANDIDATES = 5  # of a name; 3: 0.75 and 0.89, 8: 0.76 and 0.90
_TEMPERATURE = 1.5  # how widely a name's candidates are heard
_LEAST = (
    SURE - AFTER_LOCATIVE
)  # of what a name is worth by itself, unless its state or country follows
_LOCATIVE = tuple(LOCATIVE.split())
_FAINT = 0.1  # a share of belief below it is not heard
_REMEMBERED = 50_000  # names, and as many places that names were settled on
# For the kernel, in the order of struct Weights (kernels/glance.h).
_WEIGHTS = np.array(
    [
        *(EXPLICIT, AFTER_LOCATIVE, SURE, _LEAST),
        *(SIZE, BY_ALIAS, BY_WEAK_ALIAS, PART_OF_TOWN, NAMESAKE, LARGE_NAMESAKE, TOWN),
        *(_TEMPERATURE, _FAINT, SAME_COUNTRY, SAME_STATE, COMPANY, RESERVE),
        *(FORLORN, EXONYM, ALIAS_ABROAD, *TOWN_ABROAD, *STATE_ABROAD),
    ]
)


class _Candidate(NamedTuple):
    place: int
    score: float
    country: int  # rows; -1 where there is none
    state: int
    own: float  # what its own name says for its country and state
    abroad: float  # which share of belief in it is left where the text is not at home


class _Meant(NamedTuple):
    """What a name may mean, likeliest first, and how much it speaks for countries and states."""

    candidates: tuple[_Candidate, ...]
    votes: tuple[tuple[int, float], ...]  # by row


class Glances:
    """What it has looked up it remembers from one text to the next; that changes no answer."""

    def __init__(self, gazetteer: Gazetteer, contexts: Contexts) -> None:
        self._gazetteer, self._contexts = gazetteer, contexts
        self._meant: dict[
            tuple[int, int], _Meant
        ] = {}  # by name and the row it is settled on, -1: none
        self._codes: dict[str, int] = {}  # the names that codes are, -1: none
        self._english = country_rows(gazetteer)[ENGLISH]
        names = gazetteer.names
        self._columns = (
            names.odds, names.posting_start, names.posting_row, names.posting_quality,
            gazetteer.ids, gazetteer.levels, gazetteer.lineage, gazetteer.prior,
        )  # fmt: skip

    def weights(
        self, text: str, chunks: Iterable[tuple[Tokens, Matches]], home: Home = frozenset()
    ) -> dict[int, float]:
        """Places, by id, and how much the text names them. `home`: the countries where it is at home (tongues.py)."""
        if kernels := self._gazetteer.names.kernels:
            parts = [
                (tokens.chars.planes, tokens.start, tokens.end, tokens.upper, *found)
                for tokens, found in chunks
            ]
            table, english = self._gazetteer.names.columns, self._english in home
            return kernels.glance(
                text, parts, table, self._columns, _WEIGHTS, _LOCATIVE, home, english
            )
        look = _Look({}, {})
        for tokens, matches in chunks:
            self._add(text, tokens, matches, look)
        return self._placed(look, home)

    # --- which names are places --------------------------------------------------------------------------

    def _add(self, text: str, tokens: Tokens, matches: Matches, look: "_Look") -> None:
        explicit = self._settle(text, tokens, matches, look)
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
                look.beliefs[name] = look.beliefs.get(name, 0.0) + 1 / (1 + exp(-odds))

    def _settle(
        self, text: str, tokens: Tokens, matches: Matches, look: "_Look"
    ) -> dict[int, float]:
        """Looks at what stands behind a comma after each match; odds to add, by match."""
        explicit: dict[int, float] = {}
        after = np.minimum(matches.last + 1, len(tokens.start) - 1)
        told = (tokens.start[after] - tokens.end[matches.last] == 2) & tokens.upper[after]
        which = told.nonzero()[0]
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
                look.settled[names[k]], look.settled[area] = int(inside[0]), int(around[0])
                if code >= 0:
                    look.beliefs[area] = look.beliefs.get(area, 0.0) + 1.0
                if listed:  # a name that is a code in truth does not count
                    explicit[k + 1] = -EXPLICIT if code >= 0 else EXPLICIT
        return explicit

    def _is_list(self, names: Sequence[int], k: int, told: Index) -> bool:
        """Whether a match and the next are states among states, as context.py has it. `told`: the matches before commas."""
        is_area = self._contexts.is_area
        if names[k] == names[k + 1] or not is_area(names[k]):
            return False
        more = [
            one for at, one in ((k - 1, k - 1), (k + 1, k + 2)) if at in told and one < len(names)
        ]
        return any(is_area(names[one]) for one in more)

    def _code(self, text: str, tokens: Tokens, token: int) -> int:
        """The name that an abbreviation in two capitals is: "TX"; -1 for none."""
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

    # --- which places they are ---------------------------------------------------------------------------

    def _placed(self, look: "_Look", home: Home) -> dict[int, float]:
        _forget_if_full(self._meant)
        keys = [(name, look.settled.get(name, -1)) for name in look.beliefs]
        self._learn([key for key in keys if key not in self._meant])
        named = [
            (self._meant[key], belief)
            for key, belief in zip(keys, look.beliefs.values(), strict=True)
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
        if home:  # and what the text itself names
            home |= {
                one.country
                for one, *_ in chosen
                if one.state < 0 and (one.abroad == 1.0 or not english)
            }
        weights: dict[int, float] = {}
        for one, share, belief, settled in chosen:
            near = not home or settled or (not english if one.state < 0 else one.country in home)
            weight = belief * share * (1.0 if near else one.abroad)
            if near or weight > FORLORN:
                weights[one.place] = weights.get(one.place, 0.0) + weight
        return weights

    def _learn(self, keys: Sequence[tuple[int, int]]) -> None:
        """Remembers what some names may mean. All at once: vector operations take as long for one name as for ten."""
        gazetteer = self._gazetteer
        postings = {key: self._candidates(*key) for key in keys}
        self._meant.update((key, _Meant((), ())) for key in keys)
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
            self._meant[key] = _meant(sorted(islice(found, count), key=lambda one: -one[1]))

    def _candidates(self, name: int, row: int) -> tuple[Ints, Bytes]:
        rows, quality = self._gazetteer.names.postings(name)
        usable = (rows == row) if row >= 0 else quality >= WEAK
        return rows[usable][:CANDIDATES], quality[usable][:CANDIDATES]


class _Look(NamedTuple):
    """What a glance has seen so far: how often names are believed, and rows that some are settled on."""

    beliefs: dict[int, float]
    settled: dict[int, int]


def _meant(found: Sequence[tuple[int, float, int, int, float, int, int]]) -> _Meant:
    """`found`: id, score, country, state, size, level and quality of each candidate of a name, likeliest first."""
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
            _Candidate(place, score, country, state, own, exp(abroad(size, level, quality)))
        )
    return _Meant(tuple(candidates), tuple(votes.items()))


def _choice(
    candidates: tuple[_Candidate, ...], tally: Mapping[int, float], per_vote: float
) -> tuple[_Candidate, float]:
    """The candidate that the other names speak for most, and the share of belief in it."""
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
    """From left to right, as the kernel adds; the built-in `sum` keeps what is lost by rounding, from Python 3.12 on."""
    return reduce(add, numbers)


def _forget_if_full(memory: dict[str, int] | dict[tuple[int, int], _Meant]) -> None:
    if len(memory) > _REMEMBERED:
        memory.clear()
