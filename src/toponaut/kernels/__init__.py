"""The loops over characters, tokens and links in which a page spends most of its time, compiled
where a C compiler was at hand.

Each has a twin beside its caller that does the same in Python or by numpy's vector operations, bit
for bit; that one is the
reference, and does the work where nothing was compiled. `toponaut --version` says which is in use.
Callers take `COMPILED` as a
default, so that tests can hand in None and compare.

Arrays come back as the bytes of their numbers: `np.frombuffer` makes arrays of them without a copy.
"""

from array import array
from collections.abc import Callable, Sequence
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

    def attributes(self, head: str, decode: Callable[[str], str], /) -> dict[str, str]:
        """As attributes: `decode` is asked for values with a "&"."""

    def anchors(self, events: list[tuple[int, int, int]], tokens: int, length: int, /) -> list[Any]:
        """As anchors_of."""

    def links(
        self,
        text: str,
        anchors: list[Any],
        targets: dict[int, Any],
        way: tuple[type[Any], str, str, Callable[[str], str], int],
        odd: Callable[[Any], Any],
        most: int,
        /,
    ) -> list[Any]:
        """As _Maker.links. The class of links, the page's URL, its site, the site of an origin, the
        longest plain path; `odd`
        makes a link, or None, of an anchor that is not as most are."""

    def marks(
        self,
        text: str,
        events: list[tuple[int, int, int]],
        make: type[Any],
        names: tuple[str, ...],
        /,
    ) -> tuple[Any, ...]:
        """As marks."""

    def present(self, text: str, signs: str, /) -> str:
        """Those of some signs, none of them printed in ASCII, that a text has."""

    def spaced(self, text: str, what: bytes, /) -> str | None:
        """A text with a space for every sign of white space; None if it has signs for which no
        space will do. Which are which
        says `what` by their codes: 1 and 2, and 0 for those that stay, as all printed ones of ASCII
        do."""

    def cuts(self, markup: str, /) -> bytes:
        """Where each "<" of a markup stands, and at last where it ends."""

    def walk(
        self,
        tokens: tuple[str, "array[int]", dict[int, tuple[str, str, str]]],
        kinds: tuple[dict[str, int], dict[str, int], list[str], dict[str, int]],
        found: tuple[
            list[Any], list[Any], list[Any], dict[int, Any], dict[int, int], list[str], "array[int]"
        ],
        steps: tuple[Callable[..., Any], ...],
        /,
    ) -> None:
        """As _walk of parse/flow.py. Tokens: the markup, its cuts, those put together anew; kinds:
        Kinds, those of names,
        others, ELEMENTS; found: links, unseen, marks, targets, jumps, pieces, added; steps: turn,
        jump, preformatted and trim
        of the reader, decoded."""


def _compiled() -> Kernels | None:
    try:
        return cast(Kernels, import_module("toponaut.kernels._compiled"))
    except ImportError:
        return None


COMPILED = _compiled()
