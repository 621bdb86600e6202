"""JSON-LD (<script type="application/ld+json">) as nested plain data, with cheap repairs."""

import json
import re
from collections.abc import Iterator
from functools import lru_cache
from math import isfinite

import cython
import msgspec

from toponaut.records import StructuredItem

# Deeper than any vocabulary; the rest is ignored.
MAX_DEPTH = 12
# Items and values read from a page: enough for 500 shops with 20 properties each.
MAX_VALUES = 20_000

# Old wrappers around a script's content.
_OPENINGS = ("<!--", "//<!--", "//<![CDATA[", "/*<![CDATA[*/", "<![CDATA[", "//")
_CLOSINGS = (";", "//]]>", "/*]]>*/", "]]>", "//-->", "-->", "//")
_TRAILING_COMMA = re.compile(r",(?=\s*[\]}])")
_VOCABULARY = re.compile(r"^.*[/#:]")
_decode = msgspec.json.Decoder().decode


def json_ld(contents: list[str]) -> tuple[StructuredItem, ...]:
    """The items of all scripts in order, those in @graph separately, references resolved."""
    reader = _JsonLdReader()
    documents = [node for content in contents for node in _nodes(_loads(content))]
    reader.remember(documents)
    items = (reader.item(node, MAX_DEPTH) for node in documents)
    return tuple(StructuredItem("json-ld", item) for item in items if item)


def _loads(content: str) -> object:
    """The JSON of a script, or None. Allows control characters and stray commas."""
    try:
        return _decode(content)  # strict, and four times as fast
    except (ValueError, RecursionError):
        pass
    for opening in _OPENINGS:
        content = content.strip().removeprefix(opening)
    for closing in _CLOSINGS:
        content = content.strip().removesuffix(closing)
    for attempt in (content, _TRAILING_COMMA.sub("", content)):
        try:
            return json.loads(attempt, strict=False)
        except (ValueError, RecursionError):
            continue
    return None


def _nodes(document: object) -> Iterator[dict[str, object]]:
    """The top-level items of a document: a list, a @graph or a single item."""
    for node in document if isinstance(document, list) else [document]:
        if isinstance(node, dict):
            graph = node.get("@graph")
            if isinstance(graph, (list, dict)):
                yield from (
                    item
                    for item in (graph if isinstance(graph, list) else [graph])
                    if isinstance(item, dict)
                )
            else:
                yield node


@cython.cclass
class _JsonLdReader:
    """Turns items into plain data, up to MAX_VALUES values."""

    left: cython.Py_ssize_t
    by_id: dict[str, dict[str, object]]

    def __init__(self) -> None:
        self.left = MAX_VALUES
        self.by_id = {}

    def remember(self, nodes: list[dict[str, object]]) -> None:
        """Notes items that others may refer to."""
        for node in nodes:
            name = node.get("@id")
            if isinstance(name, str) and len(node) > 1:
                self.by_id.setdefault(name, node)

    @cython.ccall
    def item(self, node: dict[str, object], depth: cython.int) -> dict[str, object]:
        name = node.get("@id")
        if len(node) == 1 and isinstance(name, str):
            node = self.by_id.get(name, node)
        data: dict[str, object] = {}
        for key, value in node.items():
            if key != "@context":
                values = self._values(key, value, depth - 1)
                if values:
                    data[key if key[:1] == "@" else _local_name(key)] = values
        return data

    @cython.cfunc
    def _values(self, key: str, value: object, depth: cython.int) -> list[object]:
        is_type: cython.bint = key == "@type"
        values: list[object] = []
        if not isinstance(value, list):
            found = self._value(value, is_type, depth)
            return [found] if found else values
        for one in cython.cast(list, value):
            found = self._value(one, is_type, depth)
            if found:
                values.append(found)
        return values

    @cython.cfunc
    def _value(self, value: object, is_type: cython.bint, depth: cython.int) -> object:
        """A value as a string or an item; None if it is too deep, or if there were too many."""
        self.left -= 1
        if self.left < 0:
            return None
        if isinstance(value, dict):
            simple = value.get("@value")
            if simple is not None:
                return _text(simple)
            return self.item(value, depth) if depth else None
        return type_name(_text(value)) if is_type else _text(value)


@cython.cfunc
def _text(value: object) -> str:
    """A string with single spaces; numbers and booleans in JSON notation."""
    if isinstance(value, str):
        return _one_line(value)
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float) and not isfinite(value):
        return json.dumps(value)
    return repr(value) if isinstance(value, (int, float)) else ""  # as json.dumps, ten times faster


@cython.cfunc
def _one_line(text: str) -> str:
    """Text with single spaces: mostly unchanged, which takes a quarter of the time to see."""
    sign: cython.Py_UCS4
    was_blank: cython.bint = True
    is_blank: cython.bint
    for sign in text:
        is_blank = sign.isspace()
        if is_blank and (was_blank or sign != " "):
            return " ".join(text.split())
        was_blank = is_blank
    return " ".join(text.split()) if was_blank else text


def type_name(address: str) -> str:
    """ "https://schema.org/PostalAddress" and "schema:PostalAddress" -> "PostalAddress"."""
    return _local_name(address.strip().rstrip("/#"))


@lru_cache(maxsize=1024)
def _local_name(name: str) -> str:
    """A name without its vocabulary."""
    return _VOCABULARY.sub("", name) if "/" in name or "#" in name or ":" in name else name
