"""Which place is meant, where several bear the name.

Each name in a document is one *item* with candidate places. A candidate's score is its size (a larger place is meant
more often) plus the company it keeps: how near the other names have a candidate to it, whether they share its
county, state or country. What the others mean is itself uncertain, so at first every candidate of theirs may speak;
from round to round only the likelier ones are heard. In this way "Paris, Murray, Camden" find each other in Tennessee
although each alone is larger elsewhere. A region that the caller knows (the town of the newspaper, the targets of the
crawl) is company too. All of it is one matrix of candidates by candidates.
"""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from toponaut.places.gazetteer.gazetteer import ALIAS, EARTH_KM, KINDS, PRIMARY, Gazetteer
from toponaut.places.names.tokens import Bytes, Index, Ints
from toponaut.records import Kind

Floats = NDArray[np.float64]
Singles = NDArray[np.float32]

SIZE = 0.55  # per unit of ln(population): ten times the people are worth 1.3
COMPANY = 4.0  # for a candidate that all the others stand by
RESERVE = 1.5  # so many names must speak before the company is fully believed
NEAR_KM = 80.0  # where nearness has fallen to a half
# What it is worth to share a country, a state, a county with the company; nearness itself is worth 1.
SAME_COUNTRY, SAME_STATE, SAME_COUNTY = 0.35, 0.6, 0.5
_SAME = np.cumsum([0, SAME_COUNTRY, SAME_STATE, SAME_COUNTY]).astype(
    np.float32
)  # each lies in the one before
BY_ALIAS, BY_WEAK_ALIAS, PART_OF_TOWN = -0.7, -2.5, -0.6
# "New York", "São Paulo", "Oldenburg": of a state or county and its city of the same name the city is meant, unless
# the text says otherwise. Also "Washington": the capital, in most newspapers.
NAMESAKE, LARGE_NAMESAKE, TOWN = -2.5, 13.1, float(np.log(20_000))  # large: ln(500,000)
TEMPERATURES = (
    5.0,
    1.2,
)  # how widely candidates are heard, round by round; a third round changed 1 or 2 of 1,345
LISTED = 10  # candidates named in a choice; "San José" has over a hundred
TOGETHER = 80  # names of a document that are placed together; a page that lists thousands is read block by block
# Of a document; each item keeps its likeliest, at least three. Swept on bench/toponyms: 240 and 200 place the same 93.4 %
# of all names, 160 93.2, 120 92.8, 80 91.6; time grows with the square.
MOST_CANDIDATES = 200

_STATE, _COUNTY, _CITY = KINDS.index(Kind.STATE), KINDS.index(Kind.COUNTY), KINDS.index(Kind.CITY)


class Item(NamedTuple):
    """A name in a document: its candidates and how much it has to say about the others."""

    rows: Ints
    quality: Bytes
    weight: float


class Choice(NamedTuple):
    """Candidates of an item, likeliest first; the share of belief in the first; how near the others are to it."""

    places: tuple[int, ...]  # ids, at most LISTED
    share: float
    nearness: float  # 0..1


def resolve(
    gazetteer: Gazetteer, items: Sequence[Item], region: Mapping[int, float]
) -> list[Choice]:
    """`region` gives weights to places (by row) that are known to be near."""
    if len(items) > TOGETHER:
        blocks = (items[k : k + TOGETHER] for k in range(0, len(items), TOGETHER))
        return [choice for block in blocks for choice in resolve(gazetteer, block, region)]
    if not items:
        return []
    known = [
        Item(np.array([row], np.int32), np.array([PRIMARY], np.uint8), weight)
        for row, weight in region.items()
    ]
    everyone = [*items, *known]
    most = max(3, MOST_CANDIDATES // len(everyone))
    rows = np.concatenate(
        [item.rows[:most] for item in everyone]
    )  # the gazetteer lists the likeliest first
    quality = np.concatenate([item.quality[:most] for item in everyone])
    count = np.array([min(len(item.rows), most) for item in everyone])
    end = count.cumsum()
    groups = _Groups(end - count, end, np.arange(len(everyone)).repeat(count))
    base = prior(gazetteer, rows, quality, groups.owner, groups.begin)
    score, near = base, np.zeros(len(rows))
    if len(everyone) > 1:
        score, near = _with_company(
            gazetteer, rows, groups, base, np.array([item.weight for item in everyone])
        )
    return _choices(gazetteer.ids[rows], score, near, groups)[: len(items)]


class _Groups(NamedTuple):
    """Which candidates are whose: those of an item stand together."""

    begin: Index  # by item
    end: Index
    owner: Index  # by candidate


def _with_company(
    gazetteer: Gazetteer, rows: Ints, groups: _Groups, base: Floats, weight: Floats
) -> tuple[Floats, Floats]:
    """Scores with the company counted in, and how near the company is."""
    begin, end, owner = groups
    support, nearness = _support(gazetteer, rows)
    others = weight[:, None] * (
        np.arange(len(weight))[:, None] != owner
    )  # nobody is his own company
    others /= RESERVE + others.sum(axis=0)
    # Each item's candidates in a row of equal length, the last repeated: 12 us for 160 candidates, maximum.reduceat takes 85.
    table = np.minimum(begin[:, None] + np.arange(int((end - begin).max())), end[:, None] - 1)
    score = base
    for temperature in TEMPERATURES:
        heard = np.exp((score - score[table].max(axis=1)[owner]) / temperature).astype(np.float32)[
            :, None
        ]
        company = (support * heard)[table].max(axis=1)
        score = base + COMPANY * (company * others).sum(axis=0)
    near = ((nearness * heard)[table].max(axis=1) * others).sum(axis=0)
    return score, near


def _choices(places: Index, score: Floats, near: Floats, groups: _Groups) -> list[Choice]:
    begin, end, owner = groups
    order = np.lexsort((-score, owner))
    first = order[begin]
    share = 1 / np.add.reduceat(np.exp(np.maximum(score - score[first][owner], -50)), begin)
    ranked = places[order].tolist()
    columns = (begin, np.minimum(end, begin + LISTED), share, near[first])
    rows = zip(*(column.tolist() for column in columns), strict=True)
    return [
        Choice(tuple(ranked[start:stop]), shared, nearness)
        for start, stop, shared, nearness in rows
    ]


def prior(gazetteer: Gazetteer, rows: Ints, quality: Bytes, owner: Index, begin: Index) -> Floats:
    """What each candidate is worth before the company is asked."""
    size, level = gazetteer.prior[rows].astype(np.float64), gazetteer.levels[rows]
    score = SIZE * size
    score += BY_ALIAS * ((quality < PRIMARY) & (quality >= ALIAS)) + BY_WEAK_ALIAS * (
        quality < ALIAS
    )
    score += PART_OF_TOWN * (level > _CITY)
    areas = (level == _STATE) | (level == _COUNTY)
    if areas.any():
        cities = (level == _CITY) & (quality >= ALIAS)
        large = np.maximum.reduceat(np.where(cities, size, 0), begin)[owner] >= LARGE_NAMESAKE
        towns = cities & (size > TOWN)
        inside = (gazetteer.lineage[rows[towns]][:, :, None] == rows[areas]).any(axis=1)
        namesake = (inside & (owner[towns][:, None] == owner[areas])).any(axis=0)
        score[areas] += NAMESAKE * (namesake | large[areas])
    return score


def _support(gazetteer: Gazetteer, rows: Ints) -> tuple[Singles, Singles]:
    """How well each candidate (row) stands by each other one (column), 0..about 2; and how near it is, 0..1."""
    points = gazetteer.xyz[rows]
    # 1 / (1 + (chord / NEAR_KM)^2), where the squared chord of two unit vectors is 2 - 2 * their product
    scale = np.float32(2 * (EARTH_KM / NEAR_KM) ** 2)
    near = points @ points.T
    near *= -scale
    near += 1 + scale
    np.maximum(near, 1, out=near)
    np.reciprocal(near, out=near)
    near *= (gazetteer.levels[rows] >= _COUNTY)[:, None]  # a country's middle point is near nothing
    area = gazetteer.lineage[rows]
    area = np.where(area < 0, -2 - np.arange(len(rows))[:, None], area)  # no area is nobody's
    country, state, county = np.ascontiguousarray(area.T[1:])
    same = (country[:, None] == country).view(np.uint8)
    same = same + (state[:, None] == state) + (county[:, None] == county)
    return near + _SAME.take(same), near  # of 200 by 200 in a third of the time of _SAME[same]
