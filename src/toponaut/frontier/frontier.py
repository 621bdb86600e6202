"""What to fetch next: always the best URL among the hosts that may be asked now.

The lifecycle of a URL
----------------------
*Unknown* is every URL that the frontier was never told of. `put` makes it *waiting*: it gets a slot with its key (its
promise, and a tie drawn from the seed and its fingerprint), joins the queue of its host, and its record goes to the
spool. `put` again changes nothing, unless the promise is higher: then the URL moves forward.

`next` makes it *taken*: it is handed out, its slot and its record are given up, and its host is busy. What remains is
its fingerprint among the seen ones, so that it never waits again. It is *done* when its visit is in the log; of that
the frontier hears only that the host is free again (`release`). A failed request may be tried again: `put_back` makes
a taken URL wait once more, and that is the only way back.

`drop` and `taken` take the short way: waiting or unknown, the URL is seen and will not be handed out.

    unknown --put--> waiting --next--> taken --release--> done
                        ^----put_back----'

The order
---------
Higher promise first. Equal promises are in random order, which depends on the seed and on the URLs alone: the
order in which links were found, or a rebuilt frontier, gives the same crawl. The promise that counts is the URL's own
plus the boost of its host; between URLs of one host the boost makes no difference.

The memory
----------
All is in files (see mapped.py), and all of it is a fold over the log: after a crash it is deleted and folded again.
There is no file to be repaired, so nothing here is written in an order that a crash would have to respect. A slot
that is taken, dropped or used again is not removed from the table of seen URLs: the slot itself tells by its tie
which URL it holds.
"""

import math
from collections.abc import Callable, Iterable, Sequence
from itertools import compress
from operator import or_
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
from numpy.typing import NDArray

from toponaut.frontier import marker
from toponaut.frontier.hosts import Hosts
from toponaut.frontier.slots import SlotArray, Slots
from toponaut.frontier.spool import LONGEST, MOST, Spool
from toponaut.frontier.table import Prints, Table
from toponaut.records import QueuedLink
from toponaut.urls import fingerprint, fingerprints, host_of

_ODD = 0x9E3779B97F4A7C15  # 2^64 / golden ratio: multiplying by it carries every bit of a fingerprint upwards
_BITS = (1 << 64) - 1
# So many URLs are put one by one: 15 us for one (as a batch 84-103), 22 for two (122), 90 for eight (130-142), 220 for twenty
# (186-277). Most pages of a crawl have one or two links that are new.
_FEW = 16
# A URL sinks if its promise has fallen by this share, and so many do at one call: the drift of a whole frontier is spread
# over the calls, and none of them touches more than a handful of URLs.
_SINK_SHARE, _SINK_MOST = 0.05, 8
_SCAN = 1 << 16  # slots looked at together: half a megabyte

_encode = msgspec.msgpack.Encoder().encode
_decode = msgspec.msgpack.Decoder(list[Any]).decode  # the fields of QueuedLink, in their order
_fields = msgspec.structs.astuple


class Frontier:
    """The frontier that lies in `directory`. The directory is its own: whatever else is in there is deleted."""

    def __init__(self, directory: Path, seed: int) -> None:
        state = marker.take(directory, seed)
        self.position = (
            state and state.position
        )  # as given to the last `close`; None: it is empty, fold the log
        self._directory, self._seed = directory, seed
        self._salt = fingerprint(f"seed {seed}")
        self._slots = Slots(directory, *(state.slots if state else ()))
        self._seen = Table(directory, "seen", *(state.seen if state else ()))
        self._met = Table(
            directory, "met", *(state.met if state else ())
        )  # links of other nodes, which never wait here
        self._spool = Spool(directory, state.segments if state else ())
        host_table = Table(directory, "names", *(state.hosts if state else ()))
        standing = (state.host_capacity, state.host_roots, state.now) if state else ()
        self._hosts = Hosts(directory, self._slots, host_table, *standing)
        self._hosts.free_busy()

    def __len__(self) -> int:
        """URLs that wait."""
        return self._slots.waiting

    @property
    def seen(self) -> int:
        """URLs that are known, waiting or not."""
        return self._seen.count

    @property
    def hosts(self) -> int:
        """Hosts that are known, with URLs or without."""
        return self._hosts.count

    @property
    def resting(self) -> int:
        """Hosts with URLs whose time had not come when `next` was last called."""
        return self._hosts.resting

    @property
    def busy(self) -> int:
        """Hosts that were given out and not released."""
        return self._hosts.busy

    def new(self, urls: Sequence[str]) -> list[bool]:
        """Which of the URLs, in normal form, are unknown, and were not met either."""
        return [not known for known in self.knows(fingerprints(urls))]

    def knows(self, prints: list[int]) -> list[bool]:
        """Which URLs with these fingerprints are known, or were met."""
        known = self._seen.has(prints)
        if self._met.count:
            known = list(map(or_, known, self._met.has(prints)))
        return known

    def holds(self, urls: Sequence[str]) -> list[bool]:
        """Which of the URLs wait or waited here."""
        return self._seen.has(fingerprints(urls))

    def meet(self, urls: Sequence[str]) -> None:
        """Notes URLs that were decided on and are for other nodes: they are not new any more, and do not wait here."""
        if urls:
            prints = np.unique(_prints(urls))
            prints = prints[~self._met.find(prints)[0]]
            self._met.reserve(len(prints))
            self._met.add(prints, np.zeros(len(prints), np.uint32))

    def put(self, entries: Sequence[QueuedLink]) -> int:
        """Lets URLs wait that were never seen, and moves those forward that wait with a lower promise.

        Returns how many were new. After an OSError (the disk is full) the frontier is whole, the last of the new URLs are
        not in it, and the same batch may be put again.
        """
        if len(entries) <= _FEW:
            self._tidy_spool()
            return sum(map(self._put_one, entries, [_record(entry) for entry in entries]))
        return sum(
            self._put(entries[start : start + MOST]) for start in range(0, len(entries), MOST)
        )

    def _put_one(self, entry: QueuedLink, record: bytes) -> bool:
        print_ = fingerprint(entry.url)
        slot = self._seen.get(print_)
        if slot is None:
            self._seen.set(print_, self._add_one(print_, entry, record))
        elif self._slots.holds_one(slot, self._tie(print_)):
            self._move_forward(entry, slot)
        return slot is None

    def _put(self, entries: Sequence[QueuedLink]) -> int:
        self._tidy_spool()
        firsts, copies = _part_copies(entries)
        prints = np.fromiter(firsts, np.uint64, len(firsts))
        there, slots = self._seen.find(prints)
        known = np.flatnonzero(there)
        if len(known):
            old = list(firsts.values())
            for index in known[self._slots.holds(slots[known], self._ties(prints[known]))].tolist():
                self._move_forward(old[index], int(slots[index]))
        new = [entry for entry, old in zip(firsts.values(), there.tolist(), strict=True) if not old]
        if new:
            unknown = prints[~there]
            self._seen.add(unknown, self._add(unknown, new))
        if copies:
            self._put(copies)
        return len(new)

    def _move_forward(self, entry: QueuedLink, slot: int) -> None:
        """A URL that waits in this slot moves forward if the entry's promise is higher."""
        if entry.promise > self._slots.heaps.promise[slot]:
            old = self._slots.where[slot]
            better = _merge(entry, self._read(slot))
            self._slots.where[slot] = self._spool.append_one(_record(better))
            self._spool.forget(old)
            self._hosts.promote(self._hosts.find(host_of(entry.url)), slot, better.promise)

    def _add(self, prints: Prints, entries: Sequence[QueuedLink]) -> SlotArray:
        """Makes URLs wait that differ from each other. Their slots: the caller has to note them in the seen ones."""
        names = [host_of(entry.url) for entry in entries]
        numbers = dict.fromkeys(names, 0)
        promises = np.array([entry.promise for entry in entries], np.float64)
        records = [_record(entry) for entry in entries]
        # All that can fail comes first: from here on nothing raises.
        self._seen.reserve(len(entries))
        self._slots.reserve(len(entries))
        self._hosts.reserve(len(numbers))
        wheres = self._spool.append(records)
        ties = self._ties(prints)
        slots = self._slots.take(promises, ties, wheres)
        numbers = self._hosts.number_all(numbers)
        hosts = np.array([numbers[name] for name in names])
        order = np.lexsort((ties, -promises, hosts))
        self._enqueue(hosts[order], slots[order])
        return slots

    def _add_one(self, print_: int, entry: QueuedLink, record: bytes) -> int:
        """The same for one URL."""
        self._seen.reserve(1)
        self._slots.reserve(1)
        self._hosts.reserve(1)
        slot = self._slots.take_one(self._spool.append_one(record))
        self._slots.heaps.insert(0, slot, entry.promise, self._tie(print_))
        self._hosts.join(self._hosts.number(host_of(entry.url)), slot)
        return slot

    def _enqueue(self, hosts: NDArray[np.int64], slots: SlotArray) -> None:
        """The slots, sorted by host and then the best first, join the queues of their hosts."""
        heads = np.empty(len(hosts), np.bool_)
        heads[0] = True
        np.not_equal(hosts[1:], hosts[:-1], out=heads[1:])
        self._slots.heaps.chain(slots, heads)
        for host, slot in zip(hosts[heads].tolist(), slots[heads].tolist(), strict=True):
            self._hosts.join(host, slot)

    def put_back(self, entry: QueuedLink) -> None:
        """Lets a URL wait although it was taken: another try. If it waits, this entry replaces what does."""
        self._tidy_spool()
        print_ = fingerprint(entry.url)
        before = self._seen.get(print_) or 0
        waits = self._slots.holds_one(before, self._tie(print_))
        self._seen.set(print_, self._add_one(print_, entry, _record(entry)))
        if waits:
            self._withdraw(entry.url, before)

    def taken(self, urls: Sequence[str]) -> None:
        """Marks URLs as taken without handing them out: they were, before the log was folded."""
        for start in range(0, len(urls), MOST):
            known = {fingerprint(url): url for url in urls[start : start + MOST]}
            prints = np.fromiter(known, np.uint64, len(known))
            self._seen.reserve(len(known))
            _, slots = self._seen.find(prints)
            for url, slot in compress(
                zip(known.values(), slots.tolist(), strict=True),
                self._slots.holds(slots, self._ties(prints)).tolist(),
            ):
                self._withdraw(url, slot)
            self._seen.put(prints, np.zeros(len(known), np.uint32))

    def _withdraw(self, url: str, slot: int) -> None:
        """A URL leaves its queue and its slot."""
        self._hosts.remove(self._hosts.find(host_of(url)), slot)
        self._give_up(slot)

    def next(
        self,
        now: float,
        may: Callable[[str, float], float] | None = None,
        again: Callable[[QueuedLink], float] | None = None,
    ) -> QueuedLink | None:
        """The best URL among the hosts that may be asked now; its host is busy until it is released.

        `may(host, now)` has the last word, for other nodes ask the same hosts: a time that is not later than `now`
        grants, a later one says when to ask again, and infinity that it is no use to try others. `now` never decreases. `again(entry)` is what a URL's promise is by
        now: one that has fallen far sinks to its new place, and the next best is looked at.
        """
        hosts = self._hosts
        sunk = 0
        while host := hosts.best(now):
            slot = hosts.root[host]
            entry = self._read(slot)
            if again is not None and sunk < _SINK_MOST:
                promise = again(entry)
                if entry.promise - promise > _SINK_SHARE * abs(entry.promise):
                    hosts.sink(host, promise)
                    sunk += 1
                    continue
            at = now if may is None else may(host_of(entry.url), now)
            if at <= now:
                hosts.occupy(host)
                self._give_up(slot)
                return entry
            if at == math.inf:
                return None
            hosts.hold(host, at)
        return None

    def release(self, host: str, at: float) -> None:
        """A host is no longer busy and may be asked again at `at`, or later if it was held meanwhile."""
        self._hosts.release(self._hosts.number(host), at)

    def hold(self, host: str, at: float) -> None:
        """A host may not be asked before `at`. Of several such times the latest counts."""
        self._hosts.hold(self._hosts.number(host), at)

    def ready_at(self) -> float | None:
        """The earliest time at which `next` may give something: 0 for at once.

        None if nothing waits, or only for hosts that are busy: then no time helps, but a `put` or a `release`.
        """
        return self._hosts.ready_at()

    def boost(self, host: str, amount: float) -> None:
        """Adds to the promises of all URLs of a host, present and future. It replaces an earlier boost."""
        if not math.isfinite(amount):
            raise ValueError("a boost that is not a finite number")
        self._hosts.boost(self._hosts.number(host), amount)

    def drop(self, host: str) -> int:
        """Forgets all that waits for a host; it stays seen. Returns how many URLs that were."""
        slots = np.array(self._hosts.clear(self._hosts.find(host)), np.uint32)
        self._spool.forget_all(self._slots.columns.arrays["where"][slots])
        self._slots.give_back_all(slots)
        return len(slots)

    def memory(self) -> dict[str, int]:
        """Bytes by part. `spool` is on disk only, `buffer` is memory of our own, the rest is mapped from files."""
        return {
            "urls": self._slots.columns.size,
            "seen": self._seen.columns.size + self._met.columns.size,
            "hosts": self._hosts.columns.size + self._hosts.table.columns.size,
            "spool": self._spool.size,
            "buffer": self._spool.buffered,
        }

    def close(self, position: bytes) -> None:
        """Writes everything to disk, and `position`: up to where the log is folded. It cannot be used any more."""
        hosts, slots = self._hosts, self._slots
        state = marker.State(
            position=position,
            seed=self._seed,
            seen=(self._seen.count, self._seen.bits),
            met=(self._met.count, self._met.bits),
            hosts=(hosts.table.count, hosts.table.bits),
            host_capacity=hosts.columns.capacity,
            host_roots=(0, hosts.roots[1], hosts.roots[2]),
            now=hosts.now,
            slots=(slots.columns.capacity, slots.used, slots.free),
            segments=tuple(self._spool.segments()),
        )
        files = self._spool.flush()
        for columns in (
            slots.columns,
            self._seen.columns,
            self._met.columns,
            hosts.columns,
            hosts.table.columns,
        ):
            files += columns.flush()
        marker.write(self._directory, state, files)

    def _ties(self, prints: Prints) -> NDArray[np.uint64]:
        """Differ as the fingerprints do: so a tie also tells which URL a slot holds."""
        return (prints ^ np.uint64(self._salt)) * np.uint64(_ODD)

    def _tie(self, print_: int) -> int:
        """That of one fingerprint."""
        return (print_ ^ self._salt) * _ODD & _BITS

    def _read(self, slot: int) -> QueuedLink:
        """What waits in a slot, with the promise that it has there: it may have sunk since its record was written."""
        url, _, *others = _decode(self._spool.read(self._slots.where[slot]))
        return QueuedLink(url, self._slots.heaps.promise[slot], *others)

    def _give_up(self, slot: int) -> None:
        self._spool.forget(self._slots.where[slot])
        self._slots.give_back(slot)

    def _tidy_spool(self) -> None:
        """Moves what is left of a segment to the end of the spool, if most of the spool is dead."""
        segment = self._spool.sparse()
        if segment is None:
            return
        wheres = self._slots.columns.arrays["where"]
        for start in range(0, self._slots.used + 1, _SCAN):
            part = wheres[start : min(start + _SCAN, self._slots.used + 1)]
            found = np.flatnonzero(self._spool.lies_in(part, segment))
            for some in np.array_split(found, -(-len(found) // MOST) or 1):
                if len(some):
                    old = part[some]
                    part[some] = self._spool.append(
                        [self._spool.read(where) for where in old.tolist()]
                    )
                    self._spool.forget_all(old)


def _prints(urls: Sequence[str]) -> Prints:
    return np.array(fingerprints(urls), np.uint64)


def _record(entry: QueuedLink) -> bytes:
    if math.isnan(entry.promise):
        raise ValueError("a promise that is not a number")
    record = _encode(_fields(entry))
    if len(record) > LONGEST:
        memos = len(entry.ordering_memo) + len(entry.owner_memo)
        raise ValueError(
            f"a URL of {len(entry.url)} characters with {memos} bytes of memos: too long to wait"
        )
    return record


def _part_copies(entries: Iterable[QueuedLink]) -> tuple[dict[int, QueuedLink], list[QueuedLink]]:
    """The first entry of each URL, by fingerprint; and the others."""
    firsts: dict[int, QueuedLink] = {}
    copies = [
        entry for entry in entries if firsts.setdefault(fingerprint(entry.url), entry) is not entry
    ]
    return firsts, copies


def _merge(entry: QueuedLink, other: QueuedLink) -> QueuedLink:
    """The entry, as near to the seeds as the other if that is nearer, and with the tries that were made."""
    return msgspec.structs.replace(
        entry,
        depth=min(entry.depth, other.depth),
        hops=min(entry.hops, other.hops),
        tries=max(entry.tries, other.tries),
    )
