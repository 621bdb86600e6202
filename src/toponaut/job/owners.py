"""Which node is responsible for a place, and which node takes a link that names no target.

The nearest target around a place counts: if Texas and Houston are targets of two nodes, a page
about Houston goes to Houston's node. A place outside all targets belongs to no node.
"""

from collections.abc import Iterable, Sequence
from functools import cached_property
from typing import Literal, NamedTuple

import numpy as np

from toponaut.job.targets import Territory
from toponaut.places.containment import rows_inside
from toponaut.places.gazetteer import Gazetteer
from toponaut.places.names.tokens import Ints
from toponaut.urls import fingerprint

Policy = Literal["A", "B"]


class OwnerChoice(NamedTuple):
    """The nodes that fetch a link, and the id of the target that decided (0: no target)."""

    owners: tuple[str, ...]
    target: int


class OwnerTable:
    """For every place of the gazetteer its target and its node."""

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
        self._gazetteer, self._territories = gazetteer, territories
        self._policy = policy
        self._rest = self.general or self.nodes

    @cached_property
    def _tables(self) -> tuple[Ints, Ints]:
        return _tables(self._gazetteer, self._territories)

    @property
    def target_of(self) -> Ints:
        """For every row of the gazetteer the row of its target, or -1."""
        return self._tables[0]

    @property
    def node_of(self) -> Ints:
        """For every row of the gazetteer the number of its node, or -1."""
        return self._tables[1]

    def target(self, place: int) -> int:
        """The id of the target that contains a place, 0 if there is none."""
        row = int(self.target_of[self._gazetteer.row(place)])
        return int(self._gazetteer.ids[row]) if row >= 0 else 0

    def node(self, place: int) -> str:
        """The node whose territory contains a place, "" if there is none."""
        number = int(self.node_of[self._gazetteer.row(place)])
        return self.geographic[number] if number >= 0 else ""

    def choose(self, weights: Iterable[tuple[int, float]], url: str) -> OwnerChoice:
        """The owners of a link about these places (ids with weights), by the job's policy.

        Gao, Lee and Miao 2006, section 3.2. Policy A: the node of the most probable target.
        Policy B: every node with a target of non-zero probability. Of equally probable targets the
        most populous wins. A link about no target goes to a general node.
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
        """The node for a link about no target: by hash, a general one if there are any."""
        return self._rest[fingerprint(url) % len(self._rest)]


def _tables(gazetteer: Gazetteer, territories: Sequence[Territory]) -> tuple[Ints, Ints]:
    """For every row of the gazetteer the row of its target and the number of its node, or -1."""
    target_of = np.full(len(gazetteer), -1, np.int32)
    node_of = np.full(len(gazetteer), -1, np.int32)
    wanted = [
        (gazetteer.row(place.id), node)
        for node, territory in enumerate(territories)
        for place in territory.targets
    ]
    # Large areas first, so that smaller targets inside overwrite them.
    for row, node in sorted(wanted, key=lambda pair: (int(gazetteer.levels[pair[0]]), pair[0])):
        inside = rows_inside(gazetteer, [row])
        inside[row] = True
        target_of[inside] = row
        node_of[inside] = node
    own = [row for row, _ in wanted]
    target_of[own] = own  # two targets may be one place in the gazetteer
    node_of[own] = [node for _, node in wanted]
    return target_of, node_of
