"""Adding to an index: a fold over the visits of a log, in their order.

    index/
      marker.json   how many pages there are, and the position in the log up to which they were read
      words/        tantivy's index
      pages/        the table (table.py)
      lock          held by the one that writes; taken before anything is removed, for another may be at its first commit

A commit writes the table first, then tantivy's part, then the marker. A run that is killed in between leaves pages behind the
marker: they can be searched, and the next run removes them and reads their visits again. So nothing is lost or doubled.
Deleting the folder loses nothing either: all of it comes from the log.
"""

import fcntl
import shutil
from pathlib import Path
from types import TracebackType
from typing import BinaryIO, Self

import msgspec
import numpy as np
import tantivy
from msgspec import Struct

from toponaut.disk import make_directory, write_whole
from toponaut.errors import InputError
from toponaut.index import parts, table
from toponaut.index.schema import document, open_index, schema
from toponaut.index.ties import Ties
from toponaut.places.gazetteer import Gazetteer
from toponaut.records import Outcome, Visit
from toponaut.urls import fingerprint

VERSION = 1  # of what is written; an index of another version is made anew
_HEAP_BYTES = 128_000_000  # of tantivy, before it writes a segment
_PAGES = (Outcome.FETCHED, Outcome.UNCHANGED, Outcome.NEAR_COPY)
_GONE = (Outcome.NOT_FOUND, Outcome.NO_INDEX)  # what once was a page is none any more
# What is read of the log for it.
FIELDS = ("outcome", "time", "simhash", "title", "description", "language", "text", "addresses", "scope", "relevant")


class Marker(Struct, frozen=True):
    """How far an index is."""

    version: int = VERSION
    pages: int = 0  # numbers given so far; pages that were fetched again have more than one
    visits: int = 0  # read so far
    position: bytes | None = None  # in the log


class Paths(Struct, frozen=True):
    """What lies where."""

    root: Path

    @property
    def words(self) -> Path:
        return self.root / "words"

    @property
    def pages(self) -> Path:
        return self.root / "pages"

    @property
    def marker(self) -> Path:
        return self.root / "marker.json"

    @property
    def lock(self) -> Path:
        return self.root / "lock"


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
        self._paths = Paths(root)
        self._ties = Ties(gazetteer)
        self._schema = schema()
        make_directory(root)
        self._lock = _locked(self._paths)
        try:
            self._open()
        except BaseException:
            self._lock.close()
            raise

    def _open(self) -> None:
        marker = read_marker(self._paths.root)
        for folder in (self._paths.words, self._paths.pages):
            if marker is None and folder.exists():
                shutil.rmtree(folder)
            make_directory(folder)
        self.marker = marker or Marker()
        self._writer = open_index(self._schema, str(self._paths.words)).writer(_HEAP_BYTES, 1)
        self._mend()
        self._known = np.sort(table.Table(self._paths.pages).url)
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
        parts.cut(self._paths.pages, self.marker.pages)

    @property
    def waiting(self) -> int:
        """Pages added since the last commit."""
        return len(self._rows)

    def add(self, visit: Visit) -> None:
        """Takes in a visit; later ones of the same URL replace it."""
        self._visits += 1
        is_page = visit.outcome in _PAGES and bool(visit.text or visit.title)
        if not is_page and visit.outcome not in _GONE:
            return
        mark = fingerprint(visit.url)
        if self._is_known(mark):
            self._writer.delete_documents_by_term("url", visit.url)
        if is_page:
            self._add_page(visit, mark)

    def _add_page(self, visit: Visit, mark: int) -> None:
        ties, points = self._ties.of(visit), self._ties.points(visit)
        number = self.marker.pages + len(self._rows)
        self._writer.add_document(document(visit, number, ties, points))
        entities = table.entities_of(visit.addresses)
        seats = {address.place for address in visit.addresses}
        seat = seats.pop() if len(seats) == 1 else 0
        host = fingerprint(visit.url.split("/", 3)[2])
        self._rows.append(table.Row(mark, visit.time, visit.simhash, entities, host, seat, points, ties))
        self._new.add(mark)

    def _is_known(self, mark: int) -> bool:
        """Whether a page may be there already. To delete in vain costs tantivy more than to ask."""
        if mark in self._new:
            return True
        at = int(np.searchsorted(self._known, np.uint64(mark)))
        return at < len(self._known) and int(self._known[at]) == mark

    def commit(self, position: bytes) -> None:
        """Makes what was added so far findable, and notes that the log was read up to here."""
        if self._rows:
            table.write(self._paths.pages, self.marker.pages, self._rows)
        try:
            self._writer.commit()
        except ValueError as error:  # how tantivy's binding tells of a full disk and the like
            raise OSError(str(error)) from error
        self.marker = Marker(pages=self.marker.pages + len(self._rows), visits=self._visits, position=position)
        write_whole(self._paths.marker, msgspec.json.encode(self.marker))
        self._rows = []
        parts.merge(self._paths.pages)

    def close(self) -> None:
        """Lets the index go, after what is being merged."""
        try:
            self._writer.wait_merging_threads()
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
