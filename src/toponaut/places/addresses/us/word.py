"""A word of a text, with the gap before it."""

from enum import IntEnum

import cython

if not cython.compiled:
    raise ImportError("toponaut is not compiled: run make setup, or reinstall it")


class Gap(IntEnum):
    """The separator between a word and the one before it, from weak to strong."""

    SPACE = 0
    COMMA = 1
    BAR = 2  # a pipe, bullet, dash, slash, semicolon or colon
    OPEN = 3  # a bracket opens
    SHUT = 4  # a bracket closes
    CELL = 5
    LINE = 6
    BLOCK = 7


class UsWord:
    """`key`: lower case, without points; `is_name`: it starts with a capital or a digit."""

    def __init__(self, text: str, key: str, start: int, end: int, gap: int) -> None:
        self.text = text
        self.key = key
        self.start = start
        self.end = end
        self.gap = gap
        self.is_name = not text[0].islower()

    def __eq__(self, other: object) -> bool:
        return isinstance(other, UsWord) and self.parts() == other.parts()

    def __repr__(self) -> str:
        return f"UsWord{self.parts()}"

    def parts(self) -> tuple[str, str, int, int, int]:
        return self.text, self.key, self.start, self.end, self.gap
