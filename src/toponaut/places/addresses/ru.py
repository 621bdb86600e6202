"""Addresses in Russian, Ukrainian and Belarusian: "220013, г. Минск, ул. Садовая, д. 6", "Київ, вул. Садова, 37".

The table has no postcodes of these countries, so the anchor is the street: a type word, a name and a number. The town is
looked for in the segments before it, then after it; it is believed if it is marked as one ("г.") or stands alone between two
separators, and if the gazetteer knows it in one of these countries, which is then the country of the address.
"""

import re
from itertools import islice

from msgspec import Struct

from toponaut.places.addresses.candidate import Candidate
from toponaut.places.addresses.segments import NUMBER_AFTER, segment_after, segments_before
from toponaut.places.gazetteer import Gazetteer
from toponaut.records import Kind, Place

COUNTRIES = frozenset({"RU", "UA", "BY", "KZ"})
_MARKED, _BARE = (
    0.92,
    0.85,
)  # confidence: the town is marked as one, or a name between two separators
_SEGMENTS = 4  # before the street: town, district, region, postcode
_MOST_STREETS = 5000  # of a hostile page, as core.py's MOST_POSTCODES
_SMALLEST = 1000  # people of a town that is not marked as one: smaller names are words too often

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
_STREET = re.compile(
    rf"(?<![\w-])(?P<street>{_TYPE}[ \xa0]?{_NAME}|{_WORD}"
    rf"(?:[ \xa0]{_WORD})?[ \xa0]{_TYPE})\.?{_NUMBER}"
    r"(?![ ]?(?:км|м|см|руб|грн|%|мин|лет)(?!\w))"
)
_UNIT = re.compile(
    r"(?:[ ,]{1,3}(?:оф(?:ис|\.)?|кв(?:артира|\.)?|каб(?:инет|\.)?|к(?:імн|омн)?\.|эт(?:аж"
    r"|\.)?)\s?№?\s?\d{1,4}[а-я]?(?!\w))"
)
_TOWN = re.compile(
    r"(?:(?P<code>\d{5,6})[\s,]+)?(?P<mark>(?:г|м|гор|город|місто|горад)(?:\.\s?|\s))?"
    r"(?P<name>[А-ЯЁІЇЄҐЎ][\w'’-]+(?:\s[А-ЯЁІЇЄҐЎ][\w-]+){0,2})"
)
_CODE = re.compile(r"\d{5,6}")  # fmt: skip


class _Town(Struct, frozen=True):
    start: int
    end: int
    name: str
    place: Place
    code: str
    confidence: float


def find(text: str, gazetteer: Gazetteer) -> list[Candidate]:
    """All addresses of these countries in a text, in its order."""
    found: list[Candidate] = []
    floor = 0
    for match in islice(_STREET.finditer(text), _MOST_STREETS):
        unit = _UNIT.match(text, match.end())
        end = unit.end() if unit else match.end()
        town = _town_before(text, match.start(), floor, gazetteer) or _town_after(
            text, end, gazetteer
        )
        if town is None or match.start() < floor:
            continue
        found.append(
            Candidate(
                min(match.start(), town.start),
                max(end, town.end),
                town.place.country,
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


def _town_before(text: str, street: int, floor: int, gazetteer: Gazetteer) -> _Town | None:
    """The nearest segment before the street that is a town, with the postcode before it."""
    segments = segments_before(text, street, floor, NUMBER_AFTER)[:_SEGMENTS]
    for k, segment in enumerate(segments):
        town = _town(text, segment.start, segment.end, gazetteer)
        if town is None:
            continue
        for other in segments[k + 1 :]:
            if not town.code and _CODE.fullmatch(text, other.start, other.end):
                return _Town(
                    other.start,
                    town.end,
                    town.name,
                    town.place,
                    text[other.start : other.end],
                    town.confidence,
                )
        return town
    return None


def _town_after(text: str, end: int, gazetteer: Gazetteer) -> _Town | None:
    segment = segment_after(text, end, NUMBER_AFTER)
    return _town(text, segment.start, segment.end, gazetteer) if segment else None


def _town(text: str, start: int, end: int, gazetteer: Gazetteer) -> _Town | None:
    """The town that a segment is: "г. Минск", "Минск", "220013 г. Минск"; marked, it may stand at the segment's end."""
    found = _TOWN.fullmatch(text, start, end)
    if found is None:
        return None
    for row in gazetteer.rows_named(found["name"]):
        place = gazetteer.place_at(int(row))
        large = place.population >= _SMALLEST or found["mark"]
        if place.country in COUNTRIES and place.kind is Kind.CITY and large:
            confidence = _MARKED if found["mark"] else _BARE
            return _Town(start, end, found["name"], place, found["code"] or "", confidence)
    return None
