"""Letters may be lost, repeated or reordered, and actors may die: all links arrive exactly once,
and so does what each visit teaches.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from functools import partial
from itertools import count
from typing import NamedTuple

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from toponaut.cluster import letters
from toponaut.cluster.lessons import LessonWriter
from toponaut.cluster.letters import (
    EncodedLinks,
    Inbox,
    Letter,
    Outbox,
    from_bytes,
    pack,
    to_bytes,
)
from toponaut.log import FencedError
from toponaut.log.epochs import first_sequence
from toponaut.records import Outcome, QueuedLink, Visit

TEACH = LessonWriter([]).write
ACTORS = ("north", "south", "west")
Log = list[dict[str, list[QueuedLink]]]  # the links of every visit, by their owners


class Storage:
    """The shared storage: the epochs of all actors, and how many visits of each count."""

    def __init__(self) -> None:
        self.actor_of: dict[int, str] = {}
        self.logs: dict[int, Log] = {}

    def begin(self, actor: str) -> int:
        epoch = len(self.actor_of) + 1
        self.actor_of[epoch] = actor
        self.logs[epoch] = []
        return epoch

    def latest(self, actor: str) -> int:
        return max(epoch for epoch, who in self.actor_of.items() if who == actor)

    def letters(self, epoch: int, receiver: str, after: int) -> list[Letter]:
        """One for each visit."""
        first, log = first_sequence(epoch), self.logs[epoch]
        packed = {first + k: parcel(first + k, visit, receiver) for k, visit in enumerate(log)}
        return [
            from_bytes(to_bytes(self.actor_of[epoch], epoch, at, at + 1, 1.0, [packed[at]]))
            for at in range(after, first + len(log))
        ]


class Mailbox:
    """A receiver's view of the shared storage."""

    def __init__(self, storage: Storage, receiver: str) -> None:
        self._storage, self._receiver = storage, receiver

    def before(self, sender: str, epoch: int) -> Sequence[int]:
        return [one for one, who in self._storage.actor_of.items() if who == sender and one < epoch]

    def letters(self, epoch: int, after: int) -> list[Letter]:
        return self._storage.letters(epoch, self._receiver, after)


def lesson(sequence: int) -> Visit:
    return Visit(sequence, "north", f"http://a.example/{sequence}", 200, Outcome.FETCHED)


def parcel(sequence: int, visit: dict[str, list[QueuedLink]], receiver: str) -> EncodedLinks:
    """All visits teach south, and no others."""
    taught = TEACH(lesson(sequence)) if receiver == "south" else b""
    return pack(visit.get(receiver, []), taught)


class Actor:
    """One life of a node. It begins with all that the shared storage has for it."""

    def __init__(self, name: str, storage: Storage) -> None:
        self.name, self._storage = name, storage
        self.epoch = storage.begin(name)
        self.log: Log = []
        others = [other for other in ACTORS if other != name]
        anew = list(storage.actor_of.values()).count(name) > 1
        self.out = {
            other: Outbox(name, self.epoch, partial(self._read, other), self._written, anew)
            for other in others
        }
        begun = {epoch: who for epoch, who in storage.actor_of.items() if who != name}
        applied = {epoch: first_sequence(epoch) + len(storage.logs[epoch]) for epoch in begun}
        latest = {who: storage.latest(who) for who in begun.values()}
        self.inbox = Inbox(Mailbox(storage, name), applied, latest)
        stored = [
            one for epoch in begun for one in storage.letters(epoch, name, first_sequence(epoch))
        ]
        self.frontier = Counter((link.found_by, link.url) for one in stored for link in one.links)
        self.lessons = Counter(visit.sequence for one in stored for visit in one.lessons)

    def visit(self, links: dict[str, list[str]]) -> None:
        sequence = first_sequence(self.epoch) + len(self.log)
        self.log.append(
            {
                to: [QueuedLink(url, 1.0, found_by=sequence) for url in urls]
                for to, urls in links.items()
            }
        )
        for to, box in self.out.items():
            if (packed := parcel(sequence, self.log[-1], to)).items:
                box.add(sequence, packed)

    def _written(self) -> int:
        return first_sequence(self.epoch) + len(self.log)

    def _read(self, to: str, after: int) -> Iterator[tuple[int, EncodedLinks]]:
        first = first_sequence(self.epoch)
        for sequence in range(after, first + len(self.log)):
            yield sequence, parcel(sequence, self.log[sequence - first], to)

    def seal(self, visits: int) -> None:
        """Copies a part of the log; what a fenced life copies does not count, and it finds that
        out.
        """
        if self._storage.latest(self.name) == self.epoch:
            self._storage.logs[self.epoch] = self.log[
                : max(visits, len(self._storage.logs[self.epoch]))
            ]

    def receive(self, letter: Letter) -> int:
        opened = self.inbox.open(letter)
        if opened.restarted:
            self.out[letter.sender].announce()
        self.frontier.update((link.found_by, link.url) for link in opened.links)
        self.lessons.update(visit.sequence for visit in opened.lessons)
        return opened.applied


class Step(NamedTuple):
    """Something that happens to two of the nodes."""

    what: str
    name: str
    to: str
    number: int
    answered: bool


class Cluster:
    """A cluster on a bad day."""

    def __init__(self) -> None:
        self.urls = count()
        self.storage = Storage()
        self.actors = {name: Actor(name, self.storage) for name in ACTORS}
        self.dead: list[Actor] = []  # or thought so
        self.under_way: list[tuple[Actor, str, bytes]] = []

    def _life(self, step: Step) -> Actor:
        """The node, or at times a copy of it that was thought dead."""
        copies = [one for one in self.dead if one.name == step.name]
        return copies[-1] if copies and step.number % 4 == 0 else self.actors[step.name]

    def visits(self, step: Step) -> None:
        """A page with links for one other, or for both."""
        owners = [
            one for one in ACTORS if one != step.name and (one == step.to or step.number % 3 == 0)
        ]
        self._life(step).visit(
            {
                to: [f"http://{to}.example/{next(self.urls)}" for _ in range(1 + step.number % 3)]
                for to in owners
            }
        )

    def seals(self, step: Step) -> None:
        self.actors[step.name].seal(step.number)

    def sends(self, step: Step) -> None:
        sender = self._life(step)
        if step.to in sender.out and (letter := sender.out[step.to].letter(stamp=1.0)):
            self.under_way.append((sender, step.to, letter))

    def loses(self, step: Step) -> None:
        if self.under_way:
            self.under_way.pop(step.number % len(self.under_way))

    def arrives(self, step: Step) -> None:
        """Deliver any letter in flight, once or again; its answer may be lost."""
        if self.under_way:
            self._deliver(*self.under_way[step.number % len(self.under_way)], step.answered)

    def posts(self, step: Step) -> None:
        """Normal operation."""
        sender = self._life(step)
        if step.to in sender.out and (letter := sender.out[step.to].letter(stamp=1.0)):
            self._deliver(sender, step.to, letter, step.answered)

    def _deliver(self, sender: Actor, to: str, wire: bytes, answered: bool) -> None:
        try:
            applied = self.actors[to].receive(from_bytes(wire))
        except FencedError:
            assert sender is not self.actors[sender.name]
            return
        assert max(self.actors[to].frontier.values(), default=1) == 1, "applied twice"
        assert max(self.actors[to].lessons.values(), default=1) == 1, "learned twice"
        if answered:
            sender.out[to].answered(applied)

    def dies(self, step: Step) -> None:
        """The actor restarts elsewhere without its disk; its old copy runs for a while."""
        self.dead.append(self.actors[step.name])
        self.actors[step.name] = Actor(step.name, self.storage)

    def comes_to_rest(self) -> None:
        """The network works again; letters go to and fro until all are answered: then everybody has
        all that counts.
        """
        for _ in range(1000):
            for sender in self.actors.values():
                for to, box in sender.out.items():
                    if letter := box.letter(stamp=2.0):
                        self._deliver(sender, to, letter, answered=True)
        assert all(box.all_answered for actor in self.actors.values() for box in actor.out.values())
        for actor in self.actors.values():
            counts = {
                (link.found_by, link.url)
                for epoch, who in self.storage.actor_of.items()
                if who != actor.name
                for link in self._counting(epoch, actor.name)
            }
            assert counts <= set(actor.frontier), "lost"
            self._has_no_other(actor, counts)
            self._has_learned(actor)

    def _counting(self, epoch: int, receiver: str) -> list[QueuedLink]:
        return [link for visit in self._visits(epoch) for link in visit.get(receiver, [])]

    def _visits(self, epoch: int) -> Log:
        """Of lives that have ended what was sealed; of the others everything."""
        sender = self.actors[self.storage.actor_of[epoch]]
        return sender.log if sender.epoch == epoch else self.storage.logs[epoch]

    def _has_learned(self, actor: Actor) -> None:
        """South from every visit that counts, the others from none."""
        taught = {
            first_sequence(epoch) + k
            for epoch, who in self.storage.actor_of.items()
            for k in range(len(self._visits(epoch)))
            if who != actor.name and actor.name == "south"
        }
        assert taught <= set(actor.lessons)
        assert taught or actor.name == "south" or not actor.lessons

    def _has_no_other(self, actor: Actor, counts: set[tuple[int, str]]) -> None:
        """What else it has was sent by lives that were lost later: all that was ever found for it,
        at the right owner.
        """
        lives = [*self.actors.values(), *self.dead]
        found = {
            (link.found_by, link.url)
            for one in lives
            for visit in one.log
            for link in visit.get(actor.name, [])
        }
        assert set(actor.frontier) <= found | counts


@pytest.fixture(autouse=True)
def little_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(letters, "LETTER_LINKS", 3)
    monkeypatch.setattr(letters, "MEMORY_LINKS", 7)


WHAT = (
    "visits visits visits sends sends arrives arrives arrives loses posts posts posts seals dies"
).split()
STEPS = st.lists(
    st.builds(
        Step,
        st.sampled_from(WHAT),
        st.sampled_from(ACTORS),
        st.sampled_from(ACTORS),
        st.integers(0, 40),
        st.booleans(),
    ),
    min_size=10,
    max_size=80,
)


@settings(max_examples=150, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(STEPS)
def test_no_link_is_lost_and_none_applied_twice(steps: list[Step]) -> None:
    cluster = Cluster()
    for step in steps:
        getattr(cluster, step.what)(step)
    cluster.comes_to_rest()


def letter(after: int, upto: int, *found: int, epoch: int = 1) -> Letter:
    first = first_sequence(epoch)
    return Letter(
        "north",
        epoch,
        first + after,
        first + upto,
        1.0,
        [QueuedLink(f"http://a/{k}", 1.0, found_by=first + k) for k in found],
    )


def test_a_letter_survives_the_wire() -> None:
    link = QueuedLink("http://a/", 0.5, 1, 2, 3, 4, 0.25, 5, True, b"then", b"they")
    other = QueuedLink("http://b/", 1.0)
    taught = [pack([link, other]), pack([other], TEACH(lesson(8))), pack([], TEACH(lesson(9)))]
    wire = to_bytes("north", 7, 8, 10, 1.5, taught)
    links = [link, other, other]
    assert from_bytes(wire) == Letter("north", 7, 8, 10, 1.5, links, [lesson(8), lesson(9)])


def test_repetitions_gaps_and_overlaps() -> None:
    inbox = Inbox(Mailbox(Storage(), "south"))
    first = first_sequence(1)
    reported = []
    for one in (
        letter(0, 2, 1),
        letter(0, 2, 1),
        letter(5, 6, 5),
        letter(1, 4, 1, 3),
        letter(4, 6, 5),
        letter(0, 1, 0),
    ):
        opened = inbox.open(one)
        reported.append(([link.found_by - first for link in opened.links], opened.applied - first))
    assert reported == [([1], 2), ([], 2), ([], 2), ([3], 4), ([5], 6), ([], 6)]


def test_sealed_links_of_an_ended_life_are_read_and_the_life_is_refused() -> None:
    storage = Storage()
    old, new = storage.begin("north"), storage.begin("north")
    storage.logs[old] = [
        {"south": [QueuedLink(f"http://b/{k}", 1.0, found_by=first_sequence(old) + k)]}
        for k in range(4)
    ]
    inbox = Inbox(Mailbox(storage, "south"))
    inbox.open(letter(0, 2, 0, 1, epoch=old))
    opened = inbox.open(letter(0, 0, epoch=new))
    assert [link.url for link in opened.links] == ["http://b/2", "http://b/3"]
    assert opened.applied == first_sequence(new)
    with pytest.raises(FencedError):
        inbox.open(letter(2, 4, 2, 3, epoch=old))


def test_memory_is_bounded_and_the_log_has_the_rest() -> None:
    """Thirty visits with two links each, of which the sender keeps a few; the receiver gets all,
    in order.
    """
    log = [
        [QueuedLink(f"http://c/{k}/{j}", 1.0, found_by=first_sequence(1) + k) for j in range(2)]
        for k in range(30)
    ]
    reads = []

    def read(after: int) -> Iterator[tuple[int, EncodedLinks]]:
        reads.append(after)
        return ((first_sequence(1) + k, pack(log[k])) for k in range(after - first_sequence(1), 30))

    box = Outbox("north", 1, read, lambda: first_sequence(1) + 30)
    inbox = Inbox(Mailbox(Storage(), "south"))
    for k, links in enumerate(log):
        box.add(first_sequence(1) + k, pack(links))
    reported: list[QueuedLink] = []
    while wire := box.letter(stamp=1.0):
        one = from_bytes(wire)
        assert 0 < len(one.links) <= letters.LETTER_LINKS + 1
        opened = inbox.open(one)
        reported += opened.links
        box.answered(opened.applied)
    assert reported == [link for links in log for link in links]
    assert 5 <= len(reads) <= 9


def test_a_sender_without_new_links_repeats_old_ones_for_a_restarted_receiver() -> None:
    cluster = Cluster()
    cluster.actors["north"].visit({"south": ["http://south.example/"]})
    cluster.posts(Step("posts", "north", "south", 1, True))
    assert cluster.actors["north"].out["south"].all_answered
    cluster.dies(Step("dies", "south", "north", 1, True))
    assert not cluster.actors["south"].frontier
    cluster.comes_to_rest()
    assert len(cluster.actors["south"].frontier) == 1


def test_visits_without_links_for_a_receiver_cost_no_letter() -> None:
    cluster = Cluster()
    north = cluster.actors["north"]
    for _ in range(10):
        north.visit({"south": ["http://south.example/"]})
        cluster.posts(Step("posts", "north", "south", 1, True))
    assert north.out["west"].letter(stamp=1.0) is None
    north.visit({"west": ["http://west.example/"]})
    wire = north.out["west"].letter(stamp=1.0)
    assert wire
    assert from_bytes(wire).upto == first_sequence(north.epoch) + 11
