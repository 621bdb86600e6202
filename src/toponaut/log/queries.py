"""Queries on one log: the visits of a URL, the visits that link to it, and a summary.

Only the columns a query needs are read, and complete visits only where it matches. In tails, a
visit is decoded only if it contains the bytes of the URL or of its fingerprint.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path

import msgspec
import pyarrow as pa

from toponaut.log import files, tails
from toponaut.log.reading import read_segments
from toponaut.log.segments import SealedSegment
from toponaut.records import Outcome, Visit
from toponaut.timing import crawl_moment
from toponaut.urls import fingerprint

_MatchingRows = Callable[[SealedSegment, int], set[int]]  # the rows of a row group that match


def find(
    directory: Path, url: str, fields: Iterable[str] | None = None, end: int | None = None
) -> Iterator[Visit]:
    """The visits of a URL in normal form, in order."""

    def rows(segment: SealedSegment, group: int) -> set[int]:
        return _equal(segment.table(group, ("url",)).column("url"), url)

    return _search(directory, rows, lambda visit: visit.url == url, [url.encode()], fields, end)


def trace(directory: Path, url: str, end: int | None = None) -> tuple[list[Visit], list[Visit]]:
    """The visits of a URL, and the visits with a (new, known or refused) link to it, in order."""
    mark = fingerprint(url)

    def rows(segment: SealedSegment, group: int) -> set[int]:
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

    def matches(visit: Visit) -> bool:
        return visit.url == url or has_link(visit)

    needles = [url.encode(), msgspec.msgpack.encode(mark)]
    found = list(_search(directory, rows, matches, needles, None, end))
    return [one for one in found if one.url == url], [one for one in found if has_link(one)]


def _equal(column: pa.Array, wanted: object, part: str = "") -> set[int]:
    """The rows in which a value, or one of a list of values, is the wanted one."""
    import pyarrow.compute as pc  # here, because a crawl does not need it: 80 ms

    if not pa.types.is_list(column.type):
        return set(pc.indices_nonzero(pc.equal(column, wanted)).to_pylist())
    values = pc.struct_field(column.flatten(), part) if part else column.flatten()
    hits = pc.indices_nonzero(pc.equal(values, pa.scalar(wanted, values.type)))
    return set(pc.list_parent_indices(column).take(hits).to_pylist())


def _search(
    directory: Path,
    rows: _MatchingRows,
    matches: Callable[[Visit], bool],
    needles: list[bytes],
    fields: Iterable[str] | None,
    end: int | None,
) -> Iterator[Visit]:
    wanted = None if fields is None else tuple(fields)

    def in_sealed(path: Path) -> Iterator[Visit]:
        with SealedSegment(path) as segment:
            for group in range(len(segment.group_rows)):
                if hits := sorted(rows(segment, group)):
                    yield from segment.visits(segment.table(group, wanted).take(pa.array(hits)))

    def in_tail(grows: bool, path: Path) -> Iterator[Visit]:
        for payload in tails.payloads(path, grows):
            if any(needle in payload for needle in needles):
                visit = tails.decode(payload, path)
                if matches(visit):
                    yield visit

    return read_segments(directory, in_sealed, in_tail, end)


class LogSummary(msgspec.Struct, frozen=True):
    """A log in numbers."""

    visits: int
    outcomes: dict[Outcome, int]  # most frequent first
    relevant: int
    received: int  # bytes
    first: float  # the first and the last request, by the crawl's clock; 0.0 without requests
    last: float
    stored: int  # bytes of the log itself


class _SummaryRow(msgspec.Struct):
    """The fields a summary needs. Decoding only these takes 4 us a visit instead of 20."""

    outcome: str
    time: float = 0.0
    stamp: float = 0.0
    size: int = 0
    relevant: bool = False


def summary(directory: Path, end: int | None = None) -> LogSummary:
    """Summarises a node's log."""
    import pyarrow.compute as pc

    outcomes: Counter[str] = Counter()
    relevant = received = 0
    first, last = float("inf"), 0.0
    for table in read_segments(directory, _sealed_columns, _tail_columns, end):
        counts = pc.value_counts(table.column("outcome"))
        values, numbers = counts.field("values").to_pylist(), counts.field("counts").to_pylist()
        outcomes.update(dict(zip(values, numbers, strict=True)))
        relevant += pc.sum(table.column("relevant")).as_py()
        received += pc.sum(table.column("size")).as_py()
        for time, stamp in zip(*_moments(table), strict=True):
            moment = crawl_moment(time, stamp)
            first, last = min(first, moment), max(last, moment)
    return LogSummary(
        visits=outcomes.total(),
        outcomes={_outcome(value, directory): count for value, count in outcomes.most_common()},
        relevant=relevant,
        received=received,
        first=first if last else 0.0,
        last=last,
        stored=files.size(directory, end),
    )


def _moments(table: pa.RecordBatch) -> tuple[list[float], list[float]]:
    """The times and stamps of requests. Seeds have none."""
    import pyarrow.compute as pc

    asked = table.filter(pc.greater(table.column("time"), 0.0))
    columns = (asked.column(name) for name in ("time", "stamp"))
    times, stamps = (column.to_pylist() for column in columns)
    return times, stamps


def merge_summaries(summaries: Sequence[LogSummary]) -> LogSummary:
    """The summary of several logs together."""
    outcomes: Counter[Outcome] = Counter()
    for one in summaries:
        outcomes.update(one.outcomes)
    return LogSummary(
        visits=outcomes.total(),
        outcomes=dict(outcomes.most_common()),
        relevant=sum(one.relevant for one in summaries),
        received=sum(one.received for one in summaries),
        first=min((one.first for one in summaries if one.last), default=0.0),
        last=max((one.last for one in summaries), default=0.0),
        stored=sum(one.stored for one in summaries),
    )


def _outcome(value: str, directory: Path) -> Outcome:
    try:
        return Outcome(value)
    except ValueError as error:
        raise files.damaged(directory, f"this version has no outcome {value!r}") from error


def _sealed_columns(path: Path) -> Iterator[pa.RecordBatch]:
    with SealedSegment(path) as segment:
        yield from segment.tables(_SummaryRow.__struct_fields__)


def _tail_columns(grows: bool, path: Path) -> Iterator[pa.RecordBatch]:
    columns = tails.decode_columns(path, grows, _SummaryRow)
    if columns["outcome"]:
        yield pa.RecordBatch.from_pydict(columns)
