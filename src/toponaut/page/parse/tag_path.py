"""The tag path of a link: the sections around it with their classes, as a number.

Links at one place of a site's template (its menu, a list of cards, the footer) have the same path,
on all pages of the template. Gauquier, Manolescu and Senellart 2026 group links by it. A path here
is the link's own class and the nearest three sections, each by its name and its first class without
digits ("post-17" is "post-"). Sections are elements whose end tags cannot be omitted; one that is
omitted nevertheless shifts the rest of the page, alike on all pages of the template.

Classes are read only of sections that hold a link.
"""

from array import array

import cython

from toponaut.page.parse.kinds import ELEMENTS
from toponaut.page.parse.markup import Token, tag_name
from toponaut.page.parse.text import to_utf8
from toponaut.page.parse.tokens import MarkupTokens

_SECTIONS = frozenset("article aside div footer form header main nav ol section table ul".split())
_IS_SECTION = bytes(name in _SECTIONS for name in ELEMENTS)  # by number of the element
_DEEP = cython.declare(cython.Py_ssize_t, 256)  # sections deeper than this are not told apart
_FIRST = cython.declare(cython.ulonglong, 0xCBF29CE484222325)  # FNV-1a
_PRIME = cython.declare(cython.ulonglong, 0x100000001B3)
_KEPT = cython.declare(cython.ulonglong, 0x7FFFFFFF)  # 31 bits: a path is small in a message
_SPACE = cython.declare(cython.uchar, ord(" "))


@cython.cclass
class TagPaths:
    """The paths of the links of a page, asked in the order of the page."""

    _markup: bytes
    _cuts: cython.longlong[::1]
    _closes: cython.longlong[::1]
    _elements: cython.int[::1]
    _is_section: cython.const[cython.uchar][::1]
    _opened: cython.longlong[::1]  # the tokens of the open sections
    _codes: cython.ulonglong[::1]  # of these tokens; 0: not read yet
    _depth: cython.Py_ssize_t
    _at: cython.Py_ssize_t  # the first token that was not read
    _repaired: dict[int, Token]
    _jumps: dict[int, int]
    _turns: list[int]  # tokens before non-markup, the last first

    def __init__(self, tokens: MarkupTokens, jumps: dict[int, int]) -> None:
        self._markup, self._cuts, self._closes = tokens.markup, tokens.cuts, tokens.closes
        self._elements, self._repaired = tokens.elements, tokens.repaired
        self._is_section = _IS_SECTION
        self._opened = array("q", bytes(8 * 256))
        self._codes = array("Q", bytes(8 * 256))
        self._depth = self._at = 0
        self._jumps, self._turns = jumps, sorted(jumps, reverse=True)

    def path(self, index: int, class_code: int) -> int:
        """The path of the link at a token. Never 0, which is a link without a known path."""
        self._read_to(index)
        code: cython.ulonglong = class_code
        depth: cython.Py_ssize_t = min(self._depth, _DEEP)
        level: cython.Py_ssize_t
        for level in range(depth - 1, max(depth - 4, -1), -1):
            if not self._codes[level]:
                self._codes[level] = self._code(self._opened[level])
            code = (code ^ self._codes[level]) * _PRIME
        return int((code ^ (code >> 32)) & _KEPT) or 1

    @cython.cfunc
    def _read_to(self, index: cython.Py_ssize_t) -> None:
        """Opens and closes the sections of all tokens before `index`."""
        while self._at < index:
            if not self._turns:
                self._read_plain(index)
                return
            turn: cython.Py_ssize_t = self._turns[len(self._turns) - 1]
            if turn >= index:
                self._read_plain(index)
                return
            self._read_plain(turn + 1)
            self._at = max(self._at, self._jumps[turn])
            if self._at in self._repaired and not tag_name(self._repaired[self._at][0]):
                self._at += 1  # the end of a comment, split as a tag
            self._turns.pop()

    @cython.cfunc
    def _read_plain(self, end: cython.Py_ssize_t) -> None:
        """The same, for tokens without anything else between them."""
        known: cython.Py_ssize_t = self._is_section.shape[0]
        at: cython.Py_ssize_t
        number: cython.int
        for at in range(self._at, min(end, self._elements.shape[0])):
            number = self._elements[at]
            if 0 < number < known:
                if self._is_section[number]:
                    self._open(at)
            elif -known < number < 0 and self._is_section[-number]:
                self._depth = max(self._depth - 1, 0)
        self._at = max(self._at, end)

    @cython.cfunc
    def _open(self, token: cython.Py_ssize_t) -> None:
        if self._depth < _DEEP:
            self._opened[self._depth] = token
            self._codes[self._depth] = 0
        self._depth += 1

    @cython.cfunc
    def _code(self, token: cython.Py_ssize_t) -> cython.ulonglong:
        """A number for a tag's name and its first class."""
        start: cython.Py_ssize_t = self._cuts[token] + 1
        end: cython.Py_ssize_t = self._closes[token]
        code: cython.ulonglong = (_FIRST ^ self._elements[token]) * _PRIME
        given: cython.Py_ssize_t = self._markup.find(b"class=", start, end)
        if given >= 0:
            given += 6
            if given < end and self._markup[given] in b"\"'":
                given += 1
            code = _word(self._markup, given, end, code)
        return code or 1


def class_code(own_class: str) -> int:
    """A number for the first class of a link."""
    own: bytes = to_utf8(own_class)
    return _word(own, 0, len(own), _FIRST)


@cython.cfunc
def _word(
    text: bytes, at: cython.Py_ssize_t, end: cython.Py_ssize_t, code: cython.ulonglong
) -> cython.ulonglong:
    """Adds the first word to a number, without digits and in lower case."""
    letters: cython.const[cython.uchar][::1] = text
    sign: cython.uchar
    while at < end and letters[at] == _SPACE:
        at += 1
    while at < end:
        sign = letters[at]
        if sign in (0x20, 0x22, 0x27, 0x3E):  # space, quotes, ">"
            break
        if not 0x30 <= sign <= 0x39:
            code = (code ^ (sign | 0x20)) * _PRIME
        at += 1
    return (code ^ 0xFF) * _PRIME
