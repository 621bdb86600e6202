"""All sightings of an organisation at an address, folded into one row.

The best sighting of a fold names the organisation, then has the highest confidence, then the
shortest URL. The parts of the address come from it; phone, hours and so on from the best one that
has them; the point from the best of the most precise.
"""

from array import array
from collections.abc import Collection
from typing import Any

import numpy as np
from xxhash import xxh3_64_hexdigest

from toponaut.export.rows import ADDRESS_PARTS, AddressRow, moment
from toponaut.export.selection import Selection, exactness
from toponaut.places.addresses.normal import plain
from toponaut.records import OWNER_PARTS, Address
from toponaut.urls import fingerprint

_MAX_URLS = 10  # named in a row; all are counted
_FEW = 1000
_OPTIONAL = (*OWNER_PARTS, "place")  # from the best sighting that has it

Rank = tuple[bool, float, int, str]


class AddressSighting(Address, frozen=True, array_like=True, kw_only=True):
    """An address on a page. The point is the one to export, if there is one."""

    url: str
    time: float
    relevant: bool
    radius_km: float | None

    @property
    def rank(self) -> Rank:
        return not self.organisation, -self.confidence, len(self.url), self.url


class AddressFold:
    """Sightings of one organisation at one address."""

    def __init__(self) -> None:
        # Of all, of those with a phone, ...
        self._best: dict[str, tuple[Rank, AddressSighting]] = {}
        self._point: tuple[tuple[int, Rank], AddressSighting] | None = None
        self._evidence: set[str] = set()
        self._urls: dict[str, Rank] = {}
        self._pages, self._relevant = array("Q"), array("Q")
        self._first, self._last = float("inf"), float("-inf")

    def add(self, seen: AddressSighting) -> None:
        rank = seen.rank
        for name in ("normal", *_OPTIONAL):
            if getattr(seen, name):
                self._offer(name, rank, seen)
        if seen.lat is not None:
            self._offer_point((exactness(seen.precision), rank), seen)
        self._evidence.update(seen.evidence)
        self._offer_url(seen.url, rank)
        mark = fingerprint(seen.url)
        self._pages.append(mark)
        if seen.relevant:
            self._relevant.append(mark)
        self._first, self._last = min(self._first, seen.time), max(self._last, seen.time)

    def join(self, other: "AddressFold") -> None:
        """Adds the sightings of another fold, whose name and parts count less."""
        for name, offered in other._best.items():
            self._best.setdefault(name, offered)
        if other._point:
            self._offer_point(*other._point)
        for url, rank in other._urls.items():
            self._offer_url(url, rank)
        self._evidence |= other._evidence
        self._pages += other._pages
        self._relevant += other._relevant
        self._first, self._last = min(self._first, other._first), max(self._last, other._last)

    @property
    def best(self) -> AddressSighting:
        return self._best["normal"][1]

    @property
    def pages(self) -> int:
        return _distinct(self._pages)

    @property
    def urls(self) -> Collection[str]:
        return self._urls.keys()

    @property
    def evidence(self) -> Collection[str]:
        return self._evidence

    def text(self, name: str) -> str:
        return str(getattr(self._best[name][1], name)) if name in self._best else ""

    def _offer(self, name: str, rank: Rank, seen: AddressSighting) -> None:
        if name not in self._best or rank < self._best[name][0]:
            self._best[name] = rank, seen

    def _offer_point(self, rank: tuple[int, Rank], seen: AddressSighting) -> None:
        if self._point is None or rank < self._point[0]:
            self._point = rank, seen

    def _offer_url(self, url: str, rank: Rank) -> None:
        self._urls[url] = min(rank, self._urls.get(url, rank))
        if len(self._urls) > _MAX_URLS:
            del self._urls[max(self._urls, key=self._urls.__getitem__)]

    def row(self, selection: Selection) -> AddressRow:
        best = self.best
        place = self._best["place"][1].place if "place" in self._best else 0
        path = selection.path(place)
        point = self._point[1] if self._point else None
        urls = tuple(sorted(self._urls, key=self._urls.__getitem__))
        owner: dict[str, Any] = {name: self.text(name) for name in OWNER_PARTS}
        return AddressRow(
            id=xxh3_64_hexdigest(f"{best.normal}\0{plain(self.text('organisation'))}".encode()),
            **owner,
            **{name: getattr(best, name) for name in (*ADDRESS_PARTS, "confidence")},
            place=place,
            place_name=path[-1] if path else "",
            place_path=path,
            lat=point.lat if point else None,
            lon=point.lon if point else None,
            precision=point.precision if point else "",
            radius_km=point.radius_km if point else None,
            evidence=tuple(sorted(self._evidence)),
            in_target=selection.in_target(place),
            pages=self.pages,
            relevant_pages=_distinct(self._relevant),
            first_seen=moment(self._first),
            last_seen=moment(self._last),
            url=urls[0],
            urls=urls,
        )


def _distinct(marks: "array[int]") -> int:
    """The number of distinct fingerprints; a set of a million takes 60 MB, an array 8."""
    return len(set(marks)) if len(marks) < _FEW else len(np.unique(np.frombuffer(marks, np.uint64)))
