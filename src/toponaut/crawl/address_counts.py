"""How many addresses a crawl has: the same counts wherever they are shown.

    found        each address once on each page that has it
    distinct     each address once, by its normal form: the papers' geographic entity
    in targets   the same two, of the addresses whose place is in the job's targets

Rows of an export are organisations: one address may have several.
"""

from array import array
from collections.abc import Callable, Iterable
from functools import cache

import numpy as np
import pyarrow as pa
from msgspec import Struct

from toponaut.job import Job
from toponaut.job.owners import OwnerTable
from toponaut.job.targets import Territory, job_targets
from toponaut.log import Logs
from toponaut.places.gazetteer.cache import open_gazetteer
from toponaut.urls import fingerprint

_MANY = 100_000  # marks after which duplicates are removed


class AddressCounts(Struct, frozen=True):
    """The counts of a crawl at one moment."""

    found: int = 0
    distinct: int = 0
    found_in_targets: int = 0
    distinct_in_targets: int = 0

    def __str__(self) -> str:
        return (
            f"{self.found:,} found, {self.distinct:,} distinct; in targets "
            f"{self.found_in_targets:,} found, {self.distinct_in_targets:,} distinct"
        )


class AddressCounter:
    """Counts addresses, each given as its normal form and its place's id. 8 to 16 bytes each."""

    def __init__(self, job: Job) -> None:
        self._is_wanted = _in_targets(job)
        self._all, self._wanted = _Marks(), _Marks()

    def add(self, addresses: Iterable[tuple[str, int]]) -> None:
        for normal, place in addresses:
            mark = fingerprint(normal)
            self._all.add(mark)
            if self._is_wanted(place):
                self._wanted.add(mark)

    def counts(self) -> AddressCounts:
        every, wanted = self._all, self._wanted
        return AddressCounts(every.added, every.distinct, wanted.added, wanted.distinct)


class _Marks:
    """Counts 64-bit marks, and the distinct ones among them."""

    def __init__(self) -> None:
        self.added = 0
        self._marks = array("Q")
        self._next = _MANY

    def add(self, mark: int) -> None:
        self.added += 1
        self._marks.append(mark)
        if len(self._marks) >= self._next:
            self._next = 2 * self.distinct + _MANY

    @property
    def distinct(self) -> int:
        """Also removes the duplicates."""
        once = np.unique(np.frombuffer(self._marks, np.uint64))
        self._marks = array("Q", once.tobytes())
        return len(once)


def count_addresses(logs: Logs, job: Job) -> AddressCounts:
    """The counts of all logs of a crawl. Visits to pages that were met before add nothing."""
    import pyarrow.compute as pc  # here, because a crawl does not need it: 50 ms

    counter = AddressCounter(job)
    for table in logs.tables(("revisit", "addresses.normal", "addresses.place")):
        fresh = table.filter(pc.invert(table.column("revisit")))
        found: pa.StructArray = fresh.column("addresses").flatten()
        normals, places = (found.field(name).to_pylist() for name in ("normal", "place"))
        counter.add(zip(normals, places, strict=True))
    return counter.counts()


def _in_targets(job: Job) -> Callable[[int], bool]:
    """Whether a place is in a target of the job."""
    gazetteer = open_gazetteer()
    targets = Territory("", tuple(job_targets(gazetteer, job)))
    owners = OwnerTable(gazetteer, [targets], ())

    @cache
    def is_wanted(place: int) -> bool:
        try:
            return owners.target(place) != 0
        except KeyError:  # no place, or one of another gazetteer
            return False

    return is_wanted
