"""A sealed segment: a Parquet file in which any changed byte is detected.

Parquet can keep a checksum of every page, but not of the footer that says where the pages are. We
store one in the eight bytes before the footer. Other readers ignore them: they find the footer from
the end of the file and the pages by their offset from the start.

A row group is one chunk of the tail, so sealing and reading hold one chunk in memory at a time.
"""

import os
import struct
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO, Self

import pyarrow as pa
import pyarrow.parquet as pq
import xxhash

from toponaut.log import files, tables, tails
from toponaut.log.files import damaged, part, publish, unreadable, writing
from toponaut.records import Visit
from toponaut.store.disk import sync_directory

# Columns whose values seldom repeat: Parquet would build a dictionary for nothing.
_DISTINCT = frozenset(
    """
    sequence url time seconds size promise score etag modified digest simhash title description
    text offset length links.url links.promise links.score links.anchor known refused.url
    addresses.text addresses.normal scope.weight
    """.split()
)
# zstd. Bytes and us per visit: level 1 5,379, 86; 3 4,906, 87; 6 4,872, 242 (bench/log.py).
_LEVEL = 3

_END = struct.Struct("<I4s")  # the end of a Parquet file: length of the footer, magic
_GUARD = struct.Struct("<4sI")  # what we write before the footer: mark, xxh32 of the footer
_MARK = b"TOPO"


def seal(directory: Path) -> int:
    """Turns all tails but the newest into Parquet. Returns how many.

    Runs in any thread or process while the newest tail grows, but only once at a time. A tail is
    removed only after its segment is on the disk under its name, so a complete copy of every visit
    exists at any moment.
    """
    done = 0
    for number in files.numbers(directory)[:-1]:
        path = files.tail(directory, number)
        if path.exists():
            if not files.sealed(directory, number).exists():
                write(files.sealed(directory, number), tails.chunks(path))
            with writing(path):
                path.unlink()
                sync_directory(directory)
            done += 1
    return done


def write(path: Path, groups: Iterable[Sequence[Visit]]) -> None:
    """Writes a segment, completely or not at all. On return it is on the disk."""
    unfinished = part(path)
    with writing(path):
        try:
            with unfinished.open("w+b") as file:
                with _writer(file) as parquet:
                    for visits in groups:
                        parquet.write_table(
                            pa.Table.from_batches([tables.pack(visits)]), row_group_size=len(visits)
                        )
                _guard_footer(file)
                file.flush()
                os.fsync(file.fileno())
            publish(path)
        except BaseException:
            unfinished.unlink(missing_ok=True)
            raise


def _writer(file: BinaryIO) -> pq.ParquetWriter:
    distinct = {tables.path(field) for field in _DISTINCT}
    leaves = [
        leaf for leaf in tables.leaves() if leaf.removesuffix(".list.element") not in distinct
    ]
    return pq.ParquetWriter(
        file,
        tables.SCHEMA,
        compression="zstd",
        compression_level=_LEVEL,
        use_dictionary=leaves,
        write_page_checksum=True,
    )


def _footer(file: BinaryIO) -> bytes:
    """The footer, its length and the magic. Leaves the file positioned before the footer."""
    size = file.seek(0, os.SEEK_END)
    file.seek(max(0, size - _END.size))
    end = file.read(_END.size)
    length, magic = _END.unpack(end) if len(end) == _END.size else (0, b"")
    start = size - _END.size - length
    if magic != b"PAR1" or start < _GUARD.size:
        raise ValueError("it does not end like a Parquet file")
    file.seek(start)
    footer = file.read(length) + end
    file.seek(start)
    return footer


def _guard_footer(file: BinaryIO) -> None:
    footer = _footer(file)
    file.write(_GUARD.pack(_MARK, xxhash.xxh32_intdigest(footer)) + footer)


def _check_footer(file: BinaryIO) -> None:
    footer = _footer(file)
    file.seek(-_GUARD.size, os.SEEK_CUR)
    if file.read(_GUARD.size) != _GUARD.pack(_MARK, xxhash.xxh32_intdigest(footer)):
        raise ValueError("the checksum of its footer is wrong")


class SealedSegment:
    """An open sealed segment. Raises FileNotFoundError if missing, InputError if damaged."""

    def __init__(self, path: Path) -> None:
        self._path = path
        try:
            self._file = path.open("rb")
        except FileNotFoundError:
            raise
        except OSError as error:
            raise unreadable(path, error) from error
        try:
            with _reading(path):
                _check_footer(self._file)
                self._parquet = pq.ParquetFile(
                    self._file, page_checksum_verification=True, pre_buffer=False
                )
        except BaseException:
            self._file.close()
            raise
        groups = self._parquet.metadata
        self.group_rows = [
            groups.row_group(index).num_rows for index in range(groups.num_row_groups)
        ]
        self.rows = sum(self.group_rows)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._file.close()

    def table(self, group: int, fields: Iterable[str] | None = None) -> pa.RecordBatch:
        """The columns of some fields (None: all) of a row group."""
        columns = tables.paths(fields)
        with _reading(self._path):
            table = self._parquet.read_row_group(group, columns, use_threads=False)
            if table.num_rows != self.group_rows[group] or (
                missing := tables.missing(table.schema)
            ):
                raise ValueError(
                    f"columns are missing: {', '.join(missing)}"
                    if table.num_rows
                    else "rows are missing"
                )
            return table.combine_chunks().to_batches()[0]

    def tables(self, fields: Iterable[str] | None = None) -> Iterator[pa.RecordBatch]:
        """The same for all row groups, in order."""
        return (self.table(group, fields) for group in range(len(self.group_rows)))

    def minimum(self, field: str) -> float:
        """The minimum of a column in the first row group, from the footer; 0 if not recorded."""
        with _reading(self._path):
            group = self._parquet.metadata.row_group(0)
            columns = (group.column(index) for index in range(group.num_columns))
            minima = (
                column.statistics.min
                for column in columns
                if column.path_in_schema == field and column.is_stats_set
            )
            return float(next(minima, 0.0) or 0.0)

    def visits(self, table: pa.RecordBatch) -> list[Visit]:
        """The visits in a table of this segment."""
        with _reading(self._path):
            return tables.unpack(table)


@contextmanager
def _reading(path: Path) -> Iterator[None]:
    """Reports whatever pyarrow raises on a damaged file as an InputError."""
    try:
        yield
    except (pa.ArrowException, OSError, ValueError, LookupError, MemoryError) as error:
        raise damaged(path, error) from error
