"""How links reach their owners: on one machine, directly into their frontiers.

The links are in the sender's log before they are sent, so replaying the log repairs a lost message.
The links of a page for the same node are one message; its bytes are counted as if it were sent.
"""

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence

import msgspec
from msgspec import Struct

from toponaut.cluster.letters import EncodedLinks
from toponaut.frontier import Frontier
from toponaut.records import Link, QueuedLink, ScoredLink, Visit
from toponaut.strategy.collaboration import Assignment

_encode = msgspec.msgpack.Encoder().encode


class Post(Struct, frozen=True):
    """The links of a visit, sorted by receiver, with the size of the messages to other nodes."""

    parcels: dict[str, list[QueuedLink]]
    elsewhere: list[str]  # URLs that the sender does not own
    links: int = 0
    messages: int = 0
    size: int = 0  # bytes
    packed: dict[str, EncodedLinks] = {}  # on a cluster: encoded links for other actors


class Exchange:
    """Delivers links to nodes by name. A receiver is a node; on a cluster, an actor."""

    def __init__(self, frontiers: Mapping[str, Frontier]) -> None:
        self.frontiers = frontiers  # of the receivers in this process

    def receiver(self, node: str, url: str) -> str:  # noqa: ARG002 (an actor depends on it)
        """The receiver that fetches a URL for a node."""
        return node

    def parcels(self, links: Sequence[ScoredLink], found: int) -> dict[str, list[QueuedLink]]:
        """The links of the visit with sequence `found`, by receiver."""
        return by_owner(links, found)

    def pack(self, sender: str, links: Sequence[ScoredLink], found: int) -> Post:
        parcels = self.parcels(links, found)
        sent = [queued for owner, queued in parcels.items() if owner != sender]
        if not sent:
            return Post(parcels, [])
        elsewhere = urls_elsewhere(links, parcels.get(sender, ()))
        size = sum(len(_encode(queued)) for queued in sent)
        return Post(parcels, elsewhere, sum(map(len, sent)), len(sent), size)

    def deliver(self, sender: str, post: Post, visit: Visit) -> None:  # noqa: ARG002 (others learn)
        """Deliver the links of a logged visit."""
        for owner, queued in post.parcels.items():
            self.frontiers[owner].put(queued)
        self.frontiers[sender].meet(post.elsewhere)

    def holders(self, urls: Sequence[str]) -> list[str]:
        """For each URL the node whose frontier has or had it, "" if none."""
        found = [""] * len(urls)
        for name, frontier in self.frontiers.items():
            for k, there in enumerate(frontier.holds(urls)):
                if there and not found[k]:
                    found[k] = name
        return found

    def single_owners(
        self, links: Sequence[Link], assigned: Sequence[Assignment]
    ) -> list[Assignment]:
        """One owner for each URL: the first node that was given it."""
        holders = self.holders([link.url for link in links])
        return [
            Assignment((holder,), f"{holder} was given it before", owner.memo)
            if holder and owner.owners != (holder,)
            else owner._replace(owners=owner.owners[:1])
            for owner, holder in zip(assigned, holders, strict=True)
        ]

    def give_up(self, host: str) -> int:
        """Drop the waiting links of a host from all frontiers; return their number."""
        return sum(frontier.drop(host) for frontier in self.frontiers.values())

    def drop_if(self, excluded: Callable[[str], bool]) -> int:
        """Drop the waiting links with such URLs from all frontiers; return their number."""
        return sum(frontier.drop_if(excluded) for frontier in self.frontiers.values())


def by_owner(links: Sequence[ScoredLink], found: int) -> dict[str, list[QueuedLink]]:
    """Links in the form in which frontiers hold them, by the names of their owners."""
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
            requisite=link.requisite,
        )
        for owner in link.owners:
            batches[owner].append(queued)
    return dict(batches)


def urls_elsewhere(links: Sequence[ScoredLink], own: Sequence[QueuedLink]) -> list[str]:
    """The URLs of links that are not among a receiver's own."""
    if len(own) == len(links):
        return []
    here = {queued.url for queued in own}
    return [link.url for link in links if link.url not in here]
