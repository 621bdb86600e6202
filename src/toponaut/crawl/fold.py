"""Everything that a crawl remembers is a fold over its log. This is that fold.

After a clean stop the frontiers are as they were, and only the counts are folded, from a few columns. After a crash
the frontiers are empty: then all links are read and put, and all that was visited is marked as taken.
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from pathlib import Path

from msgspec import Struct, field

from toponaut.crawl.totals import Totals
from toponaut.exchange import by_owner
from toponaut.frontier import Frontier
from toponaut.gate import Gate
from toponaut.log import batches
from toponaut.records import PAGES, Outcome, Queued, Visit
from toponaut.urls import host_of

_COUNTED = (
    "sequence", "node", "url", "outcome", "time", "size", "simhash", "relevant", "addresses.normal", "links.url",
    "refused", "archive", "offset", "length",
)  # fmt: skip
_QUEUED = ("priority", "depth", "hops", "found", "tries", "score", "redirects", "sitemap", "retry", "links")


class Folded(Struct):
    """What the log tells of the crawl so far."""

    totals: Totals
    by_node: dict[str, Totals]
    visits: int = 0
    time: float = 0.0  # of the last visit
    archived: tuple[str, int] = ("", 0)  # where the last archived answer ends
    seeds: set[str] = field(default_factory=set)


def fold(log: Path, frontiers: Mapping[str, Frontier], gate: Gate, rebuild: bool) -> Folded:
    """Reads the log once, and brings the gate, and the frontiers if they are to be rebuilt, to where it ends."""
    folded = Folded(Totals(), {name: Totals() for name in frontiers})
    full: list[str] = []
    for batch in batches(log, None, _COUNTED + _QUEUED if rebuild else _COUNTED):
        for visit in batch.visits:
            full += _count(visit, folded, gate)
        if rebuild:
            _queue(batch.visits, frontiers)
    for host in full:
        for frontier in frontiers.values():
            frontier.drop(host)
    return folded


def _count(visit: Visit, folded: Folded, gate: Gate) -> list[str]:
    """Counts a visit; gives its host if that has given enough pages by it."""
    folded.visits += 1
    folded.time = visit.time
    folded.totals.add(visit)
    if visit.node in folded.by_node:
        folded.by_node[visit.node].add(visit)
    if visit.archive:
        folded.archived = visit.archive, visit.offset + visit.length
    if visit.outcome is Outcome.SEEDED:
        folded.seeds |= {link.url for link in visit.links}
    if visit.outcome not in PAGES:
        return []
    gate.is_near_copy(visit.url, visit.simhash)
    return [host_of(visit.url)] if gate.add(visit) else []


def _queue(visits: Sequence[Visit], frontiers: Mapping[str, Frontier]) -> None:
    """The links of some visits wait, what was visited does not, unless it was to be tried again."""
    found: dict[str, list[Queued]] = defaultdict(list)
    visited: dict[str, dict[str, Visit]] = defaultdict(dict)
    for visit in visits:
        for owner, queued in by_owner(visit.links, visit.sequence):
            found[owner] += queued
        if visit.url:
            visited[visit.node][visit.url] = visit
    for owner, queued in found.items():
        frontiers[owner].put(queued)
    for node, latest in visited.items():
        frontiers[node].taken([url for url, visit in latest.items() if not visit.retry])
        for visit in latest.values():
            if visit.retry:
                frontiers[node].put_back(as_queued(visit))


def as_queued(visit: Visit) -> Queued:
    """The link that a visit took, with one try more."""
    return Queued(
        visit.url,
        visit.priority,
        depth=visit.depth,
        hops=visit.hops,
        found=visit.found,
        tries=visit.tries + 1,
        score=visit.score,
        redirects=visit.redirects,
        sitemap=visit.sitemap,
    )
