"""Where an address may begin: street numbers, post boxes, rural routes. Cheap to find, and cheap to turn away."""

import re
from bisect import bisect_left
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from toponaut.places.addresses.digits import digit_runs
from toponaut.places.addresses.us.spots import Spots
from toponaut.places.addresses.us.types import TYPES
from toponaut.places.addresses.us.words import (
    DIRECTIONS,
    LEADING,
    NUMBER_WORDS,
    ROUTE_CORES,
    STATE_CODES,
    STATES,
    TYPELESS,
)


class Anchor(NamedTuple):
    start: int
    end: int


WINDOW = 260  # characters after an anchor that are looked at: five lines
NEAR = WINDOW // 2  # most ZIP codes stand within so many
BESIDE = 48  # characters before a number that are looked at
_LONGEST_NUMBER = 6  # digits
_HINT_WINDOW = 70  # a street's type stands within so many characters of its number

# Not after a currency sign, a letter, a joined sign (CV-1020, 3.1, 10:30) or "©".
_NOT_AFTER = re.compile(r"[\w$£€@=+~%]\Z|\w[-./–]\Z|\d[,:]\Z|©\s?\Z")
# Ranges, fractions, letters; a word must follow.
_NUMBER = re.compile(
    r"\d{1,6}(?:-?[A-Za-z](?![A-Za-z\d]))?(?:\s?[-–/&]\s?\d{1,6}[A-Za-z]?(?![\w/-]))?(?:\s1/[234]\b|\s3/4\b|\s?[½¼¾])?(?=\s{1,3}[^\W_])"
)
_LOOSE_RANGE = re.compile(r"\s[-–/&]\s?|[-–/&]\s")
_GRID_NUMBER = re.compile(r"(?:[NSEWnsew]\d{1,5} ?[NSEWnsew]\d{1,5}|[NSEWnsew]\d{3,5})(?=\s[^\W_])")
# A number that another number follows begins no address, unless that one is of a grid or a "7 Mile Road".
_COUNTED = re.compile(
    r"\s+\d+(?!\w|\s(?:[Mm]ile|MILE|[NSEWnsew]\b|[Nn]orth|[Ss]outh|[Ee]ast|[Ww]est|NORTH|SOUTH|EAST|WEST))"
)
_ONES = "|".join(f"{word.capitalize()}|{word.upper()}" for word in NUMBER_WORDS)
_SPELLED = re.compile(rf"(?:{_ONES})\b(?:[ -](?:{_ONES}|Hundred|HUNDRED)\b){{0,3}}(?= [A-Z])")
_BEGINNINGS = frozenset(word[:3] for word in NUMBER_WORDS)
_BOX = re.compile(r"\b(?:[Pp]\.?\s?[Oo]\.?\s?|(?:Post|POST) (?:Office|OFFICE) )(?:[Bb]ox|BOX|[Dd]rawer|DRAWER)\b")
_RURAL = re.compile(
    r"\bP(?:ier|IER) \d{1,3}\b|\b(?:R\.?R\.?|H\.?C\.?R?\.?|(?:Rural|Star|RURAL) (?:Route|ROUTE)|Route|Rt\.?|R[Tt][Ee]\.?|ROUTE)"
    r" ?#?\d{1,4},? ?[Bb](?:ox|OX) ?#?\d{1,5}[A-Z]?\b"
)
_BOXES, _DRAWERS = ("box", "Box", "BOX"), ("rawer", "RAWER")
_BEFORE_BOX, _NEAR_BOX = 30, 9  # characters before a box's number: "Rural Route 1234, Box #", "Drawer # "
_PHONE_LIKE = re.compile(r"\d{3}[-–]\d{4}")
_LETTERS = re.compile(r"[a-z]+|\d+(?=st|nd|rd|th)")
_CAPITALS = re.compile(r"\b[A-Z]{2}\b")
_CAPITALISED = re.compile(r"[A-Z][A-Za-z.'’]*")
_STATE_BEGINNINGS = frozenset(name[0] for name in STATES)
_SMALL_AFTER = re.compile(r"\s{1,3}[a-z]|\s{0,2}[\n\t]")
# A number in running text: no sign but a comma parts it from the word before.
_AFTER_WORD = re.compile(r"[^\W_]\.?\s*,?\s*\Z")
_STATE_WORDS = frozenset(name[-1] for name in STATES if len(name[-1]) > 3)
_HINTS = (
    _STATE_WORDS
    | frozenset(TYPES)
    | TYPELESS
    | LEADING
    | (ROUTE_CORES - {"i"})
    | (frozenset(DIRECTIONS) - {"no", "so"})
)


def numbers(text: str, spots: Spots) -> Iterator[Anchor]:
    """Numbers with a sign of a street or a ZIP code after them, and numbers in words."""
    runs = digit_runs(text)
    zips = [start for start, end in runs if end - start == 5]
    free = 0
    for start, end in runs:
        if start < free or end - start > _LONGEST_NUMBER:
            continue
        match = _number_at(text, start)
        if match:
            free = match.end()
            anchor = Anchor(_range_start(match), free)
            if (
                not _COUNTED.match(text, free)
                and _may_begin(text, anchor, zips)
                and not _PHONE_LIKE.fullmatch(match[0])
            ):
                yield anchor
    for start, end in _spelled(text, spots.numbers):
        if _hinted(text, end) or _has_zip(zips, end):
            yield Anchor(start, end)


def _may_begin(text: str, number: Anchor, zips: list[int]) -> bool:
    if _has_zip(zips, number.end):
        return True
    return (is_in_table(text, number) or not counts(text, number)) and _hinted(text, number.end)


def counts(text: str, number: Anchor) -> bool:
    """ "for 12 people in the park", "on May 25\n": behind a word, before a word in small letters or a line's end, and no
    state near. If there is no ZIP code either, no address can be made of that (find.py), and to find that out by reading on
    takes twenty times as long.
    """
    start, end = number
    if not _SMALL_AFTER.match(text, end) or not _AFTER_WORD.search(text[max(0, start - 8) : start]):
        return False
    return not names_state(text, end, end + NEAR)


def names_state(text: str, start: int, end: int) -> bool:
    """Whether a state may stand there that cannot well be another word: "Ohio", "OH", "Fla.", "New York"; not "In", "Me"."""
    return any(map(_is_state, _CAPITALISED.findall(text, start, end)))


def _is_state(word: str) -> bool:
    key = word.lower().replace(".", "")
    return key in _STATE_BEGINNINGS and (len(word) > 3 or word.isupper() or "." in word or key == "new")


def is_in_table(text: str, number: Anchor) -> bool:
    return "\t" in text[max(0, number.start - BESIDE) : number.end + BESIDE]


def _spelled(text: str, spots: Iterable[int]) -> Iterator[tuple[int, int]]:
    """Numbers in words."""
    free = 0
    for start in spots:
        if start < free or text[start : start + 3].lower() not in _BEGINNINGS:
            continue
        if start == 0 or not (text[start - 1].isalnum() or text[start - 1] == "-"):
            match = _SPELLED.match(text, start)
            if match:
                free = match.end()
                yield start, free


def _number_at(text: str, start: int) -> re.Match[str] | None:
    """The street number whose first digits begin at `start`."""
    if start and text[start - 1] in "NSEWnsew" and (start == 1 or not text[start - 2].isalnum()):
        return _GRID_NUMBER.match(text, start - 1)
    before = text[max(0, start - 2) : start]
    if (before[-1:] != " " or before[0] == "©") and _NOT_AFTER.search(before):
        return None
    return _NUMBER.match(text, start)


def _range_start(match: re.Match[str]) -> int:
    """Where the number begins: "100 - 104" is a range, "May 5 - 123" is not."""
    if match[0].isdigit():
        return match.start()
    parts = _LOOSE_RANGE.split(match[0], maxsplit=1)
    if len(parts) == 1 or len(parts[0]) == len(parts[1]):
        return match.start()
    return match.end() - len(parts[1])


def boxes(text: str, spots: Spots) -> Iterator[Anchor]:
    """ "PO Box 12", "P.O. Drawer H"."""
    ends = [at + 3 for at in spots.boxes if text.startswith(_BOXES, at)]
    ends += [at + 5 for at in spots.drawers if text.startswith(_DRAWERS, at)]
    for end in ends:
        if found := _BOX.search(text, max(0, end - _BEFORE_BOX), end):
            yield Anchor(found.start(), found.start())


def rural_routes(text: str) -> Iterator[Anchor]:
    """ "RR 2 Box 44", "Pier 39": looked for around every number, for they end with one."""
    for start, end in digit_runs(text):
        before = text[max(0, start - _NEAR_BOX) : start].lower()
        if ("ox" in before or "ier " in before) and (
            found := _RURAL.search(text, max(0, start - _BEFORE_BOX), end + 1)
        ):
            yield Anchor(*found.span())


def _hinted(text: str, at: int) -> bool:
    """Whether a word that streets have, or a state, stands near."""
    window = text[at : at + _HINT_WINDOW]
    return not _HINTS.isdisjoint(_LETTERS.findall(window.lower())) or not STATE_CODES.isdisjoint(
        _CAPITALS.findall(window)
    )


def _has_zip(zips: list[int], at: int) -> bool:
    index = bisect_left(zips, at)
    return index < len(zips) and zips[index] < at + NEAR
