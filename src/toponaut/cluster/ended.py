"""The epochs that have come to an end, as the shared storage has them: for letters.Inbox."""

from collections.abc import Iterator, Sequence
from pathlib import Path

from toponaut.cluster.exchange import Parts, by_actor
from toponaut.log import Epoch, directory_of, read_from
from toponaut.log.epochs import epochs
from toponaut.records import Queued

LINK_FIELDS = ("sequence", "node", "links")


class EndedEpochs:
    """Reads what counts of them, for one actor."""

    def __init__(self, logs: Path, actor: str, parts: Parts, known: list[Epoch]) -> None:
        self._logs, self._actor, self._parts = logs, actor, parts
        self._known = known

    def before(self, sender: str, epoch: int) -> Sequence[int]:
        self._known = epochs(self._logs, self._known)
        return [one.number for one in self._known if one.actor == sender and one.number < epoch]

    def links(self, epoch: int, after: int) -> Iterator[Queued]:
        ends = next((one.segments for one in self._known if one.before == epoch), None)
        log = directory_of(self._logs, self._known[epoch - 1].log)
        for visit in read_from(log, after, LINK_FIELDS, ends):
            yield from by_actor(self._parts, visit.links, visit.sequence).get(self._actor, ())
