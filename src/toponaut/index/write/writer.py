"""The writer of an index: a fold over the visits of a log, in order.

A commit writes the table first, then tantivy's index, then the marker. A run that is killed in
between leaves pages that the marker does not count. They can be found, and the next run removes
them and reads their visits again, so nothing is lost or doubled. The whole folder may be deleted:
it is rebuilt from the log, as a damaged one is. The lock is taken before anything is removed,
because another process may be at its first commit.
"""

import fcntl
import secrets
import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import BinaryIO, Self

import msgspec
import numpy as np
import tantivy
from msgspec.structs import replace
from numpy.typing import NDArray

from toponaut.errors import InputError
from toponaut.index import table
from toponaut.index.integrity import index_damage
from toponaut.index.layout import IndexMarker, IndexPaths, read_marker, schema, words_writer
from toponaut.index.write.documents import PageBuilder, is_gone, is_page
from toponaut.index.write.parts import join
from toponaut.places.names.finder import NameFinder
from toponaut.records import Visit
from toponaut.store.disk import make_directory, write_whole
from toponaut.urls import fingerprint

_DELETED_AT_ONCE = 10_000  # pages per query


class IndexWriter:
    """The one writer of an index. Added pages can be found after commit()."""

    def __init__(self, root: Path, names: NameFinder) -> None:
        self.paths = IndexPaths(root)
        self._names = names
        self._schema = schema()
        make_directory(root)
        self._lock = _lock(self.paths)
        try:
            self._open()
        except BaseException:
            self._lock.close()
            raise

    def _open(self) -> None:
        marker = None if index_damage(self.paths.root) else read_marker(self.paths.root)
        for folder in (self.paths.words, self.paths.pages):
            if marker is None and folder.exists():
                shutil.rmtree(folder)
            make_directory(folder)
        self.marker = marker or IndexMarker(secret=secrets.randbits(64))
        self._builder = PageBuilder(self._names, self.marker.secret)
        self._writer = words_writer(self.paths.words)
        self._remove_uncommitted()
        self._start()

    def _start(self) -> None:
        """Continue from the marker, with nothing added yet."""
        self._known = np.sort(table.PageTable(self.paths.pages).url)
        self._new: set[int] = set()
        self._rows: list[table.IndexRow] = []
        self._visits = self.marker.visits

    def _remove_uncommitted(self) -> None:
        """Remove pages that a killed run added after the marker."""
        uncommitted = tantivy.Query.range_query(
            self._schema, "number", tantivy.FieldType.Unsigned, lower_bound=self.marker.pages
        )
        self._writer.delete_documents_by_query(uncommitted)
        self._writer.commit()
        table.truncate(self.paths.pages, self.marker.pages)
        shutil.rmtree(self.paths.parts, ignore_errors=True)

    @property
    def waiting(self) -> int:
        """Pages added since the last commit."""
        return len(self._rows)

    def add(self, visit: Visit) -> None:
        """Add a visit. It replaces earlier ones of the same URL."""
        self._visits += 1
        page = is_page(visit)
        if not page and not is_gone(visit):
            return
        if self._is_known(fingerprint(visit.url, self.marker.secret)):
            self._writer.delete_documents_by_term("url", visit.url)
        if page:
            document, row = self._builder.build(visit, self.marker.pages + len(self._rows))
            self._writer.add_document(document)
            self._rows.append(row)
            self._new.add(row.url)

    def _is_known(self, mark: int) -> bool:
        """Whether a page may be there already. A useless delete costs tantivy more than this."""
        if mark in self._new:
            return True
        at = int(np.searchsorted(self._known, np.uint64(mark)))
        return at < len(self._known) and int(self._known[at]) == mark

    def commit(self, position: bytes) -> None:
        """Make the added pages searchable, and record that the log was read up to `position`."""
        if self._rows:
            table.write_rows(self.paths.pages, self.marker.pages, self._rows)
        pages = self.marker.pages + len(self._rows)
        self._finish(replace(self.marker, pages=pages, visits=self._visits, position=position))
        self._rows = []

    def add_parts(
        self, parts: Sequence[Path], urls: NDArray[np.uint64], marker: IndexMarker
    ) -> None:
        """Add parts that other processes built, and commit with this marker.

        The index's older pages of these URLs are removed. No added page may be uncommitted.
        """
        outdated = np.flatnonzero(np.isin(table.PageTable(self.paths.pages).url, urls))
        self._writer.wait_merging_threads()
        join(self.paths.root, parts)
        self._writer = words_writer(self.paths.words)
        for start in range(0, len(outdated), _DELETED_AT_ONCE):
            numbers = outdated[start : start + _DELETED_AT_ONCE].tolist()
            query = tantivy.Query.term_set_query(self._schema, "number", numbers)
            self._writer.delete_documents_by_query(query)
        self._finish(marker)
        self._start()

    def _finish(self, marker: IndexMarker) -> None:
        try:
            self._writer.commit()
        except ValueError as error:  # tantivy's binding raises it for a full disk, too
            raise OSError(str(error)) from error
        self.marker = marker
        write_whole(self.paths.marker, msgspec.json.encode(marker))
        table.merge(self.paths.pages)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        """Release the index after running merges have finished."""
        try:
            self._writer.wait_merging_threads()
            shutil.rmtree(self.paths.parts, ignore_errors=True)
        finally:
            self._lock.close()


def _lock(paths: IndexPaths) -> BinaryIO:
    lock = paths.lock.open("ab")
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        lock.close()
        cause = f"another process is adding to {paths.root}"
        raise InputError(cause, "Wait until it ends; searches still work") from None
    return lock
