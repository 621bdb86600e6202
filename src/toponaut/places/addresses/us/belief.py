"""Whether a number and the words after it are an address, given the text before and after them."""

import re
from typing import NamedTuple

import cython

from toponaut.places.addresses.us.anchors import UsAnchor
from toponaut.places.addresses.us.hints import READ_BEFORE
from toponaut.places.addresses.us.reading import UsReading, begins_street
from toponaut.places.addresses.us.scan import gap_of, read_words
from toponaut.places.addresses.us.street import StreetKind
from toponaut.places.addresses.us.tail import PARTED, Strength, Tail, read_tail
from toponaut.places.addresses.us.towns import UsTowns
from toponaut.places.addresses.us.word import Gap, UsWord
from toponaut.places.addresses.us.words import (
    DIRECTIONS,
    LOCATING,
    MEASURES,
    MONTHS,
    ONWARD,
    YEAR_CUES,
)

if not cython.compiled:
    raise ImportError("toponaut is not compiled: run make setup, or reinstall it")

_PHONE = re.compile(r"\(?\d{3}\)?[-. ]{1,2}\d{3}[-. ]\d{4}")
_YEAR = re.compile(r"(?:1[89]|20)\d\d")
# Before a year: "January 29, 2016", "29 January 2016".
_MONTH = "|".join(sorted(MONTHS, key=len, reverse=True))
_DAY = r"\d{1,2}(?:st|nd|rd|th)?"
_DATED = re.compile(rf"\b(?:(?:{_MONTH})\.? {_DAY}|{_DAY} (?:{_MONTH})\.?),? \Z", re.IGNORECASE)
_LONGEST_DATE = 20  # characters: "September 29th, " has 16
_JOINTS = frozenset(("and", "&", "or"))  # "County Road 130 and Chandler Rd"
_DISTANCES = frozenset(DIRECTIONS).union(("mile", "miles", "mi", "feet", "ft"))
_PARTS = re.compile(r"[\n\t|•·]")
# What may come before a corner: "Address: NE corner of ".
_INTRODUCTION = re.compile(
    r"\W*(?:(?:address|location|where) ?:\s*)?(?:(?:at |on )?(?:the )?"
    r"(?:[NS]?[EW]? ?|(?:north|south)?(?:east|west)? ?)(?:corner|intersection) (?:of )?)?",
    re.IGNORECASE,
)
_LABELLING = re.compile(r"\s?(?::|\s[-–—])\s\d")


class WordBefore(NamedTuple):
    """The word before a number, and the gap between them."""

    key: str
    gap: Gap
    sign: str  # the last character of the gap


def before_number(text: str, start: int) -> WordBefore:
    first = max(0, start - READ_BEFORE)
    last = max(first, text.rfind(" ", first, start - 1))  # no word has a space in it
    words = read_words(text, last, start) or read_words(text, first, start)
    word = words[len(words) - 1] if words else None
    between = text[word.end if word else first : start]
    gap = gap_of(between) if word else Gap.BLOCK
    return WordBefore(word.key if word else "", gap, between.strip()[-1:])


def opens_line(text: str, start: int) -> bool:
    """Whether a corner and the words that introduce it begin a line or cell."""
    before = max(text.rfind("\n", 0, start), text.rfind("\t", 0, start)) + 1
    return _INTRODUCTION.fullmatch(text, before, start) is not None


def is_address(
    text: str, anchor: UsAnchor, words: list[UsWord], reading: UsReading, before: WordBefore
) -> bool:
    """Whether number and reading are an address."""
    year = bool(_YEAR.fullmatch(text[anchor.start : anchor.end]))
    street, tail = reading.street, reading.tail
    sure = reading.direct and tail is not None and tail.strength >= Strength.STATE
    if before.sign == "©" or before.key == "copyright" or (words[0].key in MEASURES and not sure):
        return False
    if words[0].key in _JOINTS or _directs(words, street.stop):
        return False
    if year and _DATED.search(text, max(0, anchor.start - _LONGEST_DATE), anchor.start):
        return False
    if not words[0].is_name or words[0].gap > Gap.SPACE:  # lower case, or a number in its own cell
        coded = tail is not None and bool(tail.code)
        mixed = not words[0].is_name and any(word.is_name for word in words[1 : street.stop])
        if mixed and not coded:  # "5 best hotels near Union Square, San Francisco, CA"
            return False
        return sure and street.stop <= 5 and (coded or street.kind > StreetKind.BARE)
    if before.gap == Gap.SPACE:
        typed = sure and street.kind == StreetKind.TYPED
        if year and before.key in YEAR_CUES and not typed:
            return False
        if before.key in MONTHS and not sure:
            return False
    doubtful = year and not sure and before.key not in LOCATING
    if doubtful and (before.gap < Gap.COMMA or _runs_on(words, reading)):
        return False
    if tail is None or (not reading.direct and tail.strength < Strength.STATE):
        return _is_alone(text, words, reading, before)
    if street.kind == StreetKind.BARE:
        return _may_be_bare(text, anchor, words, tail, before)
    return True


def _directs(words: list[UsWord], stop: int) -> bool:
    """Whether a street's words give directions: "Frontage Road 1 mile W of County Line Rd"."""
    return any(words[k].key == "of" and words[k - 1].key in _DISTANCES for k in range(1, stop))


def _may_be_bare(
    text: str, anchor: UsAnchor, words: list[UsWord], tail: Tail, before: WordBefore
) -> bool:
    """Whether a name without a type is a street; "5K Classic" above a town is an event."""
    plain = text[anchor.start : anchor.end].isdigit()
    if not tail.code and (words[tail.city_start].gap >= Gap.CELL or not plain):
        return False
    return before.gap > Gap.SPACE or before.key in LOCATING or before.sign in (".", ":")


def _runs_on(words: list[UsWord], reading: UsReading) -> bool:
    """Whether only a space separates street and town: "2001 Park Avenue Denver"."""
    if reading.tail is None or not reading.direct:
        return False
    return words[reading.tail.city_start].gap == Gap.SPACE


def _is_alone(text: str, words: list[UsWord], reading: UsReading, before: WordBefore) -> bool:
    """A street without a town: it fills its line or cell, or prose says that something is there."""
    street = reading.street
    stop = reading.units_stop
    opens = before.gap >= Gap.CELL
    after = words[stop] if stop < len(words) else None
    at = after.start - (text[after.start - 1] == "(") if after else 0
    calls = after is not None and bool(_PHONE.match(text, at))
    closes = after is None or after.gap >= Gap.CELL or calls
    if street.kind < StreetKind.LED:
        return street.kind == StreetKind.KNOWN and opens and closes
    if not street.strong and not calls:
        return False
    if opens and closes:  # "3 Hole circle" is a measure
        small_type = words[0].is_name and words[street.stop - 1].text[0].islower()
        return calls or not small_type
    if calls or (before.gap > Gap.SPACE and closes):
        return True
    parted = after is not None and after.gap > Gap.SPACE
    ends = closes or parted or (after is not None and after.key in ONWARD)
    if before.gap == Gap.SPACE and before.key in LOCATING and ends:
        return True
    if not opens or after is None or not parted:
        return False
    return text[after.start - 1] != "(" or not after.text[0].isdigit()  # "10 Elm Lane (2016)"


def belongs_to_next(text: str, words: list[UsWord], tail: Tail, above: str, towns: UsTowns) -> bool:
    """Whether a tail without ZIP labels the next street, or is alone in the line above it.

    "2608 Main St. | Saranac Lake: 39 Main Street". In its own line, town and state belong to the
    next street only if `above`, the text before this street, ends with a town too.
    """
    if tail.code or _LABELLING.match(text, words[tail.stop - 1].end):
        return not tail.code
    at, stop = tail.city_start, tail.stop
    if words[at].gap < Gap.LINE or stop >= len(words) or words[stop].gap < Gap.LINE:
        return False
    if not begins_street(words, stop):
        return False
    return tail.strength == Strength.CITY or ends_with_town(above, towns)


def has_town_before(above: str, towns: UsTowns) -> bool:
    """Whether a town fills the part of a line before a number: "Saranac Lake" in the example."""
    return ends_with_town(_PARTS.split(above).pop().strip(" :–—-"), towns)


def ends_with_town(text: str, towns: UsTowns) -> bool:
    line = text.rstrip().rpartition("\n")[2]
    words = read_words(line, 0, len(line))
    tail = read_tail(words, 0, towns, alone=PARTED) if words else None
    return tail is not None and tail.stop == len(words)
