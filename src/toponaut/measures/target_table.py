"""The target and the territory of places, for many places at once."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from toponaut.job.owners import OwnerTable
from toponaut.job.targets import label
from toponaut.measures.columns import Ints, PlaceCount, first_of_each, places_in
from toponaut.places.gazetteer import Gazetteer


class TargetTable:
    """The gazetteer with the territories of a crawl."""

    def __init__(self, gazetteer: Gazetteer, owners: OwnerTable) -> None:
        self.geographic = owners.geographic
        self.general = owners.general
        self.size = len(gazetteer)
        self.wanted = int((owners.target_of == np.arange(len(gazetteer))).sum())  # targets
        self._gazetteer = gazetteer
        # One more entry at the end: unknown places (row -1) are in no target.
        self._target_of = np.append(owners.target_of, -1)
        self._node_of = np.append(owners.node_of, -1)
        self._people = np.append(gazetteer.population, 0)

    def rows(self, places: NDArray[np.int64]) -> Ints:
        """Rows of the gazetteer for ids, -1 for unknown ids."""
        return places_in(self._gazetteer.ids, places)

    def targets(self, rows: Ints) -> Ints:
        """The row of the target that contains each place, -1: none."""
        return self._target_of[rows].astype(np.int64)

    def territories(self, rows: Ints) -> Ints:
        """The number of the geographic node for each place, -1: none."""
        return self._node_of[rows].astype(np.int64)

    def likeliest(self, page: Ints, rows: Ints, weight: NDArray[np.float64], pages: int) -> Ints:
        """For each page the target of the greatest weight, or -1; of equal ones the most populous.

        As policy A decides (owners.py). `page`, `rows` and `weight`: the places of all scopes.
        """
        target = self.targets(rows)
        named = (target >= 0) & (weight > 0)
        page, target, weight = page[named], target[named], weight[named]
        best = np.full(pages, -1, np.int64)
        if not len(page):
            return best
        order = np.lexsort((target, page))
        page, target, weight = page[order], target[order], weight[order]
        fresh = np.flatnonzero(first_of_each(page) | first_of_each(target))
        weight = np.add.reduceat(weight, fresh)
        page, target = page[fresh], target[fresh]
        ranked = np.lexsort((target, -self._people[target], -weight, page))
        first = ranked[first_of_each(page[ranked])]
        best[page[first]] = target[first]
        return best

    def counts(self, rows: Sequence[int], pages: Sequence[int]) -> tuple[PlaceCount, ...]:
        """Records of places with their numbers of pages, most pages first."""
        found = []
        for row, count in zip(rows, pages, strict=True):
            place = self._gazetteer.place_at(row)
            wanted = bool(self._target_of[row] >= 0)
            found.append(PlaceCount(place.id, label(place), place.lat, place.lon, count, wanted))
        return tuple(sorted(found, key=lambda one: (-one.pages, one.id)))
