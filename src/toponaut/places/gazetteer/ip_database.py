"""IP-to-city databases: opens any MMDB file and maps its records to places of the gazetteer.

Vendors lay out their records differently. Two shapes cover them: nested (GeoLite2 and GeoIP2 City,
DB-IP, IP2Location: city.names.en, location.latitude) and flat (IPinfo and others: city, region, lat
or loc), with a few names for each field.
"""

import math
from collections.abc import Iterator, Mapping
from functools import lru_cache
from itertools import islice
from typing import cast

import maxminddb
from maxminddb import InvalidDatabaseError
from maxminddb.reader import Reader
from msgspec import Struct

from toponaut.errors import InputError
from toponaut.places.cities import Point, find_city, is_city
from toponaut.places.gazetteer import Gazetteer
from toponaut.strategy.setting import LocateIp

WHERE_TO_GET = "See where to get one with: toponaut data ip"
SAMPLE = 10_000  # networks to check for cities: 0.1 s
_REMEMBERED = 100_000  # addresses, and the same number of records

# A city that the gazetteer lacks (it has those of 500 people and more) is replaced by the nearest
# known one, up to this distance.
NEAR_KM = 25.0

_CITIES = ("city", "city_name", "cityName")
_STATES = ("region_code", "region", "state1", "state", "stateprov", "region_name")
_COUNTRIES = ("country_code", "countryCode", "country_iso_code", "country", "country_name")
_LATITUDES, _LONGITUDES = ("latitude", "lat"), ("longitude", "lng", "lon")
_EMPTY = frozenset({"", "-", "unknown", "n/a", "none", "null"})  # empty fields of flat databases


class IpRecord(Struct, frozen=True):
    """A record in one layout for all vendors. Missing text is "", a missing id is 0."""

    city: str = ""
    state: str = ""  # code or name
    country: str = ""  # code or name
    geoname: int = 0  # of the city
    point: Point | None = None


class IpDatabase:
    """An MMDB file. Raises InputError if it is not an MMDB file, or if it has no cities."""

    def __init__(self, path: str) -> None:
        try:
            self._reader: Reader = maxminddb.open_database(path)
        except OSError as error:
            raise InputError(
                f"{path} cannot be read ({error.strerror or error})", WHERE_TO_GET
            ) from error
        except (InvalidDatabaseError, ValueError) as error:
            raise InputError(
                f"{path} is not an MMDB file", f"Give an IP-to-city database. {WHERE_TO_GET}"
            ) from error
        self.about = self._reader.metadata()
        if not any(record.city for record in self.sample()):
            self.close()
            raise InputError(
                f'{path} has no cities (it is a "{self.about.database_type}")',
                f"Give a database of cities, not of countries or networks. {WHERE_TO_GET}",
            )

    def sample(self) -> Iterator[IpRecord]:
        """The first records, network by network."""
        try:
            for _, record in islice(self._reader, SAMPLE):
                yield read_record(record)
        except (InvalidDatabaseError, ValueError):
            return  # a truncated file: use the records before that

    def record(self, address: str) -> IpRecord:
        """The record of an address; an empty one for an unknown or invalid address."""
        try:
            return read_record(self._reader.get(address))
        except (InvalidDatabaseError, ValueError):  # also IPv6 in a database of IPv4
            return IpRecord()

    def close(self) -> None:
        self._reader.close()


def open_ip_places(gazetteer: Gazetteer, path: str) -> LocateIp:
    """A function from IP addresses to places. Caches answers: crawls meet the same servers."""
    database = IpDatabase(path)
    # Many addresses share a record, whose look-up may take 1 ms.
    place_of = lru_cache(_REMEMBERED)(lambda record: locate_record(gazetteer, record))
    return lru_cache(_REMEMBERED)(lambda address: place_of(database.record(address)))


# --- records ----------------------------------------------------------------------------------


def locate_record(gazetteer: Gazetteer, record: IpRecord) -> int:
    """The id of a record's city: by GeoNames id, else by name, else the nearest; 0 if not found.

    The record of a whole country or state has no city: its point is just the middle of the area.
    """
    if record.geoname:
        try:
            if is_city(gazetteer, gazetteer.row(record.geoname)):
                return record.geoname
        except KeyError:
            pass
    if not record.city:
        return 0
    found = find_city(gazetteer, record.city, record.country, record.state, record.point)
    if found or record.point is None:
        return found
    nearest = gazetteer.nearest(*record.point)
    return nearest[0][0].id if nearest and nearest[0][1] <= NEAR_KM else 0


def read_record(record: object) -> IpRecord:
    """Read a record of any layout. Records of countries or networks have no city."""
    if not isinstance(record, Mapping):
        return IpRecord()
    whole = cast(Mapping[str, object], record)
    city, states = _part(whole, "city"), whole.get("subdivisions")
    state = states[0] if isinstance(states, list) and states else None
    country = _part(whole, "country")
    location = _part(whole, "location") or whole
    return IpRecord(
        city=_name(city) or _first(whole, _CITIES),
        state=(_code_or_name(state) if isinstance(state, Mapping) else "")
        or _first(whole, _STATES),
        country=_code_or_name(country) or _first(whole, _COUNTRIES),
        geoname=_whole_number(city.get("geoname_id") if city else whole.get("geoname_id")),
        point=_point(location),
    )


def _part(record: Mapping[str, object], key: str) -> Mapping[str, object]:
    """A map inside a record; {} if it is missing."""
    part = record.get(key)
    return cast(Mapping[str, object], part) if isinstance(part, Mapping) else {}


def _name(part: Mapping[str, object]) -> str:
    """The name in a nested part: the English one, if there are several languages."""
    names = part.get("names")
    if not isinstance(names, Mapping):
        return _text(part.get("name"))
    return _text(names.get("en")) or next(filter(None, map(_text, names.values())), "")


def _code_or_name(part: Mapping[str, object]) -> str:
    return _text(part.get("iso_code")) or _name(part)


def _first(record: Mapping[str, object], keys: tuple[str, ...]) -> str:
    return next(filter(None, (_text(record.get(key)) for key in keys)), "")


def _text(value: object) -> str:
    text = value.strip() if isinstance(value, str) else ""
    return "" if text.lower() in _EMPTY else text


def _whole_number(value: object) -> int:
    text = str(value) if isinstance(value, int | str) and not isinstance(value, bool) else ""
    return int(text) if text.isascii() and text.isdigit() and len(text) < 16 else 0


def _point(location: Mapping[str, object]) -> Point | None:
    """The coordinates, if valid. Databases write (0, 0) for "not known"."""
    first = [
        next((location[key] for key in keys if key in location), "")
        for keys in (_LATITUDES, _LONGITUDES)
    ]
    if first == ["", ""] and isinstance(both := location.get("loc"), str):
        first = list(both.split(","))
    try:
        lat, lon = (float(cast(str, number)) for number in first)
    except (TypeError, ValueError):
        return None
    sound = math.isfinite(lat) and math.isfinite(lon) and abs(lat) <= 90 and abs(lon) <= 180
    return (lat, lon) if sound and (lat, lon) != (0, 0) else None
