"""The marker of a clean close. Without it, the files of a frontier are not trusted.

It is written last, holds the sizes and digests of all other files, and is removed once it was read.
So a crash at any moment leaves no marker, and damaged or foreign files are noticed. The frontier is
then rebuilt from the log.
"""

import contextlib
import mmap
from collections.abc import Sequence
from pathlib import Path

import msgspec
import xxhash

from toponaut.records import QueuedLink
from toponaut.store.disk import sync_directory, write_whole

# Raise the number when a file changes its layout or meaning. Spool records follow QueuedLink.
_FORMAT = ("4", *QueuedLink.__struct_fields__)
_NAME = "closed"


class FrontierState(msgspec.Struct, frozen=True):
    """The state of the frontier's objects that is not in their files."""

    position: bytes
    seed: int
    per_domain: int
    key: int
    tables: dict[str, tuple[int, int]]  # count and bits
    host_capacity: int
    host_roots: tuple[int, int, int]
    supply_rows: int
    now: float
    slots: tuple[int, int, int]  # capacity, used, free
    segments: tuple[tuple[int, int, int], ...]


class _FrontierMarker(msgspec.Struct, frozen=True):
    format: tuple[str, ...]
    state: FrontierState
    files: dict[str, tuple[int, int]]  # name -> size and digest


def write(directory: Path, state: FrontierState, files: Sequence[Path]) -> None:
    """Writes the marker atomically, after all files are on disk."""
    marker = _FrontierMarker(_FORMAT, state, {path.name: _digest(path) for path in files})
    body = msgspec.msgpack.encode(marker)
    body += xxhash.xxh3_64_digest(body)
    write_whole(directory / _NAME, body)


def take(directory: Path, seed: int, per_domain: int) -> FrontierState | None:
    """The state at the last clean close with these settings; otherwise None and an empty directory.

    Removes the marker in both cases.
    """
    directory.mkdir(parents=True, exist_ok=True)
    state = _read(directory)
    if state is None or (state.seed, state.per_domain) != (seed, per_domain):
        state = None
        # First, so that a failure below cannot leave the marker with only some of the files.
        (directory / _NAME).unlink(missing_ok=True)
        for path in directory.iterdir():
            path.unlink()
    else:
        (directory / _NAME).unlink()
        sync_directory(directory)
    return state


def _read(directory: Path) -> FrontierState | None:
    with contextlib.suppress(FileNotFoundError, msgspec.MsgspecError):
        raw = (directory / _NAME).read_bytes()
        body, digest = raw[:-8], raw[-8:]
        if xxhash.xxh3_64_digest(body) == digest:
            marker = msgspec.msgpack.decode(body, type=_FrontierMarker)
            whole = all(_digest(directory / name) == known for name, known in marker.files.items())
            if whole and marker.format == _FORMAT:
                return marker.state
    return None


def _digest(path: Path) -> tuple[int, int]:
    """Size and digest of a file: 1 s for 6 GB in memory."""
    size = path.stat().st_size
    if not size:
        return 0, 0
    with path.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as mapped:
        return size, xxhash.xxh3_64_intdigest(mapped)
