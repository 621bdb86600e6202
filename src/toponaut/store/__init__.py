"""Storage that all machines of a cluster see.

    folder.py   a mounted directory            remote.py   fsspec storage: s3://, gs://, abfs://
    disk.py     durable names on a local disk  mirror.py   a local copy of a remote crawl

A crawl relies on three guarantees (docs/cluster.md, "Storage"): when several clients create a name,
one succeeds; a read after a write finds the file; nobody ever sees a partial file. There is no
appending, renaming or locking, because not every storage has them.
"""

import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, ExitStack, contextmanager
from pathlib import Path
from typing import Protocol, TypeVar
from urllib.parse import unquote, urlsplit

from toponaut.errors import InputError
from toponaut.store.folder import FolderStore

Result = TypeVar("Result")


class Store(Protocol):
    """Files by name: "log/epochs/000017.json". Raises OSError; FileNotFoundError if missing."""

    @property
    def where(self) -> str:
        """Its path or URL, for messages."""

    def subfolder(self, folder: str) -> "Store":
        """The store of one of its folders."""

    def create(self, name: str, content: bytes) -> bool:
        """Creates a file; False if it exists (after a lost reply, it may be our own)."""

    def write(self, name: str, content: bytes) -> None:
        """Creates or replaces a file."""

    def put(self, name: str, file: Path) -> None:
        """Copies a file of this machine, replacing an existing one."""

    def read(self, name: str, start: int = 0, end: int | None = None) -> bytes:
        """A file, or its bytes from `start` (within the file) to `end` (may be beyond)."""

    def opened(self, name: str) -> AbstractContextManager[Path]:
        """A file as a read-only local path, for the duration of the context."""

    def exists(self, name: str) -> bool:
        """Whether the file exists now, not according to an old listing."""

    def names(self, folder: str = "") -> Mapping[str, int]:
        """Names and sizes of the files directly in a folder; empty if there is no folder."""

    def remove(self, name: str) -> None:
        """Removes a file, if it exists."""


PATIENCE_S = 300.0  # the node continues meanwhile, on its own disk
_PAUSES_S = (0.2, 1.0, 5.0, 15.0)  # after each failure; the last one repeats


class PatientStore:
    """Retries all operations of a store; raises InputError if they still fail after `seconds`."""

    def __init__(self, store: Store, seconds: float = PATIENCE_S) -> None:
        self._store, self._seconds = store, seconds

    @property
    def where(self) -> str:
        return self._store.where

    def subfolder(self, folder: str) -> "PatientStore":
        return PatientStore(self._store.subfolder(folder), self._seconds)

    def create(self, name: str, content: bytes) -> bool:
        return self._retry(lambda: self._store.create(name, content))

    def write(self, name: str, content: bytes) -> None:
        self._retry(lambda: self._store.write(name, content))

    def put(self, name: str, file: Path) -> None:
        self._retry(lambda: self._store.put(name, file))

    def read(self, name: str, start: int = 0, end: int | None = None) -> bytes:
        return self._retry(lambda: self._store.read(name, start, end))

    @contextmanager
    def opened(self, name: str) -> Iterator[Path]:
        with ExitStack() as stack:
            yield self._retry(lambda: stack.enter_context(self._store.opened(name)))

    def exists(self, name: str) -> bool:
        return self._retry(lambda: self._store.exists(name))

    def names(self, folder: str = "") -> Mapping[str, int]:
        return self._retry(lambda: self._store.names(folder))

    def remove(self, name: str) -> None:
        self._retry(lambda: self._store.remove(name))

    def _retry(self, act: Callable[[], Result]) -> Result:
        until, turn = time.monotonic() + self._seconds, 0
        while True:
            try:
                return act()
            except FileNotFoundError:
                raise  # a valid result
            except OSError as error:
                pause = _PAUSES_S[min(turn, len(_PAUSES_S) - 1)]
                if time.monotonic() + pause > until:
                    raise InputError(
                        f"the storage at {self.where} has failed for {self._seconds:.0f} s: "
                        f"{error.strerror or error}",
                        "Nothing already written there is lost. Fix it and repeat the command",
                    ) from error
                time.sleep(pause)
                turn += 1


def folder_at(where: str | Path) -> Path | None:
    """The local directory that a path or URL names; None for remote storage."""
    if "://" not in str(where):
        return Path(where)
    parts = urlsplit(str(where))
    return Path(unquote(parts.path)) if parts.scheme in ("file", "local") else None


def open_store(where: str | Path) -> Store:
    """The store at a path or URL. Raises InputError if it cannot be opened."""
    if (folder := folder_at(where)) is not None:
        return FolderStore(folder)
    try:
        from toponaut.store.remote import RemoteStore
    except ModuleNotFoundError as error:
        if error.name != "fsspec":
            raise
        fix = "Install it: pip install 'toponaut[cluster]'"
        raise InputError(f"{where} needs fsspec, which is not installed", fix) from error
    return RemoteStore.open(str(where))


def check_exclusive(store: Store, probe: str) -> None:
    """Checks that a name can be created only once: not all servers guarantee it."""
    try:
        made = [store.create(probe, str(turn).encode()) for turn in range(2)]
        kept = store.read(probe)
        store.remove(probe)
    except OSError as error:
        fix = "Check the address, the credentials and the permissions, or use other storage"
        raise InputError(
            f"{store.where} cannot be written to ({error.strerror or error})", fix
        ) from error
    if made != [True, False] or kept != b"0":
        cause = f"{store.where} lets two clients create the same file"
        raise InputError(
            cause,
            "Use storage with conditional writes (S3 has them), or a directory that all mount",
        )


__all__ = ["FolderStore", "PatientStore", "Store", "check_exclusive", "folder_at", "open_store"]
