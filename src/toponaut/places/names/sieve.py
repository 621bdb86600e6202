"""A sieve for names: which runs of words in a text may be one of them?

A byte for each of four million hashes says whether a name, or the beginning of a longer one, may
have that hash. What passes is looked up in the sorted hashes of the names, so nothing passes in
vain but words whose whole hash is equal.
"""

from collections.abc import Mapping

import cython
import numpy as np

from toponaut.places.names.name_table import LONGEST
from toponaut.places.names.tokens import Hashes, Index

if not cython.compiled:
    raise ImportError("toponaut is not compiled: run make setup, or reinstall it")

BEGINS = cython.declare(cython.uchar, 128)  # the mark of beginnings; kinds of names have others
_BITS = 22  # 7 % of runs that begin no name pass; with 20 bits 26 %
_SHIFT = cython.declare(cython.int, 64 - _BITS)
_LONGEST = cython.declare(cython.Py_ssize_t, LONGEST)
_CHAIN = cython.declare(cython.ulonglong, 0x2545F4914F6CDD1D)  # as in tokens.py
_MIX = cython.declare(cython.ulonglong, 0xD6E8FEB86659FD93)


@cython.cclass
class Sieve:
    """Names of several kinds. `names`: their sorted hashes, by a mark with a bit of its own."""

    _marks: cython.uchar[::1]
    _names: dict[int, Hashes]

    def __init__(self, names: Mapping[int, Hashes], begins: Hashes) -> None:
        marks = np.zeros(1 << _BITS, np.uint8)
        for mark, keys in (*names.items(), (BEGINS, begins)):
            marks[(keys >> np.uint64(_SHIFT)).view(np.int64)] |= np.uint8(mark)
        self._marks, self._names = marks, dict(names)

    def passing(self, hashes: Hashes, at: Index, mark: cython.uchar) -> tuple[Index, Index]:
        """First and last tokens of runs that are names of a kind. `at`: where runs may begin."""
        token: cython.const[cython.ulonglong][::1] = hashes
        begin: cython.const[cython.longlong][::1] = at
        key: cython.const[cython.ulonglong][::1] = self._names[mark]
        firsts, lasts = [], []
        k: cython.Py_ssize_t
        last: cython.Py_ssize_t
        run: cython.ulonglong
        found: cython.uchar
        for k in range(begin.shape[0]):
            last = begin[k]
            run = token[last]
            for _ in range(_LONGEST):
                found = self._marks[run >> _SHIFT]
                if found & mark and _has(key, run):
                    firsts.append(begin[k])
                    lasts.append(last)
                last += 1
                if not found & BEGINS or last == token.shape[0]:
                    break
                run = run * _CHAIN + token[last]
                run = (run ^ (run >> 32)) * _MIX
                run ^= run >> 32
        return np.array(firsts, np.int64), np.array(lasts, np.int64)


@cython.cfunc
def _has(keys: cython.const[cython.ulonglong][::1], wanted: cython.ulonglong) -> cython.bint:
    """Whether a sorted array has a number."""
    low: cython.Py_ssize_t = 0
    high: cython.Py_ssize_t = keys.shape[0]
    middle: cython.Py_ssize_t
    while low < high:
        middle = (low + high) >> 1
        if keys[middle] < wanted:
            low = middle + 1
        else:
            high = middle
    return low < keys.shape[0] and keys[low] == wanted
