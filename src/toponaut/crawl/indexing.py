"""Bringing a crawl's index up to its log, also while the crawl runs."""

import time
from collections.abc import Callable
from pathlib import Path

import msgspec
from msgspec import Struct

from toponaut.crawl.directory import Directory, cannot_write
from toponaut.crawl.spreading import spread
from toponaut.crawl.status import is_running
from toponaut.errors import InputError
from toponaut.index.build.pages import FIELDS
from toponaut.index.build.writing import IndexWriter, Marker, read_marker
from toponaut.index.layout import Paths
from toponaut.log import StaleError
from toponaut.places.gazetteer import Gazetteer
from toponaut.places.gazetteer.cache import open_gazetteer
from toponaut.processes import Pool
from toponaut.store.disk import write_whole

COMMIT_PAGES = 20_000  # so much is read again, at most, after a kill: 15 s
WORTH_SHARING = 5000  # visits: less is read in 2 s, and processes take 1 s to begin
_REST_S = 2.0  # between two looks at a log that grows


class Indexed(Struct, frozen=True):
    """What an indexing run has done."""

    visits: int  # read now
    pages: int  # added now
    total: int  # pages that were ever added, those fetched again included
    seconds: float
    processes: int = 1  # that made them


Tell = Callable[[int], None]
Complain = Callable[[str], None]


def index_folder(root: Path) -> Path:
    return root / "index"


def is_behind(root: Path) -> bool:
    """Whether the log has more than the index, or there is no index yet."""
    marker = read_marker(index_folder(root))
    if marker is None:
        return True
    try:
        new = Directory(root).logs.batches(marker.position, ("url",))
        return next(new, None) is not None
    except StaleError:
        return True


def make_ready(root: Path, tell: Tell, complain: Complain) -> None:
    """Brings the index up to the log, for whoever wants to search now. If that fails and there is one, it is asked as it is."""
    try:
        bring_up(root, tell)
    except InputError as error:
        if read_marker(index_folder(root)) is None:
            raise
        complain(f"the index stays as it is: {error}")
    if read_marker(index_folder(root)) is None:
        _make_empty(root)


def _make_empty(root: Path) -> None:
    """An index of no pages, for a crawl that has none yet."""
    folder = index_folder(root)
    try:
        with IndexWriter(folder, open_gazetteer()):
            write_whole(Paths(folder).marker, msgspec.json.encode(Marker()))
    except OSError as error:
        raise cannot_write(error, folder) from error


def bring_up(
    root: Path,
    tell: Tell = lambda _: None,
    follow: bool = False,
    pool: Pool | None = None,
    least: int = WORTH_SHARING,
) -> Indexed:
    """Adds what the log has beyond the index. `tell` hears of every batch; with `follow` the end of the crawl is awaited. Where `least`
    visits or more are new, a `pool` does it, if there is one, and this process only what comes after them."""
    directory = Directory(root)
    directory.read_job()
    gazetteer = open_gazetteer()
    start = time.monotonic()
    try:
        if pool and _new_visits(directory) < least:
            pool = None
        visits, pages, total = _read(directory, gazetteer, tell, pool)
        while follow and is_running(directory):
            time.sleep(_REST_S)
            more, added, total = _read(directory, gazetteer, tell)
            visits, pages = visits + more, pages + added
    except OSError as error:
        raise cannot_write(error, index_folder(root)) from error
    return Indexed(visits, pages, total, time.monotonic() - start, pool.processes if pool else 1)


def _new_visits(directory: Directory) -> int:
    marker = read_marker(index_folder(directory.root))
    return directory.logs.summary().visits - (marker.visits if marker else 0)


def _read(
    directory: Directory, gazetteer: Gazetteer, tell: Tell, pool: Pool | None = None
) -> tuple[int, int, int]:
    try:
        return _fold(directory, gazetteer, tell, pool)
    except StaleError:  # the log lost what was indexed (a power cut): from the beginning
        Paths(index_folder(directory.root)).marker.unlink(missing_ok=True)
        return _fold(directory, gazetteer, tell, pool)


def _fold(
    directory: Directory, gazetteer: Gazetteer, tell: Tell, pool: Pool | None
) -> tuple[int, int, int]:
    with IndexWriter(index_folder(directory.root), gazetteer) as writer:
        before = writer.marker.pages
        visits = spread(directory, writer, pool, tell) if pool else 0
        position = writer.marker.position
        for batch in directory.logs.batches(position, FIELDS):
            for visit in batch.visits:
                writer.add(visit)
            visits += len(batch.visits)
            position = batch.position
            if writer.waiting >= COMMIT_PAGES:
                writer.commit(position)
            tell(len(batch.visits))
        if position is not None and position != writer.marker.position:
            writer.commit(position)
        return visits, writer.marker.pages - before, writer.marker.pages
