"""How complete a crawl is: capture and recapture.

Two nodes, crawls or halves of a crawl are two samples. If the first found n1 addresses, the second
n2, and m of them are the same, and if the samples are independent, there are about

    N = (n1 + 1) (n2 + 1) / (m + 1) - 1        (Chapman 1951; unbiased where n1 + n2 >= N)

addresses in total. Samples of crawlers are not quite independent: both find what is easy to find,
which makes the estimate too low; nodes with separate territories make it too high.
"""

from itertools import combinations
from math import exp, log, sqrt

import numpy as np
from msgspec import Struct

from toponaut.measures.columns import CrawlColumns, Ints, Marks, distinct, share

_Z = 1.959963984540054  # 95 % of the normal distribution
ENOUGH = 7  # found by both: then the bias is below 5 % (Robson and Regier 1964)
MOST_NODES = 8  # only pairs of the nodes with the most addresses


class Estimate(Struct, frozen=True):
    """The estimate from two samples."""

    what: str  # "addresses" or "relevant pages"
    first: str
    second: str
    first_found: int
    second_found: int
    both_found: int
    total: float | None  # estimated; None if a sample is empty
    low: float | None  # of the 95 % interval
    high: float | None
    found_share: float | None  # found by either / estimated total
    reliable: bool  # enough found by both


def chapman(what: str, first: str, second: str, one: Marks, other: Marks) -> Estimate:
    """The estimate from two samples of fingerprints.

    The variance is Seber's (1970), the interval log-normal (Burnham and others 1987), so that it
    never ends below the number found.
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
    """Estimates from pairs of nodes, by the addresses in the targets that they found."""
    node = crawl.pages.node[crawl.entities.page]
    samples = [
        (name.name, crawl.entities.mark[node == number]) for number, name in enumerate(crawl.nodes)
    ]
    samples = sorted(
        (one for one in samples if len(one[1])), key=lambda one: (-len(one[1]), one[0])
    )[:MOST_NODES]
    return tuple(
        chapman("addresses", first, second, one, other)
        for (first, one), (second, other) in combinations(samples, 2)
    )


def by_hosts(crawl: CrawlColumns) -> Estimate:
    """The estimate from the addresses on two halves of the hosts, which needs only one node."""
    half = crawl.pages.host[crawl.entities.page] % 2 == 0
    marks = crawl.entities.mark
    return chapman(
        "addresses", "one half of the hosts", "the other half", marks[half], marks[~half]
    )


class CrawlFindings(Struct, frozen=True):
    """The relevant pages and addresses of a crawl, to compare it with another."""

    name: str
    relevant: Marks  # URLs of relevant pages
    entities: Marks


def found_by(name: str, crawl: CrawlColumns) -> CrawlFindings:
    relevant: Ints = crawl.pages.vertex[crawl.pages.relevant]
    return CrawlFindings(name, crawl.urls[distinct(relevant)], distinct(crawl.entities.mark))


def between(one: CrawlFindings, other: CrawlFindings) -> tuple[Estimate, ...]:
    """Estimates from two crawls of the same web, by relevant pages and by addresses."""
    return (
        chapman("relevant pages", one.name, other.name, one.relevant, other.relevant),
        chapman("addresses", one.name, other.name, one.entities, other.entities),
    )
