"""A crawl's directory: what lies where, who may write there, and whether a job still fits.

    job.toml     the job, as it was given last
    log/         the truth: every visit with every decision (Parquet segments and a growing tail)
    archive/     WARC files with their CDXJ
    state/       frontiers and tables: folds over the log, safe to delete while no crawl runs
    lock         held by the crawl that runs here

A crawl can be copied, resumed, replayed and measured by its directory alone.
"""

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from msgspec import structs

from toponaut.errors import InputError
from toponaut.job import Job, load

LOG = "main"  # the log of a process; all its nodes write to it, so that their visits have one order

# What a crawl may be given anew without making its past meaningless.
_MAY_CHANGE = ("seeds", "politeness", "limits", "storage")


class Directory:
    """Paths of a crawl."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.job = root / "job.toml"
        self.log = root / "log"
        self.archive = root / "archive"
        self.state = root / "state"

    def exists(self) -> bool:
        return self.job.is_file() and self.log.is_dir()

    def read_job(self) -> Job:
        """The job of a crawl that exists."""
        if not self.exists():
            raise InputError(f"{self.root} holds no crawl", "Name a directory that `toponaut crawl` has made")
        return load(self.job.read_text(encoding="utf-8"), str(self.job))

    @contextmanager
    def open(self, text: str, job: Job) -> Iterator[None]:
        """The directory made ready for a crawl with this job, and locked against others."""
        try:
            self.root.mkdir(parents=True, exist_ok=True)
            lock = os.open(self.root / "lock", os.O_RDWR | os.O_CREAT, 0o644)
        except OSError as error:
            raise InputError(
                f"{self.root} cannot be written to ({error.strerror})", "Name another directory"
            ) from error
        try:
            self._lock(lock)
            self._check(job)
            self._write_job(text)
            for part in (self.log, self.archive, self.state):
                part.mkdir(exist_ok=True)
            yield
        finally:
            os.close(lock)  # and with it the lock, also if the process is killed

    def _lock(self, lock: int) -> None:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            holder = os.pread(lock, 32, 0).decode(errors="replace").strip() or "unknown"
            cure = f"Wait for it, stop it (kill -INT {holder}), or name another directory"
            raise InputError(f"another crawl is running in {self.root} (process {holder})", cure) from None
        os.ftruncate(lock, 0)
        os.pwrite(lock, f"{os.getpid()}\n".encode(), 0)

    def _check(self, job: Job) -> None:
        """Refuses what is no crawl's directory, and a job that the crawl in it cannot go on with."""
        if self.exists():
            changed = changes(self.read_job(), job)
            if changed:
                what = ", ".join(changed)
                cure = f"Undo that, or name another directory; {', '.join(_MAY_CHANGE)} may change"
                raise InputError(f"the job has changed since {self.root} was begun: {what}", cure)
        elif strangers := sorted(path.name for path in self.root.iterdir() if path.name != "lock"):
            raise InputError(f"{self.root} holds other things ({strangers[0]})", "Name a new or empty directory")

    def _write_job(self, text: str) -> None:
        if self.job.is_file() and self.job.read_text(encoding="utf-8") == text:
            return
        fresh = self.job.with_suffix(".new")
        fresh.write_text(text, encoding="utf-8")
        fresh.replace(self.job)


def changes(old: Job, new: Job) -> list[str]:
    """The keys of a job that may not change but did: ["targets.places"]."""
    found = []
    for section, before in structs.asdict(old).items():
        after = getattr(new, section)
        if section in _MAY_CHANGE or before == after:
            continue
        if hasattr(before, "__struct_fields__"):
            keys = (key for key in before.__struct_fields__ if getattr(before, key) != getattr(after, key))
            found += [f"{section}.{key}" for key in keys]
        else:
            found.append(section)
    return found
