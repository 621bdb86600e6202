"""A table of records as a file: CSV, GeoJSON or GeoParquet, for exports and for verdicts."""

from collections.abc import Iterable
from pathlib import Path

from msgspec import Struct

from toponaut.errors import InputError
from toponaut.export import csv, geojson, geoparquet
from toponaut.export.output import OutputSink, whole_file

# Each format with its file endings; the first is the default.
TABLE_FORMATS = {
    "geojson": (".geojson", ".json"),
    "geojsonl": (".geojsonl", ".geojsons"),
    "geoparquet": (".parquet", ".geoparquet"),
    "csv": (".csv",),
}


def write_table(path: Path, kind: type[Struct], rows: Iterable[Struct], force: bool) -> None:
    """Writes rows of one kind, which have `lat` and `lon`; the file's ending gives the format."""
    name = path.name.lower()
    form = next((form for form, ends in TABLE_FORMATS.items() if name.endswith(ends)), "")
    if not form:
        endings = ", ".join(one for ends in TABLE_FORMATS.values() for one in ends)
        raise InputError(f"{path}: unknown kind of file", f"Name a file that ends with {endings}")
    with whole_file(path, force) as sink:
        write_rows(sink, form, kind, rows)


def write_rows(
    sink: OutputSink, form: str, kind: type[Struct], rows: Iterable[Struct], bom: bool = False
) -> None:
    """Writes rows in one of TABLE_FORMATS. `bom`: CSV starts with a byte order mark."""
    match form:
        case "geoparquet":
            geoparquet.write(sink, kind, rows)
        case "geojson":
            sink.writelines(geojson.collection(rows))
        case "geojsonl":
            sink.writelines(geojson.lines(rows))
        case "csv":
            sink.writelines(csv.lines(kind, rows, bom))
