"""Searching an index: a question in, an answer out.

text -> readings (parser.py) -> place (place_choice.py) -> ranked candidates (ranking.py) -> hits
"""

from pathlib import Path
from typing import NamedTuple

import numpy as np
import tantivy
from msgspec import Struct, structs

from toponaut.errors import InputError
from toponaut.index.cells import Box
from toponaut.index.georeference import GeoReferencer
from toponaut.index.layout import StoredPage, read_marker
from toponaut.index.query.answers import (
    Facet,
    Hit,
    MapPin,
    PlaceCandidate,
    QueryLocation,
    SearchAnswer,
)
from toponaut.index.query.hits import HitBuilder
from toponaut.index.query.nearby import Nearby, find_nearby
from toponaut.index.query.parser import MAX_LENGTH, QueryParser
from toponaut.index.query.place_choice import Interpretation, LatLon, PlaceChooser, near_user
from toponaut.index.query.query_words import QueryWords
from toponaut.index.query.ranking import Ranking, TextQuery, rank, with_others
from toponaut.index.query.reader import IndexReader
from toponaut.index.query.relaxing import FEW, Relaxer
from toponaut.index.query.suggestions import Suggester, Suggestion
from toponaut.index.query.terms import SearchTerms, spelling_suggestions
from toponaut.places.gazetteer.gazetteer import KINDS, Gazetteer
from toponaut.places.names.finder import NameFinder
from toponaut.records import Kind

MAX_HITS = 5000  # of one answer
_MAX_FACETS = 50
_FACET_BUCKETS = 20_000  # places that are counted


class Question(Struct, frozen=True):
    """A search request."""

    text: str
    here: LatLon | None = None  # the user's location, for "near me"
    place: int | None = None  # chosen by the user, from `others` or facets; 0: none, words only
    box: Box | None = None  # a section of the map, instead of a place
    limit: int = 10
    offset: int = 0
    interests: tuple[str, ...] = ()  # terms of the user's region: pages with them score higher


class _Understanding(Struct, frozen=True):
    """An interpreted question, with the words to search."""

    meaning: Interpretation
    terms: SearchTerms
    text: TextQuery
    shown: SearchTerms  # those that hits have: some of them, or others that begin alike
    where: QueryLocation | None  # of the hits: around the place, if nothing is there


class RankedPages(NamedTuple):
    """The pages of a question, best first."""

    meaning: Interpretation
    terms: SearchTerms
    pages: list[StoredPage]
    scores: list[float]
    note: str  # if the search was relaxed, how


class Search:
    """An index, open for questions. refresh() shows what a running crawl has added."""

    def __init__(self, root: Path, names: NameFinder) -> None:
        self._root, self._gazetteer = root, names.gazetteer
        self._parser = QueryParser(names)
        self._georeferencer = GeoReferencer(names.gazetteer)
        self._reader = IndexReader(root)
        # Hits, facets and pins of one question are requested one after the other.
        self._last: tuple[Question, _Understanding] | None = None
        self._suggester: Suggester | None = None

    def refresh(self) -> bool:
        """Reopen the index if it has changed; return whether it has."""
        if read_marker(self._root) == self._reader.marker:
            return False
        self._reader, self._last = IndexReader(self._root), None
        self._suggester = None
        return True

    @property
    def reader(self) -> IndexReader:
        """The index as of the last refresh()."""
        return self._reader

    @property
    def pages(self) -> int:
        return self._reader.pages

    def ask(self, question: Question) -> SearchAnswer:
        """Raises InputError if the question is empty, or "near me" without coordinates."""
        reader = self._reader
        enough = min(max(question.offset + question.limit, 1), MAX_HITS)
        understood, ranking = self._rank(question, enough)
        meaning, terms, where = understood.meaning, understood.terms, understood.where
        shown = understood.shown
        marked = reader.terms.query(shown, every=False) if shown.words else understood.text.words
        every = not (understood.text.relaxed or terms.missing)
        hits = self._hit_builder(shown, marked, every)
        part = slice(question.offset, question.offset + question.limit)
        return SearchAnswer(
            query=question.text,
            what=meaning.what,
            where=meaning.where,
            total=ranking.total,
            hits=tuple(hits.build(ranking, k, where) for k in range(len(ranking.numbers))[part]),
            others=meaning.others,
            as_words=meaning.as_words,
            did_you_mean=spelling_suggestions(
                self._gazetteer,
                question.text[:MAX_LENGTH],
                terms,
                reader.terms,
                place_known=meaning.where is not None,
            ),
            note=_note(terms, understood.text),
            pages=reader.pages,
        )

    def ranked(self, question: Question, most: int) -> RankedPages:
        """The best pages with their scores, and how the question was understood."""
        understood, ranking = self._rank(question, most)
        pages = [self._reader.document(address)[0] for address in ranking.addresses[:most]]
        scores, note = ranking.scores[:most].tolist(), _note(understood.terms, understood.text)
        return RankedPages(understood.meaning, understood.terms, pages, scores, note)

    def facets(self, question: Question) -> tuple[Facet, ...]:
        """The places directly inside the question's place (else countries) by matching pages."""
        understood = self._understand(question)
        if _several(understood.terms):
            understood = self._rank(question, FEW)[0]
        words = understood.text.words if understood.text.needed else None
        where = understood.meaning.where
        place = where.place.id if where and where.place else 0
        return _count_facets(self._reader, self._gazetteer, words, place)

    def pins(self, question: Question, most: int = 2000) -> tuple[MapPin, ...]:
        """The points of the matching pages, best pages first."""
        table = self._reader.table
        ranking = self._rank(question, min(most, MAX_HITS))[1]
        owner, at = table.points_of(ranking.numbers)
        columns = (ranking.numbers[owner], at, ranking.scores[owner])
        rows = zip(*(column[:most].tolist() for column in columns), strict=True)
        return tuple(
            MapPin(number, table.point(point), round(score, 4)) for number, point, score in rows
        )

    def hit(self, number: int) -> Hit:
        """A page by its number, as in a pin."""
        found = self._reader.page_by_number(number)
        if not len(found.numbers):
            raise InputError(f"page {number} is no longer in the index", "Search again")
        ones, zeros = np.ones(1), np.zeros(1, np.int64)
        ranking = Ranking(found.numbers, found.addresses, ones, ones, ones, zeros, 1)
        return self._hit_builder(SearchTerms(), None, every=True).build(ranking, 0, None)

    def complete(self, text: str, limit: int = 8) -> tuple[Suggestion, ...]:
        """How a query that is being typed may go on."""
        if self._suggester is None:
            self._suggester = Suggester(self._reader, self._gazetteer)
        return self._suggester.complete(text, limit)

    def near(self, url: str, limit: int = 10) -> Nearby:
        """Pages near a page of the index, in space and in the location hierarchy."""
        return find_nearby(self._reader, self._gazetteer, url, limit)

    # --- steps -------------------------------------------------------------------------------

    def _hit_builder(
        self, terms: SearchTerms, marked: tantivy.Query | None, every: bool
    ) -> HitBuilder:
        return HitBuilder(self._gazetteer, self._georeferencer, self._reader, terms, marked, every)

    def _understand(self, question: Question) -> _Understanding:
        whole = structs.replace(question, limit=0, offset=0)  # they do not change the meaning
        if self._last is None or self._last[0] != whole:
            self._last = whole, self._interpret(whole)
        return self._last[1]

    def _interpret(self, question: Question) -> _Understanding:
        text = " ".join(question.text[:MAX_LENGTH].split())
        if not text and question.place is None and question.box is None and question.here is None:
            raise InputError("the query is empty", 'Say what and where: "pizza in lisbon"')
        if not text and not question.place:
            meaning = Interpretation("", near_user(question.here))
        else:
            chooser = PlaceChooser(self._reader, self._parser, self._gazetteer)
            meaning = chooser.choose(text, question.here, question.place)
        index = self._reader.terms
        words = QueryWords(index, question.interests)
        terms, where = index.searched(meaning.what), meaning.where
        place = where.place if where else None
        others = self._namesakes(place) if place else ()
        nothing = tantivy.Query.empty_query()
        if terms.words or terms.missing:
            query = nothing if terms.missing else words.with_place(terms, where)
            wanted = TextQuery(query, True, others)
        elif meaning.what and not place:  # only punctuation, or a word that is too long
            wanted = TextQuery(nothing)
        else:
            wanted = TextQuery(words.in_title(place) if place else None, False, others)
        return _Understanding(meaning, terms, wanted, terms, where)

    def _namesakes(self, place: PlaceCandidate) -> tuple[int, ...]:
        gazetteer = self._gazetteer
        rows = gazetteer.rows_named(place.name)
        inside = (gazetteer.lineage[rows] == gazetteer.row(place.id)).any(axis=1)
        return tuple(one for one in gazetteer.ids[rows[~inside]].tolist() if one != place.id)

    def _rank(self, question: Question, enough: int) -> tuple[_Understanding, Ranking]:
        """Pages with all words or, if those are few, more; the same for hits, pins, facets."""
        reader, enough = self._reader, max(enough, FEW)
        understood = self._understand(question)
        where = understood.meaning.where
        ranking = rank(reader, understood.text, where, question.box, enough)
        if len(ranking.numbers) >= FEW:
            return understood, ranking
        relaxer = Relaxer(QueryWords(reader.terms, question.interests), self._gazetteer)
        for step in relaxer.steps(understood.terms, understood.text, where):
            if len(ranking.numbers) >= step.least:
                continue
            more = rank(reader, step.text, step.where, question.box, enough)
            wider = with_others(reader, ranking, more, step.share)
            if len(wider.numbers) > len(ranking.numbers):
                ranking = wider
                understood = structs.replace(
                    understood, text=step.text, shown=step.terms, where=step.where
                )
        return understood, ranking


def _several(terms: SearchTerms) -> bool:
    return len(terms.words) + len(terms.missing) > 1 and bool(terms.words)


def _note(terms: SearchTerms, text: TextQuery) -> str:
    missing = ", ".join(f'"{word}"' for word in terms.missing)
    return "; ".join(filter(None, (missing and f"no page contains {missing}", text.relaxed)))


def _count_facets(
    reader: IndexReader, gazetteer: Gazetteer, words: tantivy.Query | None, place: int
) -> tuple[Facet, ...]:
    """The places directly inside a place, those with the most pages first. 0: countries."""
    tied = tantivy.Query.term_query(reader.schema, "within", place) if place else None
    counted = reader.searcher.aggregate(
        reader.both(words, tied), {"places": {"terms": {"field": "within", "size": _FACET_BUCKETS}}}
    )
    facets = []
    for bucket in counted["places"]["buckets"]:
        id, pages = int(bucket["key"]), bucket["doc_count"]
        try:
            row = gazetteer.row(id)
        except KeyError:  # the index was built with another gazetteer
            continue
        if _is_directly_inside(gazetteer, row, place):
            lat, lon = gazetteer.latlon[row].tolist()
            kind = KINDS[gazetteer.levels[row]]
            facets.append(Facet(id, gazetteer.name(row), kind, lat, lon, pages))
            if len(facets) == _MAX_FACETS:
                break
    return tuple(facets)


def _is_directly_inside(gazetteer: Gazetteer, row: int, place: int) -> bool:
    if not place:
        return KINDS[gazetteer.levels[row]] is Kind.COUNTRY
    parent = int(gazetteer.parents[row])
    return parent >= 0 and int(gazetteer.ids[parent]) == place
