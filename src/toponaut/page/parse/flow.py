"""From tags to visible text: one linear pass that writes the text and records events in it.

Gaps between words are pending until the next word is written, and the widest wins: an item in a
block in a section separates the text once. Events (a link begins, a heading ends) are recorded with
the length of the text so far, and interpreted later. A page's tags repeat, and each distinct tag is
classified once.

There are two implementations with the same results: `Kernels.walk`, and `_walk` where nothing was
compiled (three times slower). Both handle plain tokens themselves and leave the rest (titles,
comments, broken tags, <pre>) to `_FlowBuilder`.
"""

import re
from array import array
from itertools import accumulate, count, islice
from typing import NamedTuple

from toponaut.kernels import COMPILED, Kernels
from toponaut.page.parse.elements import ELEMENTS, OpenElements
from toponaut.page.parse.kinds import (
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
    NAMES,
    NONE,
    NOTE,
    PLAIN_LINK,
    POINT,
    PRE,
    PRE_END,
    RAW_TEXT,
    REPAIRED,
    SEPARATORS,
    SPACE,
    WIDER,
    Kinds,
    LinkTarget,
    link_target,
)
from toponaut.page.parse.markup import (
    ChunkSlices,
    MarkupTokens,
    OriginalChunks,
    close_quotes,
    comment_end,
    raw_content,
    raw_end,
    tag_name,
    tokenise,
    with_end_tags,
    without_cdata,
)
from toponaut.page.parse.text import KEPT_SPACE, clean, decode_references, preformatted_text

_DOUBLE_SPACES = re.compile("  +")
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
    targets: dict[int, LinkTarget]  # of plain links
    unseen: list[Event]  # links in hidden elements
    marks: list[Event]  # headings, bold words, addresses; and metadata tags
    raws: list[tuple[str, str]]  # titles and JSON-LD: head and content

    def lengths(self) -> list[int]:
        """The length of the text before each token."""
        return list(accumulate(self.added, initial=0))


def flow(markup: str, xml: bool = False, kernels: Kernels | None = COMPILED) -> Flow:
    """The text of some markup and its events. `xml`: XHTML with an XML content type."""
    builder = _FlowBuilder(markup, xml, kernels)
    chunks = builder.tokens.chunks
    if isinstance(chunks, list):
        _walk(builder, chunks)
    elif kernels:
        kernels.walk(
            (chunks.markup, chunks.cuts, builder.tokens.repaired),
            (builder.kinds, NAMES, builder.kinds.others, ELEMENTS),
            (
                builder.links,
                builder.unseen,
                builder.marks,
                builder.targets,
                builder.jumps,
                builder.pieces,
                builder.added,
            ),
            (builder.turn, builder.jump, builder.preformatted, builder.trim, decode_references),
        )
    return builder.flow()


def _walk(builder: "_FlowBuilder", chunks: list[str]) -> None:
    """The Python twin of `Kernels.walk`."""
    links, marks, pieces, added = builder.links, builder.marks, builder.pieces, builder.added
    targets, plain_link, kinds = builder.targets, PLAIN_LINK.match, builder.kinds
    wordless: dict[str, int] = {}  # kinds of chunks without words: more than half of a page's
    at, gap = 0, NONE
    steps = zip(count(), chunks, map(wordless.get, chunks))  # lazy: looked up one by one
    for index, chunk, kind in steps:
        if kind is not None:
            if kind >= LINK:
                (links if kind < NOTE else marks).append((kind & ~GAP, index, at))
                kind &= GAP
            gap = WIDER[gap][kind]
            continue
        plain = plain_link(chunk) if chunk[:2] == "a " else None
        if plain:
            targets[index] = link_target(plain)
            links.append((LINK, index, at))
            kind, text, special = NONE, chunk[plain.end() :], True
        else:
            head, _, text = chunk.partition(">")
            kind = kinds[head]
            special = kind >= JUMP
            if special:
                kind, text, skipped = builder.turn(kind, index, at)
                if PRE <= kind < PRE_END:
                    resume, at, gap = builder.preformatted(index, at, gap)
                    kind, text, skipped = NONE, "", resume - index - 1
                elif kind >= PRE_END:
                    at -= builder.trim(at)
                next(islice(steps, skipped, skipped), None)
            elif kind >= LINK:
                (links if kind < NOTE else marks).append((kind & ~GAP, index, at))
        word = text.strip()
        if not word:
            kind |= SPACE if text and not kind & GAP else NONE
            if not special:
                wordless[chunk] = kind
        gap = WIDER[gap][kind & GAP]
        if "&" in word:
            text = decode_references(text)
            word = text.strip()
        if word:
            if word is text:
                after = NONE
            else:
                after = SPACE if text[-1] == " " else NONE
                if not gap and text[0] == " ":
                    gap = SPACE
            if "  " in word:
                word = _DOUBLE_SPACES.sub(" ", word)
            if gap and at:
                word = SEPARATORS[gap] + word
            pieces.append(word)
            added[index] = len(word)
            at += len(word)
            gap = after
        elif text and not gap:
            gap = SPACE


class _FlowBuilder:
    """The results so far, and the handling of everything that is not plain text."""

    def __init__(self, markup: str, xml: bool, kernels: Kernels | None) -> None:
        cut = _tokenise_xml if xml else tokenise
        self.originals = OriginalChunks(markup, cut)
        markup, spaced = clean(markup)
        self.tokens = MarkupTokens(
            cut(spaced) if xml or not kernels else ChunkSlices(spaced, kernels)
        )
        self._cleaned = OriginalChunks(markup, cut)
        self.kinds = Kinds()
        self.pieces: list[str] = []  # of the text
        self.added = array("q", bytes(8 * len(self.tokens)))
        self.jumps: dict[int, int] = {}
        self.links: list[Event] = []
        self.targets: dict[int, LinkTarget] = {}
        self.unseen: list[Event] = []
        self.marks: list[Event] = []
        self.raws: list[tuple[str, str]] = []
        self._preformatted = 0  # the last token of a <pre> that added to the text

    def flow(self) -> Flow:
        return Flow(
            "".join(self.pieces).replace(KEPT_SPACE, " "),
            self.tokens,
            self.originals,
            self.added,
            self.jumps,
            self.kinds,
            self.links,
            self.targets,
            self.unseen,
            self.marks,
            self.raws,
        )

    def original(self, index: int) -> str:
        """The text after a token with its original white space, found by its length."""
        chunk = self._cleaned[index]
        return chunk[len(chunk) - len(self.tokens[index][2]) :]

    def turn(self, kind: int, index: int, at: int) -> tuple[int, str, int]:
        """Resolves a special token: its kind, its text, and how many tokens to skip after it."""
        if kind == REPAIRED:
            kind = self.kinds[self.tokens[index][0]]
        if JUMP <= kind <= COMMENT:  # it was split wrongly
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
            (self.links if kind < NOTE else self.marks).append((kind & ~GAP, index, at))
        return kind & GAP, self.tokens[index][2], 0

    def jump(self, kind: int, index: int, at: int) -> int:
        """The index of the token to continue with."""
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
        """The end of the element at `index`: its end tag, or a tag that ends it implicitly."""
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
                # The end tag of a block outside closes this element, too.
                if not ended and name[1:] in BLOCKS and name != "/p":
                    return index
            elif name:
                ended = elements.start(name)
            if ended == depth:
                return index
            index += 1
        return index

    def preformatted(self, index: int, at: int, gap: int) -> tuple[int, int, int]:
        """Writes the <pre> at `index` with its white space.

        Returns the token of its end tag, the length of the text there, and the gap.
        """
        while index < len(self.tokens):
            chunk, (head, _, text), skipped = self.tokens.chunks[index], self.tokens[index], 0
            plain = PLAIN_LINK.match(chunk) if chunk[:2] == "a " else None
            if plain:
                self.targets[index] = link_target(plain)
            kind = LINK if plain else self.kinds[head]
            if kind >= JUMP:
                kind, text, skipped = self.turn(kind, index, at)
            elif kind >= LINK:
                (self.links if kind < NOTE else self.marks).append((kind & ~GAP, index, at))
            if kind >= PRE_END:
                break
            gap = WIDER[gap][kind & GAP]
            word = preformatted_text(self.original(index), first=kind >= PRE) if text else ""
            if word:
                word = SEPARATORS[gap] + word if at else word
                self.pieces.append(word)
                self.added[index] = len(word)
                self._preformatted = index
                at, gap = at + len(word), NONE
            index += 1 + skipped
        return index, at, gap

    def trim(self, at: int) -> int:
        """Removes white space at the end of a <pre>, unless it has an event; returns how much."""
        if not self.pieces:
            return 0
        word = self.pieces[-1].rstrip("\n\t" + KEPT_SPACE)
        less = len(self.pieces[-1]) - len(word)
        if not less or any(
            events[-1][2] > at - less for events in (self.links, self.marks) if events
        ):
            return 0
        self.pieces[-1] = word
        self.added[self._preformatted] -= less
        self._clip_unseen(at - less)
        return less

    def _clip_unseen(self, at: int) -> None:
        """Moves events of hidden links back to the end of the text."""
        for number in reversed(range(len(self.unseen))):
            kind, index, was = self.unseen[number]
            if was <= at:
                break
            self.unseen[number] = (kind, index, at)


def _tokenise_xml(markup: str) -> list[str]:
    return with_end_tags(tokenise(without_cdata(markup)))
