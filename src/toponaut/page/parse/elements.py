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
_IS_VOID = cython.declare(bytes, bytes(name in VOID for name in ELEMENTS))
_IS_ENDING = cython.declare(
    bytes, bytes(any(name in ended for ended in _ENDED_BY.values()) for name in ELEMENTS)
)
_IS_WALL = cython.declare(
    bytes, bytes(name in BLOCKS and name not in _ENDED_BY for name in ELEMENTS)
)
_IS_OUTER = cython.declare(bytes, bytes(name in BLOCKS and name != "p" for name in ELEMENTS))
_ENDS = cython.declare(
    bytes, bytes(name in _ENDED_BY.get(opened, ()) for opened in ELEMENTS for name in ELEMENTS)
)


@cython.cclass
class OpenElements:
    """The numbers of the open elements, outermost first."""

    depth: cython.Py_ssize_t
    _open: cython.int[::1]
    _counts: cython.int[::1]  # by number: how many are open

    def __init__(self) -> None:
        self.depth = 0
        self._open = array("i", bytes(4 * 64))
        self._counts = array("i", bytes(4 * 2 * _COUNT))

    @cython.ccall
    def start(self, element: cython.int) -> cython.Py_ssize_t:
        """Opens an element; returns how many others it ends."""
        ended: cython.Py_ssize_t = 0
        back: cython.Py_ssize_t
        opened: cython.int
        if element < _COUNT and _IS_ENDING[element]:
            for back in range(1, min(self.depth, _LOOK_BACK) + 1):
                opened = self._open[self.depth - back]
                if opened < _COUNT and _ENDS[opened * _COUNT + element]:
                    ended = back
                elif opened < _COUNT and _IS_WALL[opened]:
                    break
            self._pop(ended)
        if element >= _COUNT or not _IS_VOID[element]:
            self._push(element)
        return ended

    @cython.ccall
    def end(self, element: cython.int) -> cython.Py_ssize_t:
        """Closes the innermost of these elements; returns how many end, 0 if none is open."""
        if element >= self._counts.shape[0] or not self._counts[element]:
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
    def _push(self, element: cython.int) -> None:
        if self.depth == self._open.shape[0]:
            self._open = _doubled(self._open)
        while element >= self._counts.shape[0]:
            self._counts = _doubled(self._counts)
        self._open[self.depth] = element
        self._counts[element] += 1
        self.depth += 1

    @cython.cfunc
    def _pop(self, many: cython.Py_ssize_t) -> None:
        for _ in range(many):
            self.depth -= 1
            self._counts[self._open[self.depth]] -= 1


@cython.cfunc
def _doubled(numbers: cython.int[::1]) -> array[int]:
    """Some numbers, and as many zeros."""
    return array("i", bytes(numbers) + bytes(4 * numbers.shape[0]))


def element_depths(numbers: array[int], nexts: array[int]) -> tuple[array[int], array[int]]:
    """How many elements are open after each token has ended some, and after it has begun one.

    `numbers`: of the tokens' elements. `nexts`: the token to read after each.
    """
    elements: OpenElements = OpenElements()
    element: cython.const[cython.int][::1] = numbers
    following: cython.const[cython.int][::1] = nexts
    results = array("i", bytes(4 * len(numbers))), array("i", bytes(4 * len(numbers)))
    floors: cython.int[::1] = results[0]
    depths: cython.int[::1] = results[1]
    index: cython.Py_ssize_t = 0
    before: cython.Py_ssize_t
    while index < element.shape[0]:
        before = elements.depth
        if element[index] < 0:
            floors[index] = before - elements.end(-element[index])
        elif element[index] > 0:
            floors[index] = before - elements.start(element[index])
        else:
            floors[index] = before
        depths[index] = elements.depth
        index = following[index]
    return results
