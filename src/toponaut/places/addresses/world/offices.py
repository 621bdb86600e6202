"""Addresses in lists of offices, read upwards from the country or a postcode at their end.

    Larkspur Trading WLL / Eastern Building / Block 8 East Ahmadi / Kuwait City / Kuwait / Tel: ...

A company's list has offices of many countries, and the layouts of most have no street with a
number. But the end of each block is sure: a country's name, above it a town of that country, and a
phone number near. The lines above, up to the name of the organisation, are the street.
"""

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache

from msgspec import Struct
from msgspec.structs import replace

from toponaut.places.addresses.digits import has_digit
from toponaut.places.addresses.world.area_lines import area_lines
from toponaut.places.addresses.world.context import is_contact
from toponaut.places.addresses.world.country_choice import KnownTown, TownCountries
from toponaut.places.addresses.world.office_street import (
    OfficeStreet,
    is_house,
    is_part,
    read_office_street,
)
from toponaut.places.gazetteer.descriptions import address_formats
from toponaut.records import Address

_MOST = 300  # blocks of a hostile page
_MOST_LINES = 7  # of a block, above the country
_LONGEST_LINE = 90
_LONGEST_STATE = 4  # letters of "NSW"
_MOST_WORDS = 11  # of a line
_LOWEST = 4  # segments from the end that may have the town
_SMALLEST = 20_000  # people of a town whose postcode is the only sign of the country
_CODED, _TYPED, _PLAIN, _TOWNLESS = 0.85, 0.8, 0.7, 0.6  # confidence
_STOP = re.compile(
    r"(?i)^\W*(?:tel|phone|fax|telefon|teléfono|telephone|mobile|mob|cell|e-?mail|web|toll|website|"
    r"hotline|contact)\b\s?[.:]|^[TFPEM]\s?:|@|www\.|https?:|\(?\+\d|[:?!]\s*$|^\W*$"
)
_LEGAL = re.compile(
    r"(?i)(?:^|[\s,.(])(?:inc|l\.?l\.?c|ltd|limited|plc|llp|corp|corporation|gmbh|pvt|pte|pty|wll|"
    r"w\.l\.l|fze|fzco|fz-llc|co|k\.?k|a\.?g|s\.?a|b\.?v|n\.?v|s\.?r\.?l|s\.?p\.?a|sdn\.? bhd|bhd|"
    r"s\.?a\.? de c\.?v|ltda|s\.?a\.?s|oy|ab|a/s)\.?\)?,?$"
)
_INDIAN = re.compile(
    r"(?:^|[,;|]|\s[–-])\s*(?P<town>[^\d,;|]{3,60}?)[\s,–-]+(?P<code>[1-8]\d{2}\s?\d{3})\W*"
    r"(?:\([A-Z. ]{2,6}\)|[A-Z][a-z]+(?: [A-Z][a-z]+)?)?$"
)
_LABEL = re.compile(r"(?i)\b(?:p\.?\s?c\.?|postal code|pin(?: ?code)?|zip(?: code)?|post ?code)\W*")
_CODE = r"(?:[A-Z]{1,2}-)?\d[\dA-Z]{1,5}(?:[- ]\d[\dA-Z]{1,4})?|[A-Z]{1,2}\d[A-Z\d]? ?\d[A-Z]{2}"
_BOX = re.compile(r"(?i)(?<=\w)[\s,-]+p\.?\s?o?\.?\s?box\b.*$")  # "Riyadh P.O. Box 2950"
_CODE_LAST = re.compile(rf"(?:^|[\s,–-]+|(?<=[A-Za-z])(?=\d{{4}}))(?P<code>{_CODE})\W*$")
_CODE_FIRST = re.compile(rf"^(?P<code>{_CODE})(?:[\s,–-]+)(?=[^\W\d_])")
_KIND = re.compile(
    r"(?i)[\s-]+(?:si|shi|do|ken|fu|gu|ku|cho|dong|city|county|province|state|d\.?c)\.?$"
)
_SEPARATOR = re.compile(r"\s?[,،;]\s?|\n|\s[-–|]\s")
_PARENTHESIS = re.compile(r"\s?\([^)]*\)?")
_TITLE = re.compile(r"[A-Z][A-Za-z ]{2,40}:\s+")  # "Registered Office: B-24"
_DIGIT = re.compile(r"\d")


class _OfficePart(Struct, frozen=True):
    start: int
    end: int
    text: str


class _BlockEnd(Struct, frozen=True):
    """The end of a block: its country, and where the country's name or the postcode begins."""

    country: str
    start: int
    end: int
    code: str
    name: str  # "": only the postcode shows the country


class _OfficeTown(Struct, frozen=True):
    segment: int  # its index
    name: str
    code: str
    known: KnownTown | None
    rest: str  # of its segment, before its name


def find_offices(
    text: str, towns: TownCountries, taken: Sequence[tuple[int, int]]
) -> list[Address]:
    """The addresses of office blocks, in order, outside of the sorted spans `taken`."""
    found: list[Address] = []
    ceiling = len(text)
    for start, end in reversed(area_lines(text, towns.last_words)[-_MOST:]):
        if end > ceiling or _is_taken(start, end, taken):
            continue
        ending = _ending(text, start, end, towns)
        address = _read(text, ending, towns, taken) if ending else None
        if address:
            found.append(address)
            ceiling = address.start
    return found[::-1]


def _ending(text: str, start: int, end: int, towns: TownCountries) -> _BlockEnd | None:
    line = text[start:end]
    numbered = has_digit(line)
    last = _CODE_LAST.search(line) if numbered else None
    code = last["code"] if last else ""
    words = line[: last.start() if last else len(line)]
    country, at = towns.country_at_end(words)
    if country:
        name = words[at:].strip(" .,;:–-)")
        return None if country == "US" else _BlockEnd(country, start + at, end, code, name)
    indian = _INDIAN.search(line.rstrip()) if numbered else None
    if not indian or _STOP.search(line):
        return None
    name = _SEPARATOR.split(indian["town"].rstrip(" -–"))[-1]
    towns_named = (towns.named(form).get("IN") for form in _forms(name))
    if any(one and one.population >= _SMALLEST for one in towns_named):
        return _BlockEnd("IN", end, end, "", "")
    return None


def _read(
    text: str, ending: _BlockEnd, towns: TownCountries, taken: Sequence[tuple[int, int]]
) -> Address | None:
    top = _top(text, ending.start, towns, taken)
    if title := _TITLE.match(text, top, ending.start):
        top = title.end()
    segments = list(_segments(text, top, ending.start))
    span = (segments[0].start, ending.end) if segments else (0, 0)
    if not segments or not is_contact(text, *span):
        return None
    town = _town(segments, ending, towns)
    if town is None:
        return None
    parts = [one.text for one in segments[: town.segment]] + ([town.rest] if town.rest else [])
    if parts and not town.code:
        parts[-1], town = _with_code(parts[-1], town, ending.country)
    street = read_office_street(parts)
    if street is None or not _is_believed(len(segments), town, street):
        return None
    return _address(segments, ending, town, street)


def _top(text: str, end: int, towns: TownCountries, taken: Sequence[tuple[int, int]]) -> int:
    """Where the address begins: the lines above `end` that may be parts of it."""
    floor = max((stop for start, stop in taken if stop <= end), default=0)
    first = _line_start(text, end, floor)
    starts = [first]
    at = first
    while len(starts) <= _MOST_LINES and at > floor and text[at - 1] == "\n":
        above = _line_start(text, at - 1, floor)
        line = text[above : at - 1].strip()
        if not _may_be_part(line) or towns.country_at_end(line)[0]:
            break
        starts.append(above)
        at = above
        if _LEGAL.search(line):
            starts.pop()
            break
    ends = [end, *(start - 1 for start in starts[:-1])]
    while len(starts) > 1 and not is_part(text[starts[-1] : ends[len(starts) - 1]]):
        starts.pop()
    return starts[-1]


def _line_start(text: str, end: int, floor: int) -> int:
    return max(text.rfind("\n", floor, end), text.rfind("\t", floor, end)) + 1 or floor


def _may_be_part(line: str) -> bool:
    if not 1 < len(line) <= _LONGEST_LINE or _STOP.search(line):
        return False
    words = line.split()
    small = sum(word[0].islower() and len(word) > 4 and not is_part(word) for word in words)
    return len(words) <= _MOST_WORDS and 3 * small <= len(words)


def _segments(text: str, start: int, end: int) -> Iterator[_OfficePart]:
    at = start
    for match in _SEPARATOR.finditer(text, start, end):
        if piece := text[at : match.start()].strip(" .,;\t\xa0"):
            yield _OfficePart(at, match.start(), piece)
        at = match.end()
    if piece := text[at:end].strip(" .,;-–\t\xa0("):
        yield _OfficePart(at, end, piece)


def _town(
    segments: Sequence[_OfficePart], ending: _BlockEnd, towns: TownCountries
) -> _OfficeTown | None:
    """The lowest segment that names a town of the country; a state only if no town is near."""
    code, best = ending.code, None
    for k in range(len(segments) - 1, max(len(segments) - 1 - _LOWEST, -1), -1):
        name, here = _without_code(segments[k].text)
        code = code or ("" if is_house(segments[k].text) else here)
        for form in _forms(name):
            known = towns.named(form).get(ending.country)
            if known and (best is None or known.own):
                best = _OfficeTown(k, form, code, known, name.partition(form)[0].strip(" ,-–"))
                break
        if is_part(name) or (best and best.known and best.known.own):
            break
    if best is None and ending.name:
        best = _town_of_country(segments, ending, towns)
    return replace(best, code=code) if best and (best.segment or best.rest) else None


def _town_of_country(
    segments: Sequence[_OfficePart], ending: _BlockEnd, towns: TownCountries
) -> _OfficeTown | None:
    """The town that the country is called after: "Luxembourg"; else a town that nobody knows."""
    if known := towns.named(ending.name).get(ending.country):
        return _OfficeTown(len(segments), ending.name, ending.code, known, "")
    name, here = _without_code(segments[-1].text)
    if not name or is_part(name):
        return _OfficeTown(len(segments), "", ending.code, None, "")
    return _OfficeTown(len(segments) - 1, name, ending.code or here, None, "")


def _with_code(part: str, town: _OfficeTown, country: str) -> tuple[str, _OfficeTown]:
    """A postcode at the end of the street is the town's: "Lindevej 20 2100 / Copenhagen"."""
    match = _CODE_LAST.search(part)
    if match is None or not _is_code(match["code"], country):
        return part, town
    rest = part[: match.start()]
    if match["code"].isdigit() and not _DIGIT.search(rest):
        return part, town  # the number of the house
    return rest, replace(town, code=match["code"])


def _without_code(segment: str) -> tuple[str, str]:
    """A segment without its postcode, and the code: "Fintas 46395", "P.C: 266400"."""
    plain = _LABEL.sub("", _PARENTHESIS.sub("", _BOX.sub("", segment))).strip()
    for form in (_CODE_LAST, _CODE_FIRST):
        if match := form.search(plain):
            rest = (plain[: match.start()] + plain[match.end() :]).strip(" ,.-–")
            return rest, match["code"]
    return plain, ""


@lru_cache(maxsize=1024)
def _forms(name: str) -> tuple[str, ...]:
    """A name and its last words, each with and without the kind of place at its end."""
    words = name.split()
    if not words or len(words) > _MOST_WORDS:
        return ()
    if len(words) > 1 and words[-1].isupper() and len(words[-1]) < _LONGEST_STATE:
        words.pop()  # "Perth WA"
    whole = [name, *(" ".join(words[k:]) for k in range(max(0, len(words) - 3), len(words)))]
    forms = [form for one in whole for form in (one, _KIND.sub("", one)) if form[:1].isupper()]
    return tuple(dict.fromkeys(forms))


def _is_believed(segments: int, town: _OfficeTown, street: OfficeStreet) -> bool:
    if not any(map(str.isalpha, street.street)):
        return False
    above = town.segment < segments  # else the country gives the town: "599 Metical / Singapore"
    return bool(town.known and above) or (street.typed and bool(street.number or town.name))


def _address(
    segments: Sequence[_OfficePart], ending: _BlockEnd, town: _OfficeTown, street: OfficeStreet
) -> Address:
    if town.known is None:
        confidence = _TOWNLESS
    elif town.code and _is_code(town.code, ending.country):
        confidence = _CODED
    else:
        confidence = _TYPED if street.typed and street.number else _PLAIN
    return Address(
        text="",
        start=segments[0].start,
        end=ending.end if ending.code else segments[-1].end,
        number=street.number,
        street=street.street,
        unit=street.unit,
        city=town.name,
        postcode=town.code,
        country=ending.country,
        place=town.known.place if town.known else 0,
        confidence=confidence,
    )


def _is_code(code: str, country: str) -> bool:
    form = address_formats()[country].postcode
    return bool(form and (form.fullmatch(code) or form.fullmatch(code.replace(" ", ""))))


def _is_taken(start: int, end: int, taken: Sequence[tuple[int, int]]) -> bool:
    return any(first < end and start < last for first, last in taken)
