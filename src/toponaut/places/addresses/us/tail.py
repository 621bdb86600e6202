"""The end of a US address: town, state and ZIP."""

import re
from enum import IntEnum

import cython

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

if not cython.compiled:
    raise ImportError("toponaut is not compiled: run make setup, or reinstall it")


class Strength(IntEnum):
    CITY = 1  # a known town's name alone
    CLASH = 2  # a ZIP that is not in the state
    ZIP = 3  # town and ZIP agree, no state
    STATE = 4  # town and state, no ZIP
    FULL = 5  # state and ZIP agree


class Tail:
    """Town, state and ZIP; words[city_start:city_stop] are the town's, none if it is missing.

    `stop`: the index of the first word after it; `known`: 2 if the ZIP is that town's, 1 if the
    gazetteer has the town.
    """

    def __init__(
        self,
        strength: int,
        city_start: int,
        city_stop: int,
        state: str,
        code: str,
        stop: int,
        known: int,
    ) -> None:
        self.strength = strength
        self.city_start = city_start
        self.city_stop = city_stop
        self.state = state
        self.code = code
        self.stop = stop
        self.known = known


_CITY = cython.declare(cython.int, Strength.CITY)
_CLASH = cython.declare(cython.int, Strength.CLASH)
_ZIP_ONLY = cython.declare(cython.int, Strength.ZIP)
_STATE = cython.declare(cython.int, Strength.STATE)
_FULL = cython.declare(cython.int, Strength.FULL)
_SPACE = cython.declare(cython.int, Gap.SPACE)
_COMMA = cython.declare(cython.int, Gap.COMMA)
_BAR = cython.declare(cython.int, Gap.BAR)
_CELL = cython.declare(cython.int, Gap.CELL)
_LINE = cython.declare(cython.int, Gap.LINE)
_BLOCK = cython.declare(cython.int, Gap.BLOCK)
_COUNTRY_BEGINNINGS = frozenset(name[0] for name in COUNTRY)
_ZIP = re.compile(r"\d{5}(?:[-–]\d{4})?\.?")
_LONGEST_STATE = cython.declare(cython.Py_ssize_t, LONGEST_STATE)
# Words of a town's name: "Village of Oak Creek", "King and Queen Court House".
_MOST_WORDS = cython.declare(cython.Py_ssize_t, 5)
# Least population of a town named without state or ZIP, after a comma or line end and after a mere
# space ("12 Elm St Denver"). Names of smaller towns are too often other words.
PARTED, RUN_ON = 1000, 5000


@cython.cclass
class _State:
    code: str
    stop: cython.Py_ssize_t
    sure: cython.bint  # hardly another word: full name, capital code, abbreviation with its point

    def __init__(self, code: str, stop: cython.Py_ssize_t, sure: cython.bint) -> None:
        self.code = code
        self.stop = stop
        self.sure = sure


@cython.cfunc
def _read_state(words: list[UsWord], at: cython.Py_ssize_t) -> _State | None:
    stop: cython.Py_ssize_t = at + 1
    if at >= len(words) or words[at].key not in STATE_BEGINNINGS:
        return None
    keys: list[str] = [words[at].key]
    while len(keys) < _LONGEST_STATE and stop < len(words) and words[stop].gap == _SPACE:
        keys.append(words[stop].key)
        stop += 1
    while keys:
        code: str | None = STATES.get(tuple(keys))
        if code:
            first: str = words[at].text
            is_long: cython.bint = len(first) > 3 or len("".join(keys)) > 5
            clear: cython.bint = is_long or first.isupper() or first.endswith(".")
            return _State(code, at + len(keys), first[0].isupper() and clear)
        keys.pop()
    return None


@cython.cfunc
def _read_zip(words: list[UsWord], at: cython.Py_ssize_t) -> str:
    """The ZIP code at word `at`, or ""."""
    if at >= len(words):
        return ""
    text: str = words[at].text
    if text[0].isdigit() and _ZIP.fullmatch(text) and text[:3] in ZIP_STATE:
        return text.rstrip(".")
    return ""


def read_tail(
    words: list[UsWord], at: cython.Py_ssize_t, towns: UsTowns, alone: cython.int = 0
) -> Tail | None:
    """The tail at word `at`. A town of the population `alone` needs no state or ZIP (0: all do)."""
    index: cython.Py_ssize_t
    at = _skip_labels(words, at)
    for index in range(at, min(at + _MOST_WORDS + 1, len(words))):
        found = _tail_at(words, at, index, towns)
        if found is not None:
            return found
        word: UsWord = words[index]
        if index > at and word.gap != _SPACE:
            break
        is_small: cython.bint = not word.is_name and words[at].is_name
        if is_small and word.key not in CITY_CONNECTORS and word.text[1:2] not in ("'", "’"):
            break  # not "d'Alene"
        if word.text[0].isdigit() or word.text in "#&":
            break
    return _town_alone(words, at, towns, alone) if alone else None


@cython.cfunc
def _tail_at(
    words: list[UsWord], at: cython.Py_ssize_t, index: cython.Py_ssize_t, towns: UsTowns
) -> Tail | None:
    """A tail whose town is words[at:index], and whose state or ZIP begins at `index`."""
    beyond: cython.Py_ssize_t = _skip_labels(words, index) if index > at else index
    word: UsWord = words[beyond]
    if word.key not in STATE_BEGINNINGS and not word.text[0].isdigit():
        return None
    state = _read_state(words, beyond)
    if state is None:
        return _with_zip_only(words, at, index, beyond, towns)
    # "Grants Pass, OR USA 97526"
    after: cython.Py_ssize_t = _skip_labels(words, _skip_country(words, state.stop))
    code: str = _read_zip(words, after)
    if code and words[after].gap <= _BLOCK:
        stop: cython.Py_ssize_t = _skip_country(words, after + 1)
        return _with_state_and_zip(words, at, index, state, code, stop, towns)
    return _with_state(words, at, index, state, towns)


@cython.cfunc
def _with_zip_only(
    words: list[UsWord],
    at: cython.Py_ssize_t,
    index: cython.Py_ssize_t,
    beyond: cython.Py_ssize_t,
    towns: UsTowns,
) -> Tail | None:
    code: str = _read_zip(words, beyond)
    if not code or words[index].gap > _LINE:
        return None
    city: str = name_of(words, at, index)
    state: str = ZIP_STATE[code[:3]]
    known: cython.int = _known(towns, city, state, code)
    if not known and (city or not towns.zip(code)):
        return None
    return Tail(_ZIP_ONLY, at, index, state, code, _skip_country(words, beyond + 1), known)


@cython.cfunc
def _with_state(
    words: list[UsWord],
    at: cython.Py_ssize_t,
    index: cython.Py_ssize_t,
    state: _State,
    towns: UsTowns,
) -> Tail | None:
    """A tail without a ZIP. An unknown town needs a comma after it."""
    first: cython.Py_ssize_t = at
    if index == at or not state.sure or words[index].gap > _LINE:
        return None
    city: str = name_of(words, at, index)
    if not city:
        return None
    known: cython.bint = towns.in_state(city, state.code) is not None
    if not known:
        if words[index].gap != _COMMA or not words[at].is_name or index - at > 3:
            return None
        while first < index and not _is_large(towns, name_of(words, first, index), state.code):
            first += 1
        first = _town_start(words, at, first, index)
    stop: cython.Py_ssize_t = _skip_country(words, state.stop)
    return Tail(_STATE, first, index, state.code, "", stop, known)


@cython.cfunc
def _with_state_and_zip(
    words: list[UsWord],
    at: cython.Py_ssize_t,
    index: cython.Py_ssize_t,
    state: _State,
    code: str,
    stop: cython.Py_ssize_t,
    towns: UsTowns,
) -> Tail | None:
    city: str = name_of(words, at, index)
    if not zip_agrees(state.code, code):
        if not state.sure or not city:
            return None
        return Tail(_CLASH, at, index, state.code, code, stop, 0)
    area = towns.zip(code)
    first: cython.Py_ssize_t = index
    if area is not None:
        first = at
        while first < index and not same_town(area.city, name_of(words, first, index)):
            first += 1
    first = _town_start(words, at, first, index)
    if first > at and towns.named(city):
        first = at
    known: cython.int = 0 if first > at else _known(towns, city, state.code, code)
    return Tail(_FULL, first, index, state.code, code, stop, known)


@cython.cfunc
def _town_start(
    words: list[UsWord],
    at: cython.Py_ssize_t,
    first: cython.Py_ssize_t,
    index: cython.Py_ssize_t,
) -> cython.Py_ssize_t:
    """Where the town's name begins: "Huntsville" in "Quarry Homes Huntsville", "West Hamlet".

    A known town begins at `first`; at `index` if there is none.
    """
    k: cython.Py_ssize_t
    if first < index:
        for k in range(at, first):
            if words[k].key not in DIRECTIONS:
                return first
    return at


@cython.cfunc
def _is_large(towns: UsTowns, name: str, state: str) -> cython.bint:
    town = towns.in_state(name, state)
    return town is not None and town.own and town.population >= PARTED


@cython.cfunc
def _known(towns: UsTowns, city: str, state: str, code: str) -> cython.int:
    if not city:
        return 0
    area = towns.zip(code)
    if area is not None and same_town(area.city, city):
        return 2
    return 1 if towns.fits(city, state, code) else 0


@cython.cfunc
def _town_alone(
    words: list[UsWord], at: cython.Py_ssize_t, towns: UsTowns, smallest: cython.int
) -> Tail | None:
    stop: cython.Py_ssize_t = at
    index: cython.Py_ssize_t
    count: cython.Py_ssize_t = len(words)
    while stop < min(at + 4, count):
        word: UsWord = words[stop]
        if not word.is_name or not word.text[0].isalpha():
            break
        if stop > at and word.gap != _SPACE:
            break
        stop += 1
    for index in range(stop, at, -1):
        name: str = name_of(words, at, index)
        found = towns.named(name)
        if found and found[0].own and found[0].population >= smallest and towns.is_american(name):
            ends: cython.bint = index == count or words[index].gap > _SPACE
            ends = ends or words[index - 1].text.endswith(".")
            ends = ends or (smallest <= PARTED and not words[index].is_name)
            return Tail(_CITY, at, index, "", "", index, 1) if ends else None
    return None


def name_of(words: list[UsWord], start: cython.Py_ssize_t, stop: cython.Py_ssize_t) -> str:
    """A town's name, without the point that ends a sentence."""
    if stop == start + 1:
        return words[start].text.rstrip(".")
    return " ".join([word.text for word in words[start:stop]]).rstrip(".")


@cython.cfunc
def _skip_labels(words: list[UsWord], at: cython.Py_ssize_t) -> cython.Py_ssize_t:
    """The index after "City:", "Zip Code:"; with a space before it is a name: "Ponca City"."""
    index: cython.Py_ssize_t = at
    count: cython.Py_ssize_t = len(words)
    if 0 < at < count and words[at].gap == _SPACE:
        return at
    while index < count and words[index].key in LABELS:
        index += 1
    if at < index < count and words[index].gap in (_BAR, _CELL, _LINE):
        return index
    return at


@cython.cfunc
def _skip_country(words: list[UsWord], at: cython.Py_ssize_t) -> cython.Py_ssize_t:
    if at >= len(words) or words[at].key not in _COUNTRY_BEGINNINGS:
        return at
    if words[at].gap > _LINE or not words[at].is_name:
        return at
    for count in (4, 2, 1):
        part: list[UsWord] = words[at : at + count]
        if tuple([word.key for word in part]) in COUNTRY:
            return at + len(part)
    return at
