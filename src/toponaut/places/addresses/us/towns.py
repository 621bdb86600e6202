"""US towns in the gazetteer: a town's place, and whether state and ZIP agree with its name."""

import re
from collections.abc import Callable
from functools import lru_cache
from typing import NamedTuple

from toponaut.places.addresses.us.words import STATES, ZIP_STATE
from toponaut.places.gazetteer.gazetteer import KINDS, WEAK, Gazetteer, Postcode, great_circle_km
from toponaut.records import Kind

_CITY = KINDS.index(Kind.CITY)
_TERRITORIES = frozenset({"PR", "GU", "VI", "AS", "MP"})
_MUCH_LARGER = 3
_REMEMBERED = 4096  # names: a megabyte
NEAR_KM = 60.0  # 99.6 % of 14,039 ZIP codes have their centre within this distance of their towns


class UsTown(NamedTuple):
    place: int
    state: str
    population: int
    lat: float
    lon: float
    own: bool  # the name is its own; False: it is only near a post office of that name


class UsTowns:
    """Look-ups of towns, cached: the pages of a site name the same towns again and again."""

    def __init__(self, gazetteer: Gazetteer) -> None:
        self._gazetteer = gazetteer
        cached = lru_cache(maxsize=_REMEMBERED)
        self.named: Callable[[str], list[UsTown]] = cached(self._named)
        self.is_american: Callable[[str], bool] = cached(self._is_american)
        self._codes: dict[int, str] = {}  # of countries and their states: a few thousand at most

    def _named(self, name: str) -> list[UsTown]:
        """US towns of that name, largest first."""
        gazetteer = self._gazetteer
        index = gazetteer.names.lookup(name)
        if index < 0:
            return []
        rows, quality = gazetteer.names.postings(index)
        usable = (quality >= WEAK) & (gazetteer.levels[rows] >= _CITY)
        rows, quality = rows[usable], quality[usable]
        states = [self._state(*pair) for pair in gazetteer.lineage[rows, 1:3].tolist()]
        columns = (gazetteer.ids[rows], gazetteer.population[rows], gazetteer.latlon[rows])
        lists = (column.tolist() for column in (*columns, quality > WEAK))
        found = [
            UsTown(place, state, people, lat, lon, own)
            for state, place, people, (lat, lon), own in zip(states, *lists, strict=True)
            if state
        ]
        return sorted(found, key=lambda town: (not town.own, -town.population))

    def _state(self, country: int, area: int) -> str:
        """The postal code of a state or territory by its rows; "" outside the United States."""
        if country not in self._codes:
            self._codes[country] = self._gazetteer.country(country)
        code = self._codes[country]
        if code != "US" or area < 0:
            return code if code in _TERRITORIES else ""
        if area not in self._codes:
            self._codes[area] = STATES.get(tuple(self._gazetteer.name(area).lower().split()), "")
        return self._codes[area]

    def _is_american(self, name: str) -> bool:
        """Whether no town of that name outside the United States is much larger."""
        index = self._gazetteer.names.lookup(name)
        if index < 0:
            return False
        rows, quality = self._gazetteer.names.postings(index)
        rows = rows[quality > WEAK]
        people = self._gazetteer.population[rows].tolist()
        lineage = self._gazetteer.lineage[rows, 1:3].tolist()
        elsewhere = (
            size for pair, size in zip(lineage, people, strict=True) if not self._state(*pair)
        )
        towns = self.named(name)
        if not towns or not towns[0].own:
            return False
        return towns[0].population * _MUCH_LARGER >= max(elsewhere, default=0)

    def in_state(self, name: str, state: str) -> UsTown | None:
        return next((town for town in self.named(name) if town.state == state), None)

    def zip(self, code: str) -> Postcode | None:
        return self._gazetteer.postcode("US", code[:5])

    def fits(self, name: str, state: str, code: str) -> bool:
        """Whether a town of that name can have that ZIP: by the postcode table, or by distance."""
        area = self.zip(code)
        if area is None:
            return False
        if same_town(area.city, name):
            return True
        towns = [town for town in self.named(name) if town.state == state]
        return any(_km(town, area) < NEAR_KM for town in towns)

    def place(self, name: str, state: str, code: str) -> int:
        """The id of the town's place, or 0. Of several in a state, the nearest to the ZIP."""
        area = self.zip(code) if code else None
        if area is not None and area.place and same_town(area.city, name):
            return area.place
        towns = [town for town in self.named(name) if town.state == state]
        if area is None:
            return towns[0].place if towns else 0
        if not towns:
            return area.place
        return min(towns, key=lambda town: _km(town, area)).place


def _km(town: UsTown, area: Postcode) -> float:
    return great_circle_km(town.lat, town.lon, area.lat, area.lon)


def same_town(one: str, other: str) -> bool:
    """Whether two names are equal: "St. Mary's" and "Saint Marys", "Mc Call" and "McCall"."""
    return one == other or _folded(one) == _folded(other)


@lru_cache(maxsize=_REMEMBERED)
def _folded(name: str) -> str:
    words = re.sub(r"[.'’]", "", name.lower()).replace("-", " ").split()
    return "".join(_LONG.get(word, word) for word in words)


_LONG = {"st": "saint", "ste": "sainte", "ft": "fort", "mt": "mount"}
_LONG |= {"n": "north", "s": "south", "e": "east", "w": "west"}


def zip_agrees(state: str, code: str) -> bool:
    return ZIP_STATE.get(code[:3]) == state or (state in ("MP", "GU") and code.startswith("969"))
