"""Structured data in attributes: microdata, RDFa Lite and microformats (hCard).

All three put items into elements and properties into items, but use different attributes. So a
syntax is a function from a tag's attributes to their meaning, and one walk serves all. The walk
costs as much as the text itself, so it runs only if the page contains a marker of the syntax.
"""

from array import array
from collections.abc import Callable
from typing import NamedTuple

import cython

from toponaut.page.parse.elements import element_spans
from toponaut.page.parse.flow import Flow
from toponaut.page.parse.jsonld import MAX_DEPTH, type_name
from toponaut.page.parse.kinds import GAP, UNSURE, kind_of
from toponaut.page.parse.markup import attributes, tag_name
from toponaut.page.parse.text import decode_references, one_line, trim
from toponaut.page.parse.tokens import MARKED
from toponaut.records import StructuredItem

# Values read from a page: 500 shops with 20 properties each. And the size of a value: without a
# limit, nested properties would take quadratic time.
MAX_VALUES = 10_000
MAX_VALUE_TAGS = 100
MAX_VALUE_CHARACTERS = 1000

# Shorter tags have no attributes that count here: the shortest is "p id=x".
_SHORT = cython.declare(cython.Py_ssize_t, 6)

_LINKING = {"a": "href", "area": "href", "link": "href"}
_LINKING |= {"object": "data", "data": "value", "meter": "value"}
_LINKING |= dict.fromkeys(("img", "audio", "video", "source", "embed", "iframe", "track"), "src")

_CARD_TYPES = {"vcard": "vcard", "h-card": "vcard", "adr": "adr", "h-adr": "adr"}
_CARD_TYPES |= {"geo": "geo", "h-geo": "geo"}
_CARD_WORDS = (
    "fn org organization-name organization-unit adr post-office-box extended-address "
    "street-address locality region postal-code country-name label geo latitude longitude "
    "tel email url note"
)
_CARD_PROPERTIES = {name: name for name in _CARD_WORDS.split()} | {
    f"{prefix}-{name}": name for prefix in "pu" for name in ("name", *_CARD_WORDS.split())
}
_CARD_CLASSES = _CARD_TYPES.keys() | _CARD_PROPERTIES.keys()
_URLS = frozenset({"url", "email"})


class _TagMeaning(NamedTuple):
    """The meaning of a tag in a syntax: the item it begins, the properties it gives."""

    types: list[str] | None = None  # None: not an item
    properties: tuple[str, ...] = ()
    value: str | None = None  # the properties' value, if not the element's text
    url: str | None = None  # the value of "url" and "email", if different
    refers: tuple[str, ...] = ()  # ids of other elements that belong to the item


_NO_MEANING = _TagMeaning()


def _microdata(name: str, given: dict[str, str]) -> _TagMeaning:
    types = (
        [type_name(one) for one in given.get("itemtype", "").split()]
        if "itemscope" in given
        else None
    )
    value = (
        given.get("content")
        if name == "meta"
        else given.get("content", given.get(_LINKING.get(name, "")))
    )
    if name == "time":
        value = given.get("datetime", value)
    properties = tuple(map(type_name, given.get("itemprop", "").split()))
    return _TagMeaning(types, properties, value, refers=tuple(given.get("itemref", "").split()))


def _rdfa(name: str, given: dict[str, str]) -> _TagMeaning:
    types = [type_name(one) for one in given["typeof"].split()] if "typeof" in given else None
    value = given.get("content", given.get("resource", given.get(_LINKING.get(name, ""))))
    if name == "time":
        value = given.get("content", given.get("datetime"))
    return _TagMeaning(types, tuple(map(type_name, given.get("property", "").split())), value)


def _hcard(name: str, given: dict[str, str]) -> _TagMeaning:
    classes = given.get("class", "").split()
    if _CARD_CLASSES.isdisjoint(classes):
        return _NO_MEANING
    types = list(dict.fromkeys(_CARD_TYPES[one] for one in classes if one in _CARD_TYPES)) or None
    properties = tuple(
        dict.fromkeys(_CARD_PROPERTIES[one] for one in classes if one in _CARD_PROPERTIES)
    )
    value = given.get("value") if name == "data" else None
    if name == "abbr" or "value-title" in classes:
        value = given.get("title")
    elif name == "img":
        value = given.get("alt")
    return _TagMeaning(
        types, properties, value, given.get("href") if name in ("a", "area") else None
    )


class _ItemSyntax(NamedTuple):
    name: str
    markers: tuple[str, ...]  # every page with the syntax contains one of them
    read: Callable[[str, dict[str, str]], _TagMeaning]
    hints: tuple[str, ...]  # every tag with a meaning contains one of them


_SYNTAXES = (
    _ItemSyntax("microdata", ("itemscope",), _microdata, ("item", "id=")),
    _ItemSyntax("rdfa", ("typeof",), _rdfa, ("typeof", "property")),
    _ItemSyntax("hcard", ("vcard", "h-card", "adr", "h-adr"), _hcard, ("class",)),
)


def items(page: Flow) -> tuple[StructuredItem, ...]:
    """All top-level items, syntax by syntax."""
    found: list[StructuredItem] = []
    heads = "\n".join(page.marked)
    for syntax in _SYNTAXES:
        if any(_has_word(heads, mark) for mark in syntax.markers):
            found += _ItemWalk(page, syntax).items()
    return tuple(found)


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


class _ItemElement:
    """An element with a meaning, and those inside it."""

    def __init__(self, meaning: _TagMeaning, first: int, start: int) -> None:
        self.meaning = meaning
        self.children: list[_ItemElement] = []
        self.first, self.start = first, start
        self.close(first + 1, start)

    def close(self, last: int, end: int) -> None:
        """Sets the end of its tokens and its span."""
        self.last, self.end = last, end


class _ItemWalk:
    """One pass over the tags for one syntax."""

    def __init__(self, page: Flow, syntax: _ItemSyntax) -> None:
        self.page, self.syntax = page, syntax
        self.lengths = page.lengths()
        self.left = MAX_VALUES
        self.with_references = any("itemref" in head for head in page.marked)
        self.ids: dict[str, _ItemElement] = {}
        self.top: list[_ItemElement] = []
        self._build()

    def items(self) -> list[StructuredItem]:
        found: list[StructuredItem] = []
        waiting = self.top[::-1]
        while waiting and self.left > 0:
            node = waiting.pop()
            if node.meaning.types is None:
                waiting += node.children[::-1]
                continue
            data = self._data(node, MAX_DEPTH)
            if len(data) > 1:
                start, end = self._span(node)
                found.append(StructuredItem(self.syntax.name, data, start, end))
        return found

    def _build(self) -> None:
        """Builds the elements, each a child of the innermost one around it."""
        meanings = self._meanings()
        nodes: list[_ItemElement] = []
        spans = element_spans(self._elements(), self.page.jumps, list(meanings))
        for first, last, parent in spans:
            meaning, own_id = meanings[first]
            node = _ItemElement(meaning, first, self.lengths[first])
            if last:
                node.close(last, self.lengths[last])
            if own_id is not None:
                self.ids.setdefault(own_id, node)
            (nodes[parent].children if parent >= 0 else self.top).append(node)
            nodes.append(node)

    def _elements(self) -> array[int]:
        """The number of each token's element."""
        tokens = self.page.tokens
        numbers: array[int] = tokens.elements
        for index in tokens.repaired:
            numbers[index] = tokens.element(tag_name(tokens.head(index)))
        return numbers

    def _meanings(self) -> dict[int, tuple[_TagMeaning, str | None]]:
        """The tags with a meaning, and their ids if others may refer to them, by token."""
        tokens = self.page.tokens
        jumps: dict[int, int] = self.page.jumps
        element: cython.int[::1] = tokens.elements
        start: cython.longlong[::1] = tokens.cuts
        end: cython.longlong[::1] = tokens.closes
        found: dict[int, tuple[_TagMeaning, str | None]] = {}
        known: dict[str, tuple[_TagMeaning, str | None] | None] = {}  # by head: tags repeat
        index: cython.Py_ssize_t = 0
        while index < len(element):
            if (element[index] > 0 and end[index] - start[index] > _SHORT) or (
                index in tokens.repaired
            ):
                head: str = tokens.head(index)
                if head not in known:
                    known[head] = self._read(head)
                meaning = known[head]
                if meaning is not None:
                    found[index] = meaning
            index = jumps.get(index, index + 1) if jumps else index + 1
        return found

    def _read(self, head: str) -> tuple[_TagMeaning, str | None] | None:
        """A tag's meaning and, if others may refer to it, its id; None if it has neither."""
        if head[0] == "/" or not self._has_hint(head):
            return None
        name, given = tag_name(head), attributes(head)
        meaning = self.syntax.read(name, given)
        own_id = given.get("id") if self.with_references else None
        if meaning.types is None and not meaning.properties and own_id is None:
            return None
        return meaning, own_id

    def _has_hint(self, head: str) -> bool:
        """Whether a tag may have a meaning or be referred to."""
        if self.syntax.name == "hcard" and not self.with_references:
            return not _CARD_CLASSES.isdisjoint(attributes(head, "cC").get("class", "").split())
        return any(hint in head for hint in self.syntax.hints)

    def _data(self, item: _ItemElement, depth: int) -> dict[str, object]:
        """An item as plain data, down to `depth`."""
        data: dict[str, object] = {"@type": list(item.meaning.types or ())}
        waiting = item.children[::-1] + [
            self.ids[one] for one in item.meaning.refers if one in self.ids
        ]
        while waiting and self.left > 0:
            node = waiting.pop()
            nested = node.meaning.types is not None
            self.left -= 1
            if node.meaning.properties:
                value: object = None
                if not nested:
                    value = self._value(node)
                elif depth > 1:
                    value = self._data(node, depth - 1)
                for name in node.meaning.properties:
                    said = (node.meaning.url if name in _URLS else None) or value
                    values = data.setdefault(name, []) if said else None
                    if isinstance(values, list):
                        values.append(said)
            if not nested:
                waiting += node.children[::-1]
        if len(data) == 1 and self.syntax.name == "hcard" and self._value(item):
            # All in one line: <p class="h-adr">1 Main Street, Springfield</p>
            data["name"] = [self._value(item)]
        return data

    def _value(self, node: _ItemElement) -> str:
        """The value of a property: an attribute, or the element's text, hidden or not."""
        if node.meaning.value is not None:
            return one_line(node.meaning.value)[:MAX_VALUE_CHARACTERS]
        pieces: list[str] = []
        index, last = node.first, min(node.last, node.first + MAX_VALUE_TAGS)
        while index < last:
            jump = self.page.jumps.get(index)
            if jump is None:
                pieces.append(self._piece(index))
            index = jump or index + 1
        return one_line(decode_references("".join(pieces)))[:MAX_VALUE_CHARACTERS]

    def _piece(self, index: int) -> str:
        """The text after a tag, with a space if the tag separates words."""
        tokens = self.page.tokens
        kind = tokens.kinds[index] & ~MARKED
        if kind == UNSURE or index in tokens.repaired:
            kind = kind_of(tokens.head(index))
        text: str = tokens.text(index)
        return " " + text if kind & GAP else text

    def _span(self, node: _ItemElement) -> tuple[int, int]:
        """The element's span of the text; (-1, -1) if it is invisible."""
        start, end = trim(self.page.text, node.start, node.end)
        return (start, end) if start < end else (-1, -1)
