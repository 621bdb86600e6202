"""A word of a text, with the gap before it."""

from enum import IntEnum
from typing import NamedTuple


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


class UsWord(NamedTuple):
    text: str
    key: str  # lower case, without points
    start: int
    end: int
    gap: Gap

    @property
    def is_name(self) -> bool:
        """Whether it starts like a name: with a capital or a digit."""
        return not self.text[0].islower()
