"""The URLs that wait: a slot each, with its key, its place in a heap, and its record in the spool.

Slots are reused, so the columns are as long as the queue ever was. `where` is 0 in a free slot.
"""

import math
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
from numpy.typing import NDArray

from toponaut.frontier.heaps import FORMATS, Heaps
from toponaut.frontier.mapped import Columns
from toponaut.frontier.spool import LONGEST, MOST, Spool
from toponaut.records import QueuedLink
from toponaut.urls import fingerprint, host_of

_ODD = 0x9E3779B97F4A7C15  # 2^64 / golden ratio: multiplying by it mixes all bits upwards
_BITS = (1 << 64) - 1

_FORMATS = {**FORMATS, "where": "Q", "free": "I"}  # free: a stack of slots that were given back
_SCAN = 1 << 16  # slots scanned at a time: half a megabyte
SlotArray = NDArray[np.uint32]

_encode = msgspec.msgpack.Encoder().encode
_decode = msgspec.msgpack.Decoder(list[Any]).decode  # the fields of QueuedLink, but for the last
_fields = msgspec.structs.astuple


class Slots:
    """`used` slots from 1 on were ever taken; `free` of them were given back."""

    def __init__(
        self, directory: Path, spool: Spool, capacity: int = 0, used: int = 0, free: int = 0
    ) -> None:
        self.used, self.free = used, free
        self.columns = Columns(directory, "urls", _FORMATS, capacity)
        self.columns.reserve(1)
        self.heaps = Heaps(self.columns)
        self._spool = spool
        self._bind()

    def _bind(self) -> None:
        self.heaps.bind(self.columns)
        self._where = self.columns.views["where"]
        self._free = self.columns.views["free"]

    @property
    def waiting(self) -> int:
        return self.used - self.free

    def reserve(self, count: int) -> None:
        """Makes room for `count` more, so that only the spool can fail in `take`."""
        if self.columns.reserve(self.used + 1 + count - min(count, self.free)):
            self._bind()

    def take(
        self, promises: NDArray[np.float64], ties: NDArray[np.uint64], records: Sequence[bytes]
    ) -> SlotArray:
        """Slots for URLs with these keys and records. Needs reserved room.

        An OSError of the spool leaves everything unchanged.
        """
        wheres = self._spool.append(records)
        reused = min(len(ties), self.free)
        new = len(ties) - reused
        stack = self.columns.arrays["free"][self.free - reused : self.free]
        slots = np.concatenate(
            [stack, np.arange(self.used + 1, self.used + 1 + new, dtype=np.uint32)]
        )
        self.free -= reused
        self.used += new
        arrays = self.columns.arrays
        arrays["promise"][slots] = promises
        arrays["tie"][slots] = ties
        arrays["where"][slots] = wheres
        return slots

    def take_one(self, record: bytes) -> int:
        """A slot for one record; the caller sets its key."""
        where = self._spool.append_one(record)
        if self.free:
            self.free -= 1
            slot = self._free[self.free]
        else:
            self.used += 1
            slot = self.used
        self._where[slot] = where
        return slot

    def read(self, slot: int) -> QueuedLink:
        """The link in a slot, with its current promise, which may be lower than in its record."""
        url, _, *others = _decode(self._spool.read(self._where[slot]))
        return QueuedLink(url, self.heaps.promise[slot], *others)

    def on_host(self, slots: Iterable[int], host: str) -> list[tuple[int, str]]:
        """Those of the slots whose URLs are on a host, with the URLs."""
        urls = ((slot, self.read(slot).url) for slot in slots)
        return [(slot, url) for slot, url in urls if host_of(url) == host]

    def urls(self) -> Iterator[tuple[int, str]]:
        """All slots in use, with their URLs."""
        for slot in np.flatnonzero(self.columns.arrays["where"]).tolist():
            yield slot, self.read(slot).url

    def rewrite(self, slot: int, record: bytes) -> None:
        """Replaces the record of a slot."""
        old = self._where[slot]
        self._where[slot] = self._spool.append_one(record)
        self._spool.forget(old)

    def give_back(self, slot: int) -> None:
        """Frees a slot and its record."""
        self._spool.forget(self._where[slot])
        self._where[slot] = 0
        self._free[self.free] = slot
        self.free += 1

    def give_back_all(self, slots: SlotArray) -> None:
        self._spool.forget_all(self.columns.arrays["where"][slots])
        self.columns.arrays["where"][slots] = 0
        self.columns.arrays["free"][self.free : self.free + len(slots)] = slots
        self.free += len(slots)

    def holds(self, slots: SlotArray, ties: NDArray[np.uint64]) -> NDArray[np.bool_]:
        """Whether each slot still holds the URL with that tie: it may be free or reused."""
        arrays = self.columns.arrays
        found: NDArray[np.bool_] = (arrays["where"][slots] != 0) & (arrays["tie"][slots] == ties)
        return found

    def holds_one(self, slot: int, tie: int) -> bool:
        return self._where[slot] != 0 and self.heaps.tie[slot] == tie

    def tidy_spool(self) -> None:
        """If most of the spool is dead, moves the live records of one segment to its end."""
        segment = self._spool.sparse()
        if segment is None:
            return
        wheres = self.columns.arrays["where"]
        for start in range(0, self.used + 1, _SCAN):
            part = wheres[start : min(start + _SCAN, self.used + 1)]
            found = np.flatnonzero(self._spool.lies_in(part, segment))
            for some in np.array_split(found, -(-len(found) // MOST) or 1):
                if len(some):
                    old = part[some]
                    records = [self._spool.read(where) for where in old.tolist()]
                    part[some] = self._spool.append(records)
                    self._spool.forget_all(old)


def encode_record(link: QueuedLink) -> bytes:
    """A link as it is written to the spool."""
    if math.isnan(link.promise):
        raise ValueError("the promise is not a number")
    record = _encode(_fields(link)[:-1])  # its price is set when it is taken
    if len(record) > LONGEST:
        memos = len(link.ordering_memo) + len(link.owner_memo)
        raise ValueError(
            f"a URL of {len(link.url)} characters with {memos} bytes of memos is too long to queue"
        )
    return record


def merge_links(entry: QueuedLink, other: QueuedLink) -> QueuedLink:
    """The entry with the smaller depth and hops, and the larger number of tries, of both."""
    return msgspec.structs.replace(
        entry,
        depth=min(entry.depth, other.depth),
        hops=min(entry.hops, other.hops),
        tries=max(entry.tries, other.tries),
    )


class TieBreaker:
    """The random order of URLs with equal promises: by the seed and the URL alone.

    Ties are as distinct as fingerprints, so they also tell which URL a slot holds.
    """

    def __init__(self, seed: int) -> None:
        self._salt = fingerprint(f"seed {seed}")

    def of_url(self, url: str) -> int:
        return self.of_print(fingerprint(url))

    def of_print(self, print_: int) -> int:
        """The tie of the URL with this fingerprint, which has no key."""
        return (print_ ^ self._salt) * _ODD & _BITS

    def of_prints(self, prints: Sequence[int]) -> NDArray[np.uint64]:
        """The same for many."""
        return (np.array(prints, np.uint64) ^ np.uint64(self._salt)) * np.uint64(_ODD)


def separate_copies(
    entries: Iterable[QueuedLink],
) -> tuple[dict[str, QueuedLink], list[QueuedLink]]:
    """The first entry of each URL; and all other entries."""
    firsts: dict[str, QueuedLink] = {}
    copies = [entry for entry in entries if firsts.setdefault(entry.url, entry) is not entry]
    return firsts, copies
