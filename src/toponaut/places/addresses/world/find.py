"""Addresses of any country by their shape: a street with a number, and a town beside it."""

from toponaut.places.addresses.rules import YEAR
from toponaut.places.addresses.world.context import is_contact
from toponaut.places.addresses.world.scan import street_segments
from toponaut.places.addresses.world.street import WorldStreet, read_street
from toponaut.places.addresses.world.town import PageSigns, TownReader, WorldTown
from toponaut.places.gazetteer.descriptions import address_formats
from toponaut.records import Address

_MOST = 2000  # segments of a hostile page
_SURE = 0.7  # below this confidence, a contact sign must be near


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
    town = towns.read(text, end, readings[0].languages, signs)
    if town is None:
        return None
    street = _reading(readings, town.country)
    if not street.languages and street.number_first and towns.is_town(street.name):
        return None  # "1010 Wien, 1020 Wien": postcodes
    confidence = _confidence(street, town)
    if not confidence or (confidence < _SURE and not is_contact(text, start, town.end)):
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


def _confidence(street: WorldStreet, town: WorldTown) -> float:
    """How much the parts support each other; below _SURE they need a contact sign near them."""
    typed = bool(street.languages)
    if town.code and town.agrees:
        return 0.96 if typed else 0.9
    if town.code and town.known:
        if typed:
            return 0.92
        return 0.65 if YEAR.fullmatch(town.code) else 0.85
    if town.code:
        if len(town.code) < 4 or YEAR.fullmatch(town.code) or not (town.placed or town.named):
            return 0.0
        return 0.75 if typed else 0.6
    if town.known:
        return 0.8 if typed else 0.6
    return 0.55 if typed else 0.0
