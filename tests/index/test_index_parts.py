"""The files of an index's table: however they are merged, the table is the same."""

import shutil
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from toponaut.index.build import parts
from toponaut.index.table import Row, Table, write
from toponaut.index.ties import Point
from toponaut.records import Precision


def row(number: int) -> Row:
    """A page with as many points and ties as its number's last digits tell."""
    points = [
        Point(float(number % 90), float(k), Precision.CITY, 1.0, k) for k in range(number % 3)
    ]
    return Row(
        number, 1e9 + number, number, 0, number % 7, 0, points, dict.fromkeys(range(number % 4), 1)
    )


def told(table: Table) -> list[object]:
    pages = np.arange(len(table))
    return [
        column.tolist()
        for column in (table.url, *table.points_of(pages), *table.ties_of(pages), table.points)
    ]


def added(folder: Path, sizes: list[int], merging: bool) -> None:
    first = 0
    for size in sizes:
        write(folder, first, [row(number) for number in range(first, first + size)])
        first += size
        if merging:
            parts.merge(folder)


@given(sizes=st.lists(st.integers(1, 30), max_size=60))
def test_merged_or_not_it_is_the_same_table(sizes: list[int]) -> None:
    with TemporaryDirectory() as name:
        one, many = Path(name) / "one", Path(name) / "many"
        one.mkdir()
        many.mkdir()
        added(one, sizes, merging=True)
        added(many, sizes, merging=False)
        assert told(Table(one)) == told(Table(many))
        assert (
            len(list(one.iterdir())) <= 9 * 4
        )  # fewer than ten of each order of magnitude, up to 1,800 pages


def test_ten_files_become_one(tmp_path: Path) -> None:
    added(tmp_path, [1] * 9, merging=True)
    assert len(list(tmp_path.iterdir())) == 9
    write(tmp_path, 9, [row(9)])
    parts.merge(tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["000000000000.arrays"]


def test_what_a_killed_merge_leaves_behind_is_not_read_twice(tmp_path: Path) -> None:
    folder, copy = tmp_path / "pages", tmp_path / "copy"
    folder.mkdir()
    added(folder, [1] * 10, merging=False)
    before = told(Table(folder))
    shutil.copytree(folder, copy)
    parts.merge(folder)
    shutil.copy(copy / "000000000003.arrays", folder)
    assert told(Table(folder)) == before
    parts.cut(folder, 10)
    assert told(Table(folder)) == before
