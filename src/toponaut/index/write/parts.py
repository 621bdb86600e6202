"""Parts of an index: several processes build them in folders of their own, one process joins them.

    (part)/words/   a tantivy index of these pages
    (part)/pages/   their table files, named by the page numbers in the whole index

The files of a tantivy segment have unique names and refer to nothing outside; only meta.json lists
the segments. So joining moves files and extends that list. Tantivy merges small segments after the
next commit.

The table comes first, then the words, as in any commit (writer.py), all after the marker: the next
run removes what a killed one left. Files are added to .managed.json before they arrive, or tantivy
would never remove them.
"""

import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any
from uuid import uuid4

import msgspec
from msgspec import Struct

from toponaut.index.layout import IndexPaths, words_writer
from toponaut.index.table import IndexRow, write_rows
from toponaut.index.write.documents import FIELDS, PageBuilder
from toponaut.index.write.plan import PartPlan, Rows
from toponaut.log import Piece, StaleError
from toponaut.places.gazetteer.cache import open_gazetteer
from toponaut.records import Visit
from toponaut.store import FolderStore
from toponaut.store.disk import sync_directory, write_whole

_MAX_ROWS = 20_000  # of the table, in memory
_META, _MANAGED = "meta.json", ".managed.json"


class PartTask(Struct, frozen=True):
    """A part to be built."""

    logs: str  # the folder of all logs, as a path or URL
    plan: PartPlan
    into: str | None  # the folder of all parts; None: return the files, no folder is shared


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
    paths, builder = IndexPaths(folder), PageBuilder(open_gazetteer())
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
