"""The URLs that wait: a slot each, with its key, its standing in a heap, and where its record lies.

Slots are used again, so the columns are as long as the queue ever was. `where` is 0 in a slot that is free.
"""

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from toponaut.frontier.heaps import FORMATS, Heaps
from toponaut.frontier.mapped import Columns

_FORMATS = {**FORMATS, "where": "Q", "free": "I"}  # free: a stack of the slots that were given back
SlotArray = NDArray[np.uint32]


class Slots:
    """`used` slots from 1 on were ever taken, `free` of them given back."""

    def __init__(self, directory: Path, capacity: int = 0, used: int = 0, free: int = 0) -> None:
        self.used, self.free = used, free
        self.columns = Columns(directory, "urls", _FORMATS, capacity)
        self.columns.reserve(1)
        self.heaps = Heaps(self.columns)
        self._bind()

    def _bind(self) -> None:
        self.heaps.bind(self.columns)
        self.where = self.columns.views["where"]
        self._free = self.columns.views["free"]

    @property
    def waiting(self) -> int:
        return self.used - self.free

    def reserve(self, count: int) -> None:
        """Makes room for `count` more: `take` cannot fail then."""
        if self.columns.reserve(self.used + 1 + count - min(count, self.free)):
            self._bind()

    def take(
        self, promises: NDArray[np.float64], ties: NDArray[np.uint64], wheres: NDArray[np.uint64]
    ) -> SlotArray:
        """Slots for URLs with these keys and records. Room must have been reserved."""
        again = min(len(ties), self.free)
        new = len(ties) - again
        stack = self.columns.arrays["free"][self.free - again : self.free]
        slots = np.concatenate(
            [stack, np.arange(self.used + 1, self.used + 1 + new, dtype=np.uint32)]
        )
        self.free -= again
        self.used += new
        arrays = self.columns.arrays
        arrays["promise"][slots] = promises
        arrays["tie"][slots] = ties
        arrays["where"][slots] = wheres
        return slots

    def take_one(self, where: int) -> int:
        """A slot for the URL of that record; its key is the caller's to set."""
        if self.free:
            self.free -= 1
            slot = self._free[self.free]
        else:
            self.used += 1
            slot = self.used
        self.where[slot] = where
        return slot

    def give_back(self, slot: int) -> None:
        """The URL no longer waits."""
        self.where[slot] = 0
        self._free[self.free] = slot
        self.free += 1

    def give_back_all(self, slots: SlotArray) -> None:
        """The URLs no longer wait."""
        self.columns.arrays["where"][slots] = 0
        self.columns.arrays["free"][self.free : self.free + len(slots)] = slots
        self.free += len(slots)

    def holds(self, slots: SlotArray, ties: NDArray[np.uint64]) -> NDArray[np.bool_]:
        """Whether each slot still holds the URL of that tie: it may be free by now, or another's."""
        arrays = self.columns.arrays
        found: NDArray[np.bool_] = (arrays["where"][slots] != 0) & (arrays["tie"][slots] == ties)
        return found

    def holds_one(self, slot: int, tie: int) -> bool:
        """Whether one slot does."""
        return self.where[slot] != 0 and self.heaps.tie[slot] == tie
