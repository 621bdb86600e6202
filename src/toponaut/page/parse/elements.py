"""The open elements: the part of a tree that hidden elements and structured data need.

Follows the HTML standard for omitted end tags ("<li>one<li>two") and for end tags that close all
elements opened since. Misnested formatting is not repaired; nothing here depends on it.
"""

from collections import Counter

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
# The effect of a tag name on open elements, as bits for the kernel: block, void; a bit for each
# name above if it is that one; from bit 16 on, the names that its start tag ends.
ELEMENTS = {
    name: (name in BLOCKS)
    | (name in VOID) << 1
    | sum(
        (name == one) << 2 + bit | (name in ends) << 16 + bit
        for bit, (one, ends) in enumerate(_ENDED_BY.items())
    )
    for name in BLOCKS | VOID | _ENDED_BY.keys() | _ENDING
}
# Open elements searched for one that a start tag ends: "<li><b>one<li>" needs two. Searching all
# would take quadratic time on deep nesting.
_LOOK_BACK = 8


class OpenElements:
    """The names of the open elements, outermost first."""

    def __init__(self) -> None:
        self.names: list[str] = []
        self._counts: Counter[str] = Counter()

    def start(self, name: str) -> int:
        """Opens an element; returns how many others it ends."""
        ended = 0
        for depth, opened in enumerate(
            reversed(self.names[-_LOOK_BACK:]) if name in _ENDING else (), 1
        ):
            if name in _ENDED_BY.get(opened, ()):
                ended = depth
            elif opened in BLOCKS and opened not in _ENDED_BY:
                break
        self._pop(ended)
        if name not in VOID:
            self.names.append(name)
            self._counts[name] += 1
        return ended

    def end(self, name: str) -> int:
        """Closes the innermost element of that name; returns how many end, 0 if none is open."""
        if not self._counts[name]:
            return 0
        ended = 1
        while self.names[-ended] != name:
            ended += 1
        self._pop(ended)
        return ended

    def _pop(self, many: int) -> None:
        for _ in range(many):
            self._counts[self.names.pop()] -= 1
