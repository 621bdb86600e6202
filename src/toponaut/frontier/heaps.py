"""Pairing heaps in columns: any number of priority queues over one set of slots.

A slot is a row of the columns and is in one heap at most. A heap is known by its root slot, the
best one: highest promise, then lowest tie. Slot 0 is unused, so 0 means an empty heap. Each slot
points to its first child, its next sibling, and back to its previous sibling (a first child: its
parent).

Melding two heaps and raising a promise take constant time, and a crawl does these most. A slot
takes 28 bytes and a heap nothing, so millions of hosts may each have one. (Fredman, Sedgewick,
Sleator, Tarjan: The pairing heap, Algorithmica 1986.)
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from toponaut.frontier.mapped import Columns

FORMATS = {"promise": "d", "tie": "Q", "child": "I", "sibling": "I", "previous": "I"}

# More siblings than this are sorted instead of melded: as fast for 24, faster for 300 (65 us, 95),
# and sorted ones leave in 0.3 us each, melded ones in 3 to 5.
_MANY = 24


class Heaps:
    """The heaps over the slots of `columns` (FORMATS). Call `bind` after the columns have grown."""

    def __init__(self, columns: Columns) -> None:
        self.bind(columns)

    def bind(self, columns: Columns) -> None:
        """Uses the columns at their current addresses."""
        if not columns.capacity:
            return
        self._arrays = columns.arrays
        self.promises: NDArray[np.float64] = columns.arrays["promise"]
        self.promise: memoryview[float] = columns.views["promise"]  # type: ignore[assignment]
        self.tie = columns.views["tie"]
        self._child = columns.views["child"]
        self._sibling = columns.views["sibling"]
        self._previous = columns.views["previous"]

    def insert(self, root: int, slot: int, promise: float, tie: int) -> int:
        """Adds a slot with this key; returns the new root."""
        self.promise[slot] = promise
        self.tie[slot] = tie
        self._child[slot] = self._sibling[slot] = self._previous[slot] = 0
        return self.meld(root, slot)

    def meld(self, one: int, other: int) -> int:
        """Joins two heaps; returns the new root."""
        if not one or not other:
            return one or other
        mine, its = self.promise[one], self.promise[other]
        if its > mine or (its == mine and self.tie[other] < self.tie[one]):
            one, other = other, one
        child = self._child
        first = child[one]
        self._sibling[other] = first
        if first:
            self._previous[first] = other
        self._previous[other] = one
        child[one] = other
        return one

    def pop(self, root: int) -> int:
        """Removes the root; returns the new root."""
        return self._meld_all(self._child[root])

    def remove(self, root: int, slot: int) -> int:
        """Removes a slot anywhere in the heap; returns the new root."""
        if slot == root:
            return self.pop(root)
        self._cut(slot)
        return self.meld(root, self._meld_all(self._child[slot]))

    def promote(self, root: int, slot: int, promise: float, tie: int) -> int:
        """Gives a slot a better key; returns the new root."""
        self.promise[slot] = promise
        self.tie[slot] = tie
        if slot == root:
            return root
        self._cut(slot)
        return self.meld(root, slot)

    def members(self, root: int) -> list[int]:
        """All slots of a heap, in no particular order."""
        found, pending = [], [root] if root else []
        while pending:
            slot = pending.pop()
            while slot:
                found.append(slot)
                if child := self._child[slot]:
                    pending.append(child)
                slot = self._sibling[slot]
        return found

    def chain(self, slots: NDArray[Any], heads: NDArray[np.bool_]) -> None:
        """Makes heaps of sorted runs, best first: each slot is the only child of the one before.

        `heads` marks the first slot of each run, the root of its heap. So a batch of any size joins
        a queue with one `meld`, and its slots leave without a comparison.
        """
        children = np.zeros_like(slots)
        children[:-1] = slots[1:]
        children[:-1][heads[1:]] = 0
        parents = np.zeros_like(slots)
        parents[1:] = slots[:-1]
        parents[heads] = 0
        self._arrays["child"][slots] = children
        self._arrays["sibling"][slots] = 0
        self._arrays["previous"][slots] = parents

    def _cut(self, slot: int) -> None:
        """Cuts a slot that is not the root, with all below it, out of its heap."""
        before, after = self._previous[slot], self._sibling[slot]
        if self._child[before] == slot:
            self._child[before] = after
        else:
            self._sibling[before] = after
        if after:
            self._previous[after] = before
        self._sibling[slot] = self._previous[slot] = 0

    def _meld_all(self, slot: int) -> int:
        """Melds siblings: in pairs from left to right, then all from right to left."""
        if not slot:
            return 0
        sibling, meld, siblings = self._sibling, self.meld, []
        while slot:
            siblings.append(slot)
            slot = sibling[slot]
        if len(siblings) > _MANY:
            return self._sort(siblings)
        if len(siblings) > 1:
            pairs = list(map(meld, siblings[::2], siblings[1::2]))
            root = siblings[-1] if len(siblings) % 2 else pairs.pop()
            while pairs:
                root = meld(pairs.pop(), root)
        else:
            root = siblings[0]
        sibling[root] = self._previous[root] = 0
        return root

    def _sort(self, siblings: list[int]) -> int:
        """Sorts siblings into a heap: each goes below the next better one, before its children.

        Many gather below a root when much is put and little taken.
        """
        arrays, slots = self._arrays, np.array(siblings, np.uint32)
        slots = slots[np.lexsort((arrays["tie"][slots], -arrays["promise"][slots]))]
        above, below = slots[:-1], slots[1:]
        pushed = arrays["child"][above]
        arrays["previous"][pushed] = below  # the row of slot 0 absorbs the rest
        arrays["sibling"][below] = pushed
        arrays["child"][above] = below
        arrays["previous"][below] = above
        root = int(slots[0])
        self._sibling[root] = self._previous[root] = 0
        return root
