"""A node's files, and their end after a crash.

The log is the truth: what it does not know is fetched again, so the archive is cut behind the last answer that the
log tells of. The archive is made safe before the log is, so it cannot be shorter than the log says, unless a disk
lied about having written or somebody moved files. Then nothing is thrown away: the whole records stay, what follows
them is set aside in a ".torn" file, the crawl goes on in a new file (so that no place in the log leads to a wrong
record), and the caller is told how much is missing.
"""

import os
import re
from pathlib import Path
from urllib.parse import quote

from msgspec import Struct

from toponaut.archive.cdxj import index_of
from toponaut.archive.indexing import complete_index
from toponaut.errors import InputError


class Mended(Struct, frozen=True):
    """What cutting an archive to its log has done."""

    cut: int = 0  # bytes that the log does not know of, removed
    missing: int = 0  # bytes that the log knows of and that are not there: to be told to the user
    file: str = ""  # the file that lacks them


class Files:
    """The WARC files of one node, "<node>-000000.warc.gz" and so on, each with its index."""

    def __init__(self, directory: Path, node: str) -> None:
        self.directory = directory
        self._node = node
        # A node may be called anything, so what file systems dislike is percent-encoded.
        self._stem = quote(node, safe=" ")
        self._pattern = re.compile(re.escape(self._stem) + r"-(\d{6,})\.warc\.gz")

    def name(self, number: int) -> str:
        """What a file is called."""
        return f"{self._stem}-{number:06d}.warc.gz"

    def path(self, number: int) -> Path:
        """Where a file is."""
        return self.directory / self.name(number)

    def number(self, name: str) -> int:
        """The number in a file's name."""
        found = self._pattern.fullmatch(name)
        if found is None:
            cure = "The log is damaged or of another crawl: restore it"
            raise InputError(f'"{name}" is no archive file of node "{self._node}"', cure)
        return int(found[1])

    def numbers(self) -> list[int]:
        """The files there are, in their order."""
        matches = (self._pattern.fullmatch(path.name) for path in self.directory.glob("*.warc.gz"))
        return sorted(int(found[1]) for found in matches if found)

    def truncate(self, name: str, end: int) -> Mended:
        """Cuts all behind `end` of a file, later files included."""
        known = self.number(name) if name else -1
        cut = sum(_remove(self.path(number)) for number in self.numbers() if number > known)
        if not name:
            return Mended(cut)
        warc = self.directory / name
        if not warc.exists():
            return Mended(cut, end, name)
        whole = complete_index(warc, end)
        if whole < end:
            _set_aside(warc, whole)
            return Mended(cut, end - whole, name)
        return Mended(cut + _cut(warc, end))

    def mend(self) -> None:
        """Cuts what a kill has left behind the last whole group, where no log says more."""
        for number in self.numbers()[-1:]:
            warc = self.path(number)
            _cut(warc, complete_index(warc, warc.stat().st_size))


def _remove(warc: Path) -> int:
    size = warc.stat().st_size
    warc.unlink()
    index_of(warc).unlink(missing_ok=True)
    return size


def _cut(warc: Path, end: int) -> int:
    surplus = warc.stat().st_size - end
    if surplus:
        with warc.open("r+b") as stream:
            stream.truncate(end)
            os.fsync(stream.fileno())
    return surplus


def _set_aside(warc: Path, end: int) -> None:
    with warc.open("rb") as stream:
        stream.seek(end)
        rest = stream.read()
    if rest:
        warc.with_name(warc.name + ".torn").write_bytes(rest)
        _cut(warc, end)
