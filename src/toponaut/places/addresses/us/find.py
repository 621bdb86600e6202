"""US addresses in text.

    anchors -> words after each -> readings of the street -> units -> town, state, ZIP -> the best

We look at no more than a few lines from each anchor, so time grows linearly with the text. Of all
readings of an anchor, the one whose parts support each other best wins. A street without a town is
kept only where its surroundings look like an address (belief.py). It is reported without one; the
page supplies it later (home_town.py).
"""

import re
from collections.abc import Callable, Iterator

import cython
from msgspec.structs import replace

from toponaut.places.addresses.us import anchors, belief
from toponaut.places.addresses.us.anchors import UsAnchor
from toponaut.places.addresses.us.columns import read_column
from toponaut.places.addresses.us.hints import NEAR, READ_BEFORE, WINDOW
from toponaut.places.addresses.us.promise import is_promising, names_state
from toponaut.places.addresses.us.reading import UsReading, best_reading
from toponaut.places.addresses.us.scan import read_words
from toponaut.places.addresses.us.spots import Spots, spots_of
from toponaut.places.addresses.us.street import StreetKind
from toponaut.places.addresses.us.tail import PARTED, Strength, Tail, name_of, read_tail
from toponaut.places.addresses.us.towns import UsTowns
from toponaut.places.addresses.us.unit import box_end, read_units
from toponaut.places.addresses.us.word import Gap, UsWord
from toponaut.places.addresses.us.words import (
    LONE_UNITS,
    LONGEST_STATE,
    STATE_CODES,
    STRONG_TYPES,
    TYPES,
    UNITS,
)
from toponaut.places.gazetteer import Gazetteer
from toponaut.records import Address

if not cython.compiled:
    raise ImportError("toponaut is not compiled: run make setup, or reinstall it")

ReadAnchor = Callable[[str, UsAnchor, UsTowns, int], Address | None]
WordsRead = tuple[list[UsWord], UsReading]

# An anchor takes up to 0.2 ms: this bounds hostile pages, and no honest page has as many.
MOST_ANCHORS = 5000
_FEW_WORDS = 20  # most addresses end within these; only for the others all words are read
_FIVE_DIGITS = re.compile(r"\d{5}")
_CONFIDENCE: dict[int, float] = dict(zip(Strength, (0.75, 0.7, 0.9, 0.92, 0.97), strict=True))
_HOUSES = "plaza place center square tower building mall park court crossing commons".split()
_CAPITAL = ("D.C", "DC")  # as a town
_HIGH = frozenset(("tower", "building", "bldg"))  # their names may come before a letter
_COMPASS = frozenset("n s e w north south east west".split())
_ALONE = 0.5  # confidence of a street without a town, before the page has supplied one
# Factors on the confidence: lines between street and town, no street type, unknown town.
_INDIRECT, _BARE, _UNKNOWN = 0.93, 0.9, 0.9


def find(
    text: str, gazetteer: Gazetteer, spots: Spots | None = None, towns: UsTowns | None = None
) -> list[Address]:
    """Addresses in order. One without `city` is a street whose town the page must supply."""
    spots = spots or spots_of(text)
    found_at = [(anchor, read) for list_all, read in _KINDS for anchor in list_all(text, spots)]
    if not found_at:
        return []
    towns = towns or UsTowns(gazetteer)
    found: list[Address] = []
    free = 0
    for anchor, read in sorted(found_at, key=lambda pair: pair[0])[:MOST_ANCHORS]:
        if anchor.start >= free and (address := read(text, anchor, towns, free)):
            if address.start < free:  # the unit before it belongs to the previous address
                address = replace(address, start=anchor.start, unit="")
            if found and _is_building(found[len(found) - 1], address, text):
                found.pop()
            found.append(address)
            free = address.end
    return found


def _is_building(first: Address, second: Address, text: str) -> bool:
    """Whether the first is a house's name before a street: "One Liberty Place, 1650 Market St"."""
    if first.city or not second.city or text[first.end : second.start].strip(" ,\n\t"):
        return False
    return TYPES.get(first.street.rpartition(" ")[2].lower().rstrip(".")) in _HOUSES


def _read_street(text: str, anchor: UsAnchor, towns: UsTowns, free: int) -> Address | None:
    before = belief.before_number(text, anchor.start)
    if before.gap == Gap.SPACE:
        if before.key in UNITS and before.key not in ("no", "number") and before.sign != ".":
            return None
        if anchor.end - anchor.start == 5 and before.key.upper() in STATE_CODES:
            return None  # "NC 28717", and a street in the next line
    down = _read_down(text, anchor, towns)
    if down is not None:
        return down
    end = anchor.end
    if anchors.counts(text, anchor) and not _FIVE_DIGITS.search(text, end, end + NEAR):
        return None
    read = _best_reading(text, anchor, towns)
    if read is None:
        return None
    words, reading = read
    above = text[max(free, anchor.start - READ_BEFORE) : anchor.start]
    if reading.tail and belief.belongs_to_next(text, words, reading.tail, above, towns):
        reading = UsReading(0.0, reading.street, reading.units_stop, None, reading.direct)
    named = reading.street.strong and reading.street.kind > StreetKind.BARE
    labelled = named and before.gap == Gap.BAR and belief.has_town_before(above, towns)
    if not labelled and not belief.is_address(text, anchor, words, reading, before):
        return None
    return _compose(text, anchor, words, reading, towns)


def _best_reading(text: str, anchor: UsAnchor, towns: UsTowns) -> WordsRead | None:
    """The words after a number as far as they matter, and their best reading."""
    tested = text[anchor.start : anchor.end].isdigit() and not anchors.is_in_table(text, anchor)
    if not tested and not is_promising(text, anchor.end):  # spots.py has tested plain numbers
        return None
    words = read_words(text, anchor.end, anchor.end + WINDOW, _FEW_WORDS + 1)[:_FEW_WORDS]
    if not words:
        return None
    if words[0].text.isdigit() and not _may_follow_number(words):
        return None
    reading = best_reading(words, towns)
    if len(words) == _FEW_WORDS and _may_continue(text, anchor, words, reading):
        words = read_words(text, anchor.end, anchor.end + WINDOW)
        reading = best_reading(words, towns)
    return None if reading is None else (words, reading)


def _may_continue(
    text: str, anchor: UsAnchor, words: list[UsWord], reading: UsReading | None
) -> bool:
    """Whether more words may matter: they have a state or ZIP, or the reading ends near them."""
    tail = reading.tail if reading else None
    if reading and tail and reading.direct and tail.strength == Strength.FULL:
        return False  # complete
    stop = tail.stop if tail else reading.units_stop if reading else 0
    start, end = words[len(words) - LONGEST_STATE].start, anchor.end + WINDOW
    if stop > _FEW_WORDS // 2 or names_state(text, start, end):
        return True
    return _FIVE_DIGITS.search(text, start, end) is not None


def _read_down(text: str, anchor: UsAnchor, towns: UsTowns) -> Address | None:
    """An address down a column of a table. Its span is its street's cell."""
    if not anchors.is_in_table(text, anchor):
        return None
    words, own = read_column(text, anchor.start, anchor.end)
    reading = best_reading(words, towns) if own else None
    if reading is None or reading.tail is None or not reading.direct:
        return None
    if reading.tail.strength < Strength.STATE:
        return None
    address = _compose(text, anchor, words, reading, towns)
    return replace(address, end=min(address.end, words[own - 1].end))


def _may_follow_number(words: list[UsWord]) -> bool:
    """A number after a street number: of a grid ("123 4500 South") or road ("390 7 Mile Road")."""
    if len(words) < 2 or words[0].gap > Gap.SPACE or words[1].gap > Gap.SPACE:
        return False
    return words[1].key == "mile" or (len(words[0].text) in (3, 4) and words[1].key in _COMPASS)


def _read_box(text: str, anchor: UsAnchor, towns: UsTowns, _: int) -> Address | None:
    stop = box_end(read_words(text, anchor.start, anchor.start + READ_BEFORE), 0)
    if not stop:
        return None
    return _read_fixed(text, read_words(text, anchor.start, anchor.start + WINDOW), stop, towns)


def _read_rural(text: str, anchor: UsAnchor, towns: UsTowns, _: int) -> Address | None:
    words = read_words(text, anchor.start, anchor.start + WINDOW)
    stop = _stop_of(words, anchor)
    return _read_fixed(text, words, stop, towns) if stop else None


def _read_corner(text: str, anchor: UsAnchor, towns: UsTowns, _: int) -> Address | None:
    before = belief.before_number(text, anchor.start)
    introduced = before.key in ("corner", "of", "intersection")
    words = read_words(text, anchor.start, anchor.end + WINDOW)
    stop = _stop_of(words, anchor)
    tail = read_tail(words, stop, towns)
    if not introduced and before.gap < Gap.CELL and (not tail or tail.strength < Strength.STATE):
        return None
    closes = stop >= len(words) or words[stop].gap >= Gap.CELL
    if tail is None and not (closes and belief.opens_line(text, anchor.start)):
        return None  # prose: "we met near the corner of Elm and Oak"
    if not (introduced or tail or any(word.key in STRONG_TYPES for word in words[:stop])):
        return None  # a restaurant: "7th & Carson"
    return _read_fixed(text, words, stop, towns, sure=True)


def _stop_of(words: list[UsWord], anchor: UsAnchor) -> int:
    """The index after the last word of an anchor, 0 if the words end before it."""
    return next((k for k, word in enumerate(words) if word.end >= anchor.end), -1) + 1


def _read_fixed(
    text: str, words: list[UsWord], stop: int, towns: UsTowns, *, sure: bool = False
) -> Address | None:
    """An address whose street is known to be words[:stop]."""
    at = read_units(words, stop)
    tail = read_tail(words, at, towns, alone=PARTED)
    closes = at >= len(words) or words[at].gap >= Gap.CELL
    opens = belief.before_number(text, words[0].start).gap > Gap.SPACE
    if tail is None and not sure and not (closes and opens):
        return None
    address = Address(
        text="",
        start=words[0].start,
        end=words[(tail.stop if tail else at) - 1].end,
        country="US",
        street=_without_full_stop(_between(text, words, 0, stop)),
        unit=_between(text, words, stop, at).rstrip("."),
        confidence=_CONFIDENCE[tail.strength] if tail else _ALONE,
    )
    return _with_town(address, words, tail, towns)


_KINDS: tuple[tuple[Callable[[str, Spots], Iterator[UsAnchor]], ReadAnchor], ...] = (
    (anchors.numbers, _read_street),
    (anchors.boxes, _read_box),
    (anchors.rural_routes, _read_rural),
    (anchors.corners, _read_corner),
)


def _compose(
    text: str, anchor: UsAnchor, words: list[UsWord], reading: UsReading, towns: UsTowns
) -> Address:
    stop = reading.units_stop if reading.tail is None else reading.tail.stop
    unit, start = _between(text, words, reading.street.stop, reading.units_stop), anchor.start
    if not unit:
        unit, start = _unit_before(text, anchor.start)
    address = Address(
        text="",
        start=start,
        end=words[stop - 1].end,
        country="US",
        number=" ".join(text[anchor.start : anchor.end].split()),
        street=_without_full_stop(_between(text, words, 0, reading.street.stop)),
        unit=unit.rstrip("."),
        confidence=_confidence(reading),
    )
    return _with_town(address, words, reading.tail, towns)


def _confidence(reading: UsReading) -> float:
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


def _between(text: str, words: list[UsWord], start: int, stop: int) -> str:
    return " ".join(text[words[start].start : words[stop - 1].end].split()) if stop > start else ""


def _without_full_stop(street: str) -> str:
    """Without the point of a sentence after a whole word: "Old Mill Pike.", but "Elm St."."""
    last = street.rpartition(" ")[2].rstrip(".").lower()
    is_whole = TYPES.get(last, last) == last and len(last) > 3
    return street.removesuffix(".") if is_whole else street


def _unit_before(text: str, start: int) -> tuple[str, int]:
    """The unit before a number and its start ("Suite 310, 210 North Tejon"); or "" and `start`."""
    words = read_words(text, max(0, start - READ_BEFORE), start)
    for index in range(max(0, len(words) - 4), len(words)):
        first = words[index]
        ends_name = first.text[0] == "#" or first.key in _HIGH or first.key in LONE_UNITS
        if index and first.gap == Gap.SPACE and ends_name:
            continue  # "Veterans Post #118", "Naberezhnaya Tower C", "Upper East Side"
        if read_units(words, index) == len(words) and words[index].start > start - READ_BEFORE:
            return _between(text, words, index, len(words)), words[index].start
    return "", start


def _with_town(address: Address, words: list[UsWord], tail: Tail | None, towns: UsTowns) -> Address:
    if tail is None:
        return address
    city = name_of(words, tail.city_start, tail.city_stop)
    inferred = []
    if not city:
        area = towns.zip(tail.code)
        city = area.city if area else ""
        inferred.append("city")
    if tail.strength == Strength.ZIP:
        inferred.append("state")
    state = tail.state
    if city in _CAPITAL:
        city, state = "Washington", "DC"
    place = towns.place(city, state, tail.code) if city and state else 0
    return replace(
        address,
        city=city,
        state=state,
        postcode=tail.code,
        place=place,
        inferred=tuple(inferred),
    )
