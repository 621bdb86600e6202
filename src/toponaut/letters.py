"""How links travel between the nodes of a cluster: in letters that may be lost, repeated or come in any order.

The log is the outbox. A letter says: these are all links for you that I found in my visits from `after` up to, and not including,
`upto`. The receiver remembers how far it has applied every epoch of every sender, and answers with that, whatever the
letter was:

- one that ends there or before is a repetition, and nothing happens;
- one that begins beyond leaves a gap, and nothing happens: the sender goes back to where the answer says;
- else what is new in it is applied.

So the only state that counts is one number for each sender, and that is a fold over the logs: a receiver that begins anew has it from
the shared storage, a sender reads again from its own log what it no longer has in memory. When a sender begins anew (a new epoch,
log/epochs.py) its last one has come to an end: what counts of it is on the shared storage, and what the receiver has not
applied of that is read there. Letters of an epoch that has ended are refused.
"""

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, NamedTuple, Protocol

import msgspec

from toponaut.log import FencedError
from toponaut.log.epochs import first_of
from toponaut.records import Queued

LETTER_LINKS = 1000  # as many as fill a call well: 1.9 million links a second, one by one 1,840 (Ray 2.60)
MEMORY_LINKS = 10_000  # for one receiver; what is beyond is read from the log when its turn comes

Found = tuple[int, list[Queued]]  # the sequence of a visit, and its links for one receiver
ReadLog = Callable[[int], Iterator[Found]]  # the visits of the own log from a sequence on, all of them


class Letter(msgspec.Struct, frozen=True):
    """Links from one epoch of a sender."""

    sender: str
    epoch: int
    after: int
    upto: int
    stamp: float  # of the sender's last visit: what follows from these links comes later
    links: list[Queued]


_Wire = tuple[str, int, int, int, float, list[list[Any]]]
_encode = msgspec.msgpack.Encoder().encode
_decode = msgspec.msgpack.Decoder(_Wire).decode


def to_bytes(letter: Letter) -> bytes:
    """A letter for the wire. Of links without the names of their fields, which are half of it."""
    links = [msgspec.structs.astuple(link) for link in letter.links]
    return _encode((letter.sender, letter.epoch, letter.after, letter.upto, letter.stamp, links))


def from_bytes(wire: bytes) -> Letter:
    """The same, at the other end."""
    sender, epoch, after, upto, stamp, links = _decode(wire)
    return Letter(sender, epoch, after, upto, stamp, [Queued(*fields) for fields in links])


class Outbox:
    """What one node has for one other: a window on its log, from where the receiver stands."""

    def __init__(self, sender: str, epoch: int, read_log: ReadLog) -> None:
        self._sender, self._epoch = sender, epoch
        self._read_log = read_log
        self._window: deque[Found] = deque()  # visits with links, from `applied` up to `covered`
        self._links = 0  # in the window
        self.applied = self._covered = self._written = first_of(epoch)

    @property
    def all_answered(self) -> bool:
        """Whether the receiver has everything."""
        return self.applied == self._written

    def add(self, sequence: int, links: list[Queued]) -> None:
        """A visit was written to the log. With no room left for its links, they are left there."""
        self._written = sequence + 1
        if self._covered == sequence and self._links < MEMORY_LINKS:
            self._cover(sequence, links)

    def _cover(self, sequence: int, links: list[Queued]) -> None:
        if links:
            self._window.append((sequence, links))
            self._links += len(links)
        self._covered = sequence + 1

    def letter(self, stamp: float) -> Letter | None:
        """What the receiver is to be told next; None if it has been told everything."""
        if self.all_answered:
            return None
        if self._covered == self.applied:
            self._refill()
            if self._covered == self.applied:  # it is not on the disk yet
                return None
        links: list[Queued] = []
        upto = self._covered
        for sequence, some in self._window:
            if len(links) >= LETTER_LINKS:
                upto = sequence
                break
            links += some
        return Letter(self._sender, self._epoch, self.applied, upto, stamp, links)

    def _refill(self) -> None:
        for sequence, links in self._read_log(self._covered):
            self._cover(sequence, links)
            if self._links >= MEMORY_LINKS:
                break

    def answered(self, applied: int) -> None:
        """The receiver has applied all before this sequence. It may have gone back: then it has begun anew."""
        if applied < self.applied:
            self._window.clear()
            self._links = 0
            self._covered = applied
        while self._window and self._window[0][0] < applied:
            self._links -= len(self._window.popleft()[1])
        self.applied = applied


class Ended(Protocol):
    """The epochs that have come to an end, as the shared storage has them."""

    def before(self, sender: str, epoch: int) -> Sequence[int]:
        """The epochs of a sender before this one, in their order."""
        ...

    def links(self, epoch: int, after: int) -> Iterable[Queued]:
        """The links for this receiver of the visits of an epoch that count, from a sequence on."""
        ...


class Opened(NamedTuple):
    """What a letter brings, and the answer to it."""

    links: list[Queued]
    applied: int


class Inbox:
    """What one node has applied of all others. `applied`: by epoch, the first sequence that it has not; `latest`: the last epoch
    of each sender that it has heard of, all before which it has applied to their ends.
    """

    def __init__(
        self, ended: Ended, applied: dict[int, int] | None = None, latest: dict[str, int] | None = None
    ) -> None:
        self._ended = ended
        self._applied = applied or {}
        self._latest = latest or {}

    def open(self, letter: Letter) -> Opened:
        """Takes a letter. Raises FencedError if a later epoch of its sender has begun."""
        latest = self._latest.get(letter.sender, 0)
        if letter.epoch < latest:
            raise FencedError(f"{letter.sender}@{letter.epoch} was followed by {letter.sender}@{latest}")
        links = self._rest_of_earlier(letter, latest) if letter.epoch > latest else []
        reached = self._applied.get(letter.epoch, first_of(letter.epoch))
        if letter.after <= reached < letter.upto:
            links += [link for link in letter.links if link.found >= reached]
            reached = letter.upto
        self._applied[letter.epoch] = reached
        return Opened(links, reached)

    def _rest_of_earlier(self, letter: Letter, latest: int) -> list[Queued]:
        """What was not applied of the epochs of a sender that have ended since it was last heard of."""
        links: list[Queued] = []
        for epoch in self._ended.before(letter.sender, letter.epoch):
            if epoch >= latest:
                links += self._ended.links(epoch, self._applied.pop(epoch, first_of(epoch)))
        self._latest[letter.sender] = letter.epoch
        return links
