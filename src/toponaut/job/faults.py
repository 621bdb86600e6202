"""Faults of a job file, and their line numbers.

tomllib reports no lines, so a valid text with a fault in its values is scanned a second time.
"""

import re
import tomllib
from collections.abc import Iterator
from typing import NamedTuple

Path = tuple[str | int, ...]  # ("seeds", 1), ("politeness", "delay")

_TOKEN = re.compile(
    r'''(?P<string>"""(?:\\.|[^\\])*?"{3,5}|\'\'\'.*?'{3,5}|"(?:\\.|[^"\\])*"|'[^']*')'''
    r"|#[^\n]*|(?P<sign>[\n\[\]{},=.])|(?P<bare>[^\s\[\]{},=.#\"']+)",
    re.DOTALL,
)


class JobFault(NamedTuple):
    """A fault in a job file. `keys` are the keys it concerns, if they differ from `path`."""

    path: Path
    cause: str
    fix: str
    keys: tuple[Path, ...] = ()

    def concerns(self, other: "JobFault") -> bool:
        """Whether both are about the same key, or one about a part of the other."""
        pairs = ((a, b) for a in self.keys or (self.path,) for b in other.keys or (other.path,))
        return any(a[: len(b)] == b[: len(a)] for a, b in pairs)


def lines_of(text: str) -> dict[Path, int]:
    """The line of every key, table and list item of a valid TOML text."""
    return _LineFinder(text).lines


class _LineFinder:
    """One pass over the tokens; `at` is the index of the next one."""

    def __init__(self, text: str) -> None:
        self.lines: dict[Path, int] = {}
        self.lengths: dict[Path, int] = {}  # of arrays of tables
        self.tokens = list(_tokens(text))
        self.at = 0
        table: Path = ()
        while self.at < len(self.tokens):
            if self.skip("["):
                listed = self.skip("[")
                table = self.key((), listed)
                self.at += 2 if listed else 1
            elif not self.skip("\n"):
                self.pair(table)

    def skip(self, *signs: str) -> bool:
        """Skip the next token if it is one of these signs."""
        found = self.at < len(self.tokens) and self.tokens[self.at][0] in signs
        self.at += found
        return found

    def key(self, path: Path, listed: bool = False) -> Path:
        """Read a dotted key, noting the line of each part. For an array of tables, its last."""
        while True:
            token, line = self.tokens[self.at]
            self.at += 1
            path = (*path, _unquoted(token))
            self.lines.setdefault(path, line)
            more = self.skip(".")
            if listed and not more:
                self.lengths[path] = self.lengths.get(path, 0) + 1
            if path in self.lengths:
                path = (*path, self.lengths[path] - 1)
                self.lines.setdefault(path, line)
            if not more:
                return path

    def pair(self, table: Path) -> None:
        path = self.key(table)
        self.at += 1  # the equals sign
        self.value(path)

    def value(self, path: Path) -> None:
        self.lines.setdefault(path, self.tokens[self.at][1])
        if self.skip("["):
            index = 0
            while not self.skip("]"):
                if not self.skip(",", "\n"):
                    self.value((*path, index))
                    index += 1
        elif self.skip("{"):
            while not self.skip("}"):
                if not self.skip(",", "\n"):
                    self.pair(path)
        else:
            ends = ("\n", ",", "]", "}")
            while self.at < len(self.tokens) and self.tokens[self.at][0] not in ends:
                self.at += 1


def _tokens(text: str) -> Iterator[tuple[str, int]]:
    line = 1
    for found in _TOKEN.finditer(text):
        if found.lastgroup:
            yield found[0], line
        line += found[0].count("\n")


def _unquoted(key: str) -> str:
    return next(iter(tomllib.loads(f"{key} = 0"))) if key[0] in "\"'" else key
