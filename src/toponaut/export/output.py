"""A file that is there completely or not at all, or standard output, with its size and hash.

The draft is in the same directory, so that it can be renamed in one step. It has a short name of
its own, because the file's may be as long as names can be. A kill may leave the draft; an error or
Ctrl-C does not.
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
from toponaut.store.disk import sync_directory

_BUFFER = 1 << 20


class OutputSink(io.RawIOBase):
    """A stream to write a file to, without seeking."""

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
def whole_file(path: Path, force: bool) -> Iterator[OutputSink]:
    """A file that gets its name when it is complete. Replaces an existing one only with `force`."""
    target = _target(path, force)
    draft = target.with_name(f".toponaut-{secrets.token_hex(8)}.new")
    try:
        with draft.open("xb", buffering=_BUFFER) as stream:
            yield OutputSink(stream)
            stream.flush()
            os.fsync(stream.fileno())
        _target(path, force)  # another process may have created it
        draft.replace(target)
        sync_directory(target.parent)
    except OSError as error:
        raise _cannot(path, error) from error
    finally:
        with suppress(OSError):
            draft.unlink(missing_ok=True)


@contextmanager
def standard_output(stream: IO[bytes]) -> Iterator[OutputSink]:
    """Standard output, unless it is a terminal."""
    if stream.isatty():
        raise InputError(
            "standard output is a terminal", "Name a file with --output, or pipe it into a program"
        )
    yield OutputSink(stream)
    stream.flush()


def _target(path: Path, force: bool) -> Path:
    """The file to replace: the target of a symbolic link, so that the link stays."""
    shown = printable(str(path))
    try:
        target = path.resolve()
        if target.is_dir():
            raise InputError(f"{shown} is a directory", "Name a file")
        if target.exists() and not target.is_file():
            raise InputError(
                f"{shown} is not a regular file",
                "Name one, or write to standard output with --output -",
            )
        if target.exists() and not force:
            raise InputError(f"{shown} exists", "Name another file, or replace it with --force")
    except (OSError, RuntimeError, ValueError) as error:  # name too long, link loop, zero byte
        raise _cannot(path, error) from error
    return target


def _cannot(path: Path, error: Exception) -> InputError:
    why = getattr(error, "strerror", None) or str(error)
    fix = "Nothing was written: name a file in a folder with enough room that you can write to"
    return InputError(f"{printable(str(path))} cannot be written ({why})", fix)


def printable(name: str) -> str:
    """A file name as text, whatever bytes it has."""
    return name.encode("utf-8", "surrogateescape").decode("utf-8", "replace")
