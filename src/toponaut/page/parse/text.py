"""Characters and white space: invisible characters are dropped, white space is normalised."""

import html
import re
from functools import lru_cache

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
# All white space of str.split(), except what is mistaken.
_SPACES = (
    frozenset(sign for sign in map(chr, range(0x3001)) if sign.isspace()) - {" "} - _MISTAKEN.keys()
)
_DELETE = cython.declare(cython.uchar, 0x7F)  # all bytes after it are not ASCII
_ONES = cython.declare(cython.ulonglong, 0x0101010101010101)  # in each of eight bytes
_HIGH = cython.declare(cython.ulonglong, 0x8080808080808080)


def _odd_table() -> bytes:
    """By character code: 1 for characters to drop or replace."""
    table = bytearray(0xFF00)
    for sign in _SPACES | _INVISIBLE | _MISTAKEN.keys():
        table[ord(sign)] = 1
    return bytes(table)


_ODD = cython.declare(bytes, _odd_table())
_BLANKS = cython.declare(bytes, bytes(code < 128 and chr(code) in _SPACES for code in range(256)))
_NOT_LINES_OR_TABS = re.compile(r"[^\S\n\t]")
KEPT_SPACE = "\x01"  # stands for a space inside <pre>; the page's own controls are gone by then
_REFERENCE_LENGTH = cython.declare(cython.Py_ssize_t, 33)  # of the longest name, with its ";"
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


def clean(markup: bytes) -> bytes:
    """UTF-8 without invisible characters."""
    return _without_odd(markup, _spaced(markup)[1] - _SPACES)


def spaced(markup: bytes) -> bytes:
    """UTF-8 without invisible characters, and with spaces for all white space."""
    letters, odd = _spaced(markup)
    return _without_odd(letters, odd)


@cython.cfunc
def _without_odd(markup: bytes, odd: set[str]) -> bytes:
    for sign in odd & _MISTAKEN.keys():
        markup = markup.replace(sign.encode(), _MISTAKEN[sign].encode())
        odd.remove(sign)
    for sign in odd:
        markup = markup.replace(sign.encode(), b" " if sign in _SPACES else b"")
    return markup


def eights(letters: bytes | bytearray) -> memoryview:
    """Bytes as numbers of eight bytes, without the last few: most need only a look together."""
    return memoryview(letters)[: len(letters) & ~7].cast("Q")


def is_utf8(letters: bytes) -> bool:
    """Whether some bytes are valid UTF-8. To decode them takes four times as long."""
    text: cython.const[cython.uchar][::1] = letters
    words: cython.const[cython.ulonglong][::1] = eights(letters)
    at: cython.Py_ssize_t = 0
    word: cython.Py_ssize_t
    length: cython.Py_ssize_t
    while True:
        if not at & 7:
            word = at >> 3
            while word < words.shape[0] and not words[word] & _HIGH:
                word += 1
            at = word << 3
        if at >= text.shape[0]:
            return True
        length = _character_length(text, at)
        if not length:
            return False
        at += length


@cython.cfunc
@cython.inline
def _character_length(
    text: cython.const[cython.uchar][::1], at: cython.Py_ssize_t
) -> cython.Py_ssize_t:
    """The bytes of the character at a place; 0 if it is not valid."""
    lead: cython.uchar = text[at]
    length: cython.Py_ssize_t = 1
    place: cython.Py_ssize_t
    lowest: cython.uchar = 0x80  # second byte: no longer form than needed, no surrogates
    highest: cython.uchar = 0xBF
    if lead < 0x80:
        return 1
    if 0xC2 <= lead < 0xE0:
        length = 2
    elif 0xE0 <= lead < 0xF0:
        length = 3
        lowest, highest = (0xA0 if lead == 0xE0 else 0x80), (0x9F if lead == 0xED else 0xBF)
    elif 0xF0 <= lead < 0xF5:
        length = 4
        lowest, highest = (0x90 if lead == 0xF0 else 0x80), (0x8F if lead == 0xF4 else 0xBF)
    if length == 1 or at + length > text.shape[0] or not lowest <= text[at + 1] <= highest:
        return 0
    for place in range(at + 2, at + length):
        if text[place] & 0xC0 != 0x80:
            return 0
    return length


@cython.cfunc
def _spaced(markup: bytes) -> tuple[bytes, set[str]]:
    """UTF-8 with spaces for the white space of ASCII; and its other characters to drop or replace.

    Most words of eight letters are only copied.
    """
    odd: set[str] = set()
    result = bytearray(len(markup))
    letters: cython.const[cython.uchar][::1] = markup
    copied: cython.uchar[::1] = result
    words: cython.const[cython.ulonglong][::1] = eights(markup)
    copies: cython.ulonglong[::1] = eights(result)
    word: cython.Py_ssize_t
    bits: cython.ulonglong
    at: cython.Py_ssize_t
    byte: cython.uchar
    code: cython.Py_ssize_t
    for word in range(words.shape[0] + 1):
        if word < words.shape[0]:
            bits = words[word]
            # No byte is below 32, or 127 or more. (A borrow may show one too many.)
            if not (bits | (bits + _ONES) | ((bits - 32 * _ONES) & ~bits)) & _HIGH:
                copies[word] = bits
                continue
        for at in range(word << 3, min((word << 3) + 8, letters.shape[0])):
            byte = letters[at]
            if _BLANKS[byte]:
                byte = 32
            elif byte < 32 or byte >= _DELETE:
                code = _code(letters, at)
                if code < len(_ODD) and _ODD[code]:
                    odd.add(chr(code))
            copied[at] = byte
    return bytes(result), odd


@cython.cfunc
@cython.inline
def _code(letters: cython.const[cython.uchar][::1], at: cython.Py_ssize_t) -> cython.Py_ssize_t:
    """The character that begins at a byte; 0xFFFF if none does, or if it is a rare one."""
    byte: cython.Py_ssize_t = letters[at]
    if byte <= _DELETE:
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
    """Decodes references that end with ";" in a third of the time; None if there are others."""
    first, *parts = text.split("&")
    pieces = [first]
    for part in parts:
        end: cython.Py_ssize_t = part.find(";", 0, _REFERENCE_LENGTH)
        if end < 0:
            return None
        pieces.append(_referenced(part[:end]))
        pieces.append(part[end + 1 :])
    return "".join(pieces)


@lru_cache(maxsize=1024)
def _referenced(name: str) -> str:
    """The character of a reference; a space for white space, "" for an invisible one."""
    text = _INVISIBLE_CHARACTER.sub("", unescape(f"&{name};"))
    return "".join([" " if sign.isspace() else sign for sign in text])


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
