"""Storage that fsspec reaches by a URL, such as s3://bucket/crawl.

Object stores need no renaming: an object appears once it was sent completely. Creating a name only
once needs a check by the server (S3: `If-None-Match: *`; fsspec: pipe_file(mode="create")). File
systems without it fall back to checking first and writing then, which two clients may do at the
same time. We refuse those.
"""

import inspect
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from fsspec import AbstractFileSystem, get_filesystem_class
from fsspec.asyn import AsyncFileSystem
from fsspec.core import url_to_fs

from toponaut.errors import InputError


class RemoteStore:
    """The files under a URL."""

    def __init__(self, url: str, filesystem: Any, root: str) -> None:
        self._url, self._files, self._root = url.rstrip("/"), filesystem, root.rstrip("/")

    @classmethod
    def open(cls, url: str) -> "RemoteStore":
        try:
            exclusive = _creates_exclusively(get_filesystem_class(url.partition("://")[0]))
            # No listings cache: others write there, too.
            filesystem, root = url_to_fs(url, use_listings_cache=False) if exclusive else (None, "")
        except (ImportError, ValueError, OSError) as error:
            lines = str(error).strip().splitlines() or [type(error).__name__]
            raise InputError(
                f"{url} cannot be opened ({lines[0].rstrip('.')})",
                "Install the package that fsspec needs for it, such as s3fs for s3://",
            ) from error
        if not exclusive:
            raise InputError(
                f"{url}: fsspec cannot create a file there only if it does not exist",
                "Use s3://, gs:// or abfs://, or a directory that all machines mount",
            )
        return cls(url, filesystem, root)

    @property
    def where(self) -> str:
        return self._url

    def subfolder(self, folder: str) -> "RemoteStore":
        return RemoteStore(f"{self._url}/{folder}", self._files, self._path(folder))

    def _path(self, name: str) -> str:
        return f"{self._root}/{name}" if name else self._root

    def create(self, name: str, content: bytes) -> bool:
        try:
            with self._writing(name):
                self._files.pipe_file(self._path(name), content, mode="create")
        except FileExistsError:
            return False
        except OSError:
            # Some servers report an existing file in a way that s3fs does not recognise.
            if self.exists(name):
                return False
            raise
        return True

    def write(self, name: str, content: bytes) -> None:
        with self._writing(name):
            self._files.pipe_file(self._path(name), content)

    def put(self, name: str, file: Path) -> None:
        with self._writing(name):
            self._files.put_file(str(file), self._path(name))

    def read(self, name: str, start: int = 0, end: int | None = None) -> bytes:
        with self._reading(name):
            content: bytes = self._files.cat_file(self._path(name), start=start or None, end=end)
            return content

    @contextmanager
    def opened(self, name: str) -> Iterator[Path]:
        with tempfile.TemporaryDirectory(prefix="toponaut-") as scratch:
            copy = Path(scratch) / Path(name).name
            with self._reading(name):
                self._files.get_file(self._path(name), str(copy))
            yield copy

    def exists(self, name: str) -> bool:
        try:
            with self._reading(name):
                self._files.info(self._path(name))
        except FileNotFoundError:
            return False
        return True

    def names(self, folder: str = "") -> Mapping[str, int]:
        try:
            with self._reading(folder):
                found = self._files.ls(self._path(folder), detail=True)
        except FileNotFoundError:
            return {}
        named = (
            (str(one["name"]).rpartition("/")[2], one) for one in found if one["type"] == "file"
        )
        return {name: int(one["size"]) for name, one in named if name}

    def remove(self, name: str) -> None:
        try:
            with self._reading(name):
                self._files.rm_file(self._path(name))
        except FileNotFoundError:
            pass

    @contextmanager
    def _reading(self, name: str) -> Iterator[None]:
        """Turns any exception of a file system library into an OSError."""
        try:
            yield
        except OSError:
            raise
        except Exception as error:
            raise OSError(
                f"{self._url}/{name}: {str(error).strip() or type(error).__name__}"
            ) from error

    @contextmanager
    def _writing(self, name: str) -> Iterator[None]:
        """The same for writes, where "not found" means that the bucket does not exist."""
        try:
            with self._reading(name):
                yield
        except FileNotFoundError as error:
            raise OSError(f"{self._url}: {str(error).strip() or 'no such bucket'}") from error


def _creates_exclusively(kind: Any) -> bool:
    """Whether a file system class implements mode="create" itself."""
    method = kind._pipe_file if issubclass(kind, AsyncFileSystem) else kind.pipe_file
    is_own = method not in (AbstractFileSystem.pipe_file, AsyncFileSystem._pipe_file)
    return is_own and "mode" in inspect.signature(method).parameters
