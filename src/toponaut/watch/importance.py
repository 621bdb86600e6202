"""How much a page matters: a relevant page without anything else has the importance 1.

    mu = (1 if relevant, else 0.1) * (1 + ln(1 + addresses)) * (1 + ln(1 + inlinks) / 4)

inlinks: pages of the crawl that link to it. The factors are set by hand; each grows slowly, so that
no single one decides. Relevant pages matter most; others bring new links.
"""

import math

NOT_RELEVANT = 0.1


def importance_of(relevant: bool, addresses: int, inlinks: int) -> float:
    """The importance of a page (mu)."""
    base = 1.0 if relevant else NOT_RELEVANT
    known = 1.0 + math.log1p(inlinks) / 4.0
    return base * (1.0 + math.log1p(addresses)) * known
