"""Possible owners' names near an address, weighed by their position.

The line of the address comes first, then the lines above it, nearest first, then headings further
up; in prose, only the capitalised words before the address. All weights are log-odds. ABOVE was
measured (16 of 18 sites: ln 8); the others were set relative to it and checked, not fitted.
"""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

import cython
from msgspec import Struct
from msgspec.structs import replace

from toponaut.places.addresses.owners.cards import IsPlace, RepeatedCards, without_place
from toponaut.places.addresses.owners.event_signs import (
    VENUE_LABEL,
    has_event_sign,
    is_venue_label,
)
from toponaut.places.addresses.owners.name_form import NO_NAME, has_legal_form, names_text
from toponaut.places.addresses.owners.name_lines import (
    DASH,
    TRIMMED,
    LineForm,
    is_caseless_prose,
    is_prose,
    line_form,
    name_in,
    phrases_in,
    runs_in,
)
from toponaut.places.addresses.owners.persons import has_role, is_role
from toponaut.places.lazy_value import lazy_value
from toponaut.records import Address, Mark, Page

if not cython.compiled:
    raise ImportError("toponaut is not compiled: run make setup, or reinstall it")

# In the line of the address ("Falls Cycle | 4210 Ridge Ave"); right above it; further up.
SAME_LINE, ABOVE, HIGHER = 2.0, 2.0, 1.5
GAP, NEXT_GAP = -1.5, -0.4  # an empty line between, and each further one
ENDS_BLOCK = -1.5  # beyond an empty line, at the end of another block
PASSED = -0.7  # each line between that has the form of a name
PROSE_LINE = 0.5  # all of the text before an address in prose: "Acme Tools at 8 Oak St"
IN_PROSE = -1.0  # "write to Acme, Inc., 8 Oak St": only with a legal form or as the site's name
FAR_HEADING = -2.0  # a heading beyond the lines that are read
BOLD, HEADING, TOP_HEADING = 1.0, 1.7, 2.2
CARD_HEADING = 2.0  # a heading with these odds ends the search
LISTED_LINK = -4.0  # beyond an empty line, a link below a link: a menu
COLON = -3.0  # "Corporate Office:" is a label
HOPELESS = -3.0  # the site's own name adds 3 (finder.py): no more evidence is needed
RECURRING = -6.0  # a line that recurs from card to card: a badge, a category
DESCRIBES = -3.0  # "Pawn Shop · Troy, NY" below another line: the town is a cell of its own
DATED = -3.0  # a date or a time between it and the address: it is the title of an event
VENUE = 2.0  # after the label of a venue: "Where: Acme Hall, 8 Oak St"
_MOST_BY_POSITION = ABOVE + TOP_HEADING + VENUE  # the odds of any line above are less
CROWDED = -2.0  # the phrases of a line with many: a menu before an address

_LINES_ABOVE, _GAPS, _HEADINGS_ABOVE = 5, 3, 3
_LONGEST_LINE = 300  # characters of a line that are read
_LONGEST_MARK = 120  # characters of a heading or of bold words
_NEAR = 300  # characters between an address and its heading
_FEW_PHRASES = 2
_DATED = 1500  # characters before an address that are searched for a date
_LONGEST_ROLE = 40  # characters of the line above a person
_ADDRESS = 20  # characters of an address: if they have no capital, names need none either
# The time of an event: "6:30 PM", "19:30"; not a range, which may be of opening hours.
_TIME = re.compile(
    r"(?<![\d:–—-])(?<![–—-] )(?<!to )\b\d{1,2}(?::\d\d\b(?:\s?[AaPp]\.?[Mm]\b)?+"
    r"|\s?[AaPp]\.?[Mm]\b)\.?+(?!\s*(?:[–—-]|to\b|bis\b|till\b))"
)
_VENUE_ABOVE = 40  # characters above a line that are searched for the label of a venue
_MENU = 3  # links in one line


class OwnerName(Struct, frozen=True):
    text: str
    odds: float
    is_far: bool = False  # beyond the lines that were read, or beyond a better name


class AddressSpot(Struct, frozen=True):
    start: int
    floor: int  # where the previous address ends: nothing before is read
    address: Address
    line_start: int
    prefix: str  # the text before it in its line
    small: bool  # it is in lower case
    prose: bool  # it is in prose
    is_cut: bool  # its line begins further up than is read


class _LineAbove(Struct, frozen=True):
    text: str
    form: LineForm
    start: int
    end: int
    gaps: int  # empty lines between it and the address
    passed: int  # lines between that could be names
    slot: int  # lines between


class _SortedMarks(NamedTuple):
    marks: list[Mark]
    starts: list[int]

    def over(self, start: int, end: int) -> Mark | None:
        """The mark that covers text[start:end]; bold words may be inside a heading."""
        k: cython.Py_ssize_t = bisect_right(self.starts, start)
        at: cython.Py_ssize_t
        for at in range(k - 1, max(0, k - 3) - 1, -1):
            mark: Mark = self.marks[at]
            if mark.end >= end - 1:
                return mark
        return None


class NearbyNames:
    """The surroundings of addresses in one page."""

    def __init__(self, page: Page, addresses: Sequence[Address], is_place: IsPlace) -> None:
        self._page = page
        self._is_place = is_place
        self._cards = RepeatedCards(page.text, addresses, is_place)

    def spot(self, address: Address, floor: int) -> AddressSpot:
        text, start = self._page.text, address.start
        first = start - _LONGEST_LINE
        line_start = max(text.rfind("\n", max(0, first), start) + 1, floor, first)
        prefix = text[line_start:start]
        small = text[start : start + _ADDRESS].islower()
        is_cut = line_start == first > floor
        prose = is_cut or is_prose(prefix, small) or is_caseless_prose(prefix)
        return AddressSpot(start, floor, address, line_start, prefix, small, prose, is_cut)

    def names(self, spot: AddressSpot) -> list[OwnerName]:
        """Possible names near an address, nearest first."""
        phrases = [] if spot.is_cut else phrases_in(self._whole_prefix(spot))
        crowded = CROWDED * (len(phrases) > _FEW_PHRASES)
        same_line = PROSE_LINE if spot.prose else SAME_LINE
        found = [_weighed(part, same_line + crowded, spot.small) for part in phrases]
        if len(found) > 1 and VENUE_LABEL.search(f"{phrases[0]}:"):
            found[1] = replace(found[1], odds=found[1].odds + VENUE)
        if spot.prose:
            found += [_weighed(run, IN_PROSE, spot.small) for run in runs_in(spot.prefix)]
        elif not (any(map(names_text, phrases)) or has_role(spot.prefix)):
            # "Resolution on 8 Oak St", "Manager: John Miller, 8 Oak St": of no line above
            likely = [one for one in found if one.odds > 0]
            likely = [one for one in likely if not self._is_place(one.text, spot.address)]
            above = self._names_above(spot, passed=bool(likely))
            # With a name in its own line, an address is not the site's by a line above.
            is_named = any(one.odds >= SAME_LINE for one in likely)
            found += [replace(one, is_far=True) for one in above] if is_named else above
        return [one for one in found if one.text and one.odds > NO_NAME / 2]

    def _names_above(self, spot: AddressSpot, passed: bool) -> list[OwnerName]:
        found: list[OwnerName] = []
        reached = spot.line_start
        for line in self._lines_above(spot, passed):
            names = [self._weighed_cell(line, cell, spot) for cell in line.form.cells]
            found += names
            reached = line.start
            if any(one.odds >= CARD_HEADING for one in names) and self._is_heading(line):
                return found  # the card's heading is its name
        return found + list(self._headings_above(spot, reached))

    def label(self, spot: AddressSpot) -> str:
        """The introduction of an address: the text before it in its line, else the line above."""
        above = next(self._lines_above(spot, passed=False), None)
        return (spot.prefix.strip() or (above.text if above else "")).strip(TRIMMED)

    def _whole_prefix(self, spot: AddressSpot) -> str:
        """The text before an address in its line, with the line above if one heading has both."""
        if spot.prefix.strip():
            mark = self._set_apart.over(spot.line_start, spot.start - 1)
            if mark and spot.line_start - _LONGEST_MARK <= mark.start < spot.line_start:
                return self._page.text[mark.start : spot.start].replace("\n", " ")
        return spot.prefix

    def _lines_above(self, spot: AddressSpot, passed: int) -> Iterator[_LineAbove]:
        """The nearest lines above, nearest first, up to running prose."""
        text, end = self._page.text, spot.line_start - 1
        gaps = seen = 0
        while end > spot.floor and seen < _LINES_ABOVE and gaps <= _GAPS:
            start = max(text.rfind("\n", max(spot.floor, end - _LONGEST_LINE), end) + 1, spot.floor)
            if end - start >= _LONGEST_LINE or start == spot.floor > 0:
                return  # too long, or the rest of the previous address's line
            line, end = text[start:end], start - 1
            if not line.strip():  # an <address> element is one block
                gaps += self._elements.over(start, spot.line_start) is None
                continue
            form = line_form(line, spot.small)
            if form.is_prose:
                return
            if not form.is_person and not self._is_menu(start, start + len(line)):
                yield _LineAbove(line, form, start, start + len(line), gaps, passed, seen)
                passed += form.is_rival
            seen += 1

    def _is_below_role(self, start: int) -> bool:
        """Whether the line above is only a role: this one is a person."""
        first = self._page.text.rfind("\n", max(0, start - _LONGEST_ROLE), max(0, start - 1)) + 1
        return is_role(self._page.text[first:start])

    def _is_below_venue(self, start: int) -> bool:
        """Whether the line above is only the label of a venue: "Where?"."""
        above = self._page.text[max(0, start - _VENUE_ABOVE) : start].rstrip()
        return is_venue_label(above.rpartition("\n")[2])

    def _weighed_cell(self, line: _LineAbove, cell: str, spot: AddressSpot) -> OwnerName:
        said, tag = self._marked(line, cell)
        name, form = name_in(said, spot.small)
        if form < NO_NAME / 2 - _MOST_BY_POSITION:  # `names` drops it
            return OwnerName(name, form)
        odds = (HIGHER if line.passed else ABOVE) + PASSED * line.passed + _weight(tag)
        if line.gaps:
            ends_block = not tag and line.start >= 2 and self._page.text[line.start - 2] != "\n"
            gaps = GAP + NEXT_GAP * (line.gaps - 1)
            odds += gaps + ENDS_BLOCK * ends_block + LISTED_LINK * self._is_listed_link(line)
        odds += COLON * line.form.is_label + VENUE * self._is_below_venue(line.start)
        found = OwnerName(name, odds + form)
        if found.odds <= HOPELESS:
            return found
        if tag[:1] != "h":
            recurs = self._cards.recurs(line.slot, line.text, spot.address)
            against = RECURRING * (recurs and not has_legal_form(said))
            against += DESCRIBES * self._describes(line, spot)
            found = replace(found, odds=found.odds + against) if against else found
        if found.odds <= 0:
            return found
        if self._is_below_role(line.start):
            return replace(found, odds=NO_NAME)
        return replace(found, odds=found.odds + DATED * self._is_timed(line.end, spot))

    def _is_heading(self, line: _LineAbove) -> bool:
        mark = self._headings.over(line.start, line.end)
        return mark is not None and mark.start >= line.start

    def _describes(self, line: _LineAbove, spot: AddressSpot) -> bool:
        """Whether a line below another names the address's town apart from the rest."""
        city, text = spot.address.city, self._page.text
        if not city or city not in line.text or line.start < spot.floor + 2:
            return False
        if text[line.start - 2] == "\n":
            return False
        return any(not without_place(cell, spot.address) for cell in DASH.split(line.text))

    def _marked(self, line: _LineAbove, cell: str) -> tuple[str, str]:
        """A cell of a line, or the whole heading or bold text that it ends, and their tag."""
        start = line.start + line.text.find(cell)
        mark = self._set_apart.over(start, start + len(cell))
        if mark is None:
            return cell, ""
        ends_mark = mark.start < start and mark.end <= line.end
        if ends_mark and mark.end - mark.start <= _LONGEST_MARK:
            return self._page.text[mark.start : mark.end].replace("\n", " "), mark.tag
        return cell, mark.tag

    def _headings_above(self, spot: AddressSpot, reached: int) -> Iterator[OwnerName]:
        headings = self._headings
        above = bisect_right(headings.starts, reached)
        for mark in reversed(headings.marks[max(0, above - _HEADINGS_ABOVE) : above]):
            if mark.end <= reached and spot.start - mark.end < _NEAR:
                text = self._page.text[mark.start : mark.end].replace("\n", " ")
                name = _weighed(text, FAR_HEADING + _weight(mark.tag), spot.small)
                if name.odds > HOPELESS and self._is_timed(mark.end, spot):
                    continue
                yield replace(name, is_far=True)

    def is_dated(self, end: int, spot: AddressSpot) -> bool:
        """Whether a date, or the label of a venue, comes between a name and the address."""
        return has_event_sign(self._page.text, max(end, spot.start - _DATED), spot.start)

    def _is_timed(self, end: int, spot: AddressSpot) -> bool:
        """Whether a date or the time of an event comes between a name and the address."""
        return self.is_dated(end, spot) or bool(_TIME.search(self._page.text, end, spot.start))

    def _is_menu(self, start: int, end: int) -> bool:
        """Whether a line has several links."""
        starts = self._link_starts
        return bisect_left(starts, end) - bisect_left(starts, start) >= _MENU

    def _is_listed_link(self, line: _LineAbove) -> bool:
        """Whether a whole line is a link, below or above another such line."""
        if not self._is_link(line.start, line.end):
            return False
        text = self._page.text
        first, last = max(0, line.start - _LONGEST_LINE), max(0, line.start - 1)
        below = text.find("\n", line.end + 1, line.end + _LONGEST_LINE)
        return self._is_link(text.rfind("\n", first, last) + 1, line.start - 1) or (
            below > 0 and self._is_link(line.end + 1, below)
        )

    def _is_link(self, start: int, end: int) -> bool:
        stripped = self._page.text[start:end].strip()
        return bool(stripped) and self._links.get(start, -1) >= start + len(stripped) - 1

    @lazy_value
    def _links(self) -> dict[int, int]:
        return {link.start: link.end for link in self._page.links}

    @lazy_value
    def _link_starts(self) -> list[int]:
        return sorted(self._links)

    @lazy_value
    def _set_apart(self) -> _SortedMarks:
        """Headings and bold words."""
        return _sorted_marks(mark for mark in self._page.marks if mark.tag[0] in "hb")

    @lazy_value
    def _headings(self) -> _SortedMarks:
        marks = (mark for mark in self._page.marks if mark.tag[0] == "h")
        return _sorted_marks(mark for mark in marks if mark.end - mark.start <= _LONGEST_MARK)

    @lazy_value
    def _elements(self) -> _SortedMarks:
        return _sorted_marks(mark for mark in self._page.marks if mark.tag == "address")


def _sorted_marks(marks: Iterable[Mark]) -> _SortedMarks:
    ordered = sorted(marks, key=lambda mark: mark.start)
    return _SortedMarks(ordered, [mark.start for mark in ordered])


def _weight(tag: str) -> float:
    return TOP_HEADING if tag == "h1" else HEADING if tag[:1] == "h" else BOLD if tag else 0.0


def _weighed(said: str, odds: float, small: bool) -> OwnerName:
    name, form = name_in(said, small)
    return OwnerName(name, odds + form)
