"""Addresses in Russian, Ukrainian and Belarusian: "220013, г. Минск, ул. Садовая, д. 6".

The postcode table lacks these countries, so the anchor is the street: a type word, a name and a
number. The town is searched in the segments before it, then after it. It must be marked as one
("г.") or fill its segment, and be in the gazetteer in one of these countries, which is then the
country of the address.
"""

from itertools import islice

from msgspec import Struct
from msgspec.structs import replace

from toponaut.places.addresses.countries.segments import (
    NUMBER_AFTER,
    segment_after,
    segments_before,
)
from toponaut.places.addresses.lazy_pattern import lazy_pattern
from toponaut.places.gazetteer import Gazetteer
from toponaut.records import Address, Kind, Place

_COUNTRIES = frozenset({"RU", "UA", "BY", "KZ"})
_MARKED, _BARE = 0.92, 0.85  # confidence: the town is marked as one, or only fills its segment
_SEGMENTS = 4  # before the street: town, district, region, postcode
_MOST_STREETS = 5000  # bounds hostile pages
_SMALLEST = 1000  # population of a town without a mark: smaller names are too often other words

_TYPE = (
    r"(?:[Уу]л(?:\.|ица)|[Вв]ул(?:\.|иця|іца)|[Пп]р(?:\.|-т\.?|-кт\.?|осп\.|оспект)|[Пп]ер(?:\."
    r"|еулок)|[Пп]ров(?:\.|улок)|[Бб]ул(?:\.|ьвар)|[Бб]-р|[Нн]аб(?:\.|ережная|ережна)|[Пп]л(?:\."
    r"|ощадь|оща)|[Шш](?:\.|осе|оссе)|[Тт]ракт|[Аа]ллея|[Пп]роезд|[Лл]иния)"
)
_WORD = r"(?:[А-ЯЁІЇЄҐЎ][\w.'’-]{0,30}|\d{1,3}(?:-?(?:я|й|го|ая|лет))?|лет|летия)"
_NAME = rf"{_WORD}(?:[ \xa0]{_WORD}){{0,3}}"
_PART = (
    r"(?:[ ,]{0,2}(?:корпус|корп|к|строение|стр|литер|лит)\.?[ ]?(?:\d{1,3}[А-Яа-я]?|[А-Я])(?!\w))?"
)
_NUMBER = (
    r"(?:,?[ \xa0]?(?:д|дом|буд)\.?[ \xa0]?|[, \xa0][ \xa0]?)"
    rf"(?P<number>\d{{1,4}}(?:[ ]?[А-Яа-яA-Za-z])?(?!\w)(?:[ ]?[/-][ ]?\d{{1,4}}[А-Яа-я]?"
    rf"(?!\w))?{_PART})"
)
_STREET = lazy_pattern(
    rf"(?<![\w-])(?P<street>{_TYPE}[ \xa0]?{_NAME}|{_WORD}"
    rf"(?:[ \xa0]{_WORD})?[ \xa0]{_TYPE})\.?{_NUMBER}"
    r"(?![ ]?(?:км|м|см|руб|грн|%|мин|лет)(?!\w))"
)
_UNIT = lazy_pattern(
    r"(?:[ ,]{1,3}(?:оф(?:ис|\.)?|кв(?:артира|\.)?|каб(?:инет|\.)?|к(?:імн|омн)?\.|эт(?:аж"
    r"|\.)?)\s?№?\s?\d{1,4}[а-я]?(?!\w))"
)
_TOWN = lazy_pattern(
    r"(?:(?P<code>\d{5,6})[\s,]+)?(?P<mark>(?:г|м|гор|город|місто|горад)(?:\.\s?|\s))?"
    r"(?P<name>[А-ЯЁІЇЄҐЎ][\w'’-]+(?:\s[А-ЯЁІЇЄҐЎ][\w-]+){0,2})"
)
_CODE = lazy_pattern(r"\d{5,6}")


class _CyrillicTown(Struct, frozen=True):
    start: int
    end: int
    name: str
    place: Place
    code: str
    confidence: float


def find_cyrillic(text: str, gazetteer: Gazetteer) -> list[Address]:
    """All addresses of these countries in a text, in order."""
    found: list[Address] = []
    floor = 0
    for match in islice(_STREET.finditer(text), _MOST_STREETS):
        unit = _UNIT.match(text, match.end())
        end = unit.end() if unit else match.end()
        town = _town_before(text, match.start(), floor, gazetteer)
        if town is None and (after := segment_after(text, end, NUMBER_AFTER)):
            town = _town(text, after.start, after.end, gazetteer)
        if town is None or match.start() < floor:
            continue
        found.append(
            Address(
                text="",
                start=min(match.start(), town.start),
                end=max(end, town.end),
                country=town.place.country,
                number=match["number"],
                street=match["street"].strip(" ,"),
                unit=unit[0].strip(" ,") if unit else "",
                city=town.name,
                postcode=town.code,
                place=town.place.id,
                confidence=town.confidence,
            )
        )
        floor = found[-1].end
    return found


def _town_before(text: str, street: int, floor: int, gazetteer: Gazetteer) -> _CyrillicTown | None:
    """The nearest segment before the street that is a town, with the postcode before it."""
    segments = segments_before(text, street, floor, NUMBER_AFTER)[:_SEGMENTS]
    for k, segment in enumerate(segments):
        town = _town(text, segment.start, segment.end, gazetteer)
        if town is None:
            continue
        for other in segments[k + 1 :]:
            if not town.code and _CODE.fullmatch(text, other.start, other.end):
                return replace(town, start=other.start, code=text[other.start : other.end])
        return town
    return None


def _town(text: str, start: int, end: int, gazetteer: Gazetteer) -> _CyrillicTown | None:
    """The town that fills a segment: "г. Минск", "Минск", "220013 г. Минск"."""
    found = _TOWN.fullmatch(text, start, end)
    if found is None:
        return None
    for row in gazetteer.rows_named(found["name"]):
        place = gazetteer.place_at(int(row))
        large = place.population >= _SMALLEST or found["mark"]
        if place.country in _COUNTRIES and place.kind is Kind.CITY and large:
            confidence = _MARKED if found["mark"] else _BARE
            return _CyrillicTown(start, end, found["name"], place, found["code"] or "", confidence)
    return None
