"""The hosts: a queue of URLs each, and the order in which hosts are asked.

A host is idle (nothing waits for it), ready (it may be asked: in a heap by its best URL), resting (it may be asked
later: in a heap by time) or busy (it is being asked). Both heaps stand in the same columns, for a host is in one at
most. Names are not kept: a host is known by its fingerprint, and its name is in its URLs. So a host takes 49 bytes and
its share of the table of fingerprints, all in files, whether there are a hundred or ten million.
"""

from collections.abc import Iterable, Sequence
from pathlib import Path

import numpy as np

from toponaut.frontier.heaps import FORMATS, Heaps
from toponaut.frontier.mapped import Columns
from toponaut.frontier.slots import Slots
from toponaut.frontier.table import Table
from toponaut.urls import fingerprint, fingerprints

_FORMATS = {**FORMATS, "root": "I", "at": "d", "boost": "d", "state": "B"}
_IDLE, READY, RESTING, BUSY = range(4)


class Hosts:
    """The queues over the URLs in `slots`. Hosts are numbered from 1."""

    def __init__(
        self,
        directory: Path,
        slots: Slots,
        table: Table,
        capacity: int = 0,
        roots: Sequence[int] = (0, 0, 0),
        now: float = 0.0,
    ) -> None:
        self.busy = 0
        self.now = now  # the latest time that we were told
        self.roots = list(roots)  # of the heaps of hosts, by state
        self.table = table
        self.columns = Columns(directory, "hosts", _FORMATS, capacity)
        self.columns.reserve(1)
        self._urls = slots.heaps
        self._heaps = Heaps(self.columns)
        self._bind()

    def _bind(self) -> None:
        views = self.columns.views
        self._heaps.bind(self.columns)
        self.root, self._state = views["root"], views["state"]
        self._at: memoryview[float] = views["at"]  # type: ignore[assignment]
        self._boost: memoryview[float] = views["boost"]  # type: ignore[assignment]

    @property
    def count(self) -> int:
        return self.table.count

    @property
    def resting(self) -> int:
        """Counted anew: 2 ms for ten million hosts."""
        return int(np.count_nonzero(self.columns.arrays["state"] == RESTING))

    def reserve(self, count: int) -> None:
        """Makes room for `count` more hosts: `number` cannot fail then."""
        self.table.reserve(count)
        if self.columns.reserve(self.count + 1 + count):
            self._bind()

    def find(self, name: str) -> int:
        """A host's number, 0 if it is unknown."""
        return self.table.get(fingerprint(name)) or 0

    def number(self, name: str) -> int:
        """A host's number; a new one is given to an unknown host."""
        print_ = fingerprint(name)
        host = self.table.get(print_)
        if host is None:
            self.reserve(1)
            host = self.count + 1
            self.table.set(print_, host)
        return host

    def number_all(self, names: Iterable[str]) -> dict[str, int]:
        """The numbers of hosts. Room must have been reserved."""
        names = list(names)
        prints = np.array(fingerprints(names), np.uint64)
        _, found = self.table.find(prints)
        hosts: dict[str, int] = dict(zip(names, found.tolist(), strict=True))
        new = [name for name, host in hosts.items() if not host]
        if new:
            prints = prints[found == 0]
            numbers = np.arange(self.count + 1, self.count + 1 + len(new), dtype=np.uint32)
            self.table.add(prints, numbers)
            hosts.update(zip(new, numbers.tolist(), strict=True))
        return hosts

    def best(self, now: float) -> int:
        """The ready host whose best URL comes first; 0 if there is none."""
        self.now = max(self.now, now)
        while (host := self.roots[RESTING]) and self._at[host] <= self.now:
            self._leave(host)
            self._enter(host)
        return self.roots[READY]

    def ready_at(self) -> float | None:
        """When the first host is ready: 0 if one is, None if none rests either."""
        if self.roots[READY]:
            return 0.0
        return self._at[host] if (host := self.roots[RESTING]) else None

    def occupy(self, host: int) -> None:
        """A ready host is busy until it is released, and its best URL leaves its queue."""
        self._leave(host)
        self._state[host] = BUSY
        self.busy += 1
        self.root[host] = self._urls.pop(self.root[host])

    def release(self, host: int, at: float) -> None:
        """A host is no longer busy, and rests until `at`, or longer if it is held."""
        if self._state[host] == BUSY:
            self.busy -= 1
            self._state[host] = _IDLE
        self.hold(host, at)

    def hold(self, host: int, at: float) -> None:
        """A host rests until `at` at least."""
        self._at[host] = max(self._at[host], at)
        self._replace(host)

    def boost(self, host: int, amount: float) -> None:
        """Sets what is added to the promise of each of its URLs."""
        self._boost[host] = amount
        self._replace(host)

    def join(self, host: int, slot: int) -> None:
        """A heap of URLs joins the queue of a host."""
        self.root[host] = root = self._urls.meld(self.root[host], slot)
        if root == slot:
            self._better(host)

    def promote(self, host: int, slot: int, promise: float) -> None:
        """A URL in the queue of a host gets a higher promise."""
        self.root[host] = root = self._urls.promote(
            self.root[host], slot, promise, self._urls.tie[slot]
        )
        if root == slot:
            self._better(host)

    def sink(self, host: int, promise: float) -> None:
        """The best URL in the queue of a host gets a lower promise."""
        slot = self.root[host]
        self.root[host] = self._urls.insert(
            self._urls.pop(slot), slot, promise, self._urls.tie[slot]
        )
        self._replace(host)

    def remove(self, host: int, slot: int) -> None:
        """A URL leaves the queue of a host."""
        self.root[host] = self._urls.remove(self.root[host], slot)
        self._replace(host)

    def clear(self, host: int) -> list[int]:
        """The queue of a host is emptied; the slots that stood in it."""
        slots = self._urls.members(self.root[host])
        self.root[host] = 0
        self._replace(host)
        return slots

    def free_busy(self) -> None:
        """Nobody asks any host: those that were busy when the frontier was closed are to be had again."""
        for host in np.flatnonzero(self.columns.arrays["state"] == BUSY).tolist():
            self._state[host] = _IDLE
            self._enter(host)

    def _key(self, host: int) -> tuple[float, int]:
        root = self.root[host]
        return self._urls.promise[root] + self._boost[host], self._urls.tie[root]

    def _better(self, host: int) -> None:
        """The best URL of a host is a better one than before."""
        state = self._state[host]
        if state == READY:
            self.roots[READY] = self._heaps.promote(self.roots[READY], host, *self._key(host))
        elif state == _IDLE:
            self._enter(host)

    def _replace(self, host: int) -> None:
        """Something about a host has changed: its standing is found anew."""
        if self._state[host] != BUSY:
            self._leave(host)
            self._enter(host)

    def _leave(self, host: int) -> None:
        if state := self._state[host]:
            self.roots[state] = self._heaps.remove(self.roots[state], host)
            self._state[host] = _IDLE

    def _enter(self, host: int) -> None:
        if not self.root[host]:
            return
        at = self._at[host]
        state, key = (READY, self._key(host)) if at <= self.now else (RESTING, (-at, 0))
        self._state[host] = state
        self.roots[state] = self._heaps.insert(self.roots[state], host, *key)
