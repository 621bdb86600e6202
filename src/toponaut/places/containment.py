"""Which places are inside a target.

These are the places below the target in the gazetteer's hierarchy, and two more kinds:

- The gazetteer has some cities twice (Lexington and Lexington-Fayette). Both are the same target.
- It puts parts of a city (Winterhude) below its state. They belong to the city with the strongest
  pull: population by squared distance, as in gravity.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from toponaut.places.gazetteer.gazetteer import EARTH_KM, KINDS, WEAK, Gazetteer
from toponaut.places.names.tokens import Bools, Ints
from toponaut.records import Kind

SAME_PLACE_KM = 10  # places of one name that are nearer are one place
# Parts of a city are within this distance of its centre: Woodland Hills is 36 km from Los Angeles.
CITY_KM = 40.0

_CITY, _PART = KINDS.index(Kind.CITY), KINDS.index(Kind.NEIGHBOURHOOD)


def rows_inside(gazetteer: Gazetteer, targets: Sequence[int]) -> Bools:
    """For every row of the gazetteer, whether it is a target or inside one."""
    inside = np.zeros(len(gazetteer), np.bool_)
    for target in targets:
        inside[target] = True
        for rows in gazetteer.rows_below(target):
            inside[rows] = True
        if gazetteer.levels[target] == _CITY:
            same = _twins(gazetteer, target)
            inside[same] = True
            inside[_parts(gazetteer, target, same)] = True
    return inside


def names_of_rows(gazetteer: Gazetteer, rows: Bools) -> Bools:
    """For every name of the table, whether one of some rows has it."""
    names = gazetteer.names
    borne = rows[names.posting_row] & (names.posting_quality >= WEAK)
    count = np.concatenate([[0], borne.cumsum()])
    return np.asarray(count[names.posting_start[1:]] > count[names.posting_start[:-1]])


def rows_around(gazetteer: Gazetteer, targets: Sequence[int]) -> Bools:
    """For every row of the gazetteer, whether a target is inside it."""
    around = np.zeros(len(gazetteer), np.bool_)
    for target in targets:
        around[list(gazetteer.rows_above(target))] = True
    return around


def _twins(gazetteer: Gazetteer, city: int) -> Ints:
    """The city and its other entries: same name, same state (Kansas City is in two), near it."""
    named = gazetteer.rows_named(gazetteer.name(city))
    named = named[
        (gazetteer.levels[named] == _CITY)
        & (gazetteer.lineage[named, 2] == gazetteer.lineage[city, 2])
    ]
    named = named[_km(gazetteer, named, [city])[:, 0] < SAME_PLACE_KM]
    return np.union1d(named, [city]).astype(np.int32)


def _parts(gazetteer: Gazetteer, city: int, same: Ints) -> Ints:
    """The quarters that this city pulls more than any other city of its state."""
    near = np.flatnonzero(gazetteer.lineage[:, 2] == gazetteer.lineage[city, 2]).astype(np.int32)
    level = gazetteer.levels[near]
    quarters, cities = near[level == _PART], near[level == _CITY]
    quarters = quarters[_km(gazetteer, quarters, [city])[:, 0] < CITY_KM]
    cities = cities[_km(gazetteer, cities, [city])[:, 0] < 2 * CITY_KM]
    if not len(quarters):
        return np.zeros(0, np.int32)
    distance = np.maximum(_km(gazetteer, quarters, cities), 1.0)
    pull = gazetteer.population[cities] / distance**2
    return np.asarray(quarters[np.isin(cities[pull.argmax(axis=1)], same)])


def _km(gazetteer: Gazetteer, rows: Ints, others: Ints | Sequence[int]) -> NDArray[np.float32]:
    """Distances, one row for each of `rows`. By chords: over a city they are as long as arcs."""
    apart = gazetteer.xyz[rows][:, None] - gazetteer.xyz[others]
    return np.asarray(EARTH_KM * np.sqrt((apart**2).sum(axis=2)), np.float32)
