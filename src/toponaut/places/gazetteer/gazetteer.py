"""The world's places: look-ups by id, name, point and postcode, and the hierarchy.

A Gazetteer is a view on compiled arrays (compile.py) that never change, so any number of processes
can share one mapped file. It remembers the last look-ups by postcode and name. A *row* is a place's
index in those arrays; outside of this program places are known by their `id`. GeoNames' places and
WordNet's toponyms are two sets of arrays with this one interface.
"""

import difflib
import math
import re
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from functools import cached_property, lru_cache
from typing import Any, TypeVar

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from toponaut.places.gazetteer.postcode_keys import PostcodeKeys
from toponaut.places.names.name_table import NameTable
from toponaut.places.names.tokens import Ints
from toponaut.records import Kind, Place

T = TypeVar("T")
EARTH_KM = 6371.0088  # mean radius, IUGG
KINDS = tuple(Kind)
_STATE, _COUNTY, _CITY = KINDS.index(Kind.STATE), KINDS.index(Kind.COUNTY), KINDS.index(Kind.CITY)
_NEIGHBOURHOOD = KINDS.index(Kind.NEIGHBOURHOOD)
_SUGGESTED = 60_000  # largest places for "did you mean": those of 7,000 people and more
CODE, JOINED, WEAK, ALIAS, PRIMARY = range(5)  # how well a name fits a place; see aliases.py

_INWARD = re.compile(r"\d[A-Z]{2}$")  # "SW1A 1AA", "M1 1AE": the last three characters
_KNOWN_LENGTH = {"US": 5, "CA": 3, "NL": 4, "PT": 4}
_REMEMBERED = 4096  # postcodes and names: the pages of a site repeat them; one or two megabytes
_GAPS = re.compile(r"[\s-]")
_COMMA = re.compile(r"\s*[,;]\s*|\s*\(\s*|\s*\)\s*")


class Postcode(Struct, frozen=True):
    """A postcode area: its centre, its city, and that city's place (0: not known)."""

    country: str
    code: str
    lat: float
    lon: float
    city: str
    place: int


class Gazetteer:
    def __init__(self, arrays: dict[str, NDArray[Any]]) -> None:
        self.names = NameTable(arrays)
        self.ids: NDArray[np.int64] = arrays["id"]
        self.levels: NDArray[np.uint8] = arrays["level"]
        self.parents: Ints = arrays["parent"]
        self.lineage: Ints = arrays["lineage"]
        self.latlon: NDArray[np.float64] = arrays["latlon"]
        self.xyz: NDArray[np.float32] = arrays["xyz"]
        self.population: NDArray[np.int64] = arrays["population"]
        self.prior: NDArray[np.float32] = arrays["prior"]
        self._arrays = arrays
        self._postcode_keys = PostcodeKeys(arrays["postcode"])
        self._look_ups: dict[Callable[..., Any], Callable[..., Any]] = {}
        remember = lru_cache(maxsize=_REMEMBERED)
        self._row = remember(self._find_row)
        self._areas_around = remember(self._find_areas)
        self._place_at = remember(self._read_place)
        self._postcode = remember(self._find_postcode)
        self._likeliest = remember(self._find_likeliest)
        self._rows_named = remember(self._find_rows)
        self._countries_with = remember(self._find_countries)

    def __len__(self) -> int:
        return len(self.ids)

    def remembered(self, look_up: Callable[..., T], *names: str) -> T:
        """look_up(*names, self), cached here: a cache elsewhere would keep this in memory."""
        cached = self._look_ups.get(look_up)
        if cached is None:
            cached = lru_cache(_REMEMBERED)(lambda *names: look_up(*names, self))
            self._look_ups[look_up] = cached
        found: T = cached(*names)
        return found

    # --- by id --------------------------------------------------------------------------------

    def row(self, place_id: int) -> int:
        """The row of a place. Raises KeyError for an unknown id."""
        return self._row(place_id)

    def _find_row(self, place_id: int) -> int:
        row = int(np.searchsorted(self.ids, place_id))
        if row == len(self.ids) or self.ids[row] != place_id:
            raise KeyError(place_id)
        return row

    def place(self, place_id: int) -> Place:
        return self.place_at(self.row(place_id))

    def point(self, place_id: int) -> tuple[float, float]:
        """The coordinates of a place, as in its record."""
        return self._point(self.row(place_id))

    def _point(self, row: int) -> tuple[float, float]:
        lat, lon = self.latlon[row]
        return round(float(lat), 5), round(float(lon), 5)

    def place_at(self, row: int) -> Place:
        """The place in a row, as a record."""
        return self._place_at(row)

    def _read_place(self, row: int) -> Place:
        arrays = self._arrays
        lat, lon = self._point(row)
        return Place(
            id=int(self.ids[row]),
            name=self.name(row),
            kind=KINDS[self.levels[row]],
            country=self.country(row),
            admin1=self._text("admin1s", int(arrays["admin1"][row])),
            lat=lat,
            lon=lon,
            population=int(self.population[row]),
            timezone=self._text("zones", int(arrays["timezone"][row])),
            path=tuple(self.name(above) for above in self._path(row)),
        )

    def name(self, row: int) -> str:
        return self._text("name", row)

    def country(self, row: int) -> str:
        return bytes(self._arrays["country"][row]).decode().strip()

    def _text(self, column: str, k: int) -> str:
        at = self._arrays[f"{column}_at"]
        return bytes(self._arrays[f"{column}_text"][at[k] : at[k + 1]]).decode()

    # --- the hierarchy ------------------------------------------------------------------------

    def ancestors(self, place_id: int) -> list[Place]:
        """From the parent upward."""
        return [self.place_at(row) for row in self.rows_above(self.row(place_id))]

    def rows_below(self, row: int) -> Iterator[Ints]:
        start, child = self._arrays["child_start"], self._arrays["child"]
        rows: Ints = np.array([row], np.int32)
        while len(rows):
            rows = np.concatenate([child[start[k] : start[k + 1]] for k in rows])
            if len(rows):
                yield rows

    def rows_above(self, row: int) -> Iterator[int]:
        row = int(self.parents[row])
        while row >= 0:
            yield row
            row = int(self.parents[row])

    def areas_around(self, row: int) -> tuple[int, ...]:
        """The rows of the areas that a place is in, the largest first."""
        return self._areas_around(row)

    def _find_areas(self, row: int) -> tuple[int, ...]:
        return tuple(area for area in self.lineage[row].tolist() if area >= 0 and area != row)

    def _path(self, row: int) -> list[int]:
        """From the country down to the place. Continents are left out."""
        above = [k for k in self.rows_above(row) if KINDS[self.levels[k]] is not Kind.CONTINENT]
        return [*reversed(above), row]

    # --- by name ------------------------------------------------------------------------------

    def lookup(self, name: str) -> list[Place]:
        """Places of that name, likeliest first. Context may follow: "Glendale, AZ"."""
        return [self.place_at(int(row)) for row in self.rows_named(name)]

    def has_town(self, name: str, country: str) -> bool:
        """Whether a town or neighbourhood of a country has exactly that name."""
        return country in self._countries_with(name)

    def _find_countries(self, name: str) -> frozenset[str]:
        index = self.names.lookup(name)
        if index < 0:
            return frozenset()
        rows, quality = self.names.postings(index)
        levels = self.levels[rows]
        rows = rows[(quality >= ALIAS) & ((levels == _CITY) | (levels == _NEIGHBOURHOOD))]
        return frozenset(map(self.country, rows.tolist()))

    def likeliest(self, name: str) -> Place | None:
        """The first place of `lookup`."""
        return self._likeliest(name)

    def _find_likeliest(self, name: str) -> Place | None:
        rows = self.rows_named(name)
        return self.place_at(int(rows[0])) if len(rows) else None

    def rows_named(self, name: str) -> Ints:
        """As `lookup`, but rows. Context counts only if it is an ancestor of the place."""
        return self._rows_named(name)

    def _find_rows(self, name: str) -> Ints:
        parts = [part for part in _COMMA.split(name.strip()) if part]
        if not parts:
            return np.zeros(0, np.int32)
        # "Halle (Saale)" and "Washington, D.C." are names as a whole. So is "Denver, CO", but of a
        # county: places inside the area after the comma come first.
        whole = self._ranked(name.replace(",", " "))
        within = self._within(self._ranked(parts[0]), parts[1:]) if len(parts) > 1 else whole[:0]
        if len(within):
            return np.concatenate([within, whole[~np.isin(whole, within)]])
        if len(whole):
            return whole
        words = parts[0].split()
        for cut in range(len(words) - 1, 0, -1):
            rows = self._ranked(" ".join(words[:cut]))
            if len(rows) and len(rows := self._within(rows, [" ".join(words[cut:])])):
                return rows
        return np.zeros(0, np.int32)

    def _ranked(self, name: str) -> Ints:
        index = self.names.lookup(name)
        if index < 0:
            return np.zeros(0, np.int32)
        rows, quality = self.names.postings(index)
        rows, quality = rows[quality >= WEAK], quality[quality >= WEAK]
        return rows[np.lexsort((-self._rank(rows), quality < ALIAS))]

    def _rank(self, rows: Ints) -> NDArray[np.float64]:
        """By population; but a state or county ranks right after its city of the same name."""
        people = self.population[rows].astype(np.float64)
        for k in np.flatnonzero((self.levels[rows] == _STATE) | (self.levels[rows] == _COUNTY)):
            inside = (self.lineage[rows] == rows[k]).any(axis=1) & (self.levels[rows] == _CITY)
            if inside.any():
                people[k] = min(people[k], people[inside].max(initial=0) - 0.5)
        return people

    def similar(self, name: str, count: int, cutoff: float = 0.7) -> list[Place]:
        """Large places with a similar name, for "did you mean": the closest, then the largest."""
        wanted = name.strip().lower()
        rows = self._large_places.get(wanted[:1], {})
        close = difflib.get_close_matches(wanted, rows, count, cutoff)
        ratio = {known: difflib.SequenceMatcher(None, known, wanted).ratio() for known in close}
        close.sort(key=lambda known: (-round(ratio[known], 1), -self.population[rows[known]]))
        return [self.place_at(rows[known]) for known in close]

    @cached_property
    def _large_places(self) -> dict[str, dict[str, int]]:
        """The rows of the largest places by the first letter of their name, then by the name."""
        found: dict[str, dict[str, int]] = defaultdict(dict)
        for row in np.argsort(self.population, kind="stable")[-_SUGGESTED:].tolist():
            name = self.name(row).lower()
            found[name[:1]][name] = row
        return found

    def _within(self, rows: Ints, context: Sequence[str]) -> Ints:
        """The rows that are in all areas of the context."""
        for name in context:
            index = self.names.lookup(name)
            if index < 0:
                return rows[:0]
            areas = self.names.postings(index)[0]
            rows = rows[np.isin(self.lineage[rows], areas).any(axis=1)]
        return rows

    # --- by point and postcode ----------------------------------------------------------------

    def nearest(
        self, lat: float, lon: float, count: int = 1, kind: Kind | None = Kind.CITY
    ) -> list[tuple[Place, float]]:
        """The nearest places with their distances in km. Scans all places, which takes 1 ms."""
        closeness = self.xyz @ unit_vectors(np.array([(lat, lon)]))[0].astype(np.float32)
        if kind is not None:
            closeness = np.where(self.levels == KINDS.index(kind), closeness, -2)
        some = np.argpartition(-closeness, min(count + 8, len(self) - 1))[: count + 8]
        measured = sorted(
            (great_circle_km(lat, lon, *self.latlon[row]), int(row))
            for row in some
            if closeness[row] >= -1
        )
        return [(self.place_at(row), km) for km, row in measured[:count]]

    def postcode(self, country: str, code: str) -> Postcode | None:
        """A postcode area. Longer codes are cut to the known part: "94103-1234", "SW1A 1AA"."""
        return self._postcode(country, code)

    def _find_postcode(self, country: str, code: str) -> Postcode | None:
        country = country.upper()
        compact = known_part(country, _GAPS.sub("", code.upper()))
        key = (country + compact).encode("ascii", "replace")[:12]
        k = self._postcode_keys.find(key) if compact else -1
        return None if k < 0 else self._postcode_at(k)

    def postcodes(self, country: str) -> Iterator[Postcode]:
        """All postcode areas of a country, in the order of their codes."""
        keys, prefix = self._arrays["postcode"], country.upper().encode("ascii", "replace")
        for k in range(bisect_left(keys, prefix), bisect_left(keys, prefix + b"\x7f")):
            yield self._postcode_at(k)

    def _postcode_at(self, k: int) -> Postcode:
        key = self._arrays["postcode"][k].decode()
        lat, lon = self._arrays["postcode_latlon"][k].tolist()
        place = int(self._arrays["postcode_place"][k])
        return Postcode(key[:2], key[2:], lat, lon, self._text("postcode", k), place)


def known_part(country: str, code: str) -> str:
    """The part of a postcode (no spaces) that the gazetteer has: in Britain the outward code."""
    if country in ("GB", "JE", "GG", "IM"):
        return _INWARD.sub("", code) if len(code) > 4 else code
    return code[: _KNOWN_LENGTH.get(country, 10)]


def unit_vectors(latlon: NDArray[np.float64]) -> NDArray[np.float64]:
    """Points on the unit sphere, one per row; their products give distances."""
    lat, lon = np.radians(latlon).T
    return np.stack([np.cos(lat) * np.cos(lon), np.cos(lat) * np.sin(lon), np.sin(lat)], axis=1)


def great_circle_km(lat1: float, lon1: float, lat2: float, lon2: float) -> float:
    """Haversine distance on the mean sphere."""
    phi1, phi2 = math.radians(lat1), math.radians(lat2)
    half = math.sin((phi2 - phi1) / 2) ** 2
    half += math.cos(phi1) * math.cos(phi2) * math.sin(math.radians(lon2 - lon1) / 2) ** 2
    return 2 * EARTH_KM * math.asin(math.sqrt(min(half, 1.0)))
