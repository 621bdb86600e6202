"""Unpacking: every encoding, in any pieces, damaged, lying, and as a bomb."""

import gzip
import tracemalloc
import zlib
from collections.abc import Callable
from contextlib import suppress

import brotli
import pytest
import zstandard
from hypothesis import given
from hypothesis import strategies as st

from toponaut.web.http.body_decoder import BodyDecoder, BodyTooLargeError, DamagedBodyError

PAGE = b"<html><body><p>Pizzeria Roma, Lange Str. 12, 26122 Oldenburg</p>" * 50
LIMIT = 1_000_000


def raw_deflate(data: bytes) -> bytes:
    packer = zlib.compressobj(wbits=-15)
    return packer.compress(data) + packer.flush()


PACK: dict[str, Callable[[bytes], bytes]] = {
    "gzip": gzip.compress,
    "x-gzip": gzip.compress,
    "deflate": zlib.compress,
    "br": brotli.compress,
    "zstd": zstandard.compress,
}


def unpack(data: bytes, encoding: str, limit: int = LIMIT, piece: int = 1 << 16) -> bytes:
    unpacker = BodyDecoder(encoding, limit)
    for start in range(0, len(data), piece):
        unpacker.feed(data[start : start + piece])
    return unpacker.finish()


@pytest.mark.parametrize("encoding", PACK)
@pytest.mark.parametrize("piece", [1, 7, 1 << 16])
def test_every_encoding_in_any_pieces(encoding: str, piece: int) -> None:
    assert unpack(PACK[encoding](PAGE), encoding, piece=piece) == PAGE


@given(
    data=st.binary(max_size=4000), encoding=st.sampled_from(sorted(PACK)), piece=st.integers(1, 500)
)
def test_what_was_packed_comes_out(data: bytes, encoding: str, piece: int) -> None:
    assert unpack(PACK[encoding](data), encoding, limit=len(data), piece=piece) == data


@pytest.mark.parametrize("piece", [1, 1 << 16])
def test_deflate_without_its_wrapper(piece: int) -> None:
    assert unpack(raw_deflate(PAGE), "deflate", piece=piece) == PAGE


@pytest.mark.parametrize(
    "encoding", ["", "identity", " Identity , ", "utf-8", "none", "gzip, unheard-of"]
)
def test_what_needs_no_unpacking_stays(encoding: str) -> None:
    assert unpack(PAGE, encoding) == PAGE


def test_encodings_on_top_of_each_other() -> None:
    packed = zstandard.compress(brotli.compress(gzip.compress(PAGE)))
    assert unpack(packed, "GZip, br,zstd", piece=11) == PAGE
    with pytest.raises(DamagedBodyError, match="compressed 4 times"):
        BodyDecoder("gzip, gzip, gzip, gzip", LIMIT)


@pytest.mark.parametrize("encoding", ["gzip", "zstd"])
@pytest.mark.parametrize("piece", [1, 1 << 16])
def test_plain_text_that_claims_to_be_packed(encoding: str, piece: int) -> None:
    assert unpack(PAGE, encoding, piece=piece) == PAGE


@pytest.mark.parametrize("encoding", ["br", "deflate"])
def test_plain_text_that_cannot_be_told_from_packed_bytes(encoding: str) -> None:
    with pytest.raises(DamagedBodyError):
        unpack(PAGE, encoding)


@pytest.mark.parametrize("encoding", PACK)
def test_no_bytes_are_no_bytes(encoding: str) -> None:
    assert unpack(b"", encoding) == b""


@pytest.mark.parametrize("encoding", PACK)
def test_cut_short(encoding: str) -> None:
    packed = PACK[encoding](PAGE)
    for length in (1, 3, len(packed) // 2, len(packed) - 1):
        with pytest.raises(DamagedBodyError, match="cut short"):
            unpack(packed[:length], encoding)


@pytest.mark.parametrize(
    ("encoding", "checksum"), [("gzip", slice(-8, -4)), ("deflate", slice(-4, None))]
)
def test_a_wrong_checksum(encoding: str, checksum: slice) -> None:
    packed = bytearray(PACK[encoding](PAGE))
    packed[checksum] = bytes(4)
    with pytest.raises(DamagedBodyError, match="compressed body damaged"):
        unpack(bytes(packed), encoding)


@pytest.mark.parametrize("encoding", ["gzip", "zstd"])
@pytest.mark.parametrize("piece", [1, 1 << 16])
def test_members_one_after_the_other(encoding: str, piece: int) -> None:
    packed = PACK[encoding](PAGE) + PACK[encoding](b"the end") + bytes(20)
    assert unpack(packed, encoding, piece=piece) == PAGE + b"the end"


def test_a_flood_of_empty_members() -> None:
    with pytest.raises(DamagedBodyError, match="too many"):
        unpack(gzip.compress(b"") * 100_000, "gzip")


@given(data=st.binary(max_size=300), encoding=st.sampled_from(sorted(PACK)))
def test_noise_is_unpacked_or_refused_in_order(data: bytes, encoding: str) -> None:
    """Bytes that only begin like packed ones end in one of the three known ways."""
    beginning = PACK[encoding](PAGE)[:12]
    with suppress(DamagedBodyError, BodyTooLargeError):
        assert len(unpack(beginning + data, encoding, limit=5000)) <= 5000


@pytest.mark.parametrize("encoding", PACK)
def test_the_limit_is_exact(encoding: str) -> None:
    packed = PACK[encoding](PAGE)
    assert unpack(packed, encoding, limit=len(PAGE)) == PAGE
    with pytest.raises(BodyTooLargeError):
        unpack(packed, encoding, limit=len(PAGE) - 1)


def test_the_limit_holds_for_plain_bytes() -> None:
    with pytest.raises(BodyTooLargeError):
        unpack(PAGE, "", limit=len(PAGE) - 1)


@pytest.mark.parametrize("encoding", ["gzip", "deflate", "br", "zstd", "gzip, gzip"])
def test_a_bomb_stops_at_the_limit(encoding: str) -> None:
    """50 MB of zeros in one piece: memory stays far below that."""
    bomb = PACK[encoding.partition(",")[0]](bytes(50_000_000))
    if "," in encoding:
        bomb = gzip.compress(bomb)
    tracemalloc.start()
    try:
        with pytest.raises(BodyTooLargeError):
            unpack(bomb, encoding)
        assert tracemalloc.get_traced_memory()[1] < 5 * LIMIT
    finally:
        tracemalloc.stop()
