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
from enum import IntEnum

import cython

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

if not cython.compiled:
    raise ImportError("toponaut is not compiled: run make setup, or reinstall it")


class StreetKind(IntEnum):
    BARE = 0
    KNOWN = 1
    LED = 2
    GRID = 3
    ROUTE = 4
    TYPED = 5


class UsStreet:
    """`stop`: the first word after it; `strong`: its type is not also a common word in names."""

    def __init__(self, kind: int, stop: int, strong: bool = True) -> None:
        self.kind = kind
        self.stop = stop
        self.strong = strong


_BARE = cython.declare(cython.int, StreetKind.BARE)
_KNOWN = cython.declare(cython.int, StreetKind.KNOWN)
_LED = cython.declare(cython.int, StreetKind.LED)
_GRID = cython.declare(cython.int, StreetKind.GRID)
_ROUTE = cython.declare(cython.int, StreetKind.ROUTE)
_TYPED = cython.declare(cython.int, StreetKind.TYPED)
_SPACE = cython.declare(cython.int, Gap.SPACE)
_COMMA = cython.declare(cython.int, Gap.COMMA)
_LONGEST_BARE = cython.declare(cython.Py_ssize_t, 4)  # words of a name without a type
# Words between number and type: "Dr. Martin Luther King Jr. Memorial Pkwy" has 6.
_LONGEST_NAME = cython.declare(cython.Py_ssize_t, 7)
_SMALL = CONNECTORS.union(DIRECTIONS, STRONG_TYPES)  # words of a name written in lower case
_ORDINAL = re.compile(r"\d+(?:st|nd|rd|th)", re.I)
_ROUTE_ENDS = frozenset("business bus bypass byp loop spur frontage".split())
_BEFORE_NUMBER = ROUTE_MODIFIERS.union(name[0] for name in STATES if len(name) == 1)
_ROUTE_ID = re.compile(r"(?:\d{1,4}[A-Z]?|[A-Z]{1,2})(?:-\d+)?", re.I)
_JOINED_ROUTE = re.compile(
    r"(?:us|i|sr|cr|fm|rm|sh|nc|m|k|n|state|route|rt|hwy)-\d{1,4}[a-z]?", re.I
)


def read_streets(words: list[UsWord], at: cython.Py_ssize_t) -> list[UsStreet]:
    """Readings of the words from `at` on, the likelier first."""
    name: cython.Py_ssize_t = _skip_directions(words, at)
    stop: cython.Py_ssize_t = _grid(words, at, name)
    if stop:
        return [UsStreet(_GRID, stop)]
    found: list[UsStreet] = []
    stop = _route_end(words, name)
    if stop:
        found.append(UsStreet(_ROUTE, directed(words, stop)))
    run: cython.Py_ssize_t = _run_end(words, at)
    typed: list[UsStreet] = _typed(words, name, run)
    if not typed and name > at and run > name and words[name - 1].key in DIRECTIONS:
        typed = _typed(words, name - 1, run)  # "12 West St": the direction is the name
    found += typed
    if words[name].key in LEADING and run > name + 1:
        for stop in range(min(run, name + _LONGEST_NAME), name + 1, -1):
            found.append(UsStreet(_LED, stop))
    known: cython.Py_ssize_t = name + (words[name].key == "the")
    if known < run and (words[known].key in TYPELESS or is_ordinal(words[known])):
        found.append(UsStreet(_KNOWN, directed(words, known + 1)))
    for stop in range(min(run, at + _LONGEST_BARE), at, -1):
        found.append(UsStreet(_BARE, stop))
    return found


@cython.cfunc
def _typed(words: list[UsWord], name: cython.Py_ssize_t, run: cython.Py_ssize_t) -> list[UsStreet]:
    """Streets that end with a type, those with a strong one first."""
    index: cython.Py_ssize_t
    strong: list[UsStreet] = []
    weak: list[UsStreet] = []
    for index in range(name + 1, run):
        key: str = words[index].key
        if key in STRONG_TYPES:
            before: str = words[index - 1].key
            is_saint: cython.bint = key == "st" and before in STRONG_TYPES and index + 1 < run
            if is_saint or f"{before} {key}" in NOT_NAMES:  # "Street St. Louis", "hard drive"
                continue
            strong.append(UsStreet(_TYPED, index + 1))
        elif key in WEAK_TYPES and not (key in UNITS and _has_identifier(words, index)):
            weak.append(UsStreet(_TYPED, index + 1, False))
    return strong + weak


@cython.cfunc
def _run_end(words: list[UsWord], at: cython.Py_ssize_t) -> cython.Py_ssize_t:
    """The end of the words that can be one name: at a gap, a lower-case word or a unit."""
    small: cython.bint = not words[_skip_directions(words, at)].is_name
    index: cython.Py_ssize_t = at
    while index < len(words) and index < at + _LONGEST_NAME + 2:
        word: UsWord = words[index]
        if not word.is_name and not small and word.key not in _SMALL:
            break
        if index > at:
            if word.gap != _SPACE and not (word.gap == _COMMA and word.key in JUNIOR):
                break
            after_leading: cython.bint = words[index - 1].key in LEADING
            if word.text.isdigit() and not after_leading and not _is_inside(words, index):
                break
        is_unit: cython.bint = word.key in UNITS and _has_identifier(words, index)
        is_unit = is_unit and not _is_inside(words, index + 1)
        if index > at + 1 and (is_unit or word.text in "#&"):
            break
        index += 1
    return index


@cython.cfunc
def _is_inside(words: list[UsWord], index: cython.Py_ssize_t) -> cython.bint:
    """Whether a number is inside a street's name: "W 12 Mile Rd", "East Stop 18 Road"."""
    if not _continues(words, index + 1):
        return False
    key: str = words[index + 1].key
    return key == "mile" or (words[index].text.isdigit() and key in STRONG_TYPES)


@cython.cfunc
def _has_identifier(words: list[UsWord], index: cython.Py_ssize_t) -> cython.bint:
    if index + 1 >= len(words):
        return False
    after: UsWord = words[index + 1]
    return after.text[0].isdigit() or after.text == "#" or len(after.key) == 1


@cython.cfunc
def _skip_directions(words: list[UsWord], at: cython.Py_ssize_t) -> cython.Py_ssize_t:
    """The index after a direction before the name; never after the name itself."""
    if not _continues(words, at + 1):
        return at
    word: UsWord = words[at]
    if word.key not in DIRECTIONS or (word.key in ("no", "so") and not word.text.endswith(".")):
        return at
    is_second: cython.bint = words[at + 1].key in ("e", "w") and _continues(words, at + 2)
    return at + 2 if is_second else at + 1  # "N. W. 5th"


@cython.cfunc
def _continues(words: list[UsWord], index: cython.Py_ssize_t) -> cython.bint:
    return index < len(words) and words[index].gap == _SPACE


def directed(words: list[UsWord], at: cython.Py_ssize_t) -> cython.Py_ssize_t:
    """The index after a direction that follows the street: "Ave. NE", "Highway 278 North"."""
    if at >= len(words):
        return at
    word: UsWord = words[at]
    if word.key in DIRECTIONS and word.key not in ("no", "so"):
        short: cython.bint = len(word.key) <= 2 and word.text[0].isupper()
        if word.gap == _SPACE or (word.gap == _COMMA and short):
            return at + 1
    return at


@cython.cfunc
def _grid(words: list[UsWord], at: cython.Py_ssize_t, name: cython.Py_ssize_t) -> cython.Py_ssize_t:
    """The end of a number in a grid, as in Utah: "W 4500 S", "820 North"; 0 if it is none."""
    if not _continues(words, name) or not words[name].text.isdigit():
        return 0
    if not _continues(words, name + 1) or words[name + 1].key not in DIRECTIONS:
        return 0
    closed: cython.bint = not _continues(words, name + 2)
    return name + 2 if name > at or (closed and len(words[name].text) >= 3) else 0


@cython.cfunc
def _route_end(words: list[UsWord], at: cython.Py_ssize_t) -> cython.Py_ssize_t:
    """The end of a numbered road's name, or 0."""
    index: cython.Py_ssize_t = at
    number: cython.Py_ssize_t
    while index < len(words) and index < at + 4:
        word: UsWord = words[index]
        if index > at and word.gap != _SPACE:
            return 0
        if word.key in ROUTE_CORES:
            number = index + 1
            number += number < len(words) and words[number].text == "#"
            if _continues(words, number):
                identifier: str = words[number].text
                if _ROUTE_ID.fullmatch(identifier) and _is_route(word.key, identifier):
                    return _after_route(words, number + 1)
        if "-" in word.text and _JOINED_ROUTE.fullmatch(word.text):
            return _after_route(words, index + 1)
        if word.key not in _BEFORE_NUMBER:
            return 0
        index += 1
    return 0


@cython.cfunc
def _is_route(key: str, identifier: str) -> cython.bint:
    """Whether both name a road: "Road 12" and "Highway K" do, "Street 5" and "Rd NE" do not."""
    if identifier.isalpha():
        lettered = key in ("highway", "hwy", "route", "road", "rd", "avenue", "ave")
        return lettered and identifier.isupper() and identifier.lower() not in DIRECTIONS
    if key in ("avenue", "ave", "street", "st"):
        return False
    return len(identifier) < 5


@cython.cfunc
def _after_route(words: list[UsWord], index: cython.Py_ssize_t) -> cython.Py_ssize_t:
    if _continues(words, index) and words[index].key in _ROUTE_ENDS:
        index += 1
        if _continues(words, index) and words[index].key in ("rd", "road"):
            index += 1
    return index


def is_ordinal(word: UsWord) -> bool:
    if word.key[:1].isdigit():
        return _ORDINAL.fullmatch(word.key) is not None
    return word.key in ORDINAL_WORDS
