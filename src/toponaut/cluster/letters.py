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
applied of that is read there. Letters of an epoch that has ended are refused. Who begins anew says so to all, so that those with
nothing new to tell learn of it, too, and tell again what is not on the shared storage yet.
"""

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import NamedTuple, Protocol

import msgspec

from toponaut.log import FencedError
from toponaut.log.epochs import first_sequence
from toponaut.records import QueuedLink

LETTER_LINKS = (
    1000  # as many as fill a call well: 1.9 million links a second, one by one 1,840 (Ray 2.60)
)
MEMORY_LINKS = 10_000  # for one receiver; what is beyond is read from the log when its turn comes

Found = tuple[int, list[QueuedLink]]  # the sequence of a visit, and its links for one receiver
ReadLog = Callable[
    [int], Iterator[Found]
]  # the visits of the own log from a sequence on, all of them


class Letter(msgspec.Struct, frozen=True):
    """Links from one epoch of a sender."""

    sender: str
    epoch: int
    after: int
    upto: int
    stamp: float  # of the sender's last visit: what follows from these links comes later
    links: list[QueuedLink]


class Packed(NamedTuple):
    """The links of one visit for one receiver, as they go over the wire: they are encoded once."""

    links: int
    wire: bytes


_encode = msgspec.msgpack.Encoder().encode
_decode = msgspec.msgpack.Decoder(tuple[str, int, int, int, float, list[list[QueuedLink]]]).decode


def pack(links: list[QueuedLink]) -> Packed:
    return Packed(len(links), _encode(links))


def to_bytes(
    sender: str, epoch: int, after: int, upto: int, stamp: float, packed: Iterable[Packed]
) -> bytes:
    """A letter for the wire."""
    return _encode((sender, epoch, after, upto, stamp, [msgspec.Raw(one.wire) for one in packed]))


def from_bytes(wire: bytes) -> Letter:
    """The same, at the other end."""
    sender, epoch, after, upto, stamp, packed = _decode(wire)
    return Letter(sender, epoch, after, upto, stamp, [link for links in packed for link in links])


class Outbox:
    """What one node has for one other: a window on its log, from where the receiver stands.

    It hears of visits with links for its receiver only, so a page costs no more on a thousand nodes than on two; where the log is by
    now (`written`) it asks when a letter is due. A life that follows another announces itself, also with nothing to tell: then
    the receiver reads what the last one left, and asks where this one stands.
    """

    def __init__(
        self,
        sender: str,
        epoch: int,
        read_log: ReadLog,
        written: Callable[[], int],
        announce: bool = False,
    ) -> None:
        self._sender, self._epoch = sender, epoch
        self._read_log, self._written = read_log, written
        self._calls = int(announce)  # for an answer, also with nothing to tell;
        self._called = self._heard = (
            0  # those that the last letter was, and those that were answered
        )
        self._window: deque[tuple[int, Packed]] = deque()
        self._links = 0  # in the window
        self.lacks: int | None = (
            None  # the first visit that the window has no room for, to be read again; None: it has all
        )
        self._applied = first_sequence(epoch)

    @property
    def all_answered(self) -> bool:
        """Whether the receiver has everything."""
        return not self._window and self.lacks is None and self._heard == self._calls

    def add(self, sequence: int, packed: Packed) -> None:
        """A visit with links for the receiver was written to the log. With no room left, they are left there."""
        if self.lacks is None and self._links >= MEMORY_LINKS:
            self.lacks = sequence
        if self.lacks is None:
            self._take(sequence, packed)

    def _take(self, sequence: int, packed: Packed) -> None:
        self._window.append((sequence, packed))
        self._links += packed.links

    def letter(self, stamp: float) -> bytes | None:
        """What the receiver is to be told next; None if it has been told everything."""
        if not self._window and self.lacks is not None:
            self._refill(self.lacks)
        if self.all_answered:
            return None
        self._called = self._calls
        links, some = 0, []
        upto = self._written() if self.lacks is None else self.lacks
        for sequence, packed in self._window:
            if links >= LETTER_LINKS:
                upto = sequence
                break
            links += packed.links
            some.append(packed)
        return to_bytes(self._sender, self._epoch, self._applied, upto, stamp, some)

    def _refill(self, lacks: int) -> None:
        self.lacks = None
        for sequence, links in self._read_log(lacks):
            if self._links >= MEMORY_LINKS:
                self.lacks = sequence
                return
            if links:
                self._take(sequence, pack(links))

    def announce(self) -> None:
        """The receiver has begun anew: it is asked where it stands."""
        self._calls += 1

    def answered(self, applied: int) -> None:
        """The receiver has applied all before this sequence. It may have gone back: then it has begun anew."""
        self._heard = self._called
        if applied < self._applied:
            self._window.clear()
            self._links = 0
            self.lacks = applied
        elif self.lacks is not None:
            self.lacks = max(self.lacks, applied)
        while self._window and self._window[0][0] < applied:
            self._links -= self._window.popleft()[1].links
        self._applied = applied


class Ended(Protocol):
    """The epochs that have come to an end, as the shared storage has them."""

    def before(self, sender: str, epoch: int) -> Sequence[int]:
        """The epochs of a sender before this one, in their order."""
        ...

    def links(self, epoch: int, after: int) -> Iterable[QueuedLink]:
        """The links for this receiver of the visits of an epoch that count, from a sequence on."""
        ...


class Opened(NamedTuple):
    """What a letter brings, and the answer to it."""

    links: list[QueuedLink]
    applied: int
    anew: bool = False  # the sender has begun anew, and may not have what it was told before


class Inbox:
    """What one node has applied of all others. `applied`: by epoch, the first sequence that it has not; `latest`: the last epoch
    of each sender that it has heard of, all before which it has applied to their ends.
    """

    def __init__(
        self,
        ended: Ended,
        applied: dict[int, int] | None = None,
        latest: dict[str, int] | None = None,
    ) -> None:
        self._ended = ended
        self._applied = applied or {}
        self._latest = latest or {}

    def open(self, letter: Letter) -> Opened:
        """Takes a letter. Raises FencedError if a later epoch of its sender has begun."""
        latest = self._latest.get(letter.sender, 0)
        if letter.epoch < latest:
            raise FencedError(
                f"{letter.sender}@{letter.epoch} was followed by {letter.sender}@{latest}"
            )
        anew = letter.epoch > latest
        links = self._rest_of_earlier(letter, latest) if anew else []
        reached = self._applied.get(letter.epoch, first_sequence(letter.epoch))
        if letter.after <= reached < letter.upto:
            links += [link for link in letter.links if link.found_by >= reached]
            reached = letter.upto
        self._applied[letter.epoch] = reached
        return Opened(links, reached, anew)

    def _rest_of_earlier(self, letter: Letter, latest: int) -> list[QueuedLink]:
        """What was not applied of the epochs of a sender that have ended since it was last heard of."""
        links: list[QueuedLink] = []
        for epoch in self._ended.before(letter.sender, letter.epoch):
            if epoch >= latest:
                links += self._ended.links(epoch, self._applied.pop(epoch, first_sequence(epoch)))
        self._latest[letter.sender] = letter.epoch
        return links
