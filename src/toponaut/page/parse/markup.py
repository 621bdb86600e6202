"""Markup as a stream of tags: tokens, attributes, character references.

A page is read as a stream and never built into a tree. One linear pass gives everything we need
(breaks, cells, links, headings). A tree costs more, and hostile pages make any faithful HTML5
parser work without bound. Measured with lexbor: 10,000 nested lists take 0.5 s; 40 KB of unclosed
<font> and <p> become 1.8 GB, because each paragraph reopens all of them.

A token is the text between "<" and ">" (its head: "a href=/x", "/td", "br /") and the text up to
the next "<". Splitting at every "<" and ">" takes half the time of a pattern that knows quotes. It
is right unless a quoted attribute holds one of them; `close_quotes` repairs those tags.
"""

import re
from collections.abc import Callable
from html import escape, unescape
from html.entities import html5

import cython

from toponaut.page.parse.text import from_utf8

if not cython.compiled:
    raise ImportError("toponaut is not compiled: run make setup, or reinstall it")

Token = tuple[str, str, str]  # head, ">" ("" where it is missing), text after it

# Twice the tags of a normal page of MAX_BYTES; pages with more are hostile, and a tag may cost 10
# us and 500 bytes.
MAX_TAGS = 200_000

NOTHING = "/>"  # browsers ignore "</>", too

# Elements without content, and elements whose content is text up to their end tag.
_VOID = "area base basefont br col embed frame hr img input link meta param source track wbr"
VOID = frozenset(_VOID.split())
RAW = frozenset({"script", "style", "title", "textarea", "iframe", "xmp", "noembed"})

# Quotes count only after "=". Possessive, so that any input takes linear time.
_TAG_END = re.compile(r"""(?:[^>=]*+=\s*+(?:"[^"]*+"|'[^']*+'|(?!["'])))*+[^>=]*+""")
_OPEN_QUOTE = re.compile(r"""=\s*+(["'])""")
_REFERENCE = re.compile(r"&(?:#(?:\d{1,7}|[xX][0-9a-fA-F]{1,6});?|(\w+;)|(\w+)(?![\w=]))")


@cython.wraparound(True)
def tokenise(markup: str) -> list[str]:
    """The chunks of a page, at most MAX_TAGS."""
    chunks = markup.split("<", MAX_TAGS)
    if len(chunks) > MAX_TAGS:
        chunks[-1] = NOTHING
    if len(chunks) > 1 and ">" not in chunks[-1] and tag_name(chunks[-1]):
        chunks[-1] = NOTHING  # the page was cut off inside a tag
    if chunks[0]:
        chunks[0] = NOTHING + chunks[0]
    else:
        del chunks[0]
    return chunks


class OriginalChunks:
    """The chunks of the unchanged page in UTF-8, by the same numbers; split on first access."""

    def __init__(self, markup: bytes, cut: Callable[[str], list[str]]) -> None:
        self._markup, self._cut = markup, cut
        self._chunks: list[str] = []

    def __getitem__(self, index: int) -> str:
        self._chunks = self._chunks or self._cut(from_utf8(self._markup))
        return self._chunks[index] if index < len(self._chunks) else ""


def tokenise_xml(markup: str) -> list[str]:
    """The chunks of a page in XML."""
    return _with_end_tags(tokenise(_without_cdata(markup)))


def _without_cdata(markup: str) -> str:
    """XML with its CDATA sections as escaped text."""
    first, *sections = markup.split("<![CDATA[")
    parts = [first]
    for section in sections:
        content, _, rest = section.partition("]]>")
        parts += (escape(content, quote=False), rest)
    return "".join(parts)


def _with_end_tags(chunks: list[str]) -> list[str]:
    """XML chunks as HTML: adds end tags to empty elements such as "<script src='x' />"."""
    unfolded: list[str] = []
    for chunk in chunks:
        head, sign, text = chunk.partition(">")
        if head.endswith("/") and len(head) > 1 and tag_name(head) not in VOID:
            unfolded += (head[: len(head) - 1] + ">", f"/{tag_name(head)}{sign}{text}")
        else:
            unfolded.append(chunk)
    return unfolded


def tag_name(head: str) -> str:
    """The element's name in lower case, with "/" for an end tag; "" if it is not a tag."""
    length: cython.Py_ssize_t = len(head)
    at: cython.Py_ssize_t = 1 if length and head[0] == "/" else 0
    sign: cython.Py_UCS4 = head[at] if at < length else " "
    if not ("a" <= sign <= "z" or "A" <= sign <= "Z"):
        return ""
    is_low: cython.bint = True
    while at < length:
        sign = head[at]
        if sign == "/" or sign == ">" or sign.isspace():
            break
        if sign > "~" or "A" <= sign <= "Z":
            is_low = False
        at += 1
    name: str = head[:at]
    return name if is_low else name.lower()


def attributes(head: str, initials: str = "") -> dict[str, str]:
    """The attributes of a tag; the first of several with the same name, as in browsers.

    `initials`: only those whose name begins with one of these letters.
    """
    found: dict[str, str] = {}
    length: cython.Py_ssize_t = len(head)
    at: cython.Py_ssize_t = _name_end(head, _name_start(head, 0))
    at = _value_end(head, _value_start(head, at), at)  # the tag's name, perhaps with a value
    while True:
        start: cython.Py_ssize_t = _name_start(head, at)
        if start >= length:
            return found
        at = _name_end(head, start)
        end: cython.Py_ssize_t = at
        value: cython.Py_ssize_t = _value_start(head, at)
        at = _value_end(head, value, at)
        if initials and head[start] not in initials:
            continue
        name: str = head[start:end].lower()
        if name not in found:
            found[name] = _value(head[value:at]) if value >= 0 else ""


@cython.cfunc
def _name_start(head: str, at: cython.Py_ssize_t) -> cython.Py_ssize_t:
    while at < len(head) and not _in_name(head[at]):
        at += 1
    return at


@cython.cfunc
def _name_end(head: str, at: cython.Py_ssize_t) -> cython.Py_ssize_t:
    while at < len(head) and _in_name(head[at]):
        at += 1
    return at


@cython.cfunc
@cython.inline
@cython.exceptval(check=False)
def _in_name(sign: cython.Py_UCS4) -> cython.bint:
    return sign != "=" and sign != "/" and not sign.isspace()


@cython.cfunc
def _value_start(head: str, at: cython.Py_ssize_t) -> cython.Py_ssize_t:
    """The start of the value of a name that ends at `at`; -2 if it has none."""
    at = _blank_end(head, at)
    if at >= len(head) or head[at] != "=":
        return -2
    at = _blank_end(head, at + 1)
    return at if at < len(head) else -2


@cython.cfunc
def _blank_end(head: str, at: cython.Py_ssize_t) -> cython.Py_ssize_t:
    while at < len(head) and head[at].isspace():
        at += 1
    return at


@cython.cfunc
def _value_end(
    head: str, start: cython.Py_ssize_t, name_end: cython.Py_ssize_t
) -> cython.Py_ssize_t:
    """The end of a value: after its second quote, or else before white space."""
    if start < 0:
        return name_end
    if head[start] == '"' or head[start] == "'":
        close: cython.Py_ssize_t = head.find(head[start], start + 1)
        if close >= 0:
            return close + 1
    while start < len(head) and not head[start].isspace():
        start += 1
    return start


@cython.cfunc
def _value(written: str) -> str:
    """A value without its quotes and with its references decoded."""
    if written[0] == '"' or written[0] == "'":
        written = written[1 : max(len(written) - 1, 1)]
    return decode_attribute(written) if "&" in written else written


def decode_attribute(value: str) -> str:
    """Decodes character references by the rules for attributes: "?a=1&copy=2" has none."""
    return _REFERENCE.sub(_referenced, value)


def _referenced(found: re.Match[str]) -> str:
    name = found[1] or found[2]
    return unescape(found[0]) if name is None else html5.get(name, found[0])


def quotes_closed(head: str) -> bool:
    """Whether the tag really ends at the end of the token's head."""
    return "=" not in head or not scan_tag(head, 0)[1]


def scan_tag(text: str, start: int) -> tuple[int, str]:
    """The end of a tag that continues at `start`; and the open quote if the text ends in one."""
    found = _TAG_END.match(text, start)
    end = found.end() if found else len(text)
    opened = _OPEN_QUOTE.match(text, end)
    return (opened.end(), opened[1]) if opened else (end, "")
