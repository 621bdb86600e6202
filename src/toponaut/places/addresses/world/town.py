"""The town of a street: in the line below it or the segment after it, with its postcode.

    code and town    "252 21 Helsingborg", "LV-2160 Saulkrasti"
    town and code    "Strandfontein 7798", "Dundee / DD1 4JJ", "Kochi, Kerala 682001"
    town             "Marikina"

The country is the one that fits best: it has a town of that name, its postcodes have that form, its
table has the code, its people speak the language of the street's type, the next line names it.
"""

import math
import re
from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache

from msgspec import Struct

from toponaut.places.addresses.regions import country_code, fold
from toponaut.places.addresses.world.no_street import NO_STREET
from toponaut.places.addresses.world.street import is_small
from toponaut.places.gazetteer.descriptions import address_formats
from toponaut.places.gazetteer.gazetteer import (
    ALIAS,
    KINDS,
    Gazetteer,
    great_circle_km,
)
from toponaut.records import Kind

_LONGEST_LINE = 70
_GAP = re.compile(r"[ \t\xa0]*(?:[,;|·•–-]|\n)[\s,;|·•–-]{0,3}")
_CODE = (
    r"(?:[A-Z]{1,3}[- ]?)?\d{2,7}(?:[- ]\d{2,5})?(?: ?[A-Z]{2,3}(?![\w.]))?"
    r"|[A-Z]{1,2}\d[A-Z\d]? ?\d[A-Z]{2}|[A-Z]\d[\dW] ?[A-Z\d]{4}|[A-Z]\d[A-Z] ?\d[A-Z]\d"
)
_CODE_FIRST = re.compile(rf"(?P<code>{_CODE})(?:[\s,]{{1,3}}|\s[-–]\s|(?=[^\W\d_a-zA-Z]))(?=\D)")
_CODE_LAST = re.compile(rf"(?P<name>\D{{2,50}}?)[\s,]*(?:[\s,–-])[\s]?(?P<code>{_CODE})(?![\w-])")
_CODE_ALONE = re.compile(rf"(?P<code>{_CODE})(?![\w-])")
_LATER_CODE = re.compile(rf"[\s,;–-]{{1,4}}(?:\D{{0,30}}[\s,–-])?(?P<code>{_CODE})(?![\w-])")
_CUT = re.compile(r"\s[-–]\s|\s?[,(/;|\\]\s?|\t")
_PREFIX = re.compile(r"[A-Z]{1,3}[- ](?=\d)")
_MARK = re.compile(r"(?:г|м|гор|пос|с|д|п|ж\.к)\.\s?|(?:город|місто|село|gemeinde|kota)\s", re.I)
_SUFFIX = re.compile(r"(?i)\s(?:city|town|alevik|küla|köyü|гյուղ|գյուղ|village|d\.?\s?c\.?)$")
_NO_TOWN = re.compile(r"[@:%€$£=§*<>!?\"“”„…{}\[\]+©®]|\d{3}|\.\s")
_NEAR_KM = 60.0
_CITY = KINDS.index(Kind.CITY)
_AREAS = tuple(KINDS.index(kind) for kind in (Kind.NEIGHBOURHOOD, Kind.COUNTY, Kind.STATE))
# Countries whose table has only a part of their codes: large receivers, partial lists.
_PARTIAL = frozenset("FR BG RS MK HR LV LU IM JE GG".split())


class PageSigns(Struct, frozen=True):
    """What a page says of its country: its language, and the country of its host; "" if unknown."""

    language: str = ""
    country: str = ""


class WorldTown(Struct, frozen=True):
    start: int
    end: int
    name: str
    code: str
    country: str
    place: int  # 0: not in the gazetteer
    agrees: bool  # the postcode table has the code, for a town near
    known: bool  # in the gazetteer or the postcode table
    placed: bool  # the code is in its country's table, or the street is in its main language
    named: bool  # the country is written below


class _KnownTown(Struct, frozen=True):
    place: int
    population: int
    lat: float
    lon: float


class _TownLine(Struct, frozen=True):
    """A line read as code and name; `end` is where both end, from the line's start."""

    code: str
    name: str
    end: int


class _Choice(Struct, frozen=True):
    score: float
    country: str
    reading: _TownLine
    town: _KnownTown | None
    agrees: bool


class TownReader:
    """Reads the towns of one gazetteer."""

    def __init__(self, gazetteer: Gazetteer) -> None:
        self._gazetteer = gazetteer
        self._named = lru_cache(maxsize=4096)(self._find_named)
        self._tabled = frozenset(
            code for code in address_formats() if next(gazetteer.postcodes(code), None)
        )

    def read(
        self, text: str, end: int, languages: frozenset[str], signs: PageSigns
    ) -> WorldTown | None:
        """The town after a street that ends at `end`."""
        gap = _GAP.match(text, end)
        if gap is None or gap.group().count("\n") > 2:
            return None
        start = gap.end()
        stop = text.find("\n", start, start + _LONGEST_LINE)
        line = text[start : stop if stop >= 0 else start + _LONGEST_LINE]
        below = self._country_below(text, start + len(line))
        best: _Choice | None = None
        for reading in _readings(line):
            choice = self._chosen(reading, languages, signs, below)
            if choice and (best is None or choice.score > best.score):
                best = choice
        if best is None or best.country == "US":
            return None
        name, town = best.reading.name, best.town
        code, last, agrees = best.reading.code, best.reading.end, best.agrees
        if not name and (below_code := self._town_below(text, start + last, best.country)):
            name, town, last = below_code[0], below_code[1], below_code[2] - start
        if not code and (later := self._code_after(text, start + last, best.country)):
            code, last, agrees = later[0], later[1] - start, later[2]
        return WorldTown(
            start,
            start + last,
            name,
            _without_prefix(code),
            best.country,
            town.place if town else 0,
            agrees,
            known=agrees or town is not None,
            placed=self._is_placed(best.country, code, languages),
            named=below == best.country,
        )

    def is_town(self, name: str) -> bool:
        return bool(self._named(name))

    def _is_placed(self, country: str, code: str, languages: frozenset[str]) -> bool:
        if country in self._tabled:
            return self._gazetteer.postcode(country, _without_prefix(code)) is not None
        form = address_formats()[country]
        spoken = languages & set(form.languages[:2])
        return bool(spoken - {"en"}) or (bool(spoken) and form.number_first and len(code) > 5)

    def _chosen(
        self, reading: _TownLine, languages: frozenset[str], signs: PageSigns, below: str
    ) -> _Choice | None:
        """The country that fits a reading best."""
        code, name = reading.code, reading.name
        known = self._named(name) if name else {}
        countries: Iterable[str] = known
        if code:
            with_code = countries_with_code(code)
            countries = [country for country in known if country in with_code] or with_code
        elif not known:
            countries = {below, signs.country, *map(_home, languages)} - {""}
        best: _Choice | None = None
        for country in countries:
            town = known.get(country)
            score, agrees = self._score(country, code, name, town)
            score += _fit(country, languages, signs, below)
            if best is None or score > best.score:
                best = _Choice(score, country, reading, town, agrees)
        return best

    def _score(
        self, country: str, code: str, name: str, town: _KnownTown | None
    ) -> tuple[float, bool]:
        """How well town and code fit a country, and whether they agree."""
        score = 2 + min(math.log10(town.population + 10), 7) / 3.5 if town else 0.0
        if not code or country not in self._tabled:
            return score, False
        post = self._gazetteer.postcode(country, _without_prefix(code))
        if post is None:
            return score - (0 if country in _PARTIAL else 4), False
        if fold(post.city) == fold(name):
            return score + 6, True
        if town and great_circle_km(post.lat, post.lon, town.lat, town.lon) < _NEAR_KM:
            return score + 4, True
        return score + (-2 if town else 2), False

    def _find_named(self, name: str) -> Mapping[str, _KnownTown]:
        """The largest town of that name in each country; areas where there is no town."""
        found: dict[str, _KnownTown] = {}
        for form in _spellings(name):
            index = self._gazetteer.names.lookup(form)
            if index >= 0:
                for level_set in ((_CITY,), _AREAS):
                    for country, town in self._towns(index, level_set):
                        if country not in found:
                            found[country] = town
            if found:
                break
        return found

    def _towns(self, index: int, levels: tuple[int, ...]) -> Iterator[tuple[str, _KnownTown]]:
        gazetteer = self._gazetteer
        rows, quality = gazetteer.names.postings(index)
        best: dict[str, _KnownTown] = {}
        for row, fits in zip(rows.tolist(), quality.tolist(), strict=True):
            if fits < ALIAS or gazetteer.levels[row] not in levels:
                continue
            country, people = gazetteer.country(row), int(gazetteer.population[row])
            if country not in best or best[country].population < people:
                lat, lon = gazetteer.latlon[row].tolist()
                best[country] = _KnownTown(int(gazetteer.ids[row]), people, lat, lon)
        yield from best.items()

    def _country_below(self, text: str, end: int) -> str:
        """The country that the next line, or the rest of this one, names."""
        after = text[end : end + 40].lstrip("\n ,")
        name = after.partition("\n")[0].strip(" .,")
        if len(name) == 2 and name.isalpha():
            return name.upper() if name.upper() in address_formats() else ""
        return country_code(name, self._gazetteer) if 3 < len(name) < 30 else ""

    def _town_below(self, text: str, end: int, country: str) -> tuple[str, _KnownTown, int] | None:
        """The town after a postcode that is alone in its line: "DD1 4JJ / Dundee"."""
        if not text.startswith(("\n", ", "), end):
            return None
        start = end + 1 + (text[end] == ",")
        line = text[start : start + _LONGEST_LINE].partition("\n")[0]
        for name in _names(line):
            if town := self._named(name).get(country):
                return name, town, start + len(name)
        return None

    def _code_after(self, text: str, end: int, country: str) -> tuple[str, int, bool] | None:
        """A postcode after the town, in the line or below: "Kochi, Kerala 682001"."""
        match = _LATER_CODE.match(text, end)
        if match is None or country not in countries_with_code(match["code"]):
            return None
        post = None
        if country in self._tabled:
            post = self._gazetteer.postcode(country, match["code"])
            if post is None:
                return None
        return match["code"], match.end(), post is not None


def _readings(line: str) -> Iterator[_TownLine]:
    if first := _CODE_FIRST.match(line):
        for name in _names(line[first.end() :]):
            yield _TownLine(first["code"], name, first.end() + len(name))
    if last := _CODE_LAST.match(line):
        for name in _names(last["name"]):
            yield _TownLine(last["code"], name, last.end())
            words = name.split()
            if len(words) < 5:  # a state may follow: "Westphal Nova Scotia"
                for count in range(len(words) - 1, 0, -1):
                    yield _TownLine(last["code"], " ".join(words[:count]), last.end())
    if (alone := _CODE_ALONE.fullmatch(line.strip())) and not first:
        yield _TownLine(alone["code"], "", alone.end())
    if not line[:1].isdigit():
        for name in _names(line):
            yield _TownLine("", name, len(name))


def _names(line: str) -> Iterator[str]:
    """The whole line and its first part, if they may be names."""
    line = line.rstrip(" .,\xa0")
    parts = [line]
    if cut := _CUT.search(line):
        parts.append(line[: cut.start()].rstrip())
    for part in parts:
        sign = part[:1]
        if not 1 < len(part) <= 40 or not (sign.isalpha() or sign in "'’") or is_small(sign):
            continue
        if not _NO_TOWN.search(part) and part.split()[0].strip(".:").lower() not in NO_STREET:
            yield part


def _spellings(name: str) -> Iterator[str]:
    yield name
    if mark := _MARK.match(name):
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
    score += 3.0 if signs.country == country else 0.0
    score += 1.0 if signs.language in form.languages[:2] else 0.0
    if languages:
        main = form.languages[:3]
        score += 2.0 if languages & set(main[:1]) else 1.5 if languages & set(main) else 0.0
        score -= 0.0 if languages & {*form.languages, "en"} else 2.0
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
    return tuple(
        country
        for country, form in address_formats().items()
        if form.postcode and form.postcode.fullmatch(code)
    )


def _without_prefix(code: str) -> str:
    """ "D-26121" is "26121", but "LV-1010" and "AZ1025" are written so."""
    return code if code.startswith("LV") else _PREFIX.sub("", code)
