"""The driver's side of a crawl's storage: the job, the files that were given with it, and the progress.

In a mounted directory it writes there, as a crawl in one process does. Of storage elsewhere (s3://...) it has the mirror (crawl/mirror.py),
does the same there, and brings what it wrote to the storage.
"""

import time
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager

from toponaut.crawl.directory import Directory
from toponaut.crawl.status import Snapshot, write_snapshot
from toponaut.crawl.strategies import Strategies
from toponaut.errors import InputError
from toponaut.job import Job
from toponaut.store import PatientStore, open_store
from toponaut.store.mirror import PROGRESS, local_root

_TELL_S = 2.0  # between two reports of the progress: who looks at it sees it is running if there was one lately


class Home:
    """Where the crawl at a path or URL is driven from."""

    def __init__(self, root: str) -> None:
        self.store = open_store(root)
        self.directory = Directory(local_root(root))
        self._sender = ThreadPoolExecutor(1)
        self._sending: Future[None] | None = None
        self._sent = 0.0

    @contextmanager
    def open(self, text: str, job: Job, strategies: Strategies) -> Iterator[None]:
        """The crawl made ready for this job, and its directory or mirror locked against others on this machine."""
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
                "Name a place with nothing in it",
            )

    def _publish(self, text: str) -> None:
        """The job comes last: where it stands, all is ready."""
        patient = PatientStore(self.store)
        for path in self.directory.given.glob("*"):
            patient.put(f"given/{path.name}", path)
        patient.write("job.toml", text.encode())

    def tell(self, snapshot: Snapshot) -> None:
        """Writes the progress down. On its way to the storage it holds nobody up, unless it is the last."""
        write_snapshot(self.directory, snapshot)
        if self.directory.mirror is None:
            return
        now = time.monotonic()
        if snapshot.stopped:
            self._sender.shutdown()
            PatientStore(self.store).put(PROGRESS, self.directory.root / PROGRESS)
        elif now - self._sent >= _TELL_S and (self._sending is None or self._sending.done()):
            self._sent = now
            content = (self.directory.root / PROGRESS).read_bytes()
            self._sending = self._sender.submit(self.store.write, PROGRESS, content)
