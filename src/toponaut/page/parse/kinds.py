"""The effect of each tag on the text: the table for flow.py.

A kind is a number. Its low bits are a gap: how far the tag separates the text before and after it.
The higher bits may be an event (something begins or ends) or a jump (no plain text follows).
"""

import re
from functools import lru_cache

from toponaut.page.parse.markup import (
    RAW,
    REPAIRED_CHUNK,
    VOID,
    attributes,
    quotes_closed,
    tag_name,
)

# Gaps, from narrow to wide, and their separators. A cell is wider than the paragraphs in it, so
# that a row of a layout table stays one line.
NONE, SPACE, LINE, BREAK, PARAGRAPH, CELL, ROW, TABLE = range(8)
SEPARATORS = ("", " ", "\n", "\n", "\n\n", "\t", "\n", "\n\n")
GAP = 7
# Two gaps combined: the wider one, except line breaks, which add up.
WIDER = tuple(
    tuple(PARAGRAPH if one == another == BREAK else max(one, another) for another in range(GAP + 1))
    for one in range(GAP + 1)
)

# Events and jumps are multiples of 8, so that a gap fits below.
EVENT = 8
LINK, LINK_END, IMAGE, POINT, NOTE = range(8, 48, 8)
MARK, MARK_END = 64, 128  # plus 8 times the number of the mark
MARKS = ("h1", "h2", "h3", "h4", "h5", "h6", "b", "address")
JUMP = 192
REPAIRED, BROKEN, COMMENT, LITERAL, RAW_TEXT, HIDDEN, PRE, PRE_END = range(192, 256, 8)

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
        REPAIRED_CHUNK: REPAIRED,
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
_WHOLE_COMMENT = len("!----")  # shorter: empty ("<!-->"), or followed by a tag ("<!--<p>")
_NOT_DISPLAYED = re.compile(r"(?:display\s*:\s*none|visibility\s*:\s*hidden)", re.IGNORECASE)
# Pages that a script reveals hide their root, but their text is meant to be read.
_ROOTS = frozenset({"html", "body"})


# A path that joining and normalising leave unchanged. (Twice as fast as with \w.)
PLAIN_PATH = r"(?:(?:/[a-zA-Z0-9_~-][a-zA-Z0-9_.~-]*+)++/?|/)"
# Scheme, host and port: their normal form is the same in all URLs that start with them.
PLAIN_ORIGIN = r"https?://[a-zA-Z0-9_.:-]{1,255}+"
# A link's tag as most are written, and not hidden. Its URL is a plain path, with or without an
# origin, or anything else.
PLAIN_LINK = re.compile(
    rf'a(?: (?:(?(2)(?!))(?(3)(?!))href="(?:({PLAIN_ORIGIN})?+({PLAIN_PATH})"|([^"&>]*+)")'
    r'|title="([^"&>]*+)"|rel="([^"&>]*+)"|(?!href|title|rel|style|hidden)[a-z-]++="[^">]*+"))*+>'
)
# Origin, plain path, other URL, title, rel of a link's tag, each if present.
LinkTarget = tuple[str | None, str | None, str | None, str | None, str | None]


def link_target(plain: re.Match[str]) -> LinkTarget:
    """The parts of a plain link's tag."""
    origin, path, href, title, rel = plain.groups()
    # With another URL, the first two are leftovers of the pattern's first attempt.
    return (origin, path, href, title, rel) if href is None else (None, None, href, title, rel)


_NOTES = frozenset({"meta ", "link "})  # long tags that differ between pages


class Kinds(dict[str, int]):
    """The kinds of a page's tags by head, each computed once.

    `others` collects all distinct tags except plain links and tags without attributes.
    """

    def __init__(self) -> None:
        super().__init__(NAMES)
        self.others: list[str] = []

    def __missing__(self, head: str) -> int:
        # A repaired tag may contain ">".
        if head[:2] == "a " and PLAIN_LINK.match(head.replace(">", "") + ">"):
            kind = LINK
        elif head[:5] in _NOTES and "'" not in head and not head.count('"') & 1:
            kind = NOTE
            self.others.append(head)
        else:
            kind = _kind_of_short(head) if len(head) < _SHORT else _kind(head)
            self.others.append(head)
        self[head] = kind
        return kind


# Pages of a site share tags; a cached kind takes a fifth of the time.
_SHORT = 80  # characters: bounds the memory of the cache


@lru_cache(maxsize=4096)
def _kind_of_short(head: str) -> int:
    return _kind(head)


def _kind(head: str) -> int:
    name = head.partition(" ")[0]
    kind = NAMES.get(name)
    if kind is None:
        name = tag_name(head)
        if not name:
            return _no_tag(head)
        kind = NAMES.get(name, NONE)
    if ("'" in head or head.count('"') & 1) and not quotes_closed(head):
        return BROKEN
    low = head.lower()
    if ("none" in low or "hidden" in low) and is_hidden(name, head):
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
