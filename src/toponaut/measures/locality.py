"""Geographic locality: do pages link to pages about the same place?"""

import numpy as np
from msgspec import Struct

from toponaut.measures.arrays import Ints, distinct, share
from toponaut.measures.crawl import CrawlColumns
from toponaut.measures.graph import Graph, pack


class Locality(Struct, frozen=True):
    """Pairs of pages, and those of them whose most probable target is the same."""

    by: str  # "content" or "url": what tells the target
    pages: int  # that are about a target
    linked: int  # pairs
    linked_same: int
    unlinked: int
    unlinked_same: int
    linked_share: float | None  # the paper's delta
    unlinked_share: float | None  # its delta with a tilde


def localities(crawl: CrawlColumns, graph: Graph) -> tuple[Locality, ...]:
    """By the scopes of pages, and by the names in their URLs where these are known. Of a page fetched twice, as it was first."""
    evidence = (("content", crawl.pages.target), ("url", crawl.pages.url_target))
    found = []
    for by, told in evidence:
        if told is not None:
            target = np.full(len(crawl.urls), -1, np.int64)
            target[crawl.pages.vertex[::-1]] = told[::-1]
            found.append(locality(graph, target, by))
    return tuple(found)


def locality(graph: Graph, target: Ints, by: str = "content") -> Locality:
    """The share of linked pairs that are about one target, against that of unlinked pairs (Gao, Lee and Miao 2006,
    section 5.3, Table 11). `target`: what each vertex is most probably about, -1: none.

    A page that is about no target has no "most probable city", so pairs are of pages that have one. A pair is linked if a
    link leads from one of the two to the other. Unlinked pairs are not looked at one by one: with n_t pages about target t
    there are sum n_t (n_t - 1) / 2 pairs about the same, and the linked ones are taken off.
    """
    placed = np.flatnonzero(target >= 0)
    many = len(placed)
    source, to = graph.sources, graph.target
    both = (target[source] >= 0) & (target[to] >= 0)
    source, to = source[both], to[both]
    pairs = distinct(pack(np.minimum(source, to), np.maximum(source, to)))
    linked = len(pairs)
    linked_same = int((target[pairs >> 32] == target[pairs & 0xFFFFFFFF]).sum())
    counts = [int(count) for count in np.bincount(target[placed])]
    same = sum(count * (count - 1) // 2 for count in counts)
    unlinked, unlinked_same = many * (many - 1) // 2 - linked, same - linked_same
    return Locality(
        by,
        many,
        linked,
        linked_same,
        unlinked,
        unlinked_same,
        share(linked_same, linked),
        share(unlinked_same, unlinked),
    )
