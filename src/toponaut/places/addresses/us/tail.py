"""Town, state and ZIP: the end of an address."""

import re
from collections.abc import Callable
from enum import IntEnum
from typing import NamedTuple

from toponaut.places.addresses.us.hints import STATE_BEGINNINGS
from toponaut.places.addresses.us.scan import Gap, Word
from toponaut.places.addresses.us.towns import Towns, same_town, zip_agrees
from toponaut.places.addresses.us.words import (
    CITY_CONNECTORS,
    COUNTRY,
    DIRECTIONS,
    LABELS,
    LONGEST_STATE,
    STATES,
    ZIP_STATE,
)


class Strength(IntEnum):
    """How much a tail says."""

    CITY = 1  # a known town's name alone
    CLASH = 2  # a ZIP that is not in the state
    ZIP = 3  # town and ZIP agree, no state
    STATE = 4  # town and state, no ZIP
    FULL = 5  # state and ZIP agree


class Tail(NamedTuple):
    strength: Strength
    city: tuple[int, int]  # words from, to; empty where the town is left out
    state: str
    code: str
    stop: int  # index of the first word after it
    known: int  # 2: the post gives that ZIP to that town; 1: the gazetteer has the town; 0: neither


_COUNTRY_BEGINNINGS = frozenset(name[0] for name in COUNTRY)
_ZIP = re.compile(r"\d{5}(?:[-–]\d{4})?\.?")
_MOST_WORDS = 5  # of a town's name: "Village of Oak Creek", "King and Queen Court House"
# A town named without state or ZIP has so many people; smaller names are words too often.
PARTED, RUN_ON = 1000, 5000  # after a comma or line end; after nothing ("12 Elm St Denver")


class StateWord(NamedTuple):
    code: str
    stop: int
    sure: bool  # cannot well be another word: full name, capital code, abbreviation with its point


def read_state(words: list[Word], at: int) -> StateWord | None:
    if at >= len(words) or words[at].key not in STATE_BEGINNINGS:
        return None
    for count in range(min(LONGEST_STATE, len(words) - at), 0, -1):
        part = words[at : at + count]
        code = STATES.get(tuple(word.key for word in part))
        if code and all(word.gap == Gap.SPACE for word in part[1:]):
            first = part[0].text
            short = len("".join(word.key for word in part)) <= 5
            sure = first[0].isupper() and (
                not short
                or first.isupper()
                or first.endswith(".")
                or first == "Ohio"
                or len(first) > 3
            )
            return StateWord(code, at + count, sure)
    return None


def read_zip(words: list[Word], at: int) -> str:
    """The ZIP code that word `at` is, else ""."""
    if at < len(words) and _ZIP.fullmatch(words[at].text) and words[at].text[:3] in ZIP_STATE:
        return words[at].text.rstrip(".")
    return ""


def read_tail(words: list[Word], at: int, towns: Towns, *, alone: int = 0) -> Tail | None:
    """The tail that begins at word `at`. `alone`: a town of so many people will do without state and ZIP; 0: none."""
    at = _skip_labels(words, at)
    last = min(at + _MOST_WORDS + 1, len(words))
    for index in range(at, last):
        if found := _tail_at(words, at, index, towns):
            return found
        word = words[index]
        if index > at and word.gap != Gap.SPACE:
            break
        if (
            not word.is_name
            and words[at].is_name
            and word.key not in CITY_CONNECTORS
            and word.text[1:2] not in ("'", "’")
        ):
            break
        if word.text[0].isdigit() or word.text in "#&":
            break
    return _town_alone(words, at, towns, alone) if alone else None


def _tail_at(words: list[Word], at: int, index: int, towns: Towns) -> Tail | None:
    """A tail whose town is the words from `at` to `index`, and whose state or ZIP begins at `index`."""
    beyond = _skip_labels(words, index) if index > at else index
    state = read_state(words, beyond)
    if state is None and not read_zip(words, beyond):
        return None
    city = name_of(words, at, index)
    if state is None:
        code = read_zip(words, beyond)
        known = _known(towns, city, ZIP_STATE[code[:3]], code) if code else 0
        if code and words[index].gap <= Gap.LINE and (known or (not city and towns.zip(code))):
            return Tail(
                Strength.ZIP,
                (at, index),
                ZIP_STATE[code[:3]],
                code,
                _skip_country(words, beyond + 1),
                known,
            )
        return None
    after = _skip_labels(words, _skip_country(words, state.stop))  # "Grants Pass, OR USA 97526"
    code = read_zip(words, after)
    if code and words[after].gap <= Gap.BLOCK:
        stop = _skip_country(words, after + 1)
        if not zip_agrees(state.code, code):
            return (
                Tail(Strength.CLASH, (at, index), state.code, code, stop, 0)
                if state.sure and city
                else None
            )
        area = towns.zip(code)
        first = _town_start(
            words, at, index, lambda name: area is not None and same_town(area.city, name)
        )
        first = at if first > at and towns.named(city) else first
        known = 0 if first > at else _known(towns, city, state.code, code)
        return Tail(Strength.FULL, (first, index), state.code, code, stop, known)
    if not city or not state.sure or words[index].gap > Gap.LINE:
        return None
    known = int(towns.in_state(city, state.code) is not None)
    if known or (words[index].gap == Gap.COMMA and words[at].is_name and index - at <= 3):
        first = (
            at
            if known
            else _town_start(words, at, index, lambda name: _is_large(towns, name, state.code))
        )
        return Tail(
            Strength.STATE, (first, index), state.code, "", _skip_country(words, state.stop), known
        )
    return None


def _town_start(words: list[Word], at: int, index: int, is_town: Callable[[str], bool]) -> int:
    """Where the town's name begins: "Quarry Homes Huntsville, AL 35801" ends with a town, and "West Hamlet" is one."""
    first = next((first for first in range(at, index) if is_town(name_of(words, first, index))), at)
    return at if all(word.key in DIRECTIONS for word in words[at:first]) else first


def _is_large(towns: Towns, name: str, state: str) -> bool:
    town = towns.in_state(name, state)
    return town is not None and town.own and town.population >= PARTED


def _known(towns: Towns, city: str, state: str, code: str) -> int:
    if not city:
        return 0
    area = towns.zip(code)
    if area is not None and same_town(area.city, city):
        return 2
    if towns.fits(city, state, code):
        return 1
    return 0


def _town_alone(words: list[Word], at: int, towns: Towns, smallest: int) -> Tail | None:
    stop = at
    while (
        stop < len(words)
        and stop < at + 4
        and words[stop].is_name
        and words[stop].text[0].isalpha()
    ):
        if stop > at and words[stop].gap != Gap.SPACE:
            break
        stop += 1
    for index in range(stop, at, -1):
        name = name_of(words, at, index)
        found = towns.named(name)
        if found and found[0].own and found[0].population >= smallest and towns.is_american(name):
            ends = (
                index == len(words)
                or words[index].gap > Gap.SPACE
                or words[index - 1].text.endswith(".")
            )
            ends = ends or (smallest <= PARTED and not words[index].is_name)
            return Tail(Strength.CITY, (at, index), "", "", index, 1) if ends else None
    return None


def name_of(words: list[Word], start: int, stop: int) -> str:
    """A town's name, without the point that ends a sentence."""
    return " ".join(word.text for word in words[start:stop]).rstrip(".")


def _skip_labels(words: list[Word], at: int) -> int:
    """Past "City:", "State", "Zip Code:" where something else than a space follows, and before; not in "Ponca City"."""
    if 0 < at < len(words) and words[at].gap == Gap.SPACE:
        return at
    index = at
    while index < len(words) and words[index].key in LABELS:
        index += 1
    if index > at and index < len(words) and words[index].gap in (Gap.BAR, Gap.CELL, Gap.LINE):
        return index
    return at


def _skip_country(words: list[Word], at: int) -> int:
    if at >= len(words) or words[at].key not in _COUNTRY_BEGINNINGS:
        return at
    for count in (4, 2, 1):
        part = words[at : at + count]
        if (
            tuple(word.key for word in part) in COUNTRY
            and part[0].gap <= Gap.LINE
            and part[0].is_name
        ):
            return at + len(part)
    return at
