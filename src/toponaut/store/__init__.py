"""Storage that all machines of a cluster see.

    folder.py   a mounted directory            remote.py   fsspec storage: s3://, gs://, abfs://
    patient.py  a store that retries           mirror.py   a local copy of a remote crawl
    disk.py     durable names on a local disk

A crawl relies on three guarantees (docs/cluster.md, "Storage"): when several clients create a name,
one succeeds; a read after a write finds the file; nobody ever sees a partial file. There is no
appending, renaming or locking, because not every storage has them.
"""

from collections.abc import Mapping
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Protocol
from urllib.parse import unquote, urlsplit

from toponaut.errors import InputError
from toponaut.store.folder import FolderStore
from toponaut.store.patient import PatientStore


class Store(Protocol):
    """Files by name, such as "log/epochs/000017.json".

    Failures raise OSError, missing files FileNotFoundError.
    """

    @property
    def where(self) -> str:
        """Its path or URL, for messages."""
        ...

    def subfolder(self, folder: str) -> "Store":
        """The store of one of its folders."""
        ...

    def create(self, name: str, content: bytes) -> bool:
        """Creates a file; False if it exists (after a lost reply, it may be our own)."""
        ...

    def write(self, name: str, content: bytes) -> None:
        """Creates or replaces a file."""
        ...

    def put(self, name: str, file: Path) -> None:
        """Copies a file of this machine, replacing an existing one."""
        ...

    def read(self, name: str, start: int = 0, end: int | None = None) -> bytes:
        """A file, or its bytes from `start` (within the file) to `end` (may be beyond)."""
        ...

    def opened(self, name: str) -> AbstractContextManager[Path]:
        """A file as a read-only local path, for the duration of the context."""
        ...

    def exists(self, name: str) -> bool:
        """Whether the file exists now, not according to an old listing."""
        ...

    def names(self, folder: str = "") -> Mapping[str, int]:
        """Names and sizes of the files directly in a folder; empty if there is no folder."""
        ...

    def remove(self, name: str) -> None:
        """Removes a file, if it exists."""
        ...


def is_url(where: str) -> bool:
    """Whether a location is a URL."""
    return "://" in where


def folder_at(where: str | Path) -> Path | None:
    """The local directory that a path or URL names; None for remote storage."""
    parts = urlsplit(str(where)) if is_url(str(where)) else None
    if parts is None:
        return Path(where)
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


__all__ = [
    "FolderStore", "PatientStore", "Store", "check_exclusive", "folder_at",
    "is_url", "open_store",
]  # fmt: skip
