"""How many places there are in all: a list and a crawl are two samples of them.

Capture and recapture, as between two crawls (measures/completeness.py), for the whole area, and for
each category and town that has enough places in both.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence

import numpy as np
from msgspec import Struct

from toponaut.export.rows import AddressRow
from toponaut.measures.columns import Marks
from toponaut.measures.completeness import ENOUGH, Estimate, chapman
from toponaut.places.gazetteer.gazetteer import great_circle_km
from toponaut.verify.listed_place import ListedPlace

_AREA_KM = 1.0  # from the nearest listed place; a list is of an area, a crawl goes beyond it
_MOST_GROUPS = 12
_CELL = 100  # cells a degree, to find listed places nearby


class PairedPlaces(Struct, frozen=True):
    """The places of both samples, and which are the same."""

    rows: Sequence[AddressRow]  # of the crawl, in the area of the list
    listed: Sequence[ListedPlace]
    same: dict[int, str]  # row number of a listed place -> id of the crawl's row


def estimates(pairs: PairedPlaces) -> tuple[Estimate, ...]:
    """For the whole area, then by category, then by town; the largest groups first."""
    whole = _estimate("places", pairs.rows, pairs.listed, pairs.same)
    groups = [
        *_groups(pairs, lambda row: row.category, lambda place: place.category),
        *_groups(pairs, lambda row: row.city, lambda place: place.city),
    ]
    return (whole, *groups)


def rows_in_area(
    rows: Sequence[AddressRow], listed: Sequence[ListedPlace], matched: set[str]
) -> list[AddressRow]:
    """The crawl's organisations that are near a listed place, or are one."""
    cells: dict[tuple[int, int], list[ListedPlace]] = {}
    for place in listed:
        if place.lat is not None and place.lon is not None:
            cells.setdefault(_cell(place.lat, place.lon), []).append(place)
    named = (row for row in rows if row.organisation)
    return [row for row in named if row.id in matched or _is_near(row, cells)]


def _cell(lat: float, lon: float) -> tuple[int, int]:
    return round(lat * _CELL), round(lon * _CELL)


def _is_near(row: AddressRow, cells: dict[tuple[int, int], list[ListedPlace]]) -> bool:
    if row.lat is None or row.lon is None:
        return False
    y, x = _cell(row.lat, row.lon)
    near = (
        place
        for dy in (-1, 0, 1)
        for dx in (-2, -1, 0, 1, 2)
        for place in cells.get((y + dy, x + dx), ())
    )
    return any(
        great_circle_km(row.lat, row.lon, place.lat or 0.0, place.lon or 0.0) <= _AREA_KM
        for place in near
    )


def _groups(
    pairs: PairedPlaces,
    group_of_row: Callable[[AddressRow], str],
    group_of_place: Callable[[ListedPlace], str],
) -> list[Estimate]:
    rows: dict[str, list[AddressRow]] = defaultdict(list)
    listed: dict[str, list[ListedPlace]] = defaultdict(list)
    for row in pairs.rows:
        rows[group_of_row(row)].append(row)
    for place in pairs.listed:
        listed[group_of_place(place)].append(place)
    names = sorted((rows.keys() & listed.keys()) - {""})
    found = [_estimate(name, rows[name], listed[name], pairs.same) for name in names]
    enough = [one for one in found if one.both_found >= ENOUGH]
    return sorted(enough, key=lambda one: -(one.total or 0.0))[:_MOST_GROUPS]


def _estimate(
    what: str, rows: Sequence[AddressRow], listed: Sequence[ListedPlace], same: Mapping[int, str]
) -> Estimate:
    """A place that both have counts in both, whatever group one of them puts it in."""
    twins = {same[place.row] for place in listed if place.row in same}
    captured = _marks(int(id, 16) for id in {row.id for row in rows} | twins)
    # The number of a row is no id of the crawl: these have 64 bits.
    on_list = _marks(int(same.get(place.row, f"{place.row:x}"), 16) for place in listed)
    return chapman(what, "the crawl", "the list", captured, on_list)


def _marks(numbers: Iterable[int]) -> Marks:
    return np.array(sorted(numbers), np.uint64)


def in_words(estimate: Estimate) -> str:
    """ "restaurant: about 1,240 (1,150 to 1,370), of which the crawl has 71 %"."""
    if estimate.total is None or estimate.low is None or estimate.high is None:
        return f"{estimate.what}: too few to estimate"
    share = estimate.first_found / estimate.total
    sure = "" if estimate.reliable else f"; needs at least {ENOUGH} found by both to be reliable"
    interval = f"{estimate.low:,.0f} to {estimate.high:,.0f}"
    total = f"about {estimate.total:,.0f} ({interval})"
    return f"{estimate.what}: {total}, of which the crawl has {share:.0%}{sure}"
