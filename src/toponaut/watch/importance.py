"""How much a page matters: a relevant page without anything else has the importance 1.

    mu = (1 if relevant, else 0.1) * (1 + ln(1 + addresses)) * (1 + ln(1 + inlinks) / 4)
         * (1 + ln(1 + interest))

inlinks: pages of the crawl that link to it. interest: its weight by the job's interests and the
readers' queries (interest.py). The factors are set by hand; each grows slowly, so that no single
one decides. Relevant pages matter most; others bring new links.
"""

import math

NOT_RELEVANT = 0.1


def importance_of(relevant: bool, addresses: int, inlinks: int, interest: float = 0.0) -> float:
    """The importance of a page (mu)."""
    base = 1.0 if relevant else NOT_RELEVANT
    known = 1.0 + math.log1p(inlinks) / 4.0
    wanted = 1.0 + math.log1p(max(interest, 0.0))
    return base * (1.0 + math.log1p(addresses)) * known * wanted
