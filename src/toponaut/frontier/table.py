"""Fingerprint -> number, for more fingerprints than memory should hold.

Buckets of eight cells: one cache line, and one row of a numpy matrix, so that a batch is looked up
by comparing matrices. A fingerprint's first bits select its bucket; if that is full, the next one
is used. Cells fill from the left and are never removed, so a search ends at a bucket with a free
cell.

When the table doubles, a bucket's cells go to two neighbouring buckets, because the first bits
select it. So both the old and the new table are read and written from front to back.
"""

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from toponaut.frontier.mapped import Columns
from toponaut.kernels import COMPILED, Kernels

Fingerprints = NDArray[np.uint64]

_WIDTH = 8
_FORMATS = {"keys": "Q", "values": "I"}
# Finding 60 takes 16 us at a load of 0.3, 31 at 0.7, 50 at 0.8, 127 at 0.9; compiled 3 to 6.
_LOAD = 0.7
# Fewer than this are inserted one by one: 30 take 20-24 us, as a batch 31-71.
_FEW = 64
_LEAST_BITS = 7
_PIECE = 1 << 13  # buckets moved at a time when the table doubles: half a megabyte


class FingerprintTable:
    """A map in files from 64-bit fingerprints to 32-bit numbers. Fingerprint 0 is stored as 1."""

    def __init__(
        self,
        directory: Path,
        name: str,
        count: int = 0,
        bits: int = 0,
        kernels: Kernels | None = COMPILED,
    ) -> None:
        self.count = count
        self.bits = bits or _LEAST_BITS  # bits of a fingerprint that select its bucket
        self._directory, self._name = directory, name
        self._kernels = kernels
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
        self._keys, self._values = columns.views["keys"], columns.views["values"]
        self._cells, self._numbers = columns.arrays["keys"], columns.arrays["values"]
        self._rows = self._cells.reshape(-1, _WIDTH)
        self._shift = 64 - self.bits
        self._mask = (1 << self.bits) - 1

    def get(self, fingerprint: int) -> int | None:
        """The number of a fingerprint; None if missing."""
        cell = self._cell(fingerprint or 1)
        return None if cell < 0 else self._values[cell]

    def _cell(self, fingerprint: int) -> int:
        bucket = fingerprint >> self._shift
        while True:
            start = bucket * _WIDTH
            row = self._keys[start : start + _WIDTH].tolist()
            if fingerprint in row:
                return start + row.index(fingerprint)
            if not row[-1]:
                return -1
            bucket = (bucket + 1) & self._mask

    def find(self, fingerprints: Fingerprints) -> tuple[NDArray[np.bool_], NDArray[np.uint32]]:
        """For each, whether it is present, and its number (0 if missing)."""
        cells = self._find(np.maximum(fingerprints, 1))
        present = cells >= 0
        return present, np.where(present, self._numbers[cells], 0)

    def has(self, fingerprints: list[int]) -> list[bool]:
        """For each, whether it is present."""
        if self._kernels is not None:
            return self._kernels.known(self._cells, fingerprints)
        present: list[bool] = self.find(np.array(fingerprints, np.uint64))[0].tolist()
        return present

    def _find(self, fingerprints: Fingerprints) -> NDArray[np.int64]:
        """Their cells, -1 if missing. The few that overflowed a bucket are searched one by one."""
        if self._kernels is not None:
            return np.frombuffer(self._kernels.cells(self._cells, fingerprints), np.int64)
        buckets = (fingerprints >> np.uint64(self._shift)).astype(np.int64)
        rows = self._rows[buckets]
        equal = rows == fingerprints[:, None]
        columns = equal.argmax(axis=1)
        hit = equal[np.arange(len(columns)), columns]
        cells = np.where(hit, buckets * _WIDTH + columns, -1)
        for index in np.flatnonzero(~hit & (rows[:, -1] != 0)).tolist():
            cells[index] = self._cell(int(fingerprints[index]))
        return cells

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
        rows, numbers = self._rows, self._numbers
        self.bits = bits
        self._bind(files)
        for start in range(0, len(rows), _PIECE):
            keys = rows[start : start + _PIECE].ravel()
            used = keys != 0
            self._insert(keys[used], numbers[start * _WIDTH :][: len(keys)][used])
        old.delete()

    def put(self, fingerprints: Fingerprints, numbers: NDArray[np.uint32]) -> None:
        """Sets the numbers of distinct fingerprints. Needs reserved room."""
        cells = self._find(np.maximum(fingerprints, 1))
        present = cells >= 0
        self._numbers[cells[present]] = numbers[present]
        self.add(fingerprints[~present], numbers[~present])

    def set(self, fingerprint: int, number: int) -> None:
        """Sets the number of one fingerprint. Needs reserved room."""
        cell = self._cell(fingerprint or 1)
        if cell < 0:
            self._insert_one(fingerprint or 1, number)
            self.count += 1
        else:
            self._values[cell] = number

    def add(self, fingerprints: Fingerprints, numbers: NDArray[np.uint32]) -> None:
        """Adds distinct fingerprints that are missing. Needs reserved room."""
        self._insert(np.maximum(fingerprints, 1), numbers)
        self.count += len(fingerprints)

    def _insert(self, fingerprints: Fingerprints, numbers: NDArray[np.uint32]) -> None:
        """Adds fingerprints. If several claim the same cell, the last wins and the others retry."""
        buckets = (fingerprints >> np.uint64(self._shift)).astype(np.int64)
        pending: NDArray[Any] = np.arange(len(fingerprints))
        while len(pending) > _FEW:
            used = np.count_nonzero(self._rows[buckets], axis=1)
            room = used < _WIDTH
            cells = np.where(room, buckets * _WIDTH + used, 0)
            mine = fingerprints[pending]
            self._cells[cells[room]] = mine[room]
            won = room & (self._cells[cells] == mine)
            self._numbers[cells[won]] = numbers[pending[won]]
            buckets = np.where(room, buckets, (buckets + 1) & self._mask)[~won]
            pending = pending[~won]
        for fingerprint, number in zip(
            fingerprints[pending].tolist(), numbers[pending].tolist(), strict=True
        ):
            self._insert_one(fingerprint, number)

    def _insert_one(self, fingerprint: int, number: int) -> None:
        bucket = fingerprint >> self._shift
        while self._keys[bucket * _WIDTH + _WIDTH - 1]:
            bucket = (bucket + 1) & self._mask
        start = bucket * _WIDTH
        cell = start + self._keys[start : start + _WIDTH].tolist().index(0)
        self._keys[cell] = fingerprint
        self._values[cell] = number
