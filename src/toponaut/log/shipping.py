"""Sealed segments, copied from the disk of a node to storage that all machines of a cluster see.

A node writes its log on its own disk, whole: there it appends, seals and reads again what others ask for. Of every sealed segment
a copy goes to the shared storage, whole or not at all, in their order. What was not copied is lost with the machine.
"""

import os
import shutil
from pathlib import Path

from toponaut.disk import make_directory
from toponaut.log import files
from toponaut.log.epochs import Epoch, fence


def ship(own: Path, logs: Path, epoch: Epoch) -> int:
    """Copies what the shared log lacks of a node's own. Gives how many segments. Raises FencedError if this is not the
    node's last epoch any more: then nobody would read them."""
    there = files.directory_of(logs, epoch.log)
    with files.writing(there):
        make_directory(there)
        copied = set(files.numbers(there))
        missing = [n for n in files.numbers(own) if n not in copied and files.sealed(own, n).exists()]
        for number in missing:
            fence(logs, epoch)
            _copy(files.sealed(own, number), files.sealed(there, number))
        return len(missing)


def _copy(here: Path, there: Path) -> None:
    with here.open("rb") as source, files.part(there).open("wb") as draft:
        shutil.copyfileobj(source, draft, 1 << 20)
        draft.flush()
        os.fsync(draft.fileno())
    files.publish(there)
