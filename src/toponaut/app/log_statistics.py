"""Statistics of a log, in bounded memory: totals, curves, hosts, targets and the latest pages."""

from collections import Counter, deque
from collections.abc import Iterable

from toponaut.app.crawl_state import LatestPage, TargetCoverage, TargetPages
from toponaut.app.curves import LiveHarvestCurve, PaceCurve, Tally
from toponaut.crawl.progress import Totals
from toponaut.job import Job
from toponaut.job.owners import OwnerTable
from toponaut.job.targets import Territory, job_targets, label
from toponaut.places.gazetteer.cache import open_gazetteer
from toponaut.records import PAGES, Address, Visit
from toponaut.timing import is_simulated
from toponaut.urls import host_of

FIELDS = (
    "node", "url", "outcome", "time", "size", "relevant", "title", "refused.why", "addresses.place",
    "addresses.number", "addresses.street", "addresses.postcode", "addresses.city",
    "addresses.organisation",
)  # fmt: skip
LATEST = 20
MAX_TARGETS = 300  # in a response: 20 KB
_MAX_TITLE = 200  # characters
_NODE_POINTS = 40  # of a node's small curve


class TargetCounts:
    """Pages with an address in each target."""

    def __init__(self, job: Job) -> None:
        self._gazetteer = open_gazetteer()
        places = job_targets(self._gazetteer, job)
        self._targets = {place.id: place for place in places}
        self._owners = OwnerTable(self._gazetteer, [Territory("", tuple(places))], ())
        self._target_of: dict[int, int] = {0: 0}  # a cache; 0: in no target
        self._pages: Counter[int] = Counter()

    def add(self, addresses: Iterable[Address]) -> None:
        """Add the addresses of one page; each target counts once."""
        self._pages.update({self._target(address.place) for address in addresses})

    def _target(self, place: int) -> int:
        found = self._target_of.get(place)
        if found is None:
            try:
                found = self._owners.target(place)
            except KeyError:  # the log was written with another gazetteer
                found = 0
            self._target_of[place] = found
        return found

    def coverage(self) -> TargetCoverage:
        counts = {target: self._pages[target] for target in self._targets}
        most = sorted(counts, key=lambda target: (-counts[target], target))[:MAX_TARGETS]
        top = [
            TargetPages(place.id, label(place), place.lat, place.lon, counts[place.id])
            for place in (self._targets[one] for one in most)
        ]
        return TargetCoverage(len(counts), sum(count > 0 for count in counts.values()), top)


class LogStatistics:
    """A fold over the log up to a position."""

    def __init__(self, job: Job) -> None:
        self.position: bytes | None = None
        self.totals = Totals()
        self.nodes: dict[str, tuple[Totals, LiveHarvestCurve]] = {}
        self.curve = LiveHarvestCurve()
        self.pace = PaceCurve()
        self.hosts = Tally()
        self.targets = TargetCounts(job)
        self.latest: deque[LatestPage] = deque(maxlen=LATEST)
        self.simulated = False

    def add(self, visits: Iterable[Visit]) -> None:
        for visit in visits:
            if visit.node not in self.nodes:
                self.nodes[visit.node] = Totals(), LiveHarvestCurve(_NODE_POINTS)
            totals, curve = self.nodes[visit.node]
            totals.add(visit)
            self.totals.add(visit)
            if visit.outcome in PAGES:
                curve.add(visit.relevant)
                self._add_page(visit)

    def _add_page(self, visit: Visit) -> None:
        self.curve.add(visit.relevant)
        self.hosts.add(host_of(visit.url))
        self.pace.add(visit.time)
        self.simulated = is_simulated(visit.time)
        if visit.addresses:
            self.targets.add(visit.addresses)
        if visit.relevant:
            self.latest.appendleft(_latest(visit))


def _latest(visit: Visit) -> LatestPage:
    first = visit.addresses[0] if visit.addresses else None
    return LatestPage(
        url=visit.url,
        title=" ".join(visit.title.split())[:_MAX_TITLE],
        address=_format(first) if first else "",
        organisation=first.organisation if first else "",
        node=visit.node,
        time=visit.time,
    )


def _format(address: Address) -> str:
    """An address on one line: as on the page, or composed from its parts."""
    street = f"{address.number} {address.street}".strip()
    city = f"{address.city} {address.postcode}".strip()
    parts = ", ".join(part for part in (street, city) if part)
    return " ".join(address.text.split()) or parts
