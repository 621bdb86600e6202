"""Suites, floors, rooms and boxes between a street and its town."""

import re

import cython

from toponaut.places.addresses.us.hints import FLOORS
from toponaut.places.addresses.us.word import Gap, UsWord
from toponaut.places.addresses.us.words import (
    LEVEL_WORDS,
    LONE_UNITS,
    NUMBER_WORDS,
    ORDINAL_WORDS,
    UNITS,
)

if not cython.compiled:
    raise ImportError("toponaut is not compiled: run make setup, or reinstall it")

_SPACE = cython.declare(cython.int, Gap.SPACE)
_COMMA = cython.declare(cython.int, Gap.COMMA)
_LINE = cython.declare(cython.int, Gap.LINE)
# 310, B, 3f, D-7, 100-A, A1, 12/14, 1-B, XX: short, and of letters alone at most two.
_IDENTIFIER = re.compile(
    r"#?(?:[A-Z]{0,3}-?\d{1,5}(?:[-/&]?[A-Z0-9]{1,4})*|[A-Z]{1,2}(?:[-/&][A-Z0-9]{1,3})?)", re.I
)
_ORDINAL = re.compile(
    r"\d{1,3}(?:st|nd|rd|th)|(?:twenty|thirty|forty|fifty)-?(?:first|second|third|fourth|fifth"
    r"|sixth|seventh|eighth|ninth)?",
    re.I,
)
_BOX_NUMBER = re.compile(r"[A-Z]{0,2}-?\d{1,6}(?:-\d{1,4})?[A-Z]?|[A-Z]{1,2}")
_BOX_WORDS = frozenset("p po pob pobox post box drawer".split())
_PENTHOUSE = re.compile(r"ph-?\d{1,3}[a-z]?")
# "Ste.K2", and without the word: "Duluth Hwy B110,".
_JOINED = re.compile(
    r"(?:ste|suite|unit|apt|bldg|rm)(?:[.-](?=\w)|(?=[a-z]?\d))[a-z]?-?\d{0,5}[a-z]?", re.I
)
_LONE = re.compile(r"[A-Z]-?\d{1,4}|\d{1,4}-?[A-Z]")  # "B110", "2B": nothing else follows
_MOST_UNITS = 4  # "Tower B, Bldg. 2, 4th Floor, Suite 410"

# Abbreviations that are also states: five digits after them are a ZIP.
_ALSO_STATES = frozenset({"fl", "ms", "sp"})
_NOT_IDENTIFIERS = frozenset("in at on of to is or by the and we us".split())


def read_units(words: list[UsWord], at: cython.Py_ssize_t) -> cython.Py_ssize_t:
    """The index after all units that begin at `at`; `at` if there are none."""
    stop: cython.Py_ssize_t
    for _ in range(_MOST_UNITS):
        stop = _one(words, at)
        if stop == at:
            break
        at = stop
    return at


@cython.cfunc
def _one(words: list[UsWord], at: cython.Py_ssize_t) -> cython.Py_ssize_t:
    count: cython.Py_ssize_t = len(words)
    if at >= count:
        return at
    word: UsWord = words[at]
    key: str = word.key
    follows: cython.bint = at + 1 < count and words[at + 1].gap == _SPACE
    is_floor: cython.bint = follows and words[at + 1].key in FLOORS
    if is_floor and (_ORDINAL.fullmatch(key) or key in ORDINAL_WORDS or key in LEVEL_WORDS):
        return at + 2
    stop: cython.Py_ssize_t
    if word.text == "#":
        if follows and _identifies(words, at + 1):
            return at + 2
        stop = _one(words, at + 1) if follows else at  # "#Suite A"
        return stop if stop > at + 1 else at
    if key.startswith("ph") and _PENTHOUSE.fullmatch(key):
        return at + 1
    if key[0] in "surba" and _JOINED.fullmatch(word.text):
        return at + 1 + (follows and _is_letter(words, at + 1))
    if at and not follows and word.gap in (_SPACE, _COMMA, _LINE) and _LONE.fullmatch(word.text):
        return at + 1
    if key in LONE_UNITS and not follows:
        return at + 1
    stop = box_end(words, at)
    if stop:
        return stop
    return _identified(words, at) if key in UNITS else at


@cython.cfunc
def _is_letter(words: list[UsWord], index: cython.Py_ssize_t) -> cython.bint:
    """Whether a letter that belongs to the unit before ends it: "Ste.2018 B,"."""
    text: str = words[index].text
    closes: cython.bint = index + 1 >= len(words) or words[index + 1].gap > _SPACE
    return closes and len(text) == 1 and text.isalpha()


@cython.cfunc
def _identified(words: list[UsWord], at: cython.Py_ssize_t) -> cython.Py_ssize_t:
    """The index after a unit and its identifier: "Ste. 310", "Suite # 4", "Suites 100 & 200"."""
    index: cython.Py_ssize_t = at + 1
    if _is_next(words, index, ("#",)):
        index += 1
    if _is_next(words, index, ("no", "number")):
        index += 1
    if index >= len(words) or not _identifies(words, index):
        return at
    if words[index].gap > _SPACE and words[index].start > words[at].end + 1:  # but "Ste:11"
        return at
    text: str = words[index].text
    if words[at].key in _ALSO_STATES and text[:5].isdigit() and len(text) >= 5:
        return at
    index += 1
    while _is_next(words, index, ("&", "and")) and _identifies(words, index + 1):
        index += 2
    return index


@cython.cfunc
def _is_next(words: list[UsWord], index: cython.Py_ssize_t, keys: tuple[str, ...]) -> cython.bint:
    return index < len(words) and words[index].gap == _SPACE and words[index].key in keys


@cython.cfunc
def _identifies(words: list[UsWord], index: cython.Py_ssize_t) -> cython.bint:
    if index >= len(words):
        return False
    word: UsWord = words[index]
    if word.key in NUMBER_WORDS:
        return True
    text: str = word.text.rstrip(".")
    if text.isalpha() and word.key in _NOT_IDENTIFIERS:
        return False
    return len(text) <= 9 and _IDENTIFIER.fullmatch(text) is not None


def box_end(words: list[UsWord], at: cython.Py_ssize_t) -> cython.Py_ssize_t:
    """The index after "P.O. Box 12", "PO Drawer B", "Post Office Box 5", "POB 7"; 0 if no box."""
    index: cython.Py_ssize_t = at
    count: cython.Py_ssize_t = len(words)
    if at >= count or words[at].key not in _BOX_WORDS:
        return 0
    first: str = words[at].key
    second: str = words[at + 1].key if at + 1 < count else ""
    if first in ("po", "pob", "pobox"):
        index += 1
    elif (first == "p" and second == "o") or (first == "post" and second == "office"):
        index += 2
    elif first not in ("box", "drawer"):
        return 0
    if index < count and words[index].key in ("box", "drawer", "bin", "bx"):
        index += 1
    elif first not in ("pob", "pobox"):
        return 0
    if index < count and words[index].text == "#":
        index += 1
    if index >= count or words[index].gap != _SPACE:
        return 0
    return index + 1 if _BOX_NUMBER.fullmatch(words[index].text.rstrip(".")) else 0
