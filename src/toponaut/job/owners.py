"""Which node answers for a place, and which for a link that names none.

The nearest target around a place counts: where Texas and Houston are targets of two nodes, a page about Houston goes to
Houston's. What lies in no target speaks for nobody.
"""

from collections.abc import Iterable, Sequence
from typing import Literal, NamedTuple

import numpy as np

from toponaut.job.targets import Territory
from toponaut.places.gazetteer import Gazetteer
from toponaut.places.inside import rows_inside
from toponaut.places.names.tokens import Ints
from toponaut.urls import fingerprint

Policy = Literal["A", "B"]


class OwnerChoice(NamedTuple):
    """The nodes that are to fetch a link, and the target that decided: its id, 0 where there was none."""

    owners: tuple[str, ...]
    target: int


class OwnerTable:
    """The territories of a crawl, as a table over the gazetteer."""

    def __init__(
        self,
        gazetteer: Gazetteer,
        territories: Sequence[Territory],
        general: Sequence[str],
        policy: Policy = "A",
    ) -> None:
        self.geographic = tuple(territory.node for territory in territories)
        self.general = tuple(general)
        self.nodes = self.geographic + self.general
        self.target_of, self.node_of = _tables(gazetteer, territories)
        self._gazetteer = gazetteer
        self._policy = policy
        self._rest = self.general or self.nodes

    def target(self, place: int) -> int:
        """The id of the target in which a place lies, 0 if in none."""
        row = int(self.target_of[self._gazetteer.row(place)])
        return int(self._gazetteer.ids[row]) if row >= 0 else 0

    def node(self, place: int) -> str:
        """The node that answers for a place, "" if none does."""
        number = int(self.node_of[self._gazetteer.row(place)])
        return self.geographic[number] if number >= 0 else ""

    def choose(self, weights: Iterable[tuple[int, float]], url: str) -> OwnerChoice:
        """Who is to fetch a link that is about these places (ids with weights), by the policy of the job (Gao, Lee and
        Miao 2006, section 3.2): under A the node of the most probable target, under B every node with one of non-zero
        probability. Of equally probable targets the most populous counts. A link about none goes to a general node.
        """
        found: dict[int, float] = {}
        for place, weight in weights:
            row = int(self.target_of[self._gazetteer.row(place)])
            if row >= 0 and weight > 0:
                found[row] = found.get(row, 0.0) + weight
        if not found:
            return OwnerChoice((self.unclaimed(url),), 0)
        people = self._gazetteer.population
        ranked = sorted(found, key=lambda row: (-found[row], -int(people[row]), row))
        nodes = dict.fromkeys(self.geographic[int(self.node_of[row])] for row in ranked)
        owners = tuple(nodes) if self._policy == "B" else (next(iter(nodes)),)
        return OwnerChoice(owners, int(self._gazetteer.ids[ranked[0]]))

    def unclaimed(self, url: str) -> str:
        """The node for a link that is about no target: a general one by hash, or where there is none any, by hash."""
        return self._rest[fingerprint(url) % len(self._rest)]


def _tables(gazetteer: Gazetteer, territories: Sequence[Territory]) -> tuple[Ints, Ints]:
    """For every row of the gazetteer the row of its target and the number of its node, -1 where there is none."""
    target_of = np.full(len(gazetteer), -1, np.int32)
    node_of = np.full(len(gazetteer), -1, np.int32)
    wanted = [
        (gazetteer.row(place.id), node)
        for node, territory in enumerate(territories)
        for place in territory.targets
    ]
    # Broad areas first, so that what lies in them is written over.
    for row, node in sorted(wanted, key=lambda pair: (int(gazetteer.levels[pair[0]]), pair[0])):
        inside = rows_inside(gazetteer, [row])
        inside[row] = True
        target_of[inside] = row
        node_of[inside] = node
    own = [row for row, _ in wanted]
    target_of[own] = own  # two targets that the gazetteer takes for one place keep their own
    node_of[own] = [node for _, node in wanted]
    return target_of, node_of
