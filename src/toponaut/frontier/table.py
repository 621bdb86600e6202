"""Fingerprint -> number, for more fingerprints than memory should hold.

Buckets of eight cells, which is one cache line. A fingerprint's first bits select its bucket; if
that is full, the next one is used. Cells fill from the left and are never removed, so a search ends
at a bucket with a free cell. It takes 0.1 us in a table of 700,000.

When the table doubles, a bucket's cells go to two neighbouring buckets, because the first bits
select it. So both the old and the new table are read and written from front to back.
"""

from pathlib import Path

import cython
import numpy as np
from numpy.typing import NDArray

from toponaut.frontier.mapped import Columns

if not cython.compiled:
    raise ImportError("toponaut is not compiled: run make setup, or reinstall it")

Fingerprints = NDArray[np.uint64]

_WIDTH = cython.declare(cython.Py_ssize_t, 8)
_FORMATS = {"keys": "Q", "values": "I"}
_LOAD = 0.7
_LEAST_BITS = 7
_PIECE = 1 << 16  # cells moved at a time when the table doubles: half a megabyte


class FingerprintTable:
    """A map in files from 64-bit fingerprints to 32-bit numbers. Fingerprint 0 is stored as 1."""

    def __init__(self, directory: Path, name: str, count: int = 0, bits: int = 0) -> None:
        self.count = count
        self.bits = bits or _LEAST_BITS  # bits of a fingerprint that select its bucket
        self._directory, self._name = directory, name
        if bits:
            self._bind(self._files(bits, _WIDTH << bits))
        else:
            self._bind(self._allot(_LEAST_BITS))

    def _files(self, bits: int, capacity: int = 0) -> Columns:
        return Columns(self._directory, f"{self._name}-{bits}", _FORMATS, capacity)

    def _allot(self, bits: int) -> Columns:
        columns = self._files(bits)
        columns.reserve(_WIDTH << bits)
        return columns

    def _bind(self, columns: Columns) -> None:
        self.columns = columns
        self._cells = _Cells(columns.arrays["keys"], columns.arrays["values"], self.bits)

    def get(self, fingerprint: int) -> int | None:
        """The number of a fingerprint; None if missing."""
        return self._cells.get(fingerprint)

    def find(self, fingerprints: Fingerprints) -> tuple[NDArray[np.bool_], NDArray[np.uint32]]:
        """For each, whether it is present, and its number (0 if missing)."""
        return self._cells.find(fingerprints)

    def has(self, fingerprints: list[int]) -> list[bool]:
        """For each, whether it is present."""
        return self._cells.has(fingerprints)

    def numbers(self, fingerprints: list[int]) -> list[int]:
        """For each, its number (0 if missing)."""
        return self._cells.numbers(fingerprints)

    def reserve(self, more: int) -> None:
        """Makes room for `more`. Then `put` and `add` cannot fail; an OSError changes nothing."""
        bits = self.bits
        while self.count + more > _LOAD * (_WIDTH << bits):
            bits += 1
        if bits == self.bits:
            return
        files, old = self._files(bits), self.columns
        try:
            files.reserve(_WIDTH << bits)
        except OSError:
            files.delete()
            raise
        keys, values = old.arrays["keys"], old.arrays["values"]
        self.bits = bits
        self._bind(files)
        for start in range(0, len(keys), _PIECE):
            piece = slice(start, start + _PIECE)
            used = keys[piece] != 0
            self._cells.put(keys[piece][used], values[piece][used])
        old.delete()

    def put(self, fingerprints: Fingerprints, numbers: NDArray[np.uint32]) -> None:
        """Sets the numbers of fingerprints. Needs reserved room."""
        self.count += self._cells.put(fingerprints, numbers)

    def set(self, fingerprint: int, number: int) -> None:
        """Sets the number of one fingerprint. Needs reserved room."""
        self.count += self._cells.set(fingerprint, number)


@cython.cclass
class _Cells:
    """The cells of a table. `bits`: of a fingerprint that select its bucket."""

    _keys: cython.ulonglong[::1]
    _values: cython.uint[::1]
    _bits: cython.int

    def __init__(self, keys: Fingerprints, values: NDArray[np.uint32], bits: int) -> None:
        self._keys, self._values, self._bits = keys, values, bits

    def get(self, fingerprint: int) -> int | None:
        cell: cython.Py_ssize_t = self._cell(fingerprint)
        return None if cell < 0 else self._values[cell]

    def has(self, fingerprints: list[int]) -> list[bool]:
        return [self._cell(fingerprint) >= 0 for fingerprint in fingerprints]

    def numbers(self, fingerprints: list[int]) -> list[int]:
        cell: cython.Py_ssize_t
        numbers = []
        for fingerprint in fingerprints:
            cell = self._cell(fingerprint)
            numbers.append(0 if cell < 0 else self._values[cell])
        return numbers

    def find(self, fingerprints: Fingerprints) -> tuple[NDArray[np.bool_], NDArray[np.uint32]]:
        wanted: cython.const[cython.ulonglong][:] = fingerprints
        present = np.zeros(len(fingerprints), np.bool_)
        numbers = np.zeros(len(fingerprints), np.uint32)
        is_present: cython.uchar[::1] = present.view(np.uint8)
        number: cython.uint[::1] = numbers
        k: cython.Py_ssize_t
        cell: cython.Py_ssize_t
        for k in range(wanted.shape[0]):
            cell = self._cell(wanted[k])
            if cell >= 0:
                is_present[k] = True
                number[k] = self._values[cell]
        return present, numbers

    def put(self, fingerprints: Fingerprints, numbers: NDArray[np.uint32]) -> int:
        """Set numbers. Returns how many fingerprints are new."""
        given: cython.const[cython.ulonglong][:] = fingerprints
        number: cython.const[cython.uint][:] = numbers
        k: cython.Py_ssize_t
        new: cython.Py_ssize_t = 0
        for k in range(given.shape[0]):
            new += self._set(given[k], number[k])
        return new

    def set(self, fingerprint: int, number: int) -> int:
        """Set one number. Returns whether the fingerprint is new."""
        return self._set(fingerprint, number)

    @cython.cfunc
    def _cell(self, fingerprint: cython.ulonglong) -> cython.Py_ssize_t:
        """The cell of a fingerprint; -1 - c if it is missing and c is the free cell for it."""
        key: cython.ulonglong
        last: cython.Py_ssize_t = self._keys.shape[0] - 1
        cell: cython.Py_ssize_t
        _: cython.Py_ssize_t
        fingerprint = fingerprint or 1
        cell = (fingerprint >> (64 - self._bits)) * _WIDTH
        for _ in range(last + 1):
            key = self._keys[cell]
            if key == fingerprint:
                return cell
            if not key:
                return -1 - cell
            cell = cell + 1 if cell < last else 0
        raise ValueError("the table is full")

    @cython.cfunc
    def _set(self, fingerprint: cython.ulonglong, number: cython.uint) -> cython.Py_ssize_t:
        """Set a number. Returns 1 if the fingerprint is new, otherwise 0."""
        cell: cython.Py_ssize_t = self._cell(fingerprint)
        if cell >= 0:
            self._values[cell] = number
            return 0
        self._keys[-1 - cell] = fingerprint or 1
        self._values[-1 - cell] = number
        return 1
