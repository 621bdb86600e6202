"""SPEC 2: bridges, tails and the distance from the seeds (Ahlers and Boll 2009, Figures 9 and 10).

Every page was reached from one other (or from a seed), so the pages of a crawl are a forest. Walking down a branch:

    relevant -> other -> other -> relevant -> other -> (the branch ends)
                 a bridge of 2                a tail of 1
"""

from collections import Counter

import numpy as np
from msgspec import Struct

from toponaut.measures.arrays import Bools, Ints, share
from toponaut.measures.crawl import PageColumns


class Bars(Struct, frozen=True):
    """How often each length occurs: counts[n] is that of length n."""

    counts: tuple[int, ...]

    @property
    def total(self) -> int:
        return sum(self.counts)


class Bridges(Struct, frozen=True):
    """Lengths on the way from one relevant page to the next."""

    bridges: Bars  # other pages between a relevant page and the relevant one above it: 0 means straight from one to the other
    tails: Bars  # other pages after the last relevant one of a branch; from 1
    unbridged: int  # relevant pages with no relevant page above them
    bridged_share: (
        float | None
    )  # of relevant pages below a relevant one, those with a bridge of at least 1


class Distances(Struct, frozen=True):
    """Links from a seed."""

    relevant: Bars
    all: Bars


def since_relevant(relevant: Bools, parent: Ints) -> Ints:
    """For every page the number of other pages on the way from the last relevant one down to it, itself included: 0 for a
    relevant page, -1 where there is no relevant one above. A page comes after its parent.
    """
    since: list[int] = []
    for wanted, above in zip(relevant.tolist(), parent.tolist(), strict=True):
        if wanted:
            since.append(0)
        else:
            before = since[above] if above >= 0 else -1
            since.append(before + 1 if before >= 0 else -1)
    return np.array(since, np.int64)


def bridges(relevant: Bools, parent: Ints) -> Bridges:
    """Bridge distances and tail lengths. A branch ends at a page from which no other page was reached; if that is a relevant
    page, the branch has no tail.
    """
    since = since_relevant(relevant, parent)
    below = relevant & (parent >= 0)
    gaps = since[parent[below]]
    leaf = np.ones(len(relevant), np.bool_)
    leaf[parent[parent >= 0]] = False
    tails = since[leaf & (since > 0)]
    unbridged = int((relevant & (parent < 0)).sum() + (gaps < 0).sum())
    gaps = gaps[gaps >= 0]
    return Bridges(bars(gaps), bars(tails), unbridged, share((gaps > 0).sum(), len(gaps)))


def distances(pages: PageColumns) -> Distances:
    """How far from the seeds pages lie, by the links followed to reach them."""
    return Distances(bars(pages.hops[pages.relevant]), bars(pages.hops))


def bars(lengths: Ints) -> Bars:
    """Counts of lengths from 0 to the greatest."""
    counts = Counter(lengths.tolist())
    return Bars(tuple(counts[length] for length in range(max(counts, default=-1) + 1)))
