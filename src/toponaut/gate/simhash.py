"""A page's text in 64 bits, so that near copies differ in few of them (Charikar's simhash).

Every second word (by its first letter, so that near copies choose alike) begins a shingle: the 16 bytes from there,
which is two to three words. A shingle's hash votes on each bit of the result, for or against; a changed sentence
changes few votes. Two texts whose shingles have the cosine c differ in about 64 * arccos(c) / pi bits: one sentence of
fifty 2, half of the text 21.

Shingles of bytes rather than of words are what makes it cheap: they are read straight from the text's UTF-8, with no
word ever cut out. The votes are counted eight bits at a time, each in a byte lane of one 64-bit sum: for 2,700 shingles
28 us, where a matrix product took 65 and summing unpacked bits 107.
"""

import numpy as np
from numpy.typing import NDArray

from toponaut.kernels import COMPILED, Kernels

Hashes = NDArray[np.uint64]

_SHINGLE = 16  # bytes
_SPACE = 32  # all white space of ASCII is at or below it
_LANE = 255  # a byte lane holds no larger sum
_AT_ONCE = (
    7 * _LANE
)  # from 128 KB on an array's memory comes fresh from the system: all at once took 75 us, this 28
_SHIFTS = np.arange(8, dtype=np.uint64).reshape(8, 1, 1)
_LANES = np.uint64(0x0101010101010101)
_FIRST = np.uint64(0x9E3779B97F4A7C15)
_SECOND = np.uint64(0xD6E8FEB86659FD93)
_HALF = np.uint64(32)
_UNSPACED = 0xE0  # lead byte in UTF-8 of Han, Kana, Hangul, Thai and the like: no spaces, so each letter is a start


def simhash(text: str, kernels: Kernels | None = COMPILED) -> int:
    """64 bits that stand for a text; 0, which stands for no other text, where it has no words."""
    if not text or text.isspace():
        return 0
    if kernels:
        return kernels.simhash(text)
    hashes = _shingles(text)
    bits = np.packbits((2 * _votes(hashes) > len(hashes)).T.ravel(), bitorder="little")
    return int.from_bytes(bits.tobytes(), "little") or 1


def distance(one: int, other: int) -> int:
    """In how many bits two simhashes differ."""
    return (one ^ other).bit_count()


def _shingles(text: str) -> Hashes:
    raw = b" " + text.encode("utf-8", "surrogatepass") + bytes(_SHINGLE)
    letters = np.frombuffer(raw, np.uint8)[:-_SHINGLE]
    begins = letters[:-1] <= _SPACE
    if not text.isascii():
        begins |= letters[1:] >= _UNSPACED
    chosen = np.flatnonzero(
        begins & (letters[1:] & 1).view(np.bool_)
    )  # of bools: 10 us, of bytes 35
    if not len(chosen):  # a few words, none of them chosen
        chosen = np.flatnonzero(begins)
    # One overlapping window a byte, begun one byte late: behind the space. complex128 is a type of 16 bytes that numpy
    # gathers fast; nothing is computed with it.
    windows = np.ndarray((len(raw) - _SHINGLE,), np.complex128, raw, 1, (1,))
    halves = windows[chosen].view(np.uint64)  # take() would copy all windows first
    hashes: Hashes = halves[::2] * _FIRST
    hashes ^= hashes >> _HALF
    hashes += halves[1::2]
    hashes *= _SECOND
    hashes ^= hashes >> _HALF
    return hashes


def _votes(hashes: Hashes) -> NDArray[np.int64]:
    """How many hashes have each bit: row b, column k is bit b of byte k."""
    votes = np.zeros((8, 8), np.int64)
    for begin in range(0, len(hashes), _AT_ONCE):
        some = hashes[begin : begin + _AT_ONCE]
        blocks = -(-len(some) // _LANE)
        padded = np.zeros(blocks * _LANE, np.uint64)
        padded[: len(some)] = some
        lanes = padded.reshape(blocks, _LANE) >> _SHIFTS
        lanes &= _LANES
        sums = np.add.reduce(lanes, axis=2)
        votes += np.add.reduce(sums.view(np.uint8).reshape(8, blocks, 8), axis=1, dtype=np.int64)
    return votes
