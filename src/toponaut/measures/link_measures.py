"""Measures on the link graph: geo-centrality and geographic locality (Gao, Lee and Miao 2006)."""

import numpy as np
from msgspec import Struct

from toponaut.measures.columns import Bools, CrawlColumns, Floats, Ints, distinct, places_in, share
from toponaut.measures.graph import Graph, pack, parts, walks

# Walks held at a time, 8 MB a level. Swept 1, 4, 16 million on bench/measures.py: 1 million wins.
_MOST = 1_000_000
_LOW = (1 << 32) - 1


def centrality(graph: Graph, aware: Bools, k: int = 2, m: float = 10.0) -> Floats:
    """Geo-centrality of every vertex: how near a reader of a page is to pages with an address.

    GCt_k(p) = sum over pages q within k links of p that have an address in a target, of
    m^-distance(p, q). Gao, Lee and Miao 2006, section 4. Their text says "less than k", but their
    example counts distance k as well (1 + 3 * 0.1 + 4 * 0.01 = 1.34 for k = 2), as we do. Distances
    follow links in their direction; p itself counts at distance 0.

    Many searches are made at once: a walk is one number (start << 32 | vertex), a level is one
    sort. On the last and largest level only links to aware pages are followed.

    `aware`: the vertices whose page has an address in a target.
    """
    value = aware.astype(np.float64)
    if k < 1 or not aware.any():
        return value
    last = graph.only(aware)
    for start, stop in parts(_cost(graph, last, k), _MOST):
        value[start:stop] += _reached(graph, last, aware, start, stop, k, m)
    return value


def _cost(graph: Graph, last: Graph, k: int) -> Ints:
    """A bound on the number of walks of up to k links from each vertex."""
    full, final = np.zeros(len(graph)), last.degrees.astype(np.float64)
    for _ in range(k - 1):
        full, final = _step(graph, full + 1), _step(graph, final)
    return np.minimum(full + final + 1, _MOST).astype(np.int64)


def _step(graph: Graph, count: Floats) -> Floats:
    """For every vertex the sum over the vertices that it links to."""
    before = np.concatenate([[0.0], np.cumsum(count[graph.target])])
    return np.asarray(before[graph.start[1:]] - before[graph.start[:-1]])


def _reached(
    graph: Graph, last: Graph, aware: Bools, start: int, stop: int, k: int, m: float
) -> Floats:
    """The part of the pages at distance 1 to k, for the vertices from `start` to `stop`."""
    many = stop - start
    edge = seen = pack(np.arange(many), np.arange(start, stop))
    total = np.zeros(many)
    for distance in range(1, k + 1):
        found = distinct(walks(last if distance == k else graph, edge))
        edge = found[places_in(seen, found) < 0]
        hits = edge if distance == k else edge[aware[edge & _LOW]]
        total += np.bincount(hits >> 32, minlength=many) / m**distance
        if distance < k:
            seen = np.sort(np.concatenate([seen, edge]))
    return total


# --- locality -------------------------------------------------------------------------------------


class Locality(Struct, frozen=True):
    """Pairs of pages, and those with the same most probable target."""

    by: str  # "content", "url" or "classifier": the source of the target
    pages: int  # pages about a target
    linked: int  # pairs
    linked_same: int
    unlinked: int
    unlinked_same: int
    linked_share: float | None  # the paper's delta
    unlinked_share: float | None  # its delta with a tilde


def localities(crawl: CrawlColumns, graph: Graph) -> tuple[Locality, ...]:
    """By the scopes of pages; by the names in their URLs and a classifier, if known. First visits
    count."""
    pages = crawl.pages
    evidence = (
        ("content", pages.target),
        ("url", pages.url_target),
        ("classifier", pages.class_target),
    )
    found = []
    for by, found_targets in evidence:
        if found_targets is not None:
            target = np.full(len(crawl.urls), -1, np.int64)
            target[pages.vertex[::-1]] = found_targets[::-1]
            found.append(locality(graph, target, by))
    return tuple(found)


def locality(graph: Graph, target: Ints, by: str = "content") -> Locality:
    """Do pages link to pages about the same place? The share of linked and of unlinked such pairs.

    Gao, Lee and Miao 2006, section 5.3, Table 11. `target`: the most probable target of each
    vertex, -1: none. Only pages about a target form pairs. A pair is linked by a link in either
    direction. Unlinked pairs are counted as sum n_t (n_t - 1) / 2 over targets, minus linked ones.
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
