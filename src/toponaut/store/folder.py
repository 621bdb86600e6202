"""A mounted directory as storage: NFS, CephFS, or a disk that several processes share.

A file is written under another name and renamed once it is complete and on the disk. To create a
name only once we use a hard link: exclusive opening was unreliable on NFS for a long time.
"""

import errno
import os
import shutil
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO
from uuid import uuid4

from toponaut.store.disk import make_directory, sync_directory

_DRAFT = ".part"
_NO_LINKS = (errno.EPERM, errno.EOPNOTSUPP, errno.ENOSYS)  # errors of file systems without them


class FolderStore:
    """The files under a directory."""

    def __init__(self, root: Path) -> None:
        self.root = root

    @property
    def where(self) -> str:
        return str(self.root)

    def subfolder(self, folder: str) -> "FolderStore":
        return FolderStore(self.root / folder)

    def create(self, name: str, content: bytes) -> bool:
        path = self.root / name
        with _draft(path) as (draft, file):
            file.write(content)
            _sync(file)
            try:
                os.link(draft, path)
            except FileExistsError:
                return False
            except OSError as error:
                if error.errno in _NO_LINKS:
                    raise OSError(
                        error.errno, "this file system has no hard links", str(path)
                    ) from error
                raise
        sync_directory(path.parent)
        return True

    def write(self, name: str, content: bytes) -> None:
        path = self.root / name
        with _draft(path) as (draft, file):
            file.write(content)
            _publish(draft, file, path)

    def put(self, name: str, file: Path) -> None:
        path = self.root / name
        with file.open("rb") as source, _draft(path) as (draft, copy):
            shutil.copyfileobj(source, copy, 1 << 20)
            _publish(draft, copy, path)

    def read(self, name: str, start: int = 0, end: int | None = None) -> bytes:
        with (self.root / name).open("rb") as file:
            file.seek(start)
            return file.read(-1 if end is None else end - start)

    @contextmanager
    def opened(self, name: str) -> Iterator[Path]:
        path = self.root / name
        path.stat()
        yield path

    def exists(self, name: str) -> bool:
        return (self.root / name).is_file()

    def names(self, folder: str = "") -> Mapping[str, int]:
        try:
            with os.scandir(self.root / folder) as entries:
                return {
                    one.name: one.stat().st_size
                    for one in entries
                    if one.is_file() and not one.name.endswith(_DRAFT)
                }
        except FileNotFoundError:
            return {}

    def remove(self, name: str) -> None:
        (self.root / name).unlink(missing_ok=True)


@contextmanager
def _draft(path: Path) -> Iterator[tuple[Path, BinaryIO]]:
    """A temporary file with a unique name next to `path`, removed at the end of the context."""
    make_directory(path.parent)
    draft = path.with_name(f".{path.name}.{uuid4().hex}{_DRAFT}")
    try:
        with draft.open("xb") as file:
            yield draft, file
    finally:
        draft.unlink(missing_ok=True)


def _sync(file: BinaryIO) -> None:
    file.flush()
    os.fsync(file.fileno())


def _publish(draft: Path, file: BinaryIO, path: Path) -> None:
    _sync(file)
    draft.replace(path)
    sync_directory(path.parent)
