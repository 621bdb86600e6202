"""Judges a page: its addresses, the places it is about, and whether the job wants it.

A page is *relevant* if it has an address in a target or, where the job says so, if its scope lies there. A place is in a
target if the gazetteer's hierarchy has it below: a state holds its counties and cities. Two things the hierarchy does not
tell are worked out here, once, when the judge is made:

- the gazetteer has some cities twice (Lexington and Lexington-Fayette): the other entry is the same target;
- it puts the parts of a city (Winterhude) below its state: they belong to the city that draws them most, as two bodies
  attract each other by their mass and nearness.

**Two depths.** To doubt and to place every name takes longer than to parse a page, so it is done where the job needs it
(`Whole`): for relevant pages; for all that name a target or a place in one, where scopes decide on relevance or on who
fetches a link; or always. The scope of other pages is made at a glance (places/glance.py): whether a page is relevant never
depends on it.

A judge holds tables and no state: it works in any process, and the same page gets the same judgement.
"""

from collections.abc import Iterable, Sequence
from itertools import islice
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from toponaut.job import Job
from toponaut.places.addresses.finder import AddressFinder
from toponaut.places.gazetteer import EARTH_KM, KINDS, WEAK, Gazetteer
from toponaut.places.names import NameFinder
from toponaut.places.scope import Scope, page_scope
from toponaut.places.tokens import Bools, Ints
from toponaut.records import Address, Judged, Kind, Page, Place
from toponaut.targets import TWICE_KM, job_targets

Relevant = Literal["address", "scope"]
Whole = Literal["relevant", "named", "always"]

# A page's scope lies in the targets if they have at least this share of its weight.
ENOUGH = 0.5
# So many places of a scope are kept: what a page names beyond them it is not about. A list of all towns of a state would
# make the log twice as long as the page.
MOST_PLACES = 50
# Characters that are read for names; a page that is longer has said by then what it is about.
MOST_TEXT = 100_000
# Parts of a city are at most so far from its middle: Schmöckwitz lies 23 km from Berlin's, Woodland Hills 36 from Los Angeles's.
CITY_KM = 40.0

_BY_SCOPE = frozenset({"content"})  # strategies that ask what a page is about
_CITY, _PART = KINDS.index(Kind.CITY), KINDS.index(Kind.NEIGHBOURHOOD)


class Judge:
    def __init__(
        self,
        names: NameFinder,
        addresses: AddressFinder,
        targets: Iterable[Place],
        relevant: Relevant = "address",
        whole: Whole = "named",
    ) -> None:
        self._names, self._addresses = names, addresses
        self._gazetteer = names.gazetteer
        rows = [self._gazetteer.row(place.id) for place in targets]
        self._inside = rows_inside(self._gazetteer, rows)
        self._around = rows_around(self._gazetteer, rows)
        self._by_scope = relevant == "scope"
        self._wanted: Bools | None  # the names that ask for a whole scope
        if whole == "relevant" and not self._by_scope:
            self._wanted = None
        else:
            self._wanted = names_of(self._gazetteer, self._inside) | (whole == "always")

    def judge(self, page: Page) -> Judged:
        text = page.text[:MOST_TEXT]
        scan = self._names.scan(f"{page.title}\n\n{text}" if page.title else text)
        wanted = self._wanted is not None and scan.has(self._wanted)
        mentions = self._names.placed(scan) if wanted else None
        addresses = self._addresses.find(page, mentions)
        here = self._has_address(addresses)
        if here and mentions is None:
            mentions = self._names.placed(scan)
        if mentions is None:
            scope = page_scope(addresses, (), self._names.glance(scan))
        else:
            scope = page_scope(addresses, mentions)
        relevant = self._lies_inside(scope) if self._by_scope else here
        return Judged(page, tuple(addresses), tuple(islice(scope.items(), MOST_PLACES)), relevant)

    def _has_address(self, addresses: Sequence[Address]) -> bool:
        return any(address.place and self._inside[self._gazetteer.row(address.place)] for address in addresses)

    def _lies_inside(self, scope: Scope) -> bool:
        """Areas around a target speak neither for it nor against: a page about Portland names Oregon, too."""
        inside = elsewhere = 0.0
        for place, weight in scope.items():
            row = self._gazetteer.row(place)
            if self._inside[row]:
                inside += weight
            elif not self._around[row]:
                elsewhere += weight
        return inside > 0 and inside >= ENOUGH * (inside + elsewhere)


def judge_of(job: Job, names: NameFinder) -> Judge:
    """The judge of a job. Scopes are whole where they decide something."""
    targets = job_targets(names.gazetteer, job)
    decides = job.targets.relevant == "scope" or job.collaboration.strategy in _BY_SCOPE
    finder = AddressFinder(names.gazetteer, names)
    return Judge(names, finder, targets, job.targets.relevant, "named" if decides else "relevant")


# --- which places are in the targets -----------------------------------------------------------------------------


def rows_inside(gazetteer: Gazetteer, targets: Sequence[int]) -> Bools:
    """For every row of the gazetteer whether it is a target or lies in one."""
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


def names_of(gazetteer: Gazetteer, rows: Bools) -> Bools:
    """For every name of the table whether one of some rows bears it."""
    names = gazetteer.names
    borne = rows[names.posting_row] & (names.posting_quality >= WEAK)
    count = np.concatenate([[0], borne.cumsum()])
    return np.asarray(count[names.posting_start[1:]] > count[names.posting_start[:-1]])


def rows_around(gazetteer: Gazetteer, targets: Sequence[int]) -> Bools:
    """For every row of the gazetteer whether a target lies in it."""
    around = np.zeros(len(gazetteer), np.bool_)
    for target in targets:
        row = int(gazetteer.parents[target])
        while row >= 0:
            around[row] = True
            row = int(gazetteer.parents[row])
    return around


def _twins(gazetteer: Gazetteer, city: int) -> Ints:
    """The city itself and other entries for it: of its name, beside it."""
    named = gazetteer.rows_named(gazetteer.name(city))
    named = named[(gazetteer.levels[named] == _CITY) & (_km(gazetteer, named, [city])[:, 0] < TWICE_KM)]
    return np.union1d(named, [city]).astype(np.int32)


def _parts(gazetteer: Gazetteer, city: int, same: Ints) -> Ints:
    """The quarters that a city draws more than any other city of its state does."""
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
    """Distances, a row for each of `rows`. By chords, which are as long as arcs over a city's width."""
    apart = gazetteer.xyz[rows][:, None] - gazetteer.xyz[others]
    return np.asarray(EARTH_KM * np.sqrt((apart**2).sum(axis=2)), np.float32)
