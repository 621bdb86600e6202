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
_DELETE = cython.declare(cython.uchar, 0x7F)  # all bytes after it are not ASCII


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


def to_utf8(text: str) -> bytes:
    """UTF-8, in which lone surrogates are three bytes, too."""
    return text.encode("utf-8", "surrogatepass")


def from_utf8(letters: bytes) -> str:
    """The opposite of `to_utf8`."""
    return letters.decode("utf-8", "surrogatepass")


def unescape(text: str) -> str:
    """Decodes character references. html.unescape raises on numbers of over 4,300 digits."""
    try:
        return html.unescape(text)
    except ValueError:
        return html.unescape(_LONG_NUMBER.sub("\ufffd", text))


def clean(markup: bytes) -> tuple[bytes, bytes]:
    """UTF-8 without invisible characters; and the same with spaces for all white space."""
    odd = _odd_characters(markup)
    for sign in odd & _MISTAKEN.keys():
        markup = markup.replace(sign.encode(), _MISTAKEN[sign].encode())
        odd.remove(sign)
    for sign in odd & _INVISIBLE:
        markup = markup.replace(sign.encode(), b"")
    spaced = markup
    for sign in odd & _SPACES:
        spaced = spaced.replace(sign.encode(), b" ")
    return markup, spaced


@cython.cfunc
def _odd_characters(markup: bytes) -> set[str]:
    """The characters to drop or replace in some UTF-8."""
    odd: set[str] = set()
    letters: cython.const[cython.uchar][::1] = markup
    seen: cython.uint = 0  # which of the first 32 characters have come
    at: cython.Py_ssize_t
    byte: cython.uchar
    code: cython.Py_ssize_t
    for at in range(letters.shape[0]):
        byte = letters[at]
        if byte < 32:
            seen |= cython.cast(cython.uint, 1) << byte
        elif byte >= _DELETE:
            code = _code(letters, at)
            if code < len(_ODD) and _ODD[code]:
                odd.add(chr(code))
    for code in range(32):
        if seen >> code & 1 and _ODD[code]:
            odd.add(chr(code))
    return odd


@cython.cfunc
@cython.inline
def _code(letters: cython.const[cython.uchar][::1], at: cython.Py_ssize_t) -> cython.Py_ssize_t:
    """The character that begins at a byte; 0xFFFF if none does, or if it is a rare one."""
    byte: cython.Py_ssize_t = letters[at]
    if byte == _DELETE:
        return byte
    if 0xC2 <= byte < 0xE0 and at + 1 < letters.shape[0]:
        return (byte & 0x1F) << 6 | (letters[at + 1] & 0x3F)
    if 0xE0 <= byte < 0xF0 and at + 2 < letters.shape[0]:
        return (byte & 0xF) << 12 | (letters[at + 1] & 0x3F) << 6 | (letters[at + 2] & 0x3F)
    return 0xFFFF


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


def single_spaced(text: str) -> str:
    """Text without two spaces side by side. To look for them with `in` takes longer."""
    sign: cython.Py_UCS4
    was_blank: cython.bint = False
    for sign in text:
        if was_blank and sign == " ":
            return " ".join(text.split())
        was_blank = sign == " "
    return text


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
