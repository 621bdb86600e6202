"""Markup as a stream of tags: tokens, attributes, character references.

A page is read as a stream, never built into a tree. What a page is read for (breaks, cells, links,
headings) the stream gives in one linear pass; a tree costs more, and hostile pages make every faithful
HTML5 parser work without bound. Measured with lexbor: 5,000 nested lists take 0.12 s and 10,000 take 0.5 s;
40 KB of <font> left open and <p> become 1.8 GB, since the standard has each paragraph reopen them all.

A token is what stands between "<" and ">" (its head: "a href=/x", "/td", "br /") and the text up to the
next "<". Cutting at every "<" and ">" takes half the time of a pattern that knows quotes, and is right as
long as no quoted attribute holds either sign; `close_quotes` mends the tags where one does.
"""

import re
from array import array
from collections.abc import Callable, Iterator
from html import escape, unescape
from html.entities import html5

from toponaut.kernels import COMPILED, Kernels

Token = tuple[str, str, str]  # head, ">" ("" where it is missing), text after it

# A page of MAX_BYTES has a tag in 40 bytes, or half of this; what has more is built to hurt, and a tag
# may cost as much as 10 us and 500 bytes.
MAX_TAGS = 200_000

_NOTHING = "/>"  # "</>" is nothing to a browser either
REPAIRED_CHUNK = (
    "\0"  # stands for a token that was cut in the wrong place: no page has this sign left
)

# Elements without content, and those whose content is no markup but text up to their end tag.
_VOID = "area base basefont br col embed frame hr img input link meta param source track wbr"
VOID = frozenset(_VOID.split())
RAW = frozenset({"script", "style", "title", "textarea", "iframe", "xmp", "noembed"})

_NAME = re.compile(r"/?[a-zA-Z][^\s/>]*")
# Quotes count only after "="; nothing is tried twice, so that no input takes more than linear time.
_TAG_END = re.compile(r"""(?:[^>=]*+=\s*+(?:"[^"]*+"|'[^']*+'|(?!["'])))*+[^>=]*+""")
_OPEN_QUOTE = re.compile(r"""=\s*+(["'])""")
_ATTRIBUTE = re.compile(r"""([^\s=/]+)(?:\s*=\s*("[^"]*"|'[^']*'|\S+))?""")
_REFERENCE = re.compile(r"&(?:#(?:\d{1,7}|[xX][0-9a-fA-F]{1,6});?|(\w+;)|(\w+)(?![\w=]))")
_COMMENT_END = re.compile("--!?>")
_EMPTY_COMMENT = re.compile("-?>")  # "<!-->" and "<!--->"


class ChunkSlices:
    """The chunks of a page that lie in its markup, each behind a "<": cut out when they are asked for. Most never are where
    kernels walk over them, and to make a list of all takes a seventh of the time of a page."""

    def __init__(self, markup: str, kernels: Kernels) -> None:
        cuts = kernels.cuts(markup)
        self.markup = _whole(markup, tags=len(cuts) // 8 - 1)
        # Where each "<" stands, and the end.
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
    """The tokens of a page in their order.

    They are kept as chunks, "head>text", and cut when they are asked for: most chunks without words come
    again and again, and flow.py knows them as they are. With links, whose tags it reads as they stand in their
    chunks, it saves a tenth of the time of a page.
    """

    def __init__(self, chunks: list[str] | ChunkSlices) -> None:
        self.chunks = chunks
        self.repaired: dict[int, Token] = {}

    def __len__(self) -> int:
        return len(self.chunks)

    def __getitem__(self, index: int) -> Token:
        return self.repaired.get(index) or self.chunks[index].partition(">")

    def heads(self) -> list[str]:
        """Of all tokens: for who wants them all, a tenth of the time of asking for one after the other."""
        heads = [chunk.partition(">")[0] for chunk in self.chunks]
        for index, token in self.repaired.items():
            heads[index] = token[0]
        return heads

    def __setitem__(self, index: int, token: Token) -> None:
        self.chunks[index] = REPAIRED_CHUNK
        self.repaired[index] = token


def tokenise(markup: str) -> list[str]:
    """The chunks of a page; the last of MAX_TAGS takes what is left."""
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
    """A markup that begins with a tag, and has the same chunks as `tokenise` gives of this one."""
    if tags >= MAX_TAGS or markup.rfind("<") > markup.rfind(">"):
        return "".join(["<" + chunk for chunk in tokenise(markup)])
    return markup if markup[:1] in ("<", "") else f"<{_NOTHING}{markup}"


class OriginalChunks:
    """The chunks of a page as it was, by the same numbers. Few pages need them, so they are cut when first asked for."""

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
    """XML's chunks as HTML's: empty elements get their end tags ("<script src='x' />" would never end)."""
    unfolded: list[str] = []
    for chunk in chunks:
        head, sign, text = chunk.partition(">")
        if head.endswith("/") and len(head) > 1 and tag_name(head) not in VOID:
            unfolded += (head[:-1] + ">", f"/{tag_name(head)}{sign}{text}")
        else:
            unfolded.append(chunk)
    return unfolded


def tag_name(head: str) -> str:
    """The element's name in lower case, "/" before it for an end tag; "" for what is no tag."""
    found = _NAME.match(head)
    return found[0].lower() if found else ""


def attributes(head: str, kernels: Kernels | None = COMPILED) -> dict[str, str]:
    """The attributes of a tag; of several with one name the first counts, as in browsers."""
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
    """Decodes character references by the rule for attributes: "?a=1&copy=2" holds none."""
    return _REFERENCE.sub(_referenced, value)


def _referenced(found: re.Match[str]) -> str:
    name = found[1] or found[2]
    return unescape(found[0]) if name is None else html5.get(name, found[0])


# --- where a plain cut goes wrong: each returns the index of the token to go on with ---------------------


def quotes_closed(head: str) -> bool:
    """Whether the tag really ends where the token's head does."""
    return "=" not in head or not _scan_tag(head, 0)[1]


def close_quotes(tokens: MarkupTokens, index: int) -> int:
    """Puts together a tag that was cut inside a quoted attribute (title="a > b")."""
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
        else:  # never closed: a browser would drop the rest of the page, we drop the attributes
            tokens[index] = (tag_name(head), sign, text)
            return index
    tokens[at] = ("".join(whole), rest[:1], rest[1:])
    return at


def _scan_tag(text: str, start: int) -> tuple[int, str]:
    """Where a tag ends that goes on at `start`, or else where its text breaks off inside which quote sign."""
    found = _TAG_END.match(text, start)
    end = found.end() if found else len(text)
    opened = _OPEN_QUOTE.match(text, end)
    return (opened.end(), opened[1]) if opened else (end, "")


def comment_end(tokens: MarkupTokens, index: int) -> int:
    """Leaves out a comment; what follows its end stays as text."""
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
    """What stands between the tag at `start` and the one at `stop`, as written."""
    return tokens[start][2] + "".join("<" + "".join(tokens[at]) for at in range(start + 1, stop))
