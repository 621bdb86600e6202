"""What stands beside an address and could be its owner's name, weighed by where it stands.

The line of the address comes first, then the lines above it, nearest first, then headings a little further up; in running
prose, the capitalised words before the address and nothing else. All weights are log-odds. A line right
above an address that reads like a name is its owner's on 16 of 18 sites that were read for this (ABOVE: ln 8), and on 126 of
129 of the fragments of bench/addresses; the other weights were set beside that one and checked on both, not fitted.
"""

import re
from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence
from functools import cached_property
from typing import NamedTuple

from toponaut.places.addresses.furniture import SMALL, is_label
from toponaut.places.addresses.name_form import NO_NAME, form_odds, has_legal_form
from toponaut.places.addresses.site import copyright_holder
from toponaut.records import Mark, Page

SAME_LINE, ABOVE, HIGHER = (
    2.0,
    2.0,
    1.5,
)  # "Falls Cycle | 4210 Ridge Ave"; the line above; further up in the block
GAP, NEXT_GAP = -1.5, -0.4  # an empty line between, and each further one
ENDS_BLOCK = -1.5  # beyond an empty line, and the end of a block that is about something else
PASSED = -0.7  # each line between that could be a name by its form
RIVAL = -3.0  # from here on a form could be a name's
IN_PROSE = -1.0  # "write to Acme, Inc., 8 Oak St": only with a legal form or as a name of the site
FAR_HEADING = -2.0  # a heading beyond the lines that are looked at
BOLD, HEADING, TOP_HEADING = 1.0, 1.7, 2.2
HOLDER = 2.0  # in a copyright line: "(c) 2013 Acme"
LISTED_LINK = -4.0  # beyond an empty line, a link below a link: a menu
COLON = -3.0  # "Corporate Office:" introduces what follows

_LINES_ABOVE, _GAPS, _HEADINGS_ABOVE = 5, 3, 3
_LONGEST_LINE = 300  # characters of a line that are looked at
_LONGEST_MARK = 120  # characters of a heading or of bold words
_NEAR = 300  # characters between an address and its heading
_WORDS_BACK = 16  # of prose before an address
_ADDRESS = 20  # characters of an address: without a capital there, names need none either
_SEPARATOR = re.compile(r"\t|\s[|•·●▪◆♦*~–—-]+\s|\s*[|•·◆♦]\s*|:\s+|;\s+")
_DASH, _COLON = re.compile(r"\s[–—-]+\s"), re.compile(r":\s+")
_LISTED = re.compile(r"^(?:\d{1,3}[.)]|[a-z]\))\s+")
_PHONE_BEHIND = re.compile(r"\s+(?:\+\d|\(\d{2,5}\)|\d{3,5}[-./ ])[\d ()./-]{5,}$")
_LEGAL_COMMA = re.compile(
    r", (?:Inc|LLC|P\.?C|Ltd|L\.?L\.?P|Co|P\.?A|M\.?D|D\.?D\.?S|Esq|Jr|GmbH|Lda)\b\.?$"
)
_TRIMMED = ' ,;|•·*-–—:"“”'
# Who is asked for at the owner's: no owner.
_PERSON = re.compile(
    r"^\W*(?:attn|attention|att|c/o|z\. ?hd|à l['’]attention|t\.a\.v|inhaber|geschäftsführe"
    r"|vertreten durch|owner|proprietor|gérant|direct(?:or|eur)\b|manager\b|ceo\b|president\b)",
    re.IGNORECASE,
)
_BEFORE_PLACE = frozenset(("at", "to", "from", "in"))


class Name(NamedTuple):
    """What could be an owner's name."""

    text: str
    odds: float
    is_far: bool = False  # a heading beyond the lines that were looked at


class Spot(NamedTuple):
    """Where an address begins."""

    start: int
    floor: int  # where the address before ends: nothing before that is looked at
    line_start: int
    prefix: str  # what stands before it in its line
    small: bool  # it is written in small letters
    prose: bool  # it stands in running text


class _Line(NamedTuple):
    """A line above an address."""

    text: str
    start: int
    end: int
    gaps: int  # empty lines between it and the address
    passed: int  # lines between that could be names


class Beside:
    """The surroundings of addresses in one page."""

    def __init__(self, page: Page) -> None:
        self._page = page

    def spot(self, start: int, floor: int) -> Spot:
        text = self._page.text
        line_start = max(
            text.rfind("\n", max(0, start - _LONGEST_LINE), start) + 1, floor, start - _LONGEST_LINE
        )
        prefix = text[line_start:start]
        small = text[start : start + _ADDRESS].islower()
        return Spot(start, floor, line_start, prefix, small, _is_prose(prefix, small))

    def names(self, spot: Spot, is_place: Callable[[str], bool]) -> list[Name]:
        """What could be a name beside an address, the nearest first; `is_place` tells a town before it in its line."""
        found = [
            _weighed(part, SAME_LINE, spot.small) for part in _phrases(self._whole_prefix(spot))
        ]
        if spot.prose:
            found += [_weighed(run, IN_PROSE, spot.small) for run in _runs(spot.prefix)]
        else:
            reached = spot.line_start
            passed = any(one.odds > 0 and not is_place(one.text) for one in found)
            for line in self._lines_above(spot, passed):
                found += [self._weighed_cell(line, cell, spot.small) for cell in _cells(line.text)]
                reached = line.start
            found += self._headings_above(spot, reached)
        return [one for one in found if one.text and one.odds > NO_NAME / 2]

    def label(self, spot: Spot) -> str:
        """What introduces an address: what stands before it in its line, else the line above."""
        above = next(self._lines_above(spot, passed=False), None)
        return (spot.prefix.strip() or (above.text if above else "")).strip(_TRIMMED)

    # --- candidates ----------------------------------------------------------------------------------------

    def _whole_prefix(self, spot: Spot) -> str:
        """What stands before an address in its line, with the line above where both are one heading or bold."""
        if spot.prefix.strip():
            mark = _mark_over(self._set_apart, spot.line_start, spot.start - 1)
            if mark and spot.line_start - _LONGEST_MARK <= mark.start < spot.line_start:
                return self._page.text[mark.start : spot.start].replace("\n", " ")
        return spot.prefix

    def _lines_above(self, spot: Spot, passed: int) -> Iterator[_Line]:
        """The nearest lines above, nearest first, up to running prose."""
        text, end = self._page.text, spot.line_start - 1
        gaps = seen = 0
        while end > spot.floor and seen < _LINES_ABOVE and gaps <= _GAPS:
            start = max(text.rfind("\n", max(spot.floor, end - _LONGEST_LINE), end) + 1, spot.floor)
            if end - start >= _LONGEST_LINE or start == spot.floor > 0:
                return  # too long, or what follows the address before in its line
            line, end = text[start:end], start - 1
            if not line.strip():
                gaps += (
                    _mark_over(self._elements, start, spot.line_start) is None
                )  # an <address> is one block
            elif _is_prose(line, spot.small) and not copyright_holder(line.strip()):
                return
            else:
                if not _PERSON.match(line):
                    yield _Line(line, start, start + len(line), gaps, passed)
                    passed += form_odds(_clean(line), spot.small) > RIVAL
                seen += 1

    def _weighed_cell(self, line: _Line, cell: str, small: bool) -> Name:
        name, tag = self._marked(line, cell)
        odds = (HIGHER if line.passed else ABOVE) + PASSED * line.passed + _weight(tag)
        if line.gaps:
            ends_block = not tag and line.start >= 2 and self._page.text[line.start - 2] != "\n"
            odds += (
                GAP
                + NEXT_GAP * (line.gaps - 1)
                + ENDS_BLOCK * ends_block
                + LISTED_LINK * self._is_listed_link(line)
            )
        odds += COLON * line.text.rstrip().endswith(":")
        return _weighed(name, odds, small)

    def _marked(self, line: _Line, cell: str) -> tuple[str, str]:
        """A cell of a line, or all of the heading or bold words that it ends, and their tag."""
        start = line.start + line.text.find(cell)
        mark = _mark_over(self._set_apart, start, start + len(cell))
        if (
            mark
            and mark.start < start
            and mark.end <= line.end
            and mark.end - mark.start <= _LONGEST_MARK
        ):
            return self._page.text[mark.start : mark.end].replace("\n", " "), mark.tag
        return cell, mark.tag if mark else ""

    def _headings_above(self, spot: Spot, reached: int) -> Iterator[Name]:
        headings = self._headings
        above = bisect_right(headings, reached, key=lambda mark: mark.start)
        for mark in reversed(headings[max(0, above - _HEADINGS_ABOVE) : above]):
            if mark.end <= reached and spot.start - mark.end < _NEAR:
                name = self._page.text[mark.start : mark.end].replace("\n", " ")
                yield _weighed(name, FAR_HEADING + _weight(mark.tag), spot.small)._replace(
                    is_far=True
                )

    # --- what the page says, read once -----------------------------------------------------------------------

    def _is_listed_link(self, line: _Line) -> bool:
        """A whole line that is a link, below another such line."""
        above = (
            self._page.text.rfind("\n", max(0, line.start - _LONGEST_LINE), max(0, line.start - 1))
            + 1
        )
        return self._is_link(line.start, line.end) and self._is_link(above, line.start - 1)

    def _is_link(self, start: int, end: int) -> bool:
        stripped = self._page.text[start:end].strip()
        return bool(stripped) and self._links.get(start, -1) >= start + len(stripped) - 1

    @cached_property
    def _links(self) -> dict[int, int]:
        return {link.start: link.end for link in self._page.links}

    @cached_property
    def _set_apart(self) -> list[Mark]:
        """Headings and bold words, in order."""
        return sorted(
            [mark for mark in self._page.marks if mark.tag[0] in "hb"], key=lambda mark: mark.start
        )

    @cached_property
    def _headings(self) -> list[Mark]:
        short = [mark for mark in self._set_apart if mark.end - mark.start <= _LONGEST_MARK]
        return [mark for mark in short if mark.tag[0] == "h"]

    @cached_property
    def _elements(self) -> list[Mark]:
        return sorted(
            [mark for mark in self._page.marks if mark.tag == "address"],
            key=lambda mark: mark.start,
        )


def _mark_over(marks: Sequence[Mark], start: int, end: int) -> Mark | None:
    """The one of some marks that all of text[start:end] is in; bold words may lie in a heading."""
    k = bisect_right(marks, start, key=lambda mark: mark.start)
    return next((mark for mark in reversed(marks[max(0, k - 3) : k]) if mark.end >= end - 1), None)


def _weight(tag: str) -> float:
    return TOP_HEADING if tag == "h1" else HEADING if tag[:1] == "h" else BOLD if tag else 0.0


def _weighed(said: str, odds: float, small: bool) -> Name:
    name = _clean(said)
    return Name(
        name, odds + form_odds(name, small) + HOLDER * bool(copyright_holder(said.strip(_TRIMMED)))
    )


def _clean(said: str) -> str:
    """Without the number of a list, quotes around it and a telephone number behind it; of a copyright line, the holder."""
    name = _PHONE_BEHIND.sub("", " ".join(said.split())).strip(_TRIMMED)
    return copyright_holder(name) or _LISTED.sub("", name.removeprefix(". "))


def _phrases(prefix: str) -> list[str]:
    """What may be a name before an address in its line: cells and phrases, or what a comma parts from it."""
    parts = [part for one in _SEPARATOR.split(prefix) if (part := one.strip(_TRIMMED + "("))]
    if copyright_holder(prefix.strip()):
        return [prefix.strip(), *parts[1:]]
    if len(parts) == 1 and "," in parts[0] and not _LEGAL_COMMA.search(parts[0]):
        return parts[0].split(",")[:1]
    return parts


def _runs(prose: str) -> list[str]:
    """Capitalised words that end right before an address, or a little before it in a legal form."""
    words = prose.split()[-_WORDS_BACK:]
    ends = [
        k
        for k in range(len(words), 1, -1)
        if k == len(words) or has_legal_form(words[k - 1].rstrip(","))
    ]
    return [run for end in ends if (run := _run(words[:end]))]


def _run(words: list[str]) -> str:
    """The longest end of some words that begins with a capital, with small words and a legal form's comma inside only."""
    start = len(words)
    for k in range(len(words) - 1, -1, -1):
        if words[k][0].isupper():
            start = k
        elif words[k] not in SMALL or words[k] in _BEFORE_PLACE:
            break
        ended = words[k - 1][-1] if k else ""
        if ended in (".", ":", ";") or (ended == "," and not has_legal_form(words[k].rstrip(","))):
            break
    return " ".join(words[start:])


def _cells(line: str) -> list[str]:
    """The first and the last cell or phrase of a line that are no labels.

    The address below stands in the first column, or goes on with what the last cell began. Of "Publisher: Acme Press" the
    name comes first.
    """
    if copyright_holder(line.strip()):
        return [line]
    parts = [part.strip() for cell in line.split("\t") for part in _DASH.split(cell)]
    parts = [part for part in parts if part and not is_label(part)]
    ends = dict.fromkeys(parts[:1] + parts[-1:])
    pieces = [piece for part in ends for piece in reversed(_COLON.split(part, maxsplit=1))]
    return [piece for piece in pieces if piece.strip() and not is_label(piece)]


def _is_prose(line: str, small: bool) -> bool:
    """A line with several small words is running text, unless everything is written so."""
    words = line.split()
    plain = [
        word
        for word in words
        if word.islower() and word.rstrip(",.;)").isalpha() and word not in SMALL
    ]
    return len(plain) >= (5 if small else 3) or (bool(words) and words[-1] in _BEFORE_PLACE)
