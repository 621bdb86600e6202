"""The parts of a known street line: "725 SW 10th Street, Suite 102" -> number, street, unit.

Structured data marks a string as a street line, but not its parts. The number comes first
(English-speaking countries, France) or last (most of Europe and Latin America). The country decides
which end is tried first, then the other end, except where a trailing number belongs to the name
("Highway 12", "County Road 5").
"""

import re
from functools import lru_cache
from typing import NamedTuple

from toponaut.places.addresses.lazy_pattern import lazy_pattern

_MAX = 300  # characters; longer "street lines" are prose
_NAME_MAY_END_IN_NUMBER = frozenset("US CA GB IE AU NZ IN ZA SG PR PH".split())
_NUMBER_FIRST = _NAME_MAY_END_IN_NUMBER | {"FR", "LU", "MC", "MT"}
_BUILDING_IS_UNIT = frozenset({"GB", "IE"})  # "Wellington House, 12 High Street"

_BOX = lazy_pattern(
    r"(?:P\.?\s?O\.?\s?Box|Post Office Box|GPO Box|Postfach|Postbus|Apartado|Bo[iî]te postale"
    r"|Case postale|B\.?P\.|BP|CP|Locked Bag)\.?\s*(?:n\.?[º°o]\s*)?#?[\d ]*\d",
    re.IGNORECASE,
)
_SPELLED = "One|Two|Three|Four|Five|Six|Seven|Eight|Nine|Ten|Eleven|Twelve"
_FIRST = lazy_pattern(
    r"(?:(?:No|Nr|N[º°])\.?\s*)?"
    r"(?P<number>[NSEW]\d{1,3}[NSEW]\d{1,5}"  # Wisconsin: N95W16915
    r"|\d{1,6}(?:-?[A-Za-z])?(?:\s?[-–/&]\s?\d{1,6}[A-Za-z]?)?(?:\s\d/\d)?(?:\s?(?:bis|ter|quater)\b)?"
    rf"|(?:{_SPELLED})(?=\s[A-Z]))"
    r"(?![\w.º°])[\s,]+(?P<street>\S.*)",
)
# "12", "1 a", "12-14", "12 – 14", "5/7", "12/3/14", "81-II", "12 hs"
_LAST = lazy_pattern(
    r"(?P<street>\S.*?)[\s,]+(?:(?:Nr|No|n[.º°]+|Hausnummer)\.?\s*)?(?P<number>\d{1,5}"
    r"(?:\s?[A-Za-z](?![A-Za-z]))?(?:\s?[-–/+]\s?\d{1,5}(?:\s?[A-Za-z](?![A-Za-z]))?){0,3}"
    r"(?:-[IVX]{1,4}\b|\s(?:hs|bis|ter)\b)?)$"
)
_ONLY_NUMBER = lazy_pattern(
    r"(?:(?:Nr|No|n[.º°]+)\.?\s*)?\d{1,6}\s?(?:bis|ter|[A-Za-z])?"
    r"(?:\s?[-–/]\s?\d{1,6}\s?[A-Za-z]?)?"
)
_ORDINAL = r"(?:\d{1,3}(?:st|nd|rd|th)|First|Second|Third|Fourth|Fifth|Ground|Lower|Upper|Main|Top)"
_WORDS = (
    "Suite|Ste|Apartment|Apt|Unit|Flat|Room|Rm|Floor|Fl|Building|Bldg|Lot|Space|Spc|Department"
    "|Dept|Level|Office|Shop|Stall|Stand|Studio|Trailer|Trlr|Penthouse|PH|Stiege|Top|Tür|Whg"
    "|Wohnung|Gebäude|Haus|Aufgang|Appartement|Appt|App|Bâtiment|Bât|Bat|Escalier"
)
_UNIT = (
    rf"(?:(?:{_WORDS})\b\.?\s*\#?\s*(?:[\w/-]*\d[\w/-]*|[A-Za-z])"
    r"|\#\s*[\w/-]+"
    rf"|{_ORDINAL}\s+(?:Floor|Fl|Level)\b\.?"
    r"|\d{1,2}\.\s?(?:OG|UG|Obergeschoss|Stockwerk|Stock|Etage)"
    r"|(?:EG|DG|Erdgeschoss|Dachgeschoss|Hinterhaus|Vorderhaus|Seitenflügel)"
    r"|\d{1,2}\s?(?:er|ème|e)\s+étage"
    r"|(?:\d{1,2}\.?[ºª°]|R/C)(?:\s?(?:andar|esq\.?|dto\.?|dt\.?|frente|[A-Z]))?)"
)
_UNIT_SEGMENT = lazy_pattern(rf"{_UNIT}(?:[\s,]+{_UNIT}){{0,2}}", re.IGNORECASE)
_UNIT_AT_END = lazy_pattern(
    rf"(?P<rest>\S+\s.*?)\s+(?P<unit>{_UNIT}(?:\s+{_UNIT}){{0,2}})$", re.IGNORECASE
)
_UNIT_AT_START = lazy_pattern(rf"(?P<unit>{_UNIT})[\s,/-]+(?P<rest>\d.*)$", re.IGNORECASE)
_JOINED = lazy_pattern(
    r"(?P<unit>\d{1,5})\s?(?P<sign>[-–/])\s?(?P<number>\d{1,6})(?P<letter>[A-Za-z]?)$"
)
_LONGEST_RANGE = 50  # "1880-1884 Marine Drive" is a range of numbers, "203-1885" a flat in 1885
_SEGMENTS = lazy_pattern(r"\s*[,;|\n]\s*|\s+[·•]\s+")


class StreetLine(NamedTuple):
    number: str
    street: str
    unit: str


@lru_cache(maxsize=4096)  # the pages of a site give the same addresses
def split_street(text: str, country: str) -> StreetLine:
    """Number, street and unit of a street line, by a country's convention ("" if unknown)."""
    segments = _rejoined([part for part in _SEGMENTS.split(text[:_MAX].strip()) if part], country)
    units = [part for part in segments if _UNIT_SEGMENT.fullmatch(part)]
    boxes = [part for part in segments if _BOX.fullmatch(part)]
    others = [part for part in segments if part not in units and part not in boxes]
    if not others:
        return StreetLine("", boxes[0] if boxes else "", ", ".join(units))
    line, number, street, unit = _numbered(others, country)
    number, joined = _unit_in_number(number, country)
    buildings = others[: others.index(line)] if country in _BUILDING_IS_UNIT else []
    return StreetLine(number, street, ", ".join(filter(None, (joined, unit, *units, *buildings))))


def _rejoined(segments: list[str], country: str) -> list[str]:
    """With a lone number rejoined to its street: "12, rue de la Paix", "Rua Augusta, 12"."""
    for k, part in enumerate(segments):
        if _ONLY_NUMBER.fullmatch(part):
            before = k > 0 and (country not in _NUMBER_FIRST or k + 1 == len(segments))
            first = k - 1 if before else k
            line = ", ".join(segments[first : first + 2])
            return [*segments[:first], line, *segments[first + 2 :]]
    return segments


def _numbered(segments: list[str], country: str) -> tuple[str, str, str, str]:
    """The segment that is the street line, with its number, street and unit.

    It is the first with a number; else the first, or in Britain the last, after the building.
    """
    ways = [_first, _last] if not country or country in _NUMBER_FIRST else [_last, _first]
    if country in _NAME_MAY_END_IN_NUMBER:
        ways = [_first]
    for way in ways:
        for segment in segments:
            number, street, unit = way(segment)
            if number:
                return segment, number, street, unit
    line = segments[-1] if country in _BUILDING_IS_UNIT else segments[0]
    return line, "", line, ""


def _first(segment: str) -> StreetLine:
    unit = ""
    found = _UNIT_AT_START.match(segment)
    if not found or not _FIRST.fullmatch(found["rest"]):
        found = _UNIT_AT_END.match(segment)
    if found:
        unit, segment = found["unit"], found["rest"]
    read = _FIRST.fullmatch(segment)
    return StreetLine(read["number"], read["street"], unit) if read else StreetLine("", "", "")


def _last(segment: str) -> StreetLine:
    unit = ""
    if (found := _UNIT_AT_END.match(segment)) and _LAST.fullmatch(found["rest"]):
        unit, segment = found["unit"], found["rest"]
    read = _LAST.fullmatch(segment)
    return StreetLine(read["number"], read["street"], unit) if read else StreetLine("", "", "")


def _unit_in_number(number: str, country: str) -> tuple[str, str]:
    """Number and unit of Canada's "203-1885" and Australia's "5/12"; a range stays whole."""
    found = _JOINED.match(number)
    if not found or found["sign"] not in {"CA": "-–", "AU": "/", "NZ": "/"}.get(country, ""):
        return number, ""
    if country == "CA" and 0 < int(found["number"]) - int(found["unit"]) < _LONGEST_RANGE:
        return number, ""
    return found["number"] + found["letter"], found["unit"]
