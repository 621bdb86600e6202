"""How an address is written: JSON lines, GeoJSON or CSV, all with the same columns in the same order."""

import csv
import io
from collections.abc import Callable
from typing import NamedTuple

import msgspec

from toponaut.records import Address


class Row(msgspec.Struct, frozen=True):
    """One address of one source: the columns of the output."""

    source: str
    text: str
    start: int
    end: int
    number: str
    street: str
    unit: str
    city: str
    state: str
    postcode: str
    country: str
    normal: str
    organisation: str
    phone: str
    lat: float | None
    lon: float | None
    precision: str
    id: int  # of the city's place
    evidence: tuple[str, ...]
    inferred: tuple[str, ...]
    confidence: float


COLUMNS = Row.__struct_fields__


def row(source: str, address: Address) -> Row:
    same = {name: getattr(address, name) for name in COLUMNS if name not in ("source", "id", "precision")}
    return Row(source=source, id=address.place, precision=address.precision.value, **same)


class Format(NamedTuple):
    """How rows become a file: its head, each row, what parts rows, and its tail."""

    head: str
    write: Callable[[Row], str]
    between: str
    tail: str


def _json(row: Row) -> str:
    return msgspec.json.encode(row).decode() + "\n"


def _feature(row: Row) -> str:
    """A point, with longitude first as RFC 7946 wants it; null where no point is known."""
    geometry = None
    if row.lat is not None and row.lon is not None:
        geometry = {"type": "Point", "coordinates": [row.lon, row.lat]}
    return msgspec.json.encode({"type": "Feature", "geometry": geometry, "properties": row}).decode()


def _csv(row: Row) -> str:
    """Lists are joined with semicolons; what is not known is an empty cell."""
    cells = (getattr(row, name) for name in COLUMNS)
    line = io.StringIO()
    csv.writer(line, lineterminator="\n").writerow(";".join(c) if isinstance(c, tuple) else c for c in cells)
    return line.getvalue()


FORMATS = {
    "json": Format("", _json, "", ""),
    "geojson": Format('{"type":"FeatureCollection","features":[\n', _feature, ",\n", "\n]}\n"),
    "csv": Format(",".join(COLUMNS) + "\n", _csv, "", ""),
}
