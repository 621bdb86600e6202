"""Characters and white space: invisible characters are dropped, white space is normalised."""

import html
import re

import cython

if not cython.compiled:
    raise ImportError("toponaut is not compiled: run make setup, or reinstall it")

# Invisible characters: controls, soft hyphens, zero-width and direction marks.
_INVISIBLE_RANGES = (
    (0x00, 0x09), (0x0E, 0x1C), (0x7F, 0x85), (0x86, 0xA0), (0xAD, 0xAE), (0x61C, 0x61D),
    (0x180E, 0x180F), (0x200B, 0x2010), (0x202A, 0x202F), (0x2060, 0x2070), (0xFEFF, 0xFF00),
)  # fmt: skip
_INVISIBLE = frozenset(chr(code) for ends in _INVISIBLE_RANGES for code in range(*ends))
_INVISIBLE_CHARACTER = re.compile("[" + "".join(map(re.escape, _INVISIBLE)) + "]")
# Bytes of windows-1252 decoded as Latin-1, where they are controls. Like browsers, we read them as
# windows-1252: "don\x92t" is "don’t".
_MISTAKEN = {
    chr(code): bytes([code]).decode("cp1252")
    for code in range(0x80, 0xA0)
    if code not in (0x81, 0x8D, 0x8F, 0x90, 0x9D)
}
# All white space of str.split().
_SPACES = frozenset(sign for sign in map(chr, range(0x3001)) if sign.isspace() and sign != " ")
_NARROW = cython.declare(cython.Py_ssize_t, 0x100)


def _odd_table() -> bytes:
    """By character code: 1 for characters to drop or replace."""
    table = bytearray(0xFF00)
    for sign in _SPACES | _INVISIBLE | _MISTAKEN.keys():
        table[ord(sign)] = 1
    return bytes(table)


_ODD = cython.declare(bytes, _odd_table())
_NOT_LINES_OR_TABS = re.compile(r"[^\S\n\t]")
KEPT_SPACE = "\x01"  # stands for a space inside <pre>; the page's own controls are gone by then
_LONG_NUMBER = re.compile(r"&#\d{8,}+")


def unescape(text: str) -> str:
    """Decodes character references. html.unescape raises on numbers of over 4,300 digits."""
    try:
        return html.unescape(text)
    except ValueError:
        return html.unescape(_LONG_NUMBER.sub("\ufffd", text))


def clean(markup: str) -> tuple[str, str]:
    """The markup without invisible characters; and the same with spaces for all white space."""
    odd = _odd_characters(markup)
    for sign in odd & _MISTAKEN.keys():
        markup = markup.replace(sign, _MISTAKEN[sign])
        odd.remove(sign)
    for sign in odd & _INVISIBLE:
        markup = markup.replace(sign, "")
    spaced = markup
    for sign in odd & _SPACES:
        spaced = spaced.replace(sign, " ")
    return markup, spaced


@cython.cfunc
def _odd_characters(markup: str) -> set[str]:
    """The characters to drop or replace in a markup."""
    odd: set[str] = set()
    seen: bytearray = bytearray(_NARROW)  # which have come; nearly all that are odd are among them
    sign: cython.Py_UCS4
    code: cython.Py_ssize_t
    for sign in markup:
        if " " <= sign <= "~":
            continue
        code = ord(sign)
        if code < _NARROW:
            seen[code] = 1
        elif code < len(_ODD) and _ODD[code]:
            odd.add(chr(code))
    for code in range(_NARROW):
        if seen[code] and _ODD[code]:
            odd.add(chr(code))
    return odd


def decode_references(text: str) -> str:
    """Decodes character references; white space becomes single spaces, also at the ends."""
    plain = _with_common(text)
    if plain is not None:
        return plain
    text = _INVISIBLE_CHARACTER.sub("", unescape(text))
    words = " ".join(text.split())
    if not words:
        return " " if text else ""
    return " " * text[0].isspace() + words + " " * text[len(text) - 1].isspace()


def _with_common(text: str) -> str | None:
    """Decodes &amp; and &nbsp; in a third of the time; None if there are other references."""
    at = text.find("&")
    if text.startswith("amp;", at + 1) and text.find("&", at + 1) < 0:  # mostly only one
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
    """Text inside <pre>: white space is kept, except a line end right after the tag."""
    text = _INVISIBLE_CHARACTER.sub("", unescape(text)).replace("\r\n", "\n").replace("\r", "\n")
    return _NOT_LINES_OR_TABS.sub(KEPT_SPACE, text.removeprefix("\n") if first else text)


def one_line(text: str) -> str:
    """Decoded text, such as a title, with single spaces."""
    return " ".join(text.split())


def trim(text: str, start: int, end: int) -> tuple[int, int]:
    """A span without white space at its ends; (start, start) if nothing remains."""
    stretch = text[start:end]
    bare = stretch.strip()
    if len(bare) == len(stretch):
        return start, end
    start += len(stretch) - len(stretch.lstrip()) if bare else 0
    return start, start + len(bare)
