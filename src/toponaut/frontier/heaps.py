"""Pairing heaps in columns: any number of priority queues over one set of slots.

A slot is a row of the columns. It stands in at most one heap, and a heap is known by the slot at its root: the best
one, by the higher promise, then by the lower tie. Slot 0 is no slot, so 0 is the empty heap. Each slot points to its
first child, to its next sibling, and back to its previous sibling (the first child: to its parent).

Why these: two heaps are melded, and a promise raised, in constant time, which is what a crawl does most; a slot
takes 28 bytes and the heaps themselves nothing, so millions of hosts may each have one. (Fredman, Sedgewick, Sleator,
Tarjan: The pairing heap, Algorithmica 1986.)
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from toponaut.frontier.mapped import Columns

FORMATS = {"promise": "d", "tie": "Q", "child": "I", "sibling": "I", "previous": "I"}

# So many siblings are sorted, not melded. Measured with 24: 13 us against 12, with 300: 65 against 95; but then each of
# them is taken in 0.3 us, where melded ones take 3 to 5.
_MANY = 24


class Heaps:
    """The heaps over the slots of `columns`, which hold FORMATS. `bind` again whenever the columns have grown."""

    def __init__(self, columns: Columns) -> None:
        self.bind(columns)

    def bind(self, columns: Columns) -> None:
        """Takes the columns as they lie now."""
        if not columns.capacity:
            return
        self._arrays = columns.arrays
        self.promise: memoryview[float] = columns.views["promise"]  # type: ignore[assignment]
        self.tie = columns.views["tie"]
        self._child = columns.views["child"]
        self._sibling = columns.views["sibling"]
        self._previous = columns.views["previous"]

    def insert(self, root: int, slot: int, promise: float, tie: int) -> int:
        """The root of the heap after `slot` has joined it with this key."""
        self.promise[slot] = promise
        self.tie[slot] = tie
        self._child[slot] = self._sibling[slot] = self._previous[slot] = 0
        return self.meld(root, slot)

    def meld(self, one: int, other: int) -> int:
        """Two heaps become one; its root."""
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
        """The root of the heap after its best slot has left."""
        return self._meld_all(self._child[root])

    def remove(self, root: int, slot: int) -> int:
        """The root of the heap after `slot`, which stands anywhere in it, has left."""
        if slot == root:
            return self.pop(root)
        self._cut(slot)
        return self.meld(root, self._meld_all(self._child[slot]))

    def promote(self, root: int, slot: int, promise: float, tie: int) -> int:
        """The root of the heap after `slot` was given a better key."""
        self.promise[slot] = promise
        self.tie[slot] = tie
        if slot == root:
            return root
        self._cut(slot)
        return self.meld(root, slot)

    def members(self, root: int) -> list[int]:
        """All slots of a heap, in no order."""
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
        """Makes heaps out of sorted runs, the best slot first: each slot is the only child of the one before.

        `heads` marks where a run begins; its first slot is the root of the heap. So a batch of any size joins a
        queue by one `meld`, and its slots leave again without a comparison.
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
        """Takes a slot that is not the root, with all below it, out of its heap."""
        before, after = self._previous[slot], self._sibling[slot]
        if self._child[before] == slot:
            self._child[before] = after
        else:
            self._sibling[before] = after
        if after:
            self._previous[after] = before
        self._sibling[slot] = self._previous[slot] = 0

    def _meld_all(self, slot: int) -> int:
        """Siblings become one heap: melded in pairs from left to right, then all from right to left."""
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
        """Siblings become one heap by sorting them: each is put below the next better one, before its own children.

        Many gather below a root when much is put and little taken.
        """
        arrays, slots = self._arrays, np.array(siblings, np.uint32)
        slots = slots[np.lexsort((arrays["tie"][slots], -arrays["promise"][slots]))]
        above, below = slots[:-1], slots[1:]
        pushed = arrays["child"][above]
        arrays["previous"][pushed] = below  # the row of slot 0 takes what belongs to no slot
        arrays["sibling"][below] = pushed
        arrays["child"][above] = below
        arrays["previous"][below] = above
        root = int(slots[0])
        self._sibling[root] = self._previous[root] = 0
        return root
