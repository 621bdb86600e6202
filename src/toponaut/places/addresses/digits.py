"""Where the numbers of a text stand: 10 us for a page's text, where a pattern takes 150."""

from functools import lru_cache

import numpy as np

from toponaut.kernels import COMPILED, Kernels

_ZERO = np.uint8(ord("0"))


@lru_cache(maxsize=2)  # several finders ask about one text in turn
def digit_runs(text: str, kernels: Kernels | None = COMPILED) -> tuple[tuple[int, int], ...]:
    """Start and end of every run of ASCII digits. A byte a character, so that positions stay."""
    if kernels:
        starts, ends = (np.frombuffer(column, np.int64).tolist() for column in kernels.runs(text, ord("0"), ord("9")))
        return tuple(zip(starts, ends, strict=True))
    codes = np.frombuffer(text.encode("latin-1", "replace"), np.uint8)
    digit = np.zeros(len(codes) + 2, np.bool_)
    np.less(codes - _ZERO, 10, out=digit[1:-1])
    edges = (digit[1:] != digit[:-1]).nonzero()[0].tolist()
    return tuple(zip(edges[::2], edges[1::2], strict=True))
