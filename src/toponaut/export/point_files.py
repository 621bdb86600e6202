"""The points of a file of addresses, found by number, street and area.

The file is read once into a temporary SQLite table, so memory does not grow with it. Each format
names its columns in its own way; the first name of a list that a row has counts. Rows without a
number, a street or a point are left out.
"""

import contextlib
import csv
import gzip
import re
import sqlite3
import struct
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from itertools import chain
from pathlib import Path
from typing import IO, Any, NamedTuple

import msgspec

from toponaut.errors import InputError
from toponaut.export.house_points import HouseAddress, Point
from toponaut.places.addresses.normal import house_line, plain
from toponaut.places.gazetteer.gazetteer import great_circle_km

_BATCH = 10_000
_FAR_KM = 60.0  # from the centre of an address's area: a namesake in another region
_SAME_KM = 0.5  # several points of one house; further apart, they are of several houses
_FORMATS = "CSV (OpenAddresses), GeoJSON (OpenAddresses, OpenStreetMap) or GeoParquet (Overture)"
_ENDINGS = (".csv", ".csv.gz", ".geojson", ".geojsonl", ".json", ".geojson.gz", ".parquet")
# Names of columns: OpenAddresses, Overture, OpenStreetMap.
_NUMBER = ("number", "addr:housenumber", "housenumber", "house_number")
_STREET = ("street", "addr:street", "addr_street", "addr:place")
_CITY = ("city", "postal_city", "addr:city", "addr_city")
_POSTCODE = ("postcode", "addr:postcode", "addr_postcode", "postal_code")
_EDGES = ("xmin", "ymin", "xmax", "ymax")
_WKB_POINT = 21  # bytes
_LAT, _LON = ("lat", "latitude", "y"), ("lon", "lng", "longitude", "x")


class HouseRow(NamedTuple):
    line: str  # number and street, normalised
    postcode: str
    city: str
    lat: float
    lon: float


@contextlib.contextmanager
def point_table(path: Path) -> Iterator[str]:
    """The name of a table with the points of a file; it is deleted at the end."""
    with tempfile.TemporaryDirectory(prefix="toponaut-points-") as folder:
        table = str(Path(folder) / "houses.sqlite")
        with contextlib.closing(sqlite3.connect(table)) as connection, connection:
            connection.execute("create table house (line, postcode, city, lat, lon)")
            insert = "insert into house values (?, ?, ?, ?, ?)"
            count = connection.executemany(insert, _rows_in(path)).rowcount
            connection.execute("create index by_line on house (line)")
        if count < 1:
            raise InputError(
                f"{path} has no address with number, street and point", f"Name a file of {_FORMATS}"
            )
        yield table


class PointTable:
    """A table of houses, opened to read: every process may."""

    def __init__(self, table: str) -> None:
        self._connection = sqlite3.connect(f"file:{table}?mode=ro", uri=True)

    def find(self, address: HouseAddress) -> Point | None:
        line = house_line(address.number, address.street)
        found = self._connection.execute("select * from house where line = ?", (line,))
        return _best(address, [HouseRow(*row) for row in found])

    def close(self) -> None:
        self._connection.close()


def _best(address: HouseAddress, rows: list[HouseRow]) -> Point | None:
    """The point of the rows that agree best in postcode and town, if they are one house."""
    weighed = [(agreement, row) for row in rows if (agreement := _agreement(address, row)) >= 0]
    most = max((agreement for agreement, _ in weighed), default=0)
    best = [row for agreement, row in weighed if agreement == most]
    if not best:
        return None
    first = best[0]
    if any(great_circle_km(first.lat, first.lon, one.lat, one.lon) > _SAME_KM for one in best):
        return None
    return first.lat, first.lon


def _agreement(address: HouseAddress, row: HouseRow) -> int:
    """2 for the postcode and 1 for the town; -1 if the row is of another area."""
    if _is_far(address, row):
        return -1
    same_city = bool(row.city) and row.city == _folded(address.city)
    own = _code(address.postcode)
    if own and row.postcode:
        shared = min(len(own), len(row.postcode), 5)  # a ZIP+4 is of its ZIP
        same_code = own == row.postcode or (own.isdigit() and own[:shared] == row.postcode[:shared])
        return 2 + same_city if same_code else same_city or -1
    if row.city and address.city and not same_city:
        return -1
    known = address.lat is not None or same_city
    return int(same_city) if known else -1


def _is_far(address: HouseAddress, row: HouseRow) -> bool:
    if address.lat is None or address.lon is None:
        return False
    return great_circle_km(address.lat, address.lon, row.lat, row.lon) > _FAR_KM


def _folded(city: str) -> str:
    return " ".join(re.findall(r"\w+", plain(city, "DE")))


def _code(postcode: str) -> str:
    return re.sub(r"[\s-]", "", postcode.upper())


# --- reading files ---


def _rows_in(path: Path) -> Iterator[HouseRow]:
    name = path.name.lower()
    if not name.endswith(_ENDINGS):
        raise InputError(f"{path}: unknown kind of file", f"Name a file of {_FORMATS}")
    try:
        read = _parquet if name.endswith(".parquet") else _csv if ".csv" in name else _geojson
        for properties, point in read(path):
            if row := _row(properties, point):
                yield row
    except OSError as error:
        reason = error.strerror or str(error)
        raise InputError(
            f"{path}: {reason}", "Check that it exists and that you may read it"
        ) from error
    except (UnicodeDecodeError, csv.Error, msgspec.MsgspecError, ValueError) as error:
        raise InputError(f"{path} is damaged ({error})", f"Name a file of {_FORMATS}") from error


def _row(properties: Mapping[str, Any], point: Point | None) -> HouseRow | None:
    number, street = _first(properties, _NUMBER), _first(properties, _STREET)
    if not number or not street or point is None:
        return None
    lat, lon = point
    if not (-90 <= lat <= 90 and -180 <= lon <= 180):
        return None
    code, city = _code(_first(properties, _POSTCODE)), _folded(_first(properties, _CITY))
    return HouseRow(house_line(number, street), code, city, lat, lon)


def _first(properties: Mapping[str, Any], names: tuple[str, ...]) -> str:
    found = (str(properties[name]).strip() for name in names if properties.get(name) is not None)
    return next(filter(None, found), "")


Raw = Iterator[tuple[Mapping[str, Any], Point | None]]


def _opened(path: Path) -> IO[str]:
    if path.name.lower().endswith(".gz"):
        return gzip.open(path, "rt", encoding="utf-8-sig", newline="")
    return path.open(encoding="utf-8-sig", newline="")


def _csv(path: Path) -> Raw:
    """OpenAddresses writes LON, LAT, NUMBER, STREET, CITY, POSTCODE; the case varies."""
    with _opened(path) as file:
        for line in csv.DictReader(file):
            row = {name.lower(): value for name, value in line.items() if isinstance(name, str)}
            yield row, _decimal_point(row)


def _decimal_point(row: Mapping[str, Any]) -> Point | None:
    try:
        return float(_first(row, _LAT)), float(_first(row, _LON))
    except ValueError:
        return None


def _geojson(path: Path) -> Raw:
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


def _parquet(path: Path) -> Raw:
    """Overture's addresses, or OpenStreetMap's tags as columns or as a map."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    wanted = {*_NUMBER, *_STREET, *_CITY, *_POSTCODE, *_LAT, *_LON, "geometry", "bbox", "tags"}
    try:
        with pq.ParquetFile(path) as file:
            columns = [name for name in file.schema_arrow.names if name in wanted]
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
