"""The end of a US address: town, state and ZIP."""

import re
from collections.abc import Callable
from enum import IntEnum
from typing import NamedTuple

from toponaut.places.addresses.us.hints import STATE_BEGINNINGS
from toponaut.places.addresses.us.towns import UsTowns, same_town, zip_agrees
from toponaut.places.addresses.us.word import Gap, UsWord
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
    CITY = 1  # a known town's name alone
    CLASH = 2  # a ZIP that is not in the state
    ZIP = 3  # town and ZIP agree, no state
    STATE = 4  # town and state, no ZIP
    FULL = 5  # state and ZIP agree


class Tail(NamedTuple):
    strength: Strength
    city: tuple[int, int]  # words from, to; empty where the town is missing
    state: str
    code: str
    stop: int  # index of the first word after it
    known: int  # 2: the ZIP is that town's; 1: the gazetteer has the town; 0: neither


_COUNTRY_BEGINNINGS = frozenset(name[0] for name in COUNTRY)
_ZIP = re.compile(r"\d{5}(?:[-–]\d{4})?\.?")
_MOST_WORDS = 5  # of a town's name: "Village of Oak Creek", "King and Queen Court House"
# Least population of a town named without state or ZIP, after a comma or line end and after a mere
# space ("12 Elm St Denver"). Names of smaller towns are too often other words.
PARTED, RUN_ON = 1000, 5000


class StateWord(NamedTuple):
    code: str
    stop: int
    sure: bool  # hardly another word: full name, capital code, abbreviation with its point


def read_state(words: list[UsWord], at: int) -> StateWord | None:
    if at >= len(words) or words[at].key not in STATE_BEGINNINGS:
        return None
    for count in range(min(LONGEST_STATE, len(words) - at), 0, -1):
        part = words[at : at + count]
        code = STATES.get(tuple(word.key for word in part))
        if code and all(word.gap == Gap.SPACE for word in part[1:]):
            first = part[0].text
            is_long = len(first) > 3 or len("".join(word.key for word in part)) > 5
            clear = is_long or first.isupper() or first.endswith(".")
            return StateWord(code, at + count, first[0].isupper() and clear)
    return None


def read_zip(words: list[UsWord], at: int) -> str:
    """The ZIP code at word `at`, or ""."""
    if at < len(words) and _ZIP.fullmatch(words[at].text) and words[at].text[:3] in ZIP_STATE:
        return words[at].text.rstrip(".")
    return ""


def read_tail(words: list[UsWord], at: int, towns: UsTowns, *, alone: int = 0) -> Tail | None:
    """The tail at word `at`. A town of the population `alone` needs no state or ZIP (0: all do)."""
    at = _skip_labels(words, at)
    last = min(at + _MOST_WORDS + 1, len(words))
    for index in range(at, last):
        if found := _tail_at(words, at, index, towns):
            return found
        word = words[index]
        if index > at and word.gap != Gap.SPACE:
            break
        is_small = not word.is_name and words[at].is_name and word.key not in CITY_CONNECTORS
        if is_small and word.text[1:2] not in ("'", "’"):  # "d'Alene"
            break
        if word.text[0].isdigit() or word.text in "#&":
            break
    return _town_alone(words, at, towns, alone) if alone else None


def _tail_at(words: list[UsWord], at: int, index: int, towns: UsTowns) -> Tail | None:
    """A tail whose town is words[at:index], and whose state or ZIP begins at `index`."""
    beyond = _skip_labels(words, index) if index > at else index
    if words[beyond].key not in STATE_BEGINNINGS and not words[beyond].text[0].isdigit():
        return None
    state = read_state(words, beyond)
    code = "" if state else read_zip(words, beyond)
    if state is None and not code:
        return None
    city = name_of(words, at, index)
    if state is None:
        state_code = ZIP_STATE[code[:3]]
        known = _known(towns, city, state_code, code)
        if words[index].gap > Gap.LINE or not (known or (not city and towns.zip(code))):
            return None
        stop = _skip_country(words, beyond + 1)
        return Tail(Strength.ZIP, (at, index), state_code, code, stop, known)
    after = _skip_labels(words, _skip_country(words, state.stop))  # "Grants Pass, OR USA 97526"
    code = read_zip(words, after)
    if code and words[after].gap <= Gap.BLOCK:
        stop = _skip_country(words, after + 1)
        tail = Tail(Strength.FULL, (at, index), state.code, code, stop, 0)
        return _checked(words, tail, state, towns)
    if not city or not state.sure or words[index].gap > Gap.LINE:
        return None
    known = int(towns.in_state(city, state.code) is not None)
    first = at
    if not known:
        if words[index].gap != Gap.COMMA or not words[at].is_name or index - at > 3:
            return None
        first = _town_start(words, at, index, lambda name: _is_large(towns, name, state.code))
    stop = _skip_country(words, state.stop)
    return Tail(Strength.STATE, (first, index), state.code, "", stop, known)


def _checked(words: list[UsWord], tail: Tail, state: StateWord, towns: UsTowns) -> Tail | None:
    """A tail with state and ZIP, with its strength, the start of its town, and whether known."""
    at, index = tail.city
    city = name_of(words, at, index)
    if not zip_agrees(tail.state, tail.code):
        return tail._replace(strength=Strength.CLASH) if state.sure and city else None
    area = towns.zip(tail.code)
    post_town = area.city if area else ""
    first = _town_start(words, at, index, lambda name: bool(area) and same_town(post_town, name))
    first = at if first > at and towns.named(city) else first
    known = 0 if first > at else _known(towns, city, tail.state, tail.code)
    return tail._replace(city=(first, index), known=known)


def _town_start(words: list[UsWord], at: int, index: int, is_town: Callable[[str], bool]) -> int:
    """Where the town's name begins: "Huntsville" in "Quarry Homes Huntsville", "West Hamlet"."""
    first = next((first for first in range(at, index) if is_town(name_of(words, first, index))), at)
    return at if all(word.key in DIRECTIONS for word in words[at:first]) else first


def _is_large(towns: UsTowns, name: str, state: str) -> bool:
    town = towns.in_state(name, state)
    return town is not None and town.own and town.population >= PARTED


def _known(towns: UsTowns, city: str, state: str, code: str) -> int:
    if not city:
        return 0
    area = towns.zip(code)
    if area is not None and same_town(area.city, city):
        return 2
    return int(towns.fits(city, state, code))


def _town_alone(words: list[UsWord], at: int, towns: UsTowns, smallest: int) -> Tail | None:
    stop = at
    for word in words[at : at + 4]:
        if not word.is_name or not word.text[0].isalpha():
            break
        if stop > at and word.gap != Gap.SPACE:
            break
        stop += 1
    for index in range(stop, at, -1):
        name = name_of(words, at, index)
        found = towns.named(name)
        if found and found[0].own and found[0].population >= smallest and towns.is_american(name):
            ends = index == len(words) or words[index].gap > Gap.SPACE
            ends = ends or words[index - 1].text.endswith(".")
            ends = ends or (smallest <= PARTED and not words[index].is_name)
            return Tail(Strength.CITY, (at, index), "", "", index, 1) if ends else None
    return None


def name_of(words: list[UsWord], start: int, stop: int) -> str:
    """A town's name, without the point that ends a sentence."""
    return " ".join(word.text for word in words[start:stop]).rstrip(".")


def _skip_labels(words: list[UsWord], at: int) -> int:
    """The index after "City:", "Zip Code:"; with a space before it is a name: "Ponca City"."""
    if 0 < at < len(words) and words[at].gap == Gap.SPACE:
        return at
    index = at
    while index < len(words) and words[index].key in LABELS:
        index += 1
    if index > at and index < len(words) and words[index].gap in (Gap.BAR, Gap.CELL, Gap.LINE):
        return index
    return at


def _skip_country(words: list[UsWord], at: int) -> int:
    if at >= len(words) or words[at].key not in _COUNTRY_BEGINNINGS:
        return at
    for count in (4, 2, 1):
        part = words[at : at + count]
        is_country = tuple(word.key for word in part) in COUNTRY
        if is_country and part[0].gap <= Gap.LINE and part[0].is_name:
            return at + len(part)
    return at
