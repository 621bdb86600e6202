"""A ranked page as a hit: its address, its place, an extract of its text, and why it was found."""

import unicodedata
from collections import defaultdict
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING

import numpy as np
import tantivy

from toponaut.index.categories import page_categories
from toponaut.index.georeference import ADDRESSED, LEAST_ADDRESSED, AddressPoint, GeoReferencer
from toponaut.index.layout import StoredPage
from toponaut.index.query.answers import Extract, Hit, QueryLocation
from toponaut.index.query.prepositions import Manner
from toponaut.index.query.ranking import MAX_REACH_KM, Ranking
from toponaut.index.query.reader import IndexReader
from toponaut.index.query.terms import SearchTerms
from toponaut.index.table import distances_km
from toponaut.places.gazetteer import Gazetteer
from toponaut.records import Address
from toponaut.timing import is_simulated

if TYPE_CHECKING:
    from toponaut.export.rows import AddressRow

_MAX_POINTS = 50  # of a page, on a map
_MAX_TITLE = 200
_NUMBER_FIRST = frozenset({"US", "CA", "GB", "IE", "FR", "AU", "NZ"})
_LENGTH = 240  # characters
# Characters before the first searched word, and at least in all if it is near the end: a phone
# shows about 150, and the word should be visible.
_BEFORE, _LEAST = 60, 120


def one_line(text: str) -> str:
    """Page text on one line, without control characters (terminal codes, text direction)."""
    plain = " ".join(text.split())
    if plain.isprintable():  # nearly always, and 30 times as fast
        return plain
    kept = (char if unicodedata.category(char)[0] != "C" else " " for char in plain)
    return " ".join("".join(kept).split())


def _clean(fragment: str, marks: list[tuple[int, int]]) -> Extract:
    """Convert tantivy's byte offsets, and reduce white space to single spaces."""
    raw = fragment.encode()
    text, kept, at = "", [], 0
    for start, end in [*marks, (len(raw), len(raw))]:
        if start < at:  # overlapping marks
            continue
        text += _spaced(raw[at:start].decode(errors="replace"), text)
        begin = len(text)
        text += one_line(raw[start:end].decode(errors="replace"))
        if len(text) > begin:
            kept.append((begin, len(text)))
        at = end
    return Extract(text.rstrip(), tuple(kept))


def window(extract: Extract) -> Extract:
    """The part with the most marks, starting shortly before the first of them."""
    text, marks = extract.text, extract.marks
    if len(text) <= _LENGTH or not marks:
        return extract

    def seen(first: int) -> int:
        return sum(first <= start and end <= first + _LENGTH - _BEFORE for start, end in marks)

    first = max((start for start, _ in marks), key=seen)  # the earliest of equals
    begin = max(min(first - _BEFORE, len(text) - _LEAST), 0)
    begin = text.rfind(" ", 0, begin + 1) + 1  # whole words
    end = begin + _LENGTH if len(text) - begin > _LENGTH else len(text)
    if end < len(text):
        last_mark = max(stop for start, stop in marks if start <= first)
        end = max(text.rfind(" ", begin, end + 1), last_mark)
    opening = "… " if begin else ""
    shift = len(opening) - begin
    kept = tuple(
        (start + shift, stop + shift) for start, stop in marks if begin <= start and stop <= end
    )
    return Extract(opening + text[begin:end] + (" …" if end < len(text) else ""), kept)


def _spaced(between: str, before: str) -> str:
    """The text between two marks, with single spaces at its ends where it had any."""
    inner = one_line(between)
    left = " " if before and between[:1].isspace() else ""
    right = " " if inner and between[-1:].isspace() else ""
    return f"{left}{inner}{right}" if inner else left


class HitBuilder:
    """Builds the hits of one query. `marked`: the words that extracts show. `every`: pages have all
    words.
    """

    def __init__(
        self,
        gazetteer: Gazetteer,
        georeferencer: GeoReferencer,
        reader: IndexReader,
        terms: SearchTerms,
        marked: tantivy.Query | None,
        every: bool,
    ) -> None:
        self._gazetteer, self._georeferencer, self._reader = gazetteer, georeferencer, reader
        self._terms, self._every, self._snippets = terms, every, None
        if marked is not None:
            self._snippets = tantivy.SnippetGenerator.create(
                reader.searcher, marked, reader.schema, "text"
            )
            self._snippets.set_max_num_chars(2 * _LENGTH)

    def build(self, ranking: Ranking, k: int, where: QueryLocation | None) -> Hit:
        page, document = self._reader.document(ranking.addresses[k])
        number = int(ranking.numbers[k])
        at = self._reader.table.points_of(ranking.numbers[k : k + 1]).at.tolist()
        points = [self._reader.table.point(one) for one in at]
        address, point = self._choose_address(page, points, where)
        place = self._choose_place(page, address, where)
        scores = (float(ranking.scores[k]), float(ranking.words[k]), float(ranking.places[k]))
        return Hit(
            url=page.url,
            title=one_line(page.title)[:_MAX_TITLE] or page.url,
            extract=self._extract(document, page.description),
            captured=iso(page.time),
            language=page.language,
            place=place,
            path=self._gazetteer.place(place).path if place else (),
            address=one_line(format_address(address)) if address else "",
            organisation=one_line(address.organisation) if address else "",
            phone=one_line(address.phone) if address else "",
            point=point,
            points=tuple(points[:_MAX_POINTS]),
            distance_km=_distance_km(point, where),
            score=round(scores[0], 4),
            words_score=round(scores[1], 4),
            place_score=round(scores[2], 4),
            why=self._why(page, number, point, where, scores),
            copies=int(ranking.copies[k]),
            number=number,
        )

    def _extract(self, document: tantivy.Document, description: str) -> Extract:
        """Text with the words in it; else the page's description, else its beginning."""
        if self._snippets is not None:
            snippet = self._snippets.snippet_from_doc(document)
            marks = [(mark.start, mark.end) for mark in snippet.highlighted()]
            if marks:
                return window(_clean(snippet.fragment(), marks))
        text = description or str(document.get_first("text") or "")[: 2 * _LENGTH]
        return Extract(one_line(text)[:_LENGTH])

    def _choose_address(
        self, page: StoredPage, points: list[AddressPoint], where: QueryLocation | None
    ) -> tuple[Address | None, AddressPoint | None]:
        """The address that answers the query.

        It has the most searched words in its organisation's name; of those, it is the nearest, or
        the most precise in the place. So a city's directory shows the pizzeria that was searched.
        """
        by_address = {point.address: point for point in points}
        numbers: Sequence[int] = range(len(page.addresses))
        if where is not None and where.place is not None and where.manner is Manner.IN:
            inside, around = where.place.id, self._georeferencer.around
            # Without an address there, the page is listed under the place it mentions.
            numbers = [k for k in numbers if inside in around(page.addresses[k].place)]
            nearness = {k: _radius(by_address.get(k)) for k in numbers}
        elif where is not None and by_address:
            nearness = {k: _distance_km(point, where) or 0.0 for k, point in by_address.items()}
            radius = where.radius_km or float("inf")
            numbers = [k for k in nearness if nearness[k] <= radius] or [*nearness]
        else:
            nearness = dict.fromkeys(numbers, 0.0)

        def order(k: int) -> tuple[int, float, int]:
            return -self._matches(page.addresses[k]), nearness[k], k

        best = min(numbers, key=order, default=None)
        return (None, None) if best is None else (page.addresses[best], by_address.get(best))

    def _matches(self, address: Address) -> int:
        """How many of the searched words an organisation has in its name, or by its category."""
        if not address.organisation or not self._terms.words:
            return 0
        words = set(self._reader.terms.analyse(address.organisation))
        return sum(one.is_in(words, address.category) for one in self._terms.words)

    def _choose_place(
        self, page: StoredPage, address: Address | None, where: QueryLocation | None
    ) -> int:
        """The place of the address, or the one it mentions most inside the query's place."""
        wanted = where.place.id if where and where.place and where.manner is Manner.IN else 0
        named = [address.place] if address else []
        for place in (*named, *(place for place, _ in page.scope)):
            around = self._georeferencer.around(place)
            if around and (not wanted or wanted in around):
                return place
        return 0

    # --- why ---------------------------------------------------------------------------------

    def _why(
        self,
        page: StoredPage,
        number: int,
        point: AddressPoint | None,
        where: QueryLocation | None,
        scores: tuple[float, float, float],
    ) -> str:
        reasons = (self._why_place(number, point, where), self._why_words(page, number))
        total, words, place = scores
        score = f"({total:.2f} = words {words:.2f} x place {place:.2f})"
        return f"{'; '.join(reason for reason in reasons if reason)} {score}"

    def _why_place(
        self, number: int, point: AddressPoint | None, where: QueryLocation | None
    ) -> str:
        if where is None:
            return ""
        if where.place is not None and where.manner is Manner.IN:
            name = where.place.name
            strength = int(self._reader.table.strengths(np.array([number]), where.place.id)[0])
            if not strength:
                return f"its site is in {name}"
            if strength < LEAST_ADDRESSED:
                return f"mentions {name}"
            if strength == ADDRESSED[-1][0]:
                return f"has an address in {name}"
            return f"has addresses in several places, including {name}"
        km = _distance_km(point, where)
        if point is None or km is None or (where.place is not None and km > MAX_REACH_KM):
            return f"is about {where.place.name}" if where.place else ""
        if point.is_area:
            return f"has an address about {format_km(km)} away (its {point.precision}'s centre)"
        return f"has an address {format_km(km)} away"

    def _why_words(self, page: StoredPage, number: int) -> str:
        analyse = self._reader.terms.analyse
        title = set(analyse(page.title))
        names = set(analyse(" ".join(address.organisation for address in page.addresses)))
        categories = {*page_categories(page)}
        words: dict[str, list[str]] = defaultdict(list)
        for one in self._terms.words:
            if one.is_in(title):
                where = "in the title"
            elif one.is_in(names):
                where = "in the name"
            elif not categories.isdisjoint(one.categories):
                where = "by category"
            elif self._every or self._reader.has(number, one):
                where = "in the text"
            else:
                continue  # a page with some of the words
            words[where].append(f'"{one.word}"')
        return "; ".join(f"{' '.join(few)} {where}" for where, few in words.items())


def iso(time: float) -> str:
    """A Unix time as "2026-11-16T04:46:38Z"; "" for a simulated time, which is not a date."""
    if is_simulated(time):
        return ""
    return datetime.fromtimestamp(time, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def format_km(km: float) -> str:
    return f"{km * 1000:.0f} m" if km < 1 else f"{km:.1f} km" if km < 10 else f"{km:,.0f} km"


def format_address(address: Address) -> str:
    """An address on one line: as on the page, or composed from its parts."""
    if address.text:
        return ", ".join(line.strip(" ,") for line in address.text.splitlines() if line.strip(" ,"))
    return compose_address(address)


def compose_address(address: "Address | AddressRow") -> str:
    """An address on one line, from its parts."""
    parts = (address.number, address.street)
    street = " ".join(parts if address.country in _NUMBER_FIRST else reversed(parts)).strip()
    town = f"{address.postcode} {address.city}".strip() if address.country != "US" else address.city
    state = f"{address.state} {address.postcode}".strip() if address.country == "US" else ""
    return ", ".join(part for part in (street, address.unit, town, state, address.country) if part)


def _radius(point: AddressPoint | None) -> float:
    return float("inf") if point is None else point.radius_km


def _distance_km(point: AddressPoint | None, where: QueryLocation | None) -> float | None:
    if point is None or where is None:
        return None
    spot = np.array([(point.lat, point.lon, point.radius_km)], np.float32)
    return round(float(distances_km(spot, where.lat, where.lon)[0]), 3)
