"""Rows as CSV (RFC 4180, UTF-8): lists joined with "; ", dates in ISO 8601, unknown values as empty
cells.

**Formulas.** Spreadsheets run a cell that begins with = + - or @, which can send the table
elsewhere. Such text from web pages gets an apostrophe in front, as OWASP advises ("CSV Injection");
also after a semicolon, tab or line end, where Excel may split cells. Phone numbers stay unchanged.
`unguarded` restores the text.
"""

import csv
import io
import re
from collections.abc import Iterable, Iterator
from datetime import datetime

from msgspec import Struct

_PART = re.compile(r"[^;\t\r\n]+")  # a cell, or a part that Excel may take for one
_SIGNS = r"[=+\-@\uff1d\uff0b\uff0d\uff20]"  # East Asian Excel knows the wide ones
_BARE = re.compile(rf"\A([\s\0]*)('*{_SIGNS})")
_GUARDED = re.compile(rf"\A([\s\0]*)'('*{_SIGNS})")
_PHONE = re.compile(r"[+\-]?[\d ()./\-]*\Z", re.ASCII)
BOM = "\ufeff".encode()  # so that Excel recognises UTF-8


def header(kind: type[Struct]) -> bytes:
    return (",".join(kind.__struct_fields__) + "\n").encode()


def line(row: Struct) -> bytes:
    written = io.StringIO()
    cells = (_cell(getattr(row, name)) for name in row.__struct_fields__)
    # With this line end, the writer quotes cells that contain either sign.
    csv.writer(written, lineterminator="\r\n").writerow(cells)
    return written.getvalue().removesuffix("\r\n").encode() + b"\n"


def lines(kind: type[Struct], rows: Iterable[Struct], bom: bool = False) -> Iterator[bytes]:
    """The pieces of a file."""
    yield (BOM if bom else b"") + header(kind)
    for row in rows:
        yield line(row)


def guarded(text: str) -> str:
    """The text, changed so that no spreadsheet takes it for a formula."""
    return (
        text if _PHONE.match(text) else _PART.sub(lambda part: _BARE.sub(r"\1'\2", part[0]), text)
    )


def unguarded(text: str) -> str:
    """The text before it was guarded."""
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
