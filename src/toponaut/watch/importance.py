"""How much a page matters: a relevant page without anything else has the importance 1.

    mu = (1 if relevant, else 0.1) * (1 + ln(1 + addresses)) * (1 + ln(1 + inlinks) / 4)
         * (1 + interest) * (1 + queries)

inlinks: pages of the crawl that link to it. interest: the weight of the job's interests in its
text, divided by the mean weight of all pages. queries: how often the page was an answer to the
queries in watch.queries. Set: the factors have no source; each grows slowly, so that no single one
decides. Change detection needs relevant pages most; others bring new links.
"""

import math

NOT_RELEVANT = 0.1


def importance_of(
    relevant: bool, addresses: int, inlinks: int, interest: float = 0.0, queries: float = 0.0
) -> float:
    """The importance of a page (mu)."""
    base = 1.0 if relevant else NOT_RELEVANT
    known = 1.0 + math.log1p(inlinks) / 4.0
    return base * (1.0 + math.log1p(addresses)) * known * (1.0 + interest) * (1.0 + queries)
