"""What all endpoints share: the crawl's directory, its open index and the world's places.

Requests are answered in threads of a pool, and the index grows meanwhile. So whoever asks holds the one lock: `with site.asking() as
search`. It has two reasons. An answer is put together from several looks at the index, which must be the same one. And name tables
remember what they have met, and forget all of it when it is much (names/weighing.py): another thread in the middle of a text would
miss what it has just learned. Nothing is lost by it: what takes the time is Python, which runs in one thread at a time anyway.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Lock

from msgspec import Struct

from toponaut.crawl.directory import Directory
from toponaut.index import Search, index_folder
from toponaut.index.layout import IndexPaths
from toponaut.index.query.hits import iso
from toponaut.job import Job
from toponaut.places.names.finder import NameFinder


class Tiles(Struct, frozen=True):
    """Pictures of a map from elsewhere, if they are wanted."""

    url: str  # "https://tile.example/{z}/{x}/{y}.png"
    attribution: str


class Site:
    def __init__(self, root: Path, names: NameFinder, tiles: Tiles | None = None) -> None:
        self.root, self.names, self.tiles = root, names, tiles
        self.gazetteer = names.gazetteer
        self.directory = Directory(root)
        self.job: Job = self.directory.read_job()
        self._lock = Lock()
        self._search = Search(index_folder(root), names)

    @contextmanager
    def asking(self) -> Iterator[Search]:
        """The index (and the names), for one thread alone."""
        with self._lock:
            yield self._search

    def refresh(self) -> bool:
        """Shows what was added to the index; says whether there was something."""
        with self._lock:
            return self._search.refresh()

    @property
    def name(self) -> str:
        return self.root.resolve().name

    def indexed(self) -> str:
        """When something was added last: "2026-11-16T04:46:38Z"; "" if never."""
        try:
            changed = IndexPaths(index_folder(self.root)).marker.stat().st_mtime
        except OSError:
            return ""
        return iso(changed)
