"""How an address is written: JSON lines, GeoJSON or CSV, all with the same columns in the same order."""

from collections.abc import Callable
from typing import NamedTuple

import msgspec

from toponaut.export import csv, geojson
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
    same = {
        name: getattr(address, name)
        for name in COLUMNS
        if name not in ("source", "id", "precision")
    }
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
    return geojson.feature(row).decode()


def _csv(row: Row) -> str:
    return csv.line(row).decode()


FORMATS = {
    "json": Format("", _json, "", ""),
    "geojson": Format(
        geojson.HEAD.decode(), _feature, geojson.BETWEEN.decode(), geojson.TAIL.decode()
    ),
    "csv": Format(csv.header(Row).decode(), _csv, "", ""),
}
