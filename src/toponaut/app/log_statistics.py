"""Statistics of a log of any length, in bounded memory: totals, curves, hosts, targets, pages.

A curve keeps every page at first, then every second, every fourth and so on: when it is full, every
other point is dropped and the step doubles. The points that are kept are exact.
"""

from collections import Counter, deque
from collections.abc import Iterable
from functools import cache
from heapq import nsmallest
from itertools import pairwise

from msgspec import Struct

from toponaut.crawl.address_counts import AddressCounter
from toponaut.crawl.control import ControlState
from toponaut.crawl.progress import Totals
from toponaut.index.query.hits import format_address, one_line
from toponaut.job import Job
from toponaut.job.owners import OwnerTable
from toponaut.job.targets import Territory, job_targets, label
from toponaut.measures.columns import PlaceCount
from toponaut.measures.harvest import WINDOW_LEAST, WINDOW_SHARE
from toponaut.places.gazetteer.cache import open_gazetteer
from toponaut.records import PAGES, Address, Outcome, Visit
from toponaut.timing import crawl_moment, is_simulated
from toponaut.urls import host_of

MAX_POINTS = 200  # of a curve, more than a chart can show
PAUSE_S = 300.0  # longer pauses count as this: a night between two runs is not part of the pace
_MIN_WIDTH_S = 1.0


class LiveHarvestCurve:
    """Relevant pages over pages: the harvest so far, and in a sliding window."""

    def __init__(self, max_points: int = MAX_POINTS) -> None:
        self._max_points = max_points
        self._step = 1
        self._kept = [(0, 0)]  # pages, relevant pages
        self.pages = self.relevant = 0

    def add(self, relevant: bool) -> None:
        self.pages += 1
        self.relevant += relevant
        if self.pages % self._step == 0:
            self._kept.append((self.pages, self.relevant))
            # Twice what is shown, so that the window, a 20th of the crawl, spans ten steps or more.
            if len(self._kept) > 2 * self._max_points:
                self._kept = self._kept[::2]
                self._step *= 2

    @property
    def window(self) -> int:
        """Pages in the sliding window, as in the measures."""
        return max(WINDOW_LEAST, self.pages // WINDOW_SHARE)

    def points(self) -> list[tuple[int, float, float]]:
        """(pages, harvest of all, harvest of the window); the last point is now.

        A window starts at a kept point, so it may be up to a step longer than `window`.
        """
        if not self.pages:
            return []
        kept = self._kept
        if kept[-1][0] != self.pages:
            kept = [*kept, (self.pages, self.relevant)]
        every = -(-(len(kept) - 1) // self._max_points)
        points = []
        for at in range(len(kept) - 1, 0, -every):
            pages, relevant = kept[at]
            start = min(at - 1, max(0, pages - self.window) // self._step)
            before, so_far = kept[start]
            in_window = (relevant - so_far) / (pages - before)
            points.append((pages, round(relevant / pages, 4), round(in_window, 4)))
        return points[::-1]


class PaceCurve:
    """Pages per second while a crawl was active, without pauses."""

    def __init__(self, max_points: int = MAX_POINTS) -> None:
        self._max_points = max_points
        self._width = _MIN_WIDTH_S
        self._counts = [0]
        self._latest = 0.0
        self._active = 0.0

    def add(self, time: float) -> None:
        """A page that was requested at this time."""
        if self._latest:
            self._active += min(max(time - self._latest, 0.0), PAUSE_S)
        self._latest = max(self._latest, time)
        while self._active >= self._width * self._max_points:
            even = [*self._counts, 0] if len(self._counts) % 2 else self._counts
            self._counts = [a + b for a, b in zip(even[::2], even[1::2], strict=True)]
            self._width *= 2
        at = int(self._active / self._width)
        self._counts += [0] * (at + 1 - len(self._counts))
        self._counts[at] += 1

    def points(self) -> list[tuple[float, float]]:
        """(seconds of activity, pages per second), without the last, unfinished interval."""
        return [
            ((at + 0.5) * self._width, round(count / self._width, 3))
            for at, count in enumerate(self._counts[:-1])
        ]


class SnapshotHistory:
    """The snapshots that were seen: (time, pages, links waiting)."""

    def __init__(self, max_points: int = MAX_POINTS) -> None:
        self._max_points = max_points
        self._step = 1
        self._seen = 0
        self._kept: list[tuple[float, int, int]] = []
        self._last: tuple[float, int, int] | None = None

    def add(self, time: float, pages: int, queued: int) -> None:
        self._last = (time, pages, queued)
        if self._seen % self._step == 0:
            self._kept.append(self._last)
            if len(self._kept) > self._max_points:
                self._kept = self._kept[::2]
                self._step *= 2
        self._seen += 1

    def _points(self) -> list[tuple[float, int, int]]:
        if self._last is None or self._last == self._kept[-1]:
            return self._kept
        return [*self._kept, self._last]

    def queue(self) -> list[tuple[int, int]]:
        """(pages, links waiting)."""
        return [(pages, queued) for _, pages, queued in self._points()]

    def pace(self) -> list[tuple[float, float]]:
        """(seconds since the first, pages per second since the one before)."""
        seen = self._points()
        return [
            (round(time - seen[0][0], 1), round(max(pages - earlier, 0) / (time - before), 3))
            for (before, earlier, _), (time, pages, _) in pairwise(seen)
            if time > before
        ]


class Tally:
    """Counts the most frequent of possibly millions of names.

    At twice `keep` names, the rarer half is dropped. A name that returns starts from 0, so its
    count may be too low, by at most the count of the rarest name that was kept.
    """

    def __init__(self, keep: int = 10_000) -> None:
        self._keep = keep
        self._counts: Counter[str] = Counter()

    def add(self, name: str) -> None:
        self._counts[name] += 1
        if len(self._counts) > 2 * self._keep:
            self._counts = Counter(dict(self._counts.most_common(self._keep)))

    def most_common(self, many: int) -> list[tuple[str, int]]:
        """By count, then alphabetically."""
        return nsmallest(many, self._counts.items(), key=lambda pair: (-pair[1], pair[0]))


# --- statistics ----------------------------------------------------------------------------------

FIELDS = (
    "node", "url", "outcome", "detail", "time", "stamp", "size", "relevant", "revisit", "title",
    "refused.why", "addresses.place",
    "addresses.number", "addresses.street", "addresses.unit", "addresses.postcode",
    "addresses.city", "addresses.state", "addresses.country", "addresses.organisation",
    "addresses.normal",
)  # fmt: skip
LATEST = 20
MAX_TARGETS = 300  # in a response: 20 KB
_MAX_TITLE = 200  # characters
_NODE_POINTS = 40  # of a node's small curve


class TargetCoverage(Struct, frozen=True):
    """The number of targets, of those with a page, and the targets with the most pages."""

    targets: int = 0
    covered: int = 0
    top: list[PlaceCount] = []


class LatestPage(Struct, frozen=True):
    """A relevant page that was fetched recently."""

    url: str
    title: str
    address: str
    organisation: str
    node: str
    time: float  # Unix time; simulated in a replay


class TargetCounts:
    """Pages with an address in each target."""

    def __init__(self, job: Job) -> None:
        self._gazetteer = open_gazetteer()
        places = job_targets(self._gazetteer, job)
        self._targets = {place.id: place for place in places}
        self._owners = OwnerTable(self._gazetteer, [Territory("", tuple(places))], ())
        self._target = cache(self._find_target)
        self._pages: Counter[int] = Counter()

    def add(self, addresses: Iterable[Address]) -> None:
        """Add the addresses of one page; each target counts once."""
        self._pages.update({self._target(address.place) for address in addresses})

    def _find_target(self, place: int) -> int:
        """The id of the target around a place; 0: it is in no target."""
        try:
            return self._owners.target(place)
        except KeyError:  # no place, or one of another gazetteer
            return 0

    def coverage(self) -> TargetCoverage:
        counts = {target: self._pages[target] for target in self._targets}
        most = sorted(counts, key=lambda target: (-counts[target], target))[:MAX_TARGETS]
        top = [
            PlaceCount(place.id, label(place), place.lat, place.lon, counts[place.id], wanted=True)
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
        self.addresses = AddressCounter(job)
        self.latest: deque[LatestPage] = deque(maxlen=LATEST)
        self.simulated = False
        self.control = ControlState()

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
            elif visit.outcome is Outcome.CONTROL:
                self.control.add(visit.detail)

    def _add_page(self, visit: Visit) -> None:
        self.curve.add(visit.relevant)
        self.hosts.add(host_of(visit.url))
        moment = crawl_moment(visit.time, visit.stamp)
        self.pace.add(moment)
        self.simulated = is_simulated(moment)
        if visit.addresses:
            self.targets.add(visit.addresses)
            self.addresses.add((one.normal, one.place) for one in visit.addresses)
        if visit.relevant:
            self.latest.appendleft(_latest(visit))


def _latest(visit: Visit) -> LatestPage:
    first = visit.addresses[0] if visit.addresses else None
    return LatestPage(
        url=visit.url,
        title=" ".join(visit.title.split())[:_MAX_TITLE],
        address=one_line(format_address(first)) if first else "",
        organisation=first.organisation if first else "",
        node=visit.node,
        time=visit.time,
    )
