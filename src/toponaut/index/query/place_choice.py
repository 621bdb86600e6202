"""Which reading of a query, and which place of a name, is meant: the index decides.

**Reading.** An explicit name ("in", a state after it) is a place. A bare one is a place if the
index has pages about it, if it is large, or if a quarter of the pages with the name mention it (or
no page has the name). A common word is a place only if the index says so: "plumbing reading" means
the town if most pages with these words, or with these words in the title, do; "reading glasses"
does not. Titles count because a directory names all its towns on every page.

**Namesakes.** The place that the index knows most about wins:

    belief = 2 ln(1 + matching) + 0.3 ln(1 + pages) + 0.2 ln(1 + country) + 0.1 ln(1 + people)

*pages* are about the place or have an address there; *matching* are those with the query's words.
A page with an address counts twice: the address lies in one Athens, while a page that only says
"Athens" was read as the largest. If the host of such a page has its address in another Athens, the
page counts there. *country* are pages with an address in the place's country. A place that the
index knows, by an address, a matching page or three others, always beats one that it does not know.
Of places that it does not know, the largest is meant, unless nearly all pages are about another
country: if all are, a place there may be seven times smaller.

    belief = 2 (share of the pages about its country)^2 + ln(1 + people)
"""

import math
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence

import numpy as np
import tantivy
from msgspec import Struct
from msgspec.structs import asdict, replace

from toponaut.errors import InputError
from toponaut.index.georeference import LEAST_ADDRESSED, LEAST_MEANT, STRENGTHS
from toponaut.index.query.answers import PlaceCandidate, QueryLocation
from toponaut.index.query.areas import NamedArea
from toponaut.index.query.parser import QueryParser, QueryReading, Wording
from toponaut.index.query.prepositions import Manner
from toponaut.index.query.reader import IndexReader
from toponaut.places.gazetteer.gazetteer import KINDS, Gazetteer
from toponaut.records import Address, Kind

# A bare name without pages counts if the place has this population: no results in Athens is an
# answer, too.
_LARGE = 100_000
_LARGE_OF_WORDS = 20_000  # the same for a name of several words, which is rarely anything else
# A common word is a place if at least this many matching pages are there, and more than this many
# times the pages that have the words elsewhere.
_ENOUGH, _MORE = 3, 2
_MANY = 4  # one of so many pages with a rare name mentions the place that it means
_MAX_OTHERS = 5

# Set by hand, in this order: finding anything counts most, population decides between equals.
_BY_MATCHING, _BY_PAGES, _BY_COUNTRY, _BY_PEOPLE = 2.0, 0.3, 0.2, 0.1
# Of places that the index does not know. London stays in England in a crawl of American pages,
# Athens does not stay in Greece. If a quarter of the pages are from elsewhere, both stay.
_BY_SHARE = 2.0
_ADDRESS_WEIGHT = 2
_MENTIONED, _ADDRESSED = range(LEAST_MEANT, LEAST_ADDRESSED), range(LEAST_ADDRESSED, STRENGTHS)
_ABOUT = range(LEAST_MEANT, STRENGTHS)
_CANDIDATES = 40  # places of a name that are looked up in the index, the most populous first
_COUNTED = 6  # of those, whose matching pages are counted
_COUNTRY, _COUNTY = KINDS.index(Kind.COUNTRY), KINDS.index(Kind.COUNTY)
_SAMPLE = 100  # pages that mention a place, whose hosts are checked

LatLon = tuple[float, float]


class Interpretation(Struct, frozen=True):
    """The chosen reading of a query."""

    what: str
    where: QueryLocation | None
    others: tuple[PlaceCandidate, ...] = ()
    as_words: bool = False  # the name may also be meant as words


def near_user(here: LatLon | None) -> QueryLocation | None:
    return None if here is None else QueryLocation("", Manner.NEAR, None, *here)


class PlaceChooser:
    """Chooses the reading of a query and its place."""

    def __init__(self, reader: IndexReader, parser: QueryParser, gazetteer: Gazetteer) -> None:
        self._reader, self._parser, self._gazetteer = reader, parser, gazetteer
        self._namesakes = NamesakeRanker(reader, gazetteer)

    def choose(self, text: str, here: LatLon | None, place: int | None = None) -> Interpretation:
        """`here`: the user's location. `place`: chosen by the user; 0 for none at all."""
        readings = self._parser.readings(text)
        if place == 0:
            return Interpretation(readings[-1].what, None)
        doubtful: list[PlaceCandidate] = []
        large: tuple[QueryReading, list[PlaceCandidate]] | None = None
        for reading in readings:
            if reading.here:
                return self._near_user(reading, here)
            if reading.area and place is None:
                return _in_area(reading, reading.area)
            if reading.area:
                continue
            if not reading.rows:
                break
            always = reading.wording is Wording.DOUBTFUL
            candidates = self._namesakes.rank(reading.rows, reading.what, always)
            if place is not None and all(one.id != place for one in candidates):
                continue
            if place is not None or self._is_believed(reading, candidates):
                known = place is not None or any(one.pages for one in candidates)
                if known or reading.wording is Wording.EXPLICIT:
                    return self._interpret(text, reading, candidates, place, doubtful)
                large = large or (reading, candidates)  # unless a later one has pages
                continue
            doubtful += [one for one in candidates[:2] if one.pages]
        if place is not None:
            return self._chosen_by_user(readings[-1].what, place)
        if large:
            return self._interpret(text, *large, None, doubtful)
        others = tuple(doubtful[:_MAX_OTHERS])
        return Interpretation(readings[-1].what, near_user(here), others)

    def _is_believed(self, reading: QueryReading, candidates: Sequence[PlaceCandidate]) -> bool:
        match reading.wording:
            case Wording.EXPLICIT:
                return True
            case Wording.BARE:
                known = any(one.pages for one in candidates) or not reading.what
                large = _LARGE_OF_WORDS if " " in reading.name else _LARGE
                if known or max(one.population for one in candidates) >= large:
                    return True
                return self._may_mean(reading.name, candidates[0])
        return candidates[0].pages > 0 and self._is_mostly_there(reading, candidates[0])

    def _may_mean(self, name: str, place: PlaceCandidate) -> bool:
        """Whether many pages with a name mention that place, or none has the name at all."""
        reader = self._reader
        terms = reader.terms.terms(name)
        if terms.missing or not terms.words:
            return bool(terms.missing)
        named = reader.terms.query(terms, every=True)
        there = reader.count(reader.both(named, reader.tied(place.id, range(1, STRENGTHS))))
        return _MANY * there > reader.count(named)

    def _is_mostly_there(self, reading: QueryReading, best: PlaceCandidate) -> bool:
        """Whether more pages with the words, in text or title, are tied to the place than not."""
        reader = self._reader
        terms = reader.terms.terms(f"{reading.name} {reading.what}")
        if best.matching < _ENOUGH or terms.missing or not terms.words:
            return best.matching >= _ENOUGH
        there = reader.tied(best.id, range(1, STRENGTHS))
        elsewhere = reader.count(reader.without(reader.terms.query(terms, every=True), there))
        if best.matching > _MORE * elsewhere:
            return True
        titled = reader.terms.in_title(terms)
        inside = reader.count(reader.both(titled, there))
        return inside >= _ENOUGH and inside > _MORE * (reader.count(titled) - inside)

    def _near_user(self, reading: QueryReading, here: LatLon | None) -> Interpretation:
        if here is None:
            cause = f'"{reading.where}" needs your location'
            raise InputError(cause, "Give your coordinates: --near 53.14,8.21")
        where = QueryLocation(reading.where, reading.manner, None, *here, reading.radius_km)
        return Interpretation(reading.what, where)

    def _interpret(
        self,
        text: str,
        reading: QueryReading,
        candidates: Sequence[PlaceCandidate],
        place: int | None,
        doubtful: Sequence[PlaceCandidate],
    ) -> Interpretation:
        best = next(one for one in candidates if place is None or one.id == place)
        # The largest is always offered: a user may want Athens, Greece, in a crawl of Georgia.
        largest = max(candidates, key=lambda one: one.population)
        shown = (*candidates[:3], largest)
        others = [one for one in candidates if one.id != best.id and (one.pages or one in shown)]
        others.sort(key=lambda one: not one.pages)  # areas around the best have pages, but are last
        reading, found = self._located(text, reading, best.id)
        near_spot = reading.spot and reading.manner is not Manner.WITHIN
        where = QueryLocation(
            reading.where,
            Manner.NEAR if near_spot else reading.manner,
            best,
            best.lat if found is None or found.lat is None else found.lat,
            best.lon if found is None or found.lon is None else found.lon,
            reading.radius_km,
            reading.spot,
            found is not None,
        )
        as_words = reading.wording is not Wording.EXPLICIT and bool(reading.what)
        others = [*others, *doubtful][:_MAX_OTHERS]
        return Interpretation(reading.what, where, tuple(others), as_words)

    def _located(
        self, text: str, reading: QueryReading, place: int
    ) -> tuple[QueryReading, Address | None]:
        """The spot of a reading in the index; its words before it belong to it if that has them.

        "barber martin luther king blvd atlanta": the form of a query does not say where the
        street's name begins.
        """
        if not reading.spot:
            return reading, None
        found = self._reader.find_spot(reading.spot, place)
        while found and not reading.preposition and " " in reading.what:
            what, _, word = reading.what.rpartition(" ")
            longer = f"{word} {reading.spot}"
            known = self._reader.find_spot(longer, place) if longer in text else None
            if known is None:
                break
            where = f"{word} {reading.where}"
            reading, found = replace(reading, what=what, where=where, spot=longer), known
        return reading, found

    def _chosen_by_user(self, what: str, place: int) -> Interpretation:
        """A place that the query does not name, such as a facet."""
        try:
            row = self._gazetteer.row(place)
        except KeyError:
            fix = "Find a place's id with: toponaut places NAME --json"
            raise InputError(f"there is no place {place}", fix) from None
        best = self._namesakes.candidate(row, self._reader.about(place), 0)
        return Interpretation(what, QueryLocation("", Manner.IN, best, best.lat, best.lon))


def _in_area(reading: QueryReading, area: NamedArea) -> Interpretation:
    circle = (area.lat, area.lon, area.radius_km)
    where = QueryLocation(reading.where, Manner.WITHIN, None, *circle, area=area.name)
    return Interpretation(reading.what, where)


class NamesakeRanker:
    """Ranks the places of one name."""

    def __init__(self, reader: IndexReader, gazetteer: Gazetteer) -> None:
        self._reader, self._gazetteer = reader, gazetteer

    def rank(self, rows: Sequence[int], what: str, always: bool = False) -> list[PlaceCandidate]:
        """The best first. Matching pages are counted if there is a choice, or `always`."""
        reader, ids = self._reader, self._gazetteer.ids
        rows = rows[:_CANDIDATES]
        pages = {row: reader.about(int(ids[row])) for row in rows}
        addressed = {row: reader.about(int(ids[row]), _ADDRESSED) for row in rows if pages[row]}
        counted = sorted(addressed, key=lambda row: -pages[row])[:_COUNTED]
        unsure = len(counted) == 1 < len(rows) and not self._is_known(counted[0], pages, addressed)
        wanted = always or unsure or len(counted) > 1
        matching, weight = self._matching(counted, what) if wanted else ({}, {})
        belief, known = dict[int, float](), set[int]()
        for row, size in zip(rows, self._sizes(rows), strict=True):
            people = math.log1p(size)
            if not (matching.get(row) or self._is_known(row, pages, addressed)):
                belief[row] = _BY_SHARE * self._share_of_country(row) ** 2 + people
                continue
            known.add(row)
            weighted = pages[row] + (_ADDRESS_WEIGHT - 1) * addressed.get(row, 0)
            belief[row] = (
                _BY_MATCHING * math.log1p(weight.get(row, 0.0))
                + _BY_PAGES * math.log1p(weighted)
                + _BY_COUNTRY * math.log1p(self._in_country(row, _ADDRESSED))
                + _BY_PEOPLE * people
            )
        around = self._around_others(rows)
        order = sorted(rows, key=lambda row: (row in around, row not in known, -belief[row]))
        return [self.candidate(row, pages[row], matching.get(row, 0)) for row in order]

    @staticmethod
    def _is_known(row: int, pages: Mapping[int, int], addressed: Mapping[int, int]) -> bool:
        """Whether the index knows a place, whatever the words of the query."""
        return addressed.get(row, 0) > 0 or pages[row] >= _ENOUGH

    def _sizes(self, rows: Sequence[int]) -> Iterator[int]:
        """The people of places, likeliest first. One that comes later, as it has the name only as
        an alias, counts no more than those before it.
        """
        least = sys.maxsize
        for row in rows:
            people = int(self._gazetteer.population[row])
            least = min(least, people or least)
            yield least if people else self._people(row)

    def _people(self, row: int) -> int:
        """Of a place without a population those of a county named after it: Queens County."""
        gazetteer = self._gazetteer
        people, county = int(gazetteer.population[row]), int(gazetteer.lineage[row, _COUNTY])
        if people or county < 0 or not gazetteer.name(county).startswith(gazetteer.name(row)):
            return people
        return int(gazetteer.population[county])

    def _in_country(self, row: int, strengths: Iterable[int]) -> int:
        """Pages with such a tie to a place's country."""
        country = int(self._gazetteer.lineage[row, _COUNTRY])
        return (
            self._reader.about(int(self._gazetteer.ids[country]), strengths) if country >= 0 else 0
        )

    def _share_of_country(self, row: int) -> float:
        """The share of the pages about any place that are about a place's country."""
        return self._in_country(row, _ABOUT) / max(self._reader.located_pages, 1)

    def candidate(self, row: int, pages: int, matching: int) -> PlaceCandidate:
        place = self._gazetteer.place_at(row)
        path_ids = self._path_ids(row, len(place.path))
        return PlaceCandidate(**asdict(place), path_ids=path_ids, pages=pages, matching=matching)

    def _path_ids(self, row: int, steps: int) -> tuple[int, ...]:
        ids = []
        for _ in range(steps):
            ids.append(int(self._gazetteer.ids[row]))
            row = int(self._gazetteer.parents[row])
        return tuple(reversed(ids))

    def _matching(self, rows: Sequence[int], what: str) -> tuple[dict[int, int], dict[int, float]]:
        """For each place its matching pages, and their weight."""
        reader = self._reader
        terms = reader.terms.searched(what)
        known = terms.words and not terms.missing
        text = reader.terms.query(terms, every=True) if known else None
        by_place = {int(self._gazetteer.ids[row]): row for row in rows}
        matching, weight = dict[int, int](), dict.fromkeys(rows, 0.0)
        for place, row in by_place.items():
            with_address = reader.count(reader.both(text, reader.tied(place, _ADDRESSED)))
            shares, mentioning = self._mentioning(text, place, by_place)
            matching[row] = with_address + mentioning
            weight[row] += _ADDRESS_WEIGHT * with_address
            for other, share in shares.items():
                weight[by_place[other]] += share * mentioning
        return matching, weight

    def _mentioning(
        self, text: tantivy.Query | None, place: int, places: dict[int, int]
    ) -> tuple[dict[int, float], int]:
        """The pages that mention a place, as shares of each place by the home of their hosts."""
        reader = self._reader
        found = reader.find(reader.both(text, reader.tied(place, _MENTIONED)), _SAMPLE)
        if not len(found.numbers):
            return {}, 0
        homes = reader.table.homes(found.numbers)
        homes = np.where(np.isin(homes, list(places)), homes, place)
        known, counts = np.unique(homes, return_counts=True)
        return dict(zip(known.tolist(), (counts / len(homes)).tolist(), strict=True)), found.total

    def _around_others(self, rows: Sequence[int]) -> set[int]:
        """The places that contain another of their name, which is then meant: Lisbon, the city."""
        lineage = self._gazetteer.lineage[list(rows)]
        others = lineage[lineage != np.array(rows)[:, None]]
        return set(rows).intersection(others.tolist())
