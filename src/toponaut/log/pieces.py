"""The logs of a crawl in pieces that can be read apart, by many at once: each is what one segment has beyond a position.

A piece reads alike on the machine that has the log and, by the storage that all see, on any other; also if it was a tail when it
was named and is sealed by now.
"""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

from msgspec import Struct

from toponaut.log import files
from toponaut.log.positions import Position, StaleError
from toponaut.log.reading import Batch, rest_of_segment
from toponaut.store import Patient, folder_at, open_store


class Piece(Struct, frozen=True):
    """A segment of a log from a position on."""

    log: str  # its name
    start: Position
    grows: bool  # no segment followed it: a tail that may end anywhere

    def batches(self, logs: str, fields: Iterable[str] | None) -> Iterator[Batch]:
        """Its visits (see reading.batches). `logs`: the folder of all logs, as a path or URL."""
        with self._directory(logs) as directory:
            wanted = None if fields is None else tuple(fields)
            yield from rest_of_segment(directory, self.start, wanted, self.grows)

    @contextmanager
    def _directory(self, logs: str) -> Iterator[Path]:
        """Where its log is; of one that is kept elsewhere, a folder with a copy of this segment."""
        name = files.folder_of(self.log)
        if (here := folder_at(logs)) is not None:
            yield here / name
            return
        with Patient(open_store(logs)).opened(
            f"{name}/{files.sealed_name(self.start.segment)}"
        ) as copy:
            yield copy.parent


def pieces(log: str, directory: Path, start: Position, ends: int | None = None) -> list[Piece]:
    """What a log has after a position, in order. `ends`: that segment and later ones do not count."""
    numbers = files.numbers(directory, ends)
    if start.rows and start.segment not in numbers:
        raise StaleError
    return [
        Piece(
            log, start if number == start.segment else Position(number), grows=number == numbers[-1]
        )
        for number in numbers
        if number >= start.segment
    ]
