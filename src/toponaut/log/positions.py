"""A place between two visits of a log, which a fold notes beside what it has made of the visits before."""

import msgspec
import xxhash

from toponaut.errors import InputError


class StaleError(Exception):
    """The log does not hold the visit that a position follows: what was folded up to there must be rebuilt.

    It happens after a power cut to a fold that had read a visit before it was synced, and to one whose segment was
    moved away.
    """


class Position(msgspec.Struct, frozen=True, array_like=True):
    """After `rows` visits of a segment; 0 before the first. Sealing changes neither number."""

    segment: int = 0
    rows: int = 0
    mark: int = 0  # of the last visit before it, so that another in its place is noticed

    def note(self) -> bytes:
        """For keeping."""
        return msgspec.msgpack.encode(self)


def noted(note: bytes | None) -> Position:
    """The position that was kept; the beginning of the log for None."""
    if note is None:
        return Position()
    try:
        return msgspec.msgpack.decode(note, type=Position)
    except msgspec.DecodeError as error:
        raise unreadable_position() from error


def unreadable_position() -> InputError:
    """The message for a note that is none."""
    return InputError(
        "a position in the log cannot be read", "Delete what was built from the log and resume"
    )


def mark(sequence: int, url: str, time: float) -> int:
    """32 bits that stand for a visit."""
    return xxhash.xxh32_intdigest(f"{sequence} {time!r} {url}".encode(errors="replace"))
