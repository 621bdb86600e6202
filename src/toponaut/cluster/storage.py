"""Where a crawl on a cluster keeps its files: the driver's side, and the disks of the actors.

The driver writes the job, the files given with it and the progress: into a mounted directory as any
crawl does; for remote storage (s3://...) into the local mirror, and from there to the storage.

Each life of an actor has a folder on its machine's own disk. The next actor on the machine removes
the folders of dead ones.

    (storage.disk)/toponaut-<crawl>/3f2a.lock   held as long as the actor lives
    (storage.disk)/toponaut-<crawl>/3f2a/       its frontier, the growing log and WARC files
"""

import fcntl
import os
import shutil
import tempfile
import time
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager, suppress
from pathlib import Path
from uuid import uuid4

from toponaut.crawl.directory import Directory, cannot_write
from toponaut.crawl.status import Snapshot, write_snapshot
from toponaut.crawl.strategies import Strategies
from toponaut.errors import InputError
from toponaut.job import Job
from toponaut.store import PatientStore, Store, open_store
from toponaut.store.mirror import PROGRESS, local_root

_PUBLISH_S = 2.0  # between two progress reports: a recent one shows that the crawl runs
_LOCK = ".lock"


class DriverStorage:
    """The driver's access to a crawl at a path or URL."""

    def __init__(self, root: str) -> None:
        self.store = open_store(root)
        self.directory = Directory(local_root(root))
        self._sender = ThreadPoolExecutor(1)
        self._sending: Future[None] | None = None
        self._sent = 0.0

    @contextmanager
    def open(self, text: str, job: Job, strategies: Strategies) -> Iterator[None]:
        """Prepare the crawl for this job, and lock it against others on this machine."""
        if self.directory.mirror:
            self._refuse_strangers()
        with self.directory.open(text, job):
            strategies.keep_files()
            if self.directory.mirror:
                self._publish(text)
            try:
                yield
            finally:
                self._sender.shutdown()

    def _refuse_strangers(self) -> None:
        names = [name for name in self.store.names() if not name.startswith("probe-")]
        if names and "job.toml" not in names:
            raise InputError(
                f"{self.store.where} holds other things ({min(names)})",
                "Name an empty location",
            )

    def _publish(self, text: str) -> None:
        """The job comes last: where it is, everything is ready."""
        patient = PatientStore(self.store)
        for path in self.directory.given.glob("*"):
            patient.put(f"given/{path.name}", path)
        patient.write("job.toml", text.encode())

    def write_progress(self, snapshot: Snapshot) -> None:
        """Write the progress. Remote storage gets it in a thread, except for the last one."""
        write_snapshot(self.directory, snapshot)
        if self.directory.mirror is None:
            return
        now = time.monotonic()
        if snapshot.stopped:
            self._sender.shutdown()
            PatientStore(self.store).put(PROGRESS, self.directory.root / PROGRESS)
        elif now - self._sent >= _PUBLISH_S and (self._sending is None or self._sending.done()):
            self._sent = now
            content = (self.directory.root / PROGRESS).read_bytes()
            self._sending = self._sender.submit(self.store.write, PROGRESS, content)


class ActorDisk:
    """A new folder for an actor, with its lock. Creating it removes the folders of dead actors."""

    def __init__(self, disk: str, crawl: str) -> None:
        home = Path(disk or tempfile.gettempdir()) / crawl
        try:
            for other in home.parent.glob("toponaut-*"):
                _remove_dead(other)
            self._lock, self.path = _create(home)
        except OSError as error:
            raise cannot_write(error, home) from error

    def end(self) -> None:
        """Remove the folder."""
        shutil.rmtree(self.path, ignore_errors=True)
        self.path.with_suffix(_LOCK).unlink(missing_ok=True)
        os.close(self._lock)
        with suppress(OSError):  # other actors use it
            self.path.parent.rmdir()


def _create(home: Path) -> tuple[int, Path]:
    while True:
        path = home / uuid4().hex
        home.mkdir(parents=True, exist_ok=True)
        try:
            lock = os.open(path.with_suffix(_LOCK), os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600)
        except FileNotFoundError:  # the last actor there has just removed the folder
            continue
        fcntl.flock(lock, fcntl.LOCK_EX)
        if os.fstat(lock).st_nlink:  # nobody removed it as a dead one before it was locked
            path.mkdir()
            return lock, path
        os.close(lock)


def _remove_dead(home: Path) -> None:
    for path in home.glob(f"*{_LOCK}"):
        with suppress(OSError):  # it is alive, or another process removes it
            lock = os.open(path, os.O_RDWR)
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
                shutil.rmtree(path.with_suffix(""), ignore_errors=True)
                path.unlink()
            finally:
                os.close(lock)


def copy_given_files(store: Store, folder: Path) -> Path:
    """Copy the files that came with the job (crawl/strategies.py) to this machine."""
    for name in store.names("given"):
        folder.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(store.read(f"given/{name}"))
    return folder
