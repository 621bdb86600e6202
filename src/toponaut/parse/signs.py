"""Signs and spaces: what a reader does not see is dropped, and white space becomes what it looks like."""

import re
from html import unescape

# Signs that no reader sees: controls, soft hyphens, zero-width and direction marks.
_UNSEEN = (
    *map(chr, (*range(0x09), *range(0x0E, 0x1C), *range(0x7F, 0x85), *range(0x86, 0xA0), 0xAD, 0x61C, 0x180E)),
    *map(chr, (*range(0x200B, 0x2010), *range(0x202A, 0x202F), *range(0x2060, 0x2070), 0xFEFF)),
)
_UNSEEN_SIGN = re.compile("[" + "".join(map(re.escape, _UNSEEN)) + "]")
# All that str.split() parts words at.
_SPACES = tuple(sign for sign in map(chr, range(0x3001)) if sign.isspace() and sign != " ")
_NOT_LINES_OR_TABS = re.compile(r"[^\S\n\t]")
_PREFORMATTED = ("<pre", "<PRE", "<Pre", "<listing", "<LISTING")
KEPT_SPACE = "\x01"  # a space inside <pre>, until the text is done: no control character of the page gets here


def has_preformatted(markup: str) -> bool:
    """Whether some white space of the page counts."""
    return any(tag in markup for tag in _PREFORMATTED)


def clean(markup: str, preformatted: bool) -> str:
    """Without signs that nobody sees, and with single spaces for all white space, unless some is to be kept."""
    for sign in _UNSEEN:
        if sign in markup:
            markup = markup.replace(sign, "")
    if preformatted:
        return markup.replace("\r\n", "\n").replace("\r", "\n")
    for sign in _SPACES:
        if sign in markup:
            markup = markup.replace(sign, " ")
    while "  " in markup:  # halves the longest run each time
        markup = markup.replace("  ", " ")
    return markup


def tidy(text: str, keep: bool) -> str:
    """Decodes character references; one space for each run of white space, or inside <pre> all as it is."""
    text = _UNSEEN_SIGN.sub("", unescape(text))
    if keep:
        return _NOT_LINES_OR_TABS.sub(KEPT_SPACE, text)
    words = " ".join(text.split())
    if not words:
        return " " if text else ""
    return " " * text[0].isspace() + words + " " * text[-1].isspace()


def words(text: str) -> str:
    """A title, an attribute or the like as one line of text."""
    return " ".join(_UNSEEN_SIGN.sub("", unescape(text)).split())
