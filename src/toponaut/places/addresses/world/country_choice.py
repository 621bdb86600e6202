"""Which country a town and a postcode are in.

The country that fits best: it has a town of that name, its postcodes have that form, its table has
the code near that town, its people speak the language of the street's type, the next line names it.
"""

import math
import re
from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache

import cython
import numpy as np
from msgspec import Struct

from toponaut.places.addresses.countries import towns
from toponaut.places.addresses.regions import country_code, country_of_state, fold
from toponaut.places.gazetteer.descriptions import address_formats
from toponaut.places.gazetteer.gazetteer import (
    ALIAS,
    KINDS,
    PRIMARY,
    Gazetteer,
    great_circle_km,
)
from toponaut.records import Kind

if not cython.compiled:
    raise ImportError("toponaut is not compiled: run make setup, or reinstall it")

_PREFIX = re.compile(r"[A-Z]{1,3}[- ](?=\d)")
# Before and after a town's name: "м. Київ", "TP. Huế", "Dublin 4", "Quezon City".
MARK = re.compile(
    r"(?:(?:г|м|гор|пос|с|д|п|ж\.к|tp|tx)\.\s?|(?:город|місто|село|gemeinde|kota|thành phố)\s)"
    r"(?=[^\W\d_])",
    re.I,
)
_SUFFIX = re.compile(
    r"(?i)\s(?:city|town|alevik|küla|köyü|գյուղ|village|d\.?\s?c\.?|0?\d{1,2}(?:er|e|ème)?)$"
)
_WORD_GAP = re.compile(r"[\s,(]+")
_MOST_WORDS = 4  # of a country's name at the end of a line
_NEAR_KM = 60.0
_CITY = KINDS.index(Kind.CITY)
_COUNTRY = KINDS.index(Kind.COUNTRY)
_SHORT = frozenset(
    "uae u.a.e ksa uk u.k prc p.r.c roc r.o.c korea srilanka england wales السعودية المتحدة الكويت "
    "قطر البحرين عمان عُمان مصر الأردن العراق لبنان".split()
)
_SHORT_NAMES = {
    "uae": "AE", "ksa": "SA", "uk": "GB", "prc": "CN", "roc": "TW", "prchina": "CN", "rsa": "ZA"
}  # fmt: skip
_STATE = KINDS.index(Kind.STATE)
_AREAS = tuple(KINDS.index(kind) for kind in (Kind.NEIGHBOURHOOD, Kind.COUNTY, Kind.STATE))
# Countries whose table has only a part of their codes: large receivers, partial lists.
_PARTIAL = frozenset("FR BG RS MK HR LV LU IM JE GG".split())


_PARTS = re.compile(r"[,،;|]")
_MOST_SPACES = 4  # in the name of a country
_CODE_LETTERS = 2


class PageSigns(Struct, frozen=True):
    """What a page says of its country: its language, and the country of its host; "" if unknown."""

    language: str = ""
    country: str = ""


class TownLine(Struct, frozen=True):
    """A line read as code and name; `end` is where both end, from the line's start."""

    code: str
    name: str
    end: int
    code_last: bool = False


class KnownTown(Struct, frozen=True):
    place: int
    population: int
    lat: float
    lon: float
    own: bool  # the name is the town's own
    is_city: bool  # not an area


class CountryChoice(Struct, frozen=True):
    score: float
    country: str
    line: TownLine
    town: KnownTown | None  # None: not in the gazetteer
    agrees: bool  # the postcode table has the code, for a town near


class TownCountries:
    """Chooses by one gazetteer."""

    def __init__(self, gazetteer: Gazetteer) -> None:
        self._gazetteer = gazetteer
        self.named = lru_cache(maxsize=4096)(self._find_named)
        self.country_at_end = lru_cache(maxsize=4096)(self._find_at_end)  # lines repeat on a site
        self._tabled = frozenset(
            code for code in address_formats() if next(gazetteer.postcodes(code), None)
        )
        rows = np.flatnonzero(gazetteer.levels == _COUNTRY).tolist()
        states = np.flatnonzero(gazetteer.levels == _STATE).tolist()
        rows += [row for row in states if gazetteer.country(row) == "IN"]  # "Pune 411001, Goa"
        # The last words of countries' names, in lower case.
        self.last_words = _SHORT | {gazetteer.name(row).lower().rpartition(" ")[2] for row in rows}

    def choose(
        self, lines: Iterable[TownLine], languages: frozenset[str], signs: PageSigns, below: str
    ) -> CountryChoice | None:
        """The best country of the best reading; None if that is the United States."""
        best: CountryChoice | None = None
        for line in lines:
            choice = self._best(line, languages, signs, below)
            if choice and (best is None or choice.score > best.score):
                best = choice
        return best if best and best.country != "US" else None

    def has_code(self, country: str, code: str) -> bool | None:
        """Whether the country's table has a code; None if there is no table, or not all of it."""
        if country not in self._tabled:
            return None
        found = self._gazetteer.postcode(country, without_prefix(code)) is not None
        return found or (None if country in _PARTIAL else False)

    def named_country(self, name: str) -> str:
        """The code of the country that a line names, or ""."""
        if short := _SHORT_NAMES.get(name.replace(".", "").replace(" ", "").lower()):
            return short
        if len(name) == 2 and name.isalpha():
            return name.upper() if name.upper() in address_formats() else ""
        known = (3 if name.isascii() else 2) < len(name) < 30
        return country_code(name, self._gazetteer) if known else ""

    def ending(self, line: str) -> str:
        """The country that the end of a line names: "Amman 11183, Jordan", "London, Ontario"."""
        last = _PARTS.split(line)[-1].strip(" .()")
        if len(last) == len(line) or last.count(" ") > _MOST_SPACES or last[-1:].isdigit():
            return ""
        country = self.named_country(last) if len(last) != _CODE_LETTERS else ""
        return country or country_of_state(last, self._gazetteer)

    def _find_at_end(self, line: str) -> tuple[str, int]:
        """The country that the end of a line names, and where its name begins; ("", 0) if none."""
        line = line.rstrip(" .,;:–-)")
        starts = [0, *(match.end() for match in _WORD_GAP.finditer(line))]
        for at in starts[-_MOST_WORDS:]:
            if country := self._country(line[at:]):
                return country, at
        return "", 0

    def _country(self, name: str) -> str:
        is_code = len(name) == 2 and name != "UK"
        return "" if name[:1].islower() or is_code else self.named_country(name)

    def _best(
        self, line: TownLine, languages: frozenset[str], signs: PageSigns, below: str
    ) -> CountryChoice | None:
        known = self.named(line.name) if line.name else {}
        countries: Iterable[str] = known
        if line.code:
            with_code = countries_with_code(line.code)
            countries = [country for country in known if country in with_code]
            countries = countries or self._likely(line.code, languages, signs, below)
            if line.code_last:
                countries = [one for one in countries if address_formats()[one].code_last]
        elif not known and self.named_country(line.name):
            return None  # "Dublin 4, Irland"
        elif not known or languages.isdisjoint(_spoken(known)):
            named = {*known, below, signs.country, *map(_home, languages)}
            countries = sorted(named - {""})  # of equal ones the first wins, on every run
        best: CountryChoice | None = None
        for country in countries:
            town = known.get(country)
            score, agrees = self._score(country, line, town)
            score += _fit(country, languages, signs, below)
            if best is None or score > best.score:
                best = CountryChoice(score, country, line, town, agrees)
        return best

    def _likely(
        self, code: str, languages: frozenset[str], signs: PageSigns, below: str
    ) -> list[str]:
        """Countries of a code that a sign or their table points to: many share a form."""
        forms = address_formats()
        return [
            country
            for country in countries_with_code(code)
            if country in (below, signs.country)
            or not languages.isdisjoint(forms[country].languages[:2])
            or self.has_code(country, code)
        ]

    def _score(self, country: str, line: TownLine, town: KnownTown | None) -> tuple[float, bool]:
        """How well town and code fit a country, and whether they agree."""
        score = 2 + min(math.log10(town.population + 10), 7) / 3.5 if town else 0.0
        score -= 1 if town and not town.is_city else 0
        if not line.code or country not in self._tabled:
            return score, False
        post = self._gazetteer.postcode(country, without_prefix(line.code))
        if post is None:
            return score - (0 if country in _PARTIAL else 4), False
        if fold(post.city) == fold(line.name):
            return score + 6, True
        if town is None:
            return score + 2, False
        near = great_circle_km(post.lat, post.lon, town.lat, town.lon) < _NEAR_KM
        near = near or towns.known(line.name, country, post, self._gazetteer)[1] > towns.FAR
        return (score + 4, True) if near else (score - 2, False)

    def _find_named(self, name: str) -> Mapping[str, KnownTown]:
        """The largest town of that name in each country; areas where there is no town.

        A country's own name is a town only if its capital is called the same: "Singapore".
        """
        found: dict[str, KnownTown] = {}
        for form in _spellings(name):
            index = self._gazetteer.names.lookup(form)
            if index >= 0:
                found = {**self._towns(index, _AREAS), **self._towns(index, (_CITY,))}
            if found:
                break
        if found and (country := country_code(name, self._gazetteer)):
            return {code: one for code, one in found.items() if code == country and one.own}
        return found

    def _towns(self, index: int, levels: tuple[int, ...]) -> dict[str, KnownTown]:
        gazetteer = self._gazetteer
        rows, quality = gazetteer.names.postings(index)
        best: dict[str, KnownTown] = {}
        for row, fits in zip(rows.tolist(), quality.tolist(), strict=True):
            if fits < ALIAS or gazetteer.levels[row] not in levels:
                continue
            country, people = gazetteer.country(row), int(gazetteer.population[row])
            if country not in best or best[country].population < people:
                lat, lon = gazetteer.latlon[row].tolist()
                own = fits == PRIMARY and levels == (_CITY,)
                is_city = levels == (_CITY,)
                place = int(gazetteer.ids[row])
                best[country] = KnownTown(place, people, lat, lon, own, is_city)
        return best


def _spoken(countries: Iterable[str]) -> set[str]:
    """The languages of some countries, and English, which streets everywhere may be in."""
    forms = address_formats()
    return {"en", *(one for country in countries for one in forms[country].languages)}


def _spellings(name: str) -> Iterator[str]:
    yield name
    if mark := MARK.match(name):
        yield name[mark.end() :]
    if suffix := _SUFFIX.search(name):
        yield name[: suffix.start()]
    if " " in name and not name.isascii():
        yield name.replace(" ", "")


def _fit(country: str, languages: frozenset[str], signs: PageSigns, below: str) -> float:
    """How well a country fits the language of the street and what the page says of itself."""
    form = address_formats().get(country)
    if form is None:
        return -9.0
    score = 8.0 if below == country else 0.0
    if signs.country == country:
        score += 3.0
    if signs.language in form.languages[:2]:
        score += 1.0
    if languages:
        if not languages.isdisjoint(form.languages[:1]):
            score += 2.0
        elif not languages.isdisjoint(form.languages[:3]):
            score += 1.5
        elif "en" not in languages and languages.isdisjoint(form.languages):
            score -= 2.0
    return score


@lru_cache(maxsize=256)
def _home(language: str) -> str:
    """The country of a language that is the first of one country only: "LT" for Lithuanian."""
    homes = [
        country
        for country, form in address_formats().items()
        if form.postcode and form.languages[:1] == (language,)
    ]
    return homes[0] if len(homes) == 1 else ""


@lru_cache(maxsize=4096)
def countries_with_code(code: str) -> tuple[str, ...]:
    """Countries whose postcodes have the form of `code`."""
    fits: dict[str, bool] = {}  # many countries share a form
    found: list[str] = []
    for country, form in address_formats().items():
        if form.postcode is None:
            continue
        written = form.postcode.pattern
        if written not in fits:
            fits[written] = form.postcode.fullmatch(code) is not None
        if fits[written]:
            found.append(country)
    return tuple(found)


def without_prefix(code: str) -> str:
    """ "D-26121" is "26121", but "LV-1010" and "AZ1025" are written so."""
    return code if code.startswith("LV") else _PREFIX.sub("", code)
