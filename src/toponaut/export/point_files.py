"""The points of a file of addresses, found by number, street and area.

The file is read once into a temporary SQLite table, so memory does not grow with it. Each format
names its columns in its own way; the first name of a list that a row has counts. Rows without a
number, a street or a point are left out.
"""

import contextlib
import re
import sqlite3
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from toponaut.errors import InputError
from toponaut.export.house_points import HouseAddress, Point
from toponaut.export.raw_rows import first_value, raw_rows
from toponaut.places.addresses.normal import house_line, plain
from toponaut.places.gazetteer.gazetteer import great_circle_km

_FAR_KM = 60.0  # from the centre of an address's area: a namesake in another region
_SAME_KM = 0.5  # several points of one house; further apart, they are of several houses
_FORMATS = "CSV (OpenAddresses), GeoJSON (OpenAddresses, OpenStreetMap) or GeoParquet (Overture)"
# Names of columns: OpenAddresses, Overture, OpenStreetMap.
_NUMBER = ("number", "addr:housenumber", "housenumber", "house_number")
_STREET = ("street", "addr:street", "addr_street", "addr:place")
_CITY = ("city", "postal_city", "addr:city", "addr_city")
_POSTCODE = ("postcode", "addr:postcode", "addr_postcode", "postal_code")


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


def _rows_in(path: Path) -> Iterator[HouseRow]:
    columns = (*_NUMBER, *_STREET, *_CITY, *_POSTCODE)
    for properties, point in raw_rows(path, columns, _FORMATS):
        if row := _row(properties, point):
            yield row


def _row(properties: Mapping[str, Any], point: Point | None) -> HouseRow | None:
    number, street = first_value(properties, _NUMBER), first_value(properties, _STREET)
    if not number or not street or point is None:
        return None
    lat, lon = point
    if not (-90 <= lat <= 90 and -180 <= lon <= 180):
        return None
    code, city = _code(first_value(properties, _POSTCODE)), _folded(first_value(properties, _CITY))
    return HouseRow(house_line(number, street), code, city, lat, lon)
