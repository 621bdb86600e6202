"""What an export is to hold: which addresses, which pages."""

from collections.abc import Iterable
from enum import StrEnum

from msgspec import Struct

from toponaut.errors import InputError
from toponaut.index import Box
from toponaut.index.ties import Point, Ties
from toponaut.job import Job
from toponaut.job.targets import find_place, job_targets
from toponaut.places.containment import rows_inside
from toponaut.places.gazetteer import Gazetteer
from toponaut.places.names.tokens import Bools
from toponaut.records import PAGES, Address, Precision, Visit

_EXACT_FIRST = tuple(Precision)


class What(StrEnum):
    """What a row, or a record, is."""

    ADDRESSES = "addresses"
    PAGES = "pages"


class Wanted(Struct, frozen=True):
    """What is asked for. What says nothing leaves nothing out."""

    relevant: bool | None = None  # only what relevant pages say; None: so for WARC and WACZ
    in_targets: bool = False  # only addresses in the targets of the job
    confidence: float = 0.0  # at least
    box: Box | None = None  # the point lies there; of an area, its middle
    place: str = ""  # name or id: in it

    @property
    def by_address(self) -> bool:
        """Whether addresses decide."""
        return self.in_targets or self.confidence > 0 or self.box is not None or bool(self.place)


class Choice:
    """What is wanted, for some crawls."""

    def __init__(self, wanted: Wanted, gazetteer: Gazetteer, jobs: Iterable[Job]) -> None:
        if not 0 <= wanted.confidence <= 1:
            raise InputError(
                f"--min-confidence is {wanted.confidence:g}", "Give a number from 0 to 1"
            )
        self._wanted, self._gazetteer = wanted, gazetteer
        self._ties = Ties(gazetteer)
        self._targets = self._inside(
            place.id for job in jobs for place in job_targets(gazetteer, job)
        )
        self._place = (
            self._inside([find_place(gazetteer, wanted.place).id]) if wanted.place else None
        )
        self._paths: dict[int, tuple[str, ...]] = {}

    def in_target(self, place: int) -> bool:
        return self._holds(self._targets, place)

    def address(self, place: int, confidence: float, lat: float | None, lon: float | None) -> bool:
        """Whether an address is wanted."""
        wanted = self._wanted
        if confidence < wanted.confidence or (wanted.in_targets and not self.in_target(place)):
            return False
        if self._place is not None and not self._holds(self._place, place):
            return False
        return wanted.box is None or (
            lat is not None and lon is not None and wanted.box.holds(lat, lon)
        )

    def speaks(self, visit: Visit) -> bool:
        """Whether what a visit has found counts: it is one of a page, and of a relevant one where that is asked."""
        return visit.outcome in PAGES and (visit.relevant or not self._wanted.relevant)

    def page(self, visit: Visit) -> bool:
        """Whether a visit is one of a page that is wanted: for itself, and for one of its addresses."""
        if not self.speaks(visit):
            return False
        if not self._wanted.by_address:
            return True
        points = self.points(visit)
        return any(
            self._one(address, points.get(number)) for number, address in enumerate(visit.addresses)
        )

    def answer(self, visit: Visit) -> bool:
        """Whether what a server answered is wanted: of what is no page only if all is."""
        if not self._wanted.relevant and not self._wanted.by_address:
            return True
        return self.page(visit)

    def points(self, visit: Visit) -> dict[int, Point]:
        """Where a page's addresses are, by their number on the page."""
        return {point.address: point for point in self._ties.points(visit)}

    def path(self, place: int) -> tuple[str, ...]:
        """The names from the country down to a place; none for one that the gazetteer does not have."""
        known = self._paths.get(place)
        if known is None:
            try:
                known = self._gazetteer.place(place).path
            except KeyError:
                known = ()
            self._paths[place] = known
        return known

    def _one(self, address: Address, point: Point | None) -> bool:
        lat, lon = (point.lat, point.lon) if point else (None, None)
        return self.address(address.place, address.confidence, lat, lon)

    def _inside(self, places: Iterable[int]) -> Bools:
        return rows_inside(self._gazetteer, [self._gazetteer.row(place) for place in places])

    def _holds(self, inside: Bools, place: int) -> bool:
        try:
            return bool(inside[self._gazetteer.row(place)])
        except KeyError:
            return False


def exactness(precision: Precision | str) -> int:
    """0 for a given point, more for an area, most for none."""
    return _EXACT_FIRST.index(Precision(precision))
