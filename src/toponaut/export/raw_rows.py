"""Rows of files that others publish, as plain data with a point: CSV, GeoJSON, GeoParquet.

Addresses (OpenAddresses, Overture, OpenStreetMap) and places of business come in these formats.
Tags that some tools nest are columns like the others.
"""

import contextlib
import csv
import gzip
import struct
from collections.abc import Collection, Iterable, Iterator, Mapping
from itertools import chain
from pathlib import Path
from typing import IO, Any

import msgspec

from toponaut.errors import InputError
from toponaut.export.house_points import Point

RawRows = Iterator[tuple[Mapping[str, Any], Point | None]]

_BATCH = 10_000
_ENDINGS = (".csv", ".csv.gz", ".geojson", ".geojsonl", ".json", ".geojson.gz", ".parquet")
_EDGES = ("xmin", "ymin", "xmax", "ymax")
_WKB_POINT = 21  # bytes
_LAT, _LON = ("lat", "latitude", "y"), ("lon", "lng", "longitude", "x")


def raw_rows(path: Path, columns: Collection[str] | None, wanted: str) -> RawRows:
    """The rows of a file with the point of each. Column names of CSV are in lower case.

    `columns`: all that are read of a Parquet file; None for all. `wanted` says in an error which
    files would do.
    """
    name = path.name.lower()
    if not name.endswith(_ENDINGS):
        raise InputError(f"{path}: unknown kind of file", f"Name a file of {wanted}")
    try:
        if name.endswith(".parquet"):
            yield from _parquet(path, columns)
        else:
            yield from _csv(path) if ".csv" in name else _geojson(path)
    except OSError as error:
        reason = error.strerror or str(error)
        raise InputError(
            f"{path}: {reason}", "Check that it exists and that you may read it"
        ) from error
    except (UnicodeDecodeError, csv.Error, msgspec.MsgspecError, ValueError) as error:
        raise InputError(f"{path} is damaged ({error})", f"Name a file of {wanted}") from error


def first_value(properties: Mapping[str, Any], names: Iterable[str]) -> str:
    """The first of these columns that has a value, as text."""
    found = (str(properties[name]).strip() for name in names if properties.get(name) is not None)
    return next(filter(None, found), "")


def _opened(path: Path) -> IO[str]:
    if path.name.lower().endswith(".gz"):
        return gzip.open(path, "rt", encoding="utf-8-sig", newline="")
    return path.open(encoding="utf-8-sig", newline="")


def _csv(path: Path) -> RawRows:
    """OpenAddresses writes LON, LAT, NUMBER, STREET, CITY, POSTCODE; the case varies."""
    with _opened(path) as file:
        for line in csv.DictReader(file):
            row = {name.lower(): value for name, value in line.items() if isinstance(name, str)}
            yield row, _decimal_point(row)


def _decimal_point(row: Mapping[str, Any]) -> Point | None:
    try:
        return float(first_value(row, _LAT)), float(first_value(row, _LON))
    except ValueError:
        return None


def _geojson(path: Path) -> RawRows:
    """A FeatureCollection, or one feature per line, as OpenAddresses writes it."""
    with _opened(path) as file:
        first = file.readline()
        if _is_feature(first):
            lines = (line for line in chain((first,), file) if line.strip())
            features: Iterable[Any] = (msgspec.json.decode(line) for line in lines)
        else:
            features = msgspec.json.decode(first + file.read()).get("features") or ()
        for feature in features:
            yield _properties(feature), _geometry_point(feature.get("geometry"))


def _is_feature(line: str) -> bool:
    with contextlib.suppress(msgspec.MsgspecError):
        found = msgspec.json.decode(line)
        return isinstance(found, dict) and found.get("type") == "Feature"
    return False


def _properties(feature: Mapping[str, Any]) -> Mapping[str, Any]:
    """Of OpenStreetMap extracts also the tags, which some tools nest."""
    properties = feature.get("properties") or {}
    tags = properties.get("tags")
    return {**properties, **tags} if isinstance(tags, dict) else properties


def _geometry_point(geometry: object) -> Point | None:
    """Of a point itself; of a line or an outline the middle of its box."""
    if not isinstance(geometry, dict):
        return None
    pairs = list(_pairs(geometry.get("coordinates")))
    if not pairs:
        return None
    lons, lats = zip(*pairs, strict=True)
    return (min(lats) + max(lats)) / 2, (min(lons) + max(lons)) / 2


def _pairs(coordinates: object) -> Iterator[Point]:
    if not isinstance(coordinates, list):
        return
    if len(coordinates) >= 2 and all(isinstance(one, (int, float)) for one in coordinates[:2]):
        yield float(coordinates[0]), float(coordinates[1])
        return
    for one in coordinates:
        yield from _pairs(one)


def _parquet(path: Path, wanted: Collection[str] | None) -> RawRows:
    """Overture's addresses, or OpenStreetMap's tags as columns or as a map."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    points = {*_LAT, *_LON, "geometry", "bbox", "tags"}
    try:
        with pq.ParquetFile(path) as file:
            names = file.schema_arrow.names
            columns = [name for name in names if wanted is None or name in {*wanted, *points}]
            for batch in file.iter_batches(_BATCH, columns=columns):
                for row in batch.to_pylist():
                    yield _with_tags(row), _parquet_point(row)
    except pa.ArrowInvalid as error:
        raise ValueError(str(error).splitlines()[0]) from error


def _with_tags(row: dict[str, Any]) -> dict[str, Any]:
    tags = row.pop("tags", None)
    pairs = tags.items() if isinstance(tags, dict) else tags or ()
    return {**row, **dict(pairs)}


def _parquet_point(row: Mapping[str, Any]) -> Point | None:
    """By its geometry, if that is a point; else the middle of its box, or by columns."""
    box, shape = row.get("bbox"), row.get("geometry")
    if isinstance(shape, bytes) and len(shape) >= _WKB_POINT:
        kind, lon, lat = struct.unpack("<Idd" if shape[0] == 1 else ">Idd", shape[1:_WKB_POINT])
        if kind % 1000 == 1:
            return lat, lon
    if isinstance(box, dict) and all(isinstance(box.get(edge), float) for edge in _EDGES):
        west, south, east, north = (box[edge] for edge in _EDGES)
        return (south + north) / 2, (west + east) / 2
    return _decimal_point(row)
