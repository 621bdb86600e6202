"""A table of records as a file; its ending gives the format."""

from collections.abc import Sequence
from pathlib import Path

from msgspec import Struct

from toponaut.errors import InputError
from toponaut.export import csv, geojson, geoparquet
from toponaut.export.output import whole_file

_ENDINGS = (".csv", ".geojson", ".json", ".geojsonl", ".parquet")


def write_table(path: Path, kind: type[Struct], rows: Sequence[Struct], force: bool) -> None:
    """Writes rows of one kind, which have `lat` and `lon`, as CSV, GeoJSON or GeoParquet."""
    ending = path.suffix.lower()
    if ending not in _ENDINGS:
        raise InputError(
            f"{path}: unknown kind of file", f"Name a file that ends with {', '.join(_ENDINGS)}"
        )
    with whole_file(path, force) as sink:
        if ending == ".parquet":
            geoparquet.write(sink, kind, rows)
        elif ending == ".csv":
            sink.writelines(csv.lines(kind, rows))
        elif ending == ".geojsonl":
            sink.writelines(geojson.lines(rows))
        else:
            sink.writelines(geojson.collection(rows))
