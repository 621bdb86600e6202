"""The epochs that have come to an end, as the shared storage has them: for letters.Inbox."""

from collections.abc import Iterator, Sequence

from toponaut.cluster.exchange import Parts
from toponaut.cluster.lives import lives, segment_numbers, segment_tables
from toponaut.cluster.rebuild import links_to
from toponaut.log import Epoch
from toponaut.log.epochs import epochs
from toponaut.log.links import FIELDS
from toponaut.records import Queued
from toponaut.store import Store


class EndedEpochs:
    """Reads what counts of them, for one actor."""

    def __init__(self, logs: Store, actor: str, parts: Parts, known: list[Epoch]) -> None:
        self._logs, self._actor, self._parts = logs, actor, parts
        self._known = known

    def before(self, sender: str, epoch: int) -> Sequence[int]:
        self._known = epochs(self._logs, self._known)
        return [one.number for one in self._known if one.actor == sender and one.number < epoch]

    def links(self, epoch: int, after: int) -> Iterator[Queued]:
        life = lives(self._known)[epoch]
        for number in reversed(segment_numbers(self._logs, life)):
            begins = after
            for table in segment_tables(self._logs, life, number, FIELDS):
                begins = min(begins, table.column("sequence")[0].as_py())
                yield from links_to(self._actor, self._parts, table, after)
            if begins < after:
                return
