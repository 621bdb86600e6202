"""The effect of each tag on the text: the table for flow.py.

A kind is a number. Its low bits are a gap: how far the tag separates the text before and after it.
The higher bits may be an event (something begins or ends) or a jump (no plain text follows).
"""

import re

import cython

from toponaut.page.parse.markup import RAW, VOID, attributes, quotes_closed, tag_name

# Gaps, from narrow to wide, and their separators. A cell is wider than the paragraphs in it, so
# that a row of a layout table stays one line.
NONE, SPACE, LINE, BREAK, PARAGRAPH, CELL, ROW, TABLE = range(8)
SEPARATORS = ("", " ", "\n", "\n", "\n\n", "\t", "\n", "\n\n")
GAP = 7

# Events and jumps are multiples of 8, so that a gap fits below.
EVENT = 8
LINK, LINK_END, IMAGE, POINT, NOTE = range(8, 48, 8)
MARK, MARK_END = 64, 128  # plus 8 times the number of the mark
MARKS = ("h1", "h2", "h3", "h4", "h5", "h6", "b", "address")
JUMP = 192
BROKEN, COMMENT, LITERAL, RAW_TEXT, HIDDEN, PRE, PRE_END = range(192, 248, 8)

_LINES = "address caption center dd details dialog dir div dt figcaption li legend option summary"
_PARAGRAPHS = (
    "article aside blockquote body dl fieldset figure footer form frameset h1 h2 h3 h4 h5 h6 "
    "header hgroup hr main menu nav noframes ol p pre listing section search ul"
)
# Not shown. Choices of a form are not statements of the page: a <select> with all countries would
# look like places that the page is about.
_NEVER_SHOWN = "template select datalist rp desc metadata noembed"
BLOCKS = frozenset(f"{_LINES} {_PARAGRAPHS} table thead tbody tfoot tr td th".split())


def _table() -> dict[str, int]:
    """Kinds by tag name, end tags with "/". All other tags are inline and have no effect."""
    kinds: dict[str, int] = {
        "br": BREAK,
        "a": LINK,
        "/a": LINK_END,
        "img": IMAGE,
    }
    kinds |= {"area": POINT, "frame": POINT}  # links without text
    for gap, names in (
        (LINE, _LINES),
        (PARAGRAPH, _PARAGRAPHS),
        (ROW, "tr thead tbody tfoot caption"),
        (TABLE, "table"),
    ):
        for name in names.split():
            kinds[name] = kinds["/" + name] = gap
    kinds |= {"td": CELL, "th": CELL, "/option": NONE}
    for number, name in (*enumerate(MARKS), (MARKS.index("b"), "strong")):
        kinds[name] = MARK + EVENT * number | kinds.get(name, NONE)
        kinds["/" + name] = MARK_END + EVENT * number | kinds.get("/" + name, NONE)
    kinds |= dict.fromkeys(("html", "base", "meta", "link"), NOTE)
    kinds |= dict.fromkeys(RAW, RAW_TEXT)
    kinds |= dict.fromkeys(_NEVER_SHOWN.split(), HIDDEN)
    kinds["select"] |= SPACE  # a box between words
    for name in ("pre", "listing"):
        kinds |= {name: PRE | PARAGRAPH, "/" + name: PRE_END | PARAGRAPH}
    return kinds


NAMES = _table()
_NAMES = cython.declare(dict, NAMES)
_WHOLE_COMMENT = len("!----")  # shorter: empty ("<!-->"), or followed by a tag ("<!--<p>")
_NOT_DISPLAYED = re.compile(r"(?:display\s*:\s*none|visibility\s*:\s*hidden)", re.IGNORECASE)
# Pages that a script reveals hide their root, but their text is meant to be read.
_ROOTS = frozenset({"html", "body"})


class Kinds(dict[str, int]):
    """The kinds of a page's tags by head, each computed once.

    `others` collects all distinct tags except those without attributes.
    """

    def __init__(self) -> None:
        super().__init__(NAMES)
        self.others: list[str] = []

    def __missing__(self, head: str) -> int:
        kind = _kind(head)
        self.others.append(head)
        self[head] = kind
        return kind


_D = cython.declare(cython.uint, ord("d"))
_N = cython.declare(cython.uint, ord("n"))
_O = cython.declare(cython.uint, ord("o"))


@cython.cfunc
def _kind(head: str) -> int:
    name = tag_name(head)
    if not name:
        return _no_tag(head)
    kind = _NAMES.get(name, NONE)
    sign: cython.Py_UCS4
    has_single: cython.bint = False  # quotes
    is_odd: cython.bint = False  # the number of double quotes
    may_hide: cython.bint = False  # contains "dd" or "non", as "hidden" and "none" do
    one: cython.uint = 0  # the two characters before, in lower case
    two: cython.uint = 0
    low: cython.uint
    for sign in head:
        low = ord(sign) | 0x20
        if (low == two == _D) or (low == one == _N and two == _O):
            may_hide = True
        one, two = two, low
        if sign == '"':
            is_odd = not is_odd
        elif sign == "'":
            has_single = True
    if (has_single or is_odd) and not quotes_closed(head):
        return BROKEN
    if may_hide:
        small = head.lower()
        if ("none" in small or "hidden" in small) and is_hidden(name, head):
            return HIDDEN | kind & GAP
    return kind


def _no_tag(head: str) -> int:
    if head.startswith("!--") and (len(head) < _WHOLE_COMMENT or not head.endswith("--")):
        return COMMENT
    return NONE if head[:1] in ("!", "?", "/") else LITERAL


def is_hidden(name: str, head: str) -> bool:
    """Whether a tag hides its element: by the hidden attribute, or by a style."""
    if name[0] == "/" or name in VOID or name in _ROOTS:
        return False
    found = attributes(head)
    return "hidden" in found or _NOT_DISPLAYED.search(found.get("style", "")) is not None
