"""Finding damaged sealed segments, and saving what is readable in them.

A segment is damaged if a checksum fails or its footer is gone. Its intact row groups become a new
segment with the same number; the damaged file stays next to it as 000007.parquet.damaged. Their
visits keep their sequences, so a reader sees how many are missing.
"""

from collections.abc import Callable, Iterator
from pathlib import Path

import pyarrow as pa
from msgspec import Struct

from toponaut.log import files
from toponaut.log.files import DamagedLogError
from toponaut.log.segments import SealedSegment, write
from toponaut.records import Visit
from toponaut.store.disk import sync_directory


class DamagedSegment(Struct, frozen=True):
    """A sealed segment with wrong or missing bytes."""

    path: Path
    why: str
    intact: tuple[int, ...] = ()  # row groups
    kept: int = 0  # visits in them
    lost: int | None = None  # visits; None if its footer is gone

    @property
    def reason(self) -> str:
        lost = "all its visits are" if self.lost is None else f"{self.lost:,} visits are"
        kept = f", {self.kept:,} are kept" if self.kept else ""
        return f"is damaged ({self.why}): {lost} lost{kept}"


def examine(
    path: Path, take: Callable[[pa.RecordBatch], None] = lambda _: None
) -> DamagedSegment | None:
    """Read every byte of a segment. `take` is called with each intact row group."""
    try:
        with SealedSegment(path) as segment:
            bad: dict[int, str] = {}
            for group in range(len(segment.group_rows)):
                try:
                    table = segment.table(group)
                except DamagedLogError as error:
                    bad[group] = error.why
                else:
                    take(table)
            rows = segment.group_rows
    except DamagedLogError as error:
        return DamagedSegment(path, error.why)
    if not bad:
        return None
    intact = tuple(group for group in range(len(rows)) if group not in bad)
    kept = sum(rows[group] for group in intact)
    return DamagedSegment(path, next(iter(bad.values())), intact, kept, sum(rows) - kept)


def salvage(directory: Path, end: int | None = None) -> list[DamagedSegment]:
    """Set damaged segments aside; what is readable in them replaces them in one step."""
    paths = (files.sealed(directory, number) for number in files.numbers(directory, end))
    found = [one for path in paths if path.exists() and (one := examine(path))]
    for one in found:
        aside = files.set_aside(one.path)
        with files.writing(one.path):
            aside.hardlink_to(one.path)
            sync_directory(directory)
            if one.intact:
                write(one.path, _intact_visits(aside, one.intact))
            else:
                one.path.unlink()
                sync_directory(directory)
    return found


def _intact_visits(path: Path, groups: tuple[int, ...]) -> Iterator[list[Visit]]:
    with SealedSegment(path) as segment:
        for group in groups:
            yield segment.visits(segment.table(group))
