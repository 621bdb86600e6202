"""The cities that the synthetic web is about: those of the gazetteer that have a postcode.

A city's number is its rank by people. Its own sites have the numbers `first_site` and up, so that a site's number says
which city it belongs to, and a city which sites are its own.
"""

import re
import unicodedata
from bisect import bisect_right
from itertools import accumulate

from msgspec import Struct

from toponaut.places.gazetteer import Gazetteer
from toponaut.synthetic.settings import Settings

_GERMAN = str.maketrans(
    {"ä": "ae", "ö": "oe", "ü": "ue", "ß": "ss", "Ä": "Ae", "Ö": "Oe", "Ü": "Ue"}
)


class City(Struct, frozen=True):
    """A place that pages can be about."""

    number: int  # its rank, from 0
    place: int
    name: str
    slug: str  # "fort-worth"
    country: str
    state: str  # "TX"; of other countries the name of the state
    state_name: str
    group: int  # number of its state
    people: int
    codes: tuple[tuple[str, str], ...]  # postcodes, each with the town that the post names
    first_site: int
    sites: int


class State(Struct, frozen=True):
    """A state with its cities, the largest first."""

    number: int
    country: str
    name: str
    slug: str
    cities: tuple[int, ...]
    weights: tuple[float, ...]  # cumulative


class World:
    """All cities, with the ways to draw one."""

    def __init__(self, gazetteer: Gazetteer, settings: Settings) -> None:
        groups: dict[tuple[str, str], int] = {}
        self.cities: list[City] = []
        self._firsts: list[int] = []
        first = 0
        for place, codes in _with_codes(gazetteer, settings):
            city = _city(gazetteer, place, codes, len(self.cities), first, groups, settings)
            self.cities.append(city)
            self._firsts.append(first)
            first += city.sites
        self.local_sites = first  # from this number on sites are general
        shares = dict(settings.countries)
        weights = [shares[city.country] * city.people**settings.city_power for city in self.cities]
        self._by_people = list(accumulate(weights))
        self._by_mention = list(
            accumulate(
                shares[city.country] * city.people**settings.mention_power
                for city in self.cities[:_NAMED]
            )
        )
        self.states = _states(self.cities, weights, len(groups))
        self._numbers = {city.place: city.number for city in self.cities}

    def city_of_site(self, site: int) -> City:
        """The city that a local site belongs to."""
        return self.cities[bisect_right(self._firsts, site) - 1]

    def city_at(self, place: int) -> City | None:
        """The city of a place of the gazetteer."""
        number = self._numbers.get(place)
        return None if number is None else self.cities[number]

    def draw(self, share: float) -> City:
        """A city for a number in [0, 1): by people."""
        return self.cities[bisect_right(self._by_people, share * self._by_people[-1])]

    def draw_named(self, share: float) -> City:
        """A city as pages name them by the way: among the larger ones, nearly all alike."""
        return self.cities[bisect_right(self._by_mention, share * self._by_mention[-1])]

    def draw_near(self, city: City, share: float) -> City:
        """A city of the same state."""
        state = self.states[city.group]
        return self.cities[state.cities[bisect_right(state.weights, share * state.weights[-1])]]


_NAMED = 600  # so many of the largest cities are named on pages about something else


def _with_codes(
    gazetteer: Gazetteer, settings: Settings
) -> list[tuple[int, list[tuple[str, str]]]]:
    """Places with their postcodes, the most populous first."""
    found: dict[int, list[tuple[str, str]]] = {}
    for country, _ in settings.countries:
        for area in gazetteer.postcodes(country):
            if area.place and area.city:
                found.setdefault(area.place, []).append((area.code, area.city))
    people = {place: int(gazetteer.population[gazetteer.row(place)]) for place in found}
    return [
        (place, found[place]) for place in sorted(found, key=lambda place: (-people[place], place))
    ]


def _city(
    gazetteer: Gazetteer,
    place: int,
    codes: list[tuple[str, str]],
    number: int,
    first: int,
    groups: dict[tuple[str, str], int],
    settings: Settings,
) -> City:
    known = gazetteer.place(place)
    state_name = known.path[1] if len(known.path) > 2 else known.name
    towns = [town for _, town in codes]
    name = (
        known.name if known.name in towns else max(dict.fromkeys(towns), key=towns.count)
    )  # "New York", not "... City"
    own = [pair for pair in codes if pair[1] == name]  # the post has other names for suburbs
    return City(
        number=number,
        place=place,
        name=name,
        slug=slug_of(name),
        country=known.country,
        state=known.admin1 if known.country == "US" else state_name,
        state_name=state_name,
        group=groups.setdefault((known.country, known.admin1), len(groups)),
        people=max(known.population, 100),
        codes=tuple(own),
        first_site=first,
        sites=max(known.population // settings.people_per_site, settings.least_sites),
    )


def _states(cities: list[City], weights: list[float], count: int) -> list[State]:
    members: list[list[int]] = [[] for _ in range(count)]
    for city in cities:
        members[city.group].append(city.number)
    states = []
    for number, inside in enumerate(members):
        one = cities[inside[0]]
        share = tuple(accumulate(weights[k] for k in inside))
        states.append(
            State(
                number, one.country, one.state_name, slug_of(one.state_name), tuple(inside), share
            )
        )
    return states


def slug_of(name: str) -> str:
    """A name as URLs have it: "Fort Worth" -> "fort-worth", "Lüneburg" -> "lueneburg"."""
    plain = (
        unicodedata.normalize("NFKD", name.translate(_GERMAN)).encode("ascii", "ignore").decode()
    )
    return re.sub(r"[^a-z0-9]+", "-", plain.lower().replace("'", "")).strip("-") or "place"
