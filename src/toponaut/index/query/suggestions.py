"""Type-ahead: how a query may go on, by the places and the frequent words of the index.

The last word is completed, and the last two if they begin a place's name. Places come first after a
preposition ("pizza in old"), words otherwise. Only what the index has is offered, the most pages
first, so every suggestion has results.
"""

from bisect import bisect_left
from itertools import islice

import numpy as np
from msgspec import Struct

from toponaut.index.georeference import LEAST_MEANT
from toponaut.index.query.prepositions import IN, NEAR, fold
from toponaut.index.query.reader import IndexReader
from toponaut.places.gazetteer import Gazetteer

_SHORTEST = 2  # letters of a prefix
_MOST_PLACES = 20_000  # of the index, those with the most pages
_LOOKED_AT = 50  # words with a prefix
_SHORTEST_WORD = 4


class Suggestion(Struct, frozen=True):
    """A query that goes on as the typed one."""

    text: str
    kind: str  # "place" or "word": of its last part
    pages: int  # with it


class Suggester:
    """Completes queries. Made once for each state of an index: it lists the index's places."""

    def __init__(self, reader: IndexReader, gazetteer: Gazetteer) -> None:
        self._reader = reader
        table = reader.table
        meant = table.tie_place[table.tie_strength >= LEAST_MEANT]
        places, pages = np.unique(meant, return_counts=True)
        most = np.argsort(-pages, kind="stable")[:_MOST_PLACES]
        named = []
        for place, count in zip(places[most].tolist(), pages[most].tolist(), strict=True):
            try:
                name = gazetteer.name(gazetteer.row(place))
            except KeyError:  # the index was built with another gazetteer
                continue
            named.append((fold(name), name, count))
        self._places = sorted(named)

    def complete(self, text: str, limit: int = 8) -> tuple[Suggestion, ...]:
        words = text.split()
        if not words or text[-1:].isspace() or len(text.strip()) < _SHORTEST:
            return ()
        found = [*self._completed_places(words), *self._completed_words(words)]
        if len(words) < 2 or fold(words[-2]) not in IN | NEAR:
            found.sort(key=lambda one: -one.pages)
        first = {one.text.lower(): one for one in reversed(found)}
        first.pop(text.lower(), None)
        kept = (one for one in found if first.get(one.text.lower()) is one)
        return tuple(islice(kept, limit))

    def _completed_places(self, words: list[str]) -> list[Suggestion]:
        found = []
        for many in (2, 1):  # words that begin a name
            if len(words) < many:
                continue
            prefix = fold(" ".join(words[-many:]))
            if len(prefix) < _SHORTEST:
                continue
            for name, shown, pages in self._starting(prefix):
                if many == 1 or " " in name:
                    text = " ".join([*words[:-many], shown])
                    found.append(Suggestion(text, "place", pages))
        return sorted(found, key=lambda one: -one.pages)

    def _starting(self, prefix: str) -> list[tuple[str, str, int]]:
        first = bisect_left(self._places, (prefix,))
        last = bisect_left(self._places, (prefix + "\U0010ffff",))
        return self._places[first:last]

    def _completed_words(self, words: list[str]) -> list[Suggestion]:
        prefix = "".join(self._reader.terms.analyse(words[-1])[:1])
        if len(prefix) < _SHORTEST:
            return []
        known = self._reader.searcher.terms_with_prefix("text", prefix, limit=_LOOKED_AT)
        return [
            Suggestion(" ".join([*words[:-1], term]), "word", pages)
            for term, pages in sorted(known, key=lambda pair: -pair[1])
            if len(term) >= _SHORTEST_WORD and term.isalpha()
        ]
