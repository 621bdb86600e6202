"""Sealed segments, copied from the disk of a node to storage that all machines of a cluster see.

A node writes its log on its own disk: there it appends, seals and reads again what others ask for. Of every sealed segment
a copy goes to the shared storage, whole or not at all, in their order. What was not copied is lost with the machine.
"""

from collections.abc import Callable
from pathlib import Path

from toponaut.log import files
from toponaut.log.epochs import Fence


def ship(own: Path, fence: Fence, before: Callable[[int], None] = lambda _: None) -> int:
    """Copies what the shared log of an epoch lacks of the node's own. Gives how many segments. `before` is called with the number of
    each, to bring what it points to there first. Raises FencedError if a later epoch has begun: then nobody would read them.
    """
    logs, folder = fence.logs, files.folder_of(fence.epoch.log)
    with files.writing(f"{logs.where}/{folder}"):
        copied = set(files.numbers_in(logs.names(folder)))
        missing = [
            n for n in files.numbers(own) if n not in copied and files.sealed(own, n).exists()
        ]
        for number in missing:
            fence.check()
            before(number)
            logs.put(f"{folder}/{files.sealed_name(number)}", files.sealed(own, number))
        return len(missing)
