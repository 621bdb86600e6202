"""From tags to visible text: one linear pass that writes the text and records events in it.

Gaps between words are pending until the next word is written, and the widest wins: an item in a
block in a section separates the text once. Events (a link begins, a heading ends) are recorded with
the length of the text so far, and interpreted later.

`_FlowBuilder.step` handles plain tokens and leaves the rest (titles, comments, broken tags, <pre>)
to slower methods.
"""

from array import array

import cython

from toponaut.page.parse import kinds
from toponaut.page.parse.elements import OpenElements
from toponaut.page.parse.markup import OriginalChunks, Token, tag_name, tokenise, tokenise_xml
from toponaut.page.parse.repairs import close_quotes, comment_end
from toponaut.page.parse.stream import Event, Flow
from toponaut.page.parse.text import (
    KEPT_SPACE,
    clean,
    decode_references,
    from_utf8,
    preformatted_text,
    single_spaced,
    spaced,
    to_utf8,
)
from toponaut.page.parse.tokens import MarkupTokens, joined_tokens, markup_tokens

# As C numbers, for the loop over all tokens.
_NONE = cython.declare(cython.int, kinds.NONE)
_SPACE = cython.declare(cython.int, kinds.SPACE)
_BREAK = cython.declare(cython.int, kinds.BREAK)
_PARAGRAPH = cython.declare(cython.int, kinds.PARAGRAPH)
_GAP = cython.declare(cython.int, kinds.GAP)
_LINK = cython.declare(cython.int, kinds.LINK)
_NOTE = cython.declare(cython.int, kinds.NOTE)
_JUMP = cython.declare(cython.int, kinds.JUMP)
_PRE = cython.declare(cython.int, kinds.PRE)
_PRE_END = cython.declare(cython.int, kinds.PRE_END)
_BROKEN = cython.declare(cython.int, kinds.BROKEN)
_COMMENT = cython.declare(cython.int, kinds.COMMENT)
_EVENT = cython.declare(cython.int, kinds.EVENT)
_HIDDEN = cython.declare(cython.int, kinds.HIDDEN)
_LINK_END = cython.declare(cython.int, kinds.LINK_END)
_LITERAL = cython.declare(cython.int, kinds.LITERAL)
_POINT = cython.declare(cython.int, kinds.POINT)
_RAW_TEXT = cython.declare(cython.int, kinds.RAW_TEXT)
_UNSURE = cython.declare(cython.int, kinds.UNSURE)
_SEPARATORS = cython.declare(tuple, kinds.SEPARATORS)
_BLANK = cython.declare(cython.uchar, ord(" "))
_AND = cython.declare(cython.uchar, ord("&"))
_A = cython.declare(cython.int, kinds.ELEMENTS.index("a"))
_TITLE = cython.declare(cython.int, kinds.ELEMENTS.index("title"))
_SCRIPT = cython.declare(cython.int, kinds.ELEMENTS.index("script"))
_IFRAME = cython.declare(cython.int, kinds.ELEMENTS.index("iframe"))


def flow(markup: bytes, xml: bool = False) -> Flow:
    """The text of some markup in UTF-8 and its events. `xml`: XHTML with an XML content type."""
    builder = _FlowBuilder(markup, xml)
    builder.walk()
    return builder.flow()


@cython.cclass
class _FlowBuilder:
    """The pass over the tokens, and its results so far."""

    originals: OriginalChunks
    tokens: MarkupTokens
    pieces: list[str]  # of the text
    added: array[int]
    jumps: dict[int, int]
    links: list[Event]
    unseen: list[Event]
    marks: list[Event]
    raws: list[tuple[str, str]]
    _cleaned: OriginalChunks
    _repaired: dict[int, Token]
    _markup: bytes
    _letters: cython.const[cython.uchar][::1]  # of the markup
    _cuts: cython.longlong[::1]
    _closes: cython.longlong[::1]
    _kinds: cython.short[::1]
    _elements: cython.int[::1]
    _added: cython.longlong[::1]
    _at: cython.Py_ssize_t  # length of the text
    _gap: cython.int  # between the text and the next word
    _is_repaired: cython.bint  # the next token may be
    _preformatted: cython.Py_ssize_t  # the last token of a <pre> that added to the text

    def __init__(self, markup: bytes, xml: bool) -> None:
        cut = tokenise_xml if xml else tokenise
        self.originals = OriginalChunks(markup, cut)
        self._cleaned = OriginalChunks(markup, lambda text: cut(from_utf8(clean(to_utf8(text)))))
        letters = spaced(markup)
        self.tokens = joined_tokens(cut(from_utf8(letters))) if xml else markup_tokens(letters)
        self._markup = self._letters = self.tokens.markup
        self._cuts, self._closes = self.tokens.cuts, self.tokens.closes
        self._kinds, self._elements = self.tokens.kinds, self.tokens.elements
        self._repaired = self.tokens.repaired
        self.pieces = []
        self.added = self._added = array("q", bytes(8 * len(self.tokens)))
        self.jumps = {}
        self.links, self.unseen, self.marks, self.raws = [], [], [], []
        self._at = self._preformatted = 0
        self._gap = _NONE
        self._is_repaired = False

    def flow(self) -> Flow:
        return Flow(
            "".join(self.pieces).replace(KEPT_SPACE, " "), self.tokens, self.originals, self.added,
            self.jumps, self.links, self.unseen, self.marks, self.raws,
        )  # fmt: skip

    def walk(self) -> None:
        """Reads all tokens."""
        index: cython.Py_ssize_t = 0
        while index < len(self._added):
            index = self._step(index)

    @cython.cfunc
    def _step(self, index: cython.Py_ssize_t) -> cython.Py_ssize_t:
        """Reads a token; returns the next one."""
        kind: cython.int = self._kinds[index]
        if self._is_repaired:
            self._is_repaired = False
            if index in self._repaired:
                kind = _UNSURE
        if kind >= _JUMP:
            kind = self._kind(index)
            if kind == _RAW_TEXT:
                return self._jump(kind, index)
            return self._step_aside(kind, index)
        if kind >= _LINK:
            self._record(kind, index)
        self._widen(kind & _GAP)
        self._write(index, self._closes[index] + 1, self._cuts[index + 1])
        return index + 1

    @cython.cfunc
    def _kind(self, index: cython.Py_ssize_t) -> cython.int:
        """The kind of a token that may not be plain."""
        kind: cython.int = self._kinds[index]
        if self._repaired and index in self._repaired:
            kind = _UNSURE
        if kind != _UNSURE:
            return kind
        return kinds.known_kind(self.tokens.head(index))

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
        self._write_text(index, decode_references(text) if "&" in text else text)
        return index + 1 + skipped

    @cython.cfunc
    def _record(self, kind: cython.int, index: cython.Py_ssize_t) -> None:
        """Adds an event."""
        (self.links if kind < _NOTE else self.marks).append((kind & ~_GAP, index, self._at))

    @cython.cfunc
    def _widen(self, gap: cython.int) -> None:
        """Combines two gaps: the wider one, except line breaks, which add up."""
        if gap == self._gap == _BREAK:
            self._gap = _PARAGRAPH
        elif gap > self._gap:
            self._gap = gap

    @cython.cfunc
    def _write(
        self, index: cython.Py_ssize_t, start: cython.Py_ssize_t, end: cython.Py_ssize_t
    ) -> None:
        """Adds the text of a token, a part of the markup."""
        first: cython.Py_ssize_t = start
        stop: cython.Py_ssize_t = end
        at: cython.Py_ssize_t
        is_blank: cython.bint
        was_blank: cython.bint = False
        is_spaced: cython.bint = False
        has_reference: cython.bint = False
        while first < end and self._letters[first] == _BLANK:
            first += 1
        if first >= end:
            if first > start and not self._gap:
                self._gap = _SPACE
            return
        while self._letters[stop - 1] == _BLANK:
            stop -= 1
        for at in range(first, stop):
            is_blank = self._letters[at] == _BLANK
            is_spaced |= is_blank & was_blank
            has_reference |= self._letters[at] == _AND
            was_blank = is_blank
        if has_reference:
            text = self._markup[start:end].decode("utf-8", "surrogatepass")
            self._write_text(index, decode_references(text))
            return
        if first > start and not self._gap:
            self._gap = _SPACE
        word: str = self._markup[first:stop].decode("utf-8", "surrogatepass")
        self._add(index, " ".join(word.split()) if is_spaced else word)
        self._gap = _SPACE if stop < end else _NONE

    @cython.cfunc
    def _write_text(self, index: cython.Py_ssize_t, text: str) -> None:
        """As _write, for any text."""
        if text[:1] == " " and not self._gap:
            self._gap = _SPACE
        word: str = text.strip(" ")
        if word:
            self._add(index, single_spaced(word))
            self._gap = _SPACE if text[len(text) - 1] == " " else _NONE

    @cython.cfunc
    def _add(self, index: cython.Py_ssize_t, word: str) -> None:
        """Adds the words of a token after the gap."""
        length: cython.Py_ssize_t = len(word)
        if self._gap and self._at:
            separator: str = _SEPARATORS[self._gap]
            self.pieces.append(separator)
            length += len(separator)
        self.pieces.append(word)
        self._added[index] = length
        self._at += length

    @cython.cfunc
    def _turn(self, kind: cython.int, index: cython.Py_ssize_t) -> tuple[int, str, int]:
        """Resolves a special token: its kind, its text, and how many tokens to skip after it."""
        if kind in (_BROKEN, _COMMENT):  # it was split wrongly
            resume = self._jump(kind, index)
            if resume > index:
                return _NONE, "", resume - index - 1
            kind = self._kind(index)
        if kind >= _PRE:
            return kind, self.tokens.text(index), 0
        if kind == _LITERAL:
            return _NONE, "<" + "".join(self.tokens[index]), 0
        if kind >= _JUMP:
            return kind & _GAP, "", max(self._jump(kind & ~_GAP, index) - index - 1, 0)
        if kind >= _EVENT:
            self._record(kind, index)
        return kind & _GAP, self.tokens.text(index), 0

    @cython.cfunc
    def _jump(self, kind: cython.int, index: cython.Py_ssize_t) -> cython.Py_ssize_t:
        """The index of the token to continue with."""
        self._is_repaired = True
        if kind == _HIDDEN:
            return self._hidden_end(index)
        if kind == _BROKEN:
            end = close_quotes(self.tokens, index)
        elif kind == _COMMENT:
            end = comment_end(self.tokens, index)
        else:
            end = self._raw(index)
        if end > index:
            self.jumps[index] = end
        return end

    @cython.cfunc
    def _raw(self, index: cython.Py_ssize_t) -> cython.Py_ssize_t:
        """Skips a raw element up to its end tag, and keeps the content of some."""
        element: cython.int = self._element(index)
        end: cython.Py_ssize_t = index + 1
        while end < len(self._elements) and self._elements[end] != -element:
            end += 1
        if element in (_TITLE, _SCRIPT):
            head: str = self.tokens.head(index)
            if element == _TITLE or "ld+json" in head.lower():
                content = self.tokens.text(index) + self.tokens.between(index + 1, end)
                self.raws.append((head, content))
        elif element == _IFRAME:
            self.links.append((_POINT, index, self._at))
        return end

    @cython.cfunc
    def _hidden_end(self, index: cython.Py_ssize_t) -> cython.Py_ssize_t:
        """The end of the element at `index`: its end tag, or a tag that ends it implicitly."""
        elements = OpenElements()
        element: cython.int = self._element(index)
        elements.start(element)
        if element == _A:
            self.unseen.append((_LINK, index, self._at))
        index += 1
        while index < len(self._added):
            kind: cython.int = self._kind(index) & ~_GAP
            if kind in (_BROKEN, _COMMENT, _RAW_TEXT):
                index = self._jump(kind, index)
                continue
            if _LINK <= kind <= _POINT:
                self.unseen.append((kind, index, self._at))
            if elements.is_over(self._element(index)):
                break
            index += 1
        self.unseen.append((_LINK_END, index, self._at))
        return index

    @cython.cfunc
    def _element(self, index: cython.Py_ssize_t) -> cython.int:
        """The number of a token's element."""
        if self._repaired and index in self._repaired:
            return self.tokens.element(tag_name(self.tokens.head(index)))
        return self._elements[index]

    @cython.cfunc
    def _read_preformatted(self, index: cython.Py_ssize_t) -> cython.Py_ssize_t:
        """Writes the <pre> at `index` with its white space; returns the token of its end tag."""
        skipped: cython.Py_ssize_t
        kind: cython.int
        while index < len(self._added):
            text = self.tokens.text(index)
            skipped, kind = 0, self._kind(index)
            if kind >= _JUMP:
                kind, text, skipped = self._turn(kind, index)
            elif kind >= _LINK:
                self._record(kind, index)
            if kind >= _PRE_END:
                break
            self._widen(kind & _GAP)
            word = preformatted_text(self._original(index), first=kind >= _PRE) if text else ""
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
        return chunk[len(chunk) - len(self.tokens.text(index)) :]

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
