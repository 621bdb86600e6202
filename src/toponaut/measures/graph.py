"""The link graph of a crawl's pages, as a sparse matrix in two arrays.

Vertices are the distinct URLs of pages. An edge is a link, whether it was new, known or refused. A
redirect is not a vertex: a link to it counts as a link to its target. Only links between pages of
the crawl are kept, with 8 bytes each.
"""

from collections.abc import Iterator

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from toponaut.measures.columns import Bools, Ints, Marks, distinct

_SHIFT = 32  # an edge is one number: source << 32 | target
_LOW = (1 << _SHIFT) - 1
_REDIRECTS = 10  # in a row; the crawler follows no more (gate.py)


class Graph(Struct, frozen=True):
    """The targets of vertex v are target[start[v] : start[v + 1]], sorted."""

    start: Ints
    target: NDArray[np.int32]

    def __len__(self) -> int:
        return len(self.start) - 1

    @property
    def degrees(self) -> Ints:
        return np.diff(self.start)

    @property
    def sources(self) -> Ints:
        """The source of every edge."""
        return np.repeat(np.arange(len(self)), self.degrees)

    def only(self, wanted: Bools) -> "Graph":
        """The same vertices with only the links to wanted ones."""
        kept = wanted[self.target]
        before = np.concatenate([[0], np.cumsum(kept, dtype=np.int64)])
        return Graph(before[self.start], self.target[kept])


def graph_of(vertices: int, edges: Ints) -> Graph:
    """A graph from packed edges in any order, without repetitions and links to oneself."""
    edges = distinct(edges)
    edges = edges[(edges >> _SHIFT) != (edges & _LOW)]
    start = np.searchsorted(edges, np.arange(vertices + 1, dtype=np.int64) << _SHIFT)
    return Graph(start.astype(np.int64), (edges & _LOW).astype(np.int32))


def pack(source: Ints, target: Ints) -> Ints:
    """Edges as one number each."""
    return (source.astype(np.int64) << _SHIFT) | target


class Edges:
    """A fold over the links of a crawl that keeps those between its pages.

    `pages` and `redirects`: fingerprints of the URLs of pages, and of those that redirect.
    """

    def __init__(self, pages: Marks, redirects: Marks) -> None:
        away = distinct(redirects)
        away = away[~np.isin(away, pages)]  # a URL that has been both is a page
        self._pages = len(pages)
        marks = np.concatenate([pages, away])
        order = np.argsort(marks)
        self._vertex, self._marks = order, marks[order]
        # Most links leave the crawl. A table of first bits rejects all but 3 to 6 % of them.
        self._bits = np.uint64(64 - max(10, int(16 * len(marks)).bit_length()))
        self._perhaps = np.zeros(1 << (64 - int(self._bits)), np.bool_)
        self._perhaps[(marks >> self._bits).astype(np.int64)] = True
        self._edges: list[Ints] = []
        self._leads = np.full(len(away), -1, np.int64)

    def vertices(self, marks: Marks) -> Ints:
        """The vertices of URLs, -1 if not a page; redirects are numbered after the pages."""
        found = np.full(len(marks), -1, np.int64)
        some = np.flatnonzero(self._perhaps[(marks >> self._bits).astype(np.int64)])
        if len(some):
            at = np.minimum(np.searchsorted(self._marks, marks[some]), len(self._marks) - 1)
            here = self._marks[at] == marks[some]
            found[some[here]] = self._vertex[at[here]]
        return found

    def add(self, source: Ints, links: Marks) -> None:
        """Add links of vertices (-1: not a page), by their fingerprints."""
        target = self.vertices(links)
        kept = (source >= 0) & (target >= 0)
        source, target = source[kept], target[kept]
        page = source < self._pages
        self._edges.append(distinct(pack(source[page], target[page])))
        self._leads[source[~page] - self._pages] = target[~page]

    def graph(self) -> Graph:
        """The graph of all links added so far."""
        edges = np.concatenate([np.zeros(0, np.int64), *self._edges])
        if len(self._leads):
            away = np.flatnonzero((edges & _LOW) >= self._pages)
            to = self._ends()[(edges[away] & _LOW) - self._pages]
            # A dead end becomes 0: a link of page 0 to itself, which graph_of drops.
            edges[away] = np.where(to >= 0, pack(edges[away] >> _SHIFT, to), 0)
        return graph_of(self._pages, edges)

    def _ends(self) -> Ints:
        """The page that each redirect leads to, -1 if none."""
        to = self._leads.copy()
        for _ in range(_REDIRECTS):
            on = np.flatnonzero(to >= self._pages)
            to[on] = self._leads[to[on] - self._pages]
        return np.where(to < self._pages, to, -1)


def walks(graph: Graph, edge: Ints) -> Ints:
    """All walks (start << 32 | current vertex) that extend those in `edge` by one link."""
    here = edge & _LOW
    first = graph.start[here]
    count = graph.start[here + 1] - first
    ends = np.cumsum(count)
    index = np.arange(ends[-1] if len(ends) else 0) + np.repeat(first - (ends - count), count)
    return np.asarray(np.repeat(edge & ~np.int64(_LOW), count) | graph.target[index])


def parts(cost: Ints, most: int) -> Iterator[tuple[int, int]]:
    """Cut vertices into runs with a total cost of at most `most`, or of one vertex."""
    total = np.concatenate([[0], np.cumsum(cost)])
    start, end = 0, len(cost)
    while start < end:
        stop = int(np.searchsorted(total, total[start] + most, "right")) - 1
        stop = min(max(stop, start + 1), end)
        yield start, stop
        start = stop
