"""A ranked page as a hit: what is shown of it, and why it was found."""

from collections.abc import Sequence
from datetime import UTC, datetime

import numpy as np

from toponaut.index.query.answers import Hit, Where
from toponaut.index.query.extracts import Extracts, shown
from toponaut.index.query.joints import Manner
from toponaut.index.query.opened import Opened
from toponaut.index.query.ranking import WIDEST_KM, Ranked
from toponaut.index.schema import Shown
from toponaut.index.table import distances_km
from toponaut.index.ties import ADDRESSED, LEAST_ADDRESSED, Point, Ties
from toponaut.index.words import Wanted
from toponaut.places.gazetteer import Gazetteer
from toponaut.records import Address
from toponaut.timing import is_simulated

_MOST_POINTS = 50  # of a page that are shown on a map
_MOST_TITLE = 200
_NUMBER_FIRST = frozenset({"US", "CA", "GB", "IE", "FR", "AU", "NZ"})


class Hits:
    """Makes hits for one query."""

    def __init__(
        self, gazetteer: Gazetteer, ties: Ties, opened: Opened, extracts: Extracts, wanted: Wanted
    ) -> None:
        self._gazetteer, self._ties, self._opened = gazetteer, ties, opened
        self._extracts, self._wanted = extracts, wanted

    def of(self, ranked: Ranked, k: int, where: Where | None) -> Hit:
        page, document = self._opened.document(ranked.addresses[k])
        number = int(ranked.numbers[k])
        at = self._opened.table.points_of(ranked.numbers[k : k + 1]).at.tolist()
        points = [self._opened.table.point(one) for one in at]
        address, point = self._shown_address(page, points, where)
        place = self._shown_place(page, address, where)
        scores = (float(ranked.scores[k]), float(ranked.words[k]), float(ranked.places[k]))
        return Hit(
            url=page.url,
            title=shown(page.title)[:_MOST_TITLE] or page.url,
            extract=self._extracts.of(document, page.description),
            captured=iso(page.time),
            language=page.language,
            place=place,
            path=self._gazetteer.place(place).path if place else (),
            address=shown(written(address)) if address else "",
            organisation=shown(address.organisation) if address else "",
            phone=shown(address.phone) if address else "",
            point=point,
            points=tuple(points[:_MOST_POINTS]),
            distance_km=_distance_km(point, where),
            score=round(scores[0], 4),
            words_score=round(scores[1], 4),
            place_score=round(scores[2], 4),
            why=self._why(page, number, point, where, scores),
            copies=int(ranked.copies[k]),
            number=number,
        )

    def _shown_address(
        self, page: Shown, points: list[Point], where: Where | None
    ) -> tuple[Address | None, Point | None]:
        """Of its addresses the one that answers the query: whose owner has the words in its name, then the nearest, or
        the most exactly known one in the place. A list of a city's firms is shown with the pizzeria that was asked for."""
        by_address = {point.address: point for point in points}
        numbers: Sequence[int] = range(len(page.addresses))
        if where is not None and where.place is not None and where.manner is Manner.IN:
            inside = where.place.id
            # Without an address there it is shown under the place that it speaks of, and not where its owner sits.
            numbers = [k for k in numbers if inside in self._ties.around(page.addresses[k].place)]
            nearness = {k: _radius(by_address.get(k)) for k in numbers}
        elif where is not None and by_address:
            nearness = {k: _distance_km(point, where) or 0.0 for k, point in by_address.items()}
            numbers = [k for k in nearness if nearness[k] <= (where.radius_km or float("inf"))] or [
                *nearness
            ]
        else:
            nearness = dict.fromkeys(numbers, 0.0)
        best = min(
            numbers,
            key=lambda k: (-self._says(page.addresses[k].organisation), nearness[k], k),
            default=None,
        )
        return (None, None) if best is None else (page.addresses[best], by_address.get(best))

    def _says(self, name: str) -> int:
        """How many of the searched words stand in a name."""
        if not name or not self._wanted.words:
            return 0
        words = set(self._opened.words.analysed(name))
        return sum(not words.isdisjoint(forms) for forms in self._wanted.words)

    def _shown_place(self, page: Shown, address: Address | None, where: Where | None) -> int:
        """The place that it is shown under: of its address, or what it speaks of most in the place asked for."""
        asked = where.place.id if where and where.place and where.manner is Manner.IN else 0
        named = [address.place] if address else []
        for place in (*named, *(place for place, _ in page.scope)):
            around = self._ties.around(place)
            if around and (not asked or asked in around):
                return place
        return 0

    # --- why ---------------------------------------------------------------------------------------------

    def _why(
        self,
        page: Shown,
        number: int,
        point: Point | None,
        where: Where | None,
        scores: tuple[float, float, float],
    ) -> str:
        parts = [
            part for part in (self._why_place(number, point, where), self._why_words(page)) if part
        ]
        total, words, place = scores
        return f"{'; '.join(parts)} ({total:.2f} = words {words:.2f} x place {place:.2f})"

    def _why_place(self, number: int, point: Point | None, where: Where | None) -> str:
        if where is None:
            return ""
        if where.place is not None and where.manner is Manner.IN:
            name = where.place.name
            strength = int(self._opened.table.strengths(np.array([number]), where.place.id)[0])
            if strength >= LEAST_ADDRESSED:
                all_of_them = strength == ADDRESSED[-1][0]
                return (
                    f"has an address in {name}"
                    if all_of_them
                    else f"has addresses in several places, {name} among them"
                )
            return f"speaks of {name}"
        km = _distance_km(point, where)
        if point is None or km is None or (where.place is not None and km > WIDEST_KM):
            return f"is about {where.place.name}" if where.place else ""
        return f"has an address {km_in_words(km)} away" + (
            f" (an area: the {point.precision}'s middle)" if point.is_area else ""
        )

    def _why_words(self, page: Shown) -> str:
        analysed = self._opened.words.analysed
        title = set(analysed(page.title))
        names = set(analysed(" ".join(address.organisation for address in page.addresses)))
        said: dict[str, list[str]] = {"its title": [], "a name": [], "its text": []}
        for forms in self._wanted.words:
            spot = "its title" if title & {*forms} else "a name" if names & {*forms} else "its text"
            said[spot].append(f'"{forms[0]}"')
        return "; ".join(f"{' '.join(words)} in {spot}" for spot, words in said.items() if words)


def iso(time: float) -> str:
    """A Unix time as answers have it: "2026-11-16T04:46:38Z"; "" for one of a replayed web, which is no date."""
    return (
        ""
        if is_simulated(time)
        else datetime.fromtimestamp(time, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    )


def km_in_words(km: float) -> str:
    return f"{km * 1000:.0f} m" if km < 1 else f"{km:.1f} km" if km < 10 else f"{km:,.0f} km"


def written(address: Address) -> str:
    """An address on one line: as the page has it, or put together from its parts."""
    if address.text:
        return ", ".join(line.strip(" ,") for line in address.text.splitlines() if line.strip(" ,"))
    parts = (address.number, address.street)
    street = " ".join(parts if address.country in _NUMBER_FIRST else reversed(parts)).strip()
    town = f"{address.postcode} {address.city}".strip() if address.country != "US" else address.city
    state = f"{address.state} {address.postcode}".strip() if address.country == "US" else ""
    return ", ".join(part for part in (street, address.unit, town, state, address.country) if part)


def _radius(point: Point | None) -> float:
    return float("inf") if point is None else point.radius_km


def _distance_km(point: Point | None, where: Where | None) -> float | None:
    if point is None or where is None:
        return None
    spot = np.array([(point.lat, point.lon, point.radius_km)], np.float32)
    return round(float(distances_km(spot, where.lat, where.lon)[0]), 3)
