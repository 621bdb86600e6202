"""Structured data in attributes: the items of a page and their properties.

The walk over the tags costs as much as the text itself, so it runs only if the page contains a
marker of the syntax, and it reads only tags that begin an item or are inside of one.
"""

from array import array
from bisect import bisect_left
from functools import lru_cache

import cython

from toponaut.page.parse.elements import element_depths
from toponaut.page.parse.item_syntax import CARD_CLASSES, SYNTAXES, URLS, ItemSyntax, TagMeaning
from toponaut.page.parse.jsonld import MAX_DEPTH
from toponaut.page.parse.kinds import GAP, UNSURE, known_kind
from toponaut.page.parse.markup import attributes, tag_name
from toponaut.page.parse.stream import Flow
from toponaut.page.parse.text import decode_references, one_line, trim
from toponaut.page.parse.tokens import MarkupTokens
from toponaut.records import StructuredItem

# Values read from a page: 500 shops with 20 properties each. And the size of a value: without a
# limit, nested properties would take quadratic time.
MAX_VALUES = 10_000
MAX_VALUE_TAGS = 100
MAX_VALUE_CHARACTERS = 1000

# Shorter tags have no attributes that count here: the shortest is "p id=x".
_SHORT = cython.declare(cython.Py_ssize_t, 6)
_LONG = cython.declare(cython.Py_ssize_t, 200)  # these are not remembered
_GAP = cython.declare(cython.int, GAP)
_UNSURE = cython.declare(cython.int, UNSURE)


def items(page: Flow) -> tuple[StructuredItem, ...]:
    """All top-level items, syntax by syntax."""
    tokens: MarkupTokens = page.tokens
    if not tokens.marked and not tokens.repaired:
        return ()
    marked = _outside(sorted({*tokens.marked, *tokens.repaired}), page.jumps)
    heads = "\n".join([tokens.head(index) for index in marked])
    syntaxes = [
        one for one in SYNTAXES.values() if any(_has_word(heads, mark) for mark in one.markers)
    ]
    if not syntaxes:
        return ()
    tree = _ItemTree(page, marked, "itemref" in heads)
    found: list[StructuredItem] = []
    for syntax in syntaxes:
        found += _ItemWalk(page, tree, syntax).items()
    return tuple(found)


def _outside(tokens: list[int], jumps: dict[int, int]) -> list[int]:
    """Those tokens that no jump skips."""
    starts = sorted(jumps)
    before = [bisect_left(starts, index) - 1 for index in tokens]
    return [
        index
        for index, jump in zip(tokens, before, strict=True)
        if jump < 0 or jumps[starts[jump]] <= index
    ]


def _has_word(text: str, word: str) -> bool:
    """Whether a class or attribute is in some tags: "adr" is often only part of "adresse"."""
    end = 0
    while (start := text.find(word, end)) >= 0:
        end = start + len(word)
        if not any(
            neighbour.isalnum() or neighbour in "-_"
            for neighbour in text[start - 1 : start] + text[end : end + 1]
        ):
            return True
    return False


def _meaning(head: str, syntax: str, with_ids: bool) -> tuple[TagMeaning, str | None] | None:
    """A tag's meaning and, if others may refer to it, its id; None if it has neither."""
    if len(head) < _SHORT or head[0] == "/" or not _has_hint(head, syntax, with_ids):
        return None
    name, given = tag_name(head), attributes(head)
    meaning = SYNTAXES[syntax].read(name, given)
    own_id = given.get("id") if with_ids else None
    if meaning.types is None and not meaning.properties and own_id is None:
        return None
    return meaning, own_id


_known_meaning = lru_cache(maxsize=8192)(_meaning)  # tags repeat on a site


def _has_hint(head: str, syntax: str, with_ids: bool) -> bool:
    """Whether a tag may have a meaning or be referred to."""
    if syntax == "hcard" and not with_ids:
        return not CARD_CLASSES.isdisjoint(attributes(head, "cC").get("class", "").split())
    return any(hint in head for hint in SYNTAXES[syntax].hints)


@cython.cclass
class _ItemTree:
    """What the walks of all syntaxes need to know of a page."""

    marked: set[int]  # tokens that may begin an item
    last: cython.Py_ssize_t  # of the tokens to read, unless an item is open
    with_references: cython.bint
    cuts: cython.longlong[::1]
    closes: cython.longlong[::1]
    elements: cython.int[::1]
    nexts: cython.int[::1]
    floors: cython.int[::1]  # open elements when a token has ended some, and when it has begun one
    depths: cython.int[::1]
    lengths: cython.longlong[::1]  # of the text before each token

    def __init__(self, page: Flow, marked: list[int], with_references: bool) -> None:
        tokens = page.tokens
        numbers: array[int] = tokens.elements
        for index in tokens.repaired:
            numbers[index] = tokens.element(tag_name(tokens.head(index)))
        self.marked, self.with_references = set(marked), with_references
        # An item may refer to an element after all items.
        self.last = len(numbers) if with_references else marked[len(marked) - 1]
        self.cuts, self.closes, self.elements = tokens.cuts, tokens.closes, numbers
        nexts = page.nexts()
        self.nexts = nexts
        self.floors, self.depths = element_depths(numbers, nexts)
        self.lengths = page.lengths()


@cython.cclass
class _ItemElement:
    """An element with a meaning, and those inside it."""

    meaning: TagMeaning
    children: list["_ItemElement"]
    is_item: cython.bint
    first: cython.Py_ssize_t  # of its tokens
    last: cython.Py_ssize_t
    start: cython.Py_ssize_t  # of its span
    end: cython.Py_ssize_t
    depth: cython.int

    def __init__(self, meaning: TagMeaning, first: int, start: int, depth: int) -> None:
        self.meaning, self.children, self.is_item = meaning, [], meaning.types is not None
        self.first, self.start, self.depth = first, start, depth
        self.last, self.end = first + 1, start


@cython.cclass
class _ItemWalk:
    """One pass over the tags for one syntax."""

    _page: Flow
    _tokens: MarkupTokens
    _tree: _ItemTree
    _syntax: ItemSyntax
    _jumps: dict[int, int]
    _repaired: dict[int, tuple[str, str, str]]
    _kinds: cython.short[::1]
    _left: cython.Py_ssize_t
    _is_hcard: cython.bint
    _ids: dict[str, _ItemElement]
    _top: list[_ItemElement]

    def __init__(self, page: Flow, tree: _ItemTree, syntax: ItemSyntax) -> None:
        self._page, self._tokens, self._tree, self._syntax = page, page.tokens, tree, syntax
        self._jumps, self._repaired = page.jumps, page.tokens.repaired
        self._kinds = page.tokens.kinds
        self._left, self._is_hcard = MAX_VALUES, syntax.name == "hcard"
        self._ids, self._top = {}, []
        self._build()

    def items(self) -> list[StructuredItem]:
        found: list[StructuredItem] = []
        waiting = self._top[::-1]
        node: _ItemElement
        while waiting and self._left > 0:
            node = waiting.pop()
            if not node.is_item:
                waiting += node.children[::-1]
                continue
            data = self._data(node, MAX_DEPTH)
            if len(data) > 1:
                start, end = self._span(node)
                found.append(StructuredItem(self._syntax.name, data, start, end))
        return found

    @cython.cfunc
    def _build(self) -> None:
        """Builds the elements, each a child of the innermost one around it."""
        tree: _ItemTree = self._tree
        opened: list[_ItemElement] = []
        node: _ItemElement
        items: cython.Py_ssize_t = 0  # open ones
        count: cython.Py_ssize_t = len(tree.elements)
        index: cython.Py_ssize_t = 0
        while index < count and (opened or index <= tree.last):
            while opened:
                node = opened[len(opened) - 1]
                if node.depth <= tree.floors[index]:
                    break
                opened.pop()
                node.last, node.end = index, tree.lengths[index]
                items -= node.is_item
            if items or tree.with_references or index in tree.marked:
                node = self._element(index)
                if node is not None:
                    around: _ItemElement | None = opened[len(opened) - 1] if opened else None
                    (self._top if around is None else around.children).append(node)
                    if tree.depths[index] > tree.floors[index]:
                        opened.append(node)
                        items += node.is_item
            index = tree.nexts[index]
        for node in opened:
            node.last, node.end = count, tree.lengths[count]

    @cython.cfunc
    def _element(self, index: cython.Py_ssize_t) -> _ItemElement | None:
        """The element that begins at a token; None if it has no meaning."""
        tree: _ItemTree = self._tree
        if tree.elements[index] <= 0 and index not in self._repaired:
            return None
        head: str = self._tokens.head(index)
        if " " not in head and "/" not in head:  # it has no attributes
            return None
        read = _known_meaning if len(head) < _LONG else _meaning
        found = read(head, self._syntax.name, tree.with_references)
        if found is None:
            return None
        meaning, own_id = found
        node = _ItemElement(meaning, index, tree.lengths[index], tree.depths[index])
        if own_id is not None:
            self._ids.setdefault(own_id, node)
        return node

    @cython.cfunc
    def _data(self, item: _ItemElement, depth: cython.int) -> dict[str, object]:
        """An item as plain data, down to `depth`."""
        data: dict[str, object] = {"@type": list(item.meaning.types or ())}
        waiting = item.children[::-1] + [
            self._ids[one] for one in item.meaning.refers if one in self._ids
        ]
        node: _ItemElement
        while waiting and self._left > 0:
            node = waiting.pop()
            self._left -= 1
            if node.meaning.properties:
                value: object = None
                if not node.is_item:
                    value = self._value(node)
                elif depth > 1:
                    value = self._data(node, depth - 1)
                for name in node.meaning.properties:
                    said = (node.meaning.url if name in URLS else None) or value
                    values = data.setdefault(name, []) if said else None
                    if isinstance(values, list):
                        values.append(said)
            if not node.is_item:
                waiting += node.children[::-1]
        if len(data) == 1 and self._is_hcard:
            # All in one line: <p class="h-adr">1 Main Street, Springfield</p>
            line = self._value(item)
            if line:
                data["name"] = [line]
        return data

    @cython.cfunc
    def _value(self, node: _ItemElement) -> str:
        """The value of a property: an attribute, or the element's text, hidden or not."""
        if node.meaning.value is not None:
            return one_line(node.meaning.value)[:MAX_VALUE_CHARACTERS]
        tree: _ItemTree = self._tree
        pieces: list[str] = []
        index: cython.Py_ssize_t = node.first
        last: cython.Py_ssize_t = min(node.last, node.first + MAX_VALUE_TAGS)
        while index < last:
            if index not in self._jumps:
                if self._separates(index):
                    pieces.append(" ")
                if tree.cuts[index + 1] - tree.closes[index] > 1 or self._repaired:
                    pieces.append(self._tokens.text(index))
            index = tree.nexts[index]
        return one_line(decode_references("".join(pieces)))[:MAX_VALUE_CHARACTERS]

    @cython.cfunc
    def _separates(self, index: cython.Py_ssize_t) -> cython.bint:
        """Whether a tag separates words."""
        kind: cython.int = self._kinds[index]
        if kind == _UNSURE or (self._repaired and index in self._repaired):
            kind = known_kind(self._tokens.head(index))
        return kind & _GAP != 0

    @cython.cfunc
    def _span(self, node: _ItemElement) -> tuple[int, int]:
        """The element's span of the text; (-1, -1) if it is invisible."""
        start, end = trim(self._page.text, node.start, node.end)
        return (start, end) if start < end else (-1, -1)
