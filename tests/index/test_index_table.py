"""The files of an index's table: merging does not change the table."""

import shutil
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from toponaut.index import table as tables
from toponaut.index.georeference import AddressPoint
from toponaut.index.table import IndexRow, PageTable, write_rows
from toponaut.records import Precision


def row(number: int) -> IndexRow:
    """A page with a number of points and ties that depends on its number."""
    points = [
        AddressPoint(float(number % 90), float(k), Precision.CITY, 1.0, k)
        for k in range(number % 3)
    ]
    return IndexRow(
        number, 1e9 + number, number, 0, number % 7, 0, points, dict.fromkeys(range(number % 4), 1)
    )


def contents(table: PageTable) -> list[object]:
    pages = np.arange(len(table))
    return [
        column.tolist()
        for column in (table.url, *table.points_of(pages), *table.ties_of(pages), table.points)
    ]


def add(folder: Path, sizes: list[int], merging: bool) -> None:
    first = 0
    for size in sizes:
        write_rows(folder, first, [row(number) for number in range(first, first + size)])
        first += size
        if merging:
            tables.merge(folder)


@given(sizes=st.lists(st.integers(1, 30), max_size=60))
def test_merging_does_not_change_the_table(sizes: list[int]) -> None:
    with TemporaryDirectory() as name:
        one, many = Path(name) / "one", Path(name) / "many"
        one.mkdir()
        many.mkdir()
        add(one, sizes, merging=True)
        add(many, sizes, merging=False)
        assert contents(PageTable(one)) == contents(PageTable(many))
        # At most nine files of each order of magnitude, up to 1,800 pages.
        assert len(list(one.iterdir())) <= 9 * 4


def test_ten_files_become_one(tmp_path: Path) -> None:
    add(tmp_path, [1] * 9, merging=True)
    assert len(list(tmp_path.iterdir())) == 9
    write_rows(tmp_path, 9, [row(9)])
    tables.merge(tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["000000000000.arrays"]


def test_leftovers_of_a_killed_merge_are_not_read(tmp_path: Path) -> None:
    folder, copy = tmp_path / "pages", tmp_path / "copy"
    folder.mkdir()
    add(folder, [1] * 10, merging=False)
    before = contents(PageTable(folder))
    shutil.copytree(folder, copy)
    tables.merge(folder)
    shutil.copy(copy / "000000000003.arrays", folder)
    assert contents(PageTable(folder)) == before
    tables.truncate(folder, 10)
    assert contents(PageTable(folder)) == before
