"""Which place is meant, where several bear the name.

Each name in a document is one *item* with candidate places. A candidate's score is its size (a larger place is meant
more often) plus the company it keeps: how near it lies to what the other names mean, whether they share its county,
state or country. What the others mean is itself uncertain, so picks and scores are improved together, a few rounds;
names with one candidate, or with their state beside them, steer the rest. A region that the caller knows (the town of
the newspaper, the targets of the crawl) is company too. All of it is one matrix of candidates by items.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from toponaut.places.gazetteer import ALIAS, EARTH_KM, KINDS, PRIMARY, Gazetteer
from toponaut.places.tokens import Bytes, Ints
from toponaut.records import Kind

Floats = NDArray[np.float64]

SIZE = 0.55  # per unit of ln(population): ten times the people are worth 1.3
COMPANY = 4.0  # for a candidate that all the others stand by
RESERVE = 1.5  # so many names must speak before the company is fully believed
NEAR_KM = 80.0  # where nearness has fallen to a half
NEAR, SAME_COUNTY, SAME_STATE, SAME_COUNTRY = 1.0, 0.5, 0.6, 0.35
BY_ALIAS, BY_WEAK_ALIAS, PART_OF_TOWN = -0.7, -2.5, -0.6
# "New York", "São Paulo", "Oldenburg": of a state or county and its city of the same name the city is meant, unless
# the text says otherwise. Also "Washington": the capital, in most newspapers.
NAMESAKE, LARGE_NAMESAKE = -2.5, 13.1  # ln(500,000)
ROUNDS = 3
MOST_CANDIDATES = 100

_STATE, _COUNTY, _CITY = KINDS.index(Kind.STATE), KINDS.index(Kind.COUNTY), KINDS.index(Kind.CITY)


@dataclass(frozen=True)
class Item:
    """A name in a document: its candidates and how much it has to say about the others."""

    rows: Ints
    quality: Bytes
    weight: float


@dataclass(frozen=True)
class Choice:
    """Candidates of an item, likeliest first, and the share of belief in the first."""

    rows: tuple[int, ...]
    share: float


def resolve(gazetteer: Gazetteer, items: Sequence[Item], region: Mapping[int, float]) -> list[Choice]:
    """`region` gives weights to places (by row) that are known to be near."""
    if not items:
        return []
    size = np.array([len(item.rows) for item in items])
    begin = np.concatenate([[0], np.cumsum(size)])
    owner = np.repeat(np.arange(len(items)), size)
    rows = np.concatenate([item.rows for item in items])
    base = np.concatenate([prior(gazetteer, item) for item in items])

    region_rows = np.fromiter(region, np.int64, len(region))
    weight = np.concatenate([[item.weight for item in items], np.fromiter(region.values(), np.float64, len(region))])
    score, picks, share = base, *_pick(base, begin)
    for _ in range(ROUNDS if len(items) + len(region) > 1 else 0):
        company = np.concatenate([rows[picks], region_rows])
        belief = weight * np.concatenate([share, np.ones(len(region))])
        score = base + COMPANY * _company(gazetteer, rows, owner, company, belief)
        before = picks
        picks, share = _pick(score, begin)
        if np.array_equal(before, picks):
            break
    choices = []
    for k in range(len(items)):
        part = slice(begin[k], begin[k + 1])
        order = np.argsort(-score[part], kind="stable")
        choices.append(Choice(tuple(rows[part][order].tolist()), float(share[k])))
    return choices


def prior(gazetteer: Gazetteer, item: Item) -> Floats:
    """What each candidate is worth before the company is asked."""
    rows, quality = item.rows, item.quality
    size, level = gazetteer.prior[rows].astype(np.float64), gazetteer.levels[rows]
    score = SIZE * size
    score += BY_ALIAS * ((quality < PRIMARY) & (quality >= ALIAS)) + BY_WEAK_ALIAS * (quality < ALIAS)
    score += PART_OF_TOWN * (level > _CITY)
    areas = (level == _STATE) | (level == _COUNTY)
    if areas.any():
        cities = (level == _CITY) & (quality >= ALIAS)
        inside = np.isin(rows, gazetteer.lineage[rows[cities & (size > np.log(20_000))]])
        score += NAMESAKE * (areas & (inside | bool((cities & (size >= LARGE_NAMESAKE)).any())))
    return score


def _pick(score: Floats, begin: NDArray[np.int64]) -> tuple[NDArray[np.int64], Floats]:
    """For each item its best candidate and the softmax share of it."""
    best = np.maximum.reduceat(score, begin[:-1])
    owner = np.repeat(np.arange(len(begin) - 1), np.diff(begin))
    odds = np.exp(np.maximum(score - best[owner], -50))
    total = np.add.reduceat(odds, begin[:-1])
    at_best = np.flatnonzero(score == best[owner])
    _, first = np.unique(owner[at_best], return_index=True)
    return at_best[first], 1 / total


def _company(gazetteer: Gazetteer, rows: Ints, owner: NDArray[np.int64], company: Ints, belief: Floats) -> Floats:
    """For each candidate how well the others' picks stand by it, 0..about 2."""
    dot = gazetteer.xyz[rows] @ gazetteer.xyz[company].T
    near = 1 / (1 + np.maximum(2 - 2 * dot, 0) * np.float32((EARTH_KM / NEAR_KM) ** 2))
    near *= gazetteer.levels[company] >= _COUNTY  # a country's middle point is near nothing
    mine, theirs = gazetteer.lineage[rows], gazetteer.lineage[company]
    support = NEAR * near
    for level, worth in ((1, SAME_COUNTRY), (2, SAME_STATE), (3, SAME_COUNTY)):
        here = mine[:, level, None]
        support += np.float32(worth) * ((here == theirs[:, level]) & (here >= 0))
    weight = np.broadcast_to(belief, support.shape).copy()
    weight[np.arange(len(rows)), owner] = 0  # nobody is his own company
    return np.asarray((support * weight).sum(axis=1) / (RESERVE + weight.sum(axis=1)), np.float64)
