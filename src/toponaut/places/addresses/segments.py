"""A text cut into segments: what stands between two separators, near an anchor.

An address is a short row of segments ("Lange Str. 5", "2. OG", "26122 Oldenburg"), whatever parts them: line
breaks, table cells, commas, bullets, dashes. Segments are cut only around an anchor, over at most REACH characters, so
that the work is bounded by the number of anchors whatever the text.
"""

import re

from msgspec import Struct

REACH = 160  # characters looked at on one side of an anchor: four lines of an address
LONGEST = 80  # characters of a segment: of a long sentence only its end can be a street
_CUTS = 12  # separators looked at: as many as the fields of a table row
# One character decides, the rest only looks around it: a pattern that begins with a class is scanned fast.
SEPARATOR = re.compile(
    r"[\n\t,;|¦•·●▪∙‧»()\[\]:/*~+–—.!?-](?:(?<=[\n\t,;|¦•·●▪∙‧»()\[\]])|(?<=:)(?!\d)|(?<=/)/|"
    r"(?<=\s[/*~+])(?=\s)|(?<=\D\s[-–—])(?=\s)|(?<=\s[-–—])(?=\s(?!\d)|\s\d{1,2}\s?\.?\s?"
    r"(?:[ºª°]|OG|Stock|Etage))|(?<=[^\W\d_A-Z]{5}[.!?])(?=\s))\s*"
)
# A house number alone in its segment: "Brühl<tab>16", "Rua Castilho, 55", "12, High Street", "Avenida del Puerto, s/n".
_FLAT = (
    r"bajos?|local\s\d{1,3}(?:\sbajos?)?|\d{1,2}\s?[ºª°](?:\s?\w{1,4}\.?)?|bus\s\w{1,4}|(?:m"
    r"|lok)\.?\s?\d{1,4}"
)  # "12 2º B"
_LONE_NUMBER = re.compile(
    r"[Ss]/[Nn]\.?|(?:(?:Nr|No|[Nn]\.?\s?º)\.?\s?)?\d{1,4}(?:\s?[a-zA-Z])?"
    r"(?:\s?[-–/]\s?\d{1,4}[a-zA-Zºª°]?)?"
    rf"(?:\s(?:{_FLAT}))?"
)
_MARKED = ("Nº", "nº", "N.º", "n.º", "Nr. ")  # a number that may stand below its street
_LONGEST_NUMBER = 18  # characters of such a segment
_ENDS_IN_NUMBER = re.compile(r"(?:^|.*\s)\d{1,4}(?:\s?(?:bis|ter|quater|[a-zA-Z]))?")
_LABEL = re.compile(r"(?i)Hausnummer|Haus-?nr\.?|Nummer|Nr\.?|Número")
# Where a country writes the house number.
NUMBER_AFTER, NUMBER_BEFORE, NUMBER_EITHER = "after", "before", "either"


class Segment(Struct, frozen=True):
    start: int
    end: int
    gap: str  # the separator between this segment and its neighbour on the anchor's side


def segments_before(text: str, anchor: int, floor: int, number: str) -> list[Segment]:
    """The segments that end before an anchor, nearest first. Nothing before `floor` is looked at."""
    low = max(floor, anchor - REACH)
    cuts = [cut.span() for cut in SEPARATOR.finditer(text, low, anchor)]
    segments: list[Segment] = []
    start = low if len(cuts) <= _CUTS else cuts[-_CUTS - 1][1]
    for left, right in [*cuts[-_CUTS:], (anchor, anchor)]:
        if content := text[start:left].strip():
            begin = text.index(content, start)
            segments.append(
                Segment(
                    begin + max(0, len(content) - LONGEST), begin + len(content), text[left:right]
                )
            )
        elif segments:
            segments[-1] = Segment(
                segments[-1].start, segments[-1].end, segments[-1].gap + text[left:right]
            )
        start = right
    return _glued(text, segments, number)[::-1]


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
    if len(segments) == 2 and _belong(
        text, Segment(segments[0].start, segments[0].end, segments[1].gap), segments[1], number
    ):
        return Segment(segments[0].start, segments[1].end, segments[0].gap)
    return segments[0] if segments else None


def strength(gap: str) -> int:
    """How strongly a separator parts, from a space (0) over a comma to an empty line (5)."""
    if "\n" in gap:
        return 5 if gap.count("\n") > 1 else 4
    if ";" in gap:
        return 3
    if gap.strip(" ,\xa0") or "\t" in gap:
        return 2
    return 1 if "," in gap else 0


def _glued(text: str, segments: list[Segment], number: str) -> list[Segment]:
    """The segments with lone house numbers joined to the street that they belong to."""
    joined: list[Segment] = []
    for segment in segments:
        if (
            len(joined) > 1
            and _alone(text, segment)
            and _LABEL.fullmatch(text, joined[-1].start, joined[-1].end)
        ):
            joined.pop()  # "Lange Straße<line>Hausnummer: 12"
            joined[-1] = Segment(joined[-1].start, segment.end, segment.gap)
        elif joined and _belong(text, joined[-1], segment, number):
            joined[-1] = Segment(joined[-1].start, segment.end, segment.gap)
        else:
            joined.append(segment)
    return joined


def _belong(text: str, left: Segment, right: Segment, number: str) -> bool:
    """Whether one of two neighbours is the other's house number."""
    if "\n" in left.gap and not text.startswith(_MARKED, right.start):
        return False
    if number != NUMBER_AFTER and _leads_on(text, left, right):
        return True
    return _alone(text, left if number == NUMBER_BEFORE else right)


def _alone(text: str, segment: Segment) -> bool:
    return segment.end - segment.start <= _LONGEST_NUMBER and bool(
        _LONE_NUMBER.fullmatch(text, segment.start, segment.end)
    )


def _leads_on(text: str, before: Segment, after: Segment) -> bool:
    """Whether a comma parts a number from its street inside a sentence: "reste au 110, boulevard Saint-Germain"."""
    number = before.gap.strip() == "," and _ENDS_IN_NUMBER.fullmatch(
        text, max(before.start, before.end - 12), before.end
    )
    return bool(number) and text[after.start].islower()


def _trimmed(text: str, start: int, end: int, gap: str) -> Segment:
    while start < end and text[start].isspace():
        start += 1
    while end > start and text[end - 1].isspace():
        end -= 1
    return Segment(start, end, gap)
