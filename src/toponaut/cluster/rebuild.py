"""The state of an actor when it starts: a fold over all logs on the shared storage.

From its own logs, and from `main` if the crawl started on one machine, it folds visits as any crawl
does (crawl/fold.py). From the logs of others it reads its letters (stored_letters.py). So the work
grows with what the actor has done itself, not with the number of actors.
"""

from collections.abc import Sequence

import pyarrow.compute as pc
from msgspec import Struct, field

from toponaut.cluster.stored_letters import read_letters
from toponaut.cluster.stored_logs import EpochLog, epoch_logs, log_tables, segment_numbers
from toponaut.crawl.fold import CrawlHistory, LogFold
from toponaut.frontier import Frontier
from toponaut.log import Epoch, tables
from toponaut.log.epochs import first_sequence
from toponaut.store import Store


class ActorHistory(Struct):
    """How far an actor has read the logs of all."""

    applied: dict[int, int] = field(default_factory=dict)  # the next sequence, by epoch
    time: float = 0.0
    stamp: float = 0.0
    crawl: CrawlHistory = field(default_factory=CrawlHistory)


def rebuild(
    logs: Store, known: Sequence[Epoch], actor: str, frontier: Frontier, fold: LogFold
) -> ActorHistory:
    """Read all logs of these epochs once."""
    history = ActorHistory()
    for log in epoch_logs(known):
        history.applied[log.number] = first_sequence(log.number)
        if log.actor in ("", actor):
            _fold_visits(logs, log, fold, history)
        else:
            _apply_letters(logs, log, actor, frontier, history)
    history.crawl = fold.finish()
    return history


def _fold_visits(logs: Store, log: EpochLog, fold: LogFold, history: ActorHistory) -> None:
    for table in log_tables(logs, log, ("stamp", *fold.fields)):
        history.applied[log.number] = table.column("sequence")[-1].as_py() + 1
        history.time = max(history.time, pc.max(table.column("time")).as_py())
        if "stamp" in table.schema.names:
            history.stamp = max(history.stamp, pc.max(table.column("stamp")).as_py())
        fold.add(tables.unpack(table))


def _apply_letters(
    logs: Store, log: EpochLog, actor: str, frontier: Frontier, history: ActorHistory
) -> None:
    for letter in read_letters(logs, log, segment_numbers(logs, log), actor):
        frontier.put(letter.links)
        history.applied[log.number] = letter.upto
        history.stamp = max(history.stamp, letter.stamp)
        history.time = max(history.time, letter.stamp)
