"""What a watcher of a crawl is told, as records: the answer of /api/crawl."""

from typing import Literal

from msgspec import Struct


class Numbers(Struct, frozen=True):
    """The crawl in a few numbers. Those up to `received` are counted in the log, the others are the last snapshot's."""

    visits: int = 0
    pages: int = 0
    relevant: int = 0
    harvest: float = 0.0  # relevant pages / pages
    addresses: int = 0
    errors: int = 0  # requests that brought no page
    received: int = 0  # bytes
    queued: int = 0  # links that wait
    hosts: int = 0  # known
    resting: int = 0  # hosts with links whose time has not come
    busy: int = 0  # hosts being asked
    sent: int = 0  # links from one node to another
    per_second: float = 0.0  # pages, over the last ten seconds; 0 where it does not run


class Harvest(Struct, frozen=True):
    """The harvest over the pages: of all so far, and of the last `window` pages."""

    window: int = 0
    points: list[tuple[int, float, float]] = []


class Pace(Struct, frozen=True):
    """Pages a second over seconds: by the log's times, or where those are simulated by the snapshots that were seen."""

    source: Literal["log", "snapshots"] = "log"
    points: list[tuple[float, float]] = []


class WatchedNode(Struct, frozen=True):
    """One node."""

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
    curve: list[tuple[int, float, float]]  # as in Harvest, with fewer points


class Place(Struct, frozen=True):
    """A target, and the pages with an address there."""

    id: int
    name: str
    lat: float
    lon: float
    pages: int


class Places(Struct, frozen=True):
    """The targets: how many there are, how many of them have a page with an address, and those with the most."""

    targets: int = 0
    covered: int = 0
    top: list[Place] = []


class OutcomeCount(Struct, frozen=True):
    """Visits with one outcome; whether it is a page, an error, or neither."""

    outcome: str
    visits: int
    kind: Literal["page", "error", "other"]


class LatestPage(Struct, frozen=True):
    """A relevant page that came lately."""

    url: str
    title: str
    address: str
    organisation: str
    node: str
    time: float  # Unix; simulated on a replayed web


class State(Struct, frozen=True):
    """The whole crawl."""

    name: str  # of its directory
    state: Literal["not begun", "running", "stopped", "broken off"]
    stopped: str = ""  # why
    trouble: str = ""  # what is wrong with the log or the job
    reading: bool = False  # the log has more than was read so far
    expected: int = 0  # visits that the last snapshot knew of
    limit: int = 0  # pages at which it stops; 0: none
    written: float = 0.0  # Unix time of the last snapshot
    numbers: Numbers = Numbers()
    harvest: Harvest = Harvest()
    pace: Pace = Pace()
    queue: list[
        tuple[int, int]
    ] = []  # pages, and links that waited then, by the snapshots that were seen
    nodes: list[WatchedNode] = []
    places: Places = Places()
    outcomes: list[OutcomeCount] = []
    refused: dict[str, int] = {}
    hosts: list[tuple[str, int]] = []  # with the most pages
    latest: list[LatestPage] = []  # newest first
