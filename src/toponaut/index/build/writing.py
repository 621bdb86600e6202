"""Adding to an index: a fold over the visits of a log, in their order.

    index/
      marker.json   how many pages there are, and the position in the log up to which they were read
      words/        tantivy's index
      pages/        the table (table.py)
      parts/        pages that several processes are making (building.py), until they are joined
      lock          held by the one that writes; taken before anything is removed, for another may be at its first commit

A commit writes the table first, then tantivy's part, then the marker. A run that is killed in between leaves pages behind the
marker: they can be searched, and the next run removes them and reads their visits again. So nothing is lost or doubled.
Deleting the folder loses nothing either: all of it comes from the log.
"""

import fcntl
import shutil
from collections.abc import Sequence
from pathlib import Path
from types import TracebackType
from typing import BinaryIO, Self

import msgspec
import numpy as np
import tantivy
from msgspec import Struct
from numpy.typing import NDArray

from toponaut.store.disk import make_directory, write_whole
from toponaut.errors import InputError
from toponaut.index.build import parts
from toponaut.index import table
from toponaut.index.build.joining import join
from toponaut.index.layout import Paths
from toponaut.index.build.pages import Pages, is_gone, is_page
from toponaut.index.schema import schema, words_writer
from toponaut.places.gazetteer import Gazetteer
from toponaut.records import Visit
from toponaut.urls import fingerprint

VERSION = 1  # of what is written; an index of another version is made anew
_DELETED_AT_ONCE = 10_000  # pages by one query


class Marker(Struct, frozen=True):
    """How far an index is."""

    version: int = VERSION
    pages: int = 0  # numbers given so far; pages that were fetched again have more than one
    visits: int = 0  # read so far
    position: bytes | None = None  # in the log


def read_marker(root: Path) -> Marker | None:
    """None where there is no index, or none that this version reads."""
    try:
        marker = msgspec.json.decode(Paths(root).marker.read_bytes(), type=Marker)
    except (OSError, msgspec.MsgspecError):
        return None
    return marker if marker.version == VERSION else None


class IndexWriter:
    """The one writer of an index. Pages that are added can be found after commit()."""

    def __init__(self, root: Path, gazetteer: Gazetteer) -> None:
        self.paths = Paths(root)
        self._pages = Pages(gazetteer)
        self._schema = schema()
        make_directory(root)
        self._lock = _locked(self.paths)
        try:
            self._open()
        except BaseException:
            self._lock.close()
            raise

    def _open(self) -> None:
        marker = read_marker(self.paths.root)
        for folder in (self.paths.words, self.paths.pages):
            if marker is None and folder.exists():
                shutil.rmtree(folder)
            make_directory(folder)
        self.marker = marker or Marker()
        self._writer = words_writer(self.paths.words)
        self._mend()
        self._go_on()

    def _go_on(self) -> None:
        """From what the marker says, with nothing added yet."""
        self._known = np.sort(table.Table(self.paths.pages).url)
        self._new: set[int] = set()
        self._rows: list[table.Row] = []
        self._visits = self.marker.visits

    def _mend(self) -> None:
        """Removes what a killed run has left behind the marker."""
        behind = tantivy.Query.range_query(
            self._schema, "number", tantivy.FieldType.Unsigned, lower_bound=self.marker.pages
        )
        self._writer.delete_documents_by_query(behind)
        self._writer.commit()
        parts.cut(self.paths.pages, self.marker.pages)
        shutil.rmtree(self.paths.parts, ignore_errors=True)

    @property
    def waiting(self) -> int:
        """Pages added since the last commit."""
        return len(self._rows)

    def add(self, visit: Visit) -> None:
        """Takes in a visit; later ones of the same URL replace it."""
        self._visits += 1
        page = is_page(visit)
        if not page and not is_gone(visit):
            return
        if self._is_known(fingerprint(visit.url)):
            self._writer.delete_documents_by_term("url", visit.url)
        if page:
            document, row = self._pages.made(visit, self.marker.pages + len(self._rows))
            self._writer.add_document(document)
            self._rows.append(row)
            self._new.add(row.url)

    def _is_known(self, mark: int) -> bool:
        """Whether a page may be there already. To delete in vain costs tantivy more than to ask."""
        if mark in self._new:
            return True
        at = int(np.searchsorted(self._known, np.uint64(mark)))
        return at < len(self._known) and int(self._known[at]) == mark

    def commit(self, position: bytes) -> None:
        """Makes what was added so far findable, and notes that the log was read up to here."""
        if self._rows:
            table.write(self.paths.pages, self.marker.pages, self._rows)
        self._finish(Marker(pages=self.marker.pages + len(self._rows), visits=self._visits, position=position))
        self._rows = []

    def take_in(self, made: Sequence[Path], urls: NDArray[np.uint64], marker: Marker) -> None:
        """Pages that others have made in these folders (building.py), numbered from those of the index on. What the index had of
        these URLs goes. The marker is that for all of it; nothing must wait for a commit."""
        outdated = np.flatnonzero(np.isin(table.Table(self.paths.pages).url, urls))
        self._writer.wait_merging_threads()
        join(self.paths.root, made)
        self._writer = words_writer(self.paths.words)
        for start in range(0, len(outdated), _DELETED_AT_ONCE):
            numbers = outdated[start : start + _DELETED_AT_ONCE].tolist()
            self._writer.delete_documents_by_query(tantivy.Query.term_set_query(self._schema, "number", numbers))
        self._finish(marker)
        self._go_on()

    def _finish(self, marker: Marker) -> None:
        try:
            self._writer.commit()
        except ValueError as error:  # how tantivy's binding tells of a full disk and the like
            raise OSError(str(error)) from error
        self.marker = marker
        write_whole(self.paths.marker, msgspec.json.encode(marker))
        parts.merge(self.paths.pages)

    def close(self) -> None:
        """Lets the index go, after what is being merged."""
        try:
            self._writer.wait_merging_threads()
            shutil.rmtree(self.paths.parts, ignore_errors=True)
        finally:
            self._lock.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def _locked(paths: Paths) -> BinaryIO:
    lock = paths.lock.open("ab")
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        lock.close()
        cause = f"another process is adding to {paths.root}"
        raise InputError(cause, "Wait until it has ended; a search can go on meanwhile") from None
    return lock
