"""Scopes: the places that a page is about, as weights by place id.

`page_scope` is Toponaut's own: weights from addresses and mentions that sum to 1. `ContentFormula`
is formula 3 of Gao, Lee and Miao 2006, which counts names and needs no resolution.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from operator import itemgetter

import numpy as np
from msgspec import Struct

from toponaut.places.gazetteer.gazetteer import KINDS, Gazetteer
from toponaut.places.names.tokens import Ints
from toponaut.records import Address, Kind, Mention

Scope = Mapping[int, float]
_NONE: Scope = {}

# An address is stronger evidence than a mention.
ADDRESS_WEIGHT, MENTION_WEIGHT = 3.0, 1.0
# What an area keeps of its weight where places in it are named. 0 to 0.5 gave the same heaviest
# places on the pages of 25 one-town sites; without giving, a third of them had their state.
AREA_SHARE = 0.2
# So many states of one country are a list: forms, menus and store finders have one.
LISTED_STATES = 20
# Weights of the content formula, as in the paper: a (pairs, cities alone), b (population, states).
PAIR_SHARE, POPULATION_SHARE = 0.7, 0.5

_PAIR_GAP = re.compile(r"\s{0,2},?\s{0,2}\(?")
_COUNTRY, _STATE = KINDS.index(Kind.COUNTRY), KINDS.index(Kind.STATE)
_CITY, _PART = KINDS.index(Kind.CITY), KINDS.index(Kind.NEIGHBOURHOOD)
_REMEMBERED = 50_000  # names


def page_scope(
    gazetteer: Gazetteer,
    addresses: Iterable[Address],
    mentions: Iterable[Mention],
    glanced: Scope = _NONE,
) -> dict[int, float]:
    """Weights over places, heaviest first, that sum to 1; empty for a page without places.

    `glanced`: weights from a glance (names/glance.py), instead of mentions.
    """
    weights: dict[int, float] = {}
    for address in addresses:
        if address.place:
            weight = ADDRESS_WEIGHT * address.confidence
            weights[address.place] = weights.get(address.place, 0.0) + weight
    for mention in mentions:
        weight = MENTION_WEIGHT * mention.confidence
        weights[mention.place] = weights.get(mention.place, 0.0) + weight
    for place, weight in glanced.items():
        weights[place] = weights.get(place, 0.0) + MENTION_WEIGHT * weight
    total = sum(weights.values())
    if len(weights) > LISTED_STATES:
        weights = _without_lists(gazetteer, weights)
    if len(weights) > 1:
        weights = towns_before_areas(gazetteer, weights)
    ranked = sorted(weights.items(), key=itemgetter(1), reverse=True) if total else ()
    return {place: weight / total for place, weight in ranked}


def _without_lists(gazetteer: Gazetteer, weights: dict[int, float]) -> dict[int, float]:
    """Weights where the states of a list count for their country: no one of them is meant.

    A state that the page names more often than the list does keeps its weight.
    """
    states: dict[int, list[int]] = {}  # by country
    for place in weights:
        row = gazetteer.row(place)
        if gazetteer.levels[row] == _STATE:
            country = int(gazetteer.ids[gazetteer.lineage[row, _COUNTRY]])
            states.setdefault(country, []).append(place)
    for country, listed in states.items():
        if len(listed) > LISTED_STATES:
            usual = sorted(weights[place] for place in listed)[len(listed) // 2]
            given = [place for place in listed if weights[place] <= 2 * usual]
            added = weights.get(country, 0.0) + sum(weights[place] for place in given)
            weights = {place: one for place, one in weights.items() if place not in given}
            weights[country] = added
    return weights


def towns_before_areas(gazetteer: Gazetteer, weights: dict[int, float]) -> dict[int, float]:
    """Weights where areas give most of theirs to the places in them that the page names as well.

    "Lexington, Kentucky" names the state only to say which town is meant. Each place gets a share
    in proportion to its own weight, the largest areas give first.
    """
    rows = {gazetteer.row(place): place for place in weights}
    inside: dict[int, list[int]] = {}
    for row, place in rows.items():
        for area in gazetteer.areas_around(row):
            if area in rows:
                inside.setdefault(area, []).append(place)
    settled = dict(weights)
    order = sorted((int(gazetteer.levels[row]), row) for row in rows) if inside else ()
    for _, row in order:
        place = rows[row]
        below = sum(weights[one] for one in inside.get(row, ()))
        if below:
            given = (1 - AREA_SHARE) * settled[place]
            settled[place] -= given
            for one in inside[row]:
                settled[one] += given * weights[one] / below
    return settled


# --- the content formula (Gao, Lee and Miao 2006) ---------------------------------------------


class ContentCounts(Struct, frozen=True):
    """How often a page names cities with their state, cities alone, states, and other areas."""

    pairs: Mapping[int, int]  # by id of the city
    cities: Mapping[str, int]  # by the name as written
    states: Mapping[int, int]  # by id
    others: Mapping[int, int] = {}  # by id


def count_names(gazetteer: Gazetteer, text: str, mentions: Sequence[Mention]) -> ContentCounts:
    """Counts for the content formula.

    A city and the state (or country: "Lisbon, Portugal") right after it are a pair, and neither
    counts alone.
    """
    pairs: Counter[int] = Counter()
    cities: Counter[str] = Counter()
    states: Counter[int] = Counter()
    others: Counter[int] = Counter()
    rows = np.searchsorted(gazetteer.ids, [mention.place for mention in mentions])
    levels, around = gazetteer.levels[rows].tolist(), gazetteer.lineage[rows].tolist()
    paired = -1
    for k, (mention, level) in enumerate(zip(mentions, levels, strict=True)):
        if k == paired:
            continue
        if level in (_CITY, _PART):
            after = k + 1
            following = after < len(mentions) and levels[after] in (_STATE, _COUNTRY)
            following = following and rows[after] in around[k]
            if following and _PAIR_GAP.fullmatch(text, mention.end, mentions[k + 1].start):
                pairs[mention.place] += 1
                paired = k + 1
            else:
                cities[mention.text] += 1
        else:
            (states if level == _STATE else others)[mention.place] += 1
    return ContentCounts(pairs, cities, states, others)


class ContentFormula:
    """pr(c,s | p) of each target, by formula 3 of Gao, Lee and Miao 2006 (section 3.4.3).

    pr(c,s | p) = a #((c,s),p) + (1-a) pr(s|c) #(c,p), with pr(s|c) = b S(s,c) + (1-b) S~(s,p): a
    city with its state, plus a city alone, shared among the states by population and by how often
    the page names each state.

    S covers only cities: the state of New York is not a namesake of the city. If a target is not a
    city, the cities in it count for it, and its own name counts as a city whose state is certain:
    (1-a) each time.
    """

    def __init__(
        self,
        gazetteer: Gazetteer,
        target_of: Ints,
        a: float = PAIR_SHARE,
        b: float = POPULATION_SHARE,
    ) -> None:
        """`target_of`: for every row of the gazetteer the row of its target; -1: no target."""
        self._gazetteer, self._target_of = gazetteer, target_of
        self._a, self._b = a, b
        # Look-ups of names are cached from page to page: one takes 0.1 ms.
        self._namesakes = lru_cache(_REMEMBERED)(self._find_namesakes)

    def weigh(self, counts: ContentCounts) -> dict[int, float]:
        """Targets by id, heaviest first, then by population; without those of weight 0."""
        weights: dict[int, float] = defaultdict(float)  # by row
        for place, count in counts.pairs.items():
            weights[self._target(place)] += self._a * count
        named = sum(counts.states.values())
        for name, count in counts.cities.items():
            for target, state, share in self._namesakes(name):
                on_page = counts.states.get(state, 0) / named if named else 0.0
                state_share = self._b * share + (1 - self._b) * on_page
                weights[target] += (1 - self._a) * state_share * count
        for place, count in (*counts.states.items(), *counts.others.items()):
            weights[self._target(place)] += (1 - self._a) * count
        weights.pop(-1, 0.0)
        people, ids = self._gazetteer.population, self._gazetteer.ids
        ranked = sorted(
            weights.items(), key=lambda item: (-item[1], -int(people[item[0]]), item[0])
        )
        return {int(ids[row]): weight for row, weight in ranked if weight}

    def _target(self, place: int) -> int:
        """The row of the target that a place is in; -1: no target."""
        return int(self._target_of[self._gazetteer.row(place)])

    def _find_namesakes(self, name: str) -> tuple[tuple[int, int, float], ...]:
        """The cities of a name that are in targets.

        Each as the row of the target, the id of the state (0: no state), and the city's share of
        the people of all cities of that name.
        """
        gazetteer = self._gazetteer
        rows = gazetteer.rows_named(name)
        rows = rows[np.isin(gazetteer.levels[rows], (_CITY, _PART))]
        people = gazetteer.population[rows]
        shares = (people / max(int(people.sum()), 1)).tolist()
        states = gazetteer.lineage[rows, _STATE]
        columns = (
            self._target_of[rows].tolist(),
            np.where(states >= 0, gazetteer.ids[states], 0).tolist(),
            shares,
        )
        return tuple(found for found in zip(*columns, strict=True) if found[0] >= 0)
