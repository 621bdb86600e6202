"""What the visits of one actor teach others.

A strategy names the few fields of a visit that it learns from, and so does the gate. A lesson is a
visit with these fields alone. It travels in the letters that carry links (letters.py), so it
arrives exactly once and in order, and others learn from it as from a visit of their own: log-odds,
counts of words, records of sites, failures of hosts and twins need no code to merge them.
"""

from collections.abc import Iterable
from typing import Any

import msgspec

from toponaut.gate.gate import Gate
from toponaut.records import Visit
from toponaut.strategy import Learner

# What a Visit cannot be without, its place among others, and whether its host is dead.
_ALWAYS = ("sequence", "node", "url", "status", "outcome", "stamp", "dropped", "rules_of")
_encode = msgspec.msgpack.Encoder().encode


class LessonWriter:
    """Writes the lessons of a crawl with these strategies."""

    def __init__(self, learners: Iterable[Learner]) -> None:
        learned = (field for one in learners for field in one.learns_from)
        self.fields = tuple(dict.fromkeys((*_ALWAYS, *Gate.learns_from, *learned)))
        self._parts: dict[str, set[str]] = {}  # by field; those of its items, if not all are needed
        for field in self.fields:
            name, _, part = field.partition(".")
            self._parts.setdefault(name, set()).update([part] if part else [])
        self._parts.update((name, set()) for name in self.fields if name in self._parts)
        known = {one.name: one.default for one in msgspec.structs.fields(Visit)}
        self._defaults = {name: known[name] for name in self._parts}

    def write(self, visit: Visit) -> bytes:
        """The lesson of a visit, encoded; fields with their usual value are left out."""
        lesson = {}
        for name, parts in self._parts.items():
            value = getattr(visit, name)
            if value != self._defaults[name]:
                lesson[name] = [_some(item, parts) for item in value] if parts else value
        return _encode(lesson)


def _some(item: msgspec.Struct, parts: set[str]) -> dict[str, Any]:
    """Some parts of an item; others that it cannot be without are empty."""
    needed = [one.name for one in msgspec.structs.fields(item) if one.required]
    empty = {name: type(getattr(item, name))() for name in needed}
    return empty | {part: getattr(item, part) for part in parts}
