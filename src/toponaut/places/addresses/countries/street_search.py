"""The street near a postcode or town: in the segments before it, in the cell above, or after it."""

import re

from msgspec import Struct

from toponaut.places.addresses.countries.rules import NUMBERLESS, STRONG, CountryRules, StreetMatch
from toponaut.places.addresses.countries.segments import (
    Segment,
    segment_after,
    segments_before,
    strength,
)
from toponaut.places.addresses.countries.towns import Spans, town_words

_ROW = 800  # characters of a table row within which columns are counted
_STRAY = re.compile(r"[^\W\d_]+(?:[.'’ -]{1,2}[^\W\d_]+){0,4}\.?")


class StreetSpan(Struct, frozen=True):
    start: int
    end: int
    street: StreetMatch
    unit: str
    forward: bool = False  # it follows its town


def street_before(text: str, anchor: int, floor: int, rules: CountryRules) -> StreetSpan | None:
    """The street before an anchor: in the cell above it, else in the segments before it."""
    above = _street_above(text, anchor, rules)
    segments = segments_before(text, anchor, floor, rules.number)
    walked = walk_back(text, segments, rules)
    return walked if walked and above and walked.street == above.street else above or walked


def walk_back(text: str, segments: list[Segment], rules: CountryRules) -> StreetSpan | None:
    """The first street in the segments, nearest first."""
    units: list[str] = []
    strays = 0
    # A building, box or district, used if no street follows: "Castle Court", "BP 12", "Crouch End".
    fallback: StreetSpan | None = None
    for k, segment in enumerate(segments):
        content = text[segment.start : segment.end]
        street = rules.street(content)
        passed = rules.passed.fullmatch(content)
        if passed or rules.unit.fullmatch(content):
            units = units if passed else [content, *units]
            if street and fallback is None:
                fallback = _span(text, street, segments[k:], units[1:], rules)
        elif street:
            numberless = street.strength == NUMBERLESS
            if rules.localities and numberless and fallback is None:
                fallback = _span(text, street, segments[k:], units, rules)
                continue
            if numberless and (better := _numbered(text, segments[k + 1 :], rules)):
                return _span(text, better, segments[k + 1 :], [content, *units], rules)
            doubtful = strays and street.strength < STRONG and not rules.localities
            in_unit = street.unit or _is_unit(text, segments[k + 1 : k + 2], rules)
            if doubtful or (fallback and not street.number and not in_unit):
                break
            return _span(text, street, segments[k:], units, rules)
        else:
            strays += 1
            if strays > 1 + rules.localities or not content[0].isupper():
                break
            if not _STRAY.fullmatch(content):
                break
    return fallback


def _is_unit(text: str, segments: list[Segment], rules: CountryRules) -> bool:
    return any(rules.unit.fullmatch(text, one.start, one.end) for one in segments)


def _numbered(text: str, segments: list[Segment], rules: CountryRules) -> StreetMatch | None:
    """The numbered street before a numberless one (a zone): "10 rue du Lac, ZI Nord"."""
    street = rules.street(text[segments[0].start : segments[0].end]) if segments else None
    return street if street and street.strength == STRONG and street.number else None


def _span(
    text: str, street: StreetMatch, segments: list[Segment], units: list[str], rules: CountryRules
) -> StreetSpan:
    """A street in the first segment, with the units passed so far and those before it."""
    start, end = segments[0].start + street.start, segments[0].start + street.end
    before: list[str] = []
    if not street.start:  # "Unit 3, 40 Longbridge Road"
        for segment in segments[1:3]:
            if not rules.unit.fullmatch(text, segment.start, segment.end):
                break
            before.insert(0, text[segment.start : segment.end])
            start = segment.start
    return StreetSpan(start, end, street, ", ".join(filter(None, [*before, street.unit, *units])))


def _street_above(text: str, anchor: int, rules: CountryRules) -> StreetSpan | None:
    """The street in the cell above, where the columns of a table are addresses.

    Its span is empty, because the cells of other addresses come between.
    """
    line = text.rfind("\n", max(0, anchor - _ROW), anchor) + 1
    if line == 0:
        return None
    before = text[line:anchor].split("\t")
    if before[-1].strip():
        return None
    after = text[anchor : anchor + _ROW].partition("\n")[0].count("\t")
    above = text[max(0, line - _ROW) : line - 1].rpartition("\n")[2].split("\t")
    if len(above) < 2 or len(above) != len(before) + after:
        return None
    street = rules.street(above[len(before) - 1].strip())
    if street is None or street.start or not street.number:
        return None
    return StreetSpan(anchor, anchor, street, street.unit)


def has_street_after(text: str, words: Spans, rules: CountryRules) -> bool:
    """Whether a street follows the words after a postcode, so that the town is worth a look-up."""
    segment = segment_after(text, words[-1][1], rules.number) if words else None
    return segment is not None and rules.street(text[segment.start : segment.end]) is not None


def street_after(
    text: str, town_end: int, rules: CountryRules, was_forward: bool
) -> StreetSpan | None:
    """The street that follows the town, unless it belongs to a postcode that is closer."""
    segment = segment_after(text, town_end, rules.number)
    if segment is None:
        return None
    street = rules.street(text[segment.start : segment.end])
    if street is None or street.start or street.strength == NUMBERLESS:
        return None
    after = segment_after(text, segment.end, rules.number)
    other = rules.postcode.search(text, after.start, after.start + 8) if after else None
    if after and other and town_words(text, other.end(), rules):
        closer = strength(after.gap) - strength(segment.gap)
        if closer < 0 or (closer == 0 and not was_forward):
            return None
    return StreetSpan(segment.start, segment.start + street.end, street, street.unit, forward=True)
