"""What a watcher keeps of a log: counts, curves, hosts, targets covered, the latest pages. Bounded in memory."""

from collections import Counter, deque
from collections.abc import Iterable

from toponaut.app.bounded import Curve, Pace, Tally
from toponaut.app.state import LatestPage, Place, Places
from toponaut.crawl.progress import Totals
from toponaut.job import Job
from toponaut.job.owners import OwnerTable
from toponaut.job.targets import Territory, job_targets, label
from toponaut.places.gazetteer.cache import open_gazetteer
from toponaut.records import PAGES, Address, Visit
from toponaut.timing import is_simulated
from toponaut.urls import host_of

FIELDS = (
    "node", "url", "outcome", "time", "size", "relevant", "title", "refused.why", "addresses.place", "addresses.number",
    "addresses.street", "addresses.postcode", "addresses.city", "addresses.organisation",
)  # fmt: skip
LATEST = 20
TOLD_PLACES = 300  # of the targets: 20 KB of the answer
_TITLE = 200  # characters of a title that are kept
_NODE_POINTS = 40  # of a node's curve, which is drawn small


class Targets:
    """Pages with an address in each target."""

    def __init__(self, job: Job) -> None:
        self._gazetteer = open_gazetteer()
        places = job_targets(self._gazetteer, job)
        self._names = {place.id: place for place in places}
        self._owners = OwnerTable(self._gazetteer, [Territory("", tuple(places))], ())
        self._target_of: dict[int, int] = {0: 0}  # what was looked up; 0: in no target
        self._pages: Counter[int] = Counter()

    def add(self, addresses: Iterable[Address]) -> None:
        """The addresses of one page: each target counts once."""
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

    def told(self) -> Places:
        counts = {target: self._pages[target] for target in self._names}
        most = sorted(counts, key=lambda target: (-counts[target], target))[:TOLD_PLACES]
        top = [
            Place(at.id, label(at), at.lat, at.lon, counts[at.id])
            for at in (self._names[one] for one in most)
        ]
        return Places(len(counts), sum(count > 0 for count in counts.values()), top)


class Fold:
    """The log up to a position."""

    def __init__(self, job: Job) -> None:
        self.position: bytes | None = None
        self.totals = Totals()
        self.nodes: dict[str, tuple[Totals, Curve]] = {}
        self.curve = Curve()
        self.pace = Pace()
        self.hosts = Tally()
        self.targets = Targets(job)
        self.latest: deque[LatestPage] = deque(maxlen=LATEST)
        self.simulated = False

    def add(self, visits: Iterable[Visit]) -> None:
        for visit in visits:
            if visit.node not in self.nodes:
                self.nodes[visit.node] = Totals(), Curve(_NODE_POINTS)
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
        title=" ".join(visit.title.split())[:_TITLE],
        address=_in_words(first) if first else "",
        organisation=first.organisation if first else "",
        node=visit.node,
        time=visit.time,
    )


def _in_words(address: Address) -> str:
    """On one line: as the page has it, or put together from its parts."""
    written = " ".join(address.text.split())
    street = f"{address.number} {address.street}".strip()
    city = f"{address.city} {address.postcode}".strip()
    return written or ", ".join(part for part in (street, city) if part)
