"""How strongly a page is tied to places, and where on the map it has something.

**Ties** are the location hierarchy of SPEC 4: a page hangs on every place that it is about or has an address in, and on all
areas around those, each time with a strength. An address counts more than a mention, however often the place is mentioned:
it says that there is something, where a mention says only that it was spoken of. What counts is the share, so that a list of
fifty towns is tied to each of them weakly.

**Points** are addresses. Few pages give coordinates; most points are the middle of a postcode's area or of a city. Those stand
for an *area*, and carry its radius: a shop somewhere in Houston is not one at Houston's middle.
"""

import math
from collections.abc import Iterable, Sequence

from msgspec import Struct

from toponaut.places.gazetteer.gazetteer import KINDS, Gazetteer
from toponaut.records import Address, Kind, Precision, Visit

# Strengths of a tie, weakest first: the least share that has it, and what it is worth in a ranking (0..1). By mentions...
MENTIONED = ((1, 0.0, 0.10), (2, 0.05, 0.20), (3, 0.2, 0.40), (4, 0.5, 0.60))
# ... and by addresses: the share of the page's addresses.
ADDRESSED = ((5, 0.0, 0.70), (6, 0.1, 0.85), (7, 0.5, 1.00))
WORTH = (0.0, *(worth for _, _, worth in (*MENTIONED, *ADDRESSED)))
LEAST_ADDRESSED = ADDRESSED[0][0]
LEAST_MEANT = 3  # of a page that is about the place, rather than one that mentions it by the way
STRENGTHS = 8  # codes of a place: its id times this, plus the strength

# Germany has 8,200 postcodes on 357,000 square kilometres, which is a radius of 3.7; cities have smaller areas, the country larger.
POSTCODE_KM = 4.0
# People on a square kilometre: Houston has 1,400, Oldenburg 1,650, Lisbon 5,400.
_DENSITY = 1500
_GIVEN_KM, _SMALLEST_KM = 0.05, 1.0


_AREAS = (Kind.STATE, Kind.COUNTY)
_CITY = KINDS.index(Kind.CITY)


class Point(Struct, frozen=True):
    """Where an address is, as far as that is known: anywhere within `radius_km` of the coordinates."""

    lat: float
    lon: float
    precision: Precision
    radius_km: float
    address: int = 0  # which of the page's addresses

    @property
    def is_area(self) -> bool:
        return self.precision is not Precision.GIVEN


class Ties:
    """Ties and points of pages. Remembers what lies around the places that it has met."""

    def __init__(self, gazetteer: Gazetteer) -> None:
        self._gazetteer = gazetteer
        self._around: dict[int, tuple[int, ...]] = {}
        self._namesakes: dict[int, int] = {}

    def of(self, visit: Visit) -> dict[int, int]:
        """The places that a page is tied to, by id, with the strength."""
        mentions = self._shares([(self._namesake(place), weight) for place, weight in visit.scope])
        addresses = self._shares(
            [(address.place, 1.0) for address in visit.addresses if address.place]
        )
        return {place: _strength(share, MENTIONED) for place, share in mentions.items()} | {
            place: _strength(share, ADDRESSED) for place, share in addresses.items()
        }

    def points(self, visit: Visit) -> list[Point]:
        found = []
        for number, address in enumerate(visit.addresses):
            if (
                address.lat is not None
                and address.lon is not None
                and _on_earth(address.lat, address.lon)
            ):
                radius = self._radius_km(address)
                found.append(Point(address.lat, address.lon, address.precision, radius, number))
        return found

    def around(self, place: int) -> tuple[int, ...]:
        """A place and all that it lies in, continents left out; none for one that the gazetteer does not have."""
        known = self._around.get(place)
        if known is None:
            try:
                above = self._gazetteer.ancestors(place)
            except KeyError:  # the crawl was made with another gazetteer
                above = None
            known = (
                ()
                if above is None
                else (place, *(one.id for one in above if one.kind is not Kind.CONTINENT))
            )
            self._around[place] = known
        return known

    def _namesake(self, place: int) -> int:
        """The city of a state's or county's name that lies in it; else the place itself.

        "Lisbon" is a city in a district of its name, and which of them a page speaks of it seldom says; whoever asks for the
        city wants the page. It lies in the district either way.
        """
        known = self._namesakes.get(place)
        if known is None:
            known = self._namesakes[place] = self._find_namesake(place)
        return known

    def _find_namesake(self, place: int) -> int:
        gazetteer = self._gazetteer
        if (
            not self.around(place)
            or KINDS[gazetteer.levels[row := gazetteer.row(place)]] not in _AREAS
        ):
            return place
        rows = gazetteer.rows_named(gazetteer.name(row))
        inside = rows[
            (gazetteer.lineage[rows] == row).any(axis=1) & (gazetteer.levels[rows] == _CITY)
        ]
        return int(gazetteer.ids[inside[0]]) if len(inside) else place

    def _shares(self, weights: Iterable[tuple[int, float]]) -> dict[int, float]:
        """What part of all weight lies in each place and in the areas around it."""
        shares: dict[int, float] = {}
        total = 0.0
        for place, weight in weights:
            total += weight
            for area in self.around(place):
                shares[area] = shares.get(area, 0.0) + weight
        return {place: share / total for place, share in shares.items()} if total > 0 else {}

    def _radius_km(self, address: Address) -> float:
        match address.precision:
            case Precision.GIVEN:
                return _GIVEN_KM
            case Precision.POSTCODE:
                return POSTCODE_KM
        try:
            people = int(self._gazetteer.population[self._gazetteer.row(address.place)])
        except KeyError:
            people = 0
        return city_km(people)


def city_km(people: int) -> float:
    """The radius of a city, from its people."""
    return max(math.sqrt(people / (_DENSITY * math.pi)), _SMALLEST_KM)


def code(place: int, strength: int) -> int:
    """A tie as one number, which the index looks up."""
    return place * STRENGTHS + strength


def codes(place: int, strengths: Iterable[int]) -> list[int]:
    return [code(place, strength) for strength in strengths]


def _strength(share: float, scale: Sequence[tuple[int, float, float]]) -> int:
    return next(strength for strength, least, _ in reversed(scale) if share >= least)


def _on_earth(lat: float, lon: float) -> bool:
    return -90 <= lat <= 90 and -180 <= lon <= 180
