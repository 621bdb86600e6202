"""The epochs that have come to an end, as the shared storage has them: for letters.Inbox."""

from collections.abc import Iterator, Sequence

from toponaut.cluster.kept_letters import read_letters
from toponaut.cluster.lives import lives, segment_numbers
from toponaut.log import Epoch
from toponaut.log.epochs import epochs
from toponaut.records import QueuedLink
from toponaut.store import Store


class EndedEpochs:
    """Reads what counts of them, for one actor."""

    def __init__(self, logs: Store, actor: str, known: list[Epoch]) -> None:
        self._logs, self._actor = logs, actor
        self._known = known

    def before(self, sender: str, epoch: int) -> Sequence[int]:
        self._known = epochs(self._logs, self._known)
        return [one.number for one in self._known if one.actor == sender and one.number < epoch]

    def links(self, epoch: int, after: int) -> Iterator[QueuedLink]:
        life = lives(self._known)[epoch]
        numbers = list(reversed(segment_numbers(self._logs, life)))
        for letter in read_letters(self._logs, life, numbers, self._actor):
            yield from (link for link in letter.links if link.found_by >= after)
            if letter.after <= after:
                return
