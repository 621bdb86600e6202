"""The files of an index.

index/
  marker.json   number of pages, and the log position up to which the index was built
  words/        tantivy's index
  pages/        the table of numbers per page (table.py)
  parts/        parts that several processes are building (write/parts.py), until they are joined
  lock          held by the one writer
"""

from pathlib import Path

import msgspec
from msgspec import Struct

VERSION = 1  # of the format; an index of another version is rebuilt


class IndexPaths:
    def __init__(self, root: Path) -> None:
        self.root = root
        self.words, self.pages, self.parts = root / "words", root / "pages", root / "parts"
        self.marker, self.lock = root / "marker.json", root / "lock"


class IndexMarker(Struct, frozen=True):
    """The state of an index at its last commit."""

    version: int = VERSION
    pages: int = 0  # page numbers assigned so far; a page that was fetched twice has two
    visits: int = 0  # visits read so far
    position: bytes | None = None  # in the log


def index_folder(crawl: Path) -> Path:
    """The index folder of a crawl directory."""
    return crawl / "index"


def read_marker(root: Path) -> IndexMarker | None:
    """None if there is no index, or one of another version."""
    try:
        marker = msgspec.json.decode(IndexPaths(root).marker.read_bytes(), type=IndexMarker)
    except (OSError, msgspec.MsgspecError):
        return None
    return marker if marker.version == VERSION else None
