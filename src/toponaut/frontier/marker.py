"""The marker of a clean close: without it, what lies in the directory is not trusted.

It is written last, holds the sizes and digests of all other files, and is removed as soon as it has been read. So a
crash at any moment leaves no marker, and a file that was cut, changed or left behind by another version is noticed:
the frontier is then rebuilt from the log, which is the truth.
"""

import contextlib
import mmap
from collections.abc import Sequence
from pathlib import Path

import msgspec
import xxhash

from toponaut.records import QueuedLink
from toponaut.store.disk import sync_directory, write_whole

# The number counts up whenever a file changes its layout or its meaning; the records in the spool change with QueuedLink.
_FORMAT = ("2", *QueuedLink.__struct_fields__)
_NAME = "closed"


class State(msgspec.Struct, frozen=True):
    """What the objects know beside their files."""

    position: bytes
    seed: int
    seen: tuple[int, int]  # count and bits of the table
    met: tuple[int, int]
    hosts: tuple[int, int]
    host_capacity: int
    host_roots: tuple[int, int, int]
    now: float
    slots: tuple[int, int, int]  # capacity, used, free
    segments: tuple[tuple[int, int, int], ...]


class _Marker(msgspec.Struct, frozen=True):
    format: tuple[str, ...]
    state: State
    files: dict[str, tuple[int, int]]  # name -> size and digest


def write(directory: Path, state: State, files: Sequence[Path]) -> None:
    """All files are on disk: says so, atomically."""
    marker = _Marker(_FORMAT, state, {path.name: _digest(path) for path in files})
    body = msgspec.msgpack.encode(marker)
    body += xxhash.xxh3_64_digest(body)
    write_whole(directory / _NAME, body)


def take(directory: Path, seed: int) -> State | None:
    """The state at the last clean close with this seed. Else None, and the directory is empty.

    The marker is gone in both cases.
    """
    directory.mkdir(parents=True, exist_ok=True)
    state = _read(directory, seed)
    if state is None:
        (directory / _NAME).unlink(
            missing_ok=True
        )  # first, lest a failure further on leave it beside half the files
        for path in directory.iterdir():
            path.unlink()
    else:
        (directory / _NAME).unlink()
        sync_directory(directory)
    return state


def _read(directory: Path, seed: int) -> State | None:
    with contextlib.suppress(FileNotFoundError, msgspec.MsgspecError):
        raw = (directory / _NAME).read_bytes()
        body, digest = raw[:-8], raw[-8:]
        if xxhash.xxh3_64_digest(body) == digest:
            marker = msgspec.msgpack.decode(body, type=_Marker)
            whole = all(_digest(directory / name) == known for name, known in marker.files.items())
            if whole and marker.format == _FORMAT and marker.state.seed == seed:
                return marker.state
    return None


def _digest(path: Path) -> tuple[int, int]:
    """Size and digest of a file: a second for 6 GB that are in memory."""
    size = path.stat().st_size
    if not size:
        return 0, 0
    with path.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as mapped:
        return size, xxhash.xxh3_64_intdigest(mapped)
