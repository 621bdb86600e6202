"""The town of a street: below it, after it, or before it, with its postcode.

code and town    "252 21 Helsingborg", "LV-2160 Saulkrasti"
town and code    "Strandfontein 7798", "Kochi, Kerala 682001"
code, then town  "DD1 4JJ / Dundee"
town             "Marikina"
before           "220013, г. Минск, [ул. Садовая, д. 6]"
"""

import re
from collections.abc import Iterator
from functools import lru_cache

import cython
from msgspec import Struct

from toponaut.places.addresses.world.country_choice import (
    MARK,
    CountryChoice,
    KnownTown,
    PageSigns,
    TownCountries,
    TownLine,
    countries_with_code,
    without_prefix,
)
from toponaut.places.addresses.world.no_street import NO_STREET, NO_TOWN
from toponaut.places.addresses.world.street import is_small
from toponaut.places.gazetteer.descriptions import address_formats
from toponaut.places.gazetteer.gazetteer import Gazetteer

if not cython.compiled:
    raise ImportError("toponaut is not compiled: run make setup, or reinstall it")

_LONGEST_LINE = 70
_REACH_BACK = 80
_GAP = re.compile(r"[ \t\xa0]*(?:[,،;|·•–-]|\n)[\s,،;|·•–-]{0,3}")
_CODE = (
    r"[A-Z]{1,2}\d[A-Z\d]? ?\d[A-Z]{2}|[A-Z]\d[\dW] ?[A-Z][A-Z\d]{3}|[A-Z]\d[A-Z] ?\d[A-Z]\d"
    r"|(?:[A-Z]{1,3}[- ]?)?\d{2,7}(?:[- ]\d{2,5})?(?: ?[A-Z]{2,3}(?![\w.]))?"
)
_CODE_FIRST = re.compile(rf"(?P<code>{_CODE})(?:[\s,]{{1,3}}|\s[-–]\s|(?=[^\W\d_a-zA-Z]))(?=\D)")
_CODE_LAST = re.compile(rf"(?P<name>\D{{2,50}}?)[\s,]*(?:[\s,–-])[\s]?(?P<code>{_CODE})(?![\w-])")
_CODE_ALONE = re.compile(rf"(?P<code>{_CODE})(?![\w-])")
_LATER_CODE = re.compile(rf"[\s,;–-]{{1,4}}(?:\D{{0,30}}[\s,–-])?(?P<code>{_CODE})(?![\w-])")
_CUT = re.compile(r"\s[-–]\s|\s?[,،(/;|\\]\s?|\t")
_UNFIT = re.compile(r"[@:%€$£=§*<>!?\"“”„…{}\[\]+©®|\t]|\d{3}|\.\s")
_SMALLEST = 1000  # people of a town before a street: smaller names are too often other words


class WorldTown(Struct, frozen=True):
    start: int
    end: int
    name: str
    code: str
    country: str
    place: int  # 0: not in the gazetteer
    people: int
    agrees: bool  # the postcode table has the code, for a town near
    known: bool  # in the gazetteer or the postcode table
    placed: bool  # the code is in its country's table, or the street is in its main language
    named: bool  # the country is written below
    code_last: bool  # the code is after the name in one line
    fits: bool  # the country speaks the language of the street's type
    is_home: bool  # the page is from that country, or in its language
    is_abroad: bool  # the page is in a language that the country does not speak
    in_table: bool | None  # whether the country's table has the code; None: it has no table


class TownReader:
    """Reads the towns of one gazetteer."""

    def __init__(self, gazetteer: Gazetteer) -> None:
        self.countries = TownCountries(gazetteer)
        self._choose = lru_cache(maxsize=4096)(self._choose_country)  # lines repeat on a site

    def read(
        self, text: str, end: int, languages: frozenset[str], signs: PageSigns
    ) -> WorldTown | None:
        """The town after a street that ends at `end`."""
        gap = _GAP.match(text, end)
        if gap is None or gap.group().count("\n") > 2:
            return None
        return self.read_at(text, gap.end(), languages, signs)

    def read_at(
        self, text: str, start: int, languages: frozenset[str], signs: PageSigns
    ) -> WorldTown | None:
        """The town that begins at `start`."""
        stop = text.find("\n", start, start + _LONGEST_LINE)
        line = text[start : stop if stop >= 0 else start + _LONGEST_LINE]
        if not _readings(line):
            return None
        below = self.countries.ending(line) or self._country_below(text, start + len(line))
        best = self._choose(line, languages, signs, below)
        if best is None:
            return None
        name, town = best.line.name, best.town
        code, last, agrees = best.line.code, start + best.line.end, best.agrees
        if not name and (lower := self._town_below(text, last, best.country)):
            name, town, last = lower
        if not code and (later := self._code_after(text, last, best.country)):
            code, last, agrees = later
        return self._town(best, start, last, name, town, code, agrees, languages, signs, below)

    def read_before(
        self, text: str, start: int, end: int, languages: frozenset[str], signs: PageSigns
    ) -> WorldTown | None:
        """The town in the line or segment before a street: "1024 Budapest, [Zivatar utca 5]"."""
        head = text[max(0, start - _REACH_BACK) : start]
        line = head.rstrip(" ,;\t\xa0").rpartition("\n")
        if head.endswith("\n"):
            line = head.removesuffix("\n").rpartition("\n")
        pieces = [piece.strip() for piece in re.split(r"[,;\t]", line[2]) if piece.strip()]
        if not pieces:
            return None
        below = self._country_below(text, end)
        best = self._choose(pieces[len(pieces) - 1], languages, signs, below)
        if best is None or best.town is None or best.town.population < _SMALLEST:
            return None
        code = best.line.code
        above = pieces[len(pieces) - 2] if len(pieces) > 1 else ""
        if not code and _CODE_ALONE.fullmatch(above):
            code = above if best.country in countries_with_code(above) else ""
        first = code if code and code in line[2] else best.line.name
        begin = text.rfind(first, max(0, start - _REACH_BACK), start)
        name, town = best.line.name, best.town
        return self._town(best, begin, end, name, town, code, best.agrees, languages, signs, below)

    def _choose_country(
        self, line: str, languages: frozenset[str], signs: PageSigns, below: str
    ) -> CountryChoice | None:
        return self.countries.choose(_readings(line), languages, signs, below)

    def _town(
        self,
        best: CountryChoice,
        start: int,
        end: int,
        name: str,
        town: KnownTown | None,
        code: str,
        agrees: bool,
        languages: frozenset[str],
        signs: PageSigns,
        below: str,
    ) -> WorldTown:
        spoken = address_formats()[best.country].languages
        is_home = best.country == signs.country or signs.language in spoken[:2]
        return WorldTown(
            start,
            end,
            name,
            without_prefix(code),
            best.country,
            place=town.place if town else 0,
            people=town.population if town else 0,
            agrees=agrees,
            known=agrees or town is not None,
            placed=self._is_placed(best.country, code, languages),
            named=below == best.country,
            code_last=best.line.code_last,
            fits=not languages.isdisjoint(("en", *spoken)),
            is_home=is_home,
            is_abroad=not is_home and signs.language not in ("", "en", *spoken),
            in_table=self.countries.has_code(best.country, code),
        )

    def _is_placed(self, country: str, code: str, languages: frozenset[str]) -> bool:
        in_table = self.countries.has_code(country, code)
        if in_table is not None:
            return in_table
        form = address_formats()[country]
        spoken = languages & set(form.languages[:2])
        return bool(spoken - {"en"}) or (bool(spoken) and form.number_first and len(code) > 5)

    def _country_below(self, text: str, end: int) -> str:
        """The country that the next line, or the rest of this one, names."""
        after = text[end : end + 40].lstrip("\n ,")
        name = after.partition("\n")[0].strip(" .,")
        return self.countries.named_country(name) if name.count(" ") < 4 else ""

    def _town_below(self, text: str, end: int, country: str) -> tuple[str, KnownTown, int] | None:
        """The town after a postcode that is alone in its line: "DD1 4JJ / Dundee"."""
        if not text.startswith(("\n", ", "), end):
            return None
        start = end + 1 + (text[end] == ",")
        line = text[start : start + _LONGEST_LINE].partition("\n")[0]
        for name in _names(line):
            if town := self.countries.named(name).get(country):
                return name, town, start + len(name)
        return None

    def _code_after(self, text: str, end: int, country: str) -> tuple[str, int, bool] | None:
        """A postcode after the town, in the line or below: "Kochi, Kerala 682001"."""
        match = _LATER_CODE.match(text, end)
        if match is None or country not in countries_with_code(match["code"]):
            return None
        in_table = self.countries.has_code(country, match["code"])
        return None if in_table is False else (match["code"], match.end(), bool(in_table))


@lru_cache(maxsize=4096)
def _readings(line: str) -> tuple[TownLine, ...]:
    return tuple(_read_line(line))


def _read_line(line: str) -> Iterator[TownLine]:
    if first := _CODE_FIRST.match(line):
        at = _after_mark(line, first.end())
        for name in _names(line[at:]):
            yield TownLine(first["code"], name, at + len(name))
            for some in _beginnings(name):  # "74000 Annecy Voir sur la carte"
                yield TownLine(first["code"], some, at + len(some))
    if last := _CODE_LAST.match(line):
        for name in _names(last["name"]):
            yield TownLine(last["code"], name, last.end(), code_last=True)
            for part in name.split(", ")[1:3]:  # "Indiranagar, Bengaluru, Karnataka"
                yield TownLine(last["code"], part, last.end(), code_last=True)
            for some in _beginnings(name):  # a state may follow: "Westphal Nova Scotia"
                yield TownLine(last["code"], some, last.end(), code_last=True)
    if (alone := _CODE_ALONE.fullmatch(line.strip())) and not first:
        yield TownLine(alone["code"], "", alone.end())
    if not line[:1].isdigit():
        at = _after_mark(line, 0)
        for name in _names(line[at:]):
            yield TownLine("", name, at + len(name))


def _after_mark(line: str, at: int) -> int:
    """Where a town's name begins: after "м. " in "м. Київ"."""
    mark = MARK.match(line, at) if is_small(line[at : at + 1]) else None
    return mark.end() if mark else at


def _beginnings(name: str) -> Iterator[str]:
    """The first words of a name that other words may follow, the longest beginning first."""
    words = name.split(" ")
    if len(words) < 7:
        for count in range(min(len(words) - 1, 3), 0, -1):
            yield " ".join(words[:count])


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
        first = part.split()[0].strip(".:").lower()
        if not _UNFIT.search(part) and first not in NO_STREET and part.lower() not in NO_TOWN:
            yield part
