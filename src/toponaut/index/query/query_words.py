"""The words of a question as queries of the index: with its place, its region's interests."""

from collections.abc import Sequence

import tantivy

from toponaut.index.query.answers import PlaceCandidate, QueryLocation
from toponaut.index.query.terms import SearchTerms, TermIndex

# Weight of the place's words, as words: a page that has the city in its title is rather about it.
# bench.queries, precision at five of both sets: .68 at 0.5, .69 at 0.6, .69 at 1. From 0.75 on, a
# list with the city in its title comes before a page with an address there.
_PLACE_WORDS = 0.6
_INTERESTS = 0.3  # weight of the interests of a region: below that of the words asked for


class QueryWords:
    """Makes queries for the words of one question. `interests`: terms of the user's region."""

    def __init__(self, index: TermIndex, interests: Sequence[str] = ()) -> None:
        self.index = index
        self._interests = index.terms(" ".join(interests)) if interests else SearchTerms()

    def with_place(
        self, terms: SearchTerms, where: QueryLocation | None, every: bool = True
    ) -> tantivy.Query:
        """Pages with all words, or with some. Those with the place's words score higher, and those
        that the user's region is interested in (Chubak 2005).
        """
        named = self.index.terms(where.text) if where else SearchTerms()
        query = self.index.query(terms, every)
        for wished, weight in ((named, _PLACE_WORDS), (self._interests, _INTERESTS)):
            if wished.words:
                query = self.index.preferring(query, wished, weight)
        return query

    def in_title(self, place: PlaceCandidate) -> tantivy.Query | None:
        """Pages with the name of a place, for queries without words."""
        name = self.index.terms(place.name)
        return self.index.query(name, every=True) if name.words else None
