"""Bringing a crawl's index up to date with its log, also while the crawl runs.

One process folds over the log. Several processes, of this machine or of a cluster, build the same
index: scan all pieces of the log -> plan -> build parts -> join (parts.py). The marker is
written last, so the next run removes whatever a killed run left. Visits that are added to the log
after the scan are read by the next run.
"""

import time
from collections.abc import Callable
from pathlib import Path

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from toponaut.crawl.directory import Directory, cannot_write
from toponaut.crawl.status import is_running
from toponaut.errors import InputError
from toponaut.index.integrity import index_damage
from toponaut.index.layout import IndexPaths, index_folder, read_marker
from toponaut.index.write.documents import FIELDS
from toponaut.index.write.parts import PartTask, ScanTask, build_part, plan, scan, unpack
from toponaut.index.write.writer import IndexWriter
from toponaut.log import StaleError, position_after
from toponaut.page.processes import Pool
from toponaut.places.gazetteer.cache import open_names
from toponaut.places.names.finder import NameFinder
from toponaut.store.disk import make_directory, write_whole

COMMIT_PAGES = 20_000  # read again, at most, after a kill: 15 s
WORTH_SHARING = 5000  # visits: fewer are read in 2 s, and processes take 1 s to start
_PAUSE_S = 2.0  # between two looks at a growing log

OnVisits = Callable[[int], None]  # called with the number of visits read
OnWarning = Callable[[str], None]


class IndexUpdate(Struct, frozen=True):
    """The result of an update."""

    visits: int  # read now
    pages: int  # added now
    total: int  # pages ever added, counting those fetched again
    seconds: float
    processes: int = 1


def is_outdated(root: Path) -> bool:
    """Whether the log has more than the index, or there is no whole index yet."""
    marker = read_marker(index_folder(root))
    if marker is None or index_damage(index_folder(root)):
        return True
    try:
        new = Directory(root).logs.batches(marker.position, ("url",))
        return next(new, None) is not None
    except StaleError:
        return True


def prepare_index(root: Path, on_visits: OnVisits, on_warning: OnWarning) -> None:
    """Update the index before a search. If that fails, an existing index is used unchanged."""
    try:
        update_index(root, on_visits)
    except InputError as error:
        if read_marker(index_folder(root)) is None:
            raise
        on_warning(f"searching the index without updating it: {error}")
    if read_marker(index_folder(root)) is None:
        _create_empty(root)


def _create_empty(root: Path) -> None:
    """Create an index without pages, for a crawl that has none yet."""
    folder = index_folder(root)
    try:
        with IndexWriter(folder, open_names()) as writer:
            write_whole(writer.paths.marker, msgspec.json.encode(writer.marker))
    except OSError as error:
        raise cannot_write(error, folder) from error


def update_index(
    root: Path,
    on_visits: OnVisits = lambda _: None,
    follow: bool = False,
    pool: Pool | None = None,
    least: int = WORTH_SHARING,
) -> IndexUpdate:
    """Add what the log has beyond the index.

    With `follow`, continue until the crawl ends. A `pool` is used if there are at least `least` new
    visits; this process then only adds later visits.
    """
    directory = Directory(root)
    directory.read_job()
    names = open_names()
    start = time.monotonic()
    try:
        if pool and _new_visits(directory) < least:
            pool = None
        visits, pages, total = _update(directory, names, on_visits, pool)
        while follow and is_running(directory):
            time.sleep(_PAUSE_S)
            more, added, total = _update(directory, names, on_visits)
            visits, pages = visits + more, pages + added
    except OSError as error:
        raise cannot_write(error, index_folder(root)) from error
    seconds = time.monotonic() - start
    return IndexUpdate(visits, pages, total, seconds, pool.processes if pool else 1)


def _new_visits(directory: Directory) -> int:
    marker = read_marker(index_folder(directory.root))
    return directory.logs.summary().visits - (marker.visits if marker else 0)


def _update(
    directory: Directory, names: NameFinder, on_visits: OnVisits, pool: Pool | None = None
) -> tuple[int, int, int]:
    try:
        return _fold(directory, names, on_visits, pool)
    except StaleError:  # the log lost indexed visits (a power cut): start again
        IndexPaths(index_folder(directory.root)).marker.unlink(missing_ok=True)
        return _fold(directory, names, on_visits, pool)


def _fold(
    directory: Directory, names: NameFinder, on_visits: OnVisits, pool: Pool | None
) -> tuple[int, int, int]:
    with IndexWriter(index_folder(directory.root), names) as writer:
        before = writer.marker.pages
        visits = _build_parts(directory, writer, pool, on_visits) if pool else 0
        position = writer.marker.position
        for batch in directory.logs.batches(position, FIELDS):
            for visit in batch.visits:
                writer.add(visit)
            visits += len(batch.visits)
            position = batch.position
            if writer.waiting >= COMMIT_PAGES:
                writer.commit(position)
            on_visits(len(batch.visits))
        if position is not None and position != writer.marker.position:
            writer.commit(position)
        return visits, writer.marker.pages - before, writer.marker.pages


def _build_parts(directory: Directory, writer: IndexWriter, pool: Pool, on_visits: OnVisits) -> int:
    """Add what the log has beyond the index with a pool; return the number of visits."""
    remote = directory.mirror if pool.elsewhere else None
    logs = f"{remote.url if remote else directory.root.resolve()}/{directory.log.name}"
    before = writer.marker
    pieces = directory.logs.pieces(before.position)
    found = dict(pool.run(scan, [ScanTask(logs, piece, before.secret) for piece in pieces]))
    scans = [found.pop(number) for number in range(len(pieces))]
    visits = sum(one.visits for one in scans)
    if not visits:
        return 0
    planned = plan(pieces, scans, before.pages, pool.processes)
    read = [
        (piece.log, one.positions[-1])
        for piece, one in zip(pieces, scans, strict=True)
        if one.positions
    ]
    del scans  # most of the memory in use
    on_visits(visits - planned.pages)

    make_directory(writer.paths.parts)
    into = None if remote else str(writer.paths.parts.resolve())
    folders = []
    tasks = [PartTask(logs, part, into, before.secret) for part in planned.parts]
    for number, part in pool.run(build_part, tasks):
        folders.append(unpack(part, writer.paths.parts))
        on_visits(planned.parts[number].pages)
    after = replace(
        before,
        pages=before.pages + planned.pages,
        visits=before.visits + visits,
        position=position_after(before.position, read),
    )
    writer.add_parts(sorted(folders), planned.urls, after)
    return visits
