"""A file that is there whole or not at all; or standard output. What goes through is counted and hashed.

The draft lies beside the file, so that it can take its name in one step, under a name of its own: the file's may be as long as names
can be. A kill may leave the draft; an error or Ctrl-C does not.
"""

import io
import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from hashlib import sha256
from pathlib import Path
from typing import IO, Any

from toponaut.errors import InputError
from toponaut.export.crawls import printable
from toponaut.store.disk import sync_directory

_BUFFER = 1 << 20


class Sink(io.RawIOBase):
    """Where a file is written to, from its beginning to its end: it cannot be sought in."""

    def __init__(self, stream: IO[bytes]) -> None:
        self._stream = stream
        self._hash = sha256()
        self.size = 0

    def writable(self) -> bool:
        return True

    def write(self, data: Any) -> int:
        self._stream.write(data)
        self._hash.update(data)
        self.size += len(data)
        return len(data)

    @property
    def sha256(self) -> str:
        return self._hash.hexdigest()


@contextmanager
def whole_file(path: Path, force: bool) -> Iterator[Sink]:
    """A file to write to that gets its name when all is written. One that exists is replaced only by force."""
    target = _target(path, force)
    draft = target.with_name(f".toponaut-{secrets.token_hex(8)}.new")
    try:
        with draft.open("xb", buffering=_BUFFER) as stream:
            yield Sink(stream)
            stream.flush()
            os.fsync(stream.fileno())
        _target(path, force)  # it may have come to be meanwhile
        draft.replace(target)
        sync_directory(target.parent)
    except OSError as error:
        raise _cannot(path, error) from error
    finally:
        with suppress(OSError):
            draft.unlink(missing_ok=True)


@contextmanager
def standard_output(stream: IO[bytes]) -> Iterator[Sink]:
    """Standard output, where it is no terminal."""
    if stream.isatty():
        raise InputError(
            "standard output is a terminal", "Name a file with --output, or pipe it into a program"
        )
    yield Sink(stream)
    stream.flush()


def _target(path: Path, force: bool) -> Path:
    """Where a file is to be: where a symbolic link leads, so that the link stays one."""
    shown = printable(str(path))
    try:
        target = path.resolve()
        if target.is_dir():
            raise InputError(f"{shown} is a directory", "Name a file")
        if target.exists() and not target.is_file():
            raise InputError(
                f"{shown} is no plain file", "Name one, or write to standard output with --output -"
            )
        if target.exists() and not force:
            raise InputError(f"{shown} exists", "Name another file, or replace it with --force")
    except (
        OSError,
        RuntimeError,
        ValueError,
    ) as error:  # a name that is too long, links in a circle, a zero byte
        raise _cannot(path, error) from error
    return target


def _cannot(path: Path, error: Exception) -> InputError:
    why = getattr(error, "strerror", None) or str(error)
    cure = (
        "Nothing was left behind: name a file in a folder that you can write to, with room enough"
    )
    return InputError(f"{printable(str(path))} cannot be written ({why})", cure)
