"""How links and lessons travel between actors: in letters that may be lost, repeated or reordered.

The log is the outbox. A letter says: these are all links for you from my visits `after` up to, and
not including, `upto`, and what these visits teach (lessons.py). The receiver remembers for every
epoch of every sender how far it has applied it, and answers every letter with that position:

- a letter that ends there or before is a repetition: nothing happens;
- a letter that begins later leaves a gap: nothing happens, and the sender returns to the position;
- otherwise the new part of the letter is applied.

So the only state is one number for each epoch, and that is a fold over the logs: a receiver that
restarts finds it on the shared storage, and a sender reads from its own log what it no longer has
in memory. When a sender restarts with a new epoch (log/epochs.py), its last epoch has ended: the
part of it that counts is on the shared storage, and the receiver reads the rest there. Letters of
an ended epoch are refused. An actor that restarts announces itself to all others, so that they
learn of it even if it has no links for them, and send again what is not yet on the shared storage.
"""

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import NamedTuple, Protocol

import msgspec

from toponaut.log import FencedError
from toponaut.log.epochs import first_sequence
from toponaut.records import QueuedLink, Visit

# Links and lessons. A call is well filled: 1.9 million links a second, one by one 1,840 (Ray 2.60).
LETTER_LINKS = 1000
MEMORY_LINKS = 10_000  # for one receiver; the rest is read from the log when it is due


class Letter(msgspec.Struct, frozen=True):
    """Links and lessons from one epoch of a sender."""

    sender: str
    epoch: int
    after: int
    upto: int
    stamp: float  # of the sender's last visit: consequences of these links come later
    links: list[QueuedLink]
    lessons: list[Visit] = []  # visits with the fields from which others learn


class EncodedLinks(NamedTuple):
    """What one visit has for one receiver, encoded once: links, and perhaps a lesson."""

    links: int
    wire: bytes
    lesson: bytes = b""

    @property
    def items(self) -> int:
        return self.links + bool(self.lesson)


# All visits of the own log from a sequence on, with what they have for one receiver.
ReadLog = Callable[[int], Iterator[tuple[int, EncodedLinks]]]

_encode = msgspec.msgpack.Encoder().encode
_decode = msgspec.msgpack.Decoder(
    tuple[str, int, int, int, float, list[list[QueuedLink]], list[Visit]]
).decode


def pack(links: list[QueuedLink], lesson: bytes = b"") -> EncodedLinks:
    return EncodedLinks(len(links), _encode(links) if links else b"", lesson)


def to_bytes(
    sender: str, epoch: int, after: int, upto: int, stamp: float, packed: Iterable[EncodedLinks]
) -> bytes:
    """An encoded letter."""
    some = list(packed)
    links = [msgspec.Raw(one.wire) for one in some if one.wire]
    lessons = [msgspec.Raw(one.lesson) for one in some if one.lesson]
    return _encode((sender, epoch, after, upto, stamp, links, lessons))


def from_bytes(wire: bytes) -> Letter:
    sender, epoch, after, upto, stamp, packed, lessons = _decode(wire)
    links = [link for some in packed for link in some]
    return Letter(sender, epoch, after, upto, stamp, links, lessons)


class Outbox:
    """What one actor has for one other: a window on its log, from the receiver's position.

    It gets only visits with something for its receiver, so a page costs no more on a thousand nodes
    than on ten; it asks for the end of the log (`written`) when a letter is due. With `announce`,
    it sends a letter even without content: the actor has restarted.
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
        # Announcements: all, those in the last letter, and those answered.
        self._calls, self._called, self._heard = int(announce), 0, 0
        self._window: deque[tuple[int, EncodedLinks]] = deque()
        self._items = 0  # links and lessons in the window
        self.lacks: int | None = None  # the first visit that did not fit into the window
        self._applied = first_sequence(epoch)

    @property
    def all_answered(self) -> bool:
        """Whether the receiver has everything."""
        return not self._window and self.lacks is None and self._heard == self._calls

    def add(self, sequence: int, packed: EncodedLinks) -> None:
        """Add what a logged visit has; if there is no room, it stays in the log."""
        if self.lacks is None and self._items >= MEMORY_LINKS:
            self.lacks = sequence
        if self.lacks is None:
            self._take(sequence, packed)

    def _take(self, sequence: int, packed: EncodedLinks) -> None:
        self._window.append((sequence, packed))
        self._items += packed.items

    def letter(self, stamp: float) -> bytes | None:
        """The next letter; None if the receiver has everything."""
        if not self._window and self.lacks is not None:
            self._refill(self.lacks)
        if self.all_answered:
            return None
        self._called = self._calls
        items, some = 0, []
        upto = self._written() if self.lacks is None else self.lacks
        for sequence, packed in self._window:
            if items >= LETTER_LINKS:
                upto = sequence
                break
            items += packed.items
            some.append(packed)
        return to_bytes(self._sender, self._epoch, self._applied, upto, stamp, some)

    def _refill(self, lacks: int) -> None:
        self.lacks = None
        for sequence, packed in self._read_log(lacks):
            if self._items >= MEMORY_LINKS:
                self.lacks = sequence
                return
            if packed.items:
                self._take(sequence, packed)

    def announce(self) -> None:
        """The receiver has restarted: ask for its position."""
        self._calls += 1

    def answered(self, applied: int) -> None:
        """The receiver has applied all before this sequence; if it went back, it has restarted."""
        self._heard = self._called
        if applied < self._applied:
            self._window.clear()
            self._items = 0
            self.lacks = applied
        elif self.lacks is not None:
            self.lacks = max(self.lacks, applied)
        while self._window and self._window[0][0] < applied:
            self._items -= self._window.popleft()[1].items
        self._applied = applied


class EndedEpochs(Protocol):
    """The ended epochs of senders, on the shared storage."""

    def before(self, sender: str, epoch: int) -> Sequence[int]:
        """The epochs of a sender before this one, in order."""

    def letters(self, epoch: int, after: int) -> Sequence[Letter]:
        """Letters to this receiver, in order: at least all of an epoch from a sequence on."""


class LetterContent(NamedTuple):
    """What is new in a letter, and the answer to it."""

    links: list[QueuedLink]
    lessons: list[Visit]
    applied: int
    restarted: bool = False  # the sender has restarted, and may lack earlier links


class Inbox:
    """How far one actor has applied the letters of all others.

    `applied`: by epoch, the first sequence that is not applied. `latest`: the last known epoch of
    each sender; all epochs before it are applied to their ends.
    """

    def __init__(
        self,
        ended: EndedEpochs,
        applied: dict[int, int] | None = None,
        latest: dict[str, int] | None = None,
    ) -> None:
        self._ended = ended
        self._applied = applied or {}
        self._latest = latest or {}

    def open(self, letter: Letter) -> LetterContent:
        """Apply a letter. Raises FencedError if a later epoch of its sender has started."""
        latest = self._latest.get(letter.sender, 0)
        if letter.epoch < latest:
            raise FencedError(
                f"{letter.sender}@{letter.epoch} was followed by {letter.sender}@{latest}"
            )
        restarted = letter.epoch > latest
        content = LetterContent([], [], 0, restarted)
        if restarted:
            self._add_rest_of_earlier(letter, latest, content)
        reached = self._applied.get(letter.epoch, first_sequence(letter.epoch))
        if letter.after <= reached < letter.upto:
            _add_new(content, letter, reached)
            reached = letter.upto
        self._applied[letter.epoch] = reached
        return content._replace(applied=reached)

    def _add_rest_of_earlier(self, letter: Letter, latest: int, content: LetterContent) -> None:
        """Add what is not applied yet of the ended epochs of a sender."""
        for epoch in self._ended.before(letter.sender, letter.epoch):
            if epoch >= latest:
                reached = self._applied.pop(epoch, first_sequence(epoch))
                for earlier in self._ended.letters(epoch, reached):
                    _add_new(content, earlier, reached)
        self._latest[letter.sender] = letter.epoch


def _add_new(content: LetterContent, letter: Letter, reached: int) -> None:
    content.links.extend(link for link in letter.links if link.found_by >= reached)
    content.lessons.extend(visit for visit in letter.lessons if visit.sequence >= reached)
