"""From tags to what a reader sees: one linear pass that writes the text and notes where things stand in it.

Gaps between words are pending until the next word is written, and the widest one wins: an item in a block
in a section parts the text once. Events (a link begins, a heading ends) are only noted, with the length of
the text so far; who wants them sorts them out later. A page's tags repeat, and each distinct one is
classified once.

Half the time of a page is spent in the loop of `flow`, so nearly every step in it is one that most tokens
need. Of the 460 chunks of a page of 25 KB, 280 are found in `wordless` and go a short way. Of its 0.33 ms, 0.07
go into cutting the page into chunks, 0.08 into links, 0.03 into the head and the rest into words. (Compiled with mypyc,
a page takes 7 % less: most of its time goes into strings and dicts, not into steps.)
"""

import re
from itertools import accumulate, count, islice
from typing import NamedTuple

from toponaut.parse.elements import OpenElements
from toponaut.parse.kinds import (
    BLOCKS,
    BROKEN,
    COMMENT,
    EVENT,
    GAP,
    HIDDEN,
    JUMP,
    LINK,
    LINK_END,
    LITERAL,
    MENDED,
    NONE,
    NOTE,
    PLAIN_LINK,
    POINT,
    PRE,
    PRE_END,
    RAW_TEXT,
    SEPARATORS,
    SPACE,
    WIDER,
    Kinds,
    Target,
)
from toponaut.parse.markup import (
    Originals,
    Tokens,
    close_quotes,
    comment_end,
    raw_content,
    raw_end,
    tag_name,
    tokenise,
    with_end_tags,
    without_cdata,
)
from toponaut.parse.signs import KEPT_SPACE, cleaned, decoded, has_double_spaces, preformatted

_DOUBLE_SPACES = re.compile("  +")
Event = tuple[int, int, int]  # kind (with its gap), index of the token, length of the text so far


class Flow(NamedTuple):
    """A page's text and what the pass over it noted."""

    text: str
    tokens: Tokens
    originals: Originals
    pieces: list[str]  # what was written, and after which tokens
    written: list[int]
    jumps: dict[int, int]  # tokens that begin what is no markup, and where to go on
    kinds: Kinds
    links: list[Event]
    targets: dict[int, Target]  # of the tags of plain links
    unseen: list[Event]  # of the links in hidden elements
    marks: list[Event]  # and the tags in which the page speaks of itself
    raws: list[tuple[str, str]]  # titles and JSON-LD: head and content

    def lengths(self) -> list[int]:
        """Of the text before each token. Few pages need them: counting on the way would cost 3 % of a page."""
        added = [0] * len(self.tokens)
        for index, piece in zip(self.written, self.pieces, strict=True):
            added[index] = len(piece)
        return list(accumulate(added, initial=0))


def flow(markup: str, xml: bool = False) -> Flow:
    """The text of some markup, and where things stand in it. `xml`: XHTML that is sent as such."""
    reader = _Reader(markup, xml)
    links, marks, pieces, written = reader.links, reader.marks, reader.pieces, reader.written
    targets, plain_link, kinds, chunks = reader.targets, PLAIN_LINK.match, reader.kinds, reader.tokens.chunks
    wordless: dict[str, int] = {}  # kinds of chunks without words, which are more than half of a page's
    at, gap, keep = 0, NONE, False  # keep: inside <pre>
    steps = zip(count(), chunks, map(wordless.get, chunks))  # each looked up when it is its turn
    for index, chunk, kind in steps:
        if kind is not None:
            if kind >= LINK:
                (links if kind < NOTE else marks).append((kind, index, at))
                kind &= GAP
            gap = WIDER[gap][kind]
            continue
        plain = plain_link(chunk) if chunk[:2] == "a " else None
        if plain:
            targets[index] = plain.groups()  # type: ignore[assignment]  # five groups
            links.append((LINK, index, at))
            kind, text, special = NONE, chunk[plain.end() :], True
        else:
            head, _, text = chunk.partition(">")
            kind = kinds[head]
            special = kind >= JUMP
            if special:
                kind, text, skipped = reader.turn(kind, index, at)
                next(islice(steps, skipped, skipped), None)
                if kind >= PRE:
                    keep = kind < PRE_END
                    wordless.clear()  # inside <pre> no chunk is like another: its white space counts
                    at -= 0 if keep else reader.trim(at)
            elif kind >= LINK:
                (links if kind < NOTE else marks).append((kind, index, at))
        word = text.strip()
        if not word and not keep:
            kind |= SPACE if text and not kind & GAP else NONE
            if not special:
                wordless[chunk] = kind
        gap = WIDER[gap][kind & GAP]
        if keep:
            word = text = preformatted(reader.original(index), first=kind >= PRE) if text else ""
        elif "&" in word:
            text = decoded(text)
            word = text.strip()
        if word:
            if word is text:
                after = NONE
            else:
                after = SPACE if text[-1] == " " else NONE
                if not gap and text[0] == " ":
                    gap = SPACE
            if gap and at:
                word = SEPARATORS[gap] + word
            pieces.append(word)
            written.append(index)
            at += len(word)
            gap = after
        elif text and not gap:
            gap = SPACE
    return reader.flow()


class _Reader:
    """What the pass has noted so far, and how it gets over what is no plain text."""

    def __init__(self, markup: str, xml: bool) -> None:
        cut = _tokenise_xml if xml else tokenise
        self.originals = Originals(markup, cut)
        markup, spaced = cleaned(markup)
        self.tokens, self._cleaned = Tokens(cut(spaced)), Originals(markup, cut)
        self.kinds = Kinds()
        self.pieces: list[str] = []
        self.written: list[int] = []
        self.jumps: dict[int, int] = {}
        self.links: list[Event] = []
        self.targets: dict[int, Target] = {}
        self.unseen: list[Event] = []
        self.marks: list[Event] = []
        self.raws: list[tuple[str, str]] = []

    def flow(self) -> Flow:
        """All of it."""
        text = "".join(self.pieces)
        if has_double_spaces(text):
            self._collapse_spaces()
            text = "".join(self.pieces)
        return Flow(
            text.replace(KEPT_SPACE, " "),
            self.tokens,
            self.originals,
            self.pieces,
            self.written,
            self.jumps,
            self.kinds,
            self.links,
            self.targets,
            self.unseen,
            self.marks,
            self.raws,
        )

    def _collapse_spaces(self) -> None:
        """Makes one space of several. Few texts have such: to look into each piece for them takes five times as long as
        into the whole text, and so it pays to mend what was noted afterwards: all of it stands at ends of pieces."""
        ends = [*accumulate(map(len, self.pieces), initial=0)]
        self.pieces[:] = [_DOUBLE_SPACES.sub(" ", piece) if "  " in piece else piece for piece in self.pieces]
        moved = dict(zip(ends, accumulate(map(len, self.pieces), initial=0), strict=True))
        for events in (self.links, self.unseen, self.marks):
            events[:] = [(kind, index, moved[at]) for kind, index, at in events]

    def original(self, index: int) -> str:
        """The text after a token with its white space as it was. Spaces for it have moved no sign, so its length tells
        where it begins, also after a comment that holds a ">".
        """
        chunk = self._cleaned[index]
        return chunk[len(chunk) - len(self.tokens[index][2]) :]

    def turn(self, kind: int, index: int, at: int) -> tuple[int, str, int]:
        """What a token of the kind of a jump comes to: its kind, its text, how many tokens after it to skip."""
        if kind == MENDED:
            kind = self.kinds[self.tokens[index][0]]
        if JUMP <= kind <= COMMENT:  # it is not what it seems
            resume = self.jump(kind, index, at)
            if resume > index:
                return NONE, "", resume - index - 1
            kind = self.kinds[self.tokens[index][0]]
        if kind >= PRE:
            return kind, self.tokens[index][2], 0
        if kind == LITERAL:
            return NONE, "<" + "".join(self.tokens[index]), 0
        if kind >= JUMP:
            return kind & GAP, "", max(self.jump(kind & ~GAP, index, at) - index - 1, 0)
        if kind >= EVENT:
            (self.links if kind < NOTE else self.marks).append((kind, index, at))
        return kind & GAP, self.tokens[index][2], 0

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
            self.links.append((POINT, index, at))
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

    def trim(self, at: int) -> int:
        """Takes the white space off the end of a <pre>, unless an event stands in it; says how much."""
        if not self.pieces:
            return 0
        word = self.pieces[-1].rstrip("\n\t" + KEPT_SPACE)
        less = len(self.pieces[-1]) - len(word)
        if not less or any(events[-1][2] > at - less for events in (self.links, self.marks) if events):
            return 0
        self.pieces[-1] = word
        return less


def _tokenise_xml(markup: str) -> list[str]:
    return with_end_tags(tokenise(without_cdata(markup)))
