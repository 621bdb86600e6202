"""SPEC 4: accuracy and coverage (Kozanidis, Stamou and Spyros 2009, section 4, Tables 1 to 3)."""

from msgspec import Struct

from toponaut.measures.arrays import share
from toponaut.measures.crawl import CrawlColumns


class Accuracy(Struct, frozen=True):
    """How much of what was seen was taken for what it is, and how manifold it was."""

    seen: int  # pages visited that name a place in a target
    retrieved: int  # those of them that the crawl took for relevant
    accuracy: float | None
    names: int  # places that pages name, each once a page
    distinct_names: int
    coverage: float | None


def accuracy(crawl: CrawlColumns) -> Accuracy:
    """accuracy = |retrieved| / |visited|: "the fraction of the pages that the crawler retrieved as geographically relevant
    from all the visited pages that have some geographic orientation", which is told by the location entities in their
    contents. Here the orientation is towards the targets: pages whose scope has a place in one. With relevant = "address" a
    page that only names a target is seen and not retrieved.

    coverage = distinct / all location entities in the pages. The log has a place once for each page that names it.
    """
    pages = crawl.pages
    seen = (pages.target >= 0) | pages.relevant
    retrieved = int(pages.relevant.sum())
    names = crawl.names
    return Accuracy(
        int(seen.sum()),
        retrieved,
        share(retrieved, seen.sum()),
        names.all,
        names.distinct,
        share(names.distinct, names.all),
    )
