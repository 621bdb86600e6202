"""Tables whose columns are addresses: the lines of one address stand below each other, not after each other.

123 Main St       456 Pearl St
Suite 100         Suite 200
Denver, CO 80202  Boulder, CO 80301
"""

from toponaut.places.addresses.us.scan import Gap, Word, read_words

_LONGEST_ROW = 400
_ROWS = 3  # below the street's own


def read_column(text: str, start: int, end: int) -> tuple[list[Word], int]:
    """The words after a number at start..end down its column, and how many of them stand in its own cell.

    ([], 0) where the number is in no such table: its row has no second cell that begins with a number, or the next
    row has not as many cells.
    """
    floor = max(0, start - _LONGEST_ROW)
    row_start = text.rfind("\n", floor, start) + 1 or floor
    row_end = _row_end(text, end)
    row = text[row_start:row_end]
    cells = row.split("\t")
    if sum(cell[:1].isdigit() for cell in cells) < 2:
        return [], 0
    column = text.count("\t", row_start, start)
    below = list(_cells_below(text, row_end, column, len(cells)))
    if not below or below[0][2][:1].isdigit():
        return [], 0
    words = read_words(
        text, end, row_start + sum(len(cell) + 1 for cell in cells[: column + 1]) - 1
    )
    own = len(words)
    for cell_start, cell_end, _ in below:
        lower = read_words(text, cell_start, cell_end)
        words += [lower[0]._replace(gap=Gap.LINE), *lower[1:]] if lower else []
    return words, own


def _row_end(text: str, at: int) -> int:
    found = text.find("\n", at, at + _LONGEST_ROW)
    return found if found >= 0 else min(len(text), at + _LONGEST_ROW)


def _cells_below(text: str, row_end: int, column: int, count: int) -> list[tuple[int, int, str]]:
    """Start, end and content of the cells below, as long as rows have as many cells."""
    found = []
    for _ in range(_ROWS):
        start, end = row_end + 1, _row_end(text, row_end + 1)
        cells = text[start:end].split("\t")
        if len(cells) != count:
            break
        at = start + sum(len(cell) + 1 for cell in cells[:column])
        found.append((at, at + len(cells[column]), cells[column]))
        row_end = end
    return found
