"""From visits to pages: one row for each URL, as last seen."""

from collections.abc import Iterator
from itertools import groupby
from pathlib import Path

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from toponaut.export.disk_sort import DiskSort
from toponaut.export.rows import PageRow, moment, point_columns
from toponaut.export.selection import Selection, exactness
from toponaut.index.georeference import AddressPoint
from toponaut.records import Address, Visit

_READ = "outcome time content_type size digest title description language addresses scope relevant"
FIELDS = (*_READ.split(), "archive", "offset", "length")
_SAME = "url title description language relevant status content_type size digest".split()


class _PageSighting(Struct, frozen=True, array_like=True):
    time: float
    row: PageRow


_encode = msgspec.msgpack.Encoder().encode
_decode = msgspec.msgpack.Decoder(_PageSighting).decode


def rows(visits: Iterator[tuple[Path, Visit]], selection: Selection) -> Iterator[PageRow]:
    """The wanted rows, by URL. Only the wanted visits of a page count."""
    with DiskSort() as ordered:
        for _, visit in visits:
            if selection.wants_page(visit):
                ordered.add(
                    visit.url.encode(), _encode(_PageSighting(visit.time, _row(visit, selection)))
                )
        for _, group in groupby(ordered, lambda pair: pair[0]):
            yield _folded(group)


def _folded(group: Iterator[tuple[bytes, bytes]]) -> PageRow:
    """The last visit to a page, with the number of visits and the time of the first."""
    last: _PageSighting | None = None
    count, first = 0, float("inf")
    for _, item in group:
        seen = _decode(item)
        count, first = count + 1, min(first, seen.time)
        if last is None or seen.time >= last.time:
            last = seen
    assert last is not None
    return replace(last.row, visits=count, first_seen=moment(first))


def _row(visit: Visit, selection: Selection) -> PageRow:
    address, point = _shown(visit, selection)
    place = (address.place if address else 0) or (visit.scope[0][0] if visit.scope else 0)
    path = selection.path(place)
    return PageRow(
        **{name: getattr(visit, name) for name in (*_SAME, "archive", "offset", "length")},
        addresses=len(visit.addresses),
        organisation=address.organisation if address else "",
        place=place if path else 0,
        place_name=path[-1] if path else "",
        place_path=path,
        **point_columns(point),
        outcome=visit.outcome.value,
        visits=1,
        first_seen=moment(visit.time),
        last_seen=moment(visit.time),
    )


def _shown(visit: Visit, selection: Selection) -> tuple[Address | None, AddressPoint | None]:
    """The most precise address of a page; of several, the one with the highest confidence."""
    points = selection.points(visit)
    if points:
        number = min(
            points,
            key=lambda k: (exactness(points[k].precision), -visit.addresses[k].confidence, k),
        )
        return visit.addresses[number], points[number]
    return (visit.addresses[0] if visit.addresses else None), None
