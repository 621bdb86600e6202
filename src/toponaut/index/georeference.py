"""How strongly a page is tied to places, and the map points of its addresses.

**Ties** attach a page to the location hierarchy: to every place that it is about or has an address
in, and to all areas around those, each with a strength. An address counts more than any number of
mentions: it proves that something is there. Strengths go by shares, so a list of fifty towns is
tied only weakly to each of them. A page is about the places that its title names, whatever the
share: a list of restaurants in New York names a thousand places.

**Points** are addresses. Few pages give coordinates; most points are the centre of a postcode area
or a city. Such a point represents an *area* and has its radius.
"""

import math
from collections.abc import Iterable, Mapping, Sequence
from functools import cache, lru_cache
from typing import TYPE_CHECKING

from msgspec import Struct

from toponaut.places.gazetteer.gazetteer import KINDS, Gazetteer
from toponaut.places.names.name_table import longest
from toponaut.places.names.url_names import UrlNameFinder
from toponaut.records import Address, Kind, Precision, Visit

if TYPE_CHECKING:
    from toponaut.index.layout import StoredPage

# Tie strengths, weakest first: (strength, least share, ranking weight 0..1). By share of mentions,
MENTIONED = ((1, 0.0, 0.10), (2, 0.05, 0.20), (3, 0.2, 0.40), (4, 0.5, 0.60))
# and by share of addresses.
ADDRESSED = ((5, 0.0, 0.70), (6, 0.1, 0.85), (7, 0.5, 1.00))
WORTH = (0.0, *(worth for _, _, worth in (*MENTIONED, *ADDRESSED)))
LEAST_ADDRESSED = ADDRESSED[0][0]
LEAST_MEANT = 3  # from here on a page is about the place; below, it only mentions it
TITLED = 4  # at least this strong is the tie to a place that the title names
_LONGEST_TITLE = 300  # characters
_BY_HOST = 0.3  # weight of the places in a host's name: as much as a fifth to half of the mentions
_LARGE = 20_000  # people of such a place
_HOSTS = 10_000  # that are remembered
STRENGTHS = 8  # a tie's code is the place id times this, plus the strength

# Germany has 8,200 postcodes on 357,000 km²: a mean radius of 3.7 km.
POSTCODE_KM = 4.0
# People per km²: Houston has 1,400, Oldenburg 1,650, Lisbon 5,400.
_DENSITY = 1500
_GIVEN_KM, _SMALLEST_KM = 0.05, 1.0

_AREAS = (Kind.STATE, Kind.COUNTY)
_CITY = KINDS.index(Kind.CITY)


class AddressPoint(Struct, frozen=True):
    """The location of an address: anywhere within `radius_km` of the coordinates."""

    lat: float
    lon: float
    precision: Precision
    radius_km: float
    address: int = 0  # its number among the page's addresses

    @property
    def is_area(self) -> bool:
        return self.precision not in (Precision.GIVEN, Precision.HOUSE)


class GeoReferencer:
    """Finds ties and points of pages. Caches the areas around places.

    `urls`: finds places in the names of hosts, for ties.
    """

    def __init__(self, gazetteer: Gazetteer, urls: UrlNameFinder | None = None) -> None:
        self._gazetteer, self._urls = gazetteer, urls
        self.around = cache(self._find_around)
        self._namesake = cache(self._find_namesake)
        self._in_host = lru_cache(_HOSTS)(self._find_in_host)

    def ties(self, visit: Visit) -> dict[int, int]:
        """The strength of the tie to each place, by id.

        The home of its site counts only for a page that names no place itself, and so does the
        name of its host: "zentrum-graz.example".
        """
        scope = visit.own_scope or (*visit.scope, *self._in_host(visit.url.split("/", 3)[2]))
        mentions = self._shares([(self._namesake(place), weight) for place, weight in scope])
        addresses = self._shares(
            [(address.place, 1.0) for address in visit.addresses if address.place]
        )
        meant = {place: _strength(share, MENTIONED) for place, share in mentions.items()}
        for place in self._titled(visit.title, mentions) if mentions else ():
            meant[place] = max(meant[place], TITLED)
        return meant | {place: _strength(share, ADDRESSED) for place, share in addresses.items()}

    def points(self, visit: "Visit | StoredPage") -> list[AddressPoint]:
        points = []
        for number, address in enumerate(visit.addresses):
            lat, lon = address.lat, address.lon
            if lat is not None and lon is not None and _on_earth(lat, lon):
                radius = self._radius_km(address)
                points.append(AddressPoint(lat, lon, address.precision, radius, number))
        return points

    def _find_in_host(self, host: str) -> tuple[tuple[int, float], ...]:
        """The cities that a host is named after, with their weights. Villages are also surnames."""
        found = self._urls.find([f"https://{host}/"])[0] if self._urls else []
        people, row = self._gazetteer.population, self._gazetteer.row
        large = [one.place for one in found if people[row(one.place)] >= _LARGE]
        return tuple((place, _BY_HOST / len(large)) for place in large)

    def _titled(self, title: str, shares: Mapping[int, float]) -> set[int]:
        """The places of a page that its title names, with all areas around them.

        Of several places of a name the one with the largest share is meant, and those around or
        inside it.
        """
        gazetteer, names = self._gazetteer, self._gazetteer.names
        tokens = names.tokeniser.words(title[:_LONGEST_TITLE])
        named: set[int] = set()
        for name in longest(names.scan(tokens)).name.tolist():
            places = [
                one for one in gazetteer.ids[names.postings(name)[0]].tolist() if one in shares
            ]
            best = max(places, key=shares.__getitem__, default=0)
            named.update(
                one for one in places if one in self.around(best) or best in self.around(one)
            )
        return {area for place in named for area in self.around(place)}

    def _find_around(self, place: int) -> tuple[int, ...]:
        """A place and all areas around it except the continent; empty if it is unknown."""
        try:
            areas = self._gazetteer.ancestors(place)
        except KeyError:  # the crawl used another gazetteer
            return ()
        return place, *(one.id for one in areas if one.kind is not Kind.CONTINENT)

    def _find_namesake(self, place: int) -> int:
        """The city of the same name inside a state or county; otherwise the place itself.

        Lisbon is a city in a district of that name. Pages rarely say which one they mean, and a
        search for the city should find them. The city lies in the district either way.
        """
        gazetteer = self._gazetteer
        if not self.around(place):
            return place
        row = gazetteer.row(place)
        if KINDS[gazetteer.levels[row]] not in _AREAS:
            return place
        rows = gazetteer.rows_named(gazetteer.name(row))
        inside = rows[
            (gazetteer.lineage[rows] == row).any(axis=1) & (gazetteer.levels[rows] == _CITY)
        ]
        return int(gazetteer.ids[inside[0]]) if len(inside) else place

    def _shares(self, weights: Iterable[tuple[int, float]]) -> dict[int, float]:
        """The share of the total weight in each place, counting the areas around it."""
        shares: dict[int, float] = {}
        total = 0.0
        for place, weight in weights:
            total += weight
            for area in self.around(place):
                shares[area] = shares.get(area, 0.0) + weight
        # A scope from the home of the site alone sums to less than 1 (places/homes.py).
        total = max(total, 1.0)
        return {place: share / total for place, share in shares.items()}

    def _radius_km(self, address: Address) -> float:
        match address.precision:
            case Precision.GIVEN | Precision.HOUSE:
                return _GIVEN_KM
            case Precision.POSTCODE:
                return POSTCODE_KM
        try:
            people = int(self._gazetteer.population[self._gazetteer.row(address.place)])
        except KeyError:
            people = 0
        return city_km(people)


def city_km(people: int) -> float:
    """The radius of a city, estimated from its population."""
    return max(math.sqrt(people / (_DENSITY * math.pi)), _SMALLEST_KM)


def code(place: int, strength: int) -> int:
    """A tie as one number, for lookups in the index."""
    return place * STRENGTHS + strength


def _strength(share: float, scale: Sequence[tuple[int, float, float]]) -> int:
    return next(strength for strength, least, _ in reversed(scale) if share >= least)


def _on_earth(lat: float, lon: float) -> bool:
    return -90 <= lat <= 90 and -180 <= lon <= 180
