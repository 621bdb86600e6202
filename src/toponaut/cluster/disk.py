"""A folder on a machine's own disk for each life of an actor, and the removal of those that dead lives have left.

(storage.disk)/toponaut-<crawl>/3f2a.lock   held for as long as the life lasts, whatever ends it
(storage.disk)/toponaut-<crawl>/3f2a/       its frontier, the tail of its log, WARCs that grow
"""

import fcntl
import os
import shutil
import tempfile
from contextlib import suppress
from pathlib import Path
from uuid import uuid4

from toponaut.crawl.directory import cannot_write
from toponaut.store import Store

_LOCK = ".lock"


class LifeOnDisk:
    """A new folder, and the lock that says that its life goes on. Making it removes what dead lives have left, of whichever crawl: nobody
    reads that any more."""

    def __init__(self, disk: str, crawl: str) -> None:
        home = Path(disk or tempfile.gettempdir()) / crawl
        try:
            for other in home.parent.glob("toponaut-*"):
                _remove_dead(other)
            self._lock, self.path = _begin(home)
        except OSError as error:
            raise cannot_write(error, home) from error

    def end(self) -> None:
        """Removes all of it."""
        shutil.rmtree(self.path, ignore_errors=True)
        self.path.with_suffix(_LOCK).unlink(missing_ok=True)
        os.close(self._lock)
        with suppress(OSError):  # others live there
            self.path.parent.rmdir()


def given_files(store: Store, folder: Path) -> Path:
    """The files that came with the job (crawl/surroundings.py), as copies in a folder on this machine."""
    for name in store.names("given"):
        folder.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(store.read(f"given/{name}"))
    return folder


def _begin(home: Path) -> tuple[int, Path]:
    while True:
        path = home / uuid4().hex
        home.mkdir(parents=True, exist_ok=True)
        try:
            lock = os.open(path.with_suffix(_LOCK), os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600)
        except FileNotFoundError:  # the last life there has just ended
            continue
        fcntl.flock(lock, fcntl.LOCK_EX)
        if os.fstat(lock).st_nlink:  # nobody took it for a dead one's before it was held
            path.mkdir()
            return lock, path
        os.close(lock)


def _remove_dead(home: Path) -> None:
    for path in home.glob(f"*{_LOCK}"):
        with suppress(OSError):  # it lives, or another is removing it
            lock = os.open(path, os.O_RDWR)
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
                shutil.rmtree(path.with_suffix(""), ignore_errors=True)
                path.unlink()
            finally:
                os.close(lock)
