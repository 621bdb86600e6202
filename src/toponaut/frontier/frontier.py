"""The next URL to fetch: always the best one among the hosts that may be asked now.

The lifecycle of a URL
----------------------
A URL that the frontier has never been given is *unknown*. `put` makes it *waiting*: it gets a slot
with its key (its promise, and a tie-breaker made from the seed and the URL's fingerprint), joins
its host's queue, and its record goes to the spool. A second `put` has no effect unless the promise
is higher; then the URL moves forward.

`next` makes it *taken*: the frontier hands it out, frees its slot and record, and marks its host
busy. Only its fingerprint remains among the seen ones, so it never waits again. It is *done* when
its visit is in the log; the frontier only learns that the host is free again (`release`). After a
failed request, `put_back` makes a taken URL wait once more. That is the only way back.

    unknown --put--> waiting --next--> taken --release--> done
                        ^----put_back----'

`drop` and `mark_taken` skip steps: the URL becomes seen and is never handed out.

Order: higher promise first. The order of equal promises depends only on the seed and the URLs, not
on the order in which links were found.

Price: `next` hands out nothing below the price it is given (crawl/price.py): then the best host is
resting or busy, and it is better to wait for it. supply.py counts what waits, to find a price.

Key: URLs are known by fingerprints with a secret key, so that no server can hide another's URL by
one that it makes up. No decision depends on it: ties are made without it.

Memory: all is in files (mapped.py), and rebuilt from the log after a crash. The table of seen URLs
keeps the slot of a URL after it was freed or reused; its tie shows which URL it holds now.
"""

import math
import secrets
from collections.abc import Callable, Sequence
from itertools import compress
from operator import or_
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from toponaut.frontier import marker
from toponaut.frontier.hosts import SHARED_REST_S, Hosts
from toponaut.frontier.slots import (
    SlotArray,
    Slots,
    TieBreaker,
    encode_record,
    merge_links,
    separate_copies,
)
from toponaut.frontier.spool import MOST, Spool
from toponaut.frontier.sunk import SunkLinks
from toponaut.frontier.supply import Counts
from toponaut.frontier.table import FingerprintTable
from toponaut.records import QueuedLink
from toponaut.urls import fingerprint, fingerprints, host_of

# Up to this many URLs are put one by one: 15 us for one (as a batch 84), 220 for twenty (186).
_FEW = 16
# A URL sinks if its promise has fallen by this share; at most this many per call, so that no call
# takes long. With 8, 44 % of links were handed out although their promise had fallen; with 64, 3 %.
_SINK_SHARE, _SINK_MOST = 0.05, 64
_SHORT = 1000  # links of a shared queue that are read to find those of one host


class Frontier:
    """The frontier in `directory`, which it owns: all other files in there are deleted.

    `per_domain`: hosts of a registered domain that have queues of their own (hosts.py); 0: all.
    """

    def __init__(self, directory: Path, seed: int, per_domain: int = 0) -> None:
        state = marker.take(directory, seed, per_domain)
        # As given to the last `close`. None: the frontier is empty, and the log must be folded.
        self.position = state and state.position
        self._directory, self._seed, self._per_domain = directory, seed, per_domain
        self._ties = TieBreaker(seed)
        self._key = state.key if state else secrets.randbits(64)
        self._spool = Spool(directory, state.segments if state else ())
        self._slots = Slots(directory, self._spool, *(state.slots if state else ()))
        self._tables = {
            name: FingerprintTable(directory, name, *(state.tables[name] if state else ()))
            for name in ("seen", "met", "names", "domains")
        }
        self._seen, self._met, names, domains = self._tables.values()
        heaps = (
            (state.host_capacity, state.host_roots, state.now, state.supply_rows) if state else ()
        )
        self._hosts = Hosts(directory, self._slots, names, domains, per_domain, self._key, *heaps)
        self._hosts.free_busy()
        self.sunk = SunkLinks()

    def __len__(self) -> int:
        """The number of waiting URLs."""
        return self._slots.waiting

    @property
    def seen(self) -> int:
        """The number of known URLs, waiting or not."""
        return self._seen.count

    @property
    def hosts(self) -> int:
        """The number of known hosts, with or without waiting URLs."""
        return self._hosts.count

    @property
    def resting(self) -> int:
        """Hosts with waiting URLs that could not be asked yet at the last `next`."""
        return self._hosts.resting

    @property
    def busy(self) -> int:
        """Hosts that were handed out and not released."""
        return self._hosts.busy

    def new(self, urls: Sequence[str]) -> list[bool]:
        """Which of the URLs, in normal form, are neither known nor met."""
        return [not known for known in self.knows(self.keyed(urls))]

    def keyed(self, urls: Sequence[str]) -> list[int]:
        """The fingerprints by which this frontier knows URLs in normal form."""
        return fingerprints(urls, self._key)

    def knows(self, prints: list[int]) -> list[bool]:
        """Which of these keyed fingerprints belong to URLs that are known or met."""
        known = self._seen.has(prints)
        if self._met.count:
            known = list(map(or_, known, self._met.has(prints)))
        return known

    def promises(self, prints: list[int], plain: list[int]) -> list[float | None]:
        """The promises of URLs by their keyed and plain fingerprints; None if they do not wait."""
        holds, tie, promise = self._slots.holds_one, self._ties.of_print, self._slots.heaps.promise
        return [
            promise[slot] if slot and holds(slot, tie(one)) else None
            for slot, one in zip(self._seen.numbers(prints), plain, strict=True)
        ]

    def holds(self, prints: list[int]) -> list[bool]:
        """Which of these keyed fingerprints belong to URLs that wait or waited here."""
        return self._seen.has(prints)

    def meet(self, urls: Sequence[str]) -> None:
        """Notes URLs that belong to other nodes: they are no longer new, and do not wait here."""
        if urls:
            prints = np.unique(np.array(self.keyed(urls), np.uint64))
            prints = prints[~self._met.find(prints)[0]]
            self._met.reserve(len(prints))
            self._met.put(prints, np.zeros(len(prints), np.uint32))

    def put(self, entries: Sequence[QueuedLink]) -> int:
        """Queues new URLs, and moves waiting ones forward if their promise is higher now.

        Returns how many were new. After an OSError (disk full) the last of the new URLs are
        missing, and the same batch may be put again.
        """
        if len(entries) <= _FEW:
            self._slots.tidy_spool()
            return sum(map(self._put_one, entries, [encode_record(entry) for entry in entries]))
        return sum(
            self._put(entries[start : start + MOST]) for start in range(0, len(entries), MOST)
        )

    def _put_one(self, entry: QueuedLink, record: bytes) -> bool:
        print_ = fingerprint(entry.url, self._key)
        slot = self._seen.get(print_)
        if slot is None:
            self._seen.set(print_, self._add_one(entry, record))
        elif self._slots.holds_one(slot, self._ties.of_url(entry.url)):
            self._move_forward(entry, slot)
        return slot is None

    def _put(self, entries: Sequence[QueuedLink]) -> int:
        self._slots.tidy_spool()
        firsts, copies = separate_copies(entries)
        prints = np.array(self.keyed(list(firsts)), np.uint64)
        ties = self._ties.of_prints(fingerprints(firsts))
        seen, slots = self._seen.find(prints)
        known = np.flatnonzero(seen)
        if len(known):
            old = list(firsts.values())
            for index in known[self._slots.holds(slots[known], ties[known])].tolist():
                self._move_forward(old[index], int(slots[index]))
        new = [entry for entry, old in zip(firsts.values(), seen.tolist(), strict=True) if not old]
        if new:
            self._seen.put(prints[~seen], self._add(ties[~seen], new))
        if copies:
            self._put(copies)
        return len(new)

    def _move_forward(self, entry: QueuedLink, slot: int) -> None:
        """Moves the URL in a slot forward if the entry's promise is higher; not a known page."""
        higher = entry.promise > self._slots.heaps.promise[slot]
        if higher and not (before := self._slots.read(slot)).revisit:
            better = merge_links(entry, before)
            self._slots.rewrite(slot, encode_record(better))
            self._hosts.promote(self._hosts.find(host_of(entry.url)), slot, better.promise)
            self.sunk.forget(entry.url)

    def _add(self, ties: NDArray[np.uint64], entries: Sequence[QueuedLink]) -> SlotArray:
        """Queues distinct URLs. Returns their slots, which the caller notes in the seen table."""
        names = [host_of(entry.url) for entry in entries]
        numbers = dict.fromkeys(names, 0)
        promises = np.array([entry.promise for entry in entries], np.float64)
        records = [encode_record(entry) for entry in entries]
        # Everything that can fail comes first: nothing raises after `take`.
        self._seen.reserve(len(entries))
        self._slots.reserve(len(entries))
        self._hosts.reserve(len(numbers))
        slots = self._slots.take(promises, ties, records)
        numbers = self._hosts.number_all(numbers)
        hosts = np.array([numbers[name] for name in names])
        order = np.lexsort((ties, -promises, hosts))
        self._enqueue(hosts[order], slots[order])
        return slots

    def _add_one(self, entry: QueuedLink, record: bytes) -> int:
        """The same for one URL."""
        self._seen.reserve(1)
        self._slots.reserve(1)
        self._hosts.reserve(1)
        slot = self._slots.take_one(record)
        self._slots.heaps.insert(0, slot, entry.promise, self._ties.of_url(entry.url))
        self._hosts.join(self._hosts.number(host_of(entry.url)), slot)
        return slot

    def _enqueue(self, hosts: NDArray[np.int64], slots: SlotArray) -> None:
        """Adds slots, sorted by host and then best first, to the queues of their hosts."""
        heads = np.empty(len(hosts), np.bool_)
        heads[0] = True
        np.not_equal(hosts[1:], hosts[:-1], out=heads[1:])
        self._slots.heaps.chain(slots, heads)
        self._hosts.join_all(hosts, slots, heads)

    def put_back(self, entry: QueuedLink) -> None:
        """Queues a taken URL for another try. If it waits already, this entry replaces it."""
        self._slots.tidy_spool()
        print_ = fingerprint(entry.url, self._key)
        before = self._seen.get(print_) or 0
        waits = self._slots.holds_one(before, self._ties.of_url(entry.url))
        self._seen.set(print_, self._add_one(entry, encode_record(entry)))
        if waits:
            self._withdraw(entry.url, before)

    def mark_taken(self, urls: Sequence[str]) -> None:
        """Marks URLs as taken without handing them out."""
        for start in range(0, len(urls), MOST):
            known = list(dict.fromkeys(urls[start : start + MOST]))
            prints = np.array(self.keyed(known), np.uint64)
            ties = self._ties.of_prints(fingerprints(known))
            self._seen.reserve(len(known))
            _, slots = self._seen.find(prints)
            for url, slot in compress(
                zip(known, slots.tolist(), strict=True), self._slots.holds(slots, ties).tolist()
            ):
                self._withdraw(url, slot)
            self._seen.put(prints, np.zeros(len(known), np.uint32))

    def _withdraw(self, url: str, slot: int) -> None:
        """Removes a URL from its queue and its slot."""
        self._hosts.remove(self._hosts.find(host_of(url)), slot)
        self._slots.give_back(slot)

    def next(
        self,
        now: float,
        may: Callable[[str, float], float] | None = None,
        again: Callable[[QueuedLink], float] | None = None,
        price: float = -math.inf,
    ) -> QueuedLink | None:
        """The best URL among the hosts that may be asked now; its host is busy until released.
        None if its promise does not reach the price.

        `may(host, now)` decides finally, because other nodes ask the same hosts: a time up to `now`
        grants, a later time says when to ask again, infinity that no host is worth trying. `now`
        never decreases. `again(entry)` returns a URL's current promise: if it has fallen far, the
        URL sinks to its new place and the next best is considered.
        """
        hosts, sunk = self._hosts, 0
        while host := hosts.best(now):
            slot = hosts.root[host]
            if self._slots.heaps.promise[slot] < price:
                return None
            entry = self._slots.read(slot)
            if again is not None and sunk < _SINK_MOST and not entry.revisit:
                promise = again(entry)
                if entry.promise - promise > _SINK_SHARE * abs(entry.promise):
                    hosts.sink(host, slot, promise)
                    sunk += 1
                    self.sunk.add(entry.url, promise)
                    continue
            at = now if may is None else may(host_of(entry.url), now)
            if at <= now:
                hosts.occupy(host)
                self._slots.give_back(slot)
                return entry
            if at == math.inf:
                return None
            if hosts.shared[host] and at - now > SHARED_REST_S:
                at = now + SHARED_REST_S
                if sunk < _SINK_MOST:  # its own host rests, not the others of this queue
                    hosts.sink(host, slot, entry.promise - abs(entry.promise) / 2)
                    sunk += 1
                    continue
            hosts.hold(host, at)
        return None

    def sink(self, urls: Sequence[str], promises: Sequence[float]) -> None:
        """Lets waiting URLs sink, as `next` did in an earlier run."""
        for url, promise in zip(urls, promises, strict=True):
            slot = self._seen.get(fingerprint(url, self._key)) or 0
            if self._slots.holds_one(slot, self._ties.of_url(url)):
                self._hosts.sink(self._hosts.find(host_of(url)), slot, promise)

    def best_promise(self, now: float) -> float:
        """The promise of the best URL among the hosts that may be asked now; -inf if none."""
        host = self._hosts.best(now)
        return self._slots.heaps.promise[self._hosts.root[host]] if host else -math.inf

    def release(self, host: str, at: float) -> None:
        """Frees a busy host. It may be asked again at `at`, or later if it was held."""
        self._hosts.release(self._hosts.number(host), at)

    def hold(self, host: str, at: float) -> None:
        """Holds a host until `at`. The latest of several times counts."""
        self._hosts.hold(self._hosts.number(host), at)

    def ready_at(self, price: float = -math.inf) -> float | None:
        """The earliest time at which `next` may return something; 0 means now, None: not before
        `put`, `release` or a lower price.
        """
        return self._hosts.ready_at(price)

    def fetchable(self, now: float, seconds: float, pace: float, growth: float = 1.0) -> Counts:
        """Waiting links by class of promise that can be fetched within `seconds` (supply.py).

        `pace`: seconds between two requests to a host that was not asked yet.
        """
        return self._hosts.fetchable(now, seconds, pace, growth)

    @property
    def summaries(self) -> int:
        """Hosts whose links are counted apart: what `fetchable` costs."""
        return len(self._hosts.supply.owners)

    def drop(self, host: str) -> int:
        """Drops all URLs that wait for a host; they stay seen. Returns how many.

        "*.domain": all of the queue that hosts of a domain share.
        """
        queue = self._hosts.find(host)
        if self._hosts.shared[queue] and not host.startswith("*."):
            # In a long queue they stay, and fail one by one: a server that makes up hosts would
            # have it read for each of them.
            short = self._hosts.links[queue] <= _SHORT
            found = self._slots.on_host(self._hosts.members(queue), host) if short else []
            for slot, url in found:
                self._withdraw(url, slot)
            return len(found)
        slots = np.array(self._hosts.clear(queue), np.uint32)
        self._slots.give_back_all(slots)
        return len(slots)

    def drop_if(self, excluded: Callable[[str], bool]) -> int:
        """Drops the waiting URLs that are excluded: 10 us for each that waits. Returns how many."""
        found = [(url, slot) for slot, url in self._slots.urls() if excluded(url)]
        for url, slot in found:
            self._withdraw(url, slot)
        return len(found)

    def memory(self) -> dict[str, int]:
        """Bytes by part: `spool` is on disk, `buffer` in memory, the rest is mapped."""
        return {
            "urls": self._slots.columns.size,
            "seen": self._seen.columns.size + self._met.columns.size,
            "hosts": self._hosts.columns.size + self._hosts.table.columns.size,
            "supply": self._hosts.supply.columns.size,
            "spool": self._spool.size,
            "buffer": self._spool.buffered,
        }

    def close(self, position: bytes) -> None:
        """Writes everything to disk, with the log position up to which it is folded."""
        hosts, slots = self._hosts, self._slots
        state = marker.FrontierState(
            position=position, seed=self._seed, per_domain=self._per_domain, key=self._key,
            tables={name: (table.count, table.bits) for name, table in self._tables.items()},
            host_capacity=hosts.columns.capacity, supply_rows=hosts.supply.rows, now=hosts.now,
            host_roots=(0, hosts.roots[1], hosts.roots[2]),
            slots=(slots.columns.capacity, slots.used, slots.free),
            segments=tuple(self._spool.segments()),
        )  # fmt: skip
        files = self._spool.flush()
        tables = (table.columns for table in self._tables.values())
        for columns in (slots.columns, hosts.columns, hosts.supply.columns, *tables):
            files += columns.flush()
        marker.write(self._directory, state, files)
