"""Words and place in one ranking.

    score = t * g        t: words, 0..1        g: place, 0..1

`t` is the page's BM25 score (tantivy) relative to the best candidate. `g` says how well the page
belongs to the place:

    in a place       the worth of its tie (georeference.py): 0.7 to 1 with an address there, by the
                     share of its addresses; 0.1 to 0.6 without, by the share of its mentions;
                     0.2 if it names no place, but most addresses of its site are there
    near a spot      2 ^ (-d / h) for its nearest point at d km; h is the half-distance
    near a place     the better of both; for a spot in a place, a third of the first
    within R km      2 ^ (-d / (R / 2)); pages without a point within R are left out

The product demands both: perfect words elsewhere score nothing, nor does the address of something
else. A page with half the BM25 score and an address there equals one with the full score that
mentions the place half of the time.

Tantivy cannot rank by place. So the best pages by words are drawn from *layers*, the strongest ties
or the nearest cells first, and ranked together: mentions cannot crowd out addresses.
"""

from collections.abc import Sequence

import numpy as np
import tantivy
from msgspec import Struct

from toponaut.gate.flood import CLOSE
from toponaut.index.cells import Box
from toponaut.index.georeference import (
    LEAST_ADDRESSED,
    LEAST_MEANT,
    STRENGTHS,
    WORTH,
    city_km,
)
from toponaut.index.query.answers import QueryLocation
from toponaut.index.query.prepositions import Manner
from toponaut.index.query.reader import FoundPages, IndexReader
from toponaut.index.table import Floats, Numbers, PageTable
from toponaut.places.gazetteer.gazetteer import EARTH_KM

LAYER = 150  # candidates from each layer, or more to show more
COUNTED = 2000  # candidates around a spot that are all examined, for an exact count: 5 ms
HALF_KM = 3.0  # half-distance: a walk or bicycle ride
REACH_KM = 25.0  # least radius of "near"
MAX_REACH_KM = 400.0  # if nothing is nearer
_NO_WORDS = 0.5  # word score for a query without words; more if the title has the place's name
_NOT_AT_SPOT = 0.3  # factor of a tie to the town of a spot
_NAMESAKE = 0.25  # factor of a mention if the page's host is in another place of that name
_AT_HOME = 0.2  # worth of a page without a tie, if its site is at home in the place
_FOLDED = 1000  # candidates that are compared for near copies
_WORTH = np.array(WORTH)


class Ranking(Struct, frozen=True):
    """Candidates, best first. Near copies of a page are only counted."""

    numbers: Numbers
    addresses: list[tantivy.DocAddress]
    scores: Floats
    words: Floats
    places: Floats
    copies: Numbers
    total: int


class TextQuery(Struct, frozen=True):
    """The words of a query. If it has only a place's name, pages need not contain it."""

    words: tantivy.Query | None
    needed: bool = True
    namesakes: tuple[int, ...] = ()  # other places with the name of the one searched
    relaxed: str = ""  # if other pages than those with all words count: which, for people


class _Reach(Struct, frozen=True):
    """How far around a spot to search."""

    place: int  # whose tied pages count too; 0: none
    share: float  # by which their ties count
    km: float
    half_km: float


def rank(
    reader: IndexReader, text: TextQuery, where: QueryLocation | None, box: Box | None, enough: int
) -> Ranking:
    """Rank all candidates of a query, at least `enough` to show."""
    if box is not None:
        layers = [reader.in_box(field, box) for field in ("cell", "area")]
        found = draw(reader, text, layers, enough)
        return _combine(reader, text, found, _in_box(reader.table, found.numbers, box))
    if where is None:
        found = draw(reader, text, [None], enough)
        return _combine(reader, text, found, np.ones(len(found.numbers)))
    if where.manner is Manner.IN and where.place is not None:
        place = where.place.id
        found = draw(reader, text, _ties(reader, place), enough, last_resort=True)
        return _combine(reader, text, found, _worth(reader.table, text, found.numbers, place))
    return _near(reader, text, where, enough)


def _worth(table: PageTable, text: TextQuery, pages: Numbers, place: int) -> Floats:
    """The worth of the pages' ties to a place.

    A page that only mentions "Austin", on a host with an address in another Austin, means that one.
    """
    strengths = table.strengths(pages, place)
    worth, homes = _WORTH[strengths], table.homes(pages)
    worth = np.where((strengths == 0) & (homes == place), _AT_HOME, worth)
    if text.namesakes:
        elsewhere = np.isin(homes, text.namesakes) & (strengths < LEAST_ADDRESSED)
        worth = np.where(elsewhere, worth * _NAMESAKE, worth)
    return worth


def draw(
    reader: IndexReader,
    text: TextQuery,
    layers: Sequence[tantivy.Query | None],
    enough: int,
    last_resort: bool = False,
) -> FoundPages:
    """The best pages by words from each layer, without duplicates.

    With `last_resort`, the last layer is only used if the others have few pages.
    """
    most = max(LAYER, 2 * enough)
    drawn: list[FoundPages] = []
    for layer in layers:
        is_last = last_resort and len(drawn) == len(layers) - 1
        if is_last and sum(len(found.numbers) for found in drawn) >= most:
            break
        drawn.append(reader.find(reader.both(text.words, layer, text.needed), most))
    numbers = np.concatenate([found.numbers for found in drawn])
    addresses = [address for found in drawn for address in found.addresses]
    scores = np.concatenate([found.scores for found in drawn])
    _, first = np.unique(numbers, return_index=True)
    first.sort()
    total = sum(found.total for found in drawn) - (len(numbers) - len(first))
    return FoundPages(numbers[first], scores[first], [addresses[k] for k in first.tolist()], total)


def _ties(reader: IndexReader, place: int) -> list[tantivy.Query | None]:
    """Pages with an address there; about it; that mention it, or of sites at home there."""
    edges = (LEAST_ADDRESSED, STRENGTHS), (LEAST_MEANT, LEAST_ADDRESSED)
    mentioned = reader.about_or_at_home(place, range(1, LEAST_MEANT))
    return [*(reader.tied(place, range(*edge)) for edge in edges), mentioned]


# --- near a spot -----------------------------------------------------------------------------


def _near(reader: IndexReader, text: TextQuery, where: QueryLocation, enough: int) -> Ranking:
    km = where.radius_km or REACH_KM
    half = where.radius_km / 2 if where.radius_km else HALF_KM
    place = where.place if where.manner is Manner.NEAR else None
    if place is not None and not where.spot_found:
        km, half = km + city_km(place.population), max(half, city_km(place.population))
    while True:
        reach = _Reach(
            place.id if place else 0, _NOT_AT_SPOT if where.spot_found else 1.0, km, half
        )
        ranking = _within(reader, text, where, reach, enough)
        if ranking.total or where.manner is Manner.WITHIN or km >= MAX_REACH_KM:
            return ranking
        km, half = km * 4, half * 4


def _within(
    reader: IndexReader, text: TextQuery, where: QueryLocation, reach: _Reach, enough: int
) -> Ranking:
    rings = (("cell", reach.km / 5), ("cell", reach.km), ("area", reach.km))
    layers: list[tantivy.Query | None] = [
        reader.around(field, where.lat, where.lon, km) for field, km in rings
    ]
    if reach.place:
        layers += _ties(reader, reach.place)[:-1]
    drawn = enough
    while True:  # cells extend beyond the circle: some pages drawn are outside, others missing
        found = draw(reader, text, layers, drawn)
        near = _nearness(reader.table, text, found.numbers, where, reach)
        inside = np.flatnonzero(near > 0)
        if drawn >= found.total or (len(inside) >= enough and found.total > COUNTED):
            break
        drawn = found.total if found.total <= COUNTED else 4 * drawn
    share = len(inside) / max(len(found.numbers), 1)
    kept = FoundPages(
        found.numbers[inside],
        found.scores[inside],
        [found.addresses[k] for k in inside.tolist()],
        round(share * found.total),  # exact if all were examined
    )
    return _combine(reader, text, kept, near[inside])


def _nearness(
    table: PageTable, text: TextQuery, pages: Numbers, where: QueryLocation, reach: _Reach
) -> Floats:
    km, _ = table.distances(pages, where.lat, where.lon)
    near = np.where(km <= reach.km, np.exp2(-km / reach.half_km), 0.0)
    if not reach.place:
        return near
    return np.maximum(near, reach.share * _worth(table, text, pages, reach.place))


def _in_box(table: PageTable, pages: Numbers, box: Box) -> Floats:
    """1 for pages with a point in a box, 0.5 with the centre of a wide area, 0 for others."""
    owner, at = table.points_of(pages)
    lat, lon, radius = table.points[at].T
    west, east = lon >= box.west, lon <= box.east
    across = (west & east) if box.west <= box.east else (west | east)
    inside = across & (lat >= box.south) & (lat <= box.north)
    rated = np.zeros(len(pages))
    height = np.radians(box.north - box.south) * EARTH_KM
    np.maximum.at(rated, owner[inside], np.where(radius[inside] < height, 1.0, 0.5))
    return rated


# --- words and place together ----------------------------------------------------------------


def _combine(reader: IndexReader, text: TextQuery, found: FoundPages, places: Floats) -> Ranking:
    kept = np.flatnonzero(places > 0)
    words = found.scores[kept] / max(found.scores[kept].max(initial=0.0), 1e-9)
    if not text.needed:
        words = _NO_WORDS + (1 - _NO_WORDS) * words
    scores = words * places[kept]
    order = np.lexsort((found.numbers[kept], -np.round(scores, 6)))
    shown, copies = fold_copies(reader.table, found.numbers[kept][order])
    chosen = order[shown]
    return Ranking(
        found.numbers[kept][chosen],
        [found.addresses[k] for k in kept[chosen].tolist()],
        scores[chosen],
        words[chosen],
        places[kept][chosen],
        copies,
        found.total - (len(places) - len(kept)),
    )


def with_others(reader: IndexReader, best: Ranking, others: Ranking, share: float) -> Ranking:
    """A ranking with the pages of a wider query, whose words count by a share."""
    new = np.flatnonzero(~np.isin(others.numbers, best.numbers))

    def joined(name: str, factor: float = 1.0) -> Floats:
        return np.concatenate([getattr(best, name), factor * getattr(others, name)[new]])

    numbers = np.concatenate([best.numbers, others.numbers[new]])
    addresses = [*best.addresses, *(others.addresses[k] for k in new.tolist())]
    scores, words, places = joined("scores", share), joined("words", share), joined("places")
    order = np.argsort(-scores, kind="stable")
    shown, copies = fold_copies(reader.table, numbers[order])
    kept = order[shown]
    before = np.concatenate([best.copies, others.copies[new]])[kept]
    return Ranking(
        numbers[kept],
        [addresses[k] for k in kept.tolist()],
        scores[kept],
        words[kept],
        places[kept],
        np.maximum(before, copies),
        max(best.total, others.total),
    )


def fold_copies(table: PageTable, pages: Numbers) -> tuple[Numbers, Numbers]:
    """Which pages are shown, and how many near copies of each are not.

    Near copies have similar text and the same addresses.
    """
    simhash, entities = table.simhash[pages[:_FOLDED]], table.entities[pages[:_FOLDED]]
    alike = np.bitwise_count(simhash[:, None] ^ simhash) <= CLOSE
    alike &= entities[:, None] == entities
    alike &= (simhash != 0)[:, None]  # pages without words are not copies
    np.fill_diagonal(alike, False)
    left, copies = np.ones(len(pages), np.bool_), np.zeros(len(pages), np.int64)
    for k in np.flatnonzero(alike.any(axis=1)).tolist():
        if left[k]:
            same = alike[k] & left[: len(simhash)]
            left[: len(simhash)] &= ~same
            copies[k] = same.sum()
    return np.flatnonzero(left), copies[left]
