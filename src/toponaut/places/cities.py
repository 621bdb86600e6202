"""A city that somebody names with its country: the city of an IP address, the city in a contact.

Such names come from databases, not from texts: there is no doubt that a city is meant, only which one.
"""

import re

import numpy as np

from toponaut.places.gazetteer.gazetteer import KINDS, Gazetteer, great_circle_km
from toponaut.places.names.tokens import Ints
from toponaut.records import Kind

Point = tuple[float, float]  # latitude and longitude

# A city and its coordinates come from different sources, which put the middle of a large one at different ends of it:
# Los Angeles spreads 70 km, and the next city of the same name is hardly ever so near.
SAME_CITY_KM = 50.0
_COUNTRY, _CITY, _PART = (
    KINDS.index(Kind.COUNTRY),
    KINDS.index(Kind.CITY),
    KINDS.index(Kind.NEIGHBOURHOOD),
)
_BRACKET = re.compile(r"\s*\(.*")


def city_called(
    gazetteer: Gazetteer, name: str, country: str, state: str = "", point: Point | None = None
) -> int:
    """The id of a city by its name, the country's code or name, the state's code or name, and where it should lie.

    0 where the gazetteer has none such: a name that fits no country, state or point is no evidence.
    """
    code = country_code(gazetteer, country)
    if not code and point is None:
        return 0
    rows = _in_country(gazetteer, gazetteer.rows_named(name), code)
    if (
        not len(rows) and "(" in name
    ):  # "Frankfurt am Main (Innenstadt I)": what follows is a part of the city
        name = _BRACKET.sub("", name)
        rows = _in_country(gazetteer, gazetteer.rows_named(name), code)
    if point is not None:
        return _nearest(gazetteer, rows, point)
    if len(rows) and state:
        inside = _in_country(gazetteer, gazetteer.rows_named(f"{name}, {state}"), code)
        # A state that the gazetteer does not know (its codes are not everywhere those of ISO 3166-2) decides nothing.
        rows = inside if len(inside) or gazetteer.names.lookup(state) >= 0 else rows
    return int(gazetteer.ids[rows[0]]) if len(rows) else 0


def country_code(gazetteer: Gazetteer, country: str) -> str:
    """The code of a country that is given by its code or by a name, "" if there is none such."""
    if len(country) == 2:
        return country.upper()
    rows = gazetteer.rows_named(country)
    rows = rows[gazetteer.levels[rows] == _COUNTRY]
    return gazetteer.country(int(rows[0])) if len(rows) else ""


def is_city(gazetteer: Gazetteer, row: int) -> bool:
    """Whether a row is a city, or a part of one that the gazetteer lists by itself."""
    return int(gazetteer.levels[row]) in (_CITY, _PART)


def _in_country(gazetteer: Gazetteer, rows: Ints, code: str) -> Ints:
    """The cities among some rows, whole ones before parts of one, else in their order."""
    kept = [
        row
        for row in rows.tolist()
        if is_city(gazetteer, row) and (not code or gazetteer.country(row) == code)
    ]
    return np.array(sorted(kept, key=lambda row: int(gazetteer.levels[row])), np.int32)


def _nearest(gazetteer: Gazetteer, rows: Ints, point: Point) -> int:
    """The one of some rows that lies nearest to a point, if it lies there at all."""
    measured = [(great_circle_km(*point, *gazetteer.latlon[row]), row) for row in rows.tolist()]
    km, row = min(measured, default=(SAME_CITY_KM, -1))
    return int(gazetteer.ids[row]) if km < SAME_CITY_KM else 0
