"""Where a street's name ends: the readings of the words after a street number.

A reading has a kind, which says how sure we are that the words are a street:

    TYPED   N. Main St., Court Square, Old Court House Road
    ROUTE   US Hwy 19 N, County Road 12, FM 1960 West
    GRID    W 4500 S
    LED     Avenue of the Americas, Via Marina, El Camino Real
    KNOWN   Broadway, The Embarcadero
    BARE    8 Bowdoin: any name; believed only if a town and a ZIP follow at once

Several readings of one text are normal: "Old St. Augustine Rd" ends at "St." or at "Rd".
`read_streets` gives all, and reading.py keeps the one with the best rest of the address.
"""

import re
from collections.abc import Iterator
from enum import IntEnum
from typing import NamedTuple

from toponaut.places.addresses.us.hints import JUNIOR
from toponaut.places.addresses.us.word import Gap, UsWord
from toponaut.places.addresses.us.words import (
    CONNECTORS,
    DIRECTIONS,
    LEADING,
    NOT_NAMES,
    ORDINAL_WORDS,
    ROUTE_CORES,
    ROUTE_MODIFIERS,
    STATES,
    STRONG_TYPES,
    TYPELESS,
    UNITS,
    WEAK_TYPES,
)


class StreetKind(IntEnum):
    BARE = 0
    KNOWN = 1
    LED = 2
    GRID = 3
    ROUTE = 4
    TYPED = 5


class UsStreet(NamedTuple):
    kind: StreetKind
    stop: int  # index of the first word after it
    strong: bool = True  # False: the type is also a common word in names


_LONGEST_BARE = 4  # words of a name without a type
_LONGEST_NAME = 7  # words between number and type: "Dr. Martin Luther King Jr. Memorial Pkwy" has 6
_SMALL = CONNECTORS.union(DIRECTIONS, STRONG_TYPES)  # words of a name written in lower case
_ORDINAL = re.compile(r"\d+(?:st|nd|rd|th)", re.I)
_ROUTE_ENDS = frozenset("business bus bypass byp loop spur frontage".split())
_ROUTE_ID = re.compile(r"(?:\d{1,4}[A-Z]?|[A-Z]{1,2})(?:-\d+)?", re.I)
_JOINED_ROUTE = re.compile(
    r"(?:us|i|sr|cr|fm|rm|sh|nc|m|k|n|state|route|rt|hwy)-\d{1,4}[a-z]?", re.I
)


def read_streets(words: list[UsWord], at: int) -> Iterator[UsStreet]:
    """Readings of the words from `at` on, the likelier first."""
    name = skip_directions(words, at)
    grid = _grid(words, at, name)
    if grid:
        yield UsStreet(StreetKind.GRID, grid)
        return
    route = route_end(words, name)
    if route:
        yield UsStreet(StreetKind.ROUTE, directed(words, route))
    run = run_end(words, at)
    typed = list(_typed(words, name, run))
    yield from sorted(typed, key=lambda street: not street.strong)
    if name > at and (run - name) and not typed and words[name - 1].key in DIRECTIONS:
        yield from _typed(words, name - 1, run)  # "12 West St": the direction is the name
    if words[name].key in LEADING and run > name + 1:
        for stop in range(min(run, name + _LONGEST_NAME), name + 1, -1):
            yield UsStreet(StreetKind.LED, stop)
    known = name + (words[name].key == "the")
    if known < run and (words[known].key in TYPELESS or is_ordinal(words[known])):
        yield UsStreet(StreetKind.KNOWN, directed(words, known + 1))
    for stop in range(min(run, at + _LONGEST_BARE), at, -1):
        yield UsStreet(StreetKind.BARE, stop)


def _typed(words: list[UsWord], name: int, run: int) -> Iterator[UsStreet]:
    for index in range(name + 1, run):
        key = words[index].key
        if key in STRONG_TYPES:
            before = words[index - 1].key
            is_saint = key == "st" and before in STRONG_TYPES and index + 1 < run
            if is_saint or f"{before} {key}" in NOT_NAMES:  # "Street St. Louis", "hard drive"
                continue
            yield UsStreet(StreetKind.TYPED, index + 1)
        elif key in WEAK_TYPES and not (key in UNITS and _has_identifier(words, index)):
            yield UsStreet(StreetKind.TYPED, index + 1, strong=False)


def run_end(words: list[UsWord], at: int) -> int:
    """The end of the words that can be one name: at a gap, a lower-case word or a unit."""
    small = words[skip_directions(words, at)].text[0].islower()
    index = at
    while index < len(words) and index < at + _LONGEST_NAME + 2:
        word = words[index]
        if not word.is_name and not small and word.key not in _SMALL:
            break
        if index > at:
            if word.gap != Gap.SPACE and not (word.gap == Gap.COMMA and word.key in JUNIOR):
                break
            after_leading = words[index - 1].key in LEADING
            if word.text.isdigit() and not after_leading and not _is_mile(words, index):
                break
        is_unit = word.text in "#&" or (word.key in UNITS and _has_identifier(words, index))
        if index > at + 1 and is_unit:
            break
        index += 1
    return index


def _is_mile(words: list[UsWord], index: int) -> bool:
    """Whether a number is inside a street's name: "W 12 Mile Rd"."""
    return index + 1 < len(words) and words[index + 1].key == "mile"


def _has_identifier(words: list[UsWord], index: int) -> bool:
    after = words[index + 1] if index + 1 < len(words) else None
    return after is not None and (
        after.text[0].isdigit() or after.text == "#" or len(after.key) == 1
    )


def skip_directions(words: list[UsWord], at: int) -> int:
    """The index after a direction before the name; never after the name itself."""
    if not _continues(words, at + 1) or words[at].key not in DIRECTIONS:
        return at
    if words[at].key in ("no", "so") and not words[at].text.endswith("."):
        return at
    is_second = words[at + 1].key in ("e", "w") and _continues(words, at + 2)
    return at + 2 if is_second else at + 1  # "N. W. 5th"


def _continues(words: list[UsWord], index: int) -> bool:
    return index < len(words) and words[index].gap == Gap.SPACE


def directed(words: list[UsWord], at: int) -> int:
    """The index after a direction that follows the street: "Ave. NE", "Highway 278 North"."""
    if at < len(words) and words[at].key in DIRECTIONS and words[at].key not in ("no", "so"):
        short = len(words[at].key) <= 2 and words[at].text[0].isupper()
        if words[at].gap == Gap.SPACE or (words[at].gap == Gap.COMMA and short):
            return at + 1
    return at


def _grid(words: list[UsWord], at: int, name: int) -> int:
    """The end of a number in a grid, as in Utah: "W 4500 S", "820 North"; 0 if it is none."""
    if not _continues(words, name) or not words[name].text.isdigit():
        return 0
    if not _continues(words, name + 1) or words[name + 1].key not in DIRECTIONS:
        return 0
    closed = not _continues(words, name + 2)
    return name + 2 if name > at or (closed and len(words[name].text) >= 3) else 0


def route_end(words: list[UsWord], at: int) -> int:
    """The end of a numbered road's name, or 0."""
    index = at
    while index < len(words) and index < at + 4:
        word = words[index]
        if index > at and word.gap != Gap.SPACE:
            return 0
        number = index + 1 + (index + 1 < len(words) and words[index + 1].text == "#")
        if word.key in ROUTE_CORES and _continues(words, number):
            identifier = words[number].text
            if _ROUTE_ID.fullmatch(identifier) and _is_route(word.key, identifier):
                return _after_route(words, number + 1)
        if "-" in word.text and _JOINED_ROUTE.fullmatch(word.text):
            return _after_route(words, index + 1)
        if word.key not in ROUTE_MODIFIERS and (word.key,) not in STATES:
            return 0
        index += 1
    return 0


def _is_route(key: str, identifier: str) -> bool:
    """Whether both name a road: "Road 12" and "Highway K" do, "Street 5" and "Rd NE" do not."""
    if identifier.isalpha():
        lettered = key in ("highway", "hwy", "route", "road", "rd", "avenue", "ave")
        return lettered and identifier.isupper() and identifier.lower() not in DIRECTIONS
    if key in ("avenue", "ave", "street", "st"):
        return False
    return len(identifier) < 5


def _after_route(words: list[UsWord], index: int) -> int:
    if _continues(words, index) and words[index].key in _ROUTE_ENDS:
        index += 1
        if _continues(words, index) and words[index].key in ("rd", "road"):
            index += 1
    return index


def is_ordinal(word: UsWord) -> bool:
    if word.key[:1].isdigit():
        return _ORDINAL.fullmatch(word.key) is not None
    return word.key in ORDINAL_WORDS
