"""Rows as CSV (RFC 4180, UTF-8): lists joined with "; ", dates in ISO 8601, what is not known an empty cell.

**Formulas.** Text comes from strangers' pages, and spreadsheets run a cell that begins with = + - or @ as a formula, which can send
the table elsewhere. Such a cell gets an apostrophe before it, as OWASP advises ("CSV Injection"); so does what follows a semicolon, tab
or line end in a cell, because Excel takes those for the ends of cells where a comma is the decimal sign. A cell of digits and the signs of phone
numbers stays as it is, for it can call nothing and "+49 441 123" is how phones are written. `unguarded` gives the text back;
GeoJSON and GeoParquet have it as it was.
"""

import csv
import io
import re
from collections.abc import Iterable, Iterator
from datetime import datetime

from msgspec import Struct

_PART = re.compile(r"[^;\t\r\n]+")  # a cell, or what may be taken for one
_SIGNS = r"[=+\-@\uff1d\uff0b\uff0d\uff20]"  # the wide ones count in East Asian Excel
_BARE = re.compile(rf"\A([\s\0]*)('*{_SIGNS})")
_GUARDED = re.compile(rf"\A([\s\0]*)'('*{_SIGNS})")
_PHONE = re.compile(r"[+\-]?[\d ()./\-]*\Z", re.ASCII)
BOM = "\ufeff".encode()  # by which Excel knows UTF-8


def header(kind: type[Struct]) -> bytes:
    return (",".join(kind.__struct_fields__) + "\n").encode()


def line(row: Struct) -> bytes:
    written = io.StringIO()
    cells = (_cell(getattr(row, name)) for name in row.__struct_fields__)
    csv.writer(written, lineterminator="\r\n").writerow(
        cells
    )  # by which both signs are quoted inside a cell
    return written.getvalue().removesuffix("\r\n").encode() + b"\n"


def lines(kind: type[Struct], rows: Iterable[Struct], bom: bool = False) -> Iterator[bytes]:
    """The pieces of a file."""
    yield (BOM if bom else b"") + header(kind)
    for row in rows:
        yield line(row)


def guarded(text: str) -> str:
    """A text that no spreadsheet takes for a formula."""
    return (
        text if _PHONE.match(text) else _PART.sub(lambda part: _BARE.sub(r"\1'\2", part[0]), text)
    )


def unguarded(text: str) -> str:
    """The text that was guarded."""
    return _PART.sub(lambda part: _GUARDED.sub(r"\1\2", part[0]), text)


def _cell(value: object) -> object:
    match value:
        case str():
            return guarded(value)
        case tuple():
            return guarded("; ".join(map(str, value)))
        case bool():
            return "true" if value else "false"
        case datetime():
            return value.strftime("%Y-%m-%dT%H:%M:%SZ")
    return value
