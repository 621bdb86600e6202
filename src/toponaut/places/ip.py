"""What an IP-to-city database says of an address -> a place of the gazetteer.

Vendors lay their records out differently. Two shapes cover them: nested (GeoLite2 and GeoIP2 City, DB-IP, IP2Location:
city.names.en, location.latitude) and flat (IPinfo and others: city, region, lat or loc), under a few names for each field.
"""

import math
from collections.abc import Mapping
from typing import cast

from msgspec import Struct

from toponaut.places.cities import Point, city_called, is_city
from toponaut.places.gazetteer import Gazetteer

# A record that names a city unknown to the gazetteer (GeoNames lists those of 500 people and more) is put into the
# nearest one that is known; a commuter's distance, so that a suburb still speaks for its city.
NEAR_KM = 25.0

_CITIES = ("city", "city_name", "cityName")
_STATES = ("region_code", "region", "state1", "state", "stateprov", "region_name")
_COUNTRIES = ("country_code", "countryCode", "country_iso_code", "country", "country_name")
_LATITUDES, _LONGITUDES = ("latitude", "lat"), ("longitude", "lng", "lon")
_NOTHING = frozenset(
    {"", "-", "unknown", "n/a", "none", "null"}
)  # how flat databases write an empty field


class IpRecord(Struct, frozen=True):
    """What a record says, whoever wrote it. Text is "" and the id 0 where it says nothing."""

    city: str = ""
    state: str = ""  # code or name
    country: str = ""  # likewise
    geoname: int = 0  # of the city
    point: Point | None = None


def place_of(gazetteer: Gazetteer, said: IpRecord) -> int:
    """The id of the city of a record: by its GeoNames id, else by name, else the nearest to its point; 0 if none.

    A record of a whole country or state means no city: its point is the middle of a country, where nobody lives.
    """
    if said.geoname:
        try:
            if is_city(gazetteer, gazetteer.row(said.geoname)):
                return said.geoname
        except KeyError:
            pass
    if not said.city:
        return 0
    found = city_called(gazetteer, said.city, said.country, said.state, said.point)
    if found or said.point is None:
        return found
    nearest = gazetteer.nearest(*said.point)
    return nearest[0][0].id if nearest and nearest[0][1] <= NEAR_KM else 0


def read_record(record: object) -> IpRecord:
    """A record of an MMDB file, of whatever layout. One of another kind (countries, networks) says nothing."""
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
    """A map inside a record, {} if there is none."""
    part = record.get(key)
    return cast(Mapping[str, object], part) if isinstance(part, Mapping) else {}


def _name(part: Mapping[str, object]) -> str:
    """The name in a nested part: the English one if there are several languages."""
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
    return "" if text.lower() in _NOTHING else text


def _whole_number(value: object) -> int:
    text = str(value) if isinstance(value, int | str) and not isinstance(value, bool) else ""
    return int(text) if text.isascii() and text.isdigit() and len(text) < 16 else 0


def _point(location: Mapping[str, object]) -> Point | None:
    """The coordinates, if they can be such. (0, 0) lies in the ocean: databases write it for "not known"."""
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
