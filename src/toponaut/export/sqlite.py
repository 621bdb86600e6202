"""Rows as an SQLite database, plain (for datasette) or as a GeoPackage 1.3 (for GIS programs).

Both have one table, named after what its rows are, with the columns of all exports; lists are JSON
arrays, dates ISO 8601. The plain one has a full-text index. A GeoPackage adds the tables of the
standard (OGC 12-128r17), its id in the file's header, and points as blobs with that header of its
own. SQLite needs to seek, so the database is made in a temporary file and copied.
"""

import sqlite3
import struct
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing, contextmanager
from datetime import datetime
from itertools import islice
from pathlib import Path
from tempfile import TemporaryDirectory
from types import UnionType
from typing import Any, get_args, get_type_hints

import msgspec
from msgspec import Struct

Write = Callable[[bytes], object]
_TYPES = {int: "INTEGER", bool: "BOOLEAN", float: "REAL", datetime: "DATETIME"}
_BATCH = 1000
_CHUNK = 1 << 20
_SEARCHED = ("organisation", "category", "street", "city", "title", "description")
# Header of a point: "GP", version 0, little-endian without an envelope, WGS 84; then WKB.
_POINT = struct.Struct("<2sBBiBIdd").pack
_WGS84 = 4326
_APPLICATION, _VERSION = 0x47504B47, 10300  # "GPKG", 1.3.0
_GEOPACKAGE = """
CREATE TABLE gpkg_spatial_ref_sys (srs_name TEXT NOT NULL, srs_id INTEGER PRIMARY KEY,
  organization TEXT NOT NULL, organization_coordsys_id INTEGER NOT NULL, definition TEXT NOT NULL,
  description TEXT);
INSERT INTO gpkg_spatial_ref_sys VALUES
  ('Undefined Cartesian', -1, 'NONE', -1, 'undefined', NULL),
  ('Undefined geographic', 0, 'NONE', 0, 'undefined', NULL),
  ('WGS 84', 4326, 'EPSG', 4326, 'GEOGCS["WGS 84",DATUM["WGS_1984",SPHEROID["WGS 84",6378137,'
   || '298.257223563]],PRIMEM["Greenwich",0],UNIT["degree",0.0174532925199433]]', NULL);
CREATE TABLE gpkg_contents (table_name TEXT PRIMARY KEY, data_type TEXT NOT NULL,
  identifier TEXT UNIQUE, description TEXT DEFAULT '', last_change DATETIME NOT NULL,
  min_x DOUBLE, min_y DOUBLE, max_x DOUBLE, max_y DOUBLE, srs_id INTEGER);
CREATE TABLE gpkg_geometry_columns (table_name TEXT NOT NULL, column_name TEXT NOT NULL,
  geometry_type_name TEXT NOT NULL, srs_id INTEGER NOT NULL, z TINYINT NOT NULL, m TINYINT NOT NULL,
  PRIMARY KEY (table_name, column_name));
"""


def write(out: Write, table: str, kind: type[Struct], rows: Iterable[Struct]) -> None:
    """A plain database."""
    with _copied(out) as db:
        names = _fill(db, table, kind, rows, geometry=False)
        searched = [name for name in _SEARCHED if name in names]
        columns = ", ".join(searched)
        db.execute(f"CREATE VIRTUAL TABLE {table}_fts USING fts5({columns}, content='{table}')")
        db.execute(
            f"INSERT INTO {table}_fts (rowid, {columns}) SELECT rowid, {columns} FROM {table}"
        )


def write_geopackage(out: Write, table: str, kind: type[Struct], rows: Iterable[Struct]) -> None:
    with _copied(out) as db:
        db.execute(f"PRAGMA application_id = {_APPLICATION}")
        db.execute(f"PRAGMA user_version = {_VERSION}")
        db.executescript(_GEOPACKAGE)
        _fill(db, table, kind, rows, geometry=True)
        bounds = db.execute(
            f"SELECT min(lon), min(lat), max(lon), max(lat) FROM {table}"
        ).fetchone()
        # The date of the newest row, so that the same crawl gives the same file.
        last = "strftime('%Y-%m-%dT%H:%M:%fZ', coalesce(max(last_seen), '1970-01-01'))"
        (changed,) = db.execute(f"SELECT {last} FROM {table}").fetchone()
        db.execute(
            "INSERT INTO gpkg_contents VALUES (?, 'features', ?, '', ?, ?, ?, ?, ?, ?)",
            (table, table, changed, *bounds, _WGS84),
        )
        db.execute(
            "INSERT INTO gpkg_geometry_columns VALUES (?, 'geometry', 'POINT', ?, 0, 0)",
            (table, _WGS84),
        )


@contextmanager
def _copied(out: Write) -> Iterator[sqlite3.Connection]:
    with TemporaryDirectory(prefix="toponaut-export-") as folder:
        path = Path(folder) / "export.db"
        with closing(sqlite3.connect(path)) as db:
            db.execute("PRAGMA journal_mode = OFF")
            yield db
            db.commit()
            db.execute("VACUUM")
        with path.open("rb") as file:
            while chunk := file.read(_CHUNK):
                out(chunk)


def _fill(
    db: sqlite3.Connection, table: str, kind: type[Struct], rows: Iterable[Any], *, geometry: bool
) -> list[str]:
    """Creates a table and fills it; returns its columns."""
    hints = get_type_hints(kind)
    # A GeoPackage needs a whole number as key; our ids and URLs identify rows by their own column.
    own = ["fid INTEGER PRIMARY KEY", "geometry POINT"] if geometry else []
    columns = [*own, *(f"{_column(name)} {_type(hint)}" for name, hint in hints.items())]
    db.execute(f"CREATE TABLE {table} ({', '.join(columns)})")
    names = [*(["geometry"] if geometry else []), *hints]
    marks = ", ".join("?" * len(names))
    insert = f"INSERT INTO {table} ({', '.join(map(_column, names))}) VALUES ({marks})"
    rest = iter(rows)
    while some := list(islice(rest, _BATCH)):
        db.executemany(insert, [_values(row, hints, geometry) for row in some])
    return list(hints)


def _column(name: str) -> str:
    return f'"{name}"'


def _type(hint: Any) -> str:
    return _TYPES.get(get_args(hint)[0] if isinstance(hint, UnionType) else hint, "TEXT")


def _values(row: Any, names: Iterable[str], geometry: bool) -> list[object]:
    values: list[object] = [_point(row)] if geometry else []
    return [*values, *(_value(getattr(row, name)) for name in names)]


def _value(value: object) -> object:
    if isinstance(value, tuple):
        return msgspec.json.encode(value).decode()
    if isinstance(value, datetime):
        return value.strftime("%Y-%m-%dT%H:%M:%S.000Z")  # the form that a GeoPackage needs
    return value


def _point(row: Any) -> bytes | None:
    return None if row.lat is None else _POINT(b"GP", 0, 1, _WGS84, 1, 1, row.lon, row.lat)


def datasette_metadata(title: str, table: str) -> bytes:
    """What datasette shows around a database: `datasette FILE --metadata THIS`."""
    sort = {"sort_desc": "pages"} if table == "addresses" else {"sort": "url"}
    about = {
        "title": f"{title}: {table}",
        "source": "Toponaut",
        "license": "Place data: GeoNames, CC BY 4.0",
        "license_url": "https://creativecommons.org/licenses/by/4.0/",
        "databases": {title: {"tables": {table: {"fts_table": f"{table}_fts", **sort}}}},
    }
    return msgspec.json.format(msgspec.json.encode(about)) + b"\n"
