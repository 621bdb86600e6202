"""The home of a site: the place that its pages name most.

A page of a site about one town is about that town unless it says otherwise: a menu, a price list
or a match report rarely name it. So the home of its site is a prior for the scope of a page:

    weight(p) = (own(p) + h [p is the home]) / (1 + h)      h = surety of the home, 0 to 1

`own` are the weights by the page alone, which sum to 1, or to 0 if it names no place. The county,
state and country of the home give it a part of their own weight: on the site of a town, its state
is named to say where the town is.

Text that all pages of a site repeat does no harm. A list of fifty states gives none of them more
than a fiftieth of a page, and an address in a footer is the home.
"""

from collections.abc import Mapping, Sequence

import numpy as np

from toponaut.places.gazetteer.gazetteer import EARTH_KM, KINDS, Gazetteer
from toponaut.places.scope import AREA_SHARE, towns_before_areas
from toponaut.records import Kind

# How fast a rival makes a home unsure. Swept 1 to 3 on 23 one-town sites and 8 of several towns
# (bench/real_data.py): pages right .891, .891, .885; heaviest places of directories kept .77, .89,
# .95.
DOUBT = 3
# With so many pages the record of a site counts half.
FEW_PAGES = 2.0
# A place that is nearer is not a rival: a part of the town, or a village next to it.
NEAR_KM = 30.0

Weights = Sequence[tuple[int, float]]
_STATE = KINDS.index(Kind.STATE)


def site_home(
    gazetteer: Gazetteer, weights: Mapping[int, float], pages: float
) -> tuple[int, float]:
    """The home of a site and how sure it is, 0 to 1; (0, 0.0) if it has none.

    `weights`: sums over the scopes of its pages. A home is sure if no place elsewhere has nearly as
    much weight.
    """
    settled = towns_before_areas(gazetteer, dict(weights)) if len(weights) > 1 else weights
    ranked = sorted(settled.items(), key=lambda item: (-item[1], item[0]))
    rows = np.searchsorted(gazetteer.ids, [place for place, _ in ranked])
    local = gazetteer.levels[rows] >= _STATE
    if not local.any():
        return 0, 0.0
    first = int(local.argmax())
    row, (home, most) = rows[first], ranked[first]
    apart = gazetteer.xyz[rows] - gazetteer.xyz[row]
    far = local & (EARTH_KM * np.sqrt((apart**2).sum(axis=1)) > NEAR_KM)
    around = (rows[:, None] == gazetteer.lineage[row]).any(axis=1)
    far &= ~around & ~(gazetteer.lineage[rows] == row).any(axis=1)
    rival = ranked[int(far.argmax())][1] if far.any() else 0.0
    return home, (1 - rival / most) ** DOUBT * pages / (pages + FEW_PAGES)


def scope_with_home(
    own: Weights, home: int, surety: float, areas: Sequence[int]
) -> tuple[tuple[int, float], ...]:
    """The scope of a page with the home of its site as a prior. `areas`: those around the home."""
    weights = dict(own)
    gained = surety
    for area in areas:
        if area in weights:
            given = (1 - AREA_SHARE) * weights[area]
            weights[area] -= given
            gained += given
    weights[home] = weights.get(home, 0.0) + gained
    ranked = sorted(weights.items(), key=lambda item: -item[1])
    return tuple((place, weight / (1 + surety)) for place, weight in ranked)
