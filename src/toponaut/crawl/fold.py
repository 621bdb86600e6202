"""Everything that a crawl remembers is a fold over its log. This is that fold.

After a clean stop the frontiers are as they were, and only the counts are folded, from a few columns. After a crash
the frontiers are empty: then all links are read and put, and all that was visited is marked as taken. Strategies that
learn hear of all visits again, unless their models were saved where the log ends.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from msgspec import Struct, field

from toponaut.crawl.totals import Totals
from toponaut.exchange import by_owner
from toponaut.frontier import Frontier
from toponaut.gate.gate import Gate
from toponaut.log import batches
from toponaut.records import PAGES, Outcome, QueuedLink, Visit
from toponaut.strategy.learning.learner import Learner
from toponaut.urls import host_of

_COUNTED = (
    "sequence", "node", "url", "outcome", "time", "size", "simhash", "relevant", "addresses.normal", "links.url",
    "refused", "sent", "messages", "message_bytes", "archive", "offset", "length",
)  # fmt: skip
_QUEUED = (
    "promise",
    "depth",
    "hops",
    "found_by",
    "tries",
    "score",
    "redirects",
    "sitemap",
    "retry",
    "dropped",
    "links",
    "ordering_memo",
    "owner_memo",
)


class Folded(Struct):
    """What the log tells of the crawl so far."""

    totals: Totals
    by_node: dict[str, Totals]
    visits: int = 0
    time: float = 0.0  # of the last visit
    archived: tuple[str, int] = ("", 0)  # where the last archived answer ends
    seeds: set[str] = field(default_factory=set)


def fold(
    log: Path,
    frontiers: Mapping[str, Frontier],
    gate: Gate,
    rebuild: bool,
    learning: Sequence[Learner] = (),
) -> Folded:
    """Reads the log once, and brings the gate, the frontiers if they are to be rebuilt, and the strategies that are to
    learn to where it ends.
    """
    folded = Folded(Totals(), {name: Totals() for name in frontiers})
    full: list[str] = []
    fields = dict.fromkeys(
        (
            *_COUNTED,
            *(_QUEUED if rebuild else ()),
            *(f for one in learning for f in one.learns_from),
        )
    )
    for batch in batches(log, None, tuple(fields)):
        for visit in batch.visits:
            full += _count(visit, folded, gate)
            for strategy in learning:
                strategy.learn(visit)
        if rebuild:
            _queue(batch.visits, frontiers)
            _give_up({host_of(visit.url) for visit in batch.visits if visit.dropped}, frontiers)
    _give_up(full, frontiers)
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
    gate.is_near_copy(visit.node, visit.url, visit.simhash)
    return [host_of(visit.url)] if gate.add(visit) else []


def _queue(visits: Sequence[Visit], frontiers: Mapping[str, Frontier]) -> None:
    """The links of some visits wait, what was visited does not, unless it was to be tried again."""
    found: dict[str, list[QueuedLink]] = defaultdict(list)
    visited: dict[str, dict[str, Visit]] = defaultdict(dict)
    met: dict[str, list[str]] = defaultdict(list)
    for visit in visits:
        for owner, queued in by_owner(visit.links, visit.sequence).items():
            found[owner] += queued
        met[visit.node] += [link.url for link in visit.links if visit.node not in link.owners]
        if visit.url:
            visited[visit.node][visit.url] = visit
    for owner, queued in found.items():
        frontiers[owner].put(queued)
    for node, elsewhere in met.items():
        frontiers[node].meet(elsewhere)
    for node, latest in visited.items():
        frontiers[node].mark_taken([url for url, visit in latest.items() if not visit.retry])
        for visit in latest.values():
            if visit.retry:
                frontiers[node].put_back(as_queued(visit))


def _give_up(hosts: Iterable[str], frontiers: Mapping[str, Frontier]) -> None:
    """What waits for hosts that are dead or have given enough is dropped, as it was then."""
    for host in hosts:
        for frontier in frontiers.values():
            frontier.drop(host)


def as_queued(visit: Visit) -> QueuedLink:
    """The link that a visit took, with one try more."""
    return QueuedLink(
        visit.url,
        visit.promise,
        depth=visit.depth,
        hops=visit.hops,
        found_by=visit.found_by,
        tries=visit.tries + 1,
        score=visit.score,
        redirects=visit.redirects,
        sitemap=visit.sitemap,
        ordering_memo=visit.ordering_memo,
        owner_memo=visit.owner_memo,
    )
