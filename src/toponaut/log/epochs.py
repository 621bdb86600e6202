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

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from itertools import takewhile

import msgspec
from msgspec import Struct

from toponaut.log import files
from toponaut.store import Store

_AT_ONCE = (
    16  # epochs that are read: of 1,000 on S3, at 30 ms each, half a minute becomes two seconds
)
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


def begin(logs: Store, actor: str, now: float) -> Epoch:
    """Takes a new epoch for an actor, which ends the one before. `logs` is the crawl's folder of logs, on storage that all see."""
    with files.writing(f"{logs.where}/epochs"):
        known = epochs(logs)
        while True:
            before = next((one for one in reversed(known) if one.actor == actor), None)
            new = Epoch(
                number=len(known) + 1,
                actor=actor,
                before=before.number if before else 0,
                segments=_shipped(logs, before) if before else 0,
                began=now,
            )
            # Should the answer to a success be lost, this is a life that never lived, and the next number is taken.
            if logs.create(name_of(new.number), msgspec.json.encode(new)):
                return new
            known = epochs(logs, known)


def epochs(logs: Store, known: Sequence[Epoch] = ()) -> list[Epoch]:
    """All epochs of a crawl in their order, those `known` already included. They are looked up by their names: the listing
    of a folder may be some seconds old on network storage. It tells of most of them, though, and these are read many at a time."""
    found = list(known)
    if not found and (listed := len(logs.names("epochs"))) > 1:
        with ThreadPoolExecutor(min(listed, _AT_ONCE)) as pool:
            read = pool.map(partial(_read, logs), range(1, listed + 1))
            found = [one for one in takewhile(lambda one: one is not None, read) if one]
    while (epoch := _read(logs, len(found) + 1)) is not None:
        found.append(epoch)
    return found


class Fence:
    """Whether an epoch is still its actor's last. It remembers how far it has looked."""

    def __init__(self, logs: Store, epoch: Epoch) -> None:
        self.logs, self.epoch = logs, epoch
        self._next = epoch.number + 1

    def check(self) -> None:
        """Raises FencedError if another has begun."""
        while (later := _read(self.logs, self._next)) is not None:
            if later.actor == self.epoch.actor:
                raise FencedError(f"{self.epoch.log} was followed by {later.log}")
            self._next += 1

    def look(self) -> None:
        """The same; raises FileNotFoundError if not even the own epoch is there: then the storage is not."""
        if _read(self.logs, self.epoch.number) is None:
            raise FileNotFoundError(f"{self.logs.where}/{name_of(self.epoch.number)}")
        self.check()


def name_of(number: int) -> str:
    """What an epoch's file is called, in the folder of logs."""
    return f"epochs/{number:06}.json"


def _read(logs: Store, number: int) -> Epoch | None:
    path = f"{logs.where}/{name_of(number)}"
    try:
        return msgspec.json.decode(logs.read(name_of(number)), type=Epoch)
    except FileNotFoundError:
        return None
    except OSError as error:
        raise files.unreadable(path, error) from error
    except msgspec.DecodeError as error:
        raise files.damaged(path, error) from error


def _shipped(logs: Store, epoch: Epoch) -> int:
    """How many segments of a log there are before the first that is missing; also those that a listing does not tell of yet."""
    folder = files.folder_of(epoch.log)
    there = files.numbers_in(logs.names(folder))
    count = next((k for k, number in enumerate(there) if k != number), len(there))
    while logs.exists(f"{folder}/{files.sealed_name(count)}"):
        count += 1
    return count
