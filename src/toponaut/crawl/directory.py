"""A crawl's directory: its files, its lock, and whether a job fits it.

    job.toml     the job, as given last
    log/         the truth: every visit with every decision (Parquet segments and a growing tail)
    archive/     WARC files with their CDXJ
    state/       frontiers, tables and models: folds over the log, safe to delete between runs
    given/       copies of the files that the job names
    index/       the search index: a fold over the log
    lock         held by the running crawl

A crawl can be copied, resumed, replayed and measured by its directory alone.
"""

import errno
import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from msgspec import structs

from toponaut.errors import InputError
from toponaut.job import Job, load
from toponaut.log import MAIN, Logs
from toponaut.store.disk import make_directory, sync_directory, write_whole
from toponaut.store.mirror import mirror_of

LOG = MAIN

# Sections that may change when a crawl is resumed.
_MAY_CHANGE = ("seeds", "politeness", "limits", "storage", "watch")


class Directory:
    """Paths of a crawl."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.job = root / "job.toml"
        self.log = root / "log"
        self.mirror = mirror_of(root)  # of a crawl on remote storage
        self.logs = Logs(self.log, self.refresh)  # all logs there, as one
        self.archive = root / "archive"
        self.state = root / "state"
        self.given = root / "given"

    @property
    def where(self) -> str:
        """Its path or URL, for messages."""
        return self.mirror.url if self.mirror else str(self.root)

    def refresh(self) -> None:
        """Fetch what is new on remote storage."""
        if self.mirror:
            self.mirror.refresh()

    def exists(self) -> bool:
        return self.job.is_file() and self.log.is_dir()

    @property
    def _parts(self) -> tuple[Path, ...]:
        return self.log, self.archive, self.state

    def read_job(self) -> Job:
        """The job of an existing crawl."""
        if not self.exists():
            raise InputError(
                f"{self.where} holds no crawl", "Name a directory that `toponaut crawl` has made"
            )
        try:
            return load(self.job.read_text(encoding="utf-8"), str(self.job))
        except (OSError, ValueError, InputError) as error:
            cause = getattr(error, "cause", None) or f"{self.job} cannot be read: {error}"
            cause = cause.partition("\n")[0].rstrip(".:")
            fix = "The crawl is safe: restore the job file that it was started with"
            raise InputError(f"the job in {self.root} is damaged: {cause}", fix) from error

    @contextmanager
    def open(self, text: str, job: Job) -> Iterator[None]:
        """Prepare the directory for a crawl with this job, and lock it."""
        try:
            self._refuse_strangers()  # before anything is written next to them
            make_directory(self.root)
            lock = os.open(self.root / "lock", os.O_RDWR | os.O_CREAT, 0o644)
        except OSError as error:
            if _is_full(error):
                raise cannot_write(error, self.root) from error
            raise InputError(
                f"{self.root} cannot be written to ({error.strerror})", "Name another directory"
            ) from error
        try:
            self._make_ready(lock, text, job)
            yield
        finally:
            os.close(lock)  # releases the lock, as the end of the process does

    @contextmanager
    def locked(self) -> Iterator[None]:
        """Keep crawls away from an existing directory."""
        lock = os.open(self.root / "lock", os.O_RDWR | os.O_CREAT, 0o644)
        try:
            self._lock(lock)
            yield
        finally:
            os.close(lock)

    def _make_ready(self, lock: int, text: str, job: Job) -> None:
        """The job is written last: where it is, everything is ready."""
        try:
            self._lock(lock)
            self._refuse_strangers()
            self._refuse_changes(job)
            for part in self._parts:
                part.mkdir(exist_ok=True)
            self._write_job(text)
            # Also for existing files: their writer may have been killed before this.
            sync_directory(self.root)
            sync_directory(self.root.parent)
        except OSError as error:
            raise cannot_write(error, self.root) from error

    def _lock(self, lock: int) -> None:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            holder = os.pread(lock, 32, 0).decode(errors="replace").strip() or "unknown"
            fix = f"Wait for it, stop it (kill -INT {holder}), or name another directory"
            raise InputError(
                f"another crawl is running in {self.root} (process {holder})", fix
            ) from None
        os.ftruncate(lock, 0)
        os.pwrite(lock, f"{os.getpid()}\n".encode(), 0)

    def _refuse_changes(self, job: Job) -> None:
        """Refuse a job with which the crawl cannot be resumed."""
        changed = changes(self.read_job(), job) if self.exists() else []
        if changed:
            what = ", ".join(changed)
            fix = f"Undo that, or name another directory; {', '.join(_MAY_CHANGE)} may change"
            raise InputError(f"the job has changed since {self.root} was started: {what}", fix)

    def _refuse_strangers(self) -> None:
        """Refuse a directory with other files, except those of a start that failed."""
        if self.exists() or not self.root.exists():
            return
        strangers = sorted(
            path.name for path in self.root.iterdir() if not self._is_beginning(path)
        )
        if self.log.name in strangers and self.archive.is_dir():
            fix = f"The crawl is safe: restore the job that it was started with as {self.job}"
            raise InputError(f"{self.root} has a log and no job", fix)
        if strangers:
            raise InputError(
                f"{self.root} holds other things ({strangers[0]})", "Name a new or empty directory"
            )

    def _is_beginning(self, path: Path) -> bool:
        return path.name in ("lock", f"{self.job.name}.new", self.given.name) or (
            path in self._parts and path.is_dir() and not any(path.iterdir())
        )

    def _write_job(self, text: str) -> None:
        if self.job.is_file() and self.job.read_text(encoding="utf-8") == text:
            return
        write_whole(self.job, text.encode())


def changes(old: Job, new: Job) -> list[str]:
    """The keys of a job that may not change but did: ["targets.places"]."""
    found = []
    for section, before in structs.asdict(old).items():
        after = getattr(new, section)
        if section in _MAY_CHANGE or before == after:
            continue
        if hasattr(before, "__struct_fields__"):
            keys = (
                key
                for key in before.__struct_fields__
                if getattr(before, key) != getattr(after, key)
            )
            found += [f"{section}.{key}" for key in keys]
        else:
            found.append(section)
    return found


def cannot_write(error: OSError, root: Path) -> InputError:
    """The message for a write that failed."""
    if _is_full(error):
        cause = f"the disk of {root} is full ({error.strerror})"
        return InputError(
            cause, "Everything written is safe: free some space and repeat the command"
        )
    cause = f"{error.filename or root} cannot be written ({error.strerror or error})"
    return InputError(cause, "Everything written is safe: fix the cause and repeat the command")


def _is_full(error: OSError) -> bool:
    return error.errno in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
