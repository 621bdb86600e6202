"""Text -> words, each with the gap before it. All readers in this folder work on these words.

`read_column` reads down a column of a table whose columns are addresses:

    123 Main St       456 Pearl St
    Suite 100         Suite 200
    Denver, CO 80202  Boulder, CO 80301
"""

import re
from enum import IntEnum
from itertools import islice
from typing import NamedTuple

from toponaut.kernels import COMPILED, Kernels


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


MOST_WORDS = 45  # an address with all its lines has 25
_BRACKETED = 10  # most words in brackets that are skipped
_LONGEST_ROW = 400  # characters
_ROWS = 3  # below the street's own
# Alphanumerics joined by single signs (O'Hare, N.W., 100-104, B&O), with a final point; or # & ½.
_WORD = re.compile(r"[^\W_]+(?:['’.&/–-][^\W_]+)*\.?|[#&½¼¾]")
_GAPS = tuple(Gap)


def read_words(
    text: str, start: int, stop: int, most: int = MOST_WORDS, kernels: Kernels | None = COMPILED
) -> list[UsWord]:
    """The first `most` words of text[start:stop]. A word cut off by `stop` is left out."""
    if kernels:
        return kernels.words(text, start, stop, most, UsWord, _GAPS)
    found = []
    end = start
    for match in islice(_WORD.finditer(text, start, stop), most):
        begin, after = match.span()
        key = match[0].lower().replace(".", "")
        found.append(UsWord(match[0], key, begin, after, gap_of(text[end:begin])))
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


def skip_brackets(words: list[UsWord], at: int) -> int:
    """The index after a bracket that opens at `at`: "(at Bush)"."""
    if at >= len(words) or words[at].gap != Gap.OPEN:
        return at
    for index in range(at + 1, min(at + _BRACKETED, len(words))):
        if words[index].gap >= Gap.SHUT:
            return index
    return at


def read_column(text: str, start: int, end: int) -> tuple[list[UsWord], int]:
    """The words after the number text[start:end] down its column, and how many are in its cell.

    ([], 0) if no second cell of the row begins with a number, or the next row has other cells.
    """
    floor = max(0, start - _LONGEST_ROW)
    row_start = text.rfind("\n", floor, start) + 1 or floor
    row_end = _row_end(text, end)
    cells = text[row_start:row_end].split("\t")
    if sum(cell[:1].isdigit() for cell in cells) < 2:
        return [], 0
    column = text.count("\t", row_start, start)
    below = _cells_below(text, row_end, column, len(cells))
    if not below or text[below[0][0] : below[0][1]][:1].isdigit():
        return [], 0
    cell_end = row_start + sum(len(cell) + 1 for cell in cells[: column + 1]) - 1
    words = read_words(text, end, cell_end)
    own = len(words)
    for cell in below:
        lower = read_words(text, *cell)
        words += [lower[0]._replace(gap=Gap.LINE), *lower[1:]] if lower else []
    return words, own


def _row_end(text: str, at: int) -> int:
    found = text.find("\n", at, at + _LONGEST_ROW)
    return found if found >= 0 else min(len(text), at + _LONGEST_ROW)


def _cells_below(text: str, row_end: int, column: int, count: int) -> list[tuple[int, int]]:
    """Start and end of the cells below, while rows have `count` cells."""
    found = []
    for _ in range(_ROWS):
        start, end = row_end + 1, _row_end(text, row_end + 1)
        cells = text[start:end].split("\t")
        if len(cells) != count:
            break
        at = start + sum(len(cell) + 1 for cell in cells[:column])
        found.append((at, at + len(cells[column])))
        row_end = end
    return found
