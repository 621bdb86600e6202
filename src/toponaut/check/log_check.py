"""Checks the logs of a crawl: every byte of sealed segments, the frames of tails, no visit missing.

Collects the pointers into the archive on the way: 32 bytes for each visit.
"""

from array import array
from collections import defaultdict
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import pyarrow as pa
from xxhash import xxh3_64_intdigest

from toponaut.check.findings import Fate, Fault
from toponaut.log import files, salvage, tails
from toponaut.log.damage import examine
from toponaut.log.epochs import first_sequence
from toponaut.log.logs import LogPart
from toponaut.log.writer import repair as repair_tails
from toponaut.urls import fingerprint

_FIELDS = ("sequence", "url", "archive", "offset", "length", "digest")
Step = Callable[[int], None]  # called with the number of bytes read


class LogCheck:
    """The result for all logs of a crawl."""

    def __init__(self, root: Path, step: Step, runs: bool) -> None:
        self.segments = self.visits = self.missing = 0
        self.findings: list[Fault] = []
        # By WARC file: offset, length, hashes of URL and digest of each answer, one after another.
        self.pointers: dict[str, array[int]] = defaultdict(lambda: array("Q"))
        self._root, self._step, self._runs = root, step, runs
        self._expected = 0  # the next sequence

    def add(self, part: LogPart) -> None:
        """Check one log."""
        self._expected = first_sequence(part.number)
        numbers, before = files.numbers(part.directory, part.end), self.missing
        for number in numbers:
            self.segments += 1
            sealed, tail = files.sealed(part.directory, number), files.tail(part.directory, number)
            if sealed.exists():
                self._check_sealed(sealed)
            else:
                self._check_tail(tail, is_newest=number == numbers[-1])
        if missing := self.missing - before:
            what = f"{missing:,} visits are missing; resuming fetches their pages again"
            self._find(part.directory, what, Fate.GONE)

    def repair(self, part: LogPart) -> None:
        """Save what is readable in damaged segments, and cut off torn ends."""
        salvage(part.directory, part.end)
        if part.directory.is_dir():
            repair_tails(part.directory)

    def _check_sealed(self, path: Path) -> None:
        if damage := examine(path, self._take_table):
            self._find(path, damage.reason, Fate.REPAIRABLE)
        self._step(path.stat().st_size)

    def _check_tail(self, path: Path, is_newest: bool) -> None:
        state = tails.check(path)
        torn = path.stat().st_size - (state.size if state else 0)
        if state:
            self._expect(state.first)
            for visits in tails.chunks(path, grows=True):
                self._take([getattr(visit, name) for name in _FIELDS] for visit in visits)
        if torn and not (is_newest and self._runs):
            self._find(path, f"{torn:,} bytes at its end are torn", Fate.REPAIRABLE)
        self._step(path.stat().st_size)

    def _take_table(self, table: pa.RecordBatch) -> None:
        columns = [
            table.column(name).to_pylist() if name in table.schema.names else [0] * table.num_rows
            for name in _FIELDS
        ]
        self._take(zip(*columns, strict=True))

    def _take(self, rows: Iterable[Any]) -> None:
        for sequence, url, archive, offset, length, digest in rows:
            self._expect(sequence)
            self._expected = sequence + 1
            self.visits += 1
            if archive:
                marks = fingerprint(url), xxh3_64_intdigest(digest.encode())
                self.pointers[archive].extend((offset, length, *marks))

    def _expect(self, sequence: int) -> None:
        self.missing += max(sequence - self._expected, 0)
        self._expected = max(self._expected, sequence)

    def _find(self, path: Path, what: str, fate: Fate) -> None:
        self.findings.append(Fault("log", str(path.relative_to(self._root)), what, fate))
