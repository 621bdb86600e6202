"""The effect of each tag on the text: the table for flow.py.

A kind is a number. Its low bits are a gap: how far the tag separates the text before and after it.
The higher bits may be an event (something begins or ends) or a jump (no plain text follows).
"""

import re
from functools import lru_cache

import cython

from toponaut.page.parse.markup import RAW, VOID, attributes, quotes_closed, tag_name

if not cython.compiled:
    raise ImportError("toponaut is not compiled: run make setup, or reinstall it")

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
UNSURE = 248  # `kind_of` knows

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
# Elements without an effect that are frequent.
_FREQUENT = (
    "abbr acronym audio bdi bdo big button canvas circle cite code data del dfn em font g head i "
    "html ins kbd label line map mark meter noscript object optgroup path picture polygon q rect s "
    "samp small span strike sub sup svg symbol time tt u use var video"
)
# All of these elements, by number; 0 is not an element.
ELEMENTS = ("", *sorted({name.lstrip("/") for name in NAMES} | VOID | set(_FREQUENT.split())))
_HIDING = "hHiIsS"  # of hidden, id and style
_WHOLE_COMMENT = len("!----")  # shorter: empty ("<!-->"), or followed by a tag ("<!--<p>")
_NOT_DISPLAYED = re.compile(r"(?:display\s*:\s*none|visibility\s*:\s*hidden)", re.IGNORECASE)
# Pages that a script reveals hide their root, but their text is meant to be read.
_ROOTS = frozenset({"html", "body"})


def kind_of(head: str) -> int:
    """The kind of a tag."""
    name = tag_name(head)
    if not name:
        return _no_tag(head)
    if not quotes_closed(head):
        return BROKEN
    kind = NAMES.get(name, NONE)
    small = head.lower()
    if ("none" in small or "hidden" in small) and is_hidden(name, head):
        return HIDDEN | kind & GAP
    return kind


# Reading a kind takes long, and pages of a site share their tags. Long ones are mostly comments.
_known_kind = lru_cache(maxsize=8192)(kind_of)
_SHORT = 200  # characters


def known_kind(head: str) -> int:
    """As kind_of, remembered."""
    return _known_kind(head) if len(head) < _SHORT else kind_of(head)


def _no_tag(head: str) -> int:
    if head.startswith("!--") and (len(head) < _WHOLE_COMMENT or not head.endswith("--")):
        return COMMENT
    return NONE if head[:1] in ("!", "?", "/") else LITERAL


def is_hidden(name: str, head: str) -> bool:
    """Whether a tag hides its element for good: by the hidden attribute, or by a style."""
    if name[0] == "/" or name in VOID or name in _ROOTS:
        return False
    found = attributes(head, _HIDING)
    if "hidden" in found:
        return True
    # With an id, a script shows it on a click: the offices of a company under tabs.
    return "id" not in found and _NOT_DISPLAYED.search(found.get("style", "")) is not None
