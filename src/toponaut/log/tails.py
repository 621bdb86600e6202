"""Reading a tail file: its visits in order, or only how far it is whole."""

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from toponaut.log import files, frames
from toponaut.records import Visit

# What is in memory at a time, from a tail as from a sealed segment, whose row groups these are. Of 256 visits a row
# group takes 5,051 bytes for each, of 1,024 it takes 4,906, of 4,096 4,844 (the visits of bench/log.py).
CHUNK_VISITS = 1024
CHUNK_BYTES = 16_000_000
_READ_AHEAD = 1 << 20


class Whole(NamedTuple):
    """What is whole in a tail."""

    size: int
    first: int  # sequence of its first visit
    rows: int
    last: bytes  # the payload of its last frame; b"" if it has none


def whole(path: Path) -> Whole | None:
    """How far a tail is whole; None if not even its header is."""
    with path.open("rb", buffering=_READ_AHEAD) as file:
        first = frames.first_sequence(file, path)
        if first is None:
            return None
        size, rows, last = frames.HEADER.size, 0, b""
        for frame in frames.whole(file):
            size, rows, last = frame.end, rows + 1, frame.payload
        return Whole(size, first, rows, last)


def payloads(path: Path, grows: bool) -> Iterator[bytes]:
    """The payloads of a tail. One that grows may end anywhere; another that does not end with a frame is damaged."""
    try:
        file = path.open("rb", buffering=_READ_AHEAD)
    except FileNotFoundError:
        raise
    except OSError as error:
        raise files.unreadable(path, error) from error
    with file:
        end = 0 if frames.first_sequence(file, path) is None else frames.HEADER.size
        for frame in frames.whole(file):
            yield frame.payload
            end = frame.end
        file.seek(end)
        if not grows and file.read(1):
            raise files.damaged(
                path, "it ends within a visit. Starting the crawl sets that end aside"
            )


def chunks(path: Path, skip: int = 0, grows: bool = False) -> Iterator[list[Visit]]:
    """The visits of a tail from row `skip` on."""
    visits: list[Visit] = []
    size = 0
    for row, payload in enumerate(payloads(path, grows)):
        if row < skip:
            continue
        visits.append(frames.decode(payload, path))
        size += len(payload)
        if len(visits) >= CHUNK_VISITS or size >= CHUNK_BYTES:
            yield visits
            visits, size = [], 0
    if visits:
        yield visits
