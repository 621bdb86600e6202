"""Where an address of structured data stands in the page's text, if a reader can see it."""

import re
from typing import NamedTuple

from toponaut.records import StructuredItem

_LOOKED_THROUGH = 50_000  # characters of an item: what wraps a whole page is searched so far for each address in it
_AROUND = 200  # characters between the street and the other parts


class Span(NamedTuple):
    start: int
    end: int


NOWHERE = Span(-1, -1)


def locate(text: str, source: StructuredItem, parts: list[str]) -> Span:
    """The stretch that holds the first part and those others that stand near it; (-1, -1) if not shown."""
    if source.start < 0 or not parts or not parts[0]:
        return NOWHERE
    span = _find(text, parts[0], source.start, min(source.end, source.start + _LOOKED_THROUGH))
    if span is None:
        return NOWHERE
    first, last = span
    for part in filter(None, parts[1:]):
        near = _find(text, part, last, min(source.end, last + _AROUND)) or _find(
            text, part, max(source.start, first - _AROUND), first
        )
        if near is not None:
            first, last = min(first, near.start), max(last, near.end)
    return Span(first, last)


def _find(text: str, part: str, start: int, end: int) -> Span | None:
    """Literally, else with any white space between the words."""
    at = text.find(part, start, end)
    if at >= 0:
        return Span(at, at + len(part))
    words = part.split()
    if len(words) < 2:
        return None
    found = re.compile(r"\s+".join(map(re.escape, words))).search(text, start, end)
    return Span(*found.span()) if found else None
