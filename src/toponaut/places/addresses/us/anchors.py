"""Where a US address may begin: street numbers, post boxes, rural routes, corners of two streets.

These anchors are cheap to find and cheap to reject. A corner ("5th & Main", "Corner of Elm St and
3rd Ave") is harder to tell from prose than a number, so find.py accepts it only if it fills a line
or cell, if "corner of" introduces it, or if town and state follow.
"""

import re
from collections.abc import Iterator
from itertools import islice
from typing import NamedTuple

import cython

from toponaut.places.addresses.us.hinting import is_hinted
from toponaut.places.addresses.us.hints import NEAR, READ_BEFORE
from toponaut.places.addresses.us.promise import names_state
from toponaut.places.addresses.us.scan import read_words
from toponaut.places.addresses.us.spots import (
    BEFORE_CORNER,
    JOINT_LENGTH,
    Spots,
    has_zip,
)
from toponaut.places.addresses.us.street import StreetKind, directed, is_ordinal, read_streets
from toponaut.places.addresses.us.word import Gap, UsWord
from toponaut.places.addresses.us.words import DIRECTIONS, NUMBER_WORDS, STRONG_TYPES, TYPELESS

if not cython.compiled:
    raise ImportError("toponaut is not compiled: run make setup, or reinstall it")


class UsAnchor(NamedTuple):
    start: int
    end: int


# With ranges, fractions and letters; a word must follow.
_NUMBER = re.compile(
    r"\d{1,6}(?:-?[A-Za-z](?![A-Za-z\d]))?(?:\s?[-–/&]\s?\d{1,6}[A-Za-z]?(?![\w/-]))?"
    r"(?:\s1/[234]\b|\s3/4\b|\s?[½¼¾])?(?=\s{1,3}[^\W_])"
)
_LOOSE_RANGE = re.compile(r"\s[-–/&]\s?|[-–/&]\s")
_GRID_NUMBER = re.compile(r"(?:[NSEWnsew]\d{1,5} ?[NSEWnsew]\d{1,5}|[NSEWnsew]\d{3,5})(?=\s[^\W_])")
# A number before another number begins no address, except "123 4500 South", "39000 7 Mile Road".
_COUNTED = re.compile(
    r"\s+\d+(?!\w|\s(?:[Mm]ile|MILE|[NSEWnsew]\b|[Nn]orth|[Ss]outh|[Ee]ast|[Ww]est|NORTH|SOUTH"
    r"|EAST|WEST))"
)
_ONES = "|".join(f"{word.capitalize()}|{word.upper()}" for word in NUMBER_WORDS)
_SPELLED = re.compile(rf"(?:{_ONES})\b(?:[ -](?:{_ONES}|Hundred|HUNDRED)\b){{0,3}}(?= [A-Z])")
_BOX = re.compile(
    r"\b(?:[Pp]\.?\s?[Oo]\.?\s?|(?:Post|POST) (?:Office|OFFICE) )(?:[Bb]ox|BOX|[Dd]rawer|DRAWER)\b"
)
_RURAL = re.compile(
    r"\bP(?:ier|IER) \d{1,3}\b|\b(?:R\.?R\.?|H\.?C\.?R?\.?|(?:Rural|Star|RURAL) (?:Route|ROUTE)"
    r"|Route|Rt\.?|R[Tt][Ee]\.?|ROUTE) ?#?\d{1,4},? ?[Bb](?:ox|OX) ?#?\d{1,5}[A-Z]?\b"
)
_BEFORE_BOX = 30  # characters before a box's number: "Rural Route 1234, Box #"
_PHONE_LIKE = re.compile(r"\d{3}[-–]\d{4}")
_SMALL_AFTER = re.compile(r"\s{1,3}[a-z]|\s{0,2}[\n\t]")
# A number in prose: at most a comma comes between the word before and the number.
_AFTER_WORD = re.compile(r"[^\W_]\.?\s*,?\s*\Z")
_PLURALS = frozenset("drives parks courts places squares roads streets trails ways".split())
_MOST_JOINTS = 10_000  # bounds hostile pages: 20 us each
_LONGEST = 4  # words of a street at a corner
_CORNER_WORDS = ("corner", "intersection")


def numbers(text: str, spots: Spots) -> Iterator[UsAnchor]:
    """Numbers with a sign of a street or a ZIP code after them, and numbers in words."""
    free = 0
    for start in spots.numbers:
        if start >= free and (match := _number_at(text, start)):
            free = match.end()
            anchor = UsAnchor(_range_start(match), free)
            if _COUNTED.match(text, free) or not _may_begin(text, anchor, spots.zips):
                continue
            if not _PHONE_LIKE.fullmatch(match[0]):
                yield anchor
    free = 0
    for start in spots.spelled:
        if start >= free and (match := _SPELLED.match(text, start)):
            free = match.end()
            if text[max(0, start - 2) : start].rstrip()[-1:].isdigit():
                continue  # a street's name: "4900 Six Flags Rd"
            if is_hinted(text, free) or has_zip(spots.zips, free):
                yield UsAnchor(start, free)


def _may_begin(text: str, number: UsAnchor, zips: list[int]) -> bool:
    if has_zip(zips, number.end):
        return True
    return (is_in_table(text, number) or not counts(text, number)) and is_hinted(text, number.end)


def counts(text: str, number: UsAnchor) -> bool:
    """Whether a number in prose only counts: "for 12 people in the park"; no state is near."""
    start, end = number
    if not _SMALL_AFTER.match(text, end) or not _AFTER_WORD.search(text[max(0, start - 8) : start]):
        return False
    return not names_state(text, end, end + NEAR)


def is_in_table(text: str, number: UsAnchor) -> bool:
    return "\t" in text[max(0, number.start - READ_BEFORE) : number.end + READ_BEFORE]


def _number_at(text: str, start: int) -> re.Match[str] | None:
    """The street number whose first digits begin at `start`."""
    if start and text[start - 1] in "NSEWnsew" and (start == 1 or not text[start - 2].isalnum()):
        return _GRID_NUMBER.match(text, start - 1)
    return _NUMBER.match(text, start)


def _range_start(match: re.Match[str]) -> int:
    """Where the number begins: "100 - 104" is a range, "May 5 - 123" is not."""
    if match[0].isdigit():
        return match.start()
    parts = _LOOSE_RANGE.split(match[0], maxsplit=1)
    if len(parts) == 1 or len(parts[0]) == len(parts[1]):
        return match.start()
    return match.end() - len(parts[1])


def boxes(text: str, spots: Spots) -> Iterator[UsAnchor]:
    """ "PO Box 12", "P.O. Drawer H"."""
    for end in [at + 3 for at in spots.boxes] + [at + 5 for at in spots.drawers]:
        if found := _BOX.search(text, max(0, end - _BEFORE_BOX), end):
            yield UsAnchor(found.start(), found.start())


def rural_routes(text: str, spots: Spots) -> Iterator[UsAnchor]:
    """ "RR 2 Box 44", "Pier 39"; searched around their numbers."""
    for start, end in spots.rural:
        if found := _RURAL.search(text, max(0, start - _BEFORE_BOX), end + 1):
            yield UsAnchor(*found.span())


def corners(text: str, spots: Spots) -> Iterator[UsAnchor]:
    """Corners of two streets, without "corner of"."""
    for spot in islice(spots.joints, _MOST_JOINTS):
        start, end = spot + 2 - JOINT_LENGTH[text[spot]], spot + 2
        left = read_words(text, max(0, start - BEFORE_CORNER), start)
        typed = bool(left) and _may_end(left[len(left) - 1])
        introduced = any(
            word.key in _CORNER_WORDS for word in left[max(len(left) - _LONGEST - 2, 0) :]
        )
        if not left or not (typed or text[end].isdigit() or introduced):
            continue
        if not introduced and left[len(left) - 1].key in _PLURALS:
            continue  # a heading: "Tape Drives & Libraries"
        first = _left_start(left)
        right = read_words(text, end, end + BEFORE_CORNER)
        stop = _right_stop(right)
        # "Oak St & Vine" is a corner, "Union Square at Night" is not.
        loose = typed and (introduced or text[spot] not in "tT")
        if first < len(left) and stop and (loose or _may_end(right[stop - 1])):
            yield UsAnchor(left[first].start, right[stop - 1].end)


def _may_end(word: UsWord) -> bool:
    return word.key in STRONG_TYPES or word.key in TYPELESS or is_ordinal(word)


def _left_start(left: list[UsWord]) -> int:
    """The index of the first word of the street before the joint, within one line."""
    index = len(left)
    while index > 0 and len(left) - index < _LONGEST:
        word = left[index - 1]
        if not word.is_name or word.text.isdigit() or word.text in "#&":
            break
        if word.key in _CORNER_WORDS or _follows_corner(left, index - 1):
            break
        index -= 1
        if word.gap > Gap.SPACE or is_ordinal(word):  # "Acme Plumbing 5th & Main"
            break
    return index - 1 if 0 < index < len(left) and _directs(left, index) else index


def _follows_corner(left: list[UsWord], index: int) -> bool:
    """Whether a word is the "of" of "corner of"."""
    return index > 0 and left[index].key == "of" and left[index - 1].key in _CORNER_WORDS


def _directs(left: list[UsWord], index: int) -> bool:
    """Whether a direction before an ordinal belongs to it: "N. 5th & Main"."""
    word = left[index]
    return is_ordinal(word) and word.gap == Gap.SPACE and left[index - 1].key in DIRECTIONS


def _right_stop(right: list[UsWord]) -> int:
    """The end of the second street: at its type, its number, or at a gap after one name."""
    if not right or not right[0].is_name or right[0].text.isdigit():
        return 0  # "Parking at 749 Oak Street"
    stop: int = 0
    if is_ordinal(right[0]) or len(right) == 1 or right[1].gap > Gap.SPACE:
        stop = 1
    for street in read_streets(right, 0):
        if street.kind >= StreetKind.GRID and street.strong:
            stop = street.stop
            break
    return int(directed(right, stop)) if stop else 0
