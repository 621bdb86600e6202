"""The crawl that is served: its directory, its open index and the gazetteer, for all endpoints.

Requests are answered in threads of a pool while the index grows, so one lock guards the index:
`with crawl.locked_search() as search`. First, an answer needs several looks at the same index.
Second, name tables cache what they find and clear the cache when it is full, which would disturb
another thread. Nothing is lost: the time goes to Python code, which runs in one thread anyway.
"""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cached_property
from pathlib import Path
from threading import Event, Lock, Thread
from typing import Self

from msgspec import Struct

from toponaut.app.query_counts import QueryCounts
from toponaut.app.regions import ClientRegions
from toponaut.app.tile_files import TileFile
from toponaut.crawl.directory import Directory
from toponaut.errors import InputError
from toponaut.export.selection import ExportFilter, Selection
from toponaut.index import Search, index_folder
from toponaut.index.layout import IndexPaths
from toponaut.index.query.hits import iso
from toponaut.index.query.organisations import OrganisationSearch
from toponaut.index.write.update import update_index
from toponaut.job import Job
from toponaut.places.gazetteer.cache import open_wordnet
from toponaut.places.names.finder import NameFinder
from toponaut.places.names.toponyms import Toponyms
from toponaut.seeds.known import KnownSeeds

_UPDATE_S = 3.0  # adding 50 pages to 100,000 takes 0.03 s, reopening the index 0.007


class MapTiles(Struct, frozen=True):
    """A raster tile server for the base map."""

    url: str  # "https://tile.example/{z}/{x}/{y}.png"
    attribution: str


class ServedCrawl:
    def __init__(
        self,
        root: Path,
        names: NameFinder,
        tiles: MapTiles | None = None,
        *,
        basemap: Path | None = None,
        mmdb: str = "",
        count_queries: bool = False,
    ) -> None:
        self.root, self.names, self.tiles = root, names, tiles
        self.basemap = TileFile(basemap) if basemap else None
        self.gazetteer = names.gazetteer
        self.directory = Directory(root)
        self.job: Job = self.directory.read_job()
        self.regions = ClientRegions(self.job, self.gazetteer, mmdb)
        self.query_counts = QueryCounts(root) if count_queries else None
        self._lock = Lock()
        self._search = Search(index_folder(root), names)
        self._places = Selection(ExportFilter(), names.gazetteer, [self.job])
        self._seeds = KnownSeeds([self.directory.given])

    @cached_property
    def toponyms(self) -> Toponyms:
        """WordNet's landmarks."""
        return Toponyms(open_wordnet(), self.gazetteer)

    @contextmanager
    def locked_search(self) -> Iterator[Search]:
        """The index and the name tables, for one thread at a time."""
        with self._lock:
            yield self._search

    @contextmanager
    def locked_places(self) -> Iterator[OrganisationSearch]:
        """The same, for questions about organisations."""
        with self._lock:
            yield OrganisationSearch(self._search, self.gazetteer, self._places, self._seeds)

    def refresh(self) -> bool:
        """Show what was added to the index; return whether anything was."""
        with self._lock:
            return self._search.refresh()

    @property
    def name(self) -> str:
        return self.root.resolve().name

    def indexed(self) -> str:
        """When the index last changed: "2026-11-16T04:46:38Z"; "" if never."""
        try:
            changed = IndexPaths(index_folder(self.root)).marker.stat().st_mtime
        except OSError:
            return ""
        return iso(changed)


class _StoppedError(Exception):
    """The server stops; the next run adds the rest."""


class IndexUpdater:
    """Keeps the index of a served crawl up to date in a thread, while the context lasts."""

    def __init__(self, crawl: ServedCrawl, pause_s: float = _UPDATE_S) -> None:
        self._crawl, self._pause_s = crawl, pause_s
        self._logs = Directory(crawl.root).logs
        self._stopped = Event()
        self._thread = Thread(target=self._run, name="index-updater")
        self._seen: list[tuple[str, str, int]] = []
        self._reported = ""

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, kind: object, error: object, trace: object) -> None:
        self._stopped.set()
        self._thread.join()

    def _run(self) -> None:
        while not self._stopped.wait(self._pause_s):
            seen = self._logs.listing()
            try:
                if seen != self._seen and self._update():
                    self._seen = seen
                self._crawl.refresh()
            except _StoppedError:
                return
            except (InputError, OSError, ValueError):  # the index is being rebuilt
                continue

    def _update(self) -> bool:
        """False if another process updates the index, or the disk is full: both may pass."""
        try:
            update_index(self._crawl.root, self._check_stopped)
        except InputError as error:
            if str(error) != self._reported:
                self._reported = str(error)
                print(f"toponaut: cannot update the index: {error}", file=sys.stderr)
            return False
        self._reported = ""
        return True

    def _check_stopped(self, _: int) -> None:
        if self._stopped.is_set():
            raise _StoppedError
