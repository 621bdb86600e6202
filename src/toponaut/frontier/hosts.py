"""The hosts: a queue of URLs each, and the order in which hosts are asked.

A host is idle (no URLs wait), ready (may be asked now: in a heap by its best URL), resting (may be
asked later: in a heap by time) or busy (being asked). A host is in one heap at most, so both heaps
share the same columns. Names are not stored: a host is known by its fingerprint. So a host takes 57
bytes and its share of the fingerprint table, all in files.

A registered domain has up to `per_domain` hosts with queues of their own. All its further hosts
share one queue, so that a server that makes up names gets no more turns than others. That queue is
named "*.domain", which no host is.

A host's pace is the time from one request to the next, measured whenever it is released.
"""

from collections.abc import Iterable, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from toponaut.frontier.heaps import FORMATS, Heaps
from toponaut.frontier.mapped import Columns
from toponaut.frontier.slots import SlotArray, Slots
from toponaut.frontier.supply import Counts, Supply
from toponaut.frontier.table import FingerprintTable
from toponaut.urls import fingerprint, fingerprints, registered_domain

_FORMATS = {
    **FORMATS, "root": "I", "at": "d", "pace": "d", "links": "I", "row": "I", "state": "B",
    "shared": "B",
}  # fmt: skip
_IDLE, READY, RESTING, BUSY = range(4)
# A host with more links than this, or that rests for longer, has its own row in the supply.
_FEW_LINKS, _LONG_S = 32, 30.0
# A host of a shared queue that rests for longer must not hold up the others. After a request the
# queue rests only shortly, whatever its host does: a dead one must not delay the others.
SHARED_REST_S = 30.0
_SHARED_PACE_S = 1.0


class Hosts:
    """The queues over the URLs in `slots`. Hosts are numbered from 1."""

    def __init__(
        self,
        directory: Path,
        slots: Slots,
        table: FingerprintTable,
        domains: FingerprintTable,
        per_domain: int,
        key: int,
        capacity: int = 0,
        roots: Sequence[int] = (0, 0, 0),
        now: float = 0.0,
        rows: int = 0,
    ) -> None:
        self.busy = 0
        self.now = now  # the latest time seen
        self.roots = list(roots)  # roots of the heaps of hosts, by state
        self.table = table  # of hosts: the numbers of their queues
        self.domains = domains  # the number of hosts with a queue of their own
        self._per_domain = per_domain  # 0: no bound
        self._secret = key
        self.columns = Columns(directory, "hosts", _FORMATS, capacity)
        self.columns.reserve(1)
        self._urls = slots.heaps
        self._heaps = Heaps(self.columns)
        self._bind()
        owned = np.flatnonzero(self.columns.arrays["row"]).tolist()
        self.supply = Supply(directory, rows, {self._row[host]: host for host in owned})

    def _bind(self) -> None:
        views = self.columns.views
        self._heaps.bind(self.columns)
        self.root, self._state = views["root"], views["state"]
        self.links, self._row, self.shared = views["links"], views["row"], views["shared"]
        self._at: memoryview[float] = views["at"]  # type: ignore[assignment]
        self._pace: memoryview[float] = views["pace"]  # type: ignore[assignment]

    @property
    def count(self) -> int:
        return self.table.count

    @property
    def resting(self) -> int:
        """Counted on each call: 2 ms for ten million hosts."""
        return int(np.count_nonzero(self.columns.arrays["state"] == RESTING))

    def reserve(self, count: int) -> None:
        """Makes room for `count` more hosts, so that `number` and `join` cannot fail.

        Each may need a queue of its own and one that it shares.
        """
        self.table.reserve(2 * count)
        self.domains.reserve(count)
        self.supply.reserve(count)
        if self.columns.reserve(self.count + 1 + 2 * count):
            self._bind()

    def find(self, name: str) -> int:
        """A host's number; 0 if unknown."""
        return self.table.get(fingerprint(name, self._secret)) or 0

    def number(self, name: str) -> int:
        """A host's number; an unknown host gets a new one."""
        print_ = fingerprint(name, self._secret)
        host = self.table.get(print_)
        if host is None:
            self.reserve(1)
            host = self._queue_of_new(name)
            self.table.set(print_, host)
        return host

    def _queue_of_new(self, name: str) -> int:
        """The queue of a new host: its own, or the one that further hosts of its domain share."""
        if not self._per_domain:
            return self.count + 1
        domain = registered_domain(name)
        print_ = fingerprint(domain, self._secret)
        hosts = self.domains.get(print_) or 0
        if hosts < self._per_domain:
            self.domains.set(print_, hosts + 1)
            return self.count + 1
        print_ = fingerprint(f"*.{domain}", self._secret)
        queue = self.table.get(print_)
        if queue is None:
            queue = self.count + 1
            self.table.set(print_, queue)
            self.shared[queue] = 1
        return queue

    def number_all(self, names: Iterable[str]) -> dict[str, int]:
        """The numbers of hosts. Needs reserved room."""
        names = list(names)
        prints = np.array(fingerprints(names, self._secret), np.uint64)
        _, found = self.table.find(prints)
        hosts: dict[str, int] = dict(zip(names, found.tolist(), strict=True))
        for name, print_ in zip(names, prints.tolist(), strict=True):
            if not hosts[name]:
                hosts[name] = queue = self._queue_of_new(name)
                self.table.set(print_, queue)
        return hosts

    def best(self, now: float) -> int:
        """The ready host with the best URL; 0 if no host is ready."""
        self.now = max(self.now, now)
        while (host := self.roots[RESTING]) and self._at[host] <= self.now:
            self._leave(host)
            self._enter(host)
        return self.roots[READY]

    def ready_at(self, price: float) -> float | None:
        """When the first host is ready: 0 if one is ready, None if none is ready or resting.

        A ready host whose best URL is not worth the price does not count.
        """
        if (host := self.roots[READY]) and self._urls.promise[self.root[host]] >= price:
            return 0.0
        return self._at[host] if (host := self.roots[RESTING]) else None

    def occupy(self, host: int) -> None:
        """Makes a ready host busy and removes its best URL from its queue."""
        self._leave(host)
        self._state[host] = BUSY
        self._at[host] = self.now
        self.busy += 1
        slot = self.root[host]
        self._uncount(host, self._urls.promise[slot])
        self.root[host] = self._urls.pop(slot)

    def release(self, host: int, at: float) -> None:
        """Makes a busy host rest until `at`, or longer if it is held."""
        if self.shared[host]:
            at = min(at, self.now + _SHARED_PACE_S)
        if self._state[host] == BUSY:
            self.busy -= 1
            self._state[host] = _IDLE
            took, pace = at - self._at[host], self._pace[host]
            if took > 0.0:
                self._pace[host] = (pace + took) / 2 if pace else took
        self.hold(host, at)

    def hold(self, host: int, at: float) -> None:
        """Makes a host rest until `at` or later."""
        self._at[host] = max(self._at[host], at)
        self._reinsert(host)
        if at - self.now > _LONG_S and self.root[host]:
            self._count_apart(host)

    def join(self, host: int, slot: int) -> None:
        """Adds a URL to a host's queue. Needs reserved room."""
        self.supply.add(self._row[host], self._urls.promise[slot])
        self.links[host] += 1
        self._meld(host, slot)
        if self.links[host] > _FEW_LINKS:
            self._count_apart(host)

    def join_all(
        self, hosts: NDArray[np.int64], slots: SlotArray, heads: NDArray[np.bool_]
    ) -> None:
        """Adds heaps of URLs to the queues of hosts; `heads` marks their roots. Needs room."""
        arrays = self.columns.arrays
        self.supply.add_all(arrays["row"][hosts], self._urls.promises[slots])
        np.add.at(arrays["links"], hosts, 1)
        for host, slot in zip(hosts[heads].tolist(), slots[heads].tolist(), strict=True):
            self._meld(host, slot)
            if self.links[host] > _FEW_LINKS:
                self._count_apart(host)

    def _meld(self, host: int, slot: int) -> None:
        self.root[host] = root = self._urls.meld(self.root[host], slot)
        if root == slot:
            self._move_up(host)

    def promote(self, host: int, slot: int, promise: float) -> None:
        """Raises the promise of a URL in a host's queue."""
        self.supply.move(self._row[host], self._urls.promise[slot], promise)
        self.root[host] = root = self._urls.promote(
            self.root[host], slot, promise, self._urls.tie[slot]
        )
        if root == slot:
            self._move_up(host)

    def sink(self, host: int, slot: int, promise: float) -> None:
        """Lowers the promise of a URL in a host's queue."""
        self.supply.move(self._row[host], self._urls.promise[slot], promise)
        self.root[host] = self._urls.insert(
            self._urls.remove(self.root[host], slot), slot, promise, self._urls.tie[slot]
        )
        self._reinsert(host)

    def remove(self, host: int, slot: int) -> None:
        """Removes a URL from a host's queue."""
        self._uncount(host, self._urls.promise[slot])
        self.root[host] = self._urls.remove(self.root[host], slot)
        self._reinsert(host)

    def members(self, host: int) -> list[int]:
        """The slots in a host's queue."""
        return self._urls.members(self.root[host])

    def clear(self, host: int) -> list[int]:
        """Empties a host's queue; returns the slots that were in it."""
        slots = self.members(host)
        for slot in slots:
            self._uncount(host, self._urls.promise[slot])
        self.root[host] = 0
        self._reinsert(host)
        return slots

    def free_busy(self) -> None:
        """Frees the hosts that were busy when the frontier was closed."""
        for host in np.flatnonzero(self.columns.arrays["state"] == BUSY).tolist():
            self._state[host] = _IDLE
            self._enter(host)

    def fetchable(self, now: float, seconds: float, pace: float, growth: float = 1.0) -> Counts:
        """Links that can be fetched within `seconds`, by class of promise (supply.py).

        `pace`: of the hosts that were not asked yet.
        """
        hosts = np.fromiter(self.supply.owners.values(), np.int64, len(self.supply.owners))
        rests = np.maximum(self.columns.arrays["at"][hosts] - now, 0.0)
        paces = self.columns.arrays["pace"][hosts]
        paces[paces <= 0.0] = pace
        return self.supply.fetchable(rests, paces, seconds, growth)

    def _uncount(self, host: int, promise: float) -> None:
        row = self._row[host]
        self.supply.add(row, promise, -1)
        self.links[host] -= 1
        if row and not self.links[host]:
            self.supply.free_row(row)
            self._row[host] = 0

    def _count_apart(self, host: int) -> None:
        """Gives a host a row of its own in the supply, unless the disk has no room for it."""
        if not self._row[host] and self.supply.has_room():
            promises = map(self._urls.promise.__getitem__, self._urls.members(self.root[host]))
            self._row[host] = self.supply.new_row(host, promises)

    def _key(self, host: int) -> tuple[float, int]:
        root = self.root[host]
        return self._urls.promise[root], self._urls.tie[root]

    def _move_up(self, host: int) -> None:
        """Updates a host whose best URL has improved."""
        state = self._state[host]
        if state == READY:
            self.roots[READY] = self._heaps.promote(self.roots[READY], host, *self._key(host))
        elif state == _IDLE:
            self._enter(host)

    def _reinsert(self, host: int) -> None:
        """Moves a host to the right heap and place after any change."""
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
