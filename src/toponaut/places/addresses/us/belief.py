"""Whether a number and the words after it are an address, by what stands before the number and after the street."""

import re
from typing import NamedTuple

from toponaut.places.addresses.us.anchors import Anchor
from toponaut.places.addresses.us.hints import BESIDE
from toponaut.places.addresses.us.reading import Reading
from toponaut.places.addresses.us.scan import Gap, Word, gap_of, read_words
from toponaut.places.addresses.us.street import Street, StreetKind
from toponaut.places.addresses.us.tail import Strength, Tail
from toponaut.places.addresses.us.words import LOCATING, MEASURES, MONTHS, ONWARD, YEAR_CUES

_PHONE = re.compile(r"\(?\d{3}\)?[-. ]{1,2}\d{3}[-. ]\d{4}")
_YEAR = re.compile(r"(?:1[89]|20)\d\d")
# "January 29, 2016" and "29 January 2016": what stands before a year that is no street number.
_MONTH = "|".join(sorted(MONTHS, key=len, reverse=True))
_DATED = re.compile(
    rf"\b(?:(?:{_MONTH})\.? \d{{1,2}}(?:st|nd|rd|th)?|\d{{1,2}}(?:st|nd|rd|th)? "
    rf"(?:{_MONTH})\.?),? \Z",
    re.IGNORECASE,
)
_LONGEST_DATE = 20  # characters: "29th of" is left out, "September 29th, " has 16


class Before(NamedTuple):
    """What stands before a number: the word, and the gap between."""

    key: str
    gap: Gap
    sign: str  # the last sign of the gap


def before_number(text: str, start: int) -> Before:
    first = max(0, start - BESIDE)
    # No word has a space in it: what stands behind the last one is enough in most cases.
    words = read_words(text, max(first, text.rfind(" ", first, start - 1)), start) or read_words(
        text, first, start
    )
    between = text[words[-1].end if words else first : start]
    gap = gap_of(between) if words else Gap.BLOCK
    return Before(words[-1].key if words else "", gap, between.strip()[-1:])


def is_address(
    text: str, anchor: Anchor, words: list[Word], reading: Reading, before: Before
) -> bool:
    """Whether number and reading are an address, given what stands before the number and after the street."""
    year = bool(_YEAR.fullmatch(text[anchor.start : anchor.end]))
    sure = reading.direct and reading.tail is not None and reading.tail.strength >= Strength.STATE
    if before.sign == "©" or before.key == "copyright" or (words[0].key in MEASURES and not sure):
        return False
    if year and _DATED.search(text, max(0, anchor.start - _LONGEST_DATE), anchor.start):
        return False
    if (
        not words[0].is_name or words[0].gap > Gap.SPACE
    ):  # small letters, or a number in a cell of its own
        coded = reading.tail is not None and bool(reading.tail.code)
        return (
            sure and reading.street.stop <= 5 and (coded or reading.street.kind > StreetKind.BARE)
        )
    if (
        year
        and before.gap == Gap.SPACE
        and before.key in YEAR_CUES
        and not (sure and reading.street.kind == StreetKind.TYPED)
    ):
        return False
    if before.gap == Gap.SPACE and before.key in MONTHS and not sure:
        return False
    if (
        year
        and not sure
        and before.key not in LOCATING
        and (before.gap < Gap.COMMA or _runs_on(words, reading))
    ):
        return False
    if reading.tail is None or (not reading.direct and reading.tail.strength < Strength.STATE):
        return _stands_alone(text, words, reading, before)
    if reading.street.kind == StreetKind.BARE:
        return _may_be_bare(text, anchor, words, reading.tail, before)
    return True


def _may_be_bare(text: str, anchor: Anchor, words: list[Word], tail: Tail, before: Before) -> bool:
    """Whether a name without type is a street, given what stands around it.

    Without a ZIP code it must share its line with its town, and its number must be a plain one: "Six Feet Under Games" and
    "5K Classic" above a town and state are events.
    """
    if not tail.code and (
        words[tail.city[0]].gap >= Gap.CELL or not text[anchor.start : anchor.end].isdigit()
    ):
        return False
    return before.gap > Gap.SPACE or before.key in LOCATING or before.sign in (".", ":")


def _runs_on(words: list[Word], reading: Reading) -> bool:
    """Whether nothing parts street and town: "2001 Park Avenue Denver"."""
    return (
        reading.tail is not None and reading.direct and words[reading.tail.city[0]].gap == Gap.SPACE
    )


def _stands_alone(text: str, words: list[Word], reading: Reading, before: Before) -> bool:
    """A street without town: it fills its line or cell, or running text says that something is there."""
    street = reading.street
    stop = reading.units[1]
    opens = before.gap >= Gap.CELL
    after = words[stop] if stop < len(words) else None
    calls = after is not None and bool(
        _PHONE.match(text, after.start - (text[after.start - 1] == "("))
    )
    closes = after is None or after.gap >= Gap.CELL or calls
    if street.kind < StreetKind.LED:
        return street.kind == StreetKind.KNOWN and opens and closes
    if not street.strong and not calls:
        return False
    if opens and closes:
        return calls or not _has_small_type(words, street)
    said = before.gap == Gap.SPACE and before.key in LOCATING
    parted = before.gap > Gap.SPACE
    ends = closes or (after is not None and (after.gap > Gap.SPACE or after.key in ONWARD))
    return (
        (said and ends)
        or (parted and closes)
        or calls
        or (
            opens
            and ends
            and after is not None
            and after.gap > Gap.SPACE
            and not _in_brackets(text, after)
        )
    )


def _has_small_type(words: list[Word], street: Street) -> bool:
    """ "3 Hole circle": a name and a small type in a line or cell of their own are rather a measure."""
    return words[0].is_name and words[street.stop - 1].text[0].islower()


def _in_brackets(text: str, after: Word) -> bool:
    """ "10 Cloverfield Lane (2016)": a number in brackets is no part of an address."""
    return text[after.start - 1] == "(" and after.text[0].isdigit()
