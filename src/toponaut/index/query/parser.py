"""What and where: the possible readings of a query, from its wording and the gazetteer alone.

    "pizza in lisbon"  ->  what "pizza", preposition "in", where "lisbon"

A query has no sentences and usually no capitals, so nothing marks a place name. Every run of words
that is the name of a place gives a *reading*, with the strength of its wording:

    EXPLICIT  after a preposition ("in", "near", "5 km from"), or followed by its state or country
    BARE      the name alone, and not a common word ("athens public schools")
    DOUBTFUL  also a common word ("reading glasses"), or part of another name ("houston street")

A town may have a *spot* before or after it: a street, a quarter, a landmark (spots.py). Regions
that are no place of the gazetteer are in areas.py.

Which reading, and which place of that name, is meant is decided with the index (place_choice.py).
Bare names follow the rules for URLs (places/names/url_names.py), which have no sentences or
capitals either. The words of `what`, `preposition` and `where` are always all words of the query.
"""

import math
import re
from collections.abc import Iterable
from enum import IntEnum
from urllib.parse import quote

import numpy as np
from msgspec import Struct

from toponaut.index.query import prepositions
from toponaut.index.query.areas import AreaTable, NamedArea
from toponaut.index.query.prepositions import (
    PARTS,
    Manner,
    Preposition,
    TokenisedQuery,
    fold,
    join_words,
    preposition_before,
    to_km,
)  # fmt: skip
from toponaut.index.query.spots import spot_after, spot_before
from toponaut.places.addresses.finder import AddressFinder
from toponaut.places.gazetteer.gazetteer import ALIAS, CODE, EARTH_KM, JOINED, KINDS, WEAK
from toponaut.places.names.finder import NameFinder
from toponaut.places.names.name_table import Matches, longest
from toponaut.places.names.tokens import Ints
from toponaut.places.names.url_names import LONGER, by_size
from toponaut.records import Kind, Page

MAX_LENGTH = 400  # characters of a query
_COUNTY = KINDS.index(Kind.COUNTY)
_AREA_WORDS = 3  # of a state or country: "district of columbia"
_BESIDE = math.cos(25.0 / EARTH_KM)  # from the centre of a city to that of its parts


class Wording(IntEnum):
    """How clearly the wording says that a name is a place."""

    DOUBTFUL = 0
    BARE = 1
    EXPLICIT = 2


class QueryReading(Struct, frozen=True):
    """One way to read a query."""

    what: str
    preposition: str = ""  # "in", "within 5 km of"
    where: str = ""
    name: str = ""  # the place name in `where`, without its state or spot
    rows: tuple[int, ...] = ()  # places with that name, likeliest first, as gazetteer rows
    wording: Wording = Wording.DOUBTFUL
    manner: Manner = Manner.IN
    radius_km: float | None = None
    spot: str = ""  # a street, quarter or landmark there: "100 milam street"
    area: NamedArea | None = None  # instead of a place
    here: bool = False  # near the user
    settled: bool = False  # a state, country or postcode says which place it is


class QueryParser:
    """Finds the readings of queries. It has no state: the same query gives the same readings."""

    def __init__(self, names: NameFinder) -> None:
        self._names, self._gazetteer = names, names.gazetteer
        self._finder = AddressFinder(names.gazetteer, names)
        self._areas = AreaTable()

    def readings(self, text: str) -> list[QueryReading]:
        """All readings, best wording first. The last one has no place."""
        text = " ".join(text[:MAX_LENGTH].split())
        plain = QueryReading(text)
        here = prepositions.HERE.search(text)
        if here:
            return [_near_user(text, here), plain]
        query = self._tokenise(text)
        found = [*self._places(query), *self._addresses(query)]
        found.sort(key=self._rank, reverse=True)
        return [*self._in_areas(query), *found, plain]

    def _rank(self, reading: QueryReading) -> tuple[int, bool, bool, int, float]:
        """By wording, then settled, with a spot, names of several words, and larger places."""
        prior = float(self._gazetteer.prior[reading.rows[0]])
        words = len(reading.name.split())
        return reading.wording, reading.settled, bool(reading.spot), words, prior

    def _in_areas(self, query: TokenisedQuery) -> Iterable[QueryReading]:
        """Regions that are no place of the gazetteer: "wineries hudson valley"."""
        for first in range(len(query.words)):
            found = self._areas.find(query.plain, first)
            if found is None:
                continue
            area, end = found
            before = preposition_before(query, first)
            begin = query.spans[before.begin if before.spot == first else first][0]
            start, stop = query.spans[first][0], query.spans[end - 1][1]
            yield QueryReading(
                what=join_words(query.text[:begin], query.text[stop:]),
                preposition=query.text[begin:start].strip(" ,"),
                where=query.text[start:stop],
                name=area.name,
                wording=Wording.EXPLICIT,
                manner=Manner.WITHIN,
                radius_km=area.radius_km,
                area=area,
            )

    def _tokenise(self, text: str) -> TokenisedQuery:
        tokens = self._gazetteer.names.tokeniser.words(text)
        spans = tuple(zip(tokens.start.tolist(), tokens.end.tolist(), strict=True))
        words = tuple(text[start:end].lower() for start, end in spans)
        return TokenisedQuery(text, tokens, words, tuple(map(fold, words)), spans)

    def _addresses(self, query: TokenisedQuery) -> Iterable[QueryReading]:
        """Addresses in a known place: "pizza 100 milam street houston"."""
        if not any(word[0].isdigit() for word in query.words):
            return
        text = _capitalised(query)
        if len(text) != len(query.text):
            return
        for address in self._finder.find(Page("", text=text)):
            if not address.place or not address.street or address.start < 0:
                continue
            first = query.word_at(address.start)
            before = preposition_before(query, first) if first else Preposition(first, first)
            start = query.spans[before.begin][0]
            yield QueryReading(
                what=join_words(query.text[:start], query.text[address.end :]),
                preposition=query.text[start : address.start].strip(" ,"),
                where=query.text[address.start : address.end],
                name=address.city,
                rows=(self._gazetteer.row(address.place),),
                wording=Wording.EXPLICIT,
                manner=Manner.NEAR if before.radius_km is None else Manner.WITHIN,
                radius_km=before.radius_km,
                spot=f"{address.number} {address.street}".strip(),
                settled=True,
            )

    # --- place names -------------------------------------------------------------------------

    def _places(self, query: TokenisedQuery) -> Iterable[QueryReading]:
        if not query.words:
            return
        names = self._gazetteer.names
        matches = names.scan(query.tokens, caseless=True)
        # "city of austin" is Austin, not a name of its own.
        whole = [query.words[k] not in prepositions.LINKED for k in matches.first.tolist()]
        matches = longest(Matches(*(column[whole] for column in matches)))
        columns = (matches.first.tolist(), matches.last.tolist(), matches.name.tolist())
        for first, last, index in zip(*columns, strict=True):
            if all(word in prepositions.NOT_NAMES for word in query.plain[first : last + 1]):
                continue
            if reading := self._read(query, first, last, index):
                yield reading
            if last > first:  # "denver co" is an alias of Denver County, but also Denver, Colorado
                shorter = names.find_run(query.tokens.hash[first:last])
                reading = self._read(query, first, last - 1, shorter) if shorter >= 0 else None
                if reading and reading.settled:
                    yield reading

    def _read(
        self, query: TokenisedQuery, first: int, last: int, index: int
    ) -> QueryReading | None:
        own, known = self._bearers(index)
        if not len(known):
            return None
        inside, end = self._within(query, known, last)
        ranked = own if len(own) else known
        wording = self._bare(query, first, last, index)
        before = preposition_before(query, first)
        if wording is Wording.DOUBTFUL and query.plain[before.begin] in prepositions.ARTICLES:
            before = Preposition(first, first)  # "a nice restaurant"
        posted = inside[:0]
        if before.spot == first:
            posted = self._with_postcode(query, first, inside if len(inside) else ranked)
        spot, stop = (first - 1, end) if len(posted) else (before.spot, end)
        if spot == first and wording > Wording.DOUBTFUL:
            before, stop = self._beside(query, before, first, end)
            spot = before.spot
        begin = min(before.begin, spot)
        explicit = begin < first or stop > end or len(inside) > 0
        start_at, stop_at = query.spans[spot][0], query.spans[stop][1]
        begin_at, name_at = query.spans[begin][0], query.spans[first][0]
        beside = slice(start_at, name_at) if stop == end else slice(query.spans[end][1], stop_at)
        is_part = PARTS.issuperset(query.plain[spot:first]) and stop == end
        return QueryReading(
            what=join_words(query.text[:begin_at], query.text[stop_at:]),
            preposition=query.text[begin_at:start_at].strip(" ,"),
            where=query.text[start_at:stop_at],
            name=query.text[name_at : query.spans[last][1]],
            rows=tuple((posted if len(posted) else inside if len(inside) else ranked).tolist()),
            wording=Wording.EXPLICIT if explicit else wording,
            manner=before.manner,
            radius_km=before.radius_km,
            spot="" if len(posted) or is_part else query.text[beside].strip(" ,"),
            settled=len(inside) + len(posted) > 0,
        )

    def _beside(
        self, query: TokenisedQuery, before: Preposition, first: int, end: int
    ) -> tuple[Preposition, int]:
        """A street, quarter or part beside a town: its preposition, and the last word."""
        rare = self._names.urls.are_rare(query.tokens.hash)
        spot = spot_before(query.plain, rare, first) if before.begin == first else first
        if spot < first:
            found = preposition_before(query, spot) if spot else Preposition(spot, spot)
            begin = found.begin if found.spot == spot else spot
            return found._replace(begin=begin, spot=spot), end
        return before, spot_after(query.plain, rare, end + 1) - 1

    def _bearers(self, index: int) -> tuple[Ints, Ints]:
        """Places with a name, likeliest first: by the name alone, and also with their state."""
        rows, quality = self._gazetteer.names.postings(index)
        used, known = quality >= ALIAS, (quality >= WEAK) | (quality == JOINED)
        alone, all_known = (
            by_size(self._gazetteer, rows[some], quality[some]) for some in (used, known)
        )
        return alone, all_known

    def _with_postcode(self, query: TokenisedQuery, first: int, rows: Ints) -> Ints:
        """The places that have the postcode before their name: "26122 oldenburg"."""
        code = query.words[first - 1] if first else ""
        if not prepositions.POSTCODE.fullmatch(code):
            return rows[:0]
        gazetteer = self._gazetteer
        found = [gazetteer.postcode(gazetteer.country(row), code) for row in rows.tolist()]
        towns = {area.place for area in found if area}
        return rows[np.isin(gazetteer.ids[rows], list(towns))]

    def _within(self, query: TokenisedQuery, rows: Ints, last: int) -> tuple[Ints, int]:
        """The places inside the areas named after them, and the last word of those."""
        inside, end = rows[:0], last
        while end + 1 < len(query.words):
            around, stop = self._area(query, end + 1, rows if end == last else inside)
            if not len(around) and end == last:
                around, stop = self._in_city(query, end + 1, rows)
            if not len(around):
                break
            inside, end = around, stop
        return inside, end

    def _in_city(self, query: TokenisedQuery, first: int, rows: Ints) -> tuple[Ints, int]:
        """The places in or beside a larger city named after them: "park slope brooklyn"."""
        gazetteer, names = self._gazetteer, self._gazetteer.names
        parts = rows[gazetteer.levels[rows] > _COUNTY]
        for last in range(min(first + _AREA_WORDS, len(query.words)) - 1, first - 1, -1):
            index = names.find_run(query.tokens.hash[first : last + 1])
            if index < 0 or self._names.urls.is_word(index):
                continue
            cities, quality = names.postings(index)
            cities = cities[(gazetteer.levels[cities] > _COUNTY) & (quality >= ALIAS)]
            people = gazetteer.population
            near = gazetteer.xyz[parts] @ gazetteer.xyz[cities].T > _BESIDE
            larger = people[cities] > 2 * people[parts][:, None]
            inside = parts[(near & larger).any(axis=1) & ~np.isin(parts, cities)]
            if len(inside):
                return inside, last
        return rows[:0], first

    def _area(self, query: TokenisedQuery, first: int, rows: Ints) -> tuple[Ints, int]:
        names, gazetteer = self._gazetteer.names, self._gazetteer
        for last in range(min(first + _AREA_WORDS, len(query.words)) - 1, first - 1, -1):
            index = names.find_run(query.tokens.hash[first : last + 1])
            if index < 0:
                continue
            wordy = first == last and query.words[first] in prepositions.WORDY_CODES
            if wordy and not self._is_code(query, first):
                continue
            areas, quality = names.postings(index)
            large = gazetteer.levels[areas] <= _COUNTY
            areas = areas[large & ((quality >= ALIAS) | (quality == CODE))]
            within = (gazetteer.lineage[rows][:, :, None] == areas).any(axis=(1, 2))
            inside = rows[within & ~np.isin(rows, areas)]
            if len(inside):
                return inside, last
        return rows[:0], first

    def _is_code(self, query: TokenisedQuery, word: int) -> bool:
        """Whether a word such as "or" is a state's code here."""
        start, end = query.spans[word]
        if query.text[start:end].isupper() or query.comma_after(word - 1):
            return True
        if word + 1 == len(query.words):
            return True
        return query.words[word + 1] not in prepositions.LINKS and not self._is_url_name(
            query.words[word + 1]
        )

    def _bare(self, query: TokenisedQuery, first: int, last: int, index: int) -> Wording:
        """The wording of a name without a preposition or state."""
        follows = query.words[last + 1] if last + 1 < len(query.words) else ""
        if follows in LONGER:
            return Wording.DOUBTFUL
        if last > first:
            return Wording.BARE
        word = query.words[first]
        singular = word.removesuffix("s")
        if self._names.urls.is_word(index) or (singular != word and self._is_word(singular)):
            return Wording.DOUBTFUL
        # A rare word is a name at the end of a query: "thrift store anchorage".
        at_end = 0 < last == len(query.words) - 1
        return Wording.BARE if at_end or self._is_url_name(word) else Wording.DOUBTFUL

    def _is_url_name(self, word: str) -> bool:
        """Whether a name also counts alone in a URL, without its state."""
        return bool(self._names.urls.names([f"https://x.example/{quote(word)}"])[0])

    def _is_word(self, word: str) -> bool:
        """Whether a name is mainly a common word. "tours" is a town and the plural of "tour"."""
        index = self._gazetteer.names.lookup(word)
        return index >= 0 and self._names.urls.is_word(index)


def _capitalised(query: TokenisedQuery) -> str:
    """A query with the capitals of an address on a page: "100 Milam Street Houston TX"."""
    text = query.text
    for word, (start, end) in zip(query.words, query.spans, strict=True):
        code = len(word) == 2 and word not in prepositions.IN
        text = text[:start] + (word.upper() if code else word[:1].upper() + word[1:]) + text[end:]
    return text


def _near_user(text: str, found: re.Match[str]) -> QueryReading:
    within = prepositions.WITHIN.search(text)
    start, radius = found.start(), None
    if within and within.end() >= start and within.start() < start:
        start, radius = within.start(), to_km(within["number"], within["unit"])
    return QueryReading(
        what=join_words(text[:start], text[found.end() :]),
        preposition=text[start : found.start()].strip(),
        where=found[0],
        wording=Wording.EXPLICIT,
        manner=Manner.NEAR if radius is None else Manner.WITHIN,
        radius_km=radius,
        here=True,
    )
