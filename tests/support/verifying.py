"""Listed places and rows of a crawl from a few words, for the tests of verify."""

from typing import Any

from toponaut.export.rows import AddressRow
from toponaut.verify.listed_place import ListedPlace

_NUMBERS = ("lat", "lon", "radius_km")


def listed_place(**parts: str) -> ListedPlace:
    return ListedPlace(1, **_values(parts))


def row_of(**parts: str) -> AddressRow:
    """A row with these parts; all others are empty."""
    empty: dict[str, Any] = dict.fromkeys(AddressRow.__struct_fields__, "")
    empty |= {"lat": None, "lon": None, "radius_km": None, "urls": (), "country": "US"}
    return AddressRow(**(empty | _values(parts)))


def _values(parts: dict[str, str]) -> dict[str, Any]:
    return {
        name: float(value) if name in _NUMBERS and value else value for name, value in parts.items()
    }
