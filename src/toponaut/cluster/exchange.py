"""Links to owners on other machines: sorted by actor, put into outboxes, sent as letters.

The letters to a few others also carry what each visit teaches (lessons.py).

Each receiver has at most one letter in flight; links found meanwhile make the next one longer. All
letters of an actor share a rate limit, because a call costs as much as a thousand links in it
(bench.cluster). So with two receivers a link waits a tenth of a second, with a thousand a minute or
two, and the cost of the exchange does not grow with the cluster.
"""

import asyncio
import time
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence

from msgspec import Struct

from toponaut.cluster.letters import EncodedLinks, Outbox, pack
from toponaut.exchange import Exchange, Post, by_owner, urls_elsewhere
from toponaut.frontier import Frontier
from toponaut.log import FencedError
from toponaut.records import QueuedLink, ScoredLink, Visit
from toponaut.urls import fingerprint, host_of

LETTERS_A_SECOND = 10.0  # each costs 1 to 3 ms of CPU on both sides: 3 % of a core
_BURST = 20  # letters after a pause
_RETRY_S = 0.5
# Actors that learn from one: up to six learn everything together. A lesson of combined + combined
# has 370 bytes and takes 0.13 ms of CPU to learn; a page takes about 5 ms.
PUPILS = 5
_NOTHING = pack([])
FENCED = -1  # the answer to a letter from a life that another one has followed


class ActorLayout(Struct, frozen=True):
    """How nodes are split into actors: each node into `shards`, by the host of a link."""

    nodes: tuple[str, ...]
    shards: int = 1

    @property
    def actors(self) -> list[str]:
        return [self._name(node, shard) for node in self.nodes for shard in range(self.shards)]

    def pupils(self, actor: str) -> list[str]:
        """The actors that learn from the visits of one: the next ones, in a ring."""
        after = self.actors.index(actor) + 1
        return [*self.actors[after:], *self.actors[: after - 1]][:PUPILS]

    def node_of(self, actor: str) -> str:
        return actor.rpartition(".")[0] if self.shards > 1 else actor

    def actor_of(self, node: str, url: str) -> str:
        """The actor that fetches a URL for a node; "" (the seeds) belongs to the first shard."""
        shard = fingerprint(host_of(url)) % self.shards if url and self.shards > 1 else 0
        return self._name(node, shard)

    def _name(self, node: str, shard: int) -> str:
        return f"{node}.{shard}" if self.shards > 1 else node


def by_actor(
    layout: ActorLayout, links: Sequence[ScoredLink], found_by: int
) -> dict[str, list[QueuedLink]]:
    """Links in the form in which frontiers hold them, by the actors that fetch them."""
    by_node = by_owner(links, found_by)
    if layout.shards == 1:
        return by_node
    found: dict[str, list[QueuedLink]] = {}
    for node, some in by_node.items():
        for queued in some:
            found.setdefault(layout.actor_of(node, queued.url), []).append(queued)
    return found


class ClusterExchange(Exchange):
    """The exchange of one actor. `send` gets what each visit has for others, encoded."""

    def __init__(
        self,
        actor: str,
        layout: ActorLayout,
        frontier: Frontier,
        lesson: Callable[[Visit], bytes],
        send: Callable[[int, Mapping[str, EncodedLinks]], None],
    ) -> None:
        super().__init__({actor: frontier})
        self._actor, self._layout, self._frontier = actor, layout, frontier
        self._pupils = layout.pupils(actor)
        self._lesson, self._send = lesson, send

    def receiver(self, node: str, url: str) -> str:
        return self._layout.actor_of(node, url)

    def node_of(self, receiver: str) -> str:
        return self._layout.node_of(receiver)

    def parcels(self, links: Sequence[ScoredLink], found: int) -> dict[str, list[QueuedLink]]:
        return by_actor(self._layout, links, found)

    def pack(self, sender: str, links: Sequence[ScoredLink], found: int) -> Post:  # noqa: ARG002 (it is this actor)
        parcels = self.parcels(links, found)
        own = parcels.pop(self._actor, [])
        packed = {actor: pack(queued) for actor, queued in parcels.items()}
        sent = sum(one.links for one in packed.values())
        size = sum(len(one.wire) for one in packed.values())
        elsewhere = urls_elsewhere(links, own)
        return Post({self._actor: own}, elsewhere, sent, len(packed), size, packed)

    def deliver(self, sender: str, post: Post, visit: Visit) -> None:  # noqa: ARG002 (it is this actor)
        self._frontier.put(post.parcels[self._actor])
        self._frontier.meet(post.elsewhere)
        lesson = self._lesson(visit) if self._pupils else b""
        taught = {
            pupil: post.packed.get(pupil, _NOTHING)._replace(lesson=lesson)
            for pupil in self._pupils
        }
        self._send(visit.sequence, post.packed | taught)


PostCall = Callable[[str, bytes], Awaitable[int]]


class LetterSender:
    """Sends the contents of the outboxes, to the receiver that has waited longest first."""

    def __init__(self, outboxes: Mapping[str, Outbox], stamp: Callable[[], float]) -> None:
        self._outboxes, self._stamp = outboxes, stamp
        self._waiting: dict[str, None] = {}  # receivers, in order
        self._in_flight: dict[str, asyncio.Task[None]] = {}
        self._woken = asyncio.Event()
        self._refused = ""
        self.schedule(to for to, box in outboxes.items() if not box.all_answered)

    @property
    def all_answered(self) -> bool:
        """Whether all others have all links that are for them."""
        return not self._waiting and not self._in_flight

    def add(self, sequence: int, packed: Mapping[str, EncodedLinks]) -> None:
        """A visit has this for others."""
        for to, one in packed.items():
            self._outboxes[to].add(sequence, one)
        self.schedule(packed)

    def schedule(self, receivers: Iterable[str]) -> None:
        """There is something to send to these."""
        self._waiting.update((to, None) for to in receivers if to not in self._in_flight)
        self._woken.set()

    async def run(self, post: PostCall) -> None:
        """Raises FencedError when a later life of this actor has started."""
        due = 0.0
        try:
            while True:
                await self._woken.wait()
                if self._refused:
                    raise FencedError(self._refused)
                if not self._waiting:
                    self._woken.clear()
                    continue
                to = next(iter(self._waiting))
                del self._waiting[to]
                self._in_flight[to] = asyncio.ensure_future(self._send(post, to))
                now = time.monotonic()
                due = max(due + 1 / LETTERS_A_SECOND, now - _BURST / LETTERS_A_SECOND)
                await asyncio.sleep(max(due - now, 0.0))
        finally:
            tasks = list(self._in_flight.values())
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)

    async def _send(self, post: PostCall, to: str) -> None:
        box = self._outboxes[to]
        try:
            if letter := box.letter(self._stamp()):
                applied = await post(to, letter)
                if applied == FENCED:
                    self._refused = f"this life was refused by {to}"
                else:
                    box.answered(applied)
        except Exception:  # of any kind: the letter is written again
            await asyncio.sleep(_RETRY_S)
        del self._in_flight[to]
        if not box.all_answered:
            self._waiting[to] = None
        self._woken.set()
