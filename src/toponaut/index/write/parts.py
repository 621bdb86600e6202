"""Parts of an index: several processes build them in folders of their own, one process joins them.

The last word on a URL counts: a page, or that it is gone. A single process folds over the log and
deletes what it added before. Several processes settle it first: each piece of the log is scanned
for the URLs that it mentions (`scan`, in parallel, 7 % of the work), the last word on each URL is
found (`plan`), and only those visits are read again and built. So parts are independent, and only
older pages of the index have to be removed. URLs are known by fingerprints with a key of the index:
without one, a server could make up a URL that takes the place of another's page.

    (part)/words/   a tantivy index of these pages
    (part)/pages/   their table files, named by the page numbers in the whole index

The files of a tantivy segment have unique names and refer to nothing outside; only meta.json lists
the segments. So joining moves files and extends that list. Tantivy merges small segments after the
next commit.

The table comes first, then the words, as in any commit (writer.py), all after the marker: the next
run removes what a killed one left. Files are added to .managed.json before they arrive, or tantivy
would never remove them.
"""

import math
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from pathlib import Path
from typing import Any, NamedTuple
from uuid import uuid4

import msgspec
import numpy as np
from msgspec import Struct
from msgspec.structs import replace
from numpy.typing import NDArray

from toponaut.index.layout import IndexPaths, words_writer
from toponaut.index.table import IndexRow, write_rows
from toponaut.index.write.documents import FIELDS, PageBuilder, is_gone, is_page
from toponaut.log import Piece, StaleError
from toponaut.log.reading import Position
from toponaut.places.gazetteer.cache import open_names
from toponaut.records import Visit
from toponaut.store import FolderStore
from toponaut.store.disk import sync_directory, write_whole
from toponaut.urls import fingerprint

_MAX_ROWS = 20_000  # of the table, in memory
_META, _MANAGED = "meta.json", ".managed.json"
_FIELDS = ("outcome", "stamp", "title", "text")
PART_PAGES = 20_000  # at most, or little more: one tantivy segment of one process
Rows = NDArray[np.uint32]
PieceRows = tuple[Piece, Rows]


class ScanTask(Struct, frozen=True):
    """A piece to be scanned."""

    logs: str  # the folder of all logs, as a path or URL
    piece: Piece
    secret: int  # the key of the index


class PieceScan(NamedTuple):
    """The URLs in a piece of the log, one entry per visit. 21 bytes each: all are in memory."""

    visits: int
    positions: list[bytes]  # some thousand visits apart; the last is its end
    latest: float  # stamp
    url: NDArray[np.uint64]  # fingerprints
    stamp: NDArray[np.float64]
    row: Rows  # of the segment
    is_page: NDArray[np.bool_]  # otherwise it is gone


def scan(task: ScanTask) -> PieceScan:
    found: list[tuple[int, float, int, bool]] = []
    positions, latest, start = list[bytes](), 0.0, task.piece.start.rows
    row = start
    for batch in task.piece.batches(task.logs, _FIELDS):
        positions.append(batch.position)
        for visit in batch.visits:
            latest = max(latest, visit.stamp)
            if (page := is_page(visit)) or is_gone(visit):
                found.append((fingerprint(visit.url, task.secret), latest, row, page))
            row += 1
    url, stamp, rows, pages = zip(*found, strict=True) if found else ((), (), (), ())
    return PieceScan(
        row - start,
        positions,
        latest,
        np.array(url, np.uint64),
        np.array(stamp, np.float64),
        np.array(rows, np.uint32),
        np.array(pages, np.bool_),
    )


class PartPlan(NamedTuple):
    """The pages that one process builds: from number `first` on, these rows of these pieces."""

    first: int
    pages: int
    pieces: list[PieceRows]


class BuildPlan(NamedTuple):
    parts: list[PartPlan]
    urls: NDArray[np.uint64]  # all that were mentioned: older pages of them are outdated

    @property
    def pages(self) -> int:
        return sum(part.pages for part in self.parts)


def plan(
    pieces: Sequence[Piece], scans: Sequence[PieceScan], first: int, processes: int
) -> BuildPlan:
    """Divide the pages, numbered from `first` on. Pieces are in the order of their logs."""
    if not scans:
        return BuildPlan([], np.empty(0, np.uint64))
    url = np.concatenate([one.url for one in scans])
    order = np.lexsort((_stamps(pieces, scans), url))  # stable: for equal stamps the later log wins
    is_last = np.append(url[order][1:] != url[order][:-1], True)[: len(order)]
    wins = np.zeros(len(url), np.bool_)
    wins[order[is_last]] = True
    wins &= np.concatenate([one.is_page for one in scans])
    ends = np.cumsum([len(one.url) for one in scans])
    rows = [one.row[won] for one, won in zip(scans, np.split(wins, ends[:-1]), strict=True)]
    pages = int(wins.sum())
    parts = math.ceil(pages / (PART_PAGES * processes)) * processes  # the same for each process
    return BuildPlan(_divide(_cut(pieces, scans, rows), first, pages, parts), url[order[is_last]])


def _stamps(pieces: Sequence[Piece], scans: Sequence[PieceScan]) -> NDArray[np.float64]:
    """The stamp of each entry. Stamps never fall within a log; missing ones repeat the last."""
    latest: dict[str, float] = {}
    stamps = [np.empty(0)]
    for piece, one in zip(pieces, scans, strict=True):
        before = latest.get(piece.log, 0.0)
        stamps.append(np.maximum(one.stamp, before))
        latest[piece.log] = max(before, one.latest)
    return np.concatenate(stamps)


def _cut(
    pieces: Sequence[Piece], scans: Sequence[PieceScan], rows: Sequence[Rows]
) -> Iterator[PieceRows]:
    """Pieces cut at all their positions, with the wanted rows; those without any are left out."""
    for piece, one, own in zip(pieces, scans, rows, strict=True):
        cuts = [Position.decode(position) for position in one.positions[:-1]]
        starts = [piece.start, *cuts][: len(one.positions)]
        split = np.split(own, np.searchsorted(own, [cut.rows for cut in cuts]))
        for start, few in zip(starts, split, strict=False):
            if len(few):
                yield replace(piece, start=start), few


def _divide(cuts: Iterable[PieceRows], first: int, pages: int, parts: int) -> list[PartPlan]:
    """Consecutive pieces in parts of about equal size."""
    divided: list[list[PieceRows]] = [[] for _ in range(parts)]
    before = 0
    for cut in cuts:
        divided[before * parts // pages].append(cut)
        before += len(cut[1])
    plans = []
    for few in divided:
        if few:
            plans.append(PartPlan(first, sum(len(rows) for _, rows in few), _rejoin(few)))
            first += plans[-1].pages
    return plans


def _rejoin(cuts: Iterable[PieceRows]) -> list[PieceRows]:
    """Consecutive cuts of a segment become one again."""
    joined = []
    for _, few in groupby(cuts, key=lambda cut: (cut[0].log, cut[0].start.segment)):
        (piece, *_), rows = zip(*few, strict=True)
        joined.append((piece, np.concatenate(rows)))
    return joined


# --- building ------------------------------------------------------------------------------------


class PartTask(Struct, frozen=True):
    """A part to be built."""

    logs: str  # the folder of all logs, as a path or URL
    plan: PartPlan
    into: str | None  # the folder of all parts; None: return the files, no folder is shared
    secret: int  # the key of the index


class PartFiles(Struct, frozen=True):
    """A finished part."""

    name: str  # of its folder
    files: dict[str, bytes]  # its files, if they are returned


def build_part(task: PartTask) -> PartFiles:
    """Build a part. Its folder name is new each time: a retry may overlap the first attempt."""
    name = f"{task.plan.first:012}-{uuid4().hex[:12]}"
    if task.into is not None:
        _build(task, Path(task.into) / name)
        return PartFiles(name, {})
    with tempfile.TemporaryDirectory(prefix="toponaut-index-") as scratch:
        folder = Path(scratch) / name
        _build(task, folder)
        files = [path for path in folder.rglob("*") if path.is_file()]
        return PartFiles(name, {str(path.relative_to(folder)): path.read_bytes() for path in files})


def unpack(part: PartFiles, into: Path) -> Path:
    """The folder of a part, after writing its files if they were returned."""
    folder = into / part.name
    for name, content in part.files.items():
        FolderStore(folder).write(name, content)
    return folder


def _build(task: PartTask, folder: Path) -> None:
    paths, builder = IndexPaths(folder), PageBuilder(open_names(), task.secret)
    for one in (folder, paths.words, paths.pages):
        one.mkdir()
    writer = words_writer(paths.words)
    number, waiting = task.plan.first, list[IndexRow]()
    for piece, rows in task.plan.pieces:
        for visit in read_rows(task.logs, piece, rows):
            document, row = builder.build(visit, number)
            writer.add_document(document)
            waiting.append(row)
            number += 1
            if len(waiting) == _MAX_ROWS:
                write_rows(paths.pages, number - len(waiting), waiting)
                waiting = []
    if waiting:
        write_rows(paths.pages, number - len(waiting), waiting)
    try:
        writer.commit()
        writer.wait_merging_threads()
    except ValueError as error:  # tantivy's binding raises it for a full disk, too
        raise OSError(str(error)) from error


def read_rows(logs: str, piece: Piece, rows: Rows) -> Iterator[Visit]:
    """The visits of a piece in these rows."""
    wanted, row = set(rows.tolist()), piece.start.rows
    for batch in piece.batches(logs, FIELDS):
        yield from (visit for number, visit in enumerate(batch.visits, row) if number in wanted)
        row += len(batch.visits)
        if row > rows[-1]:  # the log has grown since it was planned
            return
    raise StaleError


# --- joining ---------------------------------------------------------------------------------


def join(root: Path, folders: Sequence[Path]) -> None:
    """Move parts into the index. They need its schema, and nothing may be writing to either."""
    whole, parts = IndexPaths(root), [IndexPaths(folder) for folder in folders]
    for part in parts:
        for file in sorted(part.pages.iterdir()):
            file.replace(whole.pages / file.name)
    sync_directory(whole.pages)
    files = [file for part in parts for file in _segment_files(part.words)]
    managed = [*_read(whole.words / _MANAGED), *(file.name for file in files)]
    write_whole(whole.words / _MANAGED, msgspec.json.encode(managed))
    meta = _join_meta(_read(whole.words / _META), [_read(part.words / _META) for part in parts])
    for file in files:
        file.replace(whole.words / file.name)
    sync_directory(whole.words)
    write_whole(whole.words / _META, msgspec.json.encode(meta))


def _join_meta(meta: dict[str, Any], others: Sequence[dict[str, Any]]) -> dict[str, Any]:
    for other in others:
        if (other["schema"], other["index_settings"]) != (meta["schema"], meta["index_settings"]):
            raise ValueError("a part of the index was built by another version")
    segments = [segment for one in (meta, *others) for segment in one["segments"]]
    return {**meta, "segments": segments, "opstamp": max(one["opstamp"] for one in (meta, *others))}


def _segment_files(words: Path) -> list[Path]:
    """The files of the listed segments. The folder may hold others, which were merged."""
    names = {segment["segment_id"].replace("-", "") for segment in _read(words / _META)["segments"]}
    return [file for file in sorted(words.iterdir()) if file.name.partition(".")[0] in names]


def _read(path: Path) -> Any:
    return msgspec.json.decode(path.read_bytes())
