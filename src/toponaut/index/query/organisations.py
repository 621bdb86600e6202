"""The places view: a question in, organisations out, each once however many pages name it.

The best pages of the question name addresses. Those at the place that was asked for are candidates;
one whose name or category has the words counts more than another one of its page, and one of
another category than the words name counts less. For each street line of a candidate all pages of
the index are read, and folded into one row for each organisation by the rule of exports
(export/one_row.py). So a card shows all pages of an organisation, also those without the searched
words.
"""

import numpy as np
from msgspec.structs import asdict

from toponaut.export.address_fold import AddressFold, AddressSighting
from toponaut.export.addresses import sighting, sighting_key
from toponaut.export.one_row import one_row_each
from toponaut.export.rows import AddressRow
from toponaut.export.selection import Selection
from toponaut.index.georeference import GeoReferencer
from toponaut.index.layout import StoredPage
from toponaut.index.query.answers import PlaceCandidate, QueryLocation
from toponaut.index.query.hits import compose_address, one_line
from toponaut.index.query.prepositions import Manner
from toponaut.index.query.ranking import REACH_KM
from toponaut.index.query.search import Question, RankedPages, Search
from toponaut.index.table import distances_km
from toponaut.places.addresses.normal import plain
from toponaut.places.gazetteer import Gazetteer
from toponaut.records import Record
from toponaut.seeds.known import KnownSeeds

_PAGES = 300  # of a question, that are read for organisations
_PAGES_OF_LINE = 100  # of the index, that are read for a street line
_LEAST_SURE = 0.3  # confidence of an address
_OTHERS = 0.4  # weight without the words, if another one of its page has them; or of another kind


class OrganisationHit(AddressRow, frozen=True, kw_only=True):
    """An organisation that answers a question. `last_seen` is when a page last confirmed it."""

    address: str  # on one line
    score: float  # that of its best page, less if only others on that page have the words
    distance_km: float | None = None


class OrganisationAnswer(Record, frozen=True):
    """The organisations of a question, with how it was understood."""

    query: str
    what: str
    where: QueryLocation | None
    total: int  # addresses with an organisation or without, among the best pages
    organisations: tuple[OrganisationHit, ...]
    others: tuple[PlaceCandidate, ...] = ()
    as_words: bool = False
    did_you_mean: tuple[str, ...] = ()  # queries with corrected spelling
    note: str = ""  # if the search was relaxed, how
    pages: int = 0  # in the index


class _LineOnPages:
    """The addresses of one street line on the pages of a question."""

    def __init__(self, seen: AddressSighting) -> None:
        self.street, self.place = f"{seen.number} {seen.street}".strip(), seen.place
        self.names: dict[str, float] = {}  # weights of those that are wanted
        self.seen: list[AddressSighting] = []

    def add(self, seen: AddressSighting, weight: float) -> None:
        self.seen.append(seen)
        name = plain(seen.organisation)
        if weight:
            self.names[name] = max(weight, self.names.get(name, 0.0))

    @property
    def weight(self) -> float:
        return max(self.names.values(), default=0.0)


class OrganisationSearch:
    """Answers questions with organisations."""

    def __init__(
        self, search: Search, gazetteer: Gazetteer, selection: Selection, known: KnownSeeds
    ) -> None:
        self._search, self._selection, self._known = search, selection, known
        self._georeferencer = GeoReferencer(gazetteer)

    def ask(self, question: Question) -> OrganisationAnswer:
        found = self._search.ranked(question, _PAGES)
        where = found.meaning.where
        lines = self._lines(found, question)
        ordered = sorted(lines.items(), key=lambda pair: -pair[1].weight)
        rows: list[tuple[AddressRow, float]] = []
        enough = question.offset + question.limit
        for key, line in ordered:
            if len(rows) >= enough or not line.weight:
                break
            rows += self._organisations(key, line)
        rows.sort(key=lambda pair: -pair[1])
        shown = rows[question.offset : enough]
        return OrganisationAnswer(
            query=question.text,
            what=found.meaning.what,
            where=where,
            total=sum(line.weight > 0 for line in lines.values()),
            organisations=tuple(
                _hit(self._known.completed(row), score, where) for row, score in shown
            ),
            others=found.meaning.others,
            as_words=found.meaning.as_words,
            note=found.note,
            pages=self._search.pages,
        )

    def _lines(self, found: RankedPages, question: Question) -> dict[bytes, _LineOnPages]:
        lines: dict[bytes, _LineOnPages] = {}
        for page, score in zip(found.pages, found.scores, strict=True):
            seen = self._sightings(page)
            having = [self._has_words(one, found) for one in seen]
            for one, has_words in zip(seen, having, strict=True):
                less = (any(having) and not has_words) + self._is_other_kind(one, found)
                weight = score * (1.0, _OTHERS, 0.0)[less]
                wanted = self._is_wanted(one, found.meaning.where, question)
                line = lines.setdefault(_line(one), _LineOnPages(one))
                line.add(one, weight if wanted else 0.0)
        return lines

    def _sightings(self, page: StoredPage) -> list[AddressSighting]:
        points = self._selection.points(page)
        return [
            self._known.with_owner(sighting(page, address, points.get(number)))
            for number, address in enumerate(page.addresses)
            if address.normal and address.confidence >= _LEAST_SURE
        ]

    def _has_words(self, seen: AddressSighting, found: RankedPages) -> bool:
        own = set(self._search.reader.terms.analyse(f"{seen.organisation} {seen.category}"))
        return bool(found.terms.words) and all(
            one.is_in(own, seen.category) for one in found.terms.words
        )

    def _is_other_kind(self, seen: AddressSighting, found: RankedPages) -> bool:
        """Whether a searched word names a category, and this is of another one."""
        own = set(self._search.reader.terms.analyse(seen.organisation))
        named = (one for one in found.terms.words if one.categories)
        return bool(seen.category) and any(not one.is_in(own, seen.category) for one in named)

    def _is_wanted(
        self, seen: AddressSighting, where: QueryLocation | None, question: Question
    ) -> bool:
        if question.box is not None:
            spot = seen.lat is not None and seen.lon is not None
            return spot and question.box.holds(seen.lat or 0.0, seen.lon or 0.0)
        if where is None:
            return True
        inside = where.place and where.place.id in self._georeferencer.around(seen.place)
        if where.manner is Manner.IN and where.place:
            return bool(inside)
        km = _distance_km(seen.lat, seen.lon, where)
        near = km is not None and km <= (where.radius_km or REACH_KM)
        return near or bool(inside and where.manner is Manner.NEAR)

    def _organisations(self, key: bytes, line: _LineOnPages) -> list[tuple[AddressRow, float]]:
        """The organisations of a street line that the best pages name, with their scores."""
        known, seen = {one.url for one in line.seen}, list(line.seen)
        if line.street and line.place:
            reader = self._search.reader
            for page in reader.pages_in_street(line.street, line.place, _PAGES_OF_LINE):
                if page.url not in known:
                    seen += [one for one in self._sightings(page) if _line(one) == key]
        folds: dict[bytes, AddressFold] = {}
        for one in seen:
            folds.setdefault(sighting_key(one), AddressFold()).add(one)
        rows = [fold.row(self._selection) for fold in one_row_each(folds.values())]
        if len(rows) == 1:  # other spellings, or none, on the pages that were found
            return [(rows[0], line.weight)]
        scored = ((row, line.names.get(plain(row.organisation), 0.0)) for row in rows)
        return [(row, score) for row, score in scored if score]


def _line(seen: AddressSighting) -> bytes:
    return sighting_key(seen).partition(b"\0")[0]


def _hit(row: AddressRow, score: float, where: QueryLocation | None) -> OrganisationHit:
    return OrganisationHit(
        **asdict(row),
        address=one_line(compose_address(row)),
        score=round(score, 4),
        distance_km=_distance_km(row.lat, row.lon, where),
    )


def _distance_km(lat: float | None, lon: float | None, where: QueryLocation | None) -> float | None:
    if lat is None or lon is None or where is None:
        return None
    spot = np.array([(lat, lon, 0.0)], np.float32)
    return round(float(distances_km(spot, where.lat, where.lon)[0]), 3)
