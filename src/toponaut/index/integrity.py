"""Whether the files of an index are whole. A damaged index is rebuilt from the log.

Every file of tantivy ends with a footer: JSON with the CRC-32 of the bytes before it, the length of
the JSON, a magic number. Looking for it takes a read per file and finds missing and truncated
files; the checksum finds any other change.
"""

import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec

from toponaut.index.layout import IndexPaths, read_marker
from toponaut.index.table import PageTable

_END_BYTES = 8
_MAGIC = 1337
_CHUNK = 1 << 20
_NEEDED = ("fast", "fieldnorm", "idx", "store", "term")  # files of each segment


def index_damage(root: Path, *, checksums: bool = False) -> list[str]:
    """What is wrong with an index, file by file. `checksums`: read every byte."""
    paths = IndexPaths(root)
    marker = read_marker(root)
    if marker is None:
        return []
    while True:
        before = _meta(paths.words)
        found = [*_in_words(paths.words, before, checksums), *_in_table(paths.pages, marker.pages)]
        if not found or _meta(paths.words) == before:  # otherwise a writer merges segments
            return found


def _in_table(folder: Path, pages: int) -> Iterator[str]:
    try:
        rows = len(PageTable(folder))
    except (OSError, ValueError, KeyError) as error:
        yield str(error)
        return
    if rows < pages:
        yield f"{folder} has {rows:,} of {pages:,} pages"


def _meta(words: Path) -> dict[str, Any] | None:
    try:
        return msgspec.json.decode((words / "meta.json").read_bytes(), type=dict[str, Any])
    except (OSError, msgspec.MsgspecError):
        return None


def _in_words(words: Path, meta: dict[str, Any] | None, checksums: bool) -> Iterator[str]:
    if meta is None:
        yield f"{words / 'meta.json'} cannot be read"
        return
    for segment in meta["segments"]:
        stem = segment["segment_id"].replace("-", "")
        names = {f"{stem}.{kind}" for kind in _NEEDED}
        for path in sorted({words / name for name in names} | set(words.glob(f"{stem}.*"))):
            if why := _wrong(path, checksums):
                yield f"{path} {why}"


def _wrong(path: Path, checksums: bool) -> str:
    try:
        with path.open("rb") as file:
            size = path.stat().st_size
            file.seek(max(size - _END_BYTES, 0))
            end = file.read()
            length = int.from_bytes(end[:4], "little")
            body = size - _END_BYTES - length
            if int.from_bytes(end[4:], "little") != _MAGIC or body < 0:
                return "is truncated"
            file.seek(body)
            expected = msgspec.json.decode(file.read(length))["crc"]
            file.seek(0)
            return "has changed" if checksums and _crc(file, body) != expected else ""
    except FileNotFoundError:
        return "is missing"
    except (OSError, msgspec.MsgspecError, LookupError, TypeError):
        return "cannot be read"


def _crc(file: Any, size: int) -> int:
    crc = 0
    while size > 0 and (some := file.read(min(size, _CHUNK))):
        crc = zlib.crc32(some, crc)
        size -= len(some)
    return crc
