"""An epoch: one lifetime of an actor that writes a log on a cluster.

A machine that seems dead may continue for a while, so two copies of an actor can run at once. Only
the later one counts. Every start takes a number that is unique in the crawl, by creating a file
that must not exist yet:

    log/epochs/000017.json   {"number": 17, "actor": "Cn1", "before": 5, "segments": 8, ...}
    log/Cn1@17/              the log of this epoch

The file fences the epoch before it (5): only the first 8 segments of its log count, whatever its
copy still writes. Numbers have no gaps, so an actor that creates one has read all before it, and
the epochs of an actor form one chain. Epoch 0 is `main`, the log of a crawl in one process; it has
a lock instead of a file.

The sequences of an epoch start at its number x 2^40. So a sequence is unique in a crawl and shows
which log it is in.

A node writes its log to its own disk and ships sealed segments to storage that all machines see.
Segments not yet shipped are lost with the machine.
"""

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from itertools import takewhile
from pathlib import Path

import msgspec
from msgspec import Struct

from toponaut.log import files
from toponaut.store import Store

_PARALLEL_READS = 16  # 1,000 epochs on S3, 30 ms each: 2 s instead of 30
_SHIFT = 40  # 10^12 visits per epoch, eight million epochs


class FencedError(Exception):
    """A later epoch of this actor has started: this one must end."""


class Epoch(Struct, frozen=True):
    """A lifetime of an actor, and where the one before it ended."""

    number: int
    actor: str
    before: int = 0  # the previous epoch of the same actor; 0 for the first
    segments: int = 0  # segments of that epoch's log that count
    began: float = 0.0  # Unix time, for information

    @property
    def log(self) -> str:
        """The name of its log."""
        return f"{self.actor}@{self.number}"

    @property
    def first(self) -> int:
        """The sequence of its first visit."""
        return first_sequence(self.number)


def first_sequence(epoch: int) -> int:
    """The sequence of the first visit of an epoch."""
    return epoch << _SHIFT


def epoch_of(sequence: int) -> int:
    """The epoch whose log contains a sequence; 0 for `main`."""
    return sequence >> _SHIFT


def begin(logs: Store, actor: str, now: float) -> Epoch:
    """Starts a new epoch of an actor, which ends the one before. `logs`: on shared storage."""
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
            # If the reply to a success is lost, this epoch stays unused and we take the next.
            if logs.create(name_of(new.number), msgspec.json.encode(new)):
                return new
            known = epochs(logs, known)


def epochs(logs: Store, known: Sequence[Epoch] = ()) -> list[Epoch]:
    """All epochs of a crawl in order, starting with those already `known`.

    A folder listing may be some seconds old on network storage. So it only serves to read most
    epochs in parallel; the rest are looked up by name.
    """
    found = list(known)
    if not found and (listed := len(logs.names("epochs"))) > 1:
        with ThreadPoolExecutor(min(listed, _PARALLEL_READS)) as pool:
            read = pool.map(partial(_read, logs), range(1, listed + 1))
            found = [one for one in takewhile(lambda one: one is not None, read) if one]
    while (epoch := _read(logs, len(found) + 1)) is not None:
        found.append(epoch)
    return found


class Fence:
    """Checks that an epoch is still the last of its actor. Remembers how far it has looked."""

    def __init__(self, logs: Store, epoch: Epoch) -> None:
        self.logs, self.epoch = logs, epoch
        self._next = epoch.number + 1

    def check(self) -> None:
        """Raises FencedError if a later epoch has started."""
        while (later := _read(self.logs, self._next)) is not None:
            if later.actor == self.epoch.actor:
                raise FencedError(f"{self.epoch.log} was followed by {later.log}")
            self._next += 1

    def check_storage(self) -> None:
        """The same, but raises FileNotFoundError if the storage has lost this epoch, too."""
        if _read(self.logs, self.epoch.number) is None:
            raise FileNotFoundError(f"{self.logs.where}/{name_of(self.epoch.number)}")
        self.check()


def name_of(number: int) -> str:
    """The file of an epoch, relative to the folder of logs."""
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
    """The number of segments before the first missing one, also those not yet listed."""
    folder = files.folder_of(epoch.log)
    there = files.numbers_in(logs.names(folder))
    count = next((k for k, number in enumerate(there) if k != number), len(there))
    while logs.exists(f"{folder}/{files.sealed_name(count)}"):
        count += 1
    return count


def ship(own: Path, fence: Fence, before: Callable[[int], None] = lambda _: None) -> int:
    """Copies the sealed segments that the shared log of an epoch lacks. Returns how many.

    `before` is called with each number first, to copy the files that the segment points to. Raises
    FencedError if a later epoch has started: nobody would read the segments.
    """
    logs, folder = fence.logs, files.folder_of(fence.epoch.log)
    with files.writing(f"{logs.where}/{folder}"):
        copied = set(files.numbers_in(logs.names(folder)))
        missing = [
            number
            for number in files.numbers(own)
            if number not in copied and files.sealed(own, number).exists()
        ]
        for number in missing:
            fence.check()
            before(number)
            logs.put(f"{folder}/{files.sealed_name(number)}", files.sealed(own, number))
        return len(missing)
