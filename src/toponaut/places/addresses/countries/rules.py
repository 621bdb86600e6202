"""How a country writes its addresses: the rules that postcode_walk.py follows."""

import re
from collections.abc import Callable

from msgspec import Struct

from toponaut.places.addresses.countries.segments import NUMBER_AFTER
from toponaut.places.gazetteer import Gazetteer
from toponaut.records import Address

# Strength of a street match: type word and number; number and position only; type word only.
STRONG, WEAK, NUMBERLESS = 1.0, 0.9, 0.8
NOTHING = re.compile(r"(?!)")
YEAR = re.compile(r"1[5-9]\d\d|20\d\d")  # "Gegründet 1908" is not a street


class StreetMatch(Struct, frozen=True):
    """A street read from a segment; offsets count from the segment's start."""

    start: int
    end: int
    number: str
    street: str
    unit: str = ""
    strength: float = STRONG


ReadStreet = Callable[[str], StreetMatch | None]
# Finds a country's addresses in order. It leaves `text` and `evidence` to finder.py.
FindAddresses = Callable[[str, Gazetteer], list[Address]]


class CountryRules(Struct, frozen=True):
    """Patterns that match "up to the end" must end with "$"."""

    country: str
    postcode: re.Pattern[str]  # if it begins with a letter, a character class must match that
    street: ReadStreet  # reads a segment
    # The lengths of the number that begins a postcode; () if a letter does.
    digits: tuple[int, ...] = (2, 3, 4, 5)
    prefix: re.Pattern[str] = NOTHING  # before the postcode, up to its end: "D-"
    box: re.Pattern[str] = NOTHING  # before a post box number like a postcode, up to its end: "BP "
    unit: re.Pattern[str] = NOTHING  # a whole segment: a floor, flat or part of a building
    passed: re.Pattern[str] = NOTHING  # a whole segment to skip: a label, the country's name
    number: str = NUMBER_AFTER  # the position of the house number
    town_tail: re.Pattern[str] = NOTHING  # extends a town's name: " am Main", "/Saale", " (Oder)"
    # A state's code and its length, at the near end of a segment.
    region: Callable[[str], tuple[str, int]] | None = None
    stated: bool = False  # a state is required before the postcode, which looks like any number
    strict: bool = False  # the town must agree with the postcode, which may be a year
    townless: bool = False  # a street and a postcode are an address even without a town
    label: re.Pattern[str] = NOTHING  # between postcode and town: "Ort:"
    localities: bool = False  # villages and districts often come between street and town
