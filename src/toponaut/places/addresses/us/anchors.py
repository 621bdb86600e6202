"""Where an address may begin: street numbers, post boxes, rural routes. Cheap to find, and cheap to turn away."""

import re
from bisect import bisect_left
from collections.abc import Iterator
from typing import NamedTuple

from toponaut.places.addresses.us.types import TYPES
from toponaut.places.addresses.us.words import DIRECTIONS, LEADING, NUMBER_WORDS, ROUTE_CORES, TYPELESS


class Anchor(NamedTuple):
    start: int
    end: int


WINDOW = 260  # characters after an anchor that are looked at: five lines
_HINT_WINDOW = 70  # a street's type stands within so many characters of its number

# Not after a currency sign, a letter or a joined sign (CV-1020, 3.1, 10:30); ranges, fractions, letters, grid numbers.
_NUMBER = re.compile(
    r"(?<![\w$£€@=+~%])(?<!\w[-./–])(?<!\d[,:])"
    r"(?:\d{1,6}(?:-?[A-Za-z](?![\w-]))?(?:\s?[-–/]\s?\d{1,6}[A-Za-z]?(?![\w/-]))?(?:\s1/[234]\b|\s3/4\b|\s?[½¼¾])?"
    r"|[NSEWnsew]\d{1,5} ?[NSEWnsew]\d{1,5}|[NSEWnsew]\d{3,5})"
    r"(?=\s{1,3}[^\W_])"
)
_SPELLED = re.compile(r"(?<![\w-])(?:" + "|".join(f"{word.capitalize()}|{word.upper()}" for word in NUMBER_WORDS) + r")\b(?:[ -](?:" + "|".join(f"{word.capitalize()}|{word.upper()}" for word in [*list(NUMBER_WORDS)[:9], "hundred"]) + r")\b){0,3}(?= [A-Z])")
_BOX = re.compile(r"\b(?:[Pp]\.?\s?[Oo]\.?\s?|(?:Post|POST) (?:Office|OFFICE) )(?:[Bb]ox|BOX|[Dd]rawer|DRAWER)\b")
_RURAL = re.compile(
    r"\bP(?:ier|IER) \d{1,3}\b|\b(?:R\.?R\.?|H\.?C\.?R?\.?|(?:Rural|Star|RURAL) (?:Route|ROUTE)|Route|Rt\.?|R[Tt][Ee]\.?|ROUTE) ?#?\d{1,4},? ?[Bb](?:ox|OX) ?#?\d{1,5}[A-Z]?\b"
)
_ZIP = re.compile(r"(?<![\w-])\d{5}(?!\w)")
_PHONE_LIKE = re.compile(r"\d{3}[-–]\d{4}")
_LETTERS = re.compile(r"[a-z]+|\d+(?=st|nd|rd|th)")
_HINTS = frozenset(TYPES) | TYPELESS | LEADING | (ROUTE_CORES - {"i"}) | (frozenset(DIRECTIONS) - {"no", "so"})


def numbers(text: str) -> Iterator[Anchor]:
    """Numbers with a sign of a street or a ZIP code after them, and numbers in words."""
    zips = [match.start() for match in _ZIP.finditer(text)]
    for match in _NUMBER.finditer(text):
        end = match.end()
        if (_hinted(text, end) or _has_zip(zips, end)) and not _PHONE_LIKE.fullmatch(match[0]):
            yield Anchor(_range_start(match), end)
    for match in _SPELLED.finditer(text):
        if _hinted(text, match.end()) or _has_zip(zips, match.end()):
            yield Anchor(match.start(), match.end())


def _range_start(match: re.Match[str]) -> int:
    """Where the number begins: "100 - 104" is a range, "May 5 - 123" is not."""
    parts = re.split(r"\s[-–/]\s?|[-–/]\s", match[0], maxsplit=1)
    if len(parts) == 1 or len(parts[0]) == len(parts[1]):
        return match.start()
    return match.end() - len(parts[1])


def boxes(text: str) -> Iterator[Anchor]:
    return (Anchor(match.start(), match.start()) for match in _BOX.finditer(text))


def rural_routes(text: str) -> Iterator[Anchor]:
    return (Anchor(match.start(), match.end()) for match in _RURAL.finditer(text))


def _hinted(text: str, at: int) -> bool:
    return not _HINTS.isdisjoint(_LETTERS.findall(text[at : at + _HINT_WINDOW].lower()))


def _has_zip(zips: list[int], at: int) -> bool:
    index = bisect_left(zips, at)
    return index < len(zips) and zips[index] < at + WINDOW // 2
