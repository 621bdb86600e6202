"""The street of an office: the lines between its name and its town, whatever is written there.

    9th Floor, Ambadeep Building / 14 Kasturba Gandhi Marg    number, street, and the rest as unit
    501 Sakar Complex / Ashram Road                           a number and a building on a street
    Block 8, East Ahmadi                                      neither: the first part with a digit

Such lists mix layouts of many countries, so only the form of each segment counts.
"""

import re
from collections.abc import Sequence

from msgspec import Struct

from toponaut.places.addresses.world.street import type_of

# A line without a digit belongs to an address if it has one of these words.
_PLACE_WORDS = re.compile(
    r"\b(?:buildings?|bldg|tower|house|plaza|floor|complex|cent(?:re|er)|park|estate|block|plot|villa"
    r"|campus|near|opp|opposite|behind|sector|zone|district|nagar|colony|industrial|area|crossing"
    r"|junction|chambers|mansion|menara|wisma|gedung|edificio|edifício|torre|piso|p\.?\s?o\.?\s?box"
    r"|post box|p\.?\s?b\.?\s?no|marg|sarani|path|chowk|bazar|bazaar|market|free zone)\b",
    re.IGNORECASE,
)
_INDOORS = re.compile(
    r"\b(?:floor|fl|flat|room|rm|suite|unit|office|shop|level|wing|entrance|tower|building|bldg"
    r"|\d{1,2}f|\d{1,2}/f|piso|oficina|of|lantai)\b",
    re.IGNORECASE,
)
_BOX = re.compile(r"(?i)(?:p\.?\s?o?\.?\s?(?:box|b)|post\s?box|postfach|casilla|apartado)\b.*\d")
_NUMBER = r"(?:[A-Za-z]{1,3}[-/ ]?)?\d{1,5}[A-Za-z]?(?:\s?[-/&]\s?\d{1,5}[A-Za-z]?){0,3}"
_FIRST = re.compile(
    rf"(?:(?i:no|nr|h\.?\s?no|house no|plot no|plot|door no|lot|shop no)\b\s?[.:#]*\s?|#\s?)?"
    rf"(?P<number>{_NUMBER})(?![\w.])(?!\s(?:feet|foot|ft|met[re]{{2}})\b)[\s,]*(?P<street>.*)",
    re.IGNORECASE,
)
_MARKED = re.compile(  # "Office 105 No. 1 Lotus Road"
    rf"(?P<unit>.+?)\s(?:(?i:no)\b\s?[.:]*\s?|#\s?)(?P<number>{_NUMBER})[\s,]+(?P<street>[^\W\d_].*)"
)
_LAST = re.compile(
    rf"(?P<street>[^\W\d_].*?)[\s,]+(?:(?i:no|nr|n[º°]|num)\b\s?[.:]*\s?|#\s?)?(?P<number>{_NUMBER})"
)
# A street that is called by its number, and the house before or after it: "Villa 8, Street 15".
_NUMBERED_STREET = re.compile(
    r"(?i)(?:street|st\.?|road|rd\.?|avenue|way|lane)\s(?:no\.?\s?)?\d+\w?"
)
_HOUSE = re.compile(
    r"(?i)(?:building|bldg\.?|house|villa|h|plot)\b\s?(?:no\b\.?|[#:])?\s?(?P<number>\d{1,5}[a-z]?)"
)
_ORDINAL = re.compile(r"\d+(?:st|nd|rd|th)\b", re.IGNORECASE)
_DIGIT = re.compile(r"\d")


class OfficeStreet(Struct, frozen=True):
    number: str
    street: str
    unit: str
    typed: bool  # a word of the street says that it is one


def is_part(line: str) -> bool:
    """Whether a line without more evidence belongs to an address, not to an organisation's name."""
    return bool(_DIGIT.search(line) or _PLACE_WORDS.search(line) or _is_typed(line))


def is_house(segment: str) -> bool:
    """Whether a segment is only a house: "Building 22"."""
    return _HOUSE.fullmatch(segment) is not None


def _is_typed(segment: str) -> bool:
    words = segment.lower().split()
    return any(len(word.strip(".()")) > 1 and type_of(word.strip("()")) for word in words)


def read_office_street(segments: Sequence[str]) -> OfficeStreet | None:
    """Number and street of the segments of an address before its town; the rest is the unit."""
    typed = [k for k, one in enumerate(segments) if not _BOX.match(one) and _is_typed(one)]
    if house := _house_at_numbered(segments):
        return house
    for k in typed:
        if street := _numbered(segments, k):
            return street
    for k, one in enumerate(segments):
        if _BOX.match(one) or (_INDOORS.search(one) and k + 1 < len(segments)):
            continue
        first = _FIRST.fullmatch(one)
        if first and not first["street"] and _INDOORS.search(" ".join(segments[k + 1 : k + 2])):
            continue  # "401, 4th Floor"
        if first and not _ORDINAL.match(one):
            return _from_number(segments, k, first, typed)
    if typed:
        return OfficeStreet("", segments[typed[0]], ", ".join(segments[: typed[0]]), typed=True)
    for k, one in enumerate(segments):
        named = _PLACE_WORDS.search(one) or _INDOORS.search(one)
        if named and _DIGIT.search(one) and not _BOX.match(one):
            return OfficeStreet("", one, ", ".join(segments[:k]), typed=False)
    for k in range(len(segments) - 1, 0, -1):  # "4th Floor / Bandra Kurla Complex"
        one = segments[k]
        if _PLACE_WORDS.search(one) and not _INDOORS.search(one) and not _BOX.match(one):
            return OfficeStreet("", one, ", ".join(segments[:k]), typed=False)
    box = next((one for one in segments if _BOX.match(one)), "")
    return OfficeStreet("", box, "", typed=True) if box else None


def _house_at_numbered(segments: Sequence[str]) -> OfficeStreet | None:
    """The house of a street that is called by its number: "Block 3, Street 15, Building 22"."""
    street = next((one for one in segments if _NUMBERED_STREET.fullmatch(one)), "")
    houses = [match for one in segments if (match := _HOUSE.fullmatch(one))] if street else []
    if not houses:
        return None
    house = houses[-1]
    unit = ", ".join(one for one in segments if one not in (street, house.string))
    return OfficeStreet(house["number"], street, unit, typed=True)


def _is_street(name: str) -> bool:
    """Whether a name is more than a type: not the "Street" of "Street no. 15"."""
    return " " in name and _is_typed(name)


def _numbered(segments: Sequence[str], k: int) -> OfficeStreet | None:
    """A typed segment with its number in it, or alone in the segment before."""
    one, unit = segments[k], tuple(segments[:k])
    for form in (_FIRST, _MARKED, _LAST):
        match = form.fullmatch(one)
        if match and not _ORDINAL.match(one) and _is_street(match["street"]):
            if before := match.groupdict().get("unit"):
                unit = (*unit, before)
            return OfficeStreet(match["number"], match["street"], ", ".join(unit), typed=True)
    alone = _FIRST.fullmatch(unit[-1]) if unit else None
    if alone and not alone["street"]:
        return OfficeStreet(alone["number"], one, ", ".join(unit[:-1]), typed=True)
    return None


def _from_number(
    segments: Sequence[str], k: int, first: re.Match[str], typed: Sequence[int]
) -> OfficeStreet:
    """From a number up to the typed segment after it, else the segment alone or the next."""
    last = next((one for one in typed if one >= k), k if first["street"] else k + 1)
    parts = [first["street"], *segments[k + 1 : last + 1]]
    street = ", ".join(part for part in parts if part)
    return OfficeStreet(first["number"], street, ", ".join(segments[:k]), typed=last in typed)
