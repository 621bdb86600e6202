"""Text -> words, each with the gap before it. Everything else in this folder walks along these words."""

import re
from enum import IntEnum
from itertools import islice
from typing import NamedTuple

from toponaut.kernels import COMPILED, Kernels


class Gap(IntEnum):
    """What parts a word from the one before it, from weak to strong."""

    SPACE = 0
    COMMA = 1
    BAR = 2  # a pipe, bullet, dash, slash, semicolon or colon
    OPEN = 3  # a bracket opens
    SHUT = 4  # a bracket closes
    CELL = 5
    LINE = 6
    BLOCK = 7


class Word(NamedTuple):
    text: str
    key: str  # lower case, without points
    start: int
    end: int
    gap: Gap

    @property
    def is_name(self) -> bool:
        """Written as a name is: with a capital or a digit first."""
        return not self.text[0].islower()


MOST_WORDS = 45  # an address with all its lines has 25
_BRACKETED = 10  # words in brackets that are passed over
# Alphanumerics joined by single signs (O'Hare, N.W., 100-104, 1/2, B&O), with a final point; or one of # & ½.
_WORD = re.compile(r"[^\W_]+(?:['’.&/–-][^\W_]+)*\.?|[#&½¼¾]")


_GAPS = tuple(Gap)


def read_words(
    text: str, start: int, stop: int, most: int = MOST_WORDS, kernels: Kernels | None = COMPILED
) -> list[Word]:
    """The words of a stretch of text, at most so many. A word cut off by `stop` is left out."""
    if kernels:
        return kernels.words(text, start, stop, most, Word, _GAPS)
    found = []
    end = start
    for match in islice(_WORD.finditer(text, start, stop), most):
        begin, after = match.span()
        key = match[0].lower().replace(".", "")
        found.append(Word(match[0], key, begin, after, gap_of(text[end:begin])))
        end = after
    if len(found) == most:
        return found
    if found and end == stop < len(text) and text[stop].isalnum():
        found.pop()
    return found


def gap_of(between: str) -> Gap:
    if between == " " or not between:
        return Gap.SPACE
    if between == ", ":
        return Gap.COMMA
    if "\n" in between:
        return Gap.BLOCK if between.count("\n") > 1 else Gap.LINE
    if "\t" in between:
        return Gap.CELL
    signs = between.strip()
    if not signs:
        return Gap.SPACE
    if signs == ",":
        return Gap.COMMA
    return Gap.OPEN if signs[-1] in "([" else Gap.SHUT if signs[0] in ")]" else Gap.BAR


def skip_brackets(words: list[Word], at: int) -> int:
    """Past "(at Bush)" where it stands at `at`."""
    if at >= len(words) or words[at].gap != Gap.OPEN:
        return at
    for index in range(at + 1, min(at + _BRACKETED, len(words))):
        if words[index].gap >= Gap.SHUT:
            return index
    return at
