"""Group commit: the archive first, then the log that points into it, then the snapshot.

Once a second, a thread waits for the disk while the crawl continues. Every storage.seal_seconds,
another thread seals the log; on a cluster it also copies the sealed part to the shared storage.
"""

import time
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Protocol

from toponaut.archive import ArchiveWriter
from toponaut.log import LogWriter

COMMIT_S = 1.0  # a crash repeats at most the visits of this time
TICK_S = COMMIT_S / 4  # between two calls of `tick` at most


class CommitTarget(Protocol):
    """Where a crawl is written: one machine's directory, or an actor's disk and shared storage."""

    log: LogWriter
    archive: ArchiveWriter | None

    def snapshot(self, stopped: str) -> Callable[[], None]:
        """Take a snapshot of the progress; return a callable that writes it."""

    def roll(self) -> None:
        """Finish the growing segment of the log, after a commit."""

    def seal(self) -> None:
        """Seal the finished segments; called in a thread."""

    def clean_up(self) -> None:
        """Remove what is not needed any more, after `seal`."""


class Committer:
    """Commits and seals when it is time. An error in a thread is raised by the next call here."""

    def __init__(self, target: CommitTarget, seal_seconds: int) -> None:
        self._target = target
        self._seal_seconds = seal_seconds
        self._committed = self._sealed = time.monotonic()
        self._threads = ThreadPoolExecutor(2, "commit")
        self._commit: Future[None] | None = None
        self._seal: Future[None] | None = None

    def tick(self) -> None:
        """Start what is due."""
        now = time.monotonic()
        if now - self._committed < COMMIT_S:
            return
        if self._seal and self._seal.done():
            self._finish_seal()
        if self._seal is None and now - self._sealed >= self._seal_seconds:
            self.commit()
            self._target.roll()
            self._seal = self._threads.submit(self._target.seal)
            self._sealed = now
        else:
            self._wait()
            self._commit = self._threads.submit(self._pending())
            self._committed = now

    def commit(self, stopped: str = "") -> None:
        """Commit everything, and return when that is done."""
        self._wait()
        self._pending(stopped)()
        self._committed = time.monotonic()

    def close(self, stopped: str = "") -> None:
        """Wait for the threads, and commit everything."""
        try:
            self._finish_seal()
            self.commit(stopped)
        finally:
            self._threads.shutdown()

    def _wait(self) -> None:
        commit, self._commit = self._commit, None
        if commit:
            commit.result()

    def _finish_seal(self) -> None:
        seal, self._seal = self._seal, None
        if seal:
            seal.result()
            self._target.clean_up()

    def _pending(self, stopped: str = "") -> Callable[[], None]:
        """Collect pending writes, the log first; return a callable that flushes them."""
        log = self._target.log.sync_later()
        archive = self._target.archive.sync_later() if self._target.archive else None
        snapshot = self._target.snapshot(stopped)

        def flush() -> None:
            if archive:
                archive()
            log()
            snapshot()

        return flush
