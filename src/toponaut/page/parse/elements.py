"""The open elements: the part of a tree that hidden elements and structured data need.

Follows the HTML standard for omitted end tags ("<li>one<li>two") and for end tags that close all
elements opened since. Misnested formatting is not repaired; nothing here depends on it.
"""

import cython

from toponaut.page.parse.kinds import BLOCKS
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
_ENDING = frozenset().union(*_ENDED_BY.values())
# Open elements searched for one that a start tag ends: "<li><b>one<li>" needs two. Searching all
# would take quadratic time on deep nesting.
_LOOK_BACK = cython.declare(cython.Py_ssize_t, 8)


@cython.cclass
class OpenElements:
    """The names of the open elements, outermost first."""

    names = cython.declare(list, visibility="readonly")
    _counts: dict[str, int]

    def __init__(self) -> None:
        self.names = []
        self._counts = {}

    def start(self, name: str) -> int:
        """Opens an element; returns how many others it ends."""
        ended: cython.Py_ssize_t = 0
        depth: cython.Py_ssize_t = len(self.names)
        back: cython.Py_ssize_t
        if name in _ENDING:
            for back in range(1, min(depth, _LOOK_BACK) + 1):
                opened: str = self.names[depth - back]
                if name in _ENDED_BY.get(opened, ()):
                    ended = back
                elif opened in BLOCKS and opened not in _ENDED_BY:
                    break
            self._pop(ended)
        if name not in VOID:
            self.names.append(name)
            self._counts[name] = self._counts.get(name, 0) + 1
        return ended

    def end(self, name: str) -> int:
        """Closes the innermost element of that name; returns how many end, 0 if none is open."""
        if not self._counts.get(name):
            return 0
        depth: cython.Py_ssize_t = len(self.names)
        ended: cython.Py_ssize_t = 1
        while self.names[depth - ended] != name:
            ended += 1
        self._pop(ended)
        return ended

    @cython.cfunc
    def _pop(self, many: cython.Py_ssize_t) -> None:
        for _ in range(many):
            self._counts[self.names.pop()] -= 1
