"""Words and place in one ranking.

    score = t * g        t: words, 0..1        g: place, 0..1

`t` is the page's BM25 (tantivy) over that of the best candidate. `g` says how well the page belongs to the place:

    in a place       the worth of its tie (ties.py): 0.7 to 1 with an address there, by the share of its addresses; 0.1 to 0.6
                     without, by the share of its mentions
    near a spot      2 ^ (-d / h) for its nearest point at d km; h is where nearness has fallen to a half
    near a place     the better of both
    within R km      2 ^ (-d / (R / 2)); pages without a point within R are left out

The product wants both: the best words elsewhere are worth nothing, and so is an address of something else. A page with half
the BM25 and an address there is level with one that has all of it and only speaks of the place half of the time.

tantivy cannot rank by place. So candidates are drawn in *layers*, the strongest ties or the nearest cells first, the best by
their words from each, and then ranked together: pages that mention a place cannot crowd out those with an address there.
"""

from collections.abc import Sequence

import numpy as np
import tantivy
from msgspec import Struct, structs

from toponaut.gate.flood import CLOSE
from toponaut.index.cells import Box
from toponaut.index.query.answers import Where
from toponaut.index.query.joints import Manner
from toponaut.index.query.opened import Found, Opened
from toponaut.index.table import Floats, Numbers, Table
from toponaut.index.ties import LEAST_ADDRESSED, LEAST_MEANT, STRENGTHS, WORTH, city_km
from toponaut.places.gazetteer.gazetteer import EARTH_KM

LAYER = 150  # candidates drawn from each layer; more are drawn where more are to be shown
COUNTED = 2000  # candidates in reach of a spot that are all looked at, so that their number is exact: 5 ms
HALF_KM = 3.0  # of nearness to a spot: what one walks or cycles
REACH_KM = 25.0  # that "near" goes at least
WIDEST_KM = 400.0  # and at most, where nothing is nearer
_UNNAMED = 0.5  # what a page has for its words where no words were asked for: more if the place's name stands in its title
_OF_NAMESAKE = 0.25  # what is left of a mention where the host sits in another place of that name
_FOLDED = 1000  # candidates among which near copies are looked for
_WORTH = np.array(WORTH)


class Ranked(Struct, frozen=True):
    """Candidates, best first; near copies follow the page they are copies of only as a count."""

    numbers: Numbers
    addresses: list[tantivy.DocAddress]
    scores: Floats
    words: Floats
    places: Floats
    copies: Numbers
    total: int
    reach_km: float | None = None


class Sought(Struct, frozen=True):
    """The words of a query. Where there are none but the place's, pages need not have them."""

    words: tantivy.Query | None
    needed: bool = True
    namesakes: tuple[int, ...] = ()  # other places that bear the name of the one asked for
    some: bool = False  # some of the words are enough


def rank(
    opened: Opened, sought: Sought, where: Where | None, box: Box | None, enough: int
) -> Ranked:
    """All candidates for a query, of which so many are to be shown."""
    if box is not None:
        found = draw(
            opened, sought, [opened.in_box(field, box) for field in ("cell", "area")], enough
        )
        return _ranked(opened, sought, found, _in_box(opened.table, found.numbers, box))
    if where is None:
        found = draw(opened, sought, [None], enough)
        return _ranked(opened, sought, found, np.ones(len(found.numbers)))
    if where.manner is Manner.IN and where.place is not None:
        found = draw(opened, sought, _ties(opened, where.place.id), enough, last_resort=True)
        return _ranked(
            opened, sought, found, _worth(opened.table, sought, found.numbers, where.place.id)
        )
    return _near(opened, sought, where, enough)


def _worth(table: Table, sought: Sought, pages: Numbers, place: int) -> Floats:
    """What the ties of pages to a place are worth. A page that only speaks of "Austin", on a host whose address is in another
    Austin, speaks of that one."""
    strengths = table.strengths(pages, place)
    worth = _WORTH[strengths]
    if sought.namesakes:
        elsewhere = np.isin(table.homes(pages), sought.namesakes) & (strengths < LEAST_ADDRESSED)
        worth = np.where(elsewhere, worth * _OF_NAMESAKE, worth)
    return worth


def draw(
    opened: Opened,
    sought: Sought,
    layers: Sequence[tantivy.Query | None],
    enough: int,
    last_resort: bool = False,
) -> Found:
    """The best by their words from each layer, each page once. With a `last_resort`, the last layer is drawn only where the
    others have little."""
    most = max(LAYER, 2 * enough)
    drawn: list[Found] = []
    for layer in layers:
        drawn.append(opened.find(opened.both(sought.words, layer, sought.needed), most))
        if (
            last_resort
            and len(drawn) == len(layers) - 1
            and sum(len(found.numbers) for found in drawn) >= most
        ):
            break
    numbers = np.concatenate([found.numbers for found in drawn])
    addresses = [address for found in drawn for address in found.addresses]
    scores = np.concatenate([found.scores for found in drawn])
    _, first = np.unique(numbers, return_index=True)
    first.sort()
    total = sum(found.total for found in drawn) - (len(numbers) - len(first))
    return Found(numbers[first], scores[first], [addresses[k] for k in first.tolist()], total)


def _ties(opened: Opened, place: int) -> list[tantivy.Query | None]:
    """Pages with an address there; about it; that mention it."""
    edges = (LEAST_ADDRESSED, STRENGTHS), (LEAST_MEANT, LEAST_ADDRESSED), (1, LEAST_MEANT)
    return [opened.tied(place, range(*edge)) for edge in edges]


# --- near a spot ---------------------------------------------------------------------------------------------------


def _near(opened: Opened, sought: Sought, where: Where, enough: int) -> Ranked:
    reach = where.radius_km or REACH_KM
    place = where.place if where.manner is Manner.NEAR and not where.street_found else None
    half = where.radius_km / 2 if where.radius_km else HALF_KM
    if place is not None:
        reach, half = reach + city_km(place.population), max(half, city_km(place.population))
    while True:
        ranked = _within(opened, sought, where, (place.id if place else 0, reach, half), enough)
        if ranked.total or where.manner is Manner.WITHIN or reach >= WIDEST_KM:
            return ranked
        reach, half = reach * 4, half * 4


def _within(
    opened: Opened, sought: Sought, where: Where, asked: tuple[int, float, float], enough: int
) -> Ranked:
    place, reach, _ = asked
    rings = (("cell", reach / 5), ("cell", reach), ("area", reach))
    layers: list[tantivy.Query | None] = [
        opened.around(field, where.lat, where.lon, km) for field, km in rings
    ]
    if place:
        layers += _ties(opened, place)[:2]
    drawn = enough
    while (
        True
    ):  # rings of cells reach beyond the circle: what is drawn may lie outside, and more be inside
        found = draw(opened, sought, layers, drawn)
        near = _nearness(opened.table, sought, found.numbers, where, asked)
        inside = np.flatnonzero(near > 0)
        if drawn >= found.total or (len(inside) >= enough and found.total > COUNTED):
            break
        drawn = found.total if found.total <= COUNTED else 4 * drawn
    share = len(inside) / max(len(found.numbers), 1)
    kept = Found(
        found.numbers[inside],
        found.scores[inside],
        [found.addresses[k] for k in inside.tolist()],
        round(share * found.total),  # the number itself, where all of them were looked at
    )
    ranked = _ranked(opened, sought, kept, near[inside])
    return structs.replace(ranked, reach_km=reach)


def _nearness(
    table: Table, sought: Sought, pages: Numbers, where: Where, asked: tuple[int, float, float]
) -> Floats:
    place, reach, half = asked
    km, _ = table.distances(pages, where.lat, where.lon)
    near = np.where(km <= reach, np.exp2(-km / half), 0.0)
    return np.maximum(near, _worth(table, sought, pages, place)) if place else near


def _in_box(table: Table, pages: Numbers, box: Box) -> Floats:
    """1 for pages with a point in a box, half of that with an area whose middle lies there, 0 for others."""
    owner, at = table.points_of(pages)
    lat, lon, radius = table.points[at].T
    across = (
        (lon >= box.west) & (lon <= box.east)
        if box.west <= box.east
        else (lon >= box.west) | (lon <= box.east)
    )
    inside = across & (lat >= box.south) & (lat <= box.north)
    rated = np.zeros(len(pages))
    height = np.radians(box.north - box.south) * EARTH_KM
    np.maximum.at(rated, owner[inside], np.where(radius[inside] < height, 1.0, 0.5))
    return rated


# --- together ------------------------------------------------------------------------------------------------------


def _ranked(opened: Opened, sought: Sought, found: Found, places: Floats) -> Ranked:
    kept = np.flatnonzero(places > 0)
    words = found.scores[kept] / max(found.scores[kept].max(initial=0.0), 1e-9)
    if not sought.needed:
        words = _UNNAMED + (1 - _UNNAMED) * words
    scores = words * places[kept]
    order = np.lexsort((found.numbers[kept], -np.round(scores, 6)))
    shown, copies = fold(opened.table, found.numbers[kept][order])
    chosen = order[shown]
    return Ranked(
        found.numbers[kept][chosen],
        [found.addresses[k] for k in kept[chosen].tolist()],
        scores[chosen],
        words[chosen],
        places[kept][chosen],
        copies,
        found.total - (len(places) - len(kept)),
    )


def fold(table: Table, pages: Numbers) -> tuple[Numbers, Numbers]:
    """Which of some pages are shown, and how many near copies of each are not: alike in their text and with the same addresses."""
    simhash, entities = table.simhash[pages[:_FOLDED]], table.entities[pages[:_FOLDED]]
    alike = (np.bitwise_count(simhash[:, None] ^ simhash) <= CLOSE) & (
        entities[:, None] == entities
    )
    alike &= (simhash != 0)[:, None]  # those without words are not alike
    np.fill_diagonal(alike, False)
    left, copies = np.ones(len(pages), np.bool_), np.zeros(len(pages), np.int64)
    for k in np.flatnonzero(alike.any(axis=1)).tolist():
        if left[k]:
            same = alike[k] & left[: len(simhash)]
            left[: len(simhash)] &= ~same
            copies[k] = same.sum()
    return np.flatnonzero(left), copies[left]
