"""Where a street's name ends: the readings of the words after a street number.

A reading has a kind, which says how sure we are that these words are a street at all:

    TYPED   N. Main St., Court Square, Old Court House Road
    ROUTE   US Hwy 19 N, County Road 12, FM 1960 West
    GRID    W 4500 S
    LED     Avenue of the Americas, Via Marina, El Camino Real
    KNOWN   Broadway, The Embarcadero
    BARE    8 Bowdoin: any name; believed only where a town and a ZIP follow at once

Several readings of one text are normal ("Old St. Augustine Rd" ends at "St." or at "Rd"); `read_streets` gives all,
and the finder keeps the one after which the rest of the address reads best.
"""

import re
from collections.abc import Iterator
from enum import IntEnum
from typing import NamedTuple

from toponaut.places.addresses.us.hints import JUNIOR
from toponaut.places.addresses.us.scan import Gap, Word
from toponaut.places.addresses.us.types import STRONG, WEAK
from toponaut.places.addresses.us.words import (
    CONNECTORS,
    DIRECTIONS,
    LEADING,
    NOT_NAMES,
    ORDINAL_WORDS,
    ROUTE_CORES,
    ROUTE_MODIFIERS,
    STATES,
    TYPELESS,
    UNITS,
)


class StreetKind(IntEnum):
    BARE = 0
    KNOWN = 1
    LED = 2
    GRID = 3
    ROUTE = 4
    TYPED = 5


class Street(NamedTuple):
    kind: StreetKind
    stop: int  # index of the first word after it
    strong: bool = True  # a type that is no common word of names


LONGEST_BARE = 4  # words of a name without type
LONGEST_NAME = 7  # words between number and type: "Dr. Martin Luther King Jr. Memorial Pkwy" has 6
_ORDINAL = re.compile(r"\d+(?:st|nd|rd|th)", re.I)
_ROUTE_ID = re.compile(r"(?:\d{1,4}[A-Z]?|[A-Z]{1,2})(?:-\d+)?", re.I)
_JOINED_ROUTE = re.compile(
    r"(?:us|i|sr|cr|fm|rm|sh|nc|m|k|n|state|route|rt|hwy)-\d{1,4}[a-z]?", re.I
)


def read_streets(words: list[Word], at: int) -> Iterator[Street]:
    """Readings of the words from `at` on, the likelier first."""
    name = skip_directions(words, at)
    grid = _grid(words, at, name)
    if grid:
        yield Street(StreetKind.GRID, grid)
        return
    route = route_end(words, name)
    if route:
        yield Street(StreetKind.ROUTE, directed(words, route))
    run = run_end(words, at)
    typed = list(_typed(words, name, run))
    yield from sorted(typed, key=lambda street: not street.strong)
    if name > at and (run - name) and not typed and words[name - 1].key in DIRECTIONS:
        yield from _typed(words, name - 1, run)  # "12 West St": the directional is the name
    if words[name].key in LEADING and run > name + 1:
        yield from (
            Street(StreetKind.LED, stop)
            for stop in range(min(run, name + LONGEST_NAME), name + 1, -1)
        )
    known = name + (words[name].key == "the")
    if known < run and (words[known].key in TYPELESS or is_ordinal(words[known])):
        yield Street(StreetKind.KNOWN, directed(words, known + 1))
    yield from (
        Street(StreetKind.BARE, stop) for stop in range(min(run, at + LONGEST_BARE), at, -1)
    )


def _typed(words: list[Word], name: int, run: int) -> Iterator[Street]:
    for index in range(name + 1, run):
        key = words[index].key
        if key in STRONG:
            if _is_saint(words, index, run) or f"{words[index - 1].key} {key}" in NOT_NAMES:
                continue
            yield Street(StreetKind.TYPED, index + 1)
        elif key in WEAK and not (key in UNITS and _has_identifier(words, index)):
            yield Street(StreetKind.TYPED, index + 1, strong=False)


def _is_saint(words: list[Word], index: int, run: int) -> bool:
    """ "Street St. Louis": a second St right after a type begins a town's name."""
    return words[index].key == "st" and words[index - 1].key in STRONG and index + 1 < run


def run_end(words: list[Word], at: int) -> int:
    """Where the words stop that can be one name: at a gap, at a small word, before a unit."""
    first = words[skip_directions(words, at)]
    small = first.text[0].islower()
    index = at
    while index < len(words) and index < at + LONGEST_NAME + 2:
        word = words[index]
        if (
            index > at
            and word.gap != Gap.SPACE
            and not (word.gap == Gap.COMMA and word.key in JUNIOR)
        ):
            break
        if (
            not word.is_name
            and not small
            and word.key not in CONNECTORS
            and word.key not in DIRECTIONS
            and word.key not in STRONG
        ):
            break
        if index > at + 1 and (
            word.text in "#&" or (word.key in UNITS and _has_identifier(words, index))
        ):
            break
        if (
            word.text.isdigit()
            and index > at
            and words[index - 1].key not in LEADING
            and not _is_mile(words, index)
        ):
            break
        index += 1
    return index


def _is_mile(words: list[Word], index: int) -> bool:
    """ "W 12 Mile Rd": a number inside a street's name."""
    return index + 1 < len(words) and words[index + 1].key == "mile"


def _has_identifier(words: list[Word], index: int) -> bool:
    after = words[index + 1] if index + 1 < len(words) else None
    return after is not None and (
        after.text[0].isdigit() or after.text == "#" or len(after.key) == 1
    )


def skip_directions(words: list[Word], at: int) -> int:
    """Past a directional before the name; not past the name itself."""
    if at + 1 < len(words) and words[at].key in DIRECTIONS and words[at + 1].gap == Gap.SPACE:
        if words[at].key in ("no", "so") and not words[at].text.endswith("."):
            return at
        at += 1
        if (
            at + 1 < len(words)
            and len(words[at].key) == 1
            and words[at].key in "ew"
            and words[at + 1].gap == Gap.SPACE
        ):
            at += 1  # "N. W. 5th"
    return at


def directed(words: list[Word], at: int) -> int:
    """Past a directional after the street: "Ave. NE", "Avenue, N.W.", "Highway 278 North"."""
    if at < len(words) and words[at].key in DIRECTIONS and words[at].key not in ("no", "so"):
        short = len(words[at].key) <= 2 and words[at].text[0].isupper()
        if words[at].gap == Gap.SPACE or (words[at].gap == Gap.COMMA and short):
            return at + 1
    return at


def _grid(words: list[Word], at: int, name: int) -> int:
    """ "W 4500 S", "820 North": numbers of a grid, as in Utah."""
    if name + 1 < len(words) and words[name].text.isdigit() and words[name].gap == Gap.SPACE:
        after = words[name + 1]
        closed = name + 2 == len(words) or words[name + 2].gap > Gap.SPACE
        if (
            after.key in DIRECTIONS
            and after.gap == Gap.SPACE
            and (name > at or (closed and len(words[name].text) >= 3))
        ):
            return name + 2
    return 0


def route_end(words: list[Word], at: int) -> int:
    """The end of a numbered road's name, or 0."""
    index = at
    if _JOINED_ROUTE.fullmatch(words[index].text):
        return _after_route(words, index + 1)
    while index < len(words) and index < at + 4:
        word = words[index]
        if index > at and word.gap != Gap.SPACE:
            return 0
        number = index + 1 + (index + 1 < len(words) and words[index + 1].text == "#")
        nearby = number < len(words) and words[number].gap == Gap.SPACE
        if (
            word.key in ROUTE_CORES
            and nearby
            and _ROUTE_ID.fullmatch(words[number].text)
            and _is_route(word.key, words[number].text)
        ):
            return _after_route(words, number + 1)
        if _JOINED_ROUTE.fullmatch(word.text):
            return _after_route(words, index + 1)
        if word.key not in ROUTE_MODIFIERS and (word.key,) not in STATES:
            return 0
        index += 1
    return 0


def _is_route(key: str, identifier: str) -> bool:
    """Whether core and identifier make a road of themselves: "Road 12" and "Highway K" do, "Street 5" and "Rd NE" do not."""
    if identifier.isalpha():
        return (
            key in ("highway", "hwy", "route", "road", "rd", "avenue", "ave")
            and identifier.isupper()
            and identifier.lower() not in DIRECTIONS
        )
    if key in ("avenue", "ave", "street", "st"):
        return False
    return len(identifier) < 5


def _after_route(words: list[Word], index: int) -> int:
    if (
        index < len(words)
        and words[index].gap == Gap.SPACE
        and words[index].key in ("business", "bus", "bypass", "byp", "loop", "spur", "frontage")
    ):
        index += 1
        if (
            index < len(words)
            and words[index].key in ("rd", "road")
            and words[index].gap == Gap.SPACE
        ):
            index += 1
    return index


def is_ordinal(word: Word) -> bool:
    return bool(_ORDINAL.fullmatch(word.key)) or word.key in ORDINAL_WORDS
