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
from array import array
from collections.abc import Callable, Iterator
from html import escape, unescape
from html.entities import html5

from toponaut.kernels import COMPILED, Kernels

Token = tuple[str, str, str]  # head, ">" ("" where it is missing), text after it

# Twice the tags of a normal page of MAX_BYTES; pages with more are hostile, and a tag may cost 10
# us and 500 bytes.
MAX_TAGS = 200_000

_NOTHING = "/>"  # browsers ignore "</>", too
REPAIRED_CHUNK = "\0"  # in place of a token that was split wrongly; pages have no NUL left

# Elements without content, and elements whose content is text up to their end tag.
_VOID = "area base basefont br col embed frame hr img input link meta param source track wbr"
VOID = frozenset(_VOID.split())
RAW = frozenset({"script", "style", "title", "textarea", "iframe", "xmp", "noembed"})

_NAME = re.compile(r"/?[a-zA-Z][^\s/>]*")
# Quotes count only after "=". Possessive, so that any input takes linear time.
_TAG_END = re.compile(r"""(?:[^>=]*+=\s*+(?:"[^"]*+"|'[^']*+'|(?!["'])))*+[^>=]*+""")
_OPEN_QUOTE = re.compile(r"""=\s*+(["'])""")
_ATTRIBUTE = re.compile(r"""([^\s=/]+)(?:\s*=\s*("[^"]*"|'[^']*'|\S+))?""")
_REFERENCE = re.compile(r"&(?:#(?:\d{1,7}|[xX][0-9a-fA-F]{1,6});?|(\w+;)|(\w+)(?![\w=]))")
_COMMENT_END = re.compile("--!?>")
_EMPTY_COMMENT = re.compile("-?>")  # "<!-->" and "<!--->"


class ChunkSlices:
    """The chunks of a page, cut out of its markup on access.

    With kernels most are never needed; a list of all takes a seventh of the time of a page.
    """

    def __init__(self, markup: str, kernels: Kernels) -> None:
        cuts = kernels.cuts(markup)
        self.markup = _whole(markup, tags=len(cuts) // 8 - 1)
        # The offset of each "<", and the end.
        self.cuts = array("q", cuts if self.markup is markup else kernels.cuts(self.markup))
        self._others: dict[int, str] = {}

    def __len__(self) -> int:
        return len(self.cuts) - 1

    def __getitem__(self, index: int) -> str:
        return self._others.get(index) or self.markup[self.cuts[index] + 1 : self.cuts[index + 1]]

    def __iter__(self) -> Iterator[str]:
        chunks = self.markup.split("<")[1:]
        for index, chunk in self._others.items():
            chunks[index] = chunk
        return iter(chunks)

    def __setitem__(self, index: int, chunk: str) -> None:
        self._others[index] = chunk


class MarkupTokens:
    """The tokens of a page in order.

    Kept as chunks, "head>text", and split on access: flow.py recognises most chunks as a whole,
    because they repeat.
    """

    def __init__(self, chunks: list[str] | ChunkSlices) -> None:
        self.chunks = chunks
        self.repaired: dict[int, Token] = {}

    def __len__(self) -> int:
        return len(self.chunks)

    def __getitem__(self, index: int) -> Token:
        return self.repaired.get(index) or self.chunks[index].partition(">")

    def heads(self) -> list[str]:
        """The heads of all tokens, in a tenth of the time of asking one by one."""
        heads = [chunk.partition(">")[0] for chunk in self.chunks]
        for index, token in self.repaired.items():
            heads[index] = token[0]
        return heads

    def __setitem__(self, index: int, token: Token) -> None:
        self.chunks[index] = REPAIRED_CHUNK
        self.repaired[index] = token


def tokenise(markup: str) -> list[str]:
    """The chunks of a page, at most MAX_TAGS."""
    chunks = markup.split("<", MAX_TAGS)
    if len(chunks) > MAX_TAGS:
        chunks[-1] = _NOTHING
    if len(chunks) > 1 and ">" not in chunks[-1] and _NAME.match(chunks[-1]):
        chunks[-1] = _NOTHING  # the page was cut off inside a tag
    if chunks[0]:
        chunks[0] = _NOTHING + chunks[0]
    else:
        del chunks[0]
    return chunks


def _whole(markup: str, tags: int) -> str:
    """Markup that starts with a tag and has the same chunks as `tokenise` returns."""
    if tags >= MAX_TAGS or markup.rfind("<") > markup.rfind(">"):
        return "".join(["<" + chunk for chunk in tokenise(markup)])
    return markup if markup[:1] in ("<", "") else f"<{_NOTHING}{markup}"


class OriginalChunks:
    """The chunks of the unchanged page, by the same numbers; split on first access."""

    def __init__(self, markup: str, cut: Callable[[str], list[str]]) -> None:
        self._markup, self._cut = markup, cut
        self._chunks: list[str] = []

    def __getitem__(self, index: int) -> str:
        self._chunks = self._chunks or self._cut(self._markup)
        return self._chunks[index] if index < len(self._chunks) else ""


def without_cdata(markup: str) -> str:
    """XML with its CDATA sections as escaped text."""
    first, *sections = markup.split("<![CDATA[")
    parts = [first]
    for section in sections:
        content, _, rest = section.partition("]]>")
        parts += (escape(content, quote=False), rest)
    return "".join(parts)


def with_end_tags(chunks: list[str]) -> list[str]:
    """XML chunks as HTML: adds end tags to empty elements such as "<script src='x' />"."""
    unfolded: list[str] = []
    for chunk in chunks:
        head, sign, text = chunk.partition(">")
        if head.endswith("/") and len(head) > 1 and tag_name(head) not in VOID:
            unfolded += (head[:-1] + ">", f"/{tag_name(head)}{sign}{text}")
        else:
            unfolded.append(chunk)
    return unfolded


def tag_name(head: str) -> str:
    """The element's name in lower case, with "/" for an end tag; "" if it is not a tag."""
    found = _NAME.match(head)
    return found[0].lower() if found else ""


def attributes(head: str, kernels: Kernels | None = COMPILED) -> dict[str, str]:
    """The attributes of a tag; the first of several with the same name, as in browsers."""
    if kernels:
        return kernels.attributes(head, decode_attribute)  # in a third of the time
    found: dict[str, str] = {}
    for name, value in _ATTRIBUTE.findall(head)[1:]:  # the first is the tag's name
        if value and value[0] in "\"'":
            value = value[1:-1]
        name = name.lower()
        if name not in found:
            found[name] = decode_attribute(value) if "&" in value else value
    return found


def decode_attribute(value: str) -> str:
    """Decodes character references by the rules for attributes: "?a=1&copy=2" has none."""
    return _REFERENCE.sub(_referenced, value)


def _referenced(found: re.Match[str]) -> str:
    name = found[1] or found[2]
    return unescape(found[0]) if name is None else html5.get(name, found[0])


# --- repairs of wrong splits: each returns the index of the token to continue with -----------


def quotes_closed(head: str) -> bool:
    """Whether the tag really ends at the end of the token's head."""
    return "=" not in head or not _scan_tag(head, 0)[1]


def close_quotes(tokens: MarkupTokens, index: int) -> int:
    """Joins a tag that was split inside a quoted attribute (title="a > b")."""
    head, sign, text = tokens[index]
    whole, rest, at = [head], sign + text, index
    quote = _scan_tag(head, 0)[1]
    while quote:
        close = rest.find(quote)
        if close >= 0:
            end, quote = _scan_tag(rest, close + 1)
            whole.append(rest[:end])
            rest = rest[end:]
        elif at + 1 < len(tokens):
            whole.append(rest)
            at += 1
            rest = "<" + "".join(tokens[at])
        else:  # never closed: a browser drops the rest of the page, we drop the attributes
            tokens[index] = (tag_name(head), sign, text)
            return index
    tokens[at] = ("".join(whole), rest[:1], rest[1:])
    return at


def _scan_tag(text: str, start: int) -> tuple[int, str]:
    """The end of a tag that continues at `start`; and the open quote if the text ends in one."""
    found = _TAG_END.match(text, start)
    end = found.end() if found else len(text)
    opened = _OPEN_QUOTE.match(text, end)
    return (opened.end(), opened[1]) if opened else (end, "")


def comment_end(tokens: MarkupTokens, index: int) -> int:
    """Skips a comment; the text after it stays."""
    rest = "".join(tokens[index])[3:]  # after "!--"
    found = _EMPTY_COMMENT.match(rest)
    for at in range(index, len(tokens)):
        found = found or _COMMENT_END.search(rest)
        if found:
            tokens[at] = ("/", ">", rest[found.end() :])
            return at
        rest = "".join(tokens[at + 1]) if at + 1 < len(tokens) else ""
    return len(tokens)


def raw_end(tokens: MarkupTokens, index: int, name: str) -> int:
    """The index of the end tag of a raw element."""
    end = "/" + name
    for at in range(index + 1, len(tokens)):
        chunk = tokens.chunks[at]
        if chunk[: len(end)].lower() == end and tag_name(chunk) == end:
            return at
    return len(tokens)


def raw_content(tokens: MarkupTokens, start: int, stop: int) -> str:
    """The unchanged content between the tags at `start` and `stop`."""
    return tokens[start][2] + "".join("<" + "".join(tokens[at]) for at in range(start + 1, stop))
