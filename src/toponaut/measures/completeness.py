"""How much of what there is has been found: capture and recapture.

Two nodes (or two crawls, or two halves of one) that search on their own are two catches from one pond. Of n1 addresses that the
first found and n2 that the second found, m are the same. If the catches are independent, the pond holds about

    N = (n1 + 1) (n2 + 1) / (m + 1) - 1        (Chapman 1951; unbiased where n1 + n2 >= N)

Catches of crawlers are not quite independent. What is easy to find is found by both, and the estimate is too low; where nodes
are parted by territory they fish in different waters, and it is too high. It says where the truth may lie, not where it is.
"""

from itertools import combinations
from math import exp, log, sqrt

import numpy as np
from msgspec import Struct

from toponaut.measures.arrays import Ints, Marks, distinct, share
from toponaut.measures.crawl import CrawlColumns

_Z = 1.959963984540054  # of the normal distribution: 95 % lie within
ENOUGH = 7  # in both: then the estimate's bias is below 5 % (Robson and Regier 1964)
MOST_NODES = 8  # pairs are made of those with the most addresses


class Estimate(Struct, frozen=True):
    """What two catches say about the whole."""

    what: str  # "addresses" or "relevant pages"
    first: str
    second: str
    first_found: int
    second_found: int
    both_found: int
    total: float | None  # estimated; None where one of the catches is empty
    low: float | None  # of the interval that holds it with 95 %
    high: float | None
    found_share: float | None  # what both together found / estimated total
    reliable: bool  # enough in both


def chapman(what: str, first: str, second: str, one: Marks, other: Marks) -> Estimate:
    """The estimate from two catches, given by their fingerprints.

    The variance is Seber's (1970), the interval log-normal (Burnham and others 1987): unlike the normal one it never ends
    below what has been found.
    """
    one, other = distinct(one), distinct(other)
    n1, n2, m = len(one), len(other), int(np.isin(one, other, assume_unique=True).sum())
    if not n1 or not n2:
        return Estimate(what, first, second, n1, n2, m, None, None, None, None, False)
    total = (n1 + 1) * (n2 + 1) / (m + 1) - 1
    variance = (n1 + 1) * (n2 + 1) * (n1 - m) * (n2 - m) / ((m + 1) ** 2 * (m + 2))
    found = n1 + n2 - m
    unseen = total - found
    spread = exp(_Z * sqrt(log(1 + variance / unseen**2))) if unseen > 0 else 1.0
    low, high = found + unseen / spread, found + unseen * spread
    return Estimate(
        what, first, second, n1, n2, m, total, low, high, share(found, total), m >= ENOUGH
    )


def by_nodes(crawl: CrawlColumns) -> tuple[Estimate, ...]:
    """The addresses in the targets that pairs of nodes found."""
    node = crawl.pages.node[crawl.entities.page]
    catches = [
        (name.name, crawl.entities.mark[node == number]) for number, name in enumerate(crawl.nodes)
    ]
    catches = sorted(
        (one for one in catches if len(one[1])), key=lambda one: (-len(one[1]), one[0])
    )[:MOST_NODES]
    return tuple(
        chapman("addresses", first, second, one, other)
        for (first, one), (second, other) in combinations(catches, 2)
    )


def by_hosts(crawl: CrawlColumns) -> Estimate:
    """The addresses that two halves of the hosts carry: an estimate that one node alone allows. Of all addresses that stand on
    the web somewhere, as far as hosts like those visited would carry them.
    """
    half = crawl.pages.host[crawl.entities.page] % 2 == 0
    marks = crawl.entities.mark
    return chapman(
        "addresses", "one half of the hosts", "the other half", marks[half], marks[~half]
    )


class Catch(Struct, frozen=True):
    """What a crawl found, for comparing it with another."""

    name: str
    relevant: Marks  # URLs of relevant pages
    entities: Marks


def found_by(name: str, crawl: CrawlColumns) -> Catch:
    relevant: Ints = crawl.pages.vertex[crawl.pages.relevant]
    return Catch(name, crawl.urls[distinct(relevant)], distinct(crawl.entities.mark))


def between(one: Catch, other: Catch) -> tuple[Estimate, ...]:
    """Two crawls of the same web: their relevant pages, and the addresses in the targets."""
    return (
        chapman("relevant pages", one.name, other.name, one.relevant, other.relevant),
        chapman("addresses", one.name, other.name, one.entities, other.entities),
    )
