"""Storage that fsspec reaches by a URL: s3://bucket/crawl and the like.

Object stores have no renaming, and need none: an object appears when all of it has been sent. Of those that create the same name one
succeeds if the server looks at it itself (S3: `If-None-Match: *`). fsspec has that as pipe_file(mode="create"), but a file system that does
not know it falls back to looking first and writing then, which two may do at once: such a one is refused.
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


class Remote:
    """The files under a URL."""

    def __init__(self, url: str, filesystem: Any, root: str) -> None:
        self._url, self._files, self._root = url.rstrip("/"), filesystem, root.rstrip("/")

    @classmethod
    def of(cls, url: str) -> "Remote":
        try:
            exclusive = _creates_exclusively(get_filesystem_class(url.partition("://")[0]))
            # What is listed is not kept: others write there, too.
            filesystem, root = url_to_fs(url, use_listings_cache=False) if exclusive else (None, "")
        except (ImportError, ValueError, OSError) as error:
            cause = (
                str(error).strip().splitlines()[0].rstrip(".")
                if str(error).strip()
                else type(error).__name__
            )
            raise InputError(
                f"{url} cannot be opened ({cause})",
                "Install what fsspec needs for it, as s3fs for s3://",
            ) from error
        if not exclusive:
            cause = f"{url}: fsspec cannot create a file there that must not be there before"
            raise InputError(
                cause, "Take s3://, gs:// or abfs://, or a directory that all machines mount"
            )
        return cls(url, filesystem, root)

    @property
    def where(self) -> str:
        return self._url

    def at(self, folder: str) -> "Remote":
        return Remote(f"{self._url}/{folder}", self._files, self._path(folder))

    def _path(self, name: str) -> str:
        return f"{self._root}/{name}" if name else self._root

    def create(self, name: str, content: bytes) -> bool:
        try:
            with self._writing(name):
                self._files.pipe_file(self._path(name), content, mode="create")
        except FileExistsError:
            return False
        except OSError:
            # Some servers do not say why in the words that s3fs knows, or two were at it at once: whoever is too late finds the file.
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
        with self._asking(name):
            content: bytes = self._files.cat_file(self._path(name), start=start or None, end=end)
            return content

    @contextmanager
    def opened(self, name: str) -> Iterator[Path]:
        with tempfile.TemporaryDirectory(prefix="toponaut-") as scratch:
            copy = Path(scratch) / Path(name).name
            with self._asking(name):
                self._files.get_file(self._path(name), str(copy))
            yield copy

    def exists(self, name: str) -> bool:
        try:
            with self._asking(name):
                self._files.info(self._path(name))
        except FileNotFoundError:
            return False
        return True

    def names(self, folder: str = "") -> Mapping[str, int]:
        try:
            with self._asking(folder):
                found = self._files.ls(self._path(folder), detail=True)
        except FileNotFoundError:
            return {}
        named = (
            (str(one["name"]).rpartition("/")[2], one) for one in found if one["type"] == "file"
        )
        return {name: int(one["size"]) for name, one in named if name}

    def remove(self, name: str) -> None:
        try:
            with self._asking(name):
                self._files.rm_file(self._path(name))
        except FileNotFoundError:
            pass

    @contextmanager
    def _asking(self, name: str) -> Iterator[None]:
        """File systems raise whatever their libraries do; here it is OSError."""
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
        """Who writes and is told that something is not there has named a bucket that is not."""
        try:
            with self._asking(name):
                yield
        except FileNotFoundError as error:
            raise OSError(
                f"{self._url}: {str(error).strip() or 'there is no such bucket'}"
            ) from error


def _creates_exclusively(kind: Any) -> bool:
    """Whether a class of file systems has a way of its own for it."""
    method = kind._pipe_file if issubclass(kind, AsyncFileSystem) else kind.pipe_file
    is_own = method not in (AbstractFileSystem.pipe_file, AsyncFileSystem._pipe_file)
    return is_own and "mode" in inspect.signature(method).parameters
