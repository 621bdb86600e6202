"""House-level points from the user's own data: `--points`.

    a file     OpenAddresses (CSV, GeoJSON), Overture addresses, an OpenStreetMap extract (GeoJSON
               or GeoParquet): point_files.py
    a URL      a geocoder of the user's own, by the end of its path: /api is Photon, /search is
               Nominatim, /v1/search is Pelias: geocoders.py

An address whose point is only the centre of an area gets the point of its house, with the precision
"house". A point that the page itself gives stays.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Protocol

from toponaut.errors import InputError
from toponaut.records import Address, Precision

Point = tuple[float, float]  # latitude, longitude
HOUSE_KM = 0.03  # around the point of a house


class HouseAddress(Protocol):
    """What a lookup needs of an address; an exported row has it as well."""

    @property
    def number(self) -> str: ...
    @property
    def street(self) -> str: ...
    @property
    def city(self) -> str: ...
    @property
    def state(self) -> str: ...
    @property
    def postcode(self) -> str: ...
    @property
    def country(self) -> str: ...
    @property
    def lat(self) -> float | None: ...
    @property
    def lon(self) -> float | None: ...


class HousePoints(Protocol):
    """Points of houses."""

    def find(self, address: HouseAddress) -> Point | None:
        """The point of an address's house; None if it is not known for sure."""

    def close(self) -> None: ...


@contextmanager
def prepared(source: str) -> Iterator[str]:
    """A file read into a table, or a geocoder's URL, for `open_points` in any process.

    Raises InputError if it cannot be used.
    """
    if not source or source.startswith(("http://", "https://")):
        yield source
        return
    if "://" in source:
        raise InputError(f"--points is {source!r}", "Name a file, or an http(s) URL of a geocoder")
    from toponaut.export.point_files import point_table

    with point_table(Path(source)) as table:
        yield table


def open_points(prepared: str) -> HousePoints:
    """What `prepared` has prepared, opened in this process."""
    from toponaut.export.geocoders import open_geocoder
    from toponaut.export.point_files import PointTable

    return open_geocoder(prepared) if "://" in prepared else PointTable(prepared)


def house_point(address: HouseAddress, precision: str, points: HousePoints) -> Point | None:
    """The point of the house, if the address has a number and no point of its own."""
    if precision == Precision.GIVEN or not address.number or not address.street:
        return None
    return points.find(address)


def at_house(address: Address, points: HousePoints) -> Address:
    """The address with the point of its house, if it is known."""
    from msgspec.structs import replace

    point = house_point(address, address.precision, points)
    if point is None:
        return address
    return replace(address, lat=point[0], lon=point[1], precision=Precision.HOUSE)
