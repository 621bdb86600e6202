"""Naive Bayes over the terms of links: will a link lead to a relevant page d links on?

The classifier of Ahlers and Boll 2009 (section 4, link prediction). By Bayes' theorem, with the
terms t of a link taken as independent, and for each depth d separately:

    P(relevant | link)     p(relevant)       product over t of p(t | relevant)
    ------------------  =  -----------   *   ---------------------------------
    P(other | link)        p(other)          product over t of p(t | other)

p(t | class) is "the probability of the term being present" in links of the class. A term counts
once per link, and missing terms say nothing ("the lack of corresponding features does not imply a
lack of geospatial information").

**Smoothing.** The paper uses Laplace's, (n + 1) / (N + 2) for a term in n of N links. With few
relevant links this misleads: an unknown term gets 1/20 for 18 relevant links and 1/1000 for 998
others, as if it spoke 50 to 1 for relevance. So the classes are scaled to the same size first. With
M links in all and a class with the share s of them,

    p(t | class) = (n / 2s + 1) / (M / 2 + 2)

For equal classes nothing changes; an unknown term, or one that all links have, says nothing. While
a class is empty, no term says anything. bench/lookahead.py, 2 % relevant links: area under the ROC
curve 0.73, with Laplace's formula 0.56 (chance is 0.5).

**Priors.** p(class) is the share of the class among the links learned plus 25, one of them
relevant: the 4 % that the paper's broad crawl found. Before anything is learned, link distance
alone decides.

**Cost.** The shares change with every link, so logarithms are not cached: one is computed for each
term and depth. The table has 2 x 4 bytes for each row and depth: 25 MB for depth 3.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

import cython
import msgspec
import numpy as np
from cython.cimports.libc.math import log
from numpy.typing import NDArray

from toponaut.places.names.tokens import Index
from toponaut.strategy.ordering.link_terms import ROWS

if not cython.compiled:
    raise ImportError("toponaut is not compiled: run make setup, or reinstall it")

Floats = NDArray[np.floating[Any]]

PRIOR_LINKS = (24, 1)  # other and relevant links, as if seen before the first
_MOST_ODDS = 700  # as a logarithm: exp() of more overflows


class LinkModelsState(msgspec.Struct, frozen=True, tag="lookahead 1"):
    """Counts of non-empty rows, little-endian. The tag changes with the meaning of a row."""

    depth: int
    links: bytes
    rows: bytes
    counts: bytes


class TermEvidence(NamedTuple):
    """The models' answer for some links."""

    terms: Floats  # by depth and term: the logarithm of p(t | relevant) / p(t | other)
    chances: Floats  # by depth and link: P(relevant | link)
    usual: Floats  # by depth: the same for a link without terms


class LinkModels:
    """The models of all depths, in one table."""

    def __init__(self, depth: int) -> None:
        self.depth = depth
        # Links with a term, by row: for each depth those that led to other pages, then relevant
        # ones.
        self._counts = np.zeros((ROWS, 2 * depth), np.uint32)
        self._links = np.zeros((2, depth), np.int64)
        self._shares: Floats | None = None  # of the classes, by depth; computed on demand

    def learn(self, rows: Index, depth: int, relevant: bool) -> None:
        """Learn that a link with these distinct terms led to such a page, `depth` links on."""
        counts: cython.uint[:, ::1] = self._counts
        row: cython.const[cython.longlong][::1] = rows
        column: cython.Py_ssize_t = depth - 1 + self.depth * relevant
        k: cython.Py_ssize_t
        for k in range(row.shape[0]):
            counts[row[k], column] += 1
        self._links[int(relevant), depth - 1] += 1
        self._shares = None

    def judge(self, rows: Index, starts: Index) -> TermEvidence:
        """The evidence for links whose terms begin at `starts`, which includes the end."""
        links, terms = self._links, self.terms(rows)
        prior = (links[1] + PRIOR_LINKS[1]) / (links[0] + PRIOR_LINKS[0])
        odds = np.add.reduceat(terms, starts[: len(starts) - 1], axis=1) + np.log(prior)[:, None]
        chances = 1 / (1 + np.exp(np.minimum(-odds, _MOST_ODDS)))
        return TermEvidence(terms, chances, prior / (1 + prior))

    def terms(self, rows: Index) -> Floats:
        """By depth and term: the logarithm of p(t | relevant) / p(t | other)."""
        terms = np.empty((self.depth, len(rows)))
        term: cython.double[:, ::1] = terms
        counts: cython.const[cython.uint][:, ::1] = self._counts
        share: cython.const[cython.double][:, ::1] = self._share()
        row: cython.const[cython.longlong][::1] = rows
        at: cython.Py_ssize_t
        k: cython.Py_ssize_t
        for at in range(share.shape[1]):
            for k in range(row.shape[0]):
                term[at, k] = _term(counts, share, row[k], at)
        return terms

    def odds(self, memos: Sequence[bytes], most: cython.double) -> list[list[float]]:
        """For each link by its memo, and by depth: the sum of its terms, from -most to most."""
        counts: cython.const[cython.uint][:, ::1] = self._counts
        share: cython.const[cython.double][:, ::1] = self._share()
        row: cython.const[cython.uchar][::1]
        total: cython.double
        at: cython.Py_ssize_t
        k: cython.Py_ssize_t
        found = []
        for memo in memos:
            row = memo
            depths = []
            for at in range(share.shape[1]):
                total = 0.0
                for k in range(0, row.shape[0] - 2, 3):
                    total += _term(counts, share, row[k] | row[k + 1] << 8 | row[k + 2] << 16, at)
                depths.append(min(max(total, -most), most))
            found.append(depths)
        return found

    def _share(self) -> Floats:
        """The shares of the classes; infinite ones make all terms neutral."""
        if self._shares is None:
            self._shares = np.full(self._links.shape, np.inf)
            share: cython.double[:, ::1] = self._shares
            links: cython.const[cython.longlong][:, ::1] = self._links
            both: cython.double
            at: cython.Py_ssize_t
            for at in range(links.shape[1]):
                if links[0, at] and links[1, at]:
                    both = links[0, at] + links[1, at]
                    share[0, at], share[1, at] = links[0, at] / both, links[1, at] / both
        return self._shares

    def saved(self) -> LinkModelsState:
        """The learned counts; they do not depend on the order of the links."""
        rows = np.flatnonzero(self._counts.any(axis=1))
        return LinkModelsState(
            self.depth,
            self._links.astype("<i8").tobytes(),
            rows.astype("<u4").tobytes(),
            self._counts[rows].astype("<u4").tobytes(),
        )

    def restore(self, saved: LinkModelsState) -> None:
        """Take over saved counts, for the depths that both have. Raises ValueError if damaged."""
        links, rows = np.frombuffer(saved.links, "<i8"), np.frombuffer(saved.rows, "<u4")
        counts = np.frombuffer(saved.counts, "<u4")
        sizes = (len(links), len(counts)) == (2 * saved.depth, 2 * saved.depth * len(rows))
        if saved.depth < 1 or not sizes or (rows >= ROWS).any() or (links < 0).any():
            raise ValueError("its tables do not fit together")
        both = min(self.depth, saved.depth)
        self._links = np.zeros((2, self.depth), np.int64)
        self._links[:, :both] = links.reshape(2, -1)[:, :both]
        self._shares = None
        table = np.zeros((len(rows), 2, self.depth), np.uint32)
        table[:, :, :both] = counts.reshape(-1, 2, saved.depth)[:, :, :both]
        self._counts = np.zeros((ROWS, 2 * self.depth), np.uint32)
        self._counts[rows] = table.reshape(len(rows), 2 * self.depth)


@cython.cfunc
def _term(
    counts: cython.const[cython.uint][:, ::1],
    share: cython.const[cython.double][:, ::1],
    row: cython.Py_ssize_t,
    at: cython.Py_ssize_t,
) -> cython.double:
    """(n / 2s + 1) / (M / 2 + 2) of both classes, without what they share."""
    if not counts[row, share.shape[1] + at] and not counts[row, at]:
        return 0.0  # most terms are new: spares their logarithms
    relevant: cython.double = counts[row, share.shape[1] + at] / share[1, at] + 2
    return log(relevant / (counts[row, at] / share[0, at] + 2))


def depth_weights(decay: float, depth: int) -> Floats:
    """decay^d / sum of decay^d for d = 1..depth: the weights of the depths (Ahlers and Boll 2009).

    Both are divided by `decay` here, so that a decay of 0 leaves all weight to depth 1.
    """
    weights = decay ** np.arange(depth, dtype=np.float64)
    return np.asarray(weights / weights.sum())


def weighted(by_depth: Floats, weights: Floats) -> Floats:
    """Sums over the depths. (`@` would start BLAS threads: 0.3 ms of CPU for 3 x 60 numbers.)"""
    return np.asarray((by_depth * weights[:, None]).sum(axis=0))
