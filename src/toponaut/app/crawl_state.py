"""The state of a crawl, as records: the response of /api/crawl."""

from typing import Literal

from msgspec import Struct


class CrawlNumbers(Struct, frozen=True):
    """Totals. Those up to `received` are from the log, the others from the last snapshot."""

    visits: int = 0
    pages: int = 0
    relevant: int = 0
    harvest: float = 0.0  # relevant pages / pages
    addresses: int = 0
    errors: int = 0  # requests that fetched no page
    received: int = 0  # bytes
    queued: int = 0  # links waiting
    hosts: int = 0  # known
    resting: int = 0  # hosts with links that must wait for the crawl delay
    busy: int = 0  # hosts with a request in flight
    sent: int = 0  # links from one node to another
    per_second: float = 0.0  # pages, over the last ten seconds; 0 if it does not run
    price: float = 0.0  # the promise that a link needs to be fetched now; 0: any
    explored: int = 0  # requests for links below the price


class HarvestPoints(Struct, frozen=True):
    """The harvest over the pages: (pages, of all pages, of the last `window` pages)."""

    window: int = 0
    points: list[tuple[int, float, float]] = []


class PacePoints(Struct, frozen=True):
    """(seconds, pages per second), by the log's times or, if simulated, by snapshots."""

    source: Literal["log", "snapshots"] = "log"
    points: list[tuple[float, float]] = []


class NodeState(Struct, frozen=True):
    node: str
    pages: int
    relevant: int
    harvest: float
    addresses: int
    errors: int
    received: int
    queued: int
    resting: int
    busy: int
    curve: list[tuple[int, float, float]]  # as in HarvestPoints, with fewer points


class TargetPages(Struct, frozen=True):
    """A target, and its number of pages with an address there."""

    id: int
    name: str
    lat: float
    lon: float
    pages: int


class TargetCoverage(Struct, frozen=True):
    """The number of targets, of those with a page, and the targets with the most pages."""

    targets: int = 0
    covered: int = 0
    top: list[TargetPages] = []


class OutcomeCount(Struct, frozen=True):
    outcome: str
    visits: int
    kind: Literal["page", "error", "other"]


class LatestPage(Struct, frozen=True):
    """A relevant page that was fetched recently."""

    url: str
    title: str
    address: str
    organisation: str
    node: str
    time: float  # Unix time; simulated in a replay


class CrawlState(Struct, frozen=True):
    name: str  # of the directory
    state: Literal["not started", "running", "stopped", "aborted"]
    stopped: str = ""  # why
    trouble: str = ""  # a problem with the log or the job
    reading: bool = False  # part of the log is not yet counted
    expected: int = 0  # visits in the last snapshot
    limit: int = 0  # of pages; 0: none
    written: float = 0.0  # Unix time of the last snapshot
    numbers: CrawlNumbers = CrawlNumbers()
    harvest: HarvestPoints = HarvestPoints()
    pace: PacePoints = PacePoints()
    queue: list[tuple[int, int]] = []  # (pages, links waiting), by the snapshots seen
    nodes: list[NodeState] = []
    places: TargetCoverage = TargetCoverage()
    outcomes: list[OutcomeCount] = []
    refused: dict[str, int] = {}
    hosts: list[tuple[str, int]] = []  # with the most pages
    latest: list[LatestPage] = []  # newest first
