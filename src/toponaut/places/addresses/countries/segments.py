"""Text near an anchor, cut into segments at its separators.

An address is a short row of segments ("Lange Str. 5", "2. OG", "26122 Oldenburg") between line
breaks, table cells, commas, bullets or dashes. Segments are cut only around an anchor, over at most
REACH characters, so the work grows linearly with the number of anchors.
"""

import re

from msgspec import Struct

REACH = 160  # characters read on one side of an anchor: four lines of an address
LONGEST = 80  # characters of a segment: only the end of a long sentence can be a street
_MOST = 6  # segments before an anchor
_CUTS = 12  # most separators used: the fields of a table row
# One character, and conditions around it: a pattern that begins with a class is scanned fast.
SEPARATOR = re.compile(
    r"[\n\t,;|¦•·●▪∙‧»()\[\]:/*~+–—.!?-](?:(?<=[\n\t,;|¦•·●▪∙‧»()\[\]])|(?<=:)(?!\d)|(?<=/)/|"
    r"(?<=\s[/*~+])(?=\s)|(?<=\D\s[-–—])(?=\s)|(?<=\s[-–—])(?=\s(?!\d)|\s\d{1,2}\s?\.?\s?"
    r"(?:[ºª°]|OG|Stock|Etage))|(?<=[^\W\d_A-Z]{5}[.!?])(?=\s))\s*"
)
# A house number alone in its segment: "Brühl<tab>16", "Rua Castilho, 55", "12, High Street", "s/n".
_FLAT = (
    r"bajos?|local\s\d{1,3}(?:\sbajos?)?|\d{1,2}\s?[ºª°](?:\s?\w{1,4}\.?)?|bus\s\w{1,4}|(?:m"
    r"|lok)\.?\s?\d{1,4}"
)  # "12 2º B"
_LONE_NUMBER = re.compile(
    r"[Ss]/[Nn]\.?|(?:(?:Nr|No|[Nn]\.?\s?º)\.?\s?)?\d{1,4}(?:\s?(?:bis|ter|quater|[a-zA-Z]))?"
    r"(?:\s?[-–/]\s?\d{1,4}[a-zA-Zºª°]?)?"
    rf"(?:\s(?:{_FLAT}))?"
)
_MARKED = ("Nº", "nº", "N.º", "n.º", "Nr. ")  # marks of a number in the line below its street
_LONGEST_NUMBER = 18  # characters of such a segment
_ENDS_IN_NUMBER = re.compile(r"(?:^|.*\s)\d{1,4}(?:\s?(?:bis|ter|quater|[a-zA-Z]))?")
_LABEL = re.compile(r"(?i)Hausnummer|Haus-?nr\.?|Nummer|Nr\.?|Número")
# The position of the house number.
NUMBER_AFTER, NUMBER_BEFORE, NUMBER_EITHER = "after", "before", "either"


class Segment(Struct, frozen=True):
    start: int
    end: int
    gap: str  # the separator between this segment and its neighbour on the anchor's side


def segments_before(text: str, anchor: int, floor: int, number: str) -> list[Segment]:
    """The segments between `floor` and an anchor, nearest first, at most six."""
    low = max(floor, anchor - REACH)
    cuts = [cut.span() for cut in SEPARATOR.finditer(text, low, anchor)]
    segments: list[Segment] = []
    start = low if len(cuts) <= _CUTS else cuts[-_CUTS - 1][1]
    for left, right in [*cuts[-_CUTS:], (anchor, anchor)]:
        gap = text[left:right]
        if content := text[start:left].strip():
            end = text.index(content, start) + len(content)
            segments.append(Segment(end - min(len(content), LONGEST), end, gap))
        elif segments:
            last = segments[-1]
            segments[-1] = Segment(last.start, last.end, last.gap + gap)
        start = right
    return _glued(text, segments, number)[: -_MOST - 1 : -1]


def segment_after(text: str, anchor: int, number: str) -> Segment | None:
    """The first segment after an anchor; its `gap` is the separator before it."""
    cuts = SEPARATOR.finditer(text, anchor, min(len(text), anchor + LONGEST))
    start, gap = anchor, ""
    segments: list[Segment] = []
    for cut in cuts:
        if text[start : cut.start()].strip():
            segments.append(_trimmed(text, start, cut.start(), gap))
            gap = cut.group()
        else:
            gap += cut.group()
        start = cut.end()
        if len(segments) == 2:
            break
    else:
        rest = text[start : anchor + LONGEST]
        if rest.strip():
            segments.append(_trimmed(text, start, start + len(rest), gap))
    if len(segments) == 2:
        first, second = segments
        left = Segment(first.start, first.end, second.gap)
        if _belong(text, left, second, number):
            return Segment(first.start, second.end, first.gap)
    return segments[0] if segments else None


def strength(gap: str) -> int:
    """The strength of a separator, from a space (0) over a comma to an empty line (5)."""
    if "\n" in gap:
        return 5 if gap.count("\n") > 1 else 4
    if ";" in gap:
        return 3
    if gap.strip(" ,\xa0") or "\t" in gap:
        return 2
    return 1 if "," in gap else 0


def _glued(text: str, segments: list[Segment], number: str) -> list[Segment]:
    """The segments with lone house numbers joined to their street."""
    joined: list[Segment] = []
    for segment in segments:
        last = joined[-1] if joined else None
        label = last and _LABEL.fullmatch(text, last.start, last.end)
        if label and len(joined) > 1 and _alone(text, segment):
            joined.pop()  # "Lange Straße<line>Hausnummer: 12"
        elif not last or not _belong(text, last, segment, number):
            joined.append(segment)
            continue
        joined[-1] = Segment(joined[-1].start, segment.end, segment.gap)
    return joined


def _belong(text: str, left: Segment, right: Segment, number: str) -> bool:
    """Whether one of two neighbours is the other's house number."""
    if "\n" in left.gap and not text.startswith(_MARKED, right.start):
        return False
    if number != NUMBER_AFTER and _leads_on(text, left, right):
        return True
    return _alone(text, left if number == NUMBER_BEFORE else right)


def _alone(text: str, segment: Segment) -> bool:
    if segment.end - segment.start > _LONGEST_NUMBER:
        return False
    return _LONE_NUMBER.fullmatch(text, segment.start, segment.end) is not None


def _leads_on(text: str, before: Segment, after: Segment) -> bool:
    """Whether a comma in a sentence separates a number from its street: "au 110, boulevard ..."."""
    if before.gap.strip() != "," or not text[after.start].islower():
        return False
    start = max(before.start, before.end - 12)
    return _ENDS_IN_NUMBER.fullmatch(text, start, before.end) is not None


def _trimmed(text: str, start: int, end: int, gap: str) -> Segment:
    while start < end and text[start].isspace():
        start += 1
    while end > start and text[end - 1].isspace():
        end -= 1
    return Segment(start, end, gap)
