"""From tags to what a reader sees: one linear pass that writes the text and notes where things stand in it.

Gaps between words are pending until the next word is written, and the widest one wins: an item in a block
in a section parts the text once. Events (a link begins, a heading ends) are only noted, with the length of
the text so far; who wants them sorts them out later. A page's tags repeat, and each distinct one is
classified once.
"""

from typing import NamedTuple

from toponaut.parse.elements import OpenElements
from toponaut.parse.kinds import (
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
    PARAGRAPH,
    POINT,
    PRE,
    PRE_END,
    RAW_TEXT,
    SEPARATORS,
    SPACE,
    Kinds,
)
from toponaut.parse.markup import (
    Token,
    close_quotes,
    comment_end,
    raw_content,
    raw_end,
    tag_name,
    tokenise,
    with_end_tags,
    without_cdata,
)
from toponaut.parse.signs import KEPT_SPACE, clean, decoded, preformatted, with_spaces

Event = tuple[int, int, int]  # kind (with its gap), index of the token, length of the text so far


class Flow(NamedTuple):
    """A page's text and what the pass over it noted."""

    text: str
    tokens: list[Token]
    lengths: list[int]  # of the text before each token
    jumps: dict[int, int]  # tokens that begin what is no markup, and where to go on
    kinds: Kinds
    events: list[Event]
    unseen: list[Event]  # of the links in hidden elements
    raws: list[tuple[str, str]]  # titles and JSON-LD: head and content


def flow(markup: str, xml: bool = False) -> Flow:
    """The text of some markup, and where things stand in it. `xml`: XHTML that is sent as such."""
    reader = _Reader(clean(markup), xml)
    kind_of, events, lengths = reader.kinds, reader.events, reader.lengths
    out: list[str] = []
    at = gap = resume = 0
    keep = False  # inside <pre>
    for index, (head, _, text) in enumerate(reader.tokens):
        lengths.append(at)
        if index < resume:
            continue
        kind = kind_of[head]
        if JUMP <= kind <= COMMENT:  # the token is not what it seems
            resume = reader.jump(kind, index, at)
            if resume > index:
                continue
            head, _, text = reader.tokens[index]
            kind = kind_of[head]
        if kind:
            wide = kind & GAP
            if wide > gap:
                gap = wide
            elif wide == BREAK == gap:
                gap = PARAGRAPH
            if kind < EVENT:
                pass
            elif kind < JUMP:
                events.append((kind, index, at))
            elif kind >= PRE:
                keep = kind < PRE_END
                at -= 0 if keep else reader.trim(out, at)
            elif kind == LITERAL:
                text = "<" + "".join(reader.tokens[index])
            else:
                resume = reader.jump(kind & ~GAP, index, at)
                continue
        if text:
            if keep:
                text = preformatted(reader.original(index), first=kind >= PRE)
            elif "&" in text:
                text = decoded(text)
            word = text.strip(" ")
            if word:
                if "  " in word:
                    word = " ".join(word.split())
                if not gap and text[0] == " ":
                    gap = SPACE
                if gap and at:
                    word = SEPARATORS[gap] + word
                out.append(word)
                at += len(word)
                gap = SPACE if text[-1] == " " else NONE
            elif not gap and text:
                gap = SPACE
    return reader.flow("".join(out).replace(KEPT_SPACE, " "))


class _Reader:
    """What the pass has noted so far, and how it gets over what is no plain text."""

    def __init__(self, markup: str, xml: bool) -> None:
        self._tokenise = _tokenise_xml if xml else tokenise
        self.markup = markup
        self.tokens = self._tokenise(with_spaces(markup))
        self.kinds = Kinds()
        self.lengths: list[int] = []
        self.jumps: dict[int, int] = {}
        self.events: list[Event] = []
        self.unseen: list[Event] = []
        self.raws: list[tuple[str, str]] = []
        self._originals: list[Token] = []

    def flow(self, text: str) -> Flow:
        """All of it."""
        return Flow(text, self.tokens, self.lengths, self.jumps, self.kinds, self.events, self.unseen, self.raws)

    def original(self, index: int) -> str:
        """The text after a token with its white space as it was. Spaces for it have moved no token."""
        self._originals = self._originals or self._tokenise(self.markup)
        return self._originals[index][2]

    def jump(self, kind: int, index: int, at: int) -> int:
        """The index of the token to go on with."""
        if kind == HIDDEN:
            if tag_name(self.tokens[index][0]) == "a":
                self.unseen.append((LINK, index, at))
            end = self._hidden_end(index, at)
            self.unseen.append((LINK_END, end, at))
            return end
        if kind == BROKEN:
            end = close_quotes(self.tokens, index)
        elif kind == COMMENT:
            end = comment_end(self.tokens, index)
        else:
            end = self._raw(index, at)
        if end > index:
            self.jumps[index] = end
        return end

    def _raw(self, index: int, at: int) -> int:
        head = self.tokens[index][0]
        name = tag_name(head)
        end = raw_end(self.tokens, index, name)
        if name == "title" or (name == "script" and "ld+json" in head.lower()):
            self.raws.append((head, raw_content(self.tokens, index, end)))
        elif name == "iframe":
            self.events.append((POINT, index, at))
        return end

    def _hidden_end(self, index: int, at: int) -> int:
        """Where an element ends that opens at `index`: at its end tag, or before what ends it unsaid."""
        elements = OpenElements()
        elements.start(tag_name(self.tokens[index][0]))
        index += 1
        while index < len(self.tokens):
            head = self.tokens[index][0]
            kind = self.kinds[head] & ~GAP
            if kind in (BROKEN, COMMENT, RAW_TEXT):
                index = self.jump(kind, index, at)
                continue
            if LINK <= kind <= POINT:
                self.unseen.append((kind, index, at))
            name, depth, ended = tag_name(head), len(elements.names), 0
            if name.startswith("/"):
                ended = elements.end(name[1:])
                # An end tag for nothing in here closes what is around, if it is that of a block.
                if not ended and name[1:] in BLOCKS and name != "/p":
                    return index
            elif name:
                ended = elements.start(name)
            if ended == depth:
                return index
            index += 1
        return index

    def trim(self, out: list[str], at: int) -> int:
        """Takes the white space off the end of a <pre>, unless an event stands in it; says how much."""
        if not out:
            return 0
        word = out[-1].rstrip("\n\t" + KEPT_SPACE)
        less = len(out[-1]) - len(word)
        if not less or (self.events and self.events[-1][2] > at - less):
            return 0
        out[-1] = word
        return less


def _tokenise_xml(markup: str) -> list[Token]:
    return with_end_tags(tokenise(without_cdata(markup)))
