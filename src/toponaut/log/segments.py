"""A sealed segment: one Parquet file that notices if a byte of it has changed.

Parquet keeps a checksum of every page, if asked to, but none of the footer that says where the pages are. So the
footer's is kept as well, in the eight bytes before it: a footer is found from the end of the file and pages by their
offset from its beginning, so no reader of Parquet minds what stands in between.

A row group is one chunk of the tail: sealing and reading hold one of them in memory at a time.
"""

import os
import struct
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType
from typing import BinaryIO, Self

import pyarrow as pa
import pyarrow.parquet as pq
import xxhash

from toponaut.log import tables
from toponaut.log.files import damaged, part, publish, unreadable, writing
from toponaut.records import Visit

# Values that seldom repeat: a dictionary of them would be built and then thrown away. Of fingerprints it is larger
# than they are packed: 4,950 bytes a visit against 4,916.
_DISTINCT = frozenset(
    """
    sequence url time seconds size promise score etag modified digest simhash title description text offset length
    links.url links.promise links.score links.anchor known refused.url addresses.text addresses.normal scope.weight
    """.split()
)
_LEVEL = 3  # of zstd. On the visits of bench/log.py 1: 86 us, 5,379 bytes; 3: 87 us, 4,906; 6: 242 us, 4,872

_END = struct.Struct("<I4s")  # how Parquet ends: length of the footer, magic
_GUARD = struct.Struct("<4sI")  # what we put before the footer: mark, xxh32 of the footer
_MARK = b"TOPO"


def write(path: Path, groups: Iterable[Sequence[Visit]]) -> None:
    """Writes a segment, whole or not at all. On return it is on the disk under its name."""
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
    """The footer, its length and the magic, with the file standing before them."""
    size = file.seek(0, os.SEEK_END)
    file.seek(max(0, size - _END.size))
    end = file.read(_END.size)
    length, magic = _END.unpack(end) if len(end) == _END.size else (0, b"")
    start = size - _END.size - length
    if magic != b"PAR1" or start < _GUARD.size:
        raise ValueError("it does not end as Parquet does")
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


class Segment:
    """A sealed segment, opened. FileNotFoundError if there is none; InputError if it is damaged."""

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

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._file.close()

    def table(self, group: int, fields: Iterable[str] | None = None) -> pa.RecordBatch:
        """The columns for some fields (None: for all) of a row group."""
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

    def least(self, field: str) -> float:
        """The least value of a column in the first row group, as the footer has it; 0 if it does not say."""
        with _reading(self._path):
            group = self._parquet.metadata.row_group(0)
            columns = (group.column(index) for index in range(group.num_columns))
            noted = (
                one.statistics.min
                for one in columns
                if one.path_in_schema == field and one.is_stats_set
            )
            return float(next(noted, 0.0) or 0.0)

    def visits(self, table: pa.RecordBatch) -> list[Visit]:
        """The visits of such a table."""
        with _reading(self._path):
            return tables.unpack(table)


@contextmanager
def _reading(path: Path) -> Iterator[None]:
    """Says what is wrong with a file, in whatever way the reader of Parquet stumbles over it."""
    try:
        yield
    except (pa.ArrowException, OSError, ValueError, LookupError, MemoryError) as error:
        raise damaged(path, error) from error
