"""Rows as a DuckDB database with one table. Needs the package duckdb: toponaut[duckdb]."""

from collections.abc import Callable, Iterable
from pathlib import Path
from tempfile import TemporaryDirectory

from msgspec import Struct

from toponaut.errors import InputError
from toponaut.export import geoparquet
from toponaut.export.output import OutputSink

_CHUNK = 1 << 20


def write(
    out: Callable[[bytes], object], table: str, kind: type[Struct], rows: Iterable[Struct]
) -> None:
    """DuckDB reads its rows from a GeoParquet file, which it does fast and with their types."""
    try:
        import duckdb
    except ImportError:
        fix = "Install it: pip install 'toponaut[duckdb]'"
        raise InputError("the format duckdb needs the package duckdb", fix) from None
    with TemporaryDirectory(prefix="toponaut-export-") as folder:
        parquet, path = Path(folder) / "rows.parquet", Path(folder) / "export.duckdb"
        with parquet.open("wb") as file:
            geoparquet.write(OutputSink(file), kind, rows)
        with duckdb.connect(str(path)) as db:
            db.execute(
                f"CREATE TABLE {table} AS SELECT * EXCLUDE (geometry, bbox) FROM read_parquet(?)",
                [str(parquet)],
            )
        with path.open("rb") as finished:
            while chunk := finished.read(_CHUNK):
                out(chunk)
