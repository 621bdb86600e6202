"""A log in a few numbers, from four of its columns."""

from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

import msgspec
import pyarrow as pa
import pyarrow.compute as pc

from toponaut.log import files, tails
from toponaut.log.reading import either
from toponaut.log.segments import Segment
from toponaut.records import Outcome


class Summary(msgspec.Struct, frozen=True):
    """What is in a node's log."""

    visits: int
    outcomes: dict[Outcome, int]  # most frequent first
    relevant: int
    received: int  # bytes
    first: float  # Unix times of the earliest and the latest request; 0.0 if there was none
    last: float
    stored: int  # bytes of the log itself


class _Few(msgspec.Struct):
    """The fields of a Visit that are counted: of a tail, the others are skipped unread, in 4 us a visit and not 20."""

    outcome: str
    time: float = 0.0
    size: int = 0
    relevant: bool = False


_decoder = msgspec.msgpack.Decoder(_Few)


def summary(directory: Path, ends: int | None = None) -> Summary:
    """Counts what is in a node's log now."""
    outcomes: Counter[str] = Counter()
    relevant = received = 0
    first, last = float("inf"), 0.0
    for table in _tables(directory, ends):
        outcomes.update(dict(_pairs(pc.value_counts(table.column("outcome")))))
        relevant += pc.sum(table.column("relevant")).as_py()
        received += pc.sum(table.column("size")).as_py()
        requested = table.filter(pc.greater(table.column("time"), 0.0)).column(
            "time"
        )  # seeds were not
        if len(requested):
            first, last = (
                min(first, pc.min(requested).as_py()),
                max(last, pc.max(requested).as_py()),
            )
    return Summary(
        visits=outcomes.total(),
        outcomes={_outcome(word, directory): count for word, count in outcomes.most_common()},
        relevant=relevant,
        received=received,
        first=first if last else 0.0,
        last=last,
        stored=files.size(directory, ends),
    )


def together(summaries: Sequence[Summary]) -> Summary:
    """Several logs as one."""
    outcomes: Counter[Outcome] = Counter()
    for one in summaries:
        outcomes.update(one.outcomes)
    return Summary(
        visits=outcomes.total(),
        outcomes=dict(outcomes.most_common()),
        relevant=sum(one.relevant for one in summaries),
        received=sum(one.received for one in summaries),
        first=min((one.first for one in summaries if one.last), default=0.0),
        last=max((one.last for one in summaries), default=0.0),
        stored=sum(one.stored for one in summaries),
    )


def _outcome(word: str, directory: Path) -> Outcome:
    try:
        return Outcome(word)
    except ValueError as error:
        raise files.damaged(directory, f"this version knows no outcome {word!r}") from error


def _pairs(counts: pa.StructArray) -> Iterator[tuple[str, int]]:
    return zip(counts.field("values").to_pylist(), counts.field("counts").to_pylist(), strict=True)


def _tables(directory: Path, ends: int | None) -> Iterator[pa.RecordBatch]:
    """The counted columns, none of them empty."""
    numbers = files.numbers(directory, ends)
    for number in numbers:
        yield from either(directory, number, _sealed, _growing if number == numbers[-1] else _tail)


def _sealed(path: Path) -> Iterator[pa.RecordBatch]:
    with Segment(path) as segment:
        for group in range(len(segment.group_rows)):
            yield segment.table(group, _Few.__struct_fields__)


def _tail(path: Path, grows: bool = False) -> Iterator[pa.RecordBatch]:
    try:
        few = [_decoder.decode(payload) for payload in tails.payloads(path, grows)]
    except msgspec.DecodeError as error:
        raise files.damaged(path, f"a visit is not as this version writes it: {error}") from error
    if few:
        names = _Few.__struct_fields__
        yield pa.RecordBatch.from_arrays(
            [pa.array([getattr(one, name) for one in few]) for name in names], names
        )


def _growing(path: Path) -> Iterator[pa.RecordBatch]:
    return _tail(path, grows=True)
