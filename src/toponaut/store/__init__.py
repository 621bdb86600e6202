"""Storage that all machines of a cluster see. It holds whole files only: a name is there with all its content, or not at all.

    folder.py   a mounted directory                 remote.py   whatever fsspec reaches: s3://, gs://, abfs://
    patient.py  one that is asked again             mirror.py   what readers need of it, on this machine's disk

What a crawl relies on (docs/cluster.md, "Storage"): of all who create a name one succeeds; who reads after a write finds it; and
nobody ever sees half a file. There is no appending, no renaming and no locking, because not every storage has them.
"""

from collections.abc import Mapping
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Protocol
from urllib.parse import unquote, urlsplit

from toponaut.errors import InputError
from toponaut.store.folder import Folder
from toponaut.store.patient import Patient


class Store(Protocol):
    """Files by their names, such as "log/epochs/000017.json". What fails raises OSError; what is not there, FileNotFoundError."""

    @property
    def where(self) -> str:
        """Its path or URL, for people."""
        ...

    def at(self, folder: str) -> "Store":
        """What is in one of its folders."""
        ...

    def create(self, name: str, content: bytes) -> bool:
        """A new file; False if there is one already. Who is told False may have made it, if an answer was lost on the way."""
        ...

    def write(self, name: str, content: bytes) -> None:
        """A file, in place of the one of that name."""
        ...

    def put(self, name: str, file: Path) -> None:
        """A copy of a file on this machine, in place of the one of that name."""
        ...

    def read(self, name: str, start: int = 0, end: int | None = None) -> bytes:
        """A file, or some bytes of it: those from `start` on, which it must have, up to `end`, which may be beyond it."""
        ...

    def opened(self, name: str) -> AbstractContextManager[Path]:
        """A file as one on this machine, for as long as the context lasts. It is not to be written to."""
        ...

    def exists(self, name: str) -> bool:
        """Whether there is such a file now: not in a listing of some seconds ago."""
        ...

    def names(self, folder: str = "") -> Mapping[str, int]:
        """The files in a folder, not those in folders below, with their sizes; none of a folder that is not there."""
        ...

    def remove(self, name: str) -> None:
        """Takes a file away, if it is there."""
        ...


def is_url(where: str) -> bool:
    """Whether this names storage by a URL."""
    return "://" in where


def folder_at(where: str | Path) -> Path | None:
    """The directory that a path or URL names; None if it is storage elsewhere."""
    parts = urlsplit(str(where)) if is_url(str(where)) else None
    if parts is None:
        return Path(where)
    return Path(unquote(parts.path)) if parts.scheme in ("file", "local") else None


def open_store(where: str | Path) -> Store:
    """The storage at a path or URL. What is wrong with it is an InputError."""
    if (folder := folder_at(where)) is not None:
        return Folder(folder)
    try:
        from toponaut.store.remote import Remote
    except ModuleNotFoundError as error:
        if error.name != "fsspec":
            raise
        cure = "Install it: pip install 'toponaut[cluster]'"
        raise InputError(f"{where} needs fsspec, which is not installed", cure) from error
    return Remote.of(str(where))


def check_exclusive(store: Store, probe: str) -> None:
    """That of two who create a name only one succeeds: there are servers that do not keep to it."""
    try:
        made = [store.create(probe, str(turn).encode()) for turn in range(2)]
        kept = store.read(probe)
        store.remove(probe)
    except OSError as error:
        cure = "Check the address, the credentials and the permissions, or take other storage"
        raise InputError(
            f"{store.where} cannot be written to ({error.strerror or error})", cure
        ) from error
    if made != [True, False] or kept != b"0":
        cause = f"{store.where} lets two create the same file"
        raise InputError(
            cause,
            "Take storage with conditional writes (S3 has them), or a directory that all mount",
        )


__all__ = ["Folder", "Patient", "Store", "check_exclusive", "folder_at", "is_url", "open_store"]
