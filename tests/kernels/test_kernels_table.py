"""The kernels of frontier and archive and their twins: identical results."""

from base64 import b32encode
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from toponaut.archive.records import base32
from toponaut.frontier.table import FingerprintTable
from toponaut.kernels import COMPILED, Kernels

pytestmark = pytest.mark.skipif(
    COMPILED is None, reason="no compiler was at hand: there is one implementation"
)

# Many share their first bits, so that buckets overflow, the last one into the first.
fingerprints = st.lists(
    st.integers(0, 2**64 - 1) | st.integers(2**64 - 40, 2**64 - 1) | st.integers(0, 40),
    max_size=200,
    unique=True,
)


@pytest.fixture(scope="module")
def kernels() -> Kernels:
    assert COMPILED is not None
    return COMPILED


@given(known=fingerprints, asked=fingerprints)
def test_cells(known: list[int], asked: list[int]) -> None:
    known = [one for one in known if one != 1] if 0 in known else known  # 0 is stored as 1
    prints, sought = np.array(known, np.uint64), np.array(asked + known[::2], np.uint64)
    answers = []
    for kernels in (COMPILED, None):
        with TemporaryDirectory() as directory:
            table = FingerprintTable(Path(directory), "seen", kernels=kernels)
            table.reserve(len(known))
            table.add(prints, np.arange(len(known), dtype=np.uint32))
            there, numbers = table.find(sought)
            assert table.has(sought.tolist()) == there.tolist()
            answers.append((there.tolist(), numbers.tolist()))
    assert answers[0] == answers[1]


def test_an_invalid_table(kernels: Kernels) -> None:
    """A search ends in a full table, and wrong lengths are rejected."""
    full = np.arange(2, 18, dtype=np.uint64)
    found = np.frombuffer(kernels.cells(full, np.array([5, 99], np.uint64)), np.int64)
    assert found.tolist() == [3, -1]
    for length in (0, 7, 8, 9, 24):
        with pytest.raises(ValueError, match="a power of two"):
            kernels.cells(np.zeros(length, np.uint64), full)
    with pytest.raises(ValueError, match="eight bytes"):
        kernels.cells(full, np.zeros(9, np.uint8))


@given(st.binary(max_size=60).map(lambda data: data[: len(data) // 5 * 5]))
def test_base32(data: bytes) -> None:
    assert base32(data) == base32(data, None) == b32encode(data).decode()


def test_bytes_outside_base32(kernels: Kernels) -> None:
    for wrong in (b"abcd", b"abcdef", "abcde"):
        with pytest.raises(ValueError, match="five bytes"):
            kernels.base32(wrong)  # type: ignore[arg-type]
