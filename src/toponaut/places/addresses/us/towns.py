"""US towns in the gazetteer: a town's place, and whether state and ZIP agree with its name."""

import re
from functools import lru_cache, partial
from typing import NamedTuple

from toponaut.places.addresses.us.words import STATES, ZIP_STATE
from toponaut.places.gazetteer.gazetteer import KINDS, WEAK, Gazetteer, Postcode, great_circle_km
from toponaut.records import Kind

_CITY = KINDS.index(Kind.CITY)
_TERRITORIES = frozenset({"PR", "GU", "VI", "AS", "MP"})
_MUCH_LARGER = 3
_REMEMBERED = 4096  # names and ZIP codes: a megabyte or two
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
        self._named = lru_cache(maxsize=_REMEMBERED)(self._look_up)
        self._americans = lru_cache(maxsize=_REMEMBERED)(self._is_american)
        self._zips = lru_cache(maxsize=_REMEMBERED)(partial(gazetteer.postcode, "US"))
        self._codes: dict[int, str] = {}  # of countries and their states: a few thousand at most

    def named(self, name: str) -> list[UsTown]:
        """US towns of that name, largest first."""
        return self._named(name)

    def _look_up(self, name: str) -> list[UsTown]:
        gazetteer = self._gazetteer
        index = gazetteer.names.lookup(name)
        if index < 0:
            return []
        rows, quality = gazetteer.names.postings(index)
        usable = (quality >= WEAK) & (gazetteer.levels[rows] >= _CITY)
        rows, quality = rows[usable], quality[usable]
        columns = (
            gazetteer.lineage[rows, 1:3],
            gazetteer.ids[rows],
            gazetteer.population[rows],
            gazetteer.latlon[rows],
            quality > WEAK,
        )
        found = [
            UsTown(place, state, people, lat, lon, own)
            for (country, area), place, people, (lat, lon), own in zip(
                *(column.tolist() for column in columns), strict=True
            )
            if (state := self._state(country, area))
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

    def is_american(self, name: str) -> bool:
        """Whether no town of that name outside the United States is much larger."""
        return self._americans(name)

    def _is_american(self, name: str) -> bool:
        index = self._gazetteer.names.lookup(name)
        if index < 0:
            return False
        rows, quality = self._gazetteer.names.postings(index)
        people = self._gazetteer.population[rows].tolist()
        elsewhere = (
            size
            for (country, area), size, how in zip(
                self._gazetteer.lineage[rows, 1:3].tolist(), people, quality.tolist(), strict=True
            )
            if how > WEAK and not self._state(country, area)
        )
        return any(
            town.own and town.population * _MUCH_LARGER >= max(elsewhere, default=0)
            for town in self.named(name)[:1]
        )

    def in_state(self, name: str, state: str) -> UsTown | None:
        return next((town for town in self.named(name) if town.state == state), None)

    def zip(self, code: str) -> Postcode | None:
        return self._zips(code[:5])

    def fits(self, name: str, state: str, code: str) -> bool:
        """Whether a town of that name can have that ZIP: by the postcode table, or by distance."""
        area = self.zip(code)
        if area is None:
            return False
        if same_town(area.city, name):
            return True
        return any(
            town.state == state
            and great_circle_km(town.lat, town.lon, area.lat, area.lon) < NEAR_KM
            for town in self.named(name)
        )

    def place(self, name: str, state: str, code: str) -> int:
        """The id of the town's place, 0 if unknown. Of several in a state, the nearest to the ZIP."""
        area = self.zip(code) if code else None
        if area is not None and area.place and same_town(area.city, name):
            return area.place
        towns = [town for town in self.named(name) if town.state == state]
        if area is None:
            return towns[0].place if towns else 0
        if not towns:
            return area.place
        return min(
            towns, key=lambda town: great_circle_km(town.lat, town.lon, area.lat, area.lon)
        ).place


def same_town(one: str, other: str) -> bool:
    """Whether two spellings are the same: "St. Mary's" and "Saint Marys", "Mc Call" and "McCall"."""
    return one == other or _folded(one) == _folded(other)


def _folded(name: str) -> str:
    words = re.sub(r"[.'’]", "", name.lower()).replace("-", " ").split()
    return "".join(_LONG.get(word, word) for word in words)


_LONG = dict(
    zip(
        "st ste ft mt n s e w".split(),
        "saint sainte fort mount north south east west".split(),
        strict=True,
    )
)


def zip_agrees(state: str, code: str) -> bool:
    return ZIP_STATE.get(code[:3]) == state or (state in ("MP", "GU") and code.startswith("969"))
