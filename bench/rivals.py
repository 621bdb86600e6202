"""The two libraries that people use today, called the way they are used.

pyap (0.3.1) looks for addresses in a text by one large pattern a country; it knows the US, Canada
and Britain. usaddress tags the parts of a string that is known to be an address; people give it the
lines of a page that hold a digit and a street word, each with the line after it where that has a
ZIP.
"""

import re
from collections.abc import Iterator

import pyap
import usaddress

from bench.judge import Found

PYAP_COUNTRIES = ("US", "CA", "GB")

_STREET_WORD = re.compile(
    r"\b(?:street|st|avenue|ave|road|rd|drive|dr|boulevard|blvd|lane|ln|court|ct|place|pl|square|sq|parkway|"
    r"pkwy|highway|hwy|circle|cir|way|terrace|trail|plaza|broadway|route|rte|box)\b",
    re.IGNORECASE,
)
_ZIP = re.compile(r"\b\d{5}(?:-\d{4})?\b")
_STREET_PARTS = (
    "StreetNamePreDirectional",
    "StreetNamePreModifier",
    "StreetNamePreType",
    "StreetName",
    "StreetNamePostType",
    "StreetNamePostDirectional",
    "StreetNamePostModifier",
)


def by_pyap(text: str, country: str) -> list[Found]:
    return [_from_pyap(address.as_dict()) for address in pyap.parse(text, country=country)]


def _from_pyap(parts: dict[str, str | None]) -> Found:
    def joined(*names: str) -> str:
        return " ".join(value for name in names if (value := parts.get(name)))

    number = joined("street_number")
    street = joined("street_name", "street_type", "post_direction", "route_id")
    if not number and not street:  # a post office box
        street = joined("full_street")
    unit = joined("floor", "building_id", "occupancy")
    return Found(number, street, joined("city"), joined("postal_code"), unit, joined("region1"))


def by_usaddress(text: str) -> list[Found]:
    return list(_tagged(text))


def _tagged(text: str) -> Iterator[Found]:
    lines = [line.replace("\t", ", ") for line in text.split("\n") if line.strip()]
    for line, after in zip(lines, [*lines[1:], ""], strict=True):
        if not any(map(str.isdigit, line)) or not _STREET_WORD.search(line):
            continue
        whole = f"{line}, {after}" if _ZIP.search(after) and not _ZIP.search(line) else line
        try:
            parts, kind = usaddress.tag(whole)
        except usaddress.RepeatedLabelError:
            continue
        if kind != "Ambiguous":
            yield _from_usaddress(parts)


def _from_usaddress(parts: dict[str, str]) -> Found:
    street = " ".join(parts[name] for name in _STREET_PARTS if name in parts)
    box = " ".join(parts[name] for name in ("USPSBoxType", "USPSBoxID") if name in parts)
    unit = " ".join(
        parts[name] for name in ("OccupancyType", "OccupancyIdentifier") if name in parts
    )
    number, city = parts.get("AddressNumber", ""), parts.get("PlaceName", "")
    return Found(
        number, street or box, city, parts.get("ZipCode", ""), unit, parts.get("StateName", "")
    )
