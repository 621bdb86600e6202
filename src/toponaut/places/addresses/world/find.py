"""Addresses of any country by their shape: a street with a number, and a town beside it."""

import re

from toponaut.places.addresses.rules import YEAR
from toponaut.places.addresses.world.context import is_contact
from toponaut.places.addresses.world.scan import street_segments
from toponaut.places.addresses.world.street import WorldStreet, read_street
from toponaut.places.addresses.world.town import PageSigns, TownReader, WorldTown
from toponaut.places.gazetteer.descriptions import address_formats
from toponaut.records import Address

_MOST = 2000  # segments of a hostile page
_HAS_DIGIT = re.compile(r"\d")


def find_world(text: str, towns: TownReader, signs: PageSigns) -> list[Address]:
    """The addresses of a text, in order."""
    found: list[Address] = []
    floor = 0
    for start, end in street_segments(text)[:_MOST]:
        if start < floor:
            continue
        readings = read_street(text[start:end])
        if not readings:
            continue
        address = _read(text, start, end, readings, towns, signs)
        if address is not None:
            found.append(address)
            floor = address.end
    return found


def _read(
    text: str,
    start: int,
    end: int,
    readings: tuple[WorldStreet, ...],
    towns: TownReader,
    signs: PageSigns,
) -> Address | None:
    languages = readings[0].languages
    contact = False
    if not languages:
        after = text[end : end + 24].partition("\n")
        if not _HAS_DIGIT.search(after[0] or after[2]):
            contact = is_contact(text, start, end)
            if not contact:
                return None
    town = towns.read(text, end, languages, signs)
    if town is None or town.country == "US":
        return None
    street = _reading(readings, town.country)
    if not street.languages and street.number_first and towns.is_town(street.name):
        return None  # "1010 Wien, 1020 Wien": postcodes
    confidence = _confidence(street, town, contact or is_contact(text, start, town.end))
    if not confidence:
        return None
    return Address(
        text="",
        start=start + street.start,
        end=town.end,
        number=street.number,
        street=street.name,
        city=town.name,
        postcode=town.code,
        country=town.country,
        place=town.place,
        confidence=confidence,
    )


def _reading(readings: tuple[WorldStreet, ...], country: str) -> WorldStreet:
    first = address_formats()[country].number_first
    return next((one for one in readings if one.number_first == first), readings[0])


def _confidence(street: WorldStreet, town: WorldTown, contact: bool) -> float:
    """0 if the parts do not make an address."""
    typed = bool(street.languages)
    if town.code and town.agrees:
        return 0.96 if typed else 0.9
    if town.code and town.known:
        if not typed and YEAR.fullmatch(town.code) and not contact:
            return 0.0
        return 0.92 if typed else 0.85
    if town.code:
        if len(town.code) < 4 or YEAR.fullmatch(town.code) or not (town.placed or town.named):
            return 0.0
        return 0.75 if typed else 0.6 if contact else 0.0
    if town.known:
        return 0.8 if typed else 0.6 if contact else 0.0
    return 0.55 if typed and contact else 0.0
