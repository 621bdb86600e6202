"""A place of somebody's list, from OpenStreetMap, Overture, Foursquare, AllThePlaces or any CSV.

Publishers have their own names for the same things; the first name of a list that a row has counts.
`columns` maps our names to others: {"name": "Titel"}.
"""

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from toponaut.errors import InputError
from toponaut.export.raw_rows import first_value, raw_rows
from toponaut.places.addresses.contact.categories import CATEGORIES, category_of_name
from toponaut.places.addresses.contact.phones import international
from toponaut.records import Record
from toponaut.seeds.osm import CATEGORY_KEYS, WEBSITE_KEYS
from toponaut.seeds.seed import web_address

FORMATS = "CSV, GeoJSON or GeoParquet with places (OpenStreetMap, Overture, Foursquare, ...)"
# The names of columns for each part of a place; our own comes first.
COLUMNS: dict[str, tuple[str, ...]] = {
    "id": ("id", "@id", "osm_id", "fsq_place_id", "ref", "gers_id"),
    "name": ("name", "title", "organisation", "business_name"),
    "category": ("category", *CATEGORY_KEYS, "type"),
    "phone": ("phone", "contact:phone", "tel", "telephone"),
    "website": (*WEBSITE_KEYS, "web", "homepage"),
    "number": ("number", "addr:housenumber", "housenumber", "house_number"),
    "street": ("street", "addr:street", "addr:street_address", "address", "freeform"),
    "city": ("city", "addr:city", "locality", "town", "postal_city"),
    "postcode": ("postcode", "addr:postcode", "zip", "zipcode", "postal_code"),
    "country": ("country", "addr:country", "country_code"),
}
_READ = frozenset(
    (*(name for names in COLUMNS.values() for name in names),
     "names", "categories", "phones", "websites", "addresses", "fsq_category_labels")
)  # fmt: skip
_NUMBER_FIRST = re.compile(r"(\d+[a-z]?(?:-\d+)?)[ ,]+(\D.*)", re.IGNORECASE)
_NUMBER_LAST = re.compile(r"(.*\D)[ ,]+(\d+\s?[a-z]?(?:[-/]\d+)?)", re.IGNORECASE)


class ListedPlace(Record, frozen=True):
    """A place of somebody's list. Parts that the list does not give are empty."""

    row: int  # its number in the file, from 1
    id: str = ""
    name: str = ""
    category: str = ""  # in our vocabulary if it is known there
    phone: str = ""  # E.164
    website: str = ""  # in normal form
    number: str = ""
    street: str = ""
    city: str = ""
    postcode: str = ""
    country: str = ""
    lat: float | None = None
    lon: float | None = None


def read_places(path: Path, columns: Mapping[str, str], country: str) -> Iterator[ListedPlace]:
    """The places of a file that have a name. `country`: of places that do not say theirs."""
    names = _names(columns)
    extra = {given.lower() for given in columns.values()} | set(columns.values())
    usable = 0
    for number, (row, point) in enumerate(raw_rows(path, _READ | extra, FORMATS), 1):
        if number == 1:
            _check_columns(path, row, columns)
        place = _place(number, _flat(row), point, names, country)
        if place.name and (place.lat is not None or place.street or place.city or place.website):
            usable += 1
            yield place
    if not usable:
        raise InputError(
            f"{path} has no place with a name and a position, address or website",
            "Name its columns: --columns name=...,street=...,city=...,lat=...,lon=...",
        )


def parse_columns(text: str) -> dict[str, str]:
    """ "name=Titel,city=Ort" as a mapping."""
    found: dict[str, str] = {}
    for part in filter(None, map(str.strip, text.split(","))):
        ours, _, theirs = map(str.strip, part.partition("="))
        if ours not in COLUMNS or not theirs:
            known = ", ".join(COLUMNS)
            raise InputError(f'--columns has "{part}"', f"Write PART=COLUMN with a part of {known}")
        found[ours] = theirs
    return found


def _names(columns: Mapping[str, str]) -> dict[str, tuple[str, ...]]:
    mapped = {part: (theirs, theirs.lower()) for part, theirs in columns.items()}
    return COLUMNS | mapped


def _check_columns(path: Path, row: Mapping[str, Any], columns: Mapping[str, str]) -> None:
    there = {name.lower() for name in row}
    for part, theirs in columns.items():
        if theirs.lower() not in there:
            raise InputError(
                f'{path} has no column "{theirs}" for {part}',
                f"Its columns are {', '.join(list(row)[:20])}",
            )


def _flat(row: Mapping[str, Any]) -> dict[str, Any]:
    """Overture's and Foursquare's nested columns as plain ones."""
    flat = dict(row)
    for nested, name in (("names", "name"), ("categories", "category")):
        if isinstance(inner := row.get(nested), Mapping):
            flat[name] = inner.get("primary")
    for many, name in (("phones", "phone"), ("websites", "website")):
        flat[name] = _first_of(row.get(many)) or row.get(name)
    if labels := _first_of(row.get("fsq_category_labels")):
        flat["category"] = str(labels).rpartition(">")[2]
    if isinstance(address := _first_of(row.get("addresses")), Mapping):
        flat |= address
    return flat


def _first_of(values: Any) -> Any:
    return values[0] if isinstance(values, list) and values else None


def _place(
    number: int,
    row: Mapping[str, Any],
    point: tuple[float, float] | None,
    names: Mapping[str, tuple[str, ...]],
    country: str,
) -> ListedPlace:
    parts = {part: " ".join(first_value(row, some).split()) for part, some in names.items()}
    parts["country"] = parts["country"].upper()[:2] or country
    parts["category"] = _category(parts["category"])
    parts["phone"] = international(parts["phone"].split(";")[0], parts["country"])
    parts["website"] = web_address(parts["website"].split(";")[0]) or ""
    if not parts["number"]:
        parts["number"], parts["street"] = _split(parts["street"])
    lat, lon = point or (None, None)
    return ListedPlace(row=number, lat=lat, lon=lon, **parts)


def _category(said: str) -> str:
    """A word of our vocabulary: "pizza_restaurant" is a restaurant. Others stay as they are."""
    plain = said.strip().lower()
    return plain if plain in CATEGORIES else category_of_name(plain.replace("_", " ")) or plain


def _split(street: str) -> tuple[str, str]:
    """Number and street of a line: "8 Oak St", "Lange Straße 12 a"."""
    if found := _NUMBER_FIRST.fullmatch(street):
        return found[1], found[2]
    if found := _NUMBER_LAST.fullmatch(street):
        return found[2], found[1].rstrip(" ,")
    return "", street
