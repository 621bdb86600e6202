"""Queries with few pages: what else to show below them, and how that is said.

Each step finds more than the one before, and its pages score less:

    WORDS      words that begin alike, and compounds of which a page has all parts, count, too
    SOME       pages with some of the words, or parts of them
    AROUND     pages of the county, or within REACH_KM of the place, if none of it has the words
    PLACE      other pages of the place, if none around has them either
"""

from collections.abc import Iterator

from msgspec import Struct
from msgspec.structs import asdict, replace

from toponaut.index.georeference import city_km
from toponaut.index.query.answers import PlaceCandidate, QueryLocation
from toponaut.index.query.prepositions import Manner
from toponaut.index.query.query_words import QueryWords
from toponaut.index.query.ranking import REACH_KM, TextQuery
from toponaut.index.query.terms import SearchTerms
from toponaut.places.gazetteer import Gazetteer
from toponaut.records import Kind

FEW = 10  # if fewer pages are found, the next step adds others
WORDS, SOME, AROUND, PLACE = 0.7, 0.5, 0.5, 0.5  # factors on their scores


class Step(Struct, frozen=True):
    """A wider query."""

    terms: SearchTerms
    text: TextQuery
    where: QueryLocation | None
    share: float  # factor on the scores of its pages
    least: int = FEW  # it is only for queries with fewer pages than this


class Relaxer:
    """Widens queries. `words` makes the queries of words."""

    def __init__(self, words: QueryWords, gazetteer: Gazetteer) -> None:
        self._words, self._gazetteer = words, gazetteer

    def steps(
        self, terms: SearchTerms, text: TextQuery, where: QueryLocation | None
    ) -> Iterator[Step]:
        """Ways to find more, the narrowest first."""
        if not (terms.words or terms.missing):
            return
        widened = self._words.index.widened(terms)
        note = "words that begin alike and parts of words count, too"
        if widened.words and not widened.missing:
            yield Step(widened, self._text(text, widened, where, note), where, WORDS)
        several = len(widened.words) + len(widened.missing) > 1
        in_parts = any(one.parts for one in widened.words)
        if widened.words and (several or in_parts):
            some = terms if terms.words and not in_parts else widened
            if several:
                note = "few pages contain all words, so pages with some of them are included"
            yield Step(some, self._text(text, some, where, note, every=False), where, SOME)
        if where is None or where.place is None or where.manner is not Manner.IN:
            return
        said = f"no page of {where.place.name} contains these words: these are"
        for around, name in self._around(where, where.place) if widened.words else ():
            there = self._text(text, widened, where, f"{said} {name}")
            yield Step(widened, there, around, AROUND, least=1)
        in_title = self._words.in_title(where.place)
        alone = TextQuery(in_title, False, text.namesakes, f"{said} others from there")
        yield Step(SearchTerms(), alone, where, PLACE, least=1)

    def _text(
        self,
        text: TextQuery,
        terms: SearchTerms,
        where: QueryLocation | None,
        note: str,
        every: bool = True,
    ) -> TextQuery:
        words = self._words.with_place(terms, where, every)
        return replace(text, words=words, relaxed=note)

    def _around(
        self, where: QueryLocation, place: PlaceCandidate
    ) -> Iterator[tuple[QueryLocation, str]]:
        """The county of a place, and the land around it."""
        if place.kind not in (Kind.CITY, Kind.NEIGHBOURHOOD):
            return
        area = self._gazetteer.place(place.path_ids[-2])
        if area.kind is not Kind.STATE:
            path_ids = place.path_ids[:-1]
            county = PlaceCandidate(**asdict(area), path_ids=path_ids, pages=0, matching=0)
            yield replace(where, place=county), f"of {area.name}"
        km = round(REACH_KM + city_km(place.population))
        circle = replace(where, manner=Manner.WITHIN, radius_km=float(km))
        yield circle, f"from within {km} km"
