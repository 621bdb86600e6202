"""What it costs to bring links to their owners: their packing, letters, calls of Ray, and their
unpacking; CPU of both sides.
"""

import random
import time
from collections.abc import Callable
from typing import Any, NamedTuple

import ray

from toponaut.cluster.exchange import LETTERS_A_SECOND, ActorLayout, by_actor
from toponaut.cluster.letters import Inbox, Letter, Outbox, from_bytes, pack
from toponaut.exchange import by_owner
from toponaut.log.epochs import first_sequence
from toponaut.records import ScoredLink

LINKS = 60  # of a page, none of them met before
PAGES = 400
ACTORS = 8  # to whom they go; one of them is the sender
LENGTHS = (1, 10, 100, 1000)  # links of a letter
ROUNDS = 7


class Exchanged(NamedTuple):
    """CPU microseconds, and bytes."""

    pack: float  # a link
    unpack: float  # a link
    size: float  # a link, on the wire
    call: dict[int, float]  # a letter, by its links; both sides, without packing

    def of_page(self, links: float, letters: float) -> float:
        """CPU ms of a page with these links for others, sent in these letters."""
        length = links / letters if letters else 0.0
        return (links * (self.pack + self.unpack) + letters * self._call(length)) / 1000

    def _call(self, links: float) -> float:
        """Between the two lengths that were measured."""
        known = sorted(self.call)
        below = max((one for one in known if one <= links), default=known[0])
        above = min((one for one in known if one > links), default=known[-1])
        share = (links - below) / (above - below) if above > below else 0.0
        return self.call[below] + max(share, 0.0) * (self.call[above] - self.call[below])


class _NoneEnded:
    def before(self, sender: str, epoch: int) -> list[int]:  # noqa: ARG002
        return []

    def letters(self, epoch: int, after: int) -> list[Letter]:  # noqa: ARG002
        return []


def pages() -> list[list[ScoredLink]]:
    """Links as an ordering and a collaboration give them."""
    chance = random.Random(1)

    def link() -> ScoredLink:
        host, path = chance.randrange(100_000), chance.randrange(10**9)
        url = f"https://www.town{host}.example.org/local/news/a-title-of-some-length-{path}.html"
        return ScoredLink(
            url,
            chance.random(),
            (f"n{chance.randrange(ACTORS)}",),
            2,
            7,
            chance.random(),
            anchor="A title",
        )

    return [[link() for _ in range(LINKS)] for _ in range(PAGES)]


def measure() -> Exchanged:
    """The best of some rounds."""
    some = pages()
    packing = min(_packing(some) for _ in range(ROUNDS)) - min(_owners(some) for _ in range(ROUNDS))
    wires = _letters(some, 1000)
    links = sum(len(from_bytes(wire).links) for wire in wires)
    unpacking = min(_timed(lambda: _open(wires)) for _ in range(ROUNDS))
    size = sum(map(len, wires)) / links
    return Exchanged(packing / links * 1e6, unpacking / links * 1e6, size, _calls(some))


def _timed(work: Callable[[], object]) -> float:
    began = time.process_time()
    work()
    return time.process_time() - began


def _owners(some: list[list[ScoredLink]]) -> float:
    """What one process has to do, too: links by their owners."""
    return _timed(lambda: [by_owner(links, 0) for links in some])


def _packing(some: list[list[ScoredLink]]) -> float:
    return _timed(lambda: _letters(some, 1000))


def _letters(some: list[list[ScoredLink]], length: int) -> list[bytes]:
    """All pages as letters with about this many links, to all but one."""
    parts = ActorLayout(tuple(f"n{k}" for k in range(ACTORS)))
    written = first_sequence(1)
    boxes = {
        name: Outbox("n0", 1, lambda _: iter(()), lambda: written) for name in parts.actors[1:]
    }
    waiting = dict.fromkeys(boxes, 0)
    wires = []
    for links in some:
        for name, queued in by_actor(parts, links, written).items():
            if name != "n0":
                boxes[name].add(written, pack(queued))
                waiting[name] += len(queued)
        written += 1
        for name, count in waiting.items():
            if count >= length and (wire := boxes[name].letter(1.0)):
                wires.append(wire)
                boxes[name].answered(from_bytes(wire).upto if length < 1000 else written)
                waiting[name] = 0
    return wires + [wire for box in boxes.values() if (wire := box.letter(1.0))]


def _open(wires: list[bytes]) -> None:
    inboxes: dict[int, Inbox] = {}
    for number, wire in enumerate(wires):
        inboxes.setdefault(number, Inbox(_NoneEnded())).open(from_bytes(wire))


# --- calls of Ray ---------------------------------------------------------------------------------
# ----------------------


class _Receiver:
    async def receive(self, wire: bytes) -> int:
        return len(wire)

    async def cpu(self) -> float:
        return time.process_time()


class _Sender:
    async def send(self, receiver: Any, wire: bytes, count: int) -> float:
        began = time.process_time()
        for _ in range(count):
            await receiver.receive.remote(wire)
        return time.process_time() - began


def _calls(some: list[list[ScoredLink]]) -> dict[int, float]:
    """CPU of both actors for one call, by the links in it."""
    flat = [queued for links in some for queued in by_owner(links, 0)["n1"]]
    receiver: Any = ray.remote(_Receiver).options(num_cpus=0).remote()
    sender: Any = ray.remote(_Sender).options(num_cpus=0).remote()
    found = {}
    for links in LENGTHS:
        wire = pack(flat[:links]).wire
        ray.get(sender.send.remote(receiver, wire, 50))
        costs = []
        for _ in range(ROUNDS):
            before = ray.get(receiver.cpu.remote())
            sent = ray.get(sender.send.remote(receiver, wire, 200))
            costs.append((sent + ray.get(receiver.cpu.remote()) - before) / 200 * 1e6)
        found[links] = min(costs)
    for actor in (receiver, sender):
        ray.kill(actor)
    return found


def report(cost: Exchanged, page_ms: float, pages_a_second: float) -> bool:
    """Prints it next to a page's CPU; returns whether it is below the limit."""
    print(f"\nexchange, at {LINKS} new links a page, {ACTORS} actors, most links for others")
    print(
        f"  a link: packed in {cost.pack:.2f} us, unpacked in {cost.unpack:.2f} us, "
        f"{cost.size:.0f} bytes on the wire"
    )
    reported = ", ".join(f"{links}: {call / 1000:.2f} ms" for links, call in cost.call.items())
    print(f"  a letter, CPU of both sides, by its links: {reported}")
    sent = LINKS * (ACTORS - 1) / ACTORS
    letters = min(LETTERS_A_SECOND / pages_a_second, ACTORS - 1)
    whole = cost.of_page(sent, letters)
    share = whole / (page_ms + whole)
    print(
        f"  at {pages_a_second:.0f} pages a second an actor sends {LETTERS_A_SECOND:.0f} letters "
        "a second of "
        f"{sent / letters:.0f} links: {whole:.3f} ms a page beside {page_ms:.2f} ms, {share:.1%} "
        "of its CPU (at most 5 %)"
    )
    return share < 0.05
