"""From tags to what a reader sees: one linear pass that writes the text and notes where things stand in it.

Gaps between words are pending until the next word is written, and the widest one wins: an item in a block in a
section parts the text once. Events (a link begins, a heading ends) are only noted, with the length of the text
so far; who wants them sorts them out later. A page's tags repeat, and each distinct one is classified once.
"""

from typing import NamedTuple

from toponaut.parse import kinds as k
from toponaut.parse.elements import OpenElements
from toponaut.parse.markup import (
    Token,
    close_quotes,
    comment_end,
    raw_content,
    raw_end,
    tag_name,
    tokenise,
)
from toponaut.parse.signs import KEPT_SPACE, clean, has_preformatted, tidy

Event = tuple[int, int, int]  # kind, index of the token, length of the text so far


class Flow(NamedTuple):
    """A page's text and what the pass over it noted."""

    text: str
    tokens: list[Token]
    events: list[Event]
    unseen: list[Event]  # of the links in hidden elements
    raws: list[tuple[str, str]]  # titles and JSON-LD: head and content


def flow(markup: str, every_tag: bool = False) -> Flow:
    """The text of some markup with its events; `every_tag` notes an ELEMENT event where there is no other."""
    preformatted = has_preformatted(markup)
    reader = _Reader(tokenise(clean(markup, preformatted)), k.Kinds(every_tag))
    kind_of, events = reader.kinds, reader.events
    out: list[str] = []
    at = gap = resume = 0
    keep = False  # inside <pre>
    for index, (head, _, text) in enumerate(reader.tokens):
        if index < resume:
            continue
        kind = kind_of[head]
        if kind:
            wide = kind & k.GAP
            if wide > gap:
                gap = wide
            elif wide == gap == k.BREAK:
                gap = k.PARAGRAPH
            if kind >= k.JUMP:
                if kind >= k.PRE:
                    keep = kind < k.PRE_END
                    if keep:
                        text = text.removeprefix("\n")
                    else:
                        at -= reader.trim(out, at)
                elif kind == k.LITERAL:
                    text = "<" + "".join(reader.tokens[index])
                else:
                    resume = reader.jump(kind & ~k.GAP, index, at)
                    continue
            elif kind >= k.EVENT:
                events.append((kind & ~k.GAP, index, at))
        if text:
            if preformatted or "&" in text:
                text = tidy(text, keep)
            word = text.strip(" ")
            if word:
                if not gap and text[0] == " ":
                    gap = k.SPACE
                if gap and at:
                    word = k.SEPARATORS[gap] + word
                out.append(word)
                at += len(word)
                gap = k.SPACE if text[-1] == " " else k.NONE
            elif text and not gap:
                gap = k.SPACE
    text = "".join(out).replace(KEPT_SPACE, " ")
    return Flow(text, reader.tokens, events, reader.unseen, reader.raws)


class _Reader:
    """What the pass has noted so far, and how it gets over what is no plain text."""

    def __init__(self, tokens: list[Token], kinds: k.Kinds) -> None:
        self.tokens = tokens
        self.kinds = kinds
        self.events: list[Event] = []
        self.unseen: list[Event] = []
        self.raws: list[tuple[str, str]] = []

    def jump(self, kind: int, index: int, at: int) -> int:
        """The index of the token to go on with."""
        if kind == k.BROKEN:
            return close_quotes(self.tokens, index)
        if kind == k.COMMENT:
            return comment_end(self.tokens, index)
        if kind == k.RAW_TEXT:
            return self._raw(index, at)
        if tag_name(self.tokens[index][0]) == "a":
            self.unseen.append((k.LINK, index, at))
        end = self._hidden_end(index, at)
        self.unseen.append((k.LINK_END, end, at))
        return end

    def _raw(self, index: int, at: int) -> int:
        head = self.tokens[index][0]
        name = tag_name(head)
        end = raw_end(self.tokens, index, name)
        if name == "title" or (name == "script" and "ld+json" in head.lower()):
            self.raws.append((head, raw_content(self.tokens, index, end)))
        elif name == "iframe":
            self.events.append((k.POINT, index, at))
        return end

    def _hidden_end(self, index: int, at: int) -> int:
        """Where an element ends that opens at `index`: at its end tag, or before what ends it unsaid."""
        elements = OpenElements()
        elements.start(tag_name(self.tokens[index][0]))
        index += 1
        while index < len(self.tokens):
            head = self.tokens[index][0]
            kind = self.kinds[head] & ~k.GAP
            if kind in (k.BROKEN, k.COMMENT, k.RAW_TEXT):
                index = self.jump(kind, index, at)
                continue
            if k.LINK <= kind <= k.POINT:
                self.unseen.append((kind, index, at))
            name, depth, ended = tag_name(head), len(elements.names), 0
            if name.startswith("/"):
                ended = elements.end(name[1:])
                # An end tag for nothing in here closes what is around, if it is that of a block.
                if not ended and name[1:] in k.BLOCKS and name != "/p":
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
