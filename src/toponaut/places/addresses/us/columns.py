"""Reads down a column of a table whose columns are addresses.

123 Main St       456 Pearl St
Suite 100         Suite 200
Denver, CO 80202  Boulder, CO 80301
"""

from toponaut.places.addresses.us.scan import read_words
from toponaut.places.addresses.us.word import Gap, UsWord

_LONGEST_ROW = 400  # characters
_ROWS = 3  # below the street's own


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
        if lower:
            first = lower[0]
            words.append(UsWord(first.text, first.key, first.start, first.end, Gap.LINE))
            words += lower[1:]
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
