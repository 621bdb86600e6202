"""How links reach their owners: on one machine, straight into their frontiers.

What is sent is in the sender's log already, so a lost message is made good by replaying that.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence

from toponaut.frontier import Frontier
from toponaut.records import Queued, Scored


class Exchange:
    """Delivers links to nodes by name, and counts what went from one node to another."""

    def __init__(self, frontiers: Mapping[str, Frontier]) -> None:
        self._frontiers = frontiers
        self.sent = 0  # links to another node

    def send(self, sender: str, links: Sequence[Scored], found: int) -> None:
        """Hands links, found by the visit of that sequence, to all their owners."""
        for owner, queued in by_owner(links, found):
            self._frontiers[owner].put(queued)
            if owner != sender:
                self.sent += len(queued)

    def give_up(self, host: str) -> int:
        """Drops all that waits for a host, in all frontiers; tells how many links that were."""
        return sum(frontier.drop(host) for frontier in self._frontiers.values())


def by_owner(links: Sequence[Scored], found: int) -> Iterable[tuple[str, list[Queued]]]:
    """Links as they wait in frontiers, by the names of their owners."""
    batches: dict[str, list[Queued]] = defaultdict(list)
    for link in links:
        queued = Queued(
            link.url,
            link.priority,
            depth=link.depth,
            hops=link.hops,
            found=found,
            score=link.score,
            redirects=link.redirects,
            sitemap=link.sitemap,
        )
        for owner in link.owners:
            batches[owner].append(queued)
    return batches.items()
