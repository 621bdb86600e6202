"""The hashes of tokens (tokens.py): of many at once, or of the few in a short name.

Both must give the same: the table of names is built with the first and looked up with both.
"""

import cython
import numpy as np
from numpy.typing import NDArray

from toponaut.places.names import alphabet

if not cython.compiled:
    raise ImportError("toponaut is not compiled: run make setup, or reinstall it")

Bytes = NDArray[np.uint8]
Index = NDArray[np.int64]
Codes = NDArray[np.uint32]
Hashes = NDArray[np.uint64]

_WORD = cython.declare(cython.uchar, alphabet.WORD)
_SOLO = cython.declare(cython.uchar, alphabet.WORD | alphabet.SOLO)
# Characters of a token that its hash depends on. The longest word of a name has 58.
_HASHED = cython.declare(cython.Py_ssize_t, 64)
_FIRST = cython.declare(cython.ulonglong, 0x9E3779B97F4A7C15)
_SECOND = cython.declare(cython.ulonglong, 0xD6E8FEB86659FD93)
_LATER = cython.declare(cython.ulonglong, 0x94D049BB133111EB)  # factor of each further block
# Factors of the first, second and third byte of a character.
_PLANES = (1, 0xD1342543DE82EF95, 0xAF251AF3B0F025B5)


def token_hashes(planes: Bytes, starts: Index, ends: Index) -> Hashes:
    """The hashes of stretches of a text, as those of tokens."""
    hashes = np.zeros(len(starts), np.uint64)
    result: cython.ulonglong[::1] = hashes
    byte: cython.const[cython.uchar][:, ::1] = planes
    plane: cython.Py_ssize_t
    for plane in range(byte.shape[0]):
        _add_hashes(byte[plane], _PLANES[plane], starts, ends, result)
    return hashes


@cython.cfunc
def _add_hashes(
    letter: cython.const[cython.uchar][::1],
    factor: cython.ulonglong,
    start: cython.const[cython.longlong][::1],
    end: cython.const[cython.longlong][::1],
    result: cython.ulonglong[::1],
) -> cython.void:
    """Add the hashes of stretches of one plane, which are 0 if all of a stretch is 0."""
    k: cython.Py_ssize_t
    at: cython.Py_ssize_t
    block: cython.Py_ssize_t  # of 16 letters, as two numbers
    stop: cython.Py_ssize_t
    low: cython.ulonglong
    high: cython.ulonglong
    weight: cython.ulonglong
    for k in range(start.shape[0]):
        weight, block = factor, start[k]
        stop = min(end[k], block + _HASHED)
        while block < stop:
            low = high = 0
            for at in range(block, min(stop, block + 8)):
                low |= cython.cast(cython.ulonglong, letter[at]) << (8 * (at - block))
            block += 8
            for at in range(block, min(stop, block + 8)):
                high |= cython.cast(cython.ulonglong, letter[at]) << (8 * (at - block))
            block += 8
            low *= _FIRST
            low = ((low ^ (low >> 32)) + high) * _SECOND
            result[k] += (low ^ (low >> 32)) * weight
            weight *= _LATER


@cython.cclass
class _TokenHash:
    """The hash of one token, letter by letter: as `token_hashes`, for all planes at once."""

    _length: cython.Py_ssize_t
    _low: cython.ulonglong[3]
    _high: cython.ulonglong[3]
    _weight: cython.ulonglong[3]
    _sum: cython.ulonglong

    def __init__(self) -> None:
        self.begin()

    @cython.cfunc
    def begin(self) -> cython.void:
        plane: cython.Py_ssize_t
        self._length = self._sum = 0
        for plane in range(3):
            self._weight[plane] = _PLANES[plane]

    @cython.cfunc
    def add(self, code: cython.uint) -> cython.void:
        plane: cython.Py_ssize_t
        byte: cython.ulonglong
        at: cython.Py_ssize_t = self._length % 16
        if self._length >= _HASHED:
            return
        if self._length and at == 0:
            self.add_block()
        for plane in range(3):
            byte = code >> (8 * plane) & 0xFF
            if at < 8:
                self._low[plane] |= byte << (8 * at)
            else:
                self._high[plane] |= byte << (8 * at - 64)
        self._length += 1

    @cython.cfunc
    def add_block(self) -> cython.void:
        plane: cython.Py_ssize_t
        low: cython.ulonglong
        for plane in range(3):
            low = self._low[plane] * _FIRST
            low = ((low ^ (low >> 32)) + self._high[plane]) * _SECOND
            self._sum += (low ^ (low >> 32)) * self._weight[plane]
            self._weight[plane] *= _LATER
            self._low[plane] = self._high[plane] = 0

    @cython.cfunc
    def ended(self) -> cython.ulonglong:
        """The hash of the token, which ends here; the next letter begins another."""
        self.add_block()
        result: cython.ulonglong = self._sum
        self.begin()
        return result


@cython.cclass
class ShortTextHasher:
    """Hashes the tokens of a short text in one pass, without arrays. Holds the alphabet."""

    _fold: cython.const[cython.uint][::1]
    _kind: cython.const[cython.uchar][::1]

    def __init__(self, fold: Codes, kind: Bytes) -> None:
        self._fold, self._kind = fold, kind

    def hashes(self, text: str, most: cython.Py_ssize_t) -> list[int]:
        """The hashes of the first tokens of a text."""
        hashes: list[int] = []
        token: _TokenHash = _TokenHash()
        last: cython.uint = self._fold.shape[0] - 1
        sign: cython.Py_UCS4
        code: cython.uint
        kind: cython.uchar
        inside: cython.bint
        alone: cython.bint  # of a script without spaces
        was_inside: cython.bint = False
        was_alone: cython.bint = False
        for sign in text:
            code = sign if sign < last else last
            kind = self._kind[code]
            inside = (kind & _WORD) != 0
            alone = (kind & _SOLO) == _SOLO
            if was_inside and (alone or was_alone or not inside):
                hashes.append(token.ended())
                if len(hashes) == most:
                    return hashes
            if inside:
                token.add(self._fold[code])
            was_inside, was_alone = inside, alone
        if was_inside:
            hashes.append(token.ended())
        return hashes
