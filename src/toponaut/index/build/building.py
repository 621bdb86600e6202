"""Making a part of an index: some pages, apart from all others, in a folder of its own.

    (folder)/words/   tantivy's index of these pages alone
    (folder)/pages/   their rows, in files that are named by the pages' numbers in the whole

Joining it to the index is moving files (joining.py).
"""

import tempfile
from collections.abc import Iterator
from pathlib import Path
from uuid import uuid4

from msgspec import Struct

from toponaut.places.gazetteer.cache import open_gazetteer
from toponaut.index import table
from toponaut.index.layout import Paths
from toponaut.index.build.pages import FIELDS, Pages
from toponaut.index.build.planning import Rows, Share
from toponaut.index.schema import words_writer
from toponaut.log import Piece, StaleError
from toponaut.records import Visit
from toponaut.store import FolderStore

_ROWS = 20_000  # of the table in memory


class Building(Struct, frozen=True):
    """A part to be made."""

    logs: str  # the folder of all logs, as a path or URL
    share: Share
    into: (
        str | None
    )  # the folder of all parts; None: there is none that all see, and the files are handed over themselves


class Built(Struct, frozen=True):
    """A part that was made."""

    name: str  # of its folder
    files: dict[str, bytes]  # what is to be in it, where they are handed over


def build(given: Building) -> Built:
    """Makes a part. Its folder is new each time: who begins anew may not be alone."""
    name = f"{given.share.first:012}-{uuid4().hex[:12]}"
    if given.into is not None:
        _build(given, Path(given.into) / name)
        return Built(name, {})
    with tempfile.TemporaryDirectory(prefix="toponaut-index-") as scratch:
        folder = Path(scratch) / name
        _build(given, folder)
        files = [path for path in folder.rglob("*") if path.is_file()]
        return Built(name, {str(path.relative_to(folder)): path.read_bytes() for path in files})


def unpack(built: Built, into: Path) -> Path:
    """The folder of a part; its files are put there, if they were handed over."""
    folder = into / built.name
    for name, content in built.files.items():
        FolderStore(folder).write(name, content)
    return folder


def _build(given: Building, folder: Path) -> None:
    paths, pages = Paths(folder), Pages(open_gazetteer())
    for one in (folder, paths.words, paths.pages):
        one.mkdir()
    writer = words_writer(paths.words)
    number, waiting = given.share.first, list[table.Row]()
    for piece, rows in given.share.pieces:
        for visit in chosen(given.logs, piece, rows):
            document, row = pages.made(visit, number)
            writer.add_document(document)
            waiting.append(row)
            number += 1
            if len(waiting) == _ROWS:
                table.write(paths.pages, number - len(waiting), waiting)
                waiting = []
    if waiting:
        table.write(paths.pages, number - len(waiting), waiting)
    try:
        writer.commit()
        writer.wait_merging_threads()
    except ValueError as error:  # how tantivy's binding tells of a full disk and the like
        raise OSError(str(error)) from error


def chosen(logs: str, piece: Piece, rows: Rows) -> Iterator[Visit]:
    wanted, row = set(rows.tolist()), piece.start.rows
    for batch in piece.batches(logs, FIELDS):
        yield from (visit for number, visit in enumerate(batch.visits, row) if number in wanted)
        row += len(batch.visits)
        if row > rows[-1]:  # what has been added to a tail since is not planned
            return
    raise StaleError
