"""What an actor knows when it begins: a fold over all logs on the shared storage.

Links for it wait, what it has visited does not; and how far it has read every epoch is where letters are to go on.

Of the logs of others it reads the letters for it (kept_letters.py); its own visits are in its own logs, or in `main` if the crawl began in
one process. So what this takes grows with what the actor has done itself, and not with the number of actors.
"""

from collections.abc import Sequence

import pyarrow as pa
import pyarrow.compute as pc
from msgspec import Struct, field

from toponaut.cluster.exchange import Parts, by_actor
from toponaut.cluster.kept_letters import read_letters
from toponaut.cluster.lives import Life, life_tables, lives, segment_numbers
from toponaut.cluster.own_log import LINKS
from toponaut.crawl.fold import as_queued
from toponaut.crawl.totals import Totals
from toponaut.frontier import Frontier
from toponaut.gate.gate import Gate
from toponaut.log import Epoch, tables
from toponaut.log.epochs import first_sequence
from toponaut.records import PAGES, Outcome, Visit
from toponaut.store import Store
from toponaut.strategy.learning.learner import Learner
from toponaut.urls import host_of

_OWN = (
    *LINKS, "node", "url", "outcome", "time", "size", "simhash", "relevant", "addresses.normal", "refused",
    "sent", "messages", "message_bytes", "promise", "depth", "hops", "found_by", "tries", "score", "redirects", "sitemap",
    "retry", "dropped", "ordering_memo", "owner_memo",
)  # fmt: skip


class Rebuilt(Struct):
    """What was found."""

    totals: Totals  # of this actor, in all its lives
    applied: dict[int, int] = field(default_factory=dict)
    seeds: set[str] = field(default_factory=set)
    time: float = 0.0
    stamp: float = 0.0


def rebuild(
    logs: Store,
    known: Sequence[Epoch],
    actor: str,
    parts: Parts,
    frontier: Frontier,
    gate: Gate,
    learning: Sequence[Learner],
) -> Rebuilt:
    """Reads all logs of these epochs once."""
    rebuilt = Rebuilt(Totals())
    own = tuple(dict.fromkeys((*_OWN, *(name for one in learning for name in one.learns_from))))
    for life in lives(known):
        rebuilt.applied[life.number] = first_sequence(life.number)
        if life.actor not in ("", actor):
            _apply_letters(logs, life, actor, frontier, rebuilt)
            continue
        for table in life_tables(logs, life, own):
            _note(table, life, rebuilt)
            visits = tables.unpack(table)
            rebuilt.seeds |= {
                link.url for one in visits if one.outcome is Outcome.SEEDED for link in one.links
            }
            for visit in visits:
                frontier.put(by_actor(parts, visit.links, visit.sequence).get(actor, ()))
            mine = [one for one in visits if _is_own(one, actor, parts)]
            _fold(mine, actor, parts, rebuilt, gate, frontier, learning)
    return rebuilt


def _apply_letters(
    logs: Store, life: Life, actor: str, frontier: Frontier, rebuilt: Rebuilt
) -> None:
    for letter in read_letters(logs, life, segment_numbers(logs, life), actor):
        frontier.put(letter.links)
        rebuilt.applied[life.number] = letter.upto
        rebuilt.stamp = max(rebuilt.stamp, letter.stamp)
        rebuilt.time = max(rebuilt.time, letter.stamp)


def _note(table: pa.RecordBatch, life: Life, rebuilt: Rebuilt) -> None:
    rebuilt.applied[life.number] = table.column("sequence")[-1].as_py() + 1
    rebuilt.time = max(rebuilt.time, pc.max(table.column("time")).as_py())
    if "stamp" in table.schema.names:
        rebuilt.stamp = max(rebuilt.stamp, pc.max(table.column("stamp")).as_py())


def _is_own(visit: Visit, actor: str, parts: Parts) -> bool:
    node = parts.node_of(actor)
    return visit.node == node and parts.actor_of(node, visit.url) == actor


def _fold(
    own: Sequence[Visit],
    actor: str,
    parts: Parts,
    rebuilt: Rebuilt,
    gate: Gate,
    frontier: Frontier,
    learning: Sequence[Learner],
) -> None:
    _take(own, actor, parts, frontier)
    for visit in own:
        _count(visit, rebuilt, gate, frontier)
        for strategy in learning:
            strategy.learn(visit)


def _take(own: Sequence[Visit], actor: str, parts: Parts, frontier: Frontier) -> None:
    """What the actor has visited or decided on does not wait any more, unless it was to be tried again."""
    for visit in own:
        mine = {
            queued.url for queued in by_actor(parts, visit.links, visit.sequence).get(actor, ())
        }
        frontier.meet([link.url for link in visit.links if link.url not in mine])
    latest = {visit.url: visit for visit in own if visit.url}
    frontier.mark_taken([url for url, visit in latest.items() if not visit.retry])
    for visit in latest.values():
        if visit.retry:
            frontier.put_back(as_queued(visit))


def _count(visit: Visit, rebuilt: Rebuilt, gate: Gate, frontier: Frontier) -> None:
    rebuilt.totals.add(visit)
    if visit.outcome in PAGES:
        gate.is_near_copy(visit.node, visit.url, visit.simhash)
    if visit.dropped or (visit.outcome in PAGES and gate.add(visit)):
        frontier.drop(host_of(visit.url))
