"""From visits to addresses: one row for each organisation at each address, over all pages.

Sightings are sorted on disk by street line, address and organisation, and folded group by group:
memory does not grow with the crawl, only with the addresses of one street line.
"""

from collections.abc import Iterator
from itertools import groupby
from pathlib import Path

import msgspec
from msgspec.structs import asdict, replace

from toponaut.export.address_fold import AddressFold, AddressSighting
from toponaut.export.disk_sort import DiskSort
from toponaut.export.house_points import HOUSE_KM, HousePoints, house_point
from toponaut.export.one_row import one_row_each
from toponaut.export.rows import AddressRow, point_columns
from toponaut.export.selection import Selection
from toponaut.index.georeference import AddressPoint
from toponaut.index.layout import StoredPage
from toponaut.places.addresses.merge import street_line
from toponaut.places.addresses.normal import plain
from toponaut.records import Address, Precision, Visit
from toponaut.seeds.known import KnownSeeds

FIELDS = ("outcome", "time", "relevant", "addresses")

_encode = msgspec.msgpack.Encoder().encode
_sighting = msgspec.msgpack.Decoder(AddressSighting).decode
_row = msgspec.msgpack.Decoder(AddressRow).decode


def rows(
    visits: Iterator[tuple[Path, Visit]],
    selection: Selection,
    points: HousePoints | None = None,
    known: KnownSeeds | None = None,
) -> Iterator[AddressRow]:
    """The wanted rows, by country, place and street.

    `points`: of houses, of the user's own. `known`: the seeds, for their owners and ids.
    """
    with DiskSort() as ordered:
        with DiskSort() as sightings:
            for _, visit in visits:
                if visit.addresses and selection.counts(visit):
                    _note(visit, selection, known, sightings)
            for found in _folded(sightings):
                row = found.row(selection)
                row = _at_house(row, points) if points else row
                row = known.completed(row) if known else row
                if selection.wants_address(row.place, row.confidence, row.lat, row.lon):
                    ordered.add(_order(row), _encode(row))
        for _, row_bytes in ordered:
            yield _row(row_bytes)


def _note(
    visit: Visit, selection: Selection, known: KnownSeeds | None, sightings: DiskSort
) -> None:
    points = selection.points(visit)
    for number, address in enumerate(visit.addresses):
        if address.normal:
            seen = sighting(visit, address, points.get(number))
            seen = known.with_owner(seen) if known else seen
            sightings.add(sighting_key(seen), _encode(seen))


def sighting(
    visit: Visit | StoredPage, address: Address, point: AddressPoint | None
) -> AddressSighting:
    """An address of a page, with the point to show."""
    fields = asdict(address) | point_columns(point)
    return AddressSighting(**fields, url=visit.url, time=visit.time, relevant=visit.relevant)


def sighting_key(seen: AddressSighting) -> bytes:
    """Street line, address and name: equal for spellings that differ in case, accents, points.

    The words of the line are sorted: "12 NE Oak St" and "12 Oak St NE" come together.
    """
    line = seen.normal
    if seen.street:
        line = " ".join(sorted(street_line(seen).replace(",", "").split()))
    name = " ".join(plain(seen.organisation).replace("\0", " ").split())
    return f"{line}\0{seen.normal}\0{name}".encode()


def _at_house(row: AddressRow, points: HousePoints) -> AddressRow:
    point = house_point(row, row.precision, points)
    if point is None:
        return row
    lat, lon = point
    return replace(row, lat=lat, lon=lon, precision=Precision.HOUSE.value, radius_km=HOUSE_KM)


def _order(row: AddressRow) -> bytes:
    return "\0".join((row.country, *row.place_path, row.normal, row.organisation, row.id)).encode()


def _folded(sightings: DiskSort) -> Iterator[AddressFold]:
    """A fold for each row. First all sightings of one address and name, then those of one line."""
    for _, of_line in groupby(sightings, lambda pair: pair[0].partition(b"\0")[0]):
        folds = []
        for _, group in groupby(of_line, lambda pair: pair[0]):
            fold = AddressFold()
            for _, item in group:
                fold.add(_sighting(item))
            folds.append(fold)
        yield from one_row_each(folds)
