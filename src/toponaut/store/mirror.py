"""A local copy of a remote crawl (s3://...), as far as readers need it.

    (cache)/mirrors/<digest of the URL>/origin    the URL
    (cache)/mirrors/<digest of the URL>/<name>/   a crawl directory like any other

Files of the log never change, so a refresh only copies missing ones: epochs, segments that count,
the job. The progress file is copied every time, WARCs one by one when they are read. The index is
made locally. Deleting a mirror loses nothing.
"""

import contextlib
import fcntl
import os
import time
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path
from shutil import rmtree

from toponaut.errors import InputError
from toponaut.log import epochs as log_epochs
from toponaut.log import files
from toponaut.log.logs import MAIN
from toponaut.places.gazetteer.cache import cache_dir
from toponaut.store import FolderStore, folder_at, open_store

_ORIGIN = "origin"
_FRESH_S = 2.0  # no refresh within this time after the last one
PROGRESS = "state/progress.json"


class Mirror:
    """The mirror of the crawl at a URL; `root` is its directory."""

    def __init__(self, url: str) -> None:
        self.url = url.rstrip("/")
        self._store = open_store(self.url)
        self._home = cache_dir() / "mirrors" / sha256(self.url.encode()).hexdigest()[:16]
        self.root = self._home / (self.url.rpartition("/")[2] or "crawl")
        self._local = FolderStore(self.root)

    def begin(self) -> None:
        """Creates the local copy."""
        with self._reporting_errors():
            FolderStore(self._home).write(_ORIGIN, self.url.encode())
            self._refresh()

    def refresh(self) -> None:
        """Copies new files, unless another process is doing it. Failures wait for the next time."""
        with contextlib.suppress(OSError, InputError), self._alone() as alone:
            if alone and time.time() - (self._home / _ORIGIN).stat().st_mtime > _FRESH_S:
                os.utime(self._home / _ORIGIN)
                self._refresh()

    def fetch_warc(self, name: str) -> None:
        """Copies a WARC."""
        with self._reporting_errors(), contextlib.suppress(FileNotFoundError):
            self._copy(f"archive/{name}")

    def _refresh(self) -> None:
        self._drop_if_replaced()
        for folder in ("log", "state", "archive"):
            (self.root / folder).mkdir(parents=True, exist_ok=True)
        for name in ("job.toml", PROGRESS):
            self._update(name)
        for name in self._store.names("given"):
            self._copy(f"given/{name}")
        known = log_epochs.epochs(
            self._store.subfolder("log"), log_epochs.epochs(self._local.subfolder("log"))
        )
        ends = {one.before: one.segments for one in known if one.before}
        for one in known:
            self._copy_segments(files.folder_of(one.log), ends.get(one.number))
            # Last: its segments, and those it counts of the epoch before, are here already.
            self._copy(f"log/{log_epochs.name_of(one.number)}")
        for name in self._store.names(f"log/{MAIN}"):
            self._copy(f"log/{MAIN}/{name}")

    def _drop_if_replaced(self) -> None:
        """Deletes the copy if a different crawl was started at the same URL."""
        first = f"log/{log_epochs.name_of(1)}"
        if self._local.exists(first) and (
            not self._store.exists(first) or self._store.read(first) != self._local.read(first)
        ):
            rmtree(self.root)

    def _copy_segments(self, folder: str, end: int | None) -> None:
        """Copies the segments of an epoch: those listed, or all up to `end` if it is over."""
        listed = f"log/{folder}"
        for number in files.numbers_in(self._store.names(listed)) if end is None else range(end):
            self._copy(f"{listed}/{files.sealed_name(number)}")

    def _copy(self, name: str) -> None:
        if not self._local.exists(name):
            with self._store.opened(name) as path:
                self._local.put(name, path)

    def _update(self, name: str) -> None:
        with contextlib.suppress(FileNotFoundError):
            content = self._store.read(name)
            if not self._local.exists(name) or self._local.read(name) != content:
                self._local.write(name, content)

    @contextlib.contextmanager
    def _alone(self) -> Iterator[bool]:
        lock = os.open(self._home / "lock", os.O_RDWR | os.O_CREAT, 0o600)
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            yield True
        except BlockingIOError:
            yield False
        finally:
            os.close(lock)

    @contextlib.contextmanager
    def _reporting_errors(self) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            cause = f"{self.url} cannot be read ({error.strerror or error})"
            fix = "Check the address, the credentials, and the free space on this disk"
            raise InputError(cause, fix) from error


def local_root(where: str | Path) -> Path:
    """The local directory of a crawl. For a URL, that of its mirror, brought up to date."""
    if (folder := folder_at(where)) is not None:
        return folder
    mirror = Mirror(str(where))
    mirror.begin()
    return mirror.root


def present(warc: Path) -> Path:
    """The path of a WARC in a crawl's archive. For a mirror, the WARC is copied first."""
    if (mirror := mirror_of(warc.parent.parent)) and not warc.exists():
        mirror.fetch_warc(warc.name)
    return warc


def mirror_of(root: Path) -> Mirror | None:
    """The mirror with this directory; None for a local crawl."""
    origin = root.parent / _ORIGIN
    return (
        Mirror(origin.read_text(encoding="utf-8"))
        if root.parent.parent.name == "mirrors" and origin.is_file()
        else None
    )
