"""Suites, floors, rooms and boxes between a street and its town."""

import re

from toponaut.places.addresses.us.hints import FLOORS
from toponaut.places.addresses.us.word import Gap, UsWord
from toponaut.places.addresses.us.words import (
    LEVEL_WORDS,
    LONE_UNITS,
    NUMBER_WORDS,
    ORDINAL_WORDS,
    UNITS,
)

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
_MOST_UNITS = 4  # "Tower B, Bldg. 2, 4th Floor, Suite 410"

# Abbreviations that are also states: five digits after them are a ZIP.
_ALSO_STATES = frozenset({"fl", "ms", "sp"})
_NOT_IDENTIFIERS = frozenset("in at on of to is or by the and we us".split())


def read_units(words: list[UsWord], at: int) -> int:
    """The index after all units that begin at `at`; `at` if there are none."""
    for _ in range(_MOST_UNITS):
        stop = _one(words, at)
        if stop == at:
            break
        at = stop
    return at


def _one(words: list[UsWord], at: int) -> int:
    if at >= len(words):
        return at
    key = words[at].key
    follows = at + 1 < len(words) and words[at + 1].gap == Gap.SPACE
    is_floor = follows and words[at + 1].key in FLOORS
    if is_floor and (_ORDINAL.fullmatch(key) or key in ORDINAL_WORDS or key in LEVEL_WORDS):
        return at + 2
    if words[at].text == "#":
        return at + 2 if follows and _identifies(words, at + 1) else at
    if key.startswith("ph") and _PENTHOUSE.fullmatch(key):
        return at + 1
    if key in LONE_UNITS and (at + 1 == len(words) or words[at + 1].gap > Gap.SPACE):
        return at + 1
    if box := box_end(words, at):
        return box
    return _identified(words, at) if key in UNITS else at


def _identified(words: list[UsWord], at: int) -> int:
    """The index after a unit and its identifier: "Ste. 310", "Suite # 4", "Suites 100 & 200"."""
    index = at + 1
    if _is_next(words, index, "#"):
        index += 1
    if _is_next(words, index, "no", "number"):
        index += 1
    if index >= len(words) or words[index].gap > Gap.SPACE or not _identifies(words, index):
        return at
    text = words[index].text
    if words[at].key in _ALSO_STATES and text[:5].isdigit() and len(text) >= 5:
        return at
    index += 1
    while _is_next(words, index, "&", "and") and _identifies(words, index + 1):
        index += 2
    return index


def _is_next(words: list[UsWord], index: int, *keys: str) -> bool:
    return index < len(words) and words[index].gap == Gap.SPACE and words[index].key in keys


def _identifies(words: list[UsWord], index: int) -> bool:
    if index >= len(words):
        return False
    word = words[index]
    if word.key in NUMBER_WORDS:
        return True
    text = word.text.rstrip(".")
    if text.isalpha() and word.key in _NOT_IDENTIFIERS:
        return False
    return len(text) <= 9 and bool(_IDENTIFIER.fullmatch(text))


def box_end(words: list[UsWord], at: int) -> int:
    """The index after "P.O. Box 12", "PO Drawer B", "Post Office Box 5", "POB 7"; 0 if no box."""
    if at >= len(words) or words[at].key not in _BOX_WORDS:
        return 0
    keys = [word.key for word in words[at : at + 2]]
    index = at
    if keys[:1] in (["po"], ["pob"], ["pobox"]):
        index += 1
    elif keys[:2] == ["p", "o"] or keys[:2] == ["post", "office"]:
        index += 2
    elif keys[:1] not in (["box"], ["drawer"]):
        return 0
    if index < len(words) and words[index].key in ("box", "drawer", "bin", "bx"):
        index += 1
    elif keys[0] not in ("pob", "pobox"):
        return 0
    if index < len(words) and words[index].text == "#":
        index += 1
    if index >= len(words) or words[index].gap != Gap.SPACE:
        return 0
    return index + 1 if _BOX_NUMBER.fullmatch(words[index].text.rstrip(".")) else 0
