"""The result of the pass over a page's tags: its text, and the events in it."""

from array import array
from typing import NamedTuple

import cython

from toponaut.page.parse.markup import OriginalChunks
from toponaut.page.parse.tokens import MarkupTokens

if not cython.compiled:
    raise ImportError("toponaut is not compiled: run make setup, or reinstall it")

Event = tuple[int, int, int]  # kind (without its gap), index of the token, length of the text


class Flow(NamedTuple):
    """A page's text and the events in it."""

    text: str
    tokens: MarkupTokens
    originals: OriginalChunks
    added: "array[int]"  # characters that each token added to the text
    jumps: dict[int, int]  # tokens before non-markup -> where to continue
    links: list[Event]
    unseen: list[Event]  # links in hidden elements
    marks: list[Event]  # headings, bold words, addresses; and metadata tags
    raws: list[tuple[str, str]]  # titles and JSON-LD: head and content

    def lengths(self) -> "array[int]":
        """The length of the text before each token, and of all."""
        added: cython.longlong[::1] = self.added
        result = array("q", bytes(8 * (len(added) + 1)))
        lengths: cython.longlong[::1] = result
        index: cython.Py_ssize_t
        for index in range(added.shape[0]):
            lengths[index + 1] = lengths[index] + added[index]
        return result

    def nexts(self) -> "array[int]":
        """The token to read after each: the next one, or where a jump leads."""
        result = array("i", bytes(4 * len(self.added)))
        nexts: cython.int[::1] = result
        index: cython.Py_ssize_t
        for index in range(nexts.shape[0]):
            nexts[index] = index + 1
        for index, target in self.jumps.items():
            nexts[index] = target
        return result
