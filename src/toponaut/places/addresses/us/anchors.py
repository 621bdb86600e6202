"""Where an address may begin: street numbers, post boxes, rural routes. Cheap to find, and cheap to turn away."""

import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from toponaut.places.addresses.us.hints import BESIDE, NEAR, is_clear_state, is_hinted
from toponaut.places.addresses.us.spots import Spots, has_zip
from toponaut.places.addresses.us.words import NUMBER_WORDS


class Anchor(NamedTuple):
    start: int
    end: int


# Ranges, fractions, letters; a word must follow.
_NUMBER = re.compile(
    r"\d{1,6}(?:-?[A-Za-z](?![A-Za-z\d]))?(?:\s?[-–/&]\s?\d{1,6}[A-Za-z]?(?![\w/-]))?"
    r"(?:\s1/[234]\b|\s3/4\b|\s?[½¼¾])?(?=\s{1,3}[^\W_])"
)
_LOOSE_RANGE = re.compile(r"\s[-–/&]\s?|[-–/&]\s")
_GRID_NUMBER = re.compile(r"(?:[NSEWnsew]\d{1,5} ?[NSEWnsew]\d{1,5}|[NSEWnsew]\d{3,5})(?=\s[^\W_])")
# A number that another number follows begins no address, unless that one is of a grid or a "7 Mile Road".
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
_CAPITALISED = re.compile(r"[A-Z][A-Za-z.'’]*")
_SMALL_AFTER = re.compile(r"\s{1,3}[a-z]|\s{0,2}[\n\t]")
# A number in running text: no sign but a comma parts it from the word before.
_AFTER_WORD = re.compile(r"[^\W_]\.?\s*,?\s*\Z")


def numbers(text: str, spots: Spots) -> Iterator[Anchor]:
    """Numbers with a sign of a street or a ZIP code after them, and numbers in words."""
    free = 0
    for start in spots.numbers:
        if start < free:
            continue
        match = _number_at(text, start)
        if match:
            free = match.end()
            anchor = Anchor(_range_start(match), free)
            if (
                not _COUNTED.match(text, free)
                and _may_begin(text, anchor, spots.zips)
                and not _PHONE_LIKE.fullmatch(match[0])
            ):
                yield anchor
    for start, end in _spelled(text, spots.spelled):
        if is_hinted(text, end) or has_zip(spots.zips, end):
            yield Anchor(start, end)


def _may_begin(text: str, number: Anchor, zips: list[int]) -> bool:
    if has_zip(zips, number.end):
        return True
    return (is_in_table(text, number) or not counts(text, number)) and is_hinted(text, number.end)


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
    return is_clear_state(word, word.lower().replace(".", ""))


def is_in_table(text: str, number: Anchor) -> bool:
    return "\t" in text[max(0, number.start - BESIDE) : number.end + BESIDE]


def _spelled(text: str, spots: Iterable[int]) -> Iterator[tuple[int, int]]:
    """Numbers in words."""
    free = 0
    for start in spots:
        if start >= free and (match := _SPELLED.match(text, start)):
            free = match.end()
            yield start, free


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


def boxes(text: str, spots: Spots) -> Iterator[Anchor]:
    """ "PO Box 12", "P.O. Drawer H"."""
    for end in [at + 3 for at in spots.boxes] + [at + 5 for at in spots.drawers]:
        if found := _BOX.search(text, max(0, end - _BEFORE_BOX), end):
            yield Anchor(found.start(), found.start())


def rural_routes(text: str, spots: Spots) -> Iterator[Anchor]:
    """ "RR 2 Box 44", "Pier 39": looked for around their numbers."""
    for start, end in spots.rural:
        if found := _RURAL.search(text, max(0, start - _BEFORE_BOX), end + 1):
            yield Anchor(*found.span())
