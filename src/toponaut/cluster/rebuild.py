"""What an actor knows when it begins: a fold over all logs on the shared storage.

Links for it wait, what it has visited does not; and how far it has read every epoch is where letters are to go on.
"""

from collections.abc import Sequence

from msgspec import Struct, field

from toponaut.cluster.exchange import Parts, by_actor
from toponaut.crawl.fold import as_queued
from toponaut.crawl.totals import Totals
from toponaut.frontier import Frontier
from toponaut.gate import Gate
from toponaut.learner import Learner
from toponaut.log import Logs, batches
from toponaut.log.epochs import first_of
from toponaut.records import PAGES, Outcome, Visit
from toponaut.urls import host_of

_FIELDS = (
    "sequence", "node", "url", "outcome", "time", "size", "simhash", "relevant", "addresses.normal", "refused", "sent",
    "messages", "message_bytes", "priority", "depth", "hops", "found", "tries", "score", "redirects", "sitemap", "retry",
    "dropped", "links", "memo_then", "memo_they", "stamp",
)  # fmt: skip


class Rebuilt(Struct):
    """What was found."""

    totals: Totals  # of this actor, in all its lives
    applied: dict[int, int] = field(default_factory=dict)
    seeds: set[str] = field(default_factory=set)
    time: float = 0.0
    stamp: float = 0.0


def rebuild(
    logs: Logs, actor: str, parts: Parts, frontier: Frontier, gate: Gate, learning: Sequence[Learner]
) -> Rebuilt:
    """Reads all logs once."""
    node = parts.node_of(actor)
    rebuilt = Rebuilt(Totals())
    fields = tuple(dict.fromkeys((*_FIELDS, *(name for one in learning for name in one.learns_from))))
    for part in logs.parts():
        rebuilt.applied[part.number] = first_of(part.number)
        for batch in batches(part.directory, None, fields, part.ends):
            rebuilt.applied[part.number] = batch.visits[-1].sequence + 1
            own = [one for one in batch.visits if one.node == node and parts.actor_of(node, one.url) == actor]
            for visit in batch.visits:
                rebuilt.time, rebuilt.stamp = max(rebuilt.time, visit.time), max(rebuilt.stamp, visit.stamp)
                if visit.outcome is Outcome.SEEDED:
                    rebuilt.seeds |= {link.url for link in visit.links}
                frontier.put(by_actor(parts, visit.links, visit.sequence).get(actor, ()))
            _take(own, actor, parts, frontier)
            for visit in own:
                _count(visit, rebuilt, gate, frontier)
                for strategy in learning:
                    strategy.learn(visit)
    return rebuilt


def _take(own: Sequence[Visit], actor: str, parts: Parts, frontier: Frontier) -> None:
    """What the actor has visited or decided on does not wait any more, unless it was to be tried again."""
    for visit in own:
        mine = {queued.url for queued in by_actor(parts, visit.links, visit.sequence).get(actor, ())}
        frontier.meet([link.url for link in visit.links if link.url not in mine])
    latest = {visit.url: visit for visit in own if visit.url}
    frontier.taken([url for url, visit in latest.items() if not visit.retry])
    for visit in latest.values():
        if visit.retry:
            frontier.put_back(as_queued(visit))


def _count(visit: Visit, rebuilt: Rebuilt, gate: Gate, frontier: Frontier) -> None:
    rebuilt.totals.add(visit)
    if visit.outcome in PAGES:
        gate.is_near_copy(visit.node, visit.url, visit.simhash)
    if visit.dropped or (visit.outcome in PAGES and gate.add(visit)):
        frontier.drop(host_of(visit.url))
