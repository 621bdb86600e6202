"""One check of a list: a file and a crawl in, a verdict for each place out."""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path

from toponaut.export import addresses
from toponaut.export.rows import AddressRow
from toponaut.export.selection import CrawlLogs, ExportFilter, Selection
from toponaut.job import Job
from toponaut.job.targets import job_targets
from toponaut.measures.completeness import Estimate
from toponaut.places.gazetteer.cache import open_gazetteer
from toponaut.records import Record
from toponaut.urls import site_of
from toponaut.verify.completeness import PairedPlaces, estimates, rows_in_area
from toponaut.verify.found_index import FoundIndex
from toponaut.verify.listed_place import ListedPlace, read_places
from toponaut.verify.site_evidence import FIELDS, SiteEvidence
from toponaut.verify.verdict import PlaceMatch, PlaceStatus, VerifiedPlace, decide

_SURE = 0.7  # confidence of an address that the list may lack
Progress = Callable[[int, int], None]  # visits read, visits in total


class VerifyReport(Record, frozen=True):
    """The verdicts on a list, what it lacks, and how complete the crawl is."""

    places: tuple[VerifiedPlace, ...]
    missing: tuple[AddressRow, ...]  # organisations of the crawl, in its area, that it lacks
    estimates: tuple[Estimate, ...]  # of all places, then by category and town

    def counts(self) -> dict[str, int]:
        """How many places have each status."""
        found = Counter(place.status for place in self.places)
        return {status.value: found[status] for status in PlaceStatus}


def read_list(file: Path, columns: Mapping[str, str], job: Job) -> list[ListedPlace]:
    """The places of a file. Those that name no country are in that of the job's first target."""
    targets = job_targets(open_gazetteer(), job)
    return list(read_places(file, columns, targets[0].country if targets else ""))


def unvisited_websites(directory: Path, listed: Iterable[ListedPlace]) -> list[str]:
    """The websites of listed places that the crawl has not asked for yet."""
    wanted = dict.fromkeys(place.website for place in listed if place.website)
    for _, visit in CrawlLogs([directory]).visits(("url",), lambda *_: None):
        wanted.pop(visit.url, None)
    return list(wanted)


def verify_places(
    directory: Path, listed: Sequence[ListedPlace], progress: Progress = lambda *_: None
) -> VerifyReport:
    """The verdicts on listed places by what a crawl has found so far."""
    crawls = CrawlLogs([directory])
    selection = Selection(ExportFilter(), open_gazetteer(), crawls.jobs)
    visits = crawls.visits(addresses.FIELDS, lambda *_: None)
    rows = list(addresses.rows(visits, selection))
    index = FoundIndex(rows)
    matches = {place.row: index.matches(place) for place in listed}
    evidence = _evidence(listed, matches)
    for _, visit in crawls.visits(FIELDS, progress):
        evidence.add(visit)
    verdicts = tuple(decide(place, matches[place.row], evidence) for place in listed)
    same = {
        number: match.row.id
        for number, some in matches.items()
        if (match := next((one for one in some if one.score.is_there), None))
    }
    area = rows_in_area(rows, listed, set(same.values()))
    found = set(same.values()) | {verdict.found for verdict in verdicts}
    missing = tuple(row for row in area if row.id not in found and row.confidence >= _SURE)
    return VerifyReport(verdicts, missing, estimates(PairedPlaces(area, listed, same)))


def _evidence(
    listed: Iterable[ListedPlace], matches: Mapping[int, Sequence[PlaceMatch]]
) -> SiteEvidence:
    """Of the websites of all places, and of the pages on which the crawl has found them."""
    names: dict[str, list[str]] = defaultdict(list)
    for place in listed:
        if place.website:
            names[site_of(place.website)].append(place.name)
    urls = {url for some in matches.values() for match in some for url in match.row.urls}
    return SiteEvidence(names, urls)
