"""From visits to addresses: one row for each organisation at each address, over all pages.

Sightings are sorted on disk by normal form and organisation, and folded group by group: memory does
not grow with the crawl. The best sighting of a group names the organisation, then has the highest
confidence, then the shortest URL. The parts of the address come from it; phone, hours and so on
from the best one that has them; the point from the best of the most precise.

A sighting without an organisation (a footer) belongs to the only organisation at that address. If
there are several, such sightings are a row of their own.
"""

from array import array
from collections.abc import Iterator
from itertools import groupby
from pathlib import Path

import msgspec
import numpy as np
from msgspec.structs import asdict
from xxhash import xxh3_64_hexdigest

from toponaut.export.disk_sort import DiskSort
from toponaut.export.rows import ADDRESS_PARTS, AddressRow, moment, point_columns
from toponaut.export.selection import Selection, exactness
from toponaut.index.georeference import AddressPoint
from toponaut.places.addresses.normal import plain
from toponaut.records import Address, Visit
from toponaut.urls import fingerprint

FIELDS = ("outcome", "time", "relevant", "addresses")
_MAX_URLS = 10  # named in a row; all are counted
_FEW = 1000

_OPTIONAL = ("organisation", "phone", "hours", "place")  # from the best sighting that has it
_NAMELESS = b"\0"  # the end of the key of a sighting without an organisation

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


_encode = msgspec.msgpack.Encoder().encode
_sighting = msgspec.msgpack.Decoder(AddressSighting).decode
_row = msgspec.msgpack.Decoder(AddressRow).decode


def rows(visits: Iterator[tuple[Path, Visit]], selection: Selection) -> Iterator[AddressRow]:
    """The wanted rows, by country, place and street."""
    with DiskSort() as ordered:
        with DiskSort() as sightings:
            for _, visit in visits:
                if visit.addresses and selection.counts(visit):
                    _note(visit, selection, sightings)
            for key, found in _folded(sightings):
                row = found.row(key, selection)
                if selection.wants_address(row.place, row.confidence, row.lat, row.lon):
                    ordered.add(_order(row), _encode(row))
        for _, row_bytes in ordered:
            yield _row(row_bytes)


def _note(visit: Visit, selection: Selection, sightings: DiskSort) -> None:
    points = selection.points(visit)
    for number, address in enumerate(visit.addresses):
        if address.normal:
            seen = _seen(visit, address, points.get(number))
            sightings.add(f"{seen.normal}\0{_key(seen.organisation)}".encode(), _encode(seen))


def _seen(visit: Visit, address: Address, point: AddressPoint | None) -> AddressSighting:
    fields = asdict(address) | point_columns(point)
    return AddressSighting(**fields, url=visit.url, time=visit.time, relevant=visit.relevant)


def _key(organisation: str) -> str:
    """Equal for two spellings of a name that differ in case, accents, points and spaces."""
    return " ".join(plain(organisation).replace("\0", " ").split())


def _order(row: AddressRow) -> bytes:
    return "\0".join((row.country, *row.place_path, row.normal, row.organisation, row.id)).encode()


# --- folding ---


class _AddressFold:
    """All sightings of a group, folded."""

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

    def join(self, other: "_AddressFold") -> None:
        """Adds the sightings of another fold."""
        for name, (rank, seen) in other._best.items():
            self._offer(name, rank, seen)
        if other._point:
            self._offer_point(*other._point)
        for url, rank in other._urls.items():
            self._offer_url(url, rank)
        self._evidence |= other._evidence
        self._pages += other._pages
        self._relevant += other._relevant
        self._first, self._last = min(self._first, other._first), max(self._last, other._last)

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

    def row(self, key: bytes, selection: Selection) -> AddressRow:
        best = self._best["normal"][1]
        place = self._best["place"][1].place if "place" in self._best else 0
        path = selection.path(place)
        point = self._point[1] if self._point else None
        urls = tuple(sorted(self._urls, key=self._urls.__getitem__))
        return AddressRow(
            id=xxh3_64_hexdigest(key),
            organisation=self._text("organisation"),
            phone=self._text("phone"),
            hours=self._text("hours"),
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
            pages=_distinct(self._pages),
            relevant_pages=_distinct(self._relevant),
            first_seen=moment(self._first),
            last_seen=moment(self._last),
            url=urls[0],
            urls=urls,
        )

    def _text(self, name: str) -> str:
        return str(getattr(self._best[name][1], name)) if name in self._best else ""


def _distinct(marks: "array[int]") -> int:
    """The number of distinct fingerprints; a set of a million takes 60 MB, an array 8."""
    return len(set(marks)) if len(marks) < _FEW else len(np.unique(np.frombuffer(marks, np.uint64)))


def _folded(sightings: DiskSort) -> Iterator[tuple[bytes, _AddressFold]]:
    """Each key with its fold; nameless sightings are joined to the only organisation there."""
    nameless: tuple[bytes, _AddressFold] | None = None
    # The first organisation at the address of `nameless`.
    only: tuple[bytes, _AddressFold] | None = None
    for key, group in groupby(sightings, lambda pair: pair[0]):
        found = _AddressFold()
        for _, item in group:
            found.add(_sighting(item))
        if nameless and not key.startswith(nameless[0]):
            yield from _settled(nameless, only)
            nameless = only = None
        if key.endswith(_NAMELESS):
            nameless = key, found
        elif nameless and not only:
            only = key, found
        elif nameless and only:
            yield from (nameless, only, (key, found))
            nameless = only = None
        else:
            yield key, found
    if nameless:
        yield from _settled(nameless, only)


def _settled(
    nameless: tuple[bytes, _AddressFold], only: tuple[bytes, _AddressFold] | None
) -> Iterator[tuple[bytes, _AddressFold]]:
    if only:
        only[1].join(nameless[1])
    yield only or nameless
