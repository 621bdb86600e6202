"""Looking a URL up in a log: its own visits, and those of the pages that link to it.

Only the columns that can hold the URL are read, and whole visits only where it was found. In tails a visit is decoded
only if the bytes of the URL (or of its fingerprint) are in it.
"""

from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

import msgspec
import pyarrow as pa
import pyarrow.compute as pc

from toponaut.log import files, frames, tails
from toponaut.log.reading import either
from toponaut.log.segments import Segment
from toponaut.records import Visit
from toponaut.urls import fingerprint

Rows = Callable[[Segment, int], set[int]]  # which rows of a row group match
Test = Callable[[Visit], bool]


def find(
    directory: Path, url: str, fields: Iterable[str] | None = None, ends: int | None = None
) -> Iterator[Visit]:
    """The visits of a URL in normal form, in order."""

    def rows(segment: Segment, group: int) -> set[int]:
        return _equal(segment.table(group, ("url",)).column("url"), url)

    return _search(directory, rows, lambda visit: visit.url == url, [url.encode()], fields, ends)


def trace(directory: Path, url: str, ends: int | None = None) -> tuple[list[Visit], list[Visit]]:
    """The visits of a URL in normal form, and those among whose links, new, known or refused, it is; each in order."""
    mark = fingerprint(url)

    def rows(segment: Segment, group: int) -> set[int]:
        table = segment.table(group, ("url", "links.url", "known", "refused.url"))
        return (
            _equal(table.column("url"), url)
            | _equal(table.column("known"), mark)
            | _equal(table.column("links"), url, "url")
            | _equal(table.column("refused"), url, "url")
        )

    def has_link(visit: Visit) -> bool:
        return mark in visit.known or any(
            link.url == url for links in (visit.links, visit.refused) for link in links
        )

    needles = [url.encode(), msgspec.msgpack.encode(mark)]
    met = list(
        _search(
            directory, rows, lambda visit: visit.url == url or has_link(visit), needles, None, ends
        )
    )
    return [visit for visit in met if visit.url == url], [visit for visit in met if has_link(visit)]


def _equal(column: pa.Array, wanted: object, part: str = "") -> set[int]:
    """The rows in which a value, or one of a list of values, is the wanted one."""
    if not pa.types.is_list(column.type):
        return set(pc.indices_nonzero(pc.equal(column, wanted)).to_pylist())
    values = pc.struct_field(column.flatten(), part) if part else column.flatten()
    hits = pc.indices_nonzero(pc.equal(values, pa.scalar(wanted, values.type)))
    return set(pc.list_parent_indices(column).take(hits).to_pylist())


def _search(
    directory: Path,
    rows: Rows,
    test: Test,
    needles: list[bytes],
    fields: Iterable[str] | None,
    ends: int | None,
) -> Iterator[Visit]:
    wanted = None if fields is None else tuple(fields)

    def in_sealed(path: Path) -> Iterator[Visit]:
        with Segment(path) as segment:
            for group in range(len(segment.group_rows)):
                if hits := sorted(rows(segment, group)):
                    yield from segment.visits(segment.table(group, wanted).take(pa.array(hits)))

    numbers = files.numbers(directory, ends)
    for number in numbers:
        grows = number == numbers[-1]

        def in_tail(path: Path, grows: bool = grows) -> Iterator[Visit]:
            for payload in tails.payloads(path, grows):
                if any(needle in payload for needle in needles) and test(
                    visit := frames.decode(payload, path)
                ):
                    yield visit

        yield from either(directory, number, in_sealed, in_tail)
