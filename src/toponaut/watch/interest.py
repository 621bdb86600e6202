"""How much a page interests the readers: by the interests of the job and by their queries.

Chubak and Shokouhi 2005 revisit pages by the weight that also orders their first visits: how often
the terms of a region's interests are in the page (strategy/ordering/term_weights.py has the three
schemes). The words that readers search for count as such terms, if `serve --count-queries` has
counted them.
"""

from collections.abc import Mapping

from msgspec.structs import replace

from toponaut.job import Job
from toponaut.places.names.tokens import Tokeniser
from toponaut.records import Visit
from toponaut.strategy.ordering.interest import Interests, interests_of


class PageInterest:
    """Weighs pages by interests, as the pages of the log come."""

    learns_from = ("title", "text")

    def __init__(self, interests: Interests) -> None:
        self._interests = interests
        self._pages, self._having = 0, [0] * len(interests.terms)

    def weigh(self, visit: Visit) -> float:
        """The weight of a fetched page, for the region that it interests most."""
        page = self._interests.count(visit.title, visit.text)
        self._pages += 1
        for index, often in enumerate(page.tf):
            self._having[index] += often > 0
        return self._interests.weigh(page, self._pages, self._having)


def page_interest(
    job: Job, asked: Mapping[str, float], tokeniser: Tokeniser
) -> PageInterest | None:
    """By the interests of a job, and the words that were asked for; None if there are none."""
    merged = dict(job.ordering.interests)
    for word, priority in asked.items():
        merged[word] = merged.get(word, 0.0) + priority
    ordering = replace(job.ordering, interests=merged)
    interests = interests_of(replace(job, ordering=ordering), tokeniser)
    return PageInterest(interests) if interests else None
