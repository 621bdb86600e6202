"""How links reach their owners: on one machine, straight into their frontiers.

What is sent is in the sender's log already, so a lost message is made good by replaying that. The links of a page that go
to the same node are one message; its bytes are counted as they would go over a wire.
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence

import msgspec
from msgspec import Struct

from toponaut.cluster.letters import Packed
from toponaut.frontier import Frontier
from toponaut.records import QueuedLink, ScoredLink

_encode = msgspec.msgpack.Encoder().encode


class Post(Struct, frozen=True):
    """The links of a page, made ready for their owners; and what of it goes to other nodes."""

    parcels: dict[str, list[QueuedLink]]
    elsewhere: list[str]  # URLs that the sender does not own
    links: int = 0
    messages: int = 0
    size: int = 0  # bytes
    found: int = -1  # sequence of the visit
    packed: dict[str, Packed] = {}  # on a cluster: those for others, for the wire


class Exchange:
    """Delivers links to nodes by name."""

    def __init__(self, frontiers: Mapping[str, Frontier]) -> None:
        self._frontiers = frontiers

    def pack(self, sender: str, links: Sequence[ScoredLink], found: int) -> Post:
        """Links, found by the visit of that sequence, by owner."""
        parcels = by_owner(links, found)
        sent = [queued for owner, queued in parcels.items() if owner != sender]
        if not sent:
            return Post(parcels, [])
        elsewhere = [link.url for link in links if sender not in link.owners]
        return Post(
            parcels,
            elsewhere,
            sum(map(len, sent)),
            len(sent),
            sum(len(_encode(queued)) for queued in sent),
        )

    def deliver(self, sender: str, post: Post) -> None:
        """Hands links to all their owners."""
        for owner, queued in post.parcels.items():
            self._frontiers[owner].put(queued)
        self._frontiers[sender].meet(post.elsewhere)

    def holders(self, urls: Sequence[str]) -> list[str]:
        """For each URL the node in whose frontier it is or was, "" if in none."""
        found = [""] * len(urls)
        for name, frontier in self._frontiers.items():
            for k, there in enumerate(frontier.holds(urls)):
                if there and not found[k]:
                    found[k] = name
        return found

    def give_up(self, host: str) -> int:
        """Drops all that waits for a host, in all frontiers; tells how many links that were."""
        return sum(frontier.drop(host) for frontier in self._frontiers.values())


def by_owner(links: Sequence[ScoredLink], found: int) -> dict[str, list[QueuedLink]]:
    """Links as they wait in frontiers, by the names of their owners."""
    batches: dict[str, list[QueuedLink]] = defaultdict(list)
    for link in links:
        queued = QueuedLink(
            link.url,
            link.promise,
            link.depth,
            link.hops,
            found,
            0,
            link.score,
            link.redirects,
            link.sitemap,
            link.ordering_memo,
            link.owner_memo,
        )
        for owner in link.owners:
            batches[owner].append(queued)
    return dict(batches)
