"""How links reach their owners: on one machine, directly into their frontiers.

The links are in the sender's log before they are sent, so replaying the log repairs a lost message.
The links of a page for the same node are one message; its bytes are counted as if it were sent.
"""

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

import msgspec
from msgspec import Struct

from toponaut.cluster.letters import EncodedLinks
from toponaut.frontier import Frontier
from toponaut.records import Link, QueuedLink, ScoredLink, Visit
from toponaut.strategy.collaboration import Assignment
from toponaut.urls import fingerprints

_encode = msgspec.msgpack.Encoder().encode


class Post(Struct, frozen=True):
    """The links of a visit, sorted by receiver, with the size of the messages to other nodes."""

    parcels: dict[str, list[QueuedLink]]
    elsewhere: list[str]  # URLs that the sender does not own
    links: int = 0
    messages: int = 0
    size: int = 0  # bytes
    packed: dict[str, EncodedLinks] = {}  # on a cluster: encoded links for other actors


class Holding(NamedTuple):
    """The node that was given a URL, and its promise there; None if it does not wait any more."""

    node: str = ""
    promise: float | None = None


NOWHERE = Holding()


class Exchange:
    """Delivers links to nodes by name. A receiver is a node; on a cluster, an actor."""

    def __init__(self, frontiers: Mapping[str, Frontier]) -> None:
        self.frontiers = frontiers  # of the receivers in this process

    def receiver(self, node: str, url: str) -> str:  # noqa: ARG002 (an actor depends on it)
        """The receiver that fetches a URL for a node."""
        return node

    def node_of(self, receiver: str) -> str:
        """The node that a receiver fetches for."""
        return receiver

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

    def holdings(self, urls: Sequence[str], plain: list[int]) -> list[Holding]:
        """For each URL, with its plain fingerprint, the first node here that was given it."""
        found = [NOWHERE] * len(urls)
        for name, frontier in self.frontiers.items():
            prints, node = frontier.keyed(urls), self.node_of(name)
            held = zip(frontier.holds(prints), frontier.promises(prints, plain), strict=True)
            for k, (there, promise) in enumerate(held):
                if there and found[k] is NOWHERE:
                    found[k] = Holding(node, promise)
        return found

    def single_owners(
        self, links: Sequence[Link], assigned: Sequence[Assignment]
    ) -> list[Assignment]:
        """One owner for each URL: the first node that was given it."""
        urls = [link.url for link in links]
        return [
            Assignment((holding.node,), f"{holding.node} was given it before", owner.memo)
            if holding.node and owner.owners != (holding.node,)
            else owner._replace(owners=owner.owners[:1])
            for owner, holding in zip(
                assigned, self.holdings(urls, fingerprints(urls)), strict=True
            )
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
