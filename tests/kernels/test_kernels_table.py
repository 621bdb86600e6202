"""The kernel of the archive and its twin: identical results."""

from base64 import b32encode

import pytest
from hypothesis import given
from hypothesis import strategies as st

from toponaut.archive.records import base32
from toponaut.kernels import COMPILED, Kernels

pytestmark = pytest.mark.skipif(
    COMPILED is None, reason="no compiler was at hand: there is one implementation"
)


@pytest.fixture(scope="module")
def kernels() -> Kernels:
    assert COMPILED is not None
    return COMPILED


@given(st.binary(max_size=60).map(lambda data: data[: len(data) // 5 * 5]))
def test_base32(data: bytes) -> None:
    assert base32(data) == base32(data, None) == b32encode(data).decode()


def test_bytes_outside_base32(kernels: Kernels) -> None:
    for wrong in (b"abcd", b"abcdef", "abcde"):
        with pytest.raises(ValueError, match="five bytes"):
            kernels.base32(wrong)  # type: ignore[arg-type]
