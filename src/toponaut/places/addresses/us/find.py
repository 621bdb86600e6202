"""US addresses in text.

    anchors -> the words after each -> readings of the street -> units -> town, state, ZIP -> the best reading

From each anchor we look at no more than a few lines, so that time grows with the text and with nothing else. Of all
readings of an anchor the one wins whose parts support each other best. A street without town survives only where its
surroundings look like an address (`_stands_alone`), and is then reported without one, for the page to supply
(finder.py).
"""

import re
from collections.abc import Callable
from typing import NamedTuple

from msgspec.structs import replace

from toponaut.places.addresses.candidate import Candidate
from toponaut.places.addresses.us.anchors import (
    Anchor,
    boxes,
    counts,
    is_in_table,
    names_state,
    numbers,
    rural_routes,
)
from toponaut.places.addresses.us.belief import before_number, is_address
from toponaut.places.addresses.us.columns import read_column
from toponaut.places.addresses.us.crossings import corners
from toponaut.places.addresses.us.hints import BESIDE, NEAR, WINDOW
from toponaut.places.addresses.us.outlook import is_promising
from toponaut.places.addresses.us.reading import Reading, begins_street, best_reading
from toponaut.places.addresses.us.scan import Gap, Word, read_words
from toponaut.places.addresses.us.spots import Spots, spots_of
from toponaut.places.addresses.us.street import StreetKind
from toponaut.places.addresses.us.tail import PARTED, Strength, Tail, name_of, read_tail
from toponaut.places.addresses.us.towns import Towns
from toponaut.places.addresses.us.types import TYPES
from toponaut.places.addresses.us.unit import box_end, read_units
from toponaut.places.addresses.us.words import LONGEST_STATE, STATE_CODES, UNITS
from toponaut.places.gazetteer import Gazetteer

Reader = Callable[[str, Anchor, Towns, int], Candidate | None]

# Looking at an anchor takes up to 0.2 ms: a hostile page must not keep us for minutes, and no honest one has as many.
MOST_ANCHORS = 5000
_FEW_WORDS = 20  # most addresses end within so many words; only the others are read on
_PARTS = re.compile(r"[\n\t|•·]")
_LABELLING = re.compile(r"\s?(?::|\s[-–—])\s\d")
_FIVE_DIGITS = re.compile(r"\d{5}")
_CONFIDENCE = {
    Strength.FULL: 0.97,
    Strength.STATE: 0.92,
    Strength.ZIP: 0.9,
    Strength.CLASH: 0.7,
    Strength.CITY: 0.75,
}
_HOUSES = frozenset(
    {
        "plaza",
        "place",
        "center",
        "square",
        "tower",
        "building",
        "mall",
        "park",
        "court",
        "crossing",
        "commons",
    }
)
_ALONE = 0.5  # a street without town, before the page has supplied one
_INDIRECT, _BARE, _UNKNOWN = (
    0.93,
    0.9,
    0.9,
)  # factors: lines between street and town, no street type, town not known


def find(
    text: str, gazetteer: Gazetteer, spots: Spots | None = None, towns: Towns | None = None
) -> list[Candidate]:
    """Addresses in order. One without `city` is a street for whose town the page must be asked."""
    spots = spots or spots_of(text)
    anchors: list[tuple[Anchor, Reader]] = [
        (anchor, _read_street) for anchor in numbers(text, spots)
    ]
    anchors += [(anchor, _read_box) for anchor in boxes(text, spots)]
    anchors += [(anchor, _read_rural) for anchor in rural_routes(text, spots)]
    anchors += [(anchor, _read_corner) for anchor in corners(text, spots)]
    if not anchors:
        return []
    towns = towns or Towns(gazetteer)
    found: list[Candidate] = []
    free = 0
    for anchor, reader in sorted(anchors, key=lambda pair: pair[0])[:MOST_ANCHORS]:
        if anchor.start >= free and (candidate := reader(text, anchor, towns, free)):
            if candidate.start < free:  # the unit before it belongs to the address before it
                candidate = replace(candidate, start=anchor.start, unit="")
            if found and _is_building(found[-1], candidate, text):
                found.pop()
            found.append(candidate)
            free = candidate.end
    return found


def _is_building(first: Candidate, second: Candidate, text: str) -> bool:
    """ "One Liberty Place, 46th Floor / 1650 Market Street / Philadelphia": a house's name before the street."""
    if first.city or not second.city or len(text[first.end : second.start].strip(" ,\n\t")) > 0:
        return False
    return TYPES.get(first.street.rsplit(" ", 1)[-1].lower().rstrip(".")) in _HOUSES


def _read_street(text: str, anchor: Anchor, towns: Towns, free: int) -> Candidate | None:
    before = before_number(text, anchor.start)
    if (
        before.key in UNITS
        and before.key not in ("no", "number")
        and before.gap == Gap.SPACE
        and before.sign != "."
    ):
        return None
    if (
        anchor.end - anchor.start == 5
        and before.key.upper() in STATE_CODES
        and before.gap == Gap.SPACE
    ):
        return None  # "NC 28717", and a street in the next line
    down = _read_down(text, anchor, towns)
    if down is not None:
        return down
    if counts(text, anchor) and not _FIVE_DIGITS.search(text, anchor.end, anchor.end + NEAR):
        return None
    all_words = read_words(text, anchor.end, anchor.end + WINDOW)
    words = all_words[:_FEW_WORDS]
    plain = text[anchor.start : anchor.end].isdigit()  # the kernel has asked the same (spots.py)
    if (
        not words
        or not (plain or is_promising(all_words))
        or (words[0].text.isdigit() and not _may_follow_number(words))
    ):
        return None
    reading = best_reading(words, towns)
    if (
        len(words) == _FEW_WORDS
        and not _is_complete(reading)
        and _goes_on(text, anchor, words, reading)
    ):
        words = all_words
        reading = best_reading(words, towns)
    if reading is not None and reading.tail is not None and _labels_next(text, words, reading.tail):
        reading = reading._replace(tail=None)
    above = text[max(free, anchor.start - BESIDE) : anchor.start]
    if (
        reading is not None
        and reading.tail is not None
        and _heads_next(words, reading.tail, above, towns)
    ):
        reading = reading._replace(tail=None)
    if reading is None:
        return None
    street = reading.street
    named = street.strong and street.kind > StreetKind.BARE
    labelled = named and before.gap == Gap.BAR and _ends_with_town(_last_part(above), towns)
    if not labelled and not is_address(text, anchor, words, reading, before):
        return None
    return _compose(text, anchor, words, reading, towns)


def _is_complete(reading: Reading | None) -> bool:
    """Whether no words further on could make it better: town, state and ZIP follow the street at once and agree."""
    return (
        reading is not None
        and reading.tail is not None
        and reading.direct
        and reading.tail.strength == Strength.FULL
    )


def _goes_on(text: str, anchor: Anchor, words: list[Word], reading: Reading | None) -> bool:
    """Whether further words may matter: a state or a ZIP code is among them, or the reading comes near them."""
    stop = 0 if reading is None else reading.units[1] if reading.tail is None else reading.tail.stop
    start, end = words[-LONGEST_STATE].start, anchor.end + WINDOW
    return (
        stop > _FEW_WORDS // 2
        or names_state(text, start, end)
        or _FIVE_DIGITS.search(text, start, end) is not None
    )


def _read_down(text: str, anchor: Anchor, towns: Towns) -> Candidate | None:
    """An address whose lines stand below each other in a column of a table. Its span is its street's cell."""
    if not is_in_table(text, anchor):
        return None
    words, own = read_column(text, anchor.start, anchor.end)
    reading = best_reading(words, towns) if own else None
    if (
        reading is None
        or reading.tail is None
        or not reading.direct
        or reading.tail.strength < Strength.STATE
    ):
        return None
    candidate = _compose(text, anchor, words, reading, towns)
    return replace(candidate, end=min(candidate.end, words[own - 1].end))


def _heads_next(words: list[Word], tail: Tail, above: str, towns: Towns) -> bool:
    """Whether a tail is the heading over the next street: a town without ZIP, alone in its line, a street in the next.

    Town and state are so only where a town stands above this street as well (`above`: the text before it).
    """
    at, stop = tail.city[0], tail.stop
    if tail.code or words[at].gap < Gap.LINE or stop >= len(words) or words[stop].gap < Gap.LINE:
        return False
    return begins_street(words, stop) and (
        tail.strength == Strength.CITY or _ends_with_town(above, towns)
    )


def _labels_next(text: str, words: list[Word], tail: Tail) -> bool:
    """Whether a tail without ZIP is the label of the next street: "2608 Main St. | Saranac Lake: 39 Main Street"."""
    return not tail.code and _LABELLING.match(text, words[tail.stop - 1].end) is not None


def _last_part(above: str) -> str:
    """What stands before a number in its part of the line: "Lake Placid, NY: 2608 Main St. | Saranac Lake: 39 Main St"."""
    return _PARTS.split(above)[-1].strip(" :–—-")


def _ends_with_town(text: str, towns: Towns) -> bool:
    line = text.rstrip().rsplit("\n", 1)[-1]
    words = read_words(line, 0, len(line))
    tail = read_tail(words, 0, towns, alone=PARTED) if words else None
    return tail is not None and tail.stop == len(words)


def _may_follow_number(words: list[Word]) -> bool:
    """A number after a street number: of a grid ("123 4500 South") or of a road ("39000 7 Mile Road")."""
    if len(words) < 2 or words[0].gap > Gap.SPACE or words[1].gap > Gap.SPACE:
        return False
    return words[1].key == "mile" or (len(words[0].text) in (3, 4) and words[1].key in _COMPASS)


_COMPASS = frozenset("n s e w north south east west".split())


def _compose(
    text: str, anchor: Anchor, words: list[Word], reading: Reading, towns: Towns
) -> Candidate:
    street, tail = reading.street, reading.tail
    stop = reading.units[1] if tail is None else tail.stop
    unit = _between(text, words, *reading.units)
    start = anchor.start
    if not unit:
        unit, start = _unit_before(text, anchor.start)
    town = _town(words, tail, towns)
    return Candidate(
        start=start,
        end=words[stop - 1].end,
        country="US",
        number=" ".join(text[anchor.start : anchor.end].split()),
        street=_between(text, words, 0, street.stop),
        unit=unit,
        city=town.city,
        state=town.state,
        postcode=town.postcode,
        place=town.place,
        inferred=town.inferred,
        confidence=_confidence(reading),
    )


def _confidence(reading: Reading) -> float:
    if reading.tail is None:
        return _ALONE
    confidence = _CONFIDENCE[reading.tail.strength]
    if not reading.direct:
        confidence *= _INDIRECT
    if reading.street.kind == StreetKind.BARE:
        confidence *= _BARE
    if not reading.tail.known:
        confidence *= _UNKNOWN
    return round(confidence, 3)


def _between(text: str, words: list[Word], start: int, stop: int) -> str:
    return " ".join(text[words[start].start : words[stop - 1].end].split()) if stop > start else ""


def _unit_before(text: str, start: int) -> tuple[str, int]:
    """ "Suite 310, 210 North Tejon Street": the unit and where it begins; "" and `start` if there is none."""
    words = read_words(text, max(0, start - BESIDE), start)
    for index in range(max(0, len(words) - 4), len(words)):
        if read_units(words, index) == len(words) and words[index].start > start - BESIDE:
            return _between(text, words, index, len(words)), words[index].start
    return "", start


class Town(NamedTuple):
    city: str
    state: str
    postcode: str
    place: int
    inferred: tuple[str, ...]


def _town(words: list[Word], tail: Tail | None, towns: Towns) -> Town:
    if tail is None:
        return Town("", "", "", 0, ())
    city = name_of(words, *tail.city)
    inferred = []
    if not city:
        area = towns.zip(tail.code)
        city = area.city if area else ""
        inferred.append("city")
    if tail.strength == Strength.ZIP:
        inferred.append("state")
    place = towns.place(city, tail.state, tail.code) if city and tail.state else 0
    return Town(city, tail.state, tail.code, place, tuple(inferred))


def _read_box(text: str, anchor: Anchor, towns: Towns, _: int) -> Candidate | None:
    stop = box_end(read_words(text, anchor.start, anchor.start + BESIDE), 0)
    return (
        _read_fixed(text, read_words(text, anchor.start, anchor.start + WINDOW), stop, towns)
        if stop
        else None
    )


def _read_rural(text: str, anchor: Anchor, towns: Towns, _: int) -> Candidate | None:
    words = read_words(text, anchor.start, anchor.start + WINDOW)
    stop = next((k for k, word in enumerate(words) if word.end >= anchor.end), -1) + 1
    return _read_fixed(text, words, stop, towns) if stop else None


def _read_corner(text: str, anchor: Anchor, towns: Towns, _: int) -> Candidate | None:
    before = before_number(text, anchor.start)
    introduced = before.key in ("corner", "of", "intersection")
    words = read_words(text, anchor.start, anchor.end + WINDOW)
    stop = next((k for k, word in enumerate(words) if word.end >= anchor.end), -1) + 1
    tail = read_tail(words, stop, towns)
    if (
        not introduced
        and before.gap < Gap.CELL
        and (tail is None or tail.strength < Strength.STATE)
    ):
        return None
    closes = stop >= len(words) or words[stop].gap >= Gap.CELL
    if not (introduced or closes or tail):
        return None
    return _read_fixed(text, words, stop, towns, sure=True)


def _read_fixed(
    text: str, words: list[Word], stop: int, towns: Towns, *, sure: bool = False
) -> Candidate | None:
    """A box or a rural route: the first words are its street, whatever they are."""
    at = read_units(words, stop)
    tail = read_tail(words, at, towns, alone=PARTED)
    before = before_number(text, words[0].start)
    closes = at >= len(words) or words[at].gap >= Gap.CELL
    if tail is None and not sure and not (closes and before.gap > Gap.SPACE):
        return None
    town = _town(words, tail, towns)
    return Candidate(
        start=words[0].start,
        end=words[(tail.stop if tail else at) - 1].end,
        country="US",
        street=_between(text, words, 0, stop),
        unit=_between(text, words, stop, at),
        city=town.city,
        state=town.state,
        postcode=town.postcode,
        place=town.place,
        inferred=town.inferred,
        confidence=_CONFIDENCE[tail.strength] if tail else _ALONE,
    )
