"""Links to owners that live elsewhere: into letters; those of this actor go straight into its frontier."""

from collections.abc import Callable, Mapping, Sequence

from msgspec import Struct

from toponaut.cluster.letters import Outbox, Packed, pack
from toponaut.exchange import Exchange, Post, by_owner, urls_elsewhere
from toponaut.frontier import Frontier
from toponaut.records import QueuedLink, ScoredLink
from toponaut.urls import fingerprint, host_of


class Parts(Struct, frozen=True):
    """How nodes are split into actors: each into as many shards, by the hosts of links."""

    nodes: tuple[str, ...]
    shards: int = 1

    @property
    def actors(self) -> list[str]:
        return [self._name(node, shard) for node in self.nodes for shard in range(self.shards)]

    def node_of(self, actor: str) -> str:
        return actor.rpartition(".")[0] if self.shards > 1 else actor

    def actor_of(self, node: str, url: str) -> str:
        """Who of a node fetches a URL; what has none, as the job's seeds, is its first shard's."""
        return self._name(
            node, fingerprint(host_of(url)) % self.shards if url and self.shards > 1 else 0
        )

    def _name(self, node: str, shard: int) -> str:
        return f"{node}.{shard}" if self.shards > 1 else node


def by_actor(parts: Parts, links: Sequence[ScoredLink], found: int) -> dict[str, list[QueuedLink]]:
    """Links as they wait in frontiers, by the names of the actors that fetch them."""
    parcels = by_owner(links, found)
    if parts.shards == 1:
        return parcels
    found_by: dict[str, list[QueuedLink]] = {}
    for node, some in parcels.items():
        for queued in some:
            found_by.setdefault(parts.actor_of(node, queued.url), []).append(queued)
    return found_by


class ClusterExchange(Exchange):
    """Sends what an actor has for others. `send` gets the encoded links of each visit."""

    def __init__(
        self,
        actor: str,
        parts: Parts,
        frontier: Frontier,
        outboxes: Mapping[str, Outbox],
        send: Callable[[Mapping[str, Packed]], None],
    ) -> None:
        super().__init__({actor: frontier})
        self._actor, self._parts, self._frontier = actor, parts, frontier
        self._outboxes, self._send = outboxes, send

    def receiver(self, node: str, url: str) -> str:
        return self._parts.actor_of(node, url)

    def parcels(self, links: Sequence[ScoredLink], found: int) -> dict[str, list[QueuedLink]]:
        return by_actor(self._parts, links, found)

    def pack(self, sender: str, links: Sequence[ScoredLink], found: int) -> Post:  # noqa: ARG002 (it is this actor)
        parcels = self.parcels(links, found)
        own = parcels.pop(self._actor, [])
        packed = {actor: pack(queued) for actor, queued in parcels.items()}
        sent = sum(one.links for one in packed.values())
        size = sum(len(one.wire) for one in packed.values())
        elsewhere = urls_elsewhere(links, own)
        return Post({self._actor: own}, elsewhere, sent, len(packed), size, found, packed)

    def deliver(self, sender: str, post: Post) -> None:  # noqa: ARG002 (it is this actor)
        self._frontier.put(post.parcels[self._actor])
        self._frontier.meet(post.elsewhere)
        for actor, packed in post.packed.items():
            self._outboxes[actor].add(post.found, packed)
        self._send(post.packed)
