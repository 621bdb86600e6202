"""Resolves names that several places have.

Each name in a document is one *item* with candidate places. A candidate's score is its size (larger
places are meant more often) plus its *company*: how near the candidates of other names are, and
whether they share its county, state or country. Other names are uncertain, too: in the first round
all their candidates count, later only the likelier ones. So "Paris, Murray, Camden" find each other
in Tennessee, although each alone is larger elsewhere. A region that the caller knows (the town of a
newspaper, the targets of a crawl) is company, too. All of this is one matrix of candidates.
"""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from toponaut.places.gazetteer.gazetteer import EARTH_KM, KINDS, PRIMARY, Gazetteer
from toponaut.places.names.prior import prior
from toponaut.places.names.tokens import Bytes, Index, Ints
from toponaut.records import Kind

Floats = NDArray[np.float64]
Singles = NDArray[np.float32]

COMPANY = 4.0  # for a candidate that all the others support
RESERVE = 1.5  # names that company must outweigh before it counts fully
NEAR_KM = 80.0  # distance at which nearness is a half
# For sharing a country, a state, a county with the company. Full nearness counts 1.
SAME_COUNTRY, SAME_STATE, SAME_COUNTY = 0.35, 0.6, 0.5
_SAME = np.cumsum([0, SAME_COUNTRY, SAME_STATE, SAME_COUNTY]).astype(np.float32)
# How much weight unlikely candidates get, round by round. A third round changes 2 of 1,345 names.
TEMPERATURES = (5.0, 1.2)
LISTED = 10  # candidates in a choice; "San José" has over a hundred
TOGETHER = 80  # names that are resolved together; longer lists are read block by block
# Of a document; each item keeps at least three. Swept 80 to 240 on bench/toponyms: 200 is enough.
MOST_CANDIDATES = 200

_COUNTY = KINDS.index(Kind.COUNTY)


class NameItem(NamedTuple):
    """A name in a document: its candidates, and its weight as company of others."""

    rows: Ints
    quality: Bytes
    weight: float


class PlaceChoice(NamedTuple):
    """Candidates of an item, the share of belief in the first, and its nearness to the others."""

    places: tuple[int, ...]  # ids, likeliest first, at most LISTED
    share: float
    nearness: float  # 0..1


def resolve(
    gazetteer: Gazetteer, items: Sequence[NameItem], region: Mapping[int, float]
) -> list[PlaceChoice]:
    """`region` gives weights to places (by row) that are known to be near."""
    if len(items) > TOGETHER:
        blocks = (items[k : k + TOGETHER] for k in range(0, len(items), TOGETHER))
        return [choice for block in blocks for choice in resolve(gazetteer, block, region)]
    if not items:
        return []
    known = [
        NameItem(np.array([row], np.int32), np.array([PRIMARY], np.uint8), weight)
        for row, weight in region.items()
    ]
    everyone = [*items, *known]
    most = max(3, MOST_CANDIDATES // len(everyone))
    # The gazetteer lists the likeliest first.
    rows = np.concatenate([item.rows[:most] for item in everyone])
    quality = np.concatenate([item.quality[:most] for item in everyone])
    count = np.array([min(len(item.rows), most) for item in everyone])
    end = count.cumsum()
    groups = _Groups(end - count, end, np.arange(len(everyone)).repeat(count))
    base = prior(gazetteer, rows, quality, np.append(0, end))
    score, near = base, np.zeros(len(rows))
    if len(everyone) > 1:
        score, near = _with_company(
            gazetteer, rows, groups, base, np.array([item.weight for item in everyone])
        )
    return _choices(gazetteer.ids[rows], score, near, groups)[: len(items)]


class _Groups(NamedTuple):
    """The candidates of each item, which are adjacent."""

    begin: Index  # by item
    end: Index
    owner: Index  # by candidate


def _with_company(
    gazetteer: Gazetteer, rows: Ints, groups: _Groups, base: Floats, weight: Floats
) -> tuple[Floats, Floats]:
    """Scores with company, and the nearness of the company."""
    begin, end, owner = groups
    support, nearness = _support(gazetteer, rows)
    others = weight[:, None] * (np.arange(len(weight))[:, None] != owner)
    others /= RESERVE + others.sum(axis=0)
    # Each item's candidates in a row of equal length: 12 us for 160; maximum.reduceat takes 85.
    table = np.minimum(begin[:, None] + np.arange(int((end - begin).max())), end[:, None] - 1)
    score = base
    for temperature in TEMPERATURES:
        best = score[table].max(axis=1)[owner]
        heard = np.exp((score - best) / temperature).astype(np.float32)[:, None]
        company = (support * heard)[table].max(axis=1)
        score = base + COMPANY * (company * others).sum(axis=0)
    near = ((nearness * heard)[table].max(axis=1) * others).sum(axis=0)
    return score, near


def _choices(places: Index, score: Floats, near: Floats, groups: _Groups) -> list[PlaceChoice]:
    begin, end, owner = groups
    order = np.lexsort((-score, owner))
    first = order[begin]
    share = 1 / np.add.reduceat(np.exp(np.maximum(score - score[first][owner], -50)), begin)
    ranked = places[order].tolist()
    columns = (begin, np.minimum(end, begin + LISTED), share, near[first])
    rows = zip(*(column.tolist() for column in columns), strict=True)
    return [
        PlaceChoice(tuple(ranked[start:stop]), shared, nearness)
        for start, stop, shared, nearness in rows
    ]


def _support(gazetteer: Gazetteer, rows: Ints) -> tuple[Singles, Singles]:
    """How well each candidate (row) supports each other one (column), 0..2; its nearness, 0..1."""
    points = gazetteer.xyz[rows]
    # 1 / (1 + (chord / NEAR_KM)^2), where the squared chord of two unit vectors is 2 - 2 * their
    # product
    scale = np.float32(2 * (EARTH_KM / NEAR_KM) ** 2)
    near = points @ points.T
    near *= -scale
    near += 1 + scale
    np.maximum(near, 1, out=near)
    np.reciprocal(near, out=near)
    near *= (gazetteer.levels[rows] >= _COUNTY)[:, None]  # the centre of a country is near nothing
    area = gazetteer.lineage[rows]
    area = np.where(
        area < 0, -2 - np.arange(len(rows))[:, None], area
    )  # missing areas are never equal
    country, state, county = np.ascontiguousarray(area.T[1:])
    same = (country[:, None] == country).view(np.uint8)
    same = same + (state[:, None] == state) + (county[:, None] == county)
    return near + _SAME.take(same), near  # in a third of the time of _SAME[same]
