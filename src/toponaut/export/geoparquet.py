"""Rows as GeoParquet 1.1: points as WKB, each with a box, so that readers skip row groups by its
statistics.

A point's box is the point itself, exact in 64-bit columns. Rows without a point have neither.
"""

import io
import struct
from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime
from itertools import islice
from types import UnionType
from typing import Any, get_args, get_type_hints

import msgspec
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
from msgspec import Struct

# geoparquet.org advises 50,000 to 150,000 rows; 50,000 take 110 MB of memory (bench/export.py).
_GROUP_ROWS = 50_000
_BATCH_ROWS = 4096  # held as records
_POINT = struct.Struct("<BIdd").pack  # little-endian, type 1: a point
_EDGES = ("xmin", "ymin", "xmax", "ymax")
_TYPES = {
    str: pa.string(), int: pa.int64(), float: pa.float64(), bool: pa.bool_(),
    datetime: pa.timestamp("ms", "UTC"), tuple[str, ...]: pa.list_(pa.string()),
}  # fmt: skip


def write(out: io.RawIOBase, kind: type[Struct], rows: Iterable[Struct]) -> None:
    schema = _schema(kind)
    bounds: list[float] = []
    with (
        pa.PythonFile(out, "w") as file,
        pq.ParquetWriter(file, schema, compression="zstd", version="2.6") as parquet,
    ):
        for group in _groups(rows, schema):
            parquet.write_table(group, row_group_size=group.num_rows)
            bounds = _wider(bounds, group)
        parquet.add_key_value_metadata({"geo": msgspec.json.encode(_geo(bounds)).decode()})


def _schema(kind: type[Struct]) -> pa.Schema:
    fields = [_field(name, hint) for name, hint in get_type_hints(kind).items()]
    box = pa.struct([pa.field(edge, pa.float64(), nullable=False) for edge in _EDGES])
    return pa.schema([*fields, pa.field("geometry", pa.binary()), pa.field("bbox", box)])


def _field(name: str, hint: Any) -> pa.Field:
    if isinstance(hint, UnionType):
        return pa.field(name, _TYPES[get_args(hint)[0]])
    return pa.field(name, _TYPES[hint], nullable=False)


def _groups(rows: Iterable[Struct], schema: pa.Schema) -> Iterator[pa.Table]:
    waiting: list[pa.RecordBatch] = []
    for some in _batched(rows):
        waiting.append(_batch(some, schema))
        if len(waiting) * _BATCH_ROWS >= _GROUP_ROWS:
            yield pa.Table.from_batches(waiting)
            waiting = []
    if waiting:
        yield pa.Table.from_batches(waiting)


def _batched(rows: Iterable[Struct]) -> Iterator[list[Struct]]:
    rest = iter(rows)
    while some := list(islice(rest, _BATCH_ROWS)):
        yield some


def _batch(rows: Sequence[Any], schema: pa.Schema) -> pa.RecordBatch:
    columns = {
        field.name: [getattr(row, field.name) for row in rows]
        for field in schema
        if field.name not in ("geometry", "bbox")
    }
    spots = [None if row.lat is None else (row.lon, row.lat) for row in rows]
    columns["geometry"] = [spot and _POINT(1, 1, *spot) for spot in spots]
    columns["bbox"] = [spot and dict(zip(_EDGES, (*spot, *spot), strict=True)) for spot in spots]
    return pa.RecordBatch.from_arrays(
        [pa.array(columns[field.name], field.type) for field in schema], schema=schema
    )


def _wider(bounds: list[float], group: pa.Table) -> list[float]:
    (west, east), (south, north) = (
        pc.min_max(group.column(name)).as_py().values() for name in ("lon", "lat")
    )
    if west is None:
        return bounds
    if not bounds:
        return [west, south, east, north]
    return [
        min(west, bounds[0]),
        min(south, bounds[1]),
        max(east, bounds[2]),
        max(north, bounds[3]),
    ]


def _geo(bounds: list[float]) -> dict[str, object]:
    """The file metadata of the standard. Coordinates are in OGC:CRS84, the default."""
    column: dict[str, object] = {
        "encoding": "WKB",
        "geometry_types": ["Point"] if bounds else [],
        "covering": {"bbox": {edge: ["bbox", edge] for edge in _EDGES}},
    }
    if bounds:
        column["bbox"] = bounds
    return {"version": "1.1.0", "primary_column": "geometry", "columns": {"geometry": column}}
