"""Where an extraction stands, next to its output: the same command goes on there after a stop.

A checkpoint names the last document whose rows are on the disk, and the size of the output then.
What was written after it, perhaps in part, is cut off and written again.
"""

import os
import time
from pathlib import Path
from typing import TextIO

import msgspec
from msgspec import Struct

from toponaut.archive.documents import DocumentPlace
from toponaut.store.disk import write_whole

_EVERY_S = 2.0


class Checkpoint(Struct, frozen=True):
    """How far an extraction has come."""

    sources: list[str]
    format: str
    place: DocumentPlace  # of the last document
    size: int  # bytes of the output
    documents: int
    addresses: int


class CheckpointFile:
    """The checkpoint of one output file, in "<output>.progress"."""

    def __init__(self, output: Path) -> None:
        self._path = output.with_name(f"{output.name}.progress")
        self._saved = time.monotonic()

    def load(self, sources: list[str], form: str, rows: Path) -> Checkpoint | None:
        """The checkpoint of the same command; None if there is none."""
        try:
            found = msgspec.json.decode(self._path.read_bytes(), type=Checkpoint)
            is_there = rows.stat().st_size >= found.size
        except (OSError, msgspec.MsgspecError):
            return None
        return found if is_there and (found.sources, found.format) == (sources, form) else None

    @property
    def is_due(self) -> bool:
        return time.monotonic() - self._saved >= _EVERY_S

    def save(self, out: TextIO, checkpoint: Checkpoint) -> None:
        """Writes the rows to the disk, then the checkpoint, all or nothing."""
        out.flush()
        os.fsync(out.fileno())
        whole = msgspec.structs.replace(checkpoint, size=out.buffer.tell())
        write_whole(self._path, msgspec.json.encode(whole))
        self._saved = time.monotonic()

    def remove(self) -> None:
        self._path.unlink(missing_ok=True)
