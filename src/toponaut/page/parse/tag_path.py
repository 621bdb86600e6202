"""The tag path of a link: the sections around it with their classes, as a number.

Links at one place of a site's template (its menu, a list of cards, the footer) have the same path,
on all pages of the template. Gauquier, Manolescu and Senellart 2026 group links by it. A path here
is the link's own class and the nearest three sections, each by its name and its first class without
digits ("post-17" is "post-"). Sections are elements whose end tags cannot be omitted; one that is
omitted nevertheless shifts the rest of the page, alike on all pages of the template.

Only the first letters of most tags are read, and classes only of sections that hold a link.
"""

from array import array

import cython

from toponaut.page.parse.markup import MarkupTokens, Token, tag_name

_DEEP = cython.declare(cython.Py_ssize_t, 256)  # sections deeper than this are not told apart
_FIRST = cython.declare(cython.ulonglong, 0xCBF29CE484222325)  # FNV-1a
_PRIME = cython.declare(cython.ulonglong, 0x100000001B3)
_KEPT = cython.declare(cython.ulonglong, 0x7FFFFFFF)  # 31 bits: a path is small in a message


@cython.cclass
class TagPaths:
    """The paths of the links of a page, asked in the order of the page."""

    _markup: str
    _cuts: cython.longlong[::1]
    _opened: cython.longlong[::1]  # where the tags of the open sections begin
    _codes: cython.ulonglong[::1]  # of these tags; 0: not read yet
    _depth: cython.Py_ssize_t
    _at: cython.Py_ssize_t  # the first token that was not read
    _repaired: dict[int, Token]
    _jumps: dict[int, int]
    _turns: list[int]  # tokens before non-markup, the last first

    def __init__(self, tokens: MarkupTokens, jumps: dict[int, int]) -> None:
        self._markup, self._cuts = tokens.markup, tokens.cuts
        self._repaired = tokens.repaired
        self._opened = array("q", bytes(8 * 256))
        self._codes = array("Q", bytes(8 * 256))
        self._depth = self._at = 0
        self._jumps, self._turns = jumps, sorted(jumps, reverse=True)

    def path(self, index: int, own_class: str) -> int:
        """The path of the link at a token. Never 0, which is a link without a known path."""
        self._read_to(index)
        code: cython.ulonglong = _word(own_class, 0, len(own_class), _FIRST)
        depth: cython.Py_ssize_t = min(self._depth, _DEEP)
        level: cython.Py_ssize_t
        for level in range(depth - 1, max(depth - 4, -1), -1):
            if not self._codes[level]:
                self._codes[level] = _code(self._markup, self._opened[level])
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
        markup: str = self._markup
        cuts: cython.longlong[::1] = self._cuts
        last: cython.Py_ssize_t = len(markup) - 3
        at: cython.Py_ssize_t
        start: cython.Py_ssize_t
        sign: cython.Py_UCS4
        for at in range(self._at, end):
            start = cuts[at] + 1
            if start > last:
                break
            sign = markup[start]
            if sign == "/":
                sign = markup[start + 1]
                if sign != "l" and sign != "p" and _is_section(markup, start + 1, sign):
                    self._depth = max(self._depth - 1, 0)
            elif sign != "l" and sign != "p" and _is_section(markup, start, sign):
                self._open(start)
        self._at = max(self._at, end)

    @cython.cfunc
    def _open(self, start: cython.Py_ssize_t) -> None:
        if self._depth < _DEEP:
            self._opened[self._depth] = start
            self._codes[self._depth] = 0
        self._depth += 1


@cython.cfunc
@cython.inline
def _is_section(markup: str, at: cython.Py_ssize_t, first: cython.Py_UCS4) -> cython.bint:
    """Whether the name at an offset, which has its first letter there, is a section's."""
    second: cython.uint = ord(markup[at + 1]) | 0x20
    low: cython.uint = ord(first) | 0x20
    if low == 0x64:  # d
        return second == 0x69 and _is_name(markup, at, "div")
    if low == 0x61:  # a
        return (second == 0x72 and _is_name(markup, at, "article")) or (
            second == 0x73 and _is_name(markup, at, "aside")
        )
    if low == 0x73:  # s
        return second == 0x65 and _is_name(markup, at, "section")
    if low == 0x75:  # u
        return second == 0x6C and _is_name(markup, at, "ul")
    if low == 0x6F:  # o
        return second == 0x6C and _is_name(markup, at, "ol")
    if low == 0x74:  # t
        return second == 0x61 and _is_name(markup, at, "table")
    if low == 0x68:  # h
        return second == 0x65 and _is_name(markup, at, "header")
    if low == 0x6E:  # n
        return second == 0x61 and _is_name(markup, at, "nav")
    if low == 0x66:  # f
        return second == 0x6F and (_is_name(markup, at, "footer") or _is_name(markup, at, "form"))
    return low == 0x6D and second == 0x61 and _is_name(markup, at, "main")


@cython.cfunc
def _is_name(markup: str, at: cython.Py_ssize_t, name: str) -> cython.bint:
    """Whether a tag's name at an offset is `name`, in any case."""
    size: cython.Py_ssize_t = len(name)
    step: cython.Py_ssize_t
    if at + size >= len(markup):
        return False
    for step in range(2, size):
        if (ord(markup[at + step]) | 0x20) != ord(name[step]):
            return False
    after: cython.Py_UCS4 = markup[at + size]
    return after == ">" or after == " " or after == "/" or after == "\n" or after == "\t"


@cython.cfunc
def _code(markup: str, start: cython.Py_ssize_t) -> cython.ulonglong:
    """A number for a tag's name and its first class."""
    end: cython.Py_ssize_t = markup.find(">", start)
    if end < 0:
        end = len(markup)
    stop: cython.Py_ssize_t = start
    while stop < end and markup[stop].isalnum():
        stop += 1
    code: cython.ulonglong = _word(markup, start, stop, _FIRST)
    given: cython.Py_ssize_t = markup.find("class=", stop, end)
    if given >= 0:
        given += 6
        if given < end and (markup[given] == '"' or markup[given] == "'"):
            given += 1
        code = _word(markup, given, end, code)
    return code or 1


@cython.cfunc
def _word(
    text: str, at: cython.Py_ssize_t, end: cython.Py_ssize_t, code: cython.ulonglong
) -> cython.ulonglong:
    """Adds the first word to a number, without digits and in lower case."""
    sign: cython.Py_UCS4
    while at < end and text[at] == " ":
        at += 1
    while at < end:
        sign = text[at]
        if sign == " " or sign == '"' or sign == "'" or sign == ">":
            break
        if not "0" <= sign <= "9":
            code = (code ^ (ord(sign) | 0x20)) * _PRIME
        at += 1
    return (code ^ 0xFF) * _PRIME
