"""Bytes to text: the encoding by the rules of the WHATWG standard; decoding never fails.

In this order: a byte order mark, the Content-Type header, the page's own declaration, a guess.
Declarations are often wrong. We correct two mistakes that are certain: non-ASCII bytes that are
valid UTF-8 are UTF-8, whatever single-byte encoding is declared (other text is not valid by
chance); and bytes that are mostly invalid UTF-8 are not UTF-8. A few East Asian characters may be
valid UTF-8 by chance, so those encodings need more evidence.
"""

import codecs
import re

import cchardet

from toponaut.page.parse.text import from_utf8, is_utf8, to_utf8

_BOMS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF16_LE, "utf-16le"),
    (codecs.BOM_UTF16_BE, "utf-16be"),
)

# The standard's name of an encoding -> Python's codec. Browsers read each label as the largest of
# its family: "iso-8859-1" is windows-1252, "gb2312" is gb18030, "shift_jis" is Microsoft's.
_SINGLE_BYTE = {
    "ibm866": "cp866",
    **{f"iso-8859-{part}": f"iso8859-{part}" for part in (2, 3, 4, 5, 6, 7, 8, 10, 13, 14, 15, 16)},
    "koi8-r": "koi8-r",
    "koi8-u": "koi8-u",
    "macintosh": "mac-roman",
    "windows-874": "cp874",
    **{f"windows-{page}": f"cp{page}" for page in range(1250, 1259)},
    "x-mac-cyrillic": "mac-cyrillic",
}
_EAST_ASIAN = {
    "gbk": "gb18030", "gb18030": "gb18030", "big5": "big5hkscs", "euc-jp": "euc_jp",
    "iso-2022-jp": "iso2022_jp", "shift_jis": "cp932", "euc-kr": "cp949",
}  # fmt: skip
_UNICODE = {"utf-8": "utf-8", "utf-16le": "utf-16-le", "utf-16be": "utf-16-be"}
_CODECS = _SINGLE_BYTE | _EAST_ASIAN | _UNICODE
# Python's name of an encoding -> the standard's, where the standard reads a label differently.
_WIDENED = {
    "ascii": "windows-1252", "iso8859-1": "windows-1252", "iso8859-9": "windows-1254",
    "iso8859-11": "windows-874", "tis-620": "windows-874", "gb2312": "gbk", "gbk": "gbk",
    "big5": "big5", "cp950": "big5", "shift_jis": "shift_jis", "euc_kr": "euc-kr",
    "utf-16": "utf-16le", "mac-roman": "macintosh",
}  # fmt: skip
# Labels of the standard that Python does not know.
_LABELS = {
    "unicode-1-1-utf-8": "utf-8", "x-unicode20utf8": "utf-8",
    "unicode11utf8": "utf-8", "unicode20utf8": "utf-8",
    "unicode": "utf-16le", "ucs-2": "utf-16le", "iso-10646-ucs-2": "utf-16le",
    "csunicode": "utf-16le", "unicodefeff": "utf-16le", "unicodefffe": "utf-16be",
    "x-sjis": "shift_jis", "ms932": "shift_jis", "windows-31j": "shift_jis",
    "x-gbk": "gbk", "gb_2312": "gbk", "csiso58gb231280": "gbk",
    "x-x-big5": "big5", "cn-big5": "big5",
    "x-euc-jp": "euc-jp", "cseucpkdfmtjapanese": "euc-jp",
    "windows-949": "euc-kr", "ksc_5601": "euc-kr", "korean": "euc-kr", "csksc56011987": "euc-kr",
    "logical": "iso-8859-8", "visual": "iso-8859-8", "csisolatinhebrew": "iso-8859-8",
    "dos-874": "windows-874", "x-mac-roman": "macintosh", "mac": "macintosh",
    "x-mac-ukrainian": "x-mac-cyrillic",
    "koi": "koi8-r", "koi8": "koi8-r", "koi8-ru": "koi8-u", "ansi_x3.4-1968": "windows-1252",
    "csmacintosh": "macintosh", "cseuckr": "euc-kr", "ks_c_5601-1989": "euc-kr",
    "iso-ir-149": "euc-kr",
    "csgb2312": "gbk", "gb_2312-80": "gbk", "sun_eu_greek": "iso-8859-7", "latin-9": "iso-8859-15",
    "csisolatin9": "iso-8859-15", "iso88591": "windows-1252", "iso88599": "windows-1254",
    **{f"iso8859{part}": f"iso-8859-{part}" for part in (2, 3, 4, 5, 6, 7, 8, 10, 13, 14, 15)},
    **{f"iso-8859-{part}-{way}": f"iso-8859-{part}" for part in (6, 8) for way in "ei"},
    **{f"x-cp{page}": f"windows-{page}" for page in range(1250, 1259)},
    "x-user-defined": "windows-1252",
}  # fmt: skip
_NAMES = {
    codecs.lookup(codec).name: name for name, codec in _CODECS.items() if name != "gbk"
} | _WIDENED

_CHARSET = re.compile(r"""charset\s*=\s*["']?\s*([^\s"';,>]+)""", re.IGNORECASE)
# The standard says 1,024 bytes, but many pages have long comments and scripts before it.
_DECLARED_WITHIN = 4096
_COMMENTS = re.compile(rb"<!--.*?-->", re.DOTALL)
_META = re.compile(rb"""<meta\s[^>]*?charset\s*=\s*["']?\s*([^\s"'/>;]+)""", re.IGNORECASE)
_XML = re.compile(rb"""\s*<\?xml\s[^>]*?encoding\s*=\s*["']([^"']+)""", re.IGNORECASE)
_GUESSED_FROM = 65_536  # bytes: more do not improve the guess
_SAMPLE = 1024
# Non-ASCII characters that must be valid UTF-8 to overrule an East Asian declaration. One GBK
# character in five looks valid; eight in a row do in one case of 900,000.
_NOT_BY_CHANCE = 8


def decode(body: bytes, content_type: str, markup: bool) -> tuple[str, str]:
    """The text and its encoding. `markup`: the document may declare its encoding itself."""
    letters, encoding = recode(body, content_type, markup)
    return from_utf8(letters), encoding


def recode(body: bytes, content_type: str, markup: bool) -> tuple[bytes, str]:
    """The same in UTF-8: most documents stay as they came."""
    for mark, name in _BOMS:
        if body.startswith(mark):
            return _recode(body[len(mark) :], name), name
    declared = in_header(content_type) or (in_markup(body) if markup else "") or wide_ascii(body)
    if declared in ("", "utf-8") or declared in _SINGLE_BYTE:
        if is_utf8(body):
            return body, declared if declared and body.isascii() else "utf-8"
        return _not_quite_utf8(body, declared)
    if declared in _EAST_ASIAN and is_utf8(body) and _not_ascii(from_utf8(body)) >= _NOT_BY_CHANCE:
        return body, "utf-8"
    return _recode(body, declared), declared


def _recode(body: bytes, encoding: str) -> bytes:
    return to_utf8(body.decode(_CODECS[encoding], "replace"))


def encoding_of(label: str) -> str:
    """The standard's name for an encoding label; "" if unknown."""
    label = label.strip().lower()
    if label in _CODECS:
        return label
    if label in _LABELS:
        return _LABELS[label]
    try:
        return _NAMES.get(codecs.lookup(label).name, "")
    except (LookupError, ValueError, UnicodeError):  # labels with NULs or non-ASCII
        return ""


def in_header(content_type: str) -> str:
    """The encoding in a Content-Type header."""
    found = _CHARSET.search(content_type)
    return encoding_of(found[1]) if found else ""


def in_markup(body: bytes) -> str:
    """The encoding that a page declares in a <meta> or an XML declaration."""
    start = body[:_DECLARED_WITHIN]
    if b"<!--" in start:
        start = _COMMENTS.sub(b"", start)
    found = _XML.match(start) or _META.search(start)
    if not found:
        return ""
    name = encoding_of(found[1].decode("ascii", "replace"))
    # If it were UTF-16, we could not have read the declaration.
    return "utf-8" if name.startswith("utf-16") else name


def wide_ascii(body: bytes) -> str:
    """Detects UTF-16 without a mark: in Western text every second byte is zero."""
    sample = body[:_SAMPLE]
    even, odd = sample[::2].count(0), sample[1::2].count(0)
    if not sample or max(even, odd) * 4 < len(sample) or min(even, odd) * 8 > max(even, odd):
        return ""
    return "utf-16be" if even > odd else "utf-16le"


def _not_quite_utf8(body: bytes, declared: str) -> tuple[bytes, str]:
    """Recodes as declared; if nothing is declared, or mostly wrong UTF-8, by the best guess."""
    if declared in _SINGLE_BYTE:
        return _recode(body, declared), declared
    text = body.decode("utf-8", "replace")
    wrong = text.count("\ufffd")
    right = _not_ascii(text[: 4 * _GUESSED_FROM]) - wrong
    if right > wrong:  # a page made of two sources: most is readable
        return to_utf8(text), "utf-8"
    guess = (
        encoding_of(str(cchardet.detect(body[:_GUESSED_FROM])["encoding"] or "")) or "windows-1252"
    )
    if guess == "utf-8":
        guess = "windows-1252"
    return _recode(body, guess), guess


def _not_ascii(text: str) -> int:
    """How many characters are not ASCII."""
    return len(text) - len(text.encode("ascii", "ignore"))
