"""Finds a city by its name and country, as in IP databases and contacts.

Such names come from databases, not from texts: they certainly mean a city, but which one?
"""

import re

import numpy as np

from toponaut.places.gazetteer.gazetteer import KINDS, Gazetteer, great_circle_km
from toponaut.places.names.tokens import Ints
from toponaut.records import Kind

Point = tuple[float, float]  # latitude and longitude

# Sources disagree about the centre of a large city: Los Angeles is 70 km wide. Another city of the
# same name is rarely this near.
SAME_CITY_KM = 50.0
_COUNTRY, _CITY = KINDS.index(Kind.COUNTRY), KINDS.index(Kind.CITY)
_PART = KINDS.index(Kind.NEIGHBOURHOOD)
_BRACKET = re.compile(r"\s*\(.*")


def find_city(
    gazetteer: Gazetteer, name: str, country: str, state: str = "", point: Point | None = None
) -> int:
    """The id of a city by its name, its country and state (code or name), and its coordinates.

    0 if the gazetteer has no such city in that country and state, or near that point.
    """
    code = country_code(gazetteer, country)
    if not code and point is None:
        return 0
    rows = _in_country(gazetteer, gazetteer.rows_named(name), code)
    if not len(rows) and "(" in name:  # "Frankfurt am Main (Innenstadt I)"
        name = _BRACKET.sub("", name)
        rows = _in_country(gazetteer, gazetteer.rows_named(name), code)
    if point is not None:
        return _nearest(gazetteer, rows, point)
    if len(rows) and state:
        inside = _in_country(gazetteer, gazetteer.rows_named(f"{name}, {state}"), code)
        # Ignore a state that the gazetteer does not know: not all its codes are from ISO 3166-2.
        rows = inside if len(inside) or gazetteer.names.lookup(state) >= 0 else rows
    return int(gazetteer.ids[rows[0]]) if len(rows) else 0


def country_code(gazetteer: Gazetteer, country: str) -> str:
    """The code of a country given by code or name; "" if unknown."""
    if len(country) == 2:
        return country.upper()
    rows = gazetteer.rows_named(country)
    rows = rows[gazetteer.levels[rows] == _COUNTRY]
    return gazetteer.country(int(rows[0])) if len(rows) else ""


def is_city(gazetteer: Gazetteer, row: int) -> bool:
    """Whether a row is a city, or a listed part of one."""
    return int(gazetteer.levels[row]) in (_CITY, _PART)


def _in_country(gazetteer: Gazetteer, rows: Ints, code: str) -> Ints:
    """The cities among some rows, whole cities before parts of cities."""
    kept = [
        row
        for row in rows.tolist()
        if is_city(gazetteer, row) and (not code or gazetteer.country(row) == code)
    ]
    return np.array(sorted(kept, key=lambda row: int(gazetteer.levels[row])), np.int32)


def _nearest(gazetteer: Gazetteer, rows: Ints, point: Point) -> int:
    """The id of the nearest row to a point, if it is near enough; else 0."""
    measured = [(great_circle_km(*point, *gazetteer.latlon[row]), row) for row in rows.tolist()]
    km, row = min(measured, default=(SAME_CITY_KM, -1))
    return int(gazetteer.ids[row]) if km < SAME_CITY_KM else 0
