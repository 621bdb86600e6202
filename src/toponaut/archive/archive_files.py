"""The archive files of a node, and their repair after a crash.

The log is the truth: pages it does not know are fetched again, so the archive is truncated after
the last answer in the log. The archive is synced before the log, so it is never shorter than the
log says, unless a disk lied about a write or files were moved. Then nothing is deleted: complete
records stay, the rest goes to a ".torn" file, the crawl continues in a new file (so that no
location in the log leads to a wrong record), and the result says how much is missing.
"""

import os
import re
from collections.abc import Mapping
from pathlib import Path
from urllib.parse import quote

from msgspec import Struct

from toponaut.archive.cdxj import complete_index, index_path
from toponaut.errors import InputError


class TruncateResult(Struct, frozen=True):
    """What truncating an archive to its log did."""

    cut: int = 0  # bytes unknown to the log, removed
    missing: int = 0  # bytes the log knows that are not there; the user must be told
    file: str = ""  # the file they are missing from


class ArchiveFiles:
    """The WARC files of one node, "<node>-000000.warc.gz" and so on, each with its index."""

    def __init__(self, directory: Path, node: str) -> None:
        self.directory = directory
        self._node = node
        # A node can have any name, so characters that file systems dislike are percent-encoded.
        self._stem = quote(node, safe=" ")
        self._pattern = re.compile(re.escape(self._stem) + r"-(\d{6,})\.warc\.gz")

    def name(self, number: int) -> str:
        return f"{self._stem}-{number:06d}.warc.gz"

    def path(self, number: int) -> Path:
        return self.directory / self.name(number)

    def number(self, name: str) -> int:
        found = self._pattern.fullmatch(name)
        if found is None:
            fix = "The log is damaged or belongs to another crawl: restore it"
            raise InputError(f'"{name}" is not an archive file of node "{self._node}"', fix)
        return int(found[1])

    def numbers(self) -> list[int]:
        matches = (self._pattern.fullmatch(path.name) for path in self.directory.glob("*.warc.gz"))
        return sorted(int(found[1]) for found in matches if found)

    def truncate(self, name: str, end: int) -> TruncateResult:
        """Removes everything after `end` of a file, and all later files."""
        known = self.number(name) if name else -1
        cut = sum(_remove(self.path(number)) for number in self.numbers() if number > known)
        if not name:
            return TruncateResult(cut)
        warc = self.directory / name
        if not warc.exists():
            return TruncateResult(cut, end, name)
        whole = complete_index(warc, end)
        if whole < end:
            set_aside(warc, whole)
            return TruncateResult(cut, end - whole, name)
        return TruncateResult(cut + _cut(warc, end))

    def repair_end(self) -> None:
        """Truncates the last file after its last complete answer, for an archive without a log."""
        for number in self.numbers()[-1:]:
            warc = self.path(number)
            _cut(warc, complete_index(warc, warc.stat().st_size))


def missing_bytes(directory: Path, ends: Mapping[str, int]) -> dict[str, int]:
    """The files that are shorter than the log says, or gone, and the bytes that they lack."""
    lacks = {}
    for name, end in ends.items():
        warc = directory / name
        size = warc.stat().st_size if warc.is_file() else 0
        if size < end:
            lacks[name] = end - size
    return lacks


def _remove(warc: Path) -> int:
    size = warc.stat().st_size
    warc.unlink()
    index_path(warc).unlink(missing_ok=True)
    return size


def _cut(warc: Path, end: int) -> int:
    surplus = warc.stat().st_size - end
    if surplus:
        with warc.open("r+b") as stream:
            stream.truncate(end)
            os.fsync(stream.fileno())
    return surplus


def set_aside(warc: Path, end: int) -> None:
    """Move the bytes after `end` to a file of their own."""
    with warc.open("rb") as stream:
        stream.seek(end)
        rest = stream.read()
    if rest:
        warc.with_name(warc.name + ".torn").write_bytes(rest)
        _cut(warc, end)
