"""Signs and spaces: what a reader does not see is dropped, and white space becomes what it looks like."""

import html
import re

import numpy as np

from toponaut.kernels import COMPILED, Kernels

# Signs that no reader sees: controls, soft hyphens, zero-width and direction marks.
_UNSEEN = frozenset(
    (
        *map(
            chr,
            (
                *range(0x09),
                *range(0x0E, 0x1C),
                *range(0x7F, 0x85),
                *range(0x86, 0xA0),
                0xAD,
                0x61C,
                0x180E,
            ),
        ),
        *map(chr, (*range(0x200B, 0x2010), *range(0x202A, 0x202F), *range(0x2060, 0x2070), 0xFEFF)),
    )
)
_UNSEEN_SIGN = re.compile("[" + "".join(map(re.escape, _UNSEEN)) + "]")
# Bytes of windows-1252 that somebody took for Latin-1, where they are controls. No page means those, and browsers read the
# references "&#146;" and the like so, too: "don\x92t" is "don’t".
_MISTAKEN = {
    chr(code): bytes([code]).decode("cp1252")
    for code in range(0x80, 0xA0)
    if code not in (0x81, 0x8D, 0x8F, 0x90, 0x9D)
}
# All that str.split() parts words at.
_SPACES = frozenset(sign for sign in map(chr, range(0x3001)) if sign.isspace() and sign != " ")
_ODD = "".join(sorted(_UNSEEN | _SPACES | _MISTAKEN.keys()))  # what a page's markup is searched for


def _what() -> bytes:
    """Of each sign, by its code: whether it is white space (1), or something else has to be done about it (2)."""
    table = bytearray(0xFF00)
    for sign in _SPACES | _UNSEEN | _MISTAKEN.keys():
        table[ord(sign)] = 2 if sign in _UNSEEN or sign in _MISTAKEN else 1
    return bytes(table)


_WHAT = _what()
_NOT_LINES_OR_TABS = re.compile(r"[^\S\n\t]")
KEPT_SPACE = "\x01"  # a space inside <pre>, until the text is done: no control character of the page gets here


_LONG_NUMBER = re.compile(r"&#\d{8,}+")


def unescape(text: str) -> str:
    """Decodes character references. The library's function raises on numbers of more than 4,300 digits."""
    try:
        return html.unescape(text)
    except ValueError:
        return html.unescape(_LONG_NUMBER.sub("\ufffd", text))


def clean(markup: str, kernels: Kernels | None = COMPILED) -> tuple[str, str]:
    """Without signs that nobody sees; and the same with a space for every sign of white space, each in its position."""
    blank = kernels.spaced(markup, _WHAT) if kernels else None  # mostly there is but white space
    if blank is not None:
        return markup, blank
    odd = set(kernels.present(markup, _ODD)) if kernels else _odd_signs(markup)
    for sign in odd & _MISTAKEN.keys():
        markup = markup.replace(sign, _MISTAKEN[sign])
        odd.remove(sign)
    for sign in odd & _UNSEEN:
        markup = markup.replace(sign, "")
    spaced = markup
    for sign in odd & _SPACES:
        spaced = spaced.replace(sign, " ")
    return markup, spaced


_PRINTED = ord("~") - ord(" ")  # what is less than a space wraps around and is more than this


def _odd_signs(markup: str) -> set[str]:
    """What a page has besides the printed signs of ASCII. All are found at once: 15 us for a page of 25 KB, or 30 if it
    is not in ASCII, where looking for each of some 90 takes 200."""
    if markup.isascii():
        narrow = np.frombuffer(markup.encode(), np.uint8)
        codes = narrow[narrow - np.uint8(ord(" ")) > _PRINTED].tolist()
    else:
        wide = np.frombuffer(markup.encode("utf-16-le", "surrogatepass"), np.uint16)
        codes = wide[wide - np.uint16(ord(" ")) > _PRINTED].tolist()
    return set(map(chr, set(codes)))


def decode_references(text: str) -> str:
    """With character references decode_references, and single spaces between words and at either end."""
    plain = _with_common(text)
    if plain is not None:
        return plain
    text = _UNSEEN_SIGN.sub("", unescape(text))
    words = " ".join(text.split())
    if not words:
        return " " if text else ""
    return " " * text[0].isspace() + words + " " * text[-1].isspace()


def _with_common(text: str) -> str | None:
    """Decodes the two references that nearly all are, in a third of the time; None if there are others."""
    at = text.find("&")
    if text.startswith("amp;", at + 1) and text.find("&", at + 1) < 0:  # mostly there is but one
        return text[: at + 1] + text[at + 5 :]
    first, *parts = text.split("&")
    for number, part in enumerate(parts):
        if part.startswith("amp;"):
            parts[number] = "&" + part[4:]
        elif part.startswith("nbsp;"):
            parts[number] = " " + part[5:]
        else:
            return None
    return first + "".join(parts)


def preformatted_text(text: str, first: bool) -> str:
    """Text inside <pre>: lines, tabs and spaces as they are, but for a line end right after the tag."""
    text = _UNSEEN_SIGN.sub("", unescape(text)).replace("\r\n", "\n").replace("\r", "\n")
    return _NOT_LINES_OR_TABS.sub(KEPT_SPACE, text.removeprefix("\n") if first else text)


def one_line(text: str) -> str:
    """A title, an attribute or the like, with its references decode_references already."""
    return " ".join(text.split())


def trim(text: str, start: int, end: int) -> tuple[int, int]:
    """A stretch of the text without white space at its ends; (start, start) if that is all."""
    stretch = text[start:end]
    bare = stretch.strip()
    if len(bare) == len(stretch):
        return start, end
    start += len(stretch) - len(stretch.lstrip()) if bare else 0
    return start, start + len(bare)
