"""The table of fingerprints: the answers of a dict, at any load."""

from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from toponaut.frontier.table import FingerprintTable

# Many share their first bits, so that buckets overflow, the last one into the first.
fingerprints = st.lists(
    st.integers(0, 2**64 - 1) | st.integers(2**64 - 40, 2**64 - 1) | st.integers(0, 40),
    max_size=200,
)


@given(known=fingerprints, asked=fingerprints)
def test_the_answers_of_a_dict(known: list[int], asked: list[int]) -> None:
    numbers = {one or 1: number for number, one in enumerate(known)}  # 0 is stored as 1
    asked += known[::2]
    expected = [numbers.get(one or 1) for one in asked]
    with TemporaryDirectory() as directory:
        table = FingerprintTable(Path(directory), "seen")
        table.reserve(len(known))
        table.put(np.array(known, np.uint64), np.arange(len(known), dtype=np.uint32))
        assert table.count == len(numbers)
        assert [table.get(one) for one in asked] == expected
        assert table.has(asked) == [number is not None for number in expected]
        present, found = table.find(np.array(asked, np.uint64))
        assert present.tolist() == table.has(asked)
        assert found.tolist() == [number or 0 for number in expected]


def test_it_doubles(tmp_path: Path) -> None:
    table = FingerprintTable(tmp_path, "seen")
    keys = np.random.default_rng(1).integers(1, 2**64, 20_000, np.uint64)
    for k in range(0, len(keys), 100):
        table.reserve(100)
        table.put(keys[k : k + 100], np.arange(k, k + 100, dtype=np.uint32))
    assert table.count == len(keys)
    assert table.find(keys[::-1])[1].tolist() == list(range(len(keys)))[::-1]
    again = FingerprintTable(tmp_path, "seen", table.count, table.bits)
    assert again.find(keys)[1].tolist() == list(range(len(keys)))


def test_a_full_table_is_not_searched_forever(tmp_path: Path) -> None:
    table = FingerprintTable(tmp_path, "seen")
    table.columns.arrays["keys"][:] = 7
    assert table.get(7) == 0
    with pytest.raises(ValueError, match="full"):
        table.get(8)


@pytest.mark.parametrize("wrong", [-1, 2**64])
def test_numbers_that_are_not_fingerprints(tmp_path: Path, wrong: int) -> None:
    with pytest.raises(OverflowError):
        FingerprintTable(tmp_path, "seen").has([wrong])
