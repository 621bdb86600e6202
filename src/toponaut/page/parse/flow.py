"""From tags to visible text: one linear pass that writes the text and records events in it.

Gaps between words are pending until the next word is written, and the widest wins: an item in a
block in a section separates the text once. Events (a link begins, a heading ends) are recorded with
the length of the text so far, and interpreted later. A page's tags repeat, and each distinct tag is
classified once.

`_FlowBuilder.step` handles plain tokens and leaves the rest (titles, comments, broken tags, <pre>)
to slower methods.
"""

from array import array
from itertools import accumulate
from typing import NamedTuple

import cython

from toponaut.page.parse.elements import OpenElements
from toponaut.page.parse.kinds import (
    BLOCKS,
    BREAK,
    BROKEN,
    COMMENT,
    EVENT,
    GAP,
    HIDDEN,
    JUMP,
    LINK,
    LINK_END,
    LITERAL,
    NONE,
    NOTE,
    PARAGRAPH,
    POINT,
    PRE,
    PRE_END,
    RAW_TEXT,
    SEPARATORS,
    SPACE,
    Kinds,
)
from toponaut.page.parse.markup import (
    MarkupTokens,
    OriginalChunks,
    Token,
    close_quotes,
    comment_end,
    markup_tokens,
    raw_content,
    raw_end,
    tag_name,
    tokenise,
    with_end_tags,
    without_cdata,
)
from toponaut.page.parse.text import KEPT_SPACE, clean, decode_references, preformatted_text

# As C numbers, for the loop over all tokens.
_NONE = cython.declare(cython.int, NONE)
_SPACE = cython.declare(cython.int, SPACE)
_BREAK = cython.declare(cython.int, BREAK)
_PARAGRAPH = cython.declare(cython.int, PARAGRAPH)
_GAP = cython.declare(cython.int, GAP)
_LINK = cython.declare(cython.int, LINK)
_NOTE = cython.declare(cython.int, NOTE)
_JUMP = cython.declare(cython.int, JUMP)
_PRE = cython.declare(cython.int, PRE)
_PRE_END = cython.declare(cython.int, PRE_END)
_SEPARATORS = cython.declare(tuple, SEPARATORS)

Event = tuple[int, int, int]  # kind (without its gap), index of the token, length of the text


class Flow(NamedTuple):
    """A page's text and the events in it."""

    text: str
    tokens: MarkupTokens
    originals: OriginalChunks
    added: "array[int]"  # characters that each token added to the text
    jumps: dict[int, int]  # tokens before non-markup -> where to continue
    kinds: Kinds
    links: list[Event]
    unseen: list[Event]  # links in hidden elements
    marks: list[Event]  # headings, bold words, addresses; and metadata tags
    raws: list[tuple[str, str]]  # titles and JSON-LD: head and content

    def lengths(self) -> list[int]:
        """The length of the text before each token."""
        return list(accumulate(self.added, initial=0))


def flow(markup: str, xml: bool = False) -> Flow:
    """The text of some markup and its events. `xml`: XHTML with an XML content type."""
    builder = _FlowBuilder(markup, xml)
    builder.walk()
    return builder.flow()


@cython.cclass
class _FlowBuilder:
    """The pass over the tokens, and its results so far."""

    originals: OriginalChunks
    tokens: MarkupTokens
    kinds: Kinds
    pieces: list[str]  # of the text
    added: array[int]
    jumps: dict[int, int]
    links: list[Event]
    unseen: list[Event]
    marks: list[Event]
    raws: list[tuple[str, str]]
    _cleaned: OriginalChunks
    _repaired: dict[int, Token]
    _markup: str
    _cuts: cython.longlong[::1]
    _added: cython.longlong[::1]
    _at: cython.Py_ssize_t  # length of the text
    _gap: cython.int  # between the text and the next word
    _is_repaired: cython.bint  # the next token may be
    _preformatted: cython.Py_ssize_t  # the last token of a <pre> that added to the text

    def __init__(self, markup: str, xml: bool) -> None:
        cut = _tokenise_xml if xml else tokenise
        self.originals = OriginalChunks(markup, cut)
        markup, spaced = clean(markup)
        self._cleaned = OriginalChunks(markup, cut)
        self.tokens = (
            MarkupTokens("".join(["<" + chunk for chunk in _tokenise_xml(spaced)]))
            if xml
            else markup_tokens(spaced)
        )
        self._markup, self._cuts = self.tokens.markup, self.tokens.cuts
        self._repaired = self.tokens.repaired
        self.kinds = Kinds()
        self.pieces = []
        self.added = self._added = array("q", bytes(8 * len(self.tokens)))
        self.jumps = {}
        self.links, self.unseen, self.marks, self.raws = [], [], [], []
        self._at = self._preformatted = 0
        self._gap = _NONE
        self._is_repaired = False

    def flow(self) -> Flow:
        return Flow(
            "".join(self.pieces).replace(KEPT_SPACE, " "),
            self.tokens,
            self.originals,
            self.added,
            self.jumps,
            self.kinds,
            self.links,
            self.unseen,
            self.marks,
            self.raws,
        )

    def walk(self) -> None:
        """Reads all tokens."""
        index: cython.Py_ssize_t = 0
        while index < len(self._added):
            index = self._step(index)

    @cython.cfunc
    def _step(self, index: cython.Py_ssize_t) -> cython.Py_ssize_t:
        """Reads a token; returns the next one."""
        if self._is_repaired:
            self._is_repaired = False
            if index in self._repaired:
                return self._step_aside(self.kinds[self._repaired[index][0]], index)
        start: cython.Py_ssize_t = self._cuts[index] + 1
        end: cython.Py_ssize_t = self._cuts[index + 1]
        close: cython.Py_ssize_t = self._markup.find(">", start, end)
        if close < 0:
            close = end
        kind: cython.int = self.kinds[self._markup[start:close]]
        if kind >= _JUMP:
            return self._step_aside(kind, index)
        if kind >= _LINK:
            (self.links if kind < _NOTE else self.marks).append((kind & ~_GAP, index, self._at))
        self._widen(kind & _GAP)
        self._write(index, self._markup, min(close + 1, end), end)
        return index + 1

    @cython.cfunc
    def _step_aside(self, kind: cython.int, index: cython.Py_ssize_t) -> cython.Py_ssize_t:
        """As _step, for a token that is not plain."""
        text: str
        skipped: cython.Py_ssize_t
        kind, text, skipped = self._turn(kind, index)
        if _PRE <= kind < _PRE_END:
            return self._read_preformatted(index)
        if kind >= _PRE_END:
            self._trim()
        self._widen(kind & _GAP)
        self._write(index, text, 0, len(text))
        return index + 1 + skipped

    @cython.cfunc
    def _widen(self, gap: cython.int) -> None:
        """Combines two gaps: the wider one, except line breaks, which add up."""
        if gap == self._gap == _BREAK:
            self._gap = _PARAGRAPH
        elif gap > self._gap:
            self._gap = gap

    @cython.cfunc
    def _write(
        self,
        index: cython.Py_ssize_t,
        text: str,
        start: cython.Py_ssize_t,
        end: cython.Py_ssize_t,
    ) -> None:
        """Adds the text of a token, a part of `text`."""
        first: cython.Py_ssize_t = _first_word(text, start, end)
        if first < end and text.find("&", first, end) >= 0:
            text = decode_references(text[start:end])
            start, end = 0, len(text)
            first = _first_word(text, start, end)
        if first > start and not self._gap:
            self._gap = _SPACE
        if first == end:
            return
        stop: cython.Py_ssize_t = end
        while text[stop - 1] == " ":
            stop -= 1
        word: str = text[first:stop]
        if "  " in word:
            word = " ".join(word.split())
        length: cython.Py_ssize_t = len(word)
        if self._gap and self._at:
            separator: str = _SEPARATORS[self._gap]
            self.pieces.append(separator)
            length += len(separator)
        self.pieces.append(word)
        self._added[index] = length
        self._at += length
        self._gap = _SPACE if stop < end else _NONE

    @cython.cfunc
    def _turn(self, kind: cython.int, index: cython.Py_ssize_t) -> tuple[int, str, int]:
        """Resolves a special token: its kind, its text, and how many tokens to skip after it."""
        if kind in (BROKEN, COMMENT):  # it was split wrongly
            resume = self._jump(kind, index)
            if resume > index:
                return NONE, "", resume - index - 1
            kind = self.kinds[self.tokens[index][0]]
        if kind >= PRE:
            return kind, self.tokens[index][2], 0
        if kind == LITERAL:
            return NONE, "<" + "".join(self.tokens[index]), 0
        if kind >= JUMP:
            return kind & GAP, "", max(self._jump(kind & ~GAP, index) - index - 1, 0)
        if kind >= EVENT:
            (self.links if kind < NOTE else self.marks).append((kind & ~GAP, index, self._at))
        return kind & GAP, self.tokens[index][2], 0

    @cython.cfunc
    def _jump(self, kind: cython.int, index: cython.Py_ssize_t) -> cython.Py_ssize_t:
        """The index of the token to continue with."""
        self._is_repaired = True
        if kind == HIDDEN:
            return self._hidden_end(index)
        if kind == BROKEN:
            end = close_quotes(self.tokens, index)
        elif kind == COMMENT:
            end = comment_end(self.tokens, index)
        else:
            end = self._raw(index)
        if end > index:
            self.jumps[index] = end
        return end

    @cython.cfunc
    def _raw(self, index: cython.Py_ssize_t) -> cython.Py_ssize_t:
        head = self.tokens[index][0]
        name = tag_name(head)
        end = raw_end(self.tokens, index, name)
        if name == "title" or (name == "script" and "ld+json" in head.lower()):
            self.raws.append((head, raw_content(self.tokens, index, end)))
        elif name == "iframe":
            self.links.append((POINT, index, self._at))
        return end

    @cython.cfunc
    def _hidden_end(self, index: cython.Py_ssize_t) -> cython.Py_ssize_t:
        """The end of the element at `index`: its end tag, or a tag that ends it implicitly."""
        elements = OpenElements()
        name = tag_name(self.tokens[index][0])
        elements.start(name)
        if name == "a":
            self.unseen.append((LINK, index, self._at))
        index += 1
        while index < len(self._added):
            head: str = self._head(index)
            kind: cython.int = self.kinds[head] & ~_GAP
            if kind in (BROKEN, COMMENT, RAW_TEXT):
                index = self._jump(kind, index)
                continue
            if _LINK <= kind <= POINT:
                self.unseen.append((kind, index, self._at))
            if self._is_over(elements, tag_name(head)):
                break
            index += 1
        self.unseen.append((LINK_END, index, self._at))
        return index

    @cython.cfunc
    def _head(self, index: cython.Py_ssize_t) -> str:
        if self._is_repaired and index in self._repaired:
            return self._repaired[index][0]
        start: cython.Py_ssize_t = self._cuts[index] + 1
        end: cython.Py_ssize_t = self._cuts[index + 1]
        close: cython.Py_ssize_t = self._markup.find(">", start, end)
        return self._markup[start : close if close >= 0 else end]

    @cython.cfunc
    def _is_over(self, elements: OpenElements, name: str) -> cython.bint:
        """Whether a tag ends the outermost of some open elements."""
        if not name:
            return False
        depth = len(elements.names)
        if name[0] != "/":
            return elements.start(name) == depth
        ended = elements.end(name[1:])
        # The end tag of a block outside closes this element, too.
        return ended == depth or (not ended and name[1:] in BLOCKS and name != "/p")

    @cython.cfunc
    def _read_preformatted(self, index: cython.Py_ssize_t) -> cython.Py_ssize_t:
        """Writes the <pre> at `index` with its white space; returns the token of its end tag."""
        skipped: cython.Py_ssize_t
        kind: cython.int
        while index < len(self._added):
            head, _, text = self.tokens[index]
            skipped, kind = 0, self.kinds[head]
            if kind >= JUMP:
                kind, text, skipped = self._turn(kind, index)
            elif kind >= LINK:
                (self.links if kind < NOTE else self.marks).append((kind & ~GAP, index, self._at))
            if kind >= PRE_END:
                break
            self._widen(kind & _GAP)
            word = preformatted_text(self._original(index), first=kind >= PRE) if text else ""
            if word:
                word = _SEPARATORS[self._gap] + word if self._at else word
                self.pieces.append(word)
                self._added[index] = len(word)
                self._preformatted = index
                self._at += len(word)
                self._gap = _NONE
            index += 1 + skipped
        self._is_repaired = True
        return index

    @cython.cfunc
    def _original(self, index: cython.Py_ssize_t) -> str:
        """The text after a token with its original white space, found by its length."""
        chunk: str = self._cleaned[index]
        return chunk[len(chunk) - len(self.tokens[index][2]) :]

    @cython.cfunc
    def _trim(self) -> None:
        """Removes white space at the end of a <pre>, unless it has an event."""
        if not self.pieces:
            return
        last: cython.Py_ssize_t = len(self.pieces) - 1
        word: str = self.pieces[last].rstrip("\n\t" + KEPT_SPACE)
        less: cython.Py_ssize_t = len(self.pieces[last]) - len(word)
        for events in (self.links, self.marks):
            if events and events[len(events) - 1][2] > self._at - less:
                return
        if less:
            self.pieces[last] = word
            self._added[self._preformatted] -= less
            self._at -= less
            self._clip_unseen()

    @cython.cfunc
    def _clip_unseen(self) -> None:
        """Moves events of hidden links back to the end of the text."""
        for number in reversed(range(len(self.unseen))):
            kind, index, was = self.unseen[number]
            if was <= self._at:
                break
            self.unseen[number] = (kind, index, self._at)


@cython.cfunc
def _first_word(text: str, start: cython.Py_ssize_t, end: cython.Py_ssize_t) -> cython.Py_ssize_t:
    """The offset of the first character that is not a space, or `end`."""
    while start < end and text[start] == " ":
        start += 1
    return start


def _tokenise_xml(markup: str) -> list[str]:
    return with_end_tags(tokenise(without_cdata(markup)))
