"""The open elements: the part of a tree that hidden elements and structured data need.

Follows the HTML standard for omitted end tags ("<li>one<li>two") and for end tags that close all
elements opened since. Misnested formatting is not repaired; nothing here depends on it.
"""

from array import array

import cython

from toponaut.page.parse.kinds import BLOCKS, ELEMENTS
from toponaut.page.parse.markup import VOID

_ROWS = frozenset({"tr", "thead", "tbody", "tfoot"})
# An element whose end tag may be omitted, and the start tags that end it.
_ENDED_BY = {
    "p": BLOCKS - {"td", "th", "caption", "option"} - _ROWS,
    "li": frozenset({"li"}),
    "dt": frozenset({"dt", "dd"}),
    "dd": frozenset({"dt", "dd"}),
    "option": frozenset({"option", "optgroup"}),
    "td": frozenset({"td", "th"}) | _ROWS,
    "th": frozenset({"td", "th"}) | _ROWS,
    "tr": _ROWS,
    "thead": frozenset({"tbody", "tfoot"}),
    "tbody": frozenset({"tbody", "tfoot"}),
}
# Open elements searched for one that a start tag ends: "<li><b>one<li>" needs two. Searching all
# would take quadratic time on deep nesting.
_LOOK_BACK = cython.declare(cython.Py_ssize_t, 8)

# The same by number.
_COUNT = cython.declare(cython.int, len(ELEMENTS))
_IS_VOID = bytes(name in VOID for name in ELEMENTS)
_IS_ENDING = bytes(any(name in ended for ended in _ENDED_BY.values()) for name in ELEMENTS)
_IS_WALL = bytes(name in BLOCKS and name not in _ENDED_BY for name in ELEMENTS)
_IS_OUTER = bytes(name in BLOCKS and name != "p" for name in ELEMENTS)
_ENDS = bytes(name in _ENDED_BY.get(opened, ()) for opened in ELEMENTS for name in ELEMENTS)


@cython.cclass
class OpenElements:
    """The numbers of the open elements, outermost first."""

    depth: cython.Py_ssize_t
    _open: list[int]
    _counts: dict[int, int]
    _void: cython.const[cython.uchar][::1]
    _ending: cython.const[cython.uchar][::1]
    _wall: cython.const[cython.uchar][::1]
    _ends: cython.const[cython.uchar][::1]

    def __init__(self) -> None:
        self.depth, self._open, self._counts = 0, [], {}
        self._void, self._ending, self._wall, self._ends = _IS_VOID, _IS_ENDING, _IS_WALL, _ENDS

    @cython.ccall
    def start(self, element: cython.int) -> cython.Py_ssize_t:
        """Opens an element; returns how many others it ends."""
        ended: cython.Py_ssize_t = 0
        back: cython.Py_ssize_t
        opened: cython.int
        if element < _COUNT and self._ending[element]:
            for back in range(1, min(self.depth, _LOOK_BACK) + 1):
                opened = self._open[self.depth - back]
                if opened < _COUNT and self._ends[opened * _COUNT + element]:
                    ended = back
                elif opened < _COUNT and self._wall[opened]:
                    break
            self._pop(ended)
        if element >= _COUNT or not self._void[element]:
            self._open.append(element)
            self._counts[element] = self._counts.get(element, 0) + 1
            self.depth += 1
        return ended

    @cython.ccall
    def end(self, element: cython.int) -> cython.Py_ssize_t:
        """Closes the innermost of these elements; returns how many end, 0 if none is open."""
        if not self._counts.get(element):
            return 0
        ended: cython.Py_ssize_t = 1
        while self._open[self.depth - ended] != element:
            ended += 1
        self._pop(ended)
        return ended

    def is_over(self, element: cython.int) -> bool:
        """Whether a tag ends the outermost element. `element`: below 0 for an end tag."""
        depth: cython.Py_ssize_t = self.depth
        if element >= 0:
            return element > 0 and self.start(element) == depth
        ended: cython.Py_ssize_t = self.end(-element)
        # The end tag of a block outside closes this element, too.
        return ended == depth or (not ended and -element < _COUNT and _IS_OUTER[-element] == 1)

    @cython.cfunc
    def _pop(self, many: cython.Py_ssize_t) -> None:
        for _ in range(many):
            self._counts[self._open.pop()] -= 1
        self.depth -= many


def element_spans(
    numbers: array[int], jumps: dict[int, int], wanted: list[int]
) -> list[tuple[int, int, int]]:
    """The elements that begin at the `wanted` tokens: first token, end, innermost one around it.

    `numbers`: of the tokens' elements. `jumps`: tokens before non-markup, and where to continue.
    The end is the token after the last; 0 if the element has no content. -1: none is around it.
    """
    elements: OpenElements = OpenElements()
    element: cython.const[cython.int][::1] = numbers
    spans: list[tuple[int, int, int]] = []
    opened: list[tuple[int, int]] = []  # numbers of spans, with their depths
    skips = [*sorted(jumps.items()), (len(numbers), 0)]
    starts = [*wanted, len(numbers)]
    index: cython.Py_ssize_t = 0
    depth: cython.Py_ssize_t
    skip: cython.Py_ssize_t = 0
    start: cython.Py_ssize_t = 0
    next_skip: cython.Py_ssize_t = skips[0][0]
    next_start: cython.Py_ssize_t = starts[0]
    while index < len(element) and (opened or start < len(wanted)):
        depth = elements.depth
        if element[index] < 0:
            depth -= elements.end(-element[index])
        elif element[index] > 0:
            depth -= elements.start(element[index])
        while opened and opened[len(opened) - 1][1] > depth:
            number, _ = opened.pop()
            spans[number] = (spans[number][0], index, spans[number][2])
        if index == next_start:
            around = opened[len(opened) - 1][0] if opened else -1
            if elements.depth > depth:
                opened.append((len(spans), elements.depth))
            spans.append((index, 0, around))
            start += 1
            next_start = starts[start]
        if index == next_skip:
            index = skips[skip][1]
            skip += 1
            next_skip = skips[skip][0]
        else:
            index += 1
    for number, _ in opened:
        spans[number] = (spans[number][0], len(numbers), spans[number][2])
    return spans
