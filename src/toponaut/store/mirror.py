"""A crawl that is kept elsewhere (s3://...), on this machine's disk as far as readers need it.

    (cache)/mirrors/<digest of the URL>/origin    the URL
    (cache)/mirrors/<digest of the URL>/<name>/   a crawl's directory as any other

Files of the log are whole and never change, so what is here stays, and a refresh brings what is missing: epochs, segments that count,
the job; the progress always anew. WARCs are brought one by one when somebody looks at a copy. The index is made here. Deleting a
mirror loses nothing.
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
from toponaut.store import Folder, folder_at, open_store

_ORIGIN = "origin"
_FRESH_S = 2.0  # so long nothing is asked for again
PROGRESS = "state/progress.json"


class Mirror:
    """The mirror of the crawl at a URL; `root` is its directory."""

    def __init__(self, url: str) -> None:
        self.url = url.rstrip("/")
        self._store = open_store(self.url)
        self._home = cache_dir() / "mirrors" / sha256(self.url.encode()).hexdigest()[:16]
        self.root = self._home / (self.url.rpartition("/")[2] or "crawl")
        self._here = Folder(self.root)

    def begin(self) -> None:
        """Makes its place on the disk, and brings what is there by now."""
        with self._told():
            Folder(self._home).write(_ORIGIN, self.url.encode())
            self._refresh()

    def refresh(self) -> None:
        """Brings what is new, unless that was done just now, or another process is at it. What fails is tried the next time."""
        with contextlib.suppress(OSError, InputError), self._alone() as alone:
            if alone and time.time() - (self._home / _ORIGIN).stat().st_mtime > _FRESH_S:
                os.utime(self._home / _ORIGIN)
                self._refresh()

    def archived(self, name: str) -> None:
        """Brings a WARC."""
        with self._told(), contextlib.suppress(FileNotFoundError):
            self._bring(f"archive/{name}")

    def _refresh(self) -> None:
        self._forget_another()
        for folder in ("log", "state", "archive"):
            (self.root / folder).mkdir(parents=True, exist_ok=True)
        for name in ("job.toml", PROGRESS):
            self._bring_anew(name)
        for name in self._store.names("given"):
            self._bring(f"given/{name}")
        known = log_epochs.epochs(self._store.at("log"), log_epochs.epochs(self._here.at("log")))
        ends = {one.before: one.segments for one in known if one.before}
        for one in known:
            self._bring_segments(files.folder_of(one.log), ends.get(one.number))
            self._bring(
                f"log/{log_epochs.name_of(one.number)}"
            )  # then what it says of the life before is here, too
        for name in self._store.names(f"log/{MAIN}"):
            self._bring(f"log/{MAIN}/{name}")

    def _forget_another(self) -> None:
        """Another crawl may have been begun at the same place: then nothing here is of it."""
        first = f"log/{log_epochs.name_of(1)}"
        if self._here.exists(first) and (
            not self._store.exists(first) or self._store.read(first) != self._here.read(first)
        ):
            rmtree(self.root)

    def _bring_segments(self, folder: str, ends: int | None) -> None:
        """Of a life that has ended nobody has to ask what there is."""
        numbers = (
            files.numbers_in(self._store.names(f"log/{folder}")) if ends is None else range(ends)
        )
        for number in numbers:
            self._bring(f"log/{folder}/{files.sealed_name(number)}")

    def _bring(self, name: str) -> None:
        if not self._here.exists(name):
            with self._store.opened(name) as path:
                self._here.put(name, path)

    def _bring_anew(self, name: str) -> None:
        with contextlib.suppress(FileNotFoundError):
            content = self._store.read(name)
            if not self._here.exists(name) or self._here.read(name) != content:
                self._here.write(name, content)

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
    def _told(self) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            cause = f"{self.url} cannot be read ({error.strerror or error})"
            raise InputError(
                cause, "Check the address, the credentials, and the room on this disk"
            ) from error


def local_root(where: str | Path) -> Path:
    """The directory of the crawl at a path or URL: its own, or that of its mirror, which is made or refreshed."""
    if (folder := folder_at(where)) is not None:
        return folder
    mirror = Mirror(str(where))
    mirror.begin()
    return mirror.root


def present(warc: Path) -> Path:
    """A WARC in a crawl's archive. If the crawl is kept elsewhere, it is brought first."""
    if (mirror := mirror_of(warc.parent.parent)) and not warc.exists():
        mirror.archived(warc.name)
    return warc


def mirror_of(root: Path) -> Mirror | None:
    """The mirror whose directory this is; None for a crawl that is kept here."""
    origin = root.parent / _ORIGIN
    return (
        Mirror(origin.read_text(encoding="utf-8"))
        if root.parent.parent.name == "mirrors" and origin.is_file()
        else None
    )
