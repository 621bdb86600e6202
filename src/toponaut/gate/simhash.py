"""A page's text in 64 bits, so that near copies differ in few of them (Charikar's simhash).

Every second word (by its first letter, so that near copies choose the same words) starts a shingle:
the 16 bytes from there, two to three words. A shingle's hash votes on each bit of the result. Two
texts whose shingles have the cosine c differ in about 64 * arccos(c) / pi bits: one sentence of
fifty 2, half of the text 21.
"""

import cython

if not cython.compiled:
    raise ImportError("toponaut is not compiled: run make setup, or reinstall it")

_SHINGLE = cython.declare(cython.Py_ssize_t, 16)  # bytes
_SPACE = cython.declare(cython.uchar, 32)  # all white space of ASCII is at or below it
# Lead byte in UTF-8 of Han, Kana, Hangul, Thai: scripts without spaces, so each letter is a start.
_UNSPACED = cython.declare(cython.uchar, 0xE0)
_FIRST = cython.declare(cython.ulonglong, 0x9E3779B97F4A7C15)
_ONES = cython.declare(cython.ulonglong, 0x0101010101010101)  # the lowest bit of each byte
_FULL = cython.declare(cython.int, 255)
_SECOND = cython.declare(cython.ulonglong, 0xD6E8FEB86659FD93)


def simhash(text: str) -> int:
    """The bits of a text; 0, which no other text has, if it has no words."""
    if not text or text.isspace():
        return 0
    letters: bytes = text.encode("utf-8", "surrogatepass")
    result: int = _bits(letters, False) or _bits(letters, True)
    return result


def distance(one: int, other: int) -> int:
    """In how many bits two simhashes differ."""
    return (one ^ other).bit_count()


@cython.cfunc
def _bits(letters: bytes, every: cython.bint) -> cython.ulonglong:
    """The majority of the shingles' hashes for each bit, never 0; 0 if there is no shingle.

    `every`: shingles of all words, not of every second.
    """
    votes = cython.declare(cython.longlong[64])
    lanes = cython.declare(cython.ulonglong[8])  # lane k: for bits k, 8 + k ..., a byte for each
    added: cython.int = 0  # hashes in the lanes
    bit: cython.int
    lane: cython.int
    at: cython.Py_ssize_t
    letter: cython.uchar
    before: cython.uchar = _SPACE
    count: cython.longlong = 0
    hashed: cython.ulonglong
    result: cython.ulonglong = 0
    for bit in range(64):
        votes[bit] = 0
    for lane in range(8):
        lanes[lane] = 0
    for at in range(len(letters)):
        letter = letters[at]
        if (before <= _SPACE or letter >= _UNSPACED) and (every or letter & 1):
            hashed = _shingle(letters, at)
            count += 1
            for lane in range(8):
                lanes[lane] += (hashed >> lane) & _ONES
            added += 1
            if added == _FULL:
                added = 0
                for bit in range(64):
                    votes[bit] += (lanes[bit & 7] >> (bit & ~7)) & 0xFF
                for lane in range(8):
                    lanes[lane] = 0
        before = letter
    for bit in range(64):
        votes[bit] += (lanes[bit & 7] >> (bit & ~7)) & 0xFF
        if 2 * votes[bit] > count:
            result |= cython.cast(cython.ulonglong, 1) << bit
    return result or (1 if count else 0)


@cython.cfunc
@cython.inline
def _shingle(letters: bytes, start: cython.Py_ssize_t) -> cython.ulonglong:
    """The hash of the 16 bytes from a place on, with zeros after the end."""
    low: cython.ulonglong = 0
    high: cython.ulonglong = 0
    at: cython.Py_ssize_t
    end: cython.Py_ssize_t = min(start + _SHINGLE, len(letters))
    byte: cython.ulonglong
    for at in range(start, end):
        byte = cython.cast(cython.uchar, letters[at])
        if at - start < 8:
            low |= byte << (8 * (at - start))
        else:
            high |= byte << (8 * (at - start - 8))
    low *= _FIRST
    low ^= low >> 32
    low += high
    low *= _SECOND
    return low ^ (low >> 32)
