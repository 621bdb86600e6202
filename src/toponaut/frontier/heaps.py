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

import cython
import numpy as np
from numpy.typing import NDArray

from toponaut.frontier.mapped import Columns

if not cython.compiled:
    raise ImportError("toponaut is not compiled: run make setup, or reinstall it")

FORMATS = {"promise": "d", "tie": "Q", "child": "I", "sibling": "I", "previous": "I"}

# More siblings than this are sorted instead of melded: as fast for 24, faster for 300 (65 us, 95),
# and sorted ones leave in 0.3 us each, melded ones in 3 to 5.
_MANY = 24


@cython.cclass
class Heaps:
    """The heaps over the slots of `columns` (FORMATS). Call `bind` after the columns have grown."""

    promises = cython.declare(object, visibility="readonly")  # an array
    promise = cython.declare(object, visibility="readonly")  # views: faster for single numbers
    tie = cython.declare(object, visibility="readonly")
    _arrays: dict[str, Any]
    _promise: cython.double[::1]
    _tie: cython.ulonglong[::1]
    _child: cython.uint[::1]
    _sibling: cython.uint[::1]
    _previous: cython.uint[::1]

    def __init__(self, columns: Columns) -> None:
        self.bind(columns)

    def bind(self, columns: Columns) -> None:
        """Uses the columns at their current addresses."""
        if not columns.capacity:
            return
        self._arrays = columns.arrays
        self.promises = self._arrays["promise"]
        self.promise, self.tie = columns.views["promise"], columns.views["tie"]
        self._promise, self._tie = self._arrays["promise"], self._arrays["tie"]
        self._child, self._sibling = self._arrays["child"], self._arrays["sibling"]
        self._previous = self._arrays["previous"]

    @cython.ccall
    def insert(
        self, root: cython.uint, slot: cython.uint, promise: cython.double, tie: cython.ulonglong
    ) -> cython.uint:
        """Adds a slot with this key; returns the new root."""
        self._promise[slot] = promise
        self._tie[slot] = tie
        self._child[slot] = self._sibling[slot] = self._previous[slot] = 0
        return self.meld(root, slot)

    @cython.ccall
    def meld(self, one: cython.uint, other: cython.uint) -> cython.uint:
        """Joins two heaps; returns the new root."""
        if not one or not other:
            return one or other
        mine: cython.double = self._promise[one]
        its: cython.double = self._promise[other]
        if its > mine or (its == mine and self._tie[other] < self._tie[one]):
            one, other = other, one
        first: cython.uint = self._child[one]
        self._sibling[other] = first
        if first:
            self._previous[first] = other
        self._previous[other] = one
        self._child[one] = other
        return one

    @cython.ccall
    def pop(self, root: cython.uint) -> cython.uint:
        """Removes the root; returns the new root."""
        return self._meld_all(self._child[root])

    @cython.ccall
    def remove(self, root: cython.uint, slot: cython.uint) -> cython.uint:
        """Removes a slot anywhere in the heap; returns the new root."""
        if slot == root:
            return self.pop(root)
        self._cut(slot)
        return self.meld(root, self._meld_all(self._child[slot]))

    @cython.ccall
    def promote(
        self, root: cython.uint, slot: cython.uint, promise: cython.double, tie: cython.ulonglong
    ) -> cython.uint:
        """Gives a slot a better key; returns the new root."""
        self._promise[slot] = promise
        self._tie[slot] = tie
        if slot == root:
            return root
        self._cut(slot)
        return self.meld(root, slot)

    def members(self, root: int) -> list[int]:
        """All slots of a heap, in no particular order."""
        found, pending = [], [root] if root else []
        slot: cython.uint
        child: cython.uint
        while pending:
            slot = pending.pop()
            while slot:
                found.append(slot)
                child = self._child[slot]
                if child:
                    pending.append(child)
                slot = self._sibling[slot]
        return found

    def chain(self, slots: NDArray[Any], heads: NDArray[np.bool_]) -> None:
        """Makes heaps of sorted runs, best first: each slot is the only child of the one before.

        `heads` marks the first slot of each run, the root of its heap. So a batch of any size joins
        a queue with one `meld`, and its slots leave without a comparison.
        """
        last = len(slots) - 1
        children = np.zeros_like(slots)
        children[:last] = slots[1:]
        children[:last][heads[1:]] = 0
        parents = np.zeros_like(slots)
        parents[1:] = slots[:last]
        parents[heads] = 0
        self._arrays["child"][slots] = children
        self._arrays["sibling"][slots] = 0
        self._arrays["previous"][slots] = parents

    @cython.cfunc
    def _cut(self, slot: cython.uint) -> cython.void:
        """Cuts a slot that is not the root, with all below it, out of its heap."""
        before: cython.uint = self._previous[slot]
        after: cython.uint = self._sibling[slot]
        if self._child[before] == slot:
            self._child[before] = after
        else:
            self._sibling[before] = after
        if after:
            self._previous[after] = before
        self._sibling[slot] = self._previous[slot] = 0

    @cython.cfunc
    def _meld_all(self, slot: cython.uint) -> cython.uint:
        """Melds siblings: in pairs from left to right, then all from right to left."""
        siblings: list[int] = []
        pairs: list[int] = []
        k: cython.Py_ssize_t
        root: cython.uint
        while slot:
            siblings.append(slot)
            slot = self._sibling[slot]
        if not siblings:
            return 0
        if len(siblings) > _MANY:
            return self._sort(siblings)
        for k in range(1, len(siblings), 2):
            pairs.append(self.meld(siblings[k - 1], siblings[k]))  # noqa: PERF401 (k is typed)
        root = siblings.pop() if len(siblings) % 2 else pairs.pop()
        while pairs:
            root = self.meld(pairs.pop(), root)
        self._sibling[root] = self._previous[root] = 0
        return root

    def _sort(self, siblings: list[int]) -> int:
        """Sorts siblings into a heap: each goes below the next better one, before its children.

        Many gather below a root when much is put and little taken.
        """
        arrays, slots = self._arrays, np.array(siblings, np.uint32)
        slots = slots[np.lexsort((arrays["tie"][slots], -arrays["promise"][slots]))]
        above, below = slots[: len(slots) - 1], slots[1:]
        pushed = arrays["child"][above]
        arrays["previous"][pushed] = below  # the row of slot 0 absorbs the rest
        arrays["sibling"][below] = pushed
        arrays["child"][above] = below
        arrays["previous"][below] = above
        root: cython.uint = slots[0]
        self._sibling[root] = self._previous[root] = 0
        return root
