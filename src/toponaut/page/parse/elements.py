"""Which elements are open: the little of a tree that hidden elements and structured data need.

Follows the HTML standard where pages do: end tags that may be left out ("<li>one<li>two"), and an end tag
that closes everything opened since. It does not repair misnested formatting; no gap, link or item depends
on that.
"""

from collections import Counter

from toponaut.page.parse.kinds import BLOCKS
from toponaut.page.parse.markup import VOID

_ROWS = frozenset({"tr", "thead", "tbody", "tfoot"})
# An element whose end tag may be left out, and the start tags that end it.
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
# What a name does to open elements, as bits for the kernel: whether it is a block's, or without content; then a bit for
# each name above if it is that one, and from bit 16 on for those that its start tag ends.
ELEMENTS = {
    name: (name in BLOCKS)
    | (name in VOID) << 1
    | sum(
        (name == one) << 2 + bit | (name in ends) << 16 + bit
        for bit, (one, ends) in enumerate(_ENDED_BY.items())
    )
    for name in BLOCKS | VOID | _ENDED_BY.keys() | _ENDING
}
# How many open elements are looked through for one that a start tag ends: "<li><b>one<li>" needs two. Looking
# through all of them would take quadratic time on deep nesting.
_LOOK_BACK = 8


class OpenElements:
    """The names of the elements that are open at a point of the stream, outermost first."""

    def __init__(self) -> None:
        self.names: list[str] = []
        self._counts: Counter[str] = Counter()

    def start(self, name: str) -> int:
        """Opens an element; says how many others end before it."""
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
        """Closes the innermost element of that name; says how many end with it, 0 if none is open."""
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
