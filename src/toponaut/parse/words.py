"""Where the words of a text stand, found once for all links and marks of a page.

All stretches are trimmed together and in linear time: marks can be nested, and to strip each by itself would
read the text once for each of thousands of open <b> (0.24 s for 5,000 around 0.5 MB; so it is 0.01 s).
"""

import numpy as np
import numpy.typing as npt

from toponaut.kernels import COMPILED, Kernels

_HIGHEST = 0x10FFFF  # the last character there is
Offsets = npt.NDArray[np.int64]


class Words:
    """The words of a page's text: what stands between white space."""

    def __init__(self, text: str, kernels: Kernels | None = COMPILED) -> None:
        if kernels:
            self._begins, self._stops = (
                np.frombuffer(column, np.int64) for column in kernels.runs(text, ord(" ") + 1, _HIGHEST)
            )
            return
        padded = f" {text} "
        if padded.isascii():
            blank = np.frombuffer(padded.encode(), dtype=np.uint8) <= ord(" ")
        else:
            blank = np.frombuffer(padded.encode("utf-32-le", "surrogatepass"), dtype=np.uint32) <= ord(" ")
        edges = np.flatnonzero(blank[1:] != blank[:-1])  # words begin and stop by turns
        # In arrays of their own: each look into every second number would copy them first.
        self._begins, self._stops = edges[::2].copy(), edges[1::2].copy()

    def trimmed(self, starts: list[int], ends: list[int]) -> tuple[Offsets, Offsets]:
        """Stretches of the text without white space at their ends; (start, start) where that is all."""
        begins, stops = self._begins, self._stops
        given, until = (np.fromiter(offsets, np.int64, len(offsets)) for offsets in (starts, ends))
        if not begins.size:
            return given, given
        after = stops.searchsorted(given, side="right")  # the first word that is not over at the start
        before = begins.searchsorted(until) - 1  # the last word that begins before the end
        firsts = np.maximum(begins.take(after, mode="clip"), given)
        lasts = np.minimum(stops.take(before, mode="clip"), until)
        blank = after > before
        if np.count_nonzero(blank):
            return np.where(blank, given, firsts), np.where(blank, given, lasts)
        return firsts, lasts

    def windows(self, starts: Offsets, ends: Offsets, words: int, signs: int) -> tuple[Offsets, Offsets]:
        """Where windows of so many words or signs begin that end at `starts`, and stop that begin at `ends`."""
        begins, stops = self._begins, self._stops
        if not begins.size:
            return starts, ends
        before = begins.searchsorted(starts)  # how many words begin before each start
        firsts = np.minimum(begins.take(before - words, mode="clip"), starts)
        done = stops.searchsorted(ends, side="right")  # how many words are over at each end
        lasts = np.maximum(stops.take(done + (words - 1), mode="clip"), ends)
        return np.maximum(firsts, starts - signs), np.minimum(lasts, ends + signs)
