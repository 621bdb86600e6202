"""The cities of the synthetic web: those of the gazetteer that have a postcode.

A city's number is its rank by population. Its own sites have the numbers from `first_site` on, so a
site's number gives its city, and a city its sites.
"""

import re
import unicodedata
from bisect import bisect_right
from itertools import accumulate

from msgspec import Struct

from toponaut.places.gazetteer import Gazetteer
from toponaut.synthetic.settings import SyntheticSettings

_GERMAN = str.maketrans(
    {"ä": "ae", "ö": "oe", "ü": "ue", "ß": "ss", "Ä": "Ae", "Ö": "Oe", "Ü": "Ue"}
)
_NAMED = 600  # the largest cities, which general pages mention


class SyntheticCity(Struct, frozen=True):
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
    codes: tuple[tuple[str, str], ...]  # postcodes, each with its town
    first_site: int
    sites: int  # number of its own sites


class SyntheticState(Struct, frozen=True):
    """A state with its cities, largest first."""

    number: int
    country: str
    name: str
    slug: str
    cities: tuple[int, ...]
    weights: tuple[float, ...]  # cumulative


class SyntheticWorld:
    """All cities, and random draws from them."""

    def __init__(self, gazetteer: Gazetteer, settings: SyntheticSettings) -> None:
        groups: dict[tuple[str, str], int] = {}
        self.cities: list[SyntheticCity] = []
        self._firsts: list[int] = []
        first = 0
        for place, codes in _with_codes(gazetteer, settings):
            city = _city(gazetteer, place, codes, len(self.cities), first, groups, settings)
            self.cities.append(city)
            self._firsts.append(first)
            first += city.sites
        self.local_sites = first  # sites from this number on are general
        shares = dict(settings.countries)
        weights = [shares[city.country] * city.people**settings.city_power for city in self.cities]
        self._by_people = list(accumulate(weights))
        power, named = settings.mention_power, self.cities[:_NAMED]
        self._by_mention = list(
            accumulate(shares[city.country] * city.people**power for city in named)
        )
        self.states = _states(self.cities, weights, len(groups))
        self._numbers = {city.place: city.number for city in self.cities}

    def city_of_site(self, site: int) -> SyntheticCity:
        """The city that a local site belongs to."""
        return self.cities[bisect_right(self._firsts, site) - 1]

    def city_at(self, place: int) -> SyntheticCity | None:
        """The city of a place of the gazetteer."""
        number = self._numbers.get(place)
        return None if number is None else self.cities[number]

    def draw(self, share: float) -> SyntheticCity:
        """A city for a number in [0, 1), by population."""
        return self.cities[bisect_right(self._by_people, share * self._by_people[-1])]

    def draw_in(self, country: str, share: float) -> SyntheticCity:
        """A city of a country, by population."""
        states = [state for state in self.states if state.country == country]
        ends = list(accumulate(state.weights[-1] for state in states))
        at = share * ends[-1]
        state = states[bisect_right(ends, at)]
        inside = at - (ends[bisect_right(ends, at)] - state.weights[-1])
        last = len(state.cities) - 1
        return self.cities[state.cities[min(bisect_right(state.weights, inside), last)]]

    def draw_named(self, share: float) -> SyntheticCity:
        """A city that a general page mentions: one of the larger ones, with similar odds."""
        return self.cities[bisect_right(self._by_mention, share * self._by_mention[-1])]

    def draw_near(self, city: SyntheticCity, share: float) -> SyntheticCity:
        """A city of the same state."""
        state = self.states[city.group]
        return self.cities[state.cities[bisect_right(state.weights, share * state.weights[-1])]]


def _with_codes(
    gazetteer: Gazetteer, settings: SyntheticSettings
) -> list[tuple[int, list[tuple[str, str]]]]:
    """Places with their postcodes, most populous first."""
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
    settings: SyntheticSettings,
) -> SyntheticCity:
    known = gazetteer.place(place)
    state_name = known.path[1] if len(known.path) > 2 else known.name
    towns = [town for _, town in codes]
    name = known.name
    if name not in towns:  # "New York", not "New York City"
        name = max(dict.fromkeys(towns), key=towns.count)
    own = [pair for pair in codes if pair[1] == name]  # suburbs have other names
    return SyntheticCity(
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


def _states(cities: list[SyntheticCity], weights: list[float], count: int) -> list[SyntheticState]:
    members: list[list[int]] = [[] for _ in range(count)]
    for city in cities:
        members[city.group].append(city.number)
    states = []
    for number, inside in enumerate(members):
        one = cities[inside[0]]
        weight = tuple(accumulate(weights[k] for k in inside))
        slug, cities_inside = slug_of(one.state_name), tuple(inside)
        states.append(
            SyntheticState(number, one.country, one.state_name, slug, cities_inside, weight)
        )
    return states


def slug_of(name: str) -> str:
    """A name for URLs: "Fort Worth" -> "fort-worth", "Lüneburg" -> "lueneburg"."""
    decomposed = unicodedata.normalize("NFKD", name.translate(_GERMAN))
    plain = decomposed.encode("ascii", "ignore").decode()
    return re.sub(r"[^a-z0-9]+", "-", plain.lower().replace("'", "")).strip("-") or "place"
