"""A glance at a text, slowly: what the compiled code must see, in the same order of sums."""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import reduce
from math import exp
from operator import add
from typing import Any

from toponaut.places.gazetteer.gazetteer import ALIAS, CODE, KINDS, WEAK, Gazetteer
from toponaut.places.names.context import ContextReader
from toponaut.places.names.evidence import AFTER_LOCATIVE, EXPLICIT, abroad_odds
from toponaut.places.names.finder import Scan
from toponaut.places.names.home_countries import ENGLISH, Home, country_rows
from toponaut.places.names.name_table import Matches
from toponaut.places.names.resolve import RESERVE, SAME_COUNTRY, SAME_STATE
from toponaut.places.names.tokens import TextTokens
from toponaut.places.names.vocabulary import LOCATIVE
from toponaut.records import Kind

_COUNTRY, _STATE, _COUNTY, _CITY = map(
    KINDS.index, (Kind.COUNTRY, Kind.STATE, Kind.COUNTY, Kind.CITY)
)


@dataclass
class _Candidate:
    row: int
    quality: int
    level: int
    size: float
    lineage: list[int]
    score: float = 0.0
    own: float = 0.0


class SlowGlancer:
    def __init__(self, gazetteer: Gazetteer) -> None:
        self._gazetteer, self._names = gazetteer, gazetteer.names
        self._contexts = ContextReader(gazetteer)
        self._english = country_rows(gazetteer)[ENGLISH]

    def weights(self, scan: Scan, home: Home) -> dict[int, float]:
        beliefs: dict[int, float] = {}
        settled: dict[int, int] = {}
        for tokens, matches in scan.chunks:
            explicit = self._settle(scan.text, tokens, matches, beliefs, settled)
            for k, name in enumerate(matches.name.tolist()):
                odds = float(self._names.odds[name])
                first, last = int(matches.first[k]), int(matches.last[k])
                if (odds <= -AFTER_LOCATIVE and k not in explicit) or not tokens.upper[last]:
                    continue
                odds += explicit.get(k, 0.0)
                if first > 0 and tokens.start[first] - tokens.end[first - 1] == 1:
                    word = scan.text[tokens.start[first - 1] : tokens.end[first - 1]].lower()
                    odds += AFTER_LOCATIVE * (word in LOCATIVE.split())
                if odds > 0:
                    beliefs[name] = beliefs.get(name, 0.0) + 1 / (1 + exp(-odds))
        return self._placed(beliefs, settled, home)

    def _settle(
        self,
        text: str,
        tokens: TextTokens,
        matches: Matches,
        beliefs: dict[int, float],
        settled: dict[int, int],
    ) -> dict[int, float]:
        explicit: dict[int, float] = {}
        names, firsts = matches.name.tolist(), matches.first.tolist()
        near = [self._is_followed(tokens, last) for last in matches.last.tolist()]
        for k, name in enumerate(names):
            after = int(matches.last[k]) + 1
            if not near[k] or text[tokens.end[after - 1]] != ",":
                continue
            code = self._code(text[tokens.start[after] : tokens.end[after]])
            listed = k + 1 < len(names) and firsts[k + 1] == after
            if code < 0 and (not listed or self._is_list(names, k, near)):
                continue
            area = code if code >= 0 else names[k + 1]
            inside, around = self._contexts.inside(name, area)
            if len(inside):
                explicit[k] = EXPLICIT
                settled[name], settled[area] = int(inside[0]), int(around[0])
                if code >= 0:
                    beliefs[area] = beliefs.get(area, 0.0) + 1.0
                if listed:
                    explicit[k + 1] = -EXPLICIT if code >= 0 else EXPLICIT
        return explicit

    @staticmethod
    def _is_followed(tokens: TextTokens, last: int) -> bool:
        after = last + 1
        if after == len(tokens.start) or not tokens.upper[after]:
            return False
        return int(tokens.start[after] - tokens.end[last]) == 2

    def _is_list(self, names: list[int], k: int, near: list[bool]) -> bool:
        is_area = self._contexts.is_area
        before = k > 0 and near[k - 1] and is_area(names[k - 1])
        after = k + 2 < len(names) and near[k + 1] and is_area(names[k + 2])
        return names[k] != names[k + 1] and is_area(names[k]) and (before or after)

    def _code(self, word: str) -> int:
        name = self._names.lookup(word) if len(word) == 2 and word.isupper() else -1
        return name if name >= 0 and CODE in self._names.postings(name)[1] else -1

    def _placed(
        self, beliefs: dict[int, float], settled: dict[int, int], home: Home
    ) -> dict[int, float]:
        tally: dict[int, float] = {}
        meanings = {name: self._meaning(name, settled.get(name, -1), tally) for name in beliefs}
        chosen = {
            name: self._choice(candidates, tally, 10.0 / (RESERVE + len(beliefs)))
            for name, candidates in meanings.items()
            if candidates
        }
        english = self._english in home
        if home:
            home |= {
                one.lineage[_COUNTRY]
                for one, _ in chosen.values()
                if one.lineage[_STATE] < 0 and (not english or _abroad(one) == 1.0)
            }
        weights: dict[int, float] = {}
        for name, (one, share) in chosen.items():
            near = not home or name in settled
            if not near:
                foreign = one.lineage[_COUNTRY] not in home
                near = not (english if one.lineage[_STATE] < 0 else foreign)
            weight = beliefs[name] * share * (1.0 if near else _abroad(one))
            if near or weight > 0.3:
                place = int(self._gazetteer.ids[one.row])
                weights[place] = weights.get(place, 0.0) + weight
        return weights

    def _meaning(self, name: int, only: int, tally: dict[int, float]) -> list[_Candidate]:
        """The candidates of a name, likeliest first. Adds its votes."""
        rows, qualities = (column.tolist() for column in self._names.postings(name))
        found = [
            self._candidate(row, quality)
            for row, quality in zip(rows, qualities, strict=True)
            if (row == only if only >= 0 else quality >= WEAK)
        ][:5]
        for one in found:
            one.score = _prior(one, found)
        found.sort(key=lambda one: -one.score)
        heard = [exp((one.score - found[0].score) / 1.5) for one in found]
        total, votes = _sum(heard), dict[int, float]()
        for one, loudness in zip(found, heard, strict=True):
            for area in one.lineage[_COUNTRY : _STATE + 1]:
                if area >= 0 and loudness > 0.1 * total:
                    votes[area] = max(votes.get(area, 0.0), loudness / total)
        for one in found:
            country, state = (votes.get(one.lineage[k], 0.0) for k in (_COUNTRY, _STATE))
            one.own = SAME_COUNTRY * country + SAME_STATE * state
        for area, vote in votes.items():
            tally[area] = tally.get(area, 0.0) + vote
        return found

    def _candidate(self, row: int, quality: int) -> _Candidate:
        places: Any = self._gazetteer
        return _Candidate(
            row, quality, int(places.levels[row]), float(places.prior[row]),
            places.lineage[row].tolist(),
        )  # fmt: skip

    @staticmethod
    def _choice(
        found: list[_Candidate], tally: dict[int, float], per_vote: float
    ) -> tuple[_Candidate, float]:
        if len(found) == 1:
            return found[0], 1.0
        scores = []
        for one in found:
            country, state = (tally.get(one.lineage[k], 0.0) for k in (_COUNTRY, _STATE))
            support = SAME_COUNTRY * country + SAME_STATE * state - one.own
            scores.append(one.score + per_vote * support)
        best = max(scores)
        return found[scores.index(best)], 1 / _sum(exp(score - best) for score in scores)


def _prior(one: _Candidate, found: list[_Candidate]) -> float:
    score = 0.55 * one.size
    score += -0.7 if one.quality == ALIAS else -2.5 if one.quality < ALIAS else 0.0
    score -= 0.6 * (one.level > _CITY)
    if one.level in (_STATE, _COUNTY):
        cities = [city for city in found if city.level == _CITY and city.quality >= ALIAS]
        if any(
            city.size >= 13.1 or (city.size > 9.903487552536127 and one.row in city.lineage)
            for city in cities
        ):
            score -= 2.5
    return score


def _abroad(one: _Candidate) -> float:
    return exp(abroad_odds(one.size, one.level, one.quality))


def _sum(numbers: Iterable[float]) -> float:
    """From left to right. From Python 3.12 on, `sum` rounds differently."""
    return reduce(add, numbers, 0.0)
