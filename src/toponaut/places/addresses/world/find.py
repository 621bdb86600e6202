"""Addresses of any country by their shape: a street with a number, and a town beside it."""

import re
from collections.abc import Sequence

import cython

from toponaut.places.addresses.countries.rules import YEAR
from toponaut.places.addresses.world.context import is_contact
from toponaut.places.addresses.world.country_choice import PageSigns
from toponaut.places.addresses.world.east_asia import find_east_asian
from toponaut.places.addresses.world.offices import find_offices
from toponaut.places.addresses.world.scan import street_segments
from toponaut.places.addresses.world.street import WorldStreet, is_small, read_street, typed_tail
from toponaut.places.addresses.world.town import TownReader, WorldTown
from toponaut.places.gazetteer.descriptions import address_formats
from toponaut.records import Address

if not cython.compiled:
    raise ImportError("toponaut is not compiled: run make setup, or reinstall it")

_MOST = 2000  # segments of a hostile page
_SURE = 0.7  # below this confidence, a contact sign must be near
_TABLED = 0.9  # the postcode table has the code, for the town
_MOST_CASELESS = 3  # words of an unknown town in a script without capitals
_SMALLEST = 1000  # people of a town beside a street without a type
# A year, a number with a leading zero, a postcode after a town: "Bekasi 17330".
_NO_NUMBER = re.compile(rf"{YEAR.pattern}|0.*|\d{{5}}")
_CODED = re.compile(r"\d[\d -]?\d")  # in a postcode
_REACH = 60  # characters after a street that may contain its postcode
_OTHER = re.compile(r"(?:[,،]\s?|\s?\n)[^\n\t,،;:@?!]{2,45}(?=[,،\n])")
# Between a street and its town in a sentence: "32 avenue d'Albigny à Annecy".
_JOINT = re.compile(r",?\s(?:à|in|en|em|i|w|v|a|te|στην|в|у)\s(?=[^\W\d_])")


def find_world(
    text: str, towns: TownReader, signs: PageSigns, taken: Sequence[tuple[int, int]] = ()
) -> list[Address]:
    """The addresses of a text, in order, outside of the sorted spans `taken`."""
    found = find_east_asian(text, towns.countries)
    taken = sorted((*taken, *((one.start, one.end) for one in found))) if found else taken
    floor: cython.Py_ssize_t = 0
    start: cython.Py_ssize_t
    end: cython.Py_ssize_t
    free = iter((*taken, (len(text), len(text))))
    taken_start, taken_end = next(free)
    for start, end in street_segments(text)[:_MOST]:
        while taken_end <= start:
            taken_start, taken_end = next(free)
        if start < floor or taken_start < end:
            continue
        address = _read(text, start, end, towns, signs)
        if address is not None and address.start >= floor:
            found.append(address)
            floor = address.end
    return _with_offices(found, text, towns, taken)


def _with_offices(
    found: list[Address], text: str, towns: TownReader, taken: Sequence[tuple[int, int]]
) -> list[Address]:
    """With the addresses of office lists, in order, instead of what is less sure."""
    sure = [(one.start, one.end) for one in found if one.confidence >= _TABLED]
    offices = find_offices(text, towns.countries, sorted((*taken, *sure)))
    if not offices:
        return sorted(found, key=lambda one: one.start)
    kept, dropped = list(found), []
    for office in offices:
        inside = [one for one in kept if one.start < office.end and office.start < one.end]
        if any(_outweighs(one, office) for one in inside):
            dropped.append(office)
        else:
            kept = [one for one in kept if one not in inside]
    offices = [one for one in offices if one not in dropped]
    return sorted((*kept, *offices), key=lambda one: one.start)


def _outweighs(one: Address, office: Address) -> bool:
    """Whether a find inside an office's block is better: another address, or all that there is."""
    return one.confidence > _SURE and (one.number != office.number or not office.unit)


def _read(text: str, start: int, end: int, towns: TownReader, signs: PageSigns) -> Address | None:
    segment = text[start:end]
    readings = read_street(segment)
    in_prose = not readings
    readings = readings or typed_tail(segment)
    if not readings:
        return None
    languages = readings[0].languages
    coded = _CODED.search(text, end, end + _REACH) is not None
    if not (languages or coded or is_contact(text, start, end)):
        return None
    town = towns.read(text, end, languages, signs)
    if town is None and languages:
        if joint := _JOINT.search(segment):
            return _joined(text, start, joint, towns, signs)
        if not in_prose:
            town = towns.read_before(text, start, end, languages, signs)
    if languages and (town is None or not (town.known or town.code)):
        town = _further(text, end, languages, towns, signs) or town
    elif languages and coded and town and not town.code:  # "Grey Lynn, Auckland 1011"
        further = _further(text, end, languages, towns, signs)
        if further and further.country == town.country and further.code:
            town = further
    return _judged(text, start, end, readings, town) if town else None


def _further(
    text: str, end: int, languages: frozenset[str], towns: TownReader, signs: PageSigns
) -> WorldTown | None:
    """The town after one or two other segments: a district, a building, a floor."""
    for _ in range(2):
        other = _OTHER.match(text, end)
        if other is None:
            return None
        end = other.end()
        town = towns.read(text, end, languages, signs)
        if town and town.known and (town.code or town.named):
            return town
    return None


def _joined(
    text: str, start: int, joint: re.Match[str], towns: TownReader, signs: PageSigns
) -> Address | None:
    """A typed street, a word like "in", and a town that the gazetteer knows."""
    readings = read_street(joint.string[: joint.start()])
    if not readings or not readings[0].languages:
        return None
    town = towns.read_at(text, start + joint.end(), readings[0].languages, signs)
    if town is None or not town.known:
        return None
    return _judged(text, start, start + joint.start(), readings, town)


def _judged(
    text: str,
    start: int,
    end: int,
    readings: tuple[WorldStreet, ...],
    town: WorldTown,
) -> Address | None:
    """The address, if its parts support each other."""
    street = _reading(readings, town.country)
    if not street.languages and street.number_first and len(street.number) > 3:
        return None  # "1010 Wien, 1020 Wien": postcodes
    turned = street.number_first and not address_formats()[town.country].number_first
    if turned and not town.code and len(street.number) > 2:
        return None  # a player and his score: "838 Volker Stieg / Mülheim"
    confidence = _confidence(street, town)
    first, last = min(start + street.start, town.start), max(end, town.end)
    apart = "\n\n" in text[first:last]  # in blocks of their own
    if not confidence or (apart and confidence < _TABLED and not street.languages):
        return None
    if not street.languages and not _is_supported(text, end, apart, town):
        return None
    if not town.known and (apart or not _is_beside(text, end, street, town)):
        return None
    if (apart or confidence < _SURE) and not is_contact(text, first, last):
        return None
    return Address(
        text="",
        start=first,
        end=last,
        number=street.number,
        street=street.name,
        city=town.name,
        postcode=town.code,
        country=town.country,
        place=town.place,
        confidence=confidence,
    )


def _is_supported(text: str, end: int, apart: bool, town: WorldTown) -> bool:
    """Whether a name without a street type may be a street, by what is beside it."""
    if text[end : town.start].strip(" ,\n"):
        return False  # "7 Minuten | 1434 Wörter"
    return town.named or not town.is_abroad or (town.agrees and not apart)


def _is_beside(text: str, end: int, street: WorldStreet, town: WorldTown) -> bool:
    """Whether an unknown town has the form and the place of one: in the next line or segment."""
    if town.code:
        return True
    words = town.name.split()
    names = all(not is_small(word[0]) or len(word) < 4 for word in words)
    if len(words) > _MOST_CASELESS and town.name.lower() == town.name.upper():
        return False  # a remark in a script without capitals
    return names and "\t" not in text[end : town.start] and len(street.number) < 5


def _reading(readings: tuple[WorldStreet, ...], country: str) -> WorldStreet:
    first = address_formats()[country].number_first
    return next((one for one in readings if one.number_first == first), readings[0])


def _confidence(street: WorldStreet, town: WorldTown) -> float:
    """How much the parts support each other; below _SURE they need a contact sign near them."""
    typed = bool(street.languages)
    if town.code and town.agrees:
        return 0.96 if typed else _TABLED
    if not typed and _NO_NUMBER.fullmatch(street.number):
        return 0.0
    if town.code_last and not street.number_first and not (typed and town.known):
        return 0.0  # two lines of a list: "Hamburg 1302 / Bremen 1305"
    if town.code and town.known:
        if typed:
            return 0.92 if town.fits or town.named else 0.6
        if town.in_table is not None:  # the country's table has another town, or no such code
            return 0.65 if town.in_table and town.people >= _SMALLEST else 0.0
        return 0.65 if YEAR.fullmatch(town.code) else 0.85
    if town.code:
        return _of_unknown_town(typed, town)
    if typed and not town.named and (town.is_abroad or not town.fits):
        return 0.0
    if town.known:
        return 0.85 if typed else 0.6 if town.people >= _SMALLEST or town.named else 0.0
    return 0.55 if typed else 0.0


def _of_unknown_town(typed: bool, town: WorldTown) -> float:
    """The confidence of a street with a postcode whose town is in no table."""
    if len(town.code) < 4 or YEAR.fullmatch(town.code) or not (town.placed or town.named):
        return 0.0
    if town.is_abroad and not town.named:
        return 0.0
    if town.code_last and len(town.code) == 4 and town.name.count(" ") > 2:
        return 0.0  # "Yale Ave / Our Lady of Hope, 2130"
    return 0.75 if typed else 0.6
