"""The crawls of an export, read together, and which of their addresses and pages it contains."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from enum import StrEnum
from functools import cache
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec import Struct

from toponaut.crawl.directory import Directory
from toponaut.errors import InputError
from toponaut.export.output import printable
from toponaut.index import Box
from toponaut.index.georeference import AddressPoint, GeoReferencer
from toponaut.index.layout import StoredPage
from toponaut.job import Job
from toponaut.job.targets import find_place, job_targets
from toponaut.places.containment import rows_inside
from toponaut.places.gazetteer import Gazetteer
from toponaut.places.names.tokens import Bools
from toponaut.records import CONTENT, Address, Outcome, Precision, Visit

if TYPE_CHECKING:
    from toponaut.seeds.known import KnownSeeds

_EXACT_FIRST = tuple(Precision)


class RowKind(StrEnum):
    """What a row, or a record, is about."""

    ADDRESSES = "addresses"
    PAGES = "pages"


class ExportFilter(Struct, frozen=True):
    """The filters of an export. The defaults leave nothing out."""

    relevant: bool | None = None  # only from relevant pages; None: only for WARC and WACZ
    in_targets: bool = False  # only addresses in the job's targets
    confidence: float = 0.0  # at least
    box: Box | None = None  # only points in it; an area counts by its centre
    place: str = ""  # name or id; only addresses in it

    @property
    def by_address(self) -> bool:
        return self.in_targets or self.confidence > 0 or self.box is not None or bool(self.place)


class Selection:
    """A filter, applied to the visits of some crawls."""

    def __init__(self, filters: ExportFilter, gazetteer: Gazetteer, jobs: Iterable[Job]) -> None:
        if not 0 <= filters.confidence <= 1:
            raise InputError(
                f"--min-confidence is {filters.confidence:g}", "Give a number from 0 to 1"
            )
        self._filters, self._gazetteer = filters, gazetteer
        self._ties = GeoReferencer(gazetteer)
        self._targets = self._inside(
            place.id for job in jobs for place in job_targets(gazetteer, job)
        )
        self._place = (
            self._inside([find_place(gazetteer, filters.place).id]) if filters.place else None
        )
        self.path = cache(self._find_path)

    def in_target(self, place: int) -> bool:
        return self._holds(self._targets, place)

    def wants_address(
        self, place: int, confidence: float, lat: float | None, lon: float | None
    ) -> bool:
        filters = self._filters
        if confidence < filters.confidence or (filters.in_targets and not self.in_target(place)):
            return False
        if self._place is not None and not self._holds(self._place, place):
            return False
        return filters.box is None or (
            lat is not None and lon is not None and filters.box.holds(lat, lon)
        )

    def counts(self, visit: Visit) -> bool:
        """Whether a visit fetched a page, and a relevant one if required."""
        return visit.outcome in CONTENT and (visit.relevant or not self._filters.relevant)

    def wants_page(self, visit: Visit) -> bool:
        """Whether the page of a visit is wanted, for itself and for one of its addresses."""
        if not self.counts(visit):
            return False
        if not self._filters.by_address:
            return True
        points = self.points(visit)
        return any(
            self._wants_one(address, points.get(number))
            for number, address in enumerate(visit.addresses)
        )

    def wants_answer(self, visit: Visit) -> bool:
        """Whether an answer is wanted. Errors and redirects are only if there is no filter.

        Requisites are always: each is archived once, whichever pages need it to be shown.
        """
        if not self._filters.relevant and not self._filters.by_address:
            return True
        return visit.outcome is Outcome.REQUISITE or self.wants_page(visit)

    def points(self, visit: Visit | StoredPage) -> dict[int, AddressPoint]:
        """The points of a page's addresses, by their number on the page."""
        return {point.address: point for point in self._ties.points(visit)}

    def _find_path(self, place: int) -> tuple[str, ...]:
        """The names from the country down to a place; () if the gazetteer does not have it."""
        try:
            return self._gazetteer.place(place).path
        except KeyError:
            return ()

    def _wants_one(self, address: Address, point: AddressPoint | None) -> bool:
        lat, lon = (point.lat, point.lon) if point else (None, None)
        return self.wants_address(address.place, address.confidence, lat, lon)

    def _inside(self, places: Iterable[int]) -> Bools:
        return rows_inside(self._gazetteer, [self._gazetteer.row(place) for place in places])

    def _holds(self, inside: Bools, place: int) -> bool:
        try:
            return bool(inside[self._gazetteer.row(place)])
        except KeyError:
            return False


def exactness(precision: Precision | str) -> int:
    """0 for a given point, more for an area, most for no point."""
    return _EXACT_FIRST.index(Precision(precision))


Progress = Callable[[int, int], None]  # visits read, visits in total
_REPORT_EVERY = 1000  # visits


class CrawlLogs:
    """The logs of some crawls as they are now: visits added later are not read."""

    def __init__(self, roots: Sequence[Path]) -> None:
        if not roots:
            raise InputError("no crawl given", "Name the directories of one or several crawls")
        self._directories = [
            Directory(root) for root in dict.fromkeys(root.absolute() for root in roots)
        ]
        self.jobs: list[Job] = [directory.read_job() for directory in self._directories]
        self._visits = [one.logs.summary().visits for one in self._directories]
        self.total = sum(self._visits)

    def known_seeds(self) -> "KnownSeeds":
        """What the sources of their seeds knew."""
        from toponaut.seeds.known import KnownSeeds

        return KnownSeeds(directory.given for directory in self._directories)

    @property
    def name(self) -> str:
        """The name of the first directory, made printable."""
        return printable(self._directories[0].root.resolve().name) or "crawl"

    def visits(self, fields: tuple[str, ...], progress: Progress) -> Iterator[tuple[Path, Visit]]:
        """All visits, each with the archive directory of its crawl."""
        done = 0
        for directory, count in zip(self._directories, self._visits, strict=True):
            for visit in islice(directory.logs.read(fields), count):
                yield directory.archive, visit
                done += 1
                if not done % _REPORT_EVERY:
                    progress(done, self.total)
        progress(done, self.total)
