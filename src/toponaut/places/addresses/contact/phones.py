"""Phone numbers near an address and in structured data, in international form (E.164).

`phonenumbers`, Google's library, knows the numbering plan of every country. What it does not accept
is dropped: a date, a reference number, a number with a digit missing.
"""

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

from phonenumbers import (
    NumberParseException,
    PhoneNumberFormat,
    PhoneNumberMatcher,
    format_number,
    is_valid_number,
    parse,
)

from toponaut.places.addresses.lazy_pattern import lazy_pattern

_AFTER, _BEFORE = 220, 90  # characters searched on either side
_LONGEST = 60  # characters of a property that are read
_US = re.compile(
    r"(?<![\w.-])(?:\+?1[-. ]?)?(?:\(\d{3}\)\s?|\d{3}[-./ ]\s?)\d{3}[-. ]\d{4}(?![\w-])"
)
_US_END = re.compile(r"\d{3}[-. ]\d{4}")  # a quick test
_OTHER = re.compile(r"(?<![\w.,-])(?:\+|00|\(?0)\d[\d \xa0()/.–-]{5,18}\d(?!\w)")
_DATE = re.compile(r"\d{1,2}[./]\d{1,2}[./](?:19|20)?\d\d")
_FAX = lazy_pattern(
    r"fax\W{0,3}(?:no\W{0,2}|number\W{0,2}|nr\W{0,2})?\s?$|\bf\s?[:.]\s?$|telefax\W*$",
    re.IGNORECASE,
)


class NearbyPhone(NamedTuple):
    number: str  # E.164
    start: int
    end: int


@lru_cache(maxsize=8192)  # the number in a site's footer is on each of its pages
def international(said: str, country: str) -> str:
    """ "(217) 555-0100" of the US -> "+12175550100"; "" if it is no number of that country."""
    said = said[:_LONGEST]
    if not any(map(str.isdigit, said)) or _DATE.fullmatch(said.strip()):
        return ""
    try:
        number = parse(said, country or None)
    except NumberParseException:
        number = None
    if number is None or not is_valid_number(number):
        # Perhaps there are two: "555-0100 / 555-0101".
        number = next((one.number for one in PhoneNumberMatcher(said, country or None)), None)
    return str(format_number(number, PhoneNumberFormat.E164)) if number else ""


def phone_near(
    text: str, start: int, end: int, floor: int, ceiling: int, country: str
) -> NearbyPhone:
    """The number nearest to text[start:end] within text[floor:ceiling]; ("", -1, -1) if none.

    The same block (up to empty lines) comes first, then later blocks, then earlier ones.
    """
    for one in _nearest_first(text, start, end, floor, ceiling, country):
        if number := international(one.number, country):
            return one._replace(number=number)
    return NearbyPhone("", -1, -1)


def _nearest_first(
    text: str, start: int, end: int, floor: int, ceiling: int, country: str
) -> Iterator[NearbyPhone]:
    yield from _numbers(text, start, end, country)
    after = _numbers(text, end, min(ceiling, end + _AFTER), country)
    block_end = text.find("\n\n", end, end + _AFTER) % (len(text) + 1)  # -1: the text's end
    yield from (one for one in after if one.start < block_end)
    before = _numbers(text, max(floor, start - _BEFORE), start, country)[::-1]
    block_start = text.rfind("\n\n", max(0, start - _BEFORE), start)
    yield from (one for one in before if one.start > block_start)
    yield from (one for one in after if one.start >= block_end)
    yield from (one for one in before if one.start <= block_start)


def _numbers(text: str, start: int, stop: int, country: str) -> list[NearbyPhone]:
    """What looks like phone numbers in text[start:stop], without fax numbers."""
    if country in ("US", "CA"):
        found = _US.finditer(text[start:stop]) if _US_END.search(text, start, stop) else ()
    else:
        found = _OTHER.finditer(text[start:stop])
    return [
        NearbyPhone(" ".join(match[0].split()), start + match.start(), start + match.end())
        for match in found
        if not _FAX.search(text[max(0, start + match.start() - 14) : start + match.start()])
    ]
