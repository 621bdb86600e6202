"""The loops over characters, tokens and links in which a page spends most of its time, compiled
where a C compiler was at hand.

Each has a twin beside its caller that does the same in Python or by numpy's vector operations, bit
for bit; that one is the
reference, and does the work where nothing was compiled. `toponaut --version` says which is in use.
Callers take `COMPILED` as a
default, so that tests can hand in None and compare.

Arrays come back as the bytes of their numbers: `np.frombuffer` makes arrays of them without a copy.
"""

from collections.abc import Sequence
from importlib import import_module
from typing import Any, Protocol, cast

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]


class Kernels(Protocol):
    """What is compiled. Wrong lengths and offsets raise ValueError."""

    def read(
        self, text: str, fold: NDArray[np.uint32], kind: NDArray[np.uint8], /
    ) -> tuple[bytes, bytes, bool]:
        """As Tokeniser.read: classes of characters, planes of folded codes one after another,
        whether it is composed.
        """

    def tokens(
        self, kind: NDArray[np.uint8], begin: int, stop: int, solo: bool, /
    ) -> tuple[bytes, bytes, bytes]:
        """As Tokeniser._tokens: starts, ends, upper. `solo`: there may be such characters."""

    def hash_at(self, length: int, planes: Array, start: Array, end: Array, at: Array, /) -> bytes:
        """As Tokens.hash_at, of a text of this length."""

    def find(self, hashes: NDArray[np.uint64], table: tuple[Array, ...], /) -> bytes:
        """As NameTable.find. Table: keys, flags, buckets, firsts."""

    def lookup(
        self,
        name: str,
        fold: NDArray[np.uint32],
        kind: NDArray[np.uint8],
        table: tuple[Array, ...],
        /,
    ) -> int:
        """Where a whole string of up to 400 characters stands in the table, or -1."""

    def scan(
        self, tokens: tuple[Array, ...], table: tuple[Array, ...], caseless: bool, apart: bool, /
    ) -> tuple[bytes, bytes, bytes]:
        """As NameTable.scan. Tokens: kind, planes, start, end, upper; table: keys, flags, buckets,
        firsts.
        """

    def glance(
        self,
        text: str,
        chunks: Sequence[tuple[Array, ...]],
        table: tuple[Array, ...],
        columns: tuple[Array, ...],
        weights: Array,
        locative: tuple[str, ...],
        home: frozenset[int],
        english: bool,
        /,
    ) -> dict[int, float]:
        """As Glances.weights. Of a chunk: planes, start, end, upper; first, last, name. Table: as
        above. Columns: odds;
        posting_start, posting_row, posting_quality; ids, levels, lineage, prior. Weights: as struct
        Weights has them."""


def _compiled() -> Kernels | None:
    try:
        return cast(Kernels, import_module("toponaut.kernels._compiled"))
    except ImportError:
        return None


COMPILED = _compiled()
