"""An epoch: one life of an actor that writes a log on a cluster. Of two copies of an actor only the later one counts.

Machines that seem dead may go on for a while. So every start takes a number that nobody else in the crawl has, by creating
a file that must not be there:

    log/epochs/000017.json   {"number": 17, "actor": "Cn1", "before": 5, "segments": 8, ...}
    log/Cn1@17/              the log of that life

The file fences the life before: of its log the first 8 segments count, and whatever its copy may still write does not. Numbers
leave no gap, so whoever creates one has read all before it, and the lives of an actor form one chain, however many
begin at once. The epoch 0 is `main`, the log of a crawl in one process: that is locked instead, and has no such file.

Sequences of an epoch begin at its number x 2^40: a sequence is unique in a crawl, and tells which log it is in.
"""

import os
import tempfile
from collections.abc import Sequence
from pathlib import Path

import msgspec
from msgspec import Struct

from toponaut.disk import make_directory, sync_directory
from toponaut.log import files

_SHIFT = 40  # a million million visits in a life, eight million lives


class FencedError(Exception):
    """A later life of this actor has begun: this one has to end."""


class Epoch(Struct, frozen=True):
    """A life of an actor, and where the one before it ended."""

    number: int
    actor: str
    before: int = 0  # the last epoch of the same actor; 0 if there was none
    segments: int = 0  # of its log that count
    began: float = 0.0  # Unix time, for people

    @property
    def log(self) -> str:
        """The name of its log."""
        return f"{self.actor}@{self.number}"

    @property
    def first(self) -> int:
        """The sequence of its first visit."""
        return first_of(self.number)


def first_of(epoch: int) -> int:
    """The sequence of the first visit of an epoch."""
    return epoch << _SHIFT


def epoch_of(sequence: int) -> int:
    """The epoch in whose log a sequence is; 0 for `main`."""
    return sequence >> _SHIFT


def begin(logs: Path, actor: str, now: float) -> Epoch:
    """Takes a new epoch for an actor, which ends the one before."""
    folder = logs / "epochs"
    with files.writing(folder):
        make_directory(folder)
        known = epochs(logs)
        while True:
            before = next((one for one in reversed(known) if one.actor == actor), None)
            new = Epoch(
                number=len(known) + 1,
                actor=actor,
                before=before.number if before else 0,
                segments=_in_a_row(files.numbers(files.directory_of(logs, before.log))) if before else 0,
                began=now,
            )
            if _create(_path(logs, new.number), msgspec.json.encode(new)):
                return new
            known = epochs(logs, known)


def epochs(logs: Path, known: Sequence[Epoch] = ()) -> list[Epoch]:
    """All epochs of a crawl in their order, those `known` already included. They are looked up by their names: the listing
    of a folder may be some seconds old on network storage."""
    found = list(known)
    while True:
        path = _path(logs, len(found) + 1)
        try:
            found.append(msgspec.json.decode(path.read_bytes(), type=Epoch))
        except FileNotFoundError:
            return found
        except OSError as error:
            raise files.unreadable(path, error) from error
        except msgspec.DecodeError as error:
            raise files.damaged(path, error) from error


def fence(logs: Path, own: Epoch) -> None:
    """Raises FencedError if an epoch is not its actor's last any more."""
    number = own.number + 1
    while _path(logs, number).exists():
        later = msgspec.json.decode(_path(logs, number).read_bytes(), type=Epoch)
        if later.actor == own.actor:
            raise FencedError(f"{own.log} was followed by {later.log}")
        number += 1


def _path(logs: Path, number: int) -> Path:
    return logs / "epochs" / f"{number:06}.json"


def _create(path: Path, content: bytes) -> bool:
    """Makes a file with all its content; False if it is there already. A link is made by one only, also on NFS."""
    descriptor, draft = tempfile.mkstemp(suffix=".part", dir=path.parent)
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        os.link(draft, path)
    except FileExistsError:
        return False
    finally:
        Path(draft).unlink()
    sync_directory(path.parent)
    return True


def _in_a_row(numbers: Sequence[int]) -> int:
    """How many segments there are before the first that is missing."""
    return next((k for k, number in enumerate(numbers) if k != number), len(numbers))
