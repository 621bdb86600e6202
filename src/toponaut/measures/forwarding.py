"""Communication as Gao, Lee and Miao 2006 count it: a URL is forwarded each time a node meets it.

A node of Toponaut sends a URL to its owner once. The paper's nodes keep no memory of what they have
sent, so a link on 50 pages of a site is exchanged 50 times (its Table 9: up to 62 URLs a page). The
log has the first meeting of a URL with its owners, and later ones by fingerprint; this fold joins
both. Above MOST links it goes on with a sample: half of the URLs, a quarter, and so on.
"""

import numpy as np

from toponaut.measures.columns import Ints, Marks, first_of_each, places_in

MOST = 4_000_000  # links kept: 100 MB


class MetAgain:
    """Counts the links that a node meets again although another node owns them."""

    def __init__(self, most: int = MOST) -> None:
        self._most, self._bits = most, 0
        # Marks and node numbers: URLs with their owners, and meetings with their finders.
        self._given: list[tuple[Marks, Ints]] = []
        self._met: list[tuple[Marks, Ints]] = []

    def give(self, marks: Marks, owners: Ints) -> None:
        """Add new URLs with the numbers of their first owners."""
        self._given.append(self._sampled(marks, owners))
        self._thin_out()

    def meet(self, marks: Marks, finders: Ints) -> None:
        """Add URLs that nodes have met again."""
        self._met.append(self._sampled(marks, finders))
        self._thin_out()

    def count(self, nodes: int) -> tuple[int, ...]:
        """For each node the number of such links; seeds and unknown URLs do not count."""
        given, owners = _joined(self._given)
        order = np.argsort(given, kind="stable")
        given, owners = given[order], owners[order]
        first = first_of_each(given)
        given, owners = given[first], owners[first]
        met, finders = _joined(self._met)
        at = places_in(given, met)
        away = (at >= 0) & (owners[at] != finders) if len(given) else at >= 0
        counts = np.bincount(finders[away], minlength=nodes) << self._bits
        return tuple(int(count) for count in counts)

    def _sampled(self, marks: Marks, nodes: Ints) -> tuple[Marks, Ints]:
        if not self._bits:
            return marks, nodes
        kept = marks & np.uint64((1 << self._bits) - 1) == 0
        return marks[kept], nodes[kept]

    def _thin_out(self) -> None:
        while sum(len(marks) for marks, _ in (*self._given, *self._met)) > self._most:
            self._bits += 1
            self._given = [self._sampled(*_joined(self._given))]
            self._met = [self._sampled(*_joined(self._met))]


def _joined(parts: list[tuple[Marks, Ints]]) -> tuple[Marks, Ints]:
    return (
        np.concatenate([np.zeros(0, np.uint64), *(marks for marks, _ in parts)]),
        np.concatenate([np.zeros(0, np.int64), *(nodes for _, nodes in parts)]),
    )
