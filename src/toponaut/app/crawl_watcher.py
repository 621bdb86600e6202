"""Watching a crawl: a fold over its log, and the last snapshot of the crawling process.

The log has what happened (pages, addresses, errors), a snapshot what is pending (links waiting,
hosts at rest). Each look reads only what was added to the log since the last one, and memory is
bounded (log_statistics.py). If the log lost visits that were read, as after a power cut, the fold
starts again. If there is no crawl yet, a later look may find one.
"""

from collections import deque
from contextlib import suppress
from pathlib import Path
from time import monotonic
from typing import Any, Literal

from msgspec import Struct, structs

from toponaut.app.log_statistics import (
    FIELDS,
    PAUSE_S,
    LatestPage,
    LiveHarvestCurve,
    LogStatistics,
    SnapshotHistory,
    TargetCoverage,
)
from toponaut.crawl.address_counts import AddressCounts
from toponaut.crawl.directory import Directory
from toponaut.crawl.progress import FAULTS, NodeProgress, Progress, Totals, WatchProgress
from toponaut.crawl.status import Snapshot, is_running, read_snapshot, snapshot_written
from toponaut.errors import InputError
from toponaut.log import StaleError
from toponaut.records import PAGES

MAX_HOSTS = 20
_SPEED_S = 10.0  # interval of the current speed


class NodeNumbers(Struct, frozen=True, kw_only=True):
    """Totals. Those up to `received` are from the log, the others from the last snapshot."""

    pages: int = 0
    relevant: int = 0
    harvest: float = 0.0  # relevant pages / pages
    addresses: int = 0  # found
    errors: int = 0  # requests that fetched no page
    received: int = 0  # bytes
    queued: int = 0  # links waiting
    resting: int = 0  # hosts with links that must wait for the crawl delay
    busy: int = 0  # hosts with a request in flight


class CrawlNumbers(NodeNumbers, frozen=True, kw_only=True):
    address_counts: AddressCounts = AddressCounts()
    visits: int = 0  # in the log
    hosts: int = 0  # known
    sent: int = 0  # links from one node to another
    per_second: float = 0.0  # pages, over the last ten seconds; 0 if it does not run
    price: float = 0.0  # the promise that a link needs to be fetched now; 0: any
    explored: int = 0  # requests for links below the price
    watch: WatchProgress | None = None  # if the crawl is watched


class HarvestPoints(Struct, frozen=True):
    """The harvest over the pages: (pages, of all pages, of the last `window` pages)."""

    window: int = 0
    points: list[tuple[int, float, float]] = []


class PacePoints(Struct, frozen=True):
    """(seconds, pages per second), by the log's times or, if simulated, by snapshots."""

    source: Literal["log", "snapshots"] = "log"
    points: list[tuple[float, float]] = []


class NodeState(NodeNumbers, frozen=True, kw_only=True):
    node: str
    curve: list[tuple[int, float, float]]  # as in HarvestPoints, with fewer points


class OutcomeCount(Struct, frozen=True):
    outcome: str
    visits: int
    kind: Literal["page", "error", "other"]


class CrawlState(Struct, frozen=True):
    name: str  # of the directory
    state: Literal["not started", "running", "stopped", "aborted"]
    stopped: str = ""  # why
    trouble: str = ""  # a problem with the log or the job
    reading: bool = False  # part of the log is not yet counted
    expected: int = 0  # visits in the last snapshot
    limit: int = 0  # of pages, by the job or by the operator; 0: none
    paused: bool = False  # by the operator
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


# --- watching -------------------------------------------------------------------------------------


class CrawlWatcher:
    """Watches a crawl's directory. Not thread-safe."""

    def __init__(self, root: Path) -> None:
        self._directory = Directory(root)
        self._reset()

    def _reset(self) -> None:
        self._statistics: LogStatistics | None = None
        self._listing: list[tuple[str, str, int]] | None = None  # of the log, when last read
        self._behind = False
        self._trouble = ""
        self._limit = 0  # of pages, in the job as of `_job_written`
        self._job_written = 0.0
        self._snapshot: Snapshot | None = None
        self._written = 0.0
        self._state: CrawlState | None = None
        self._start_run()

    def _start_run(self) -> None:
        """A new run: snapshots of the last one say nothing about its pace."""
        self._history = SnapshotHistory()
        self._recent: deque[tuple[float, int]] = deque()  # (time, pages) of the last ten seconds

    def look(self, seconds: float = 1.0) -> CrawlState:
        """The state now; the same object if nothing has changed.

        Reading stops after `seconds`. If there is more, the state says so, and the next look
        continues.
        """
        if not self._directory.exists():
            self._reset()
            return CrawlState(self._directory.root.name, "not started")
        running = is_running(self._directory)  # first: a run that has ended has written everything
        if running and self._state and self._state.state != "running":
            self._start_run()
        seen, read = self._read_snapshot(), self._read_log(seconds)
        if seen or read or self._state is None or running is not (self._state.state == "running"):
            self._state = self._make_state(running)
        return self._state

    # --- reading -----------------------------------------------------------------------------

    def _read_snapshot(self) -> bool:
        """Take in the last snapshot; return whether it is new."""
        written = snapshot_written(self._directory)
        if written in (0.0, self._written):
            return False
        snapshot = read_snapshot(self._directory)
        if snapshot is None:
            return False
        if self._snapshot and _is_new_run(self._snapshot, snapshot, written - self._written):
            self._start_run()
        self._snapshot, self._written = snapshot, written
        self._history.add(written, snapshot.progress.pages, snapshot.progress.queued)
        self._recent.append((written, snapshot.progress.pages))
        while len(self._recent) > 2 and written - self._recent[0][0] > _SPEED_S:
            self._recent.popleft()
        return True

    def _read_log(self, seconds: float) -> bool:
        """Take in what was added to the log; return whether anything changed."""
        listing = self._directory.logs.listing()  # first: later additions are for the next look
        if listing == self._listing and not self._behind and not self._trouble:
            return False
        before = self._reading_state()
        try:
            self._trouble = ""
            self._add_batches(seconds)
        except StaleError:
            self._statistics = None
            self._read_log(seconds)
            return True
        except InputError as error:
            self._trouble, self._behind = str(error), False
        self._listing = listing
        return before != self._reading_state()

    def _reading_state(self) -> tuple[object, ...]:
        return self._behind, self._trouble, self._statistics and self._statistics.position

    def _add_batches(self, seconds: float) -> None:
        if self._statistics is None:
            self._statistics = LogStatistics(self._directory.read_job())
        until = monotonic() + seconds
        self._behind = False
        for batch in self._directory.logs.batches(self._statistics.position, FIELDS):
            self._statistics.add(batch.visits)
            self._statistics.position = batch.position
            if monotonic() >= until:
                self._behind = True
                return

    # --- the state ---------------------------------------------------------------------------

    def _make_state(self, running: bool) -> CrawlState:
        log, snapshot = self._statistics, self._snapshot
        expected = sum(snapshot.progress.outcomes.values()) if snapshot else 0
        ended = snapshot.stopped if snapshot and not running else ""
        state = CrawlState(
            name=self._directory.root.name,
            state="running" if running else "stopped" if ended else "aborted",
            stopped=ended,
            trouble=self._trouble,
            # Missing only the last second of a running crawl does not count as reading.
            reading=self._behind and not (log and snapshot and log.totals.visits >= expected),
            expected=expected,
            limit=self._page_limit(),
            written=self._written,
            queue=self._history.queue(),
        )
        if log is None:
            return state
        pace = PacePoints("log", log.pace.points())
        return structs.replace(
            state,
            limit=log.control.pages(state.limit),
            paused=log.control.paused,
            numbers=self._numbers(log.totals, running),
            harvest=HarvestPoints(log.curve.window, log.curve.points()),
            pace=PacePoints("snapshots", self._history.pace()) if log.simulated else pace,
            nodes=self._nodes(log),
            places=log.targets.coverage(),
            outcomes=_outcomes(log.totals),
            refused=dict(log.totals.refused.most_common()),
            hosts=log.hosts.most_common(MAX_HOSTS),
            latest=list(log.latest),
        )

    def _page_limit(self) -> int:
        """The limit of the job, which may change when a crawl is resumed."""
        with suppress(OSError, InputError):
            written = self._directory.job.stat().st_mtime
            if written != self._job_written:
                self._limit, self._job_written = self._directory.read_job().limits.pages, written
        return self._limit

    def _numbers(self, totals: Totals, running: bool) -> CrawlNumbers:
        counts = self._statistics.addresses.counts() if self._statistics else AddressCounts()
        now = self._snapshot.progress if self._snapshot else None
        return CrawlNumbers(
            **_node_numbers(totals, now, running),
            visits=totals.visits,
            address_counts=counts,
            hosts=now.hosts if now else 0,
            sent=now.sent if now else 0,
            per_second=self._speed() if running else 0.0,
            price=now.price if now else 0.0,
            explored=now.explored if now else 0,
            watch=now.watch if now else None,
        )

    def _speed(self) -> float:
        if len(self._recent) < 2:
            return 0.0
        (before, earlier), (now, pages) = self._recent[0], self._recent[-1]
        return round(max(pages - earlier, 0) / (now - before), 1)

    def _nodes(self, log: LogStatistics) -> list[NodeState]:
        """In the order of the snapshot, then nodes that are only in the log."""
        nodes = self._snapshot.progress.nodes if self._snapshot else ()
        waiting = {node.node: node for node in nodes}
        states = []
        for name in dict.fromkeys((*waiting, *sorted(log.nodes))):
            totals, curve = log.nodes.get(name) or (Totals(), LiveHarvestCurve())
            numbers = _node_numbers(totals, waiting.get(name))
            states.append(NodeState(node=name, curve=curve.points(), **numbers))
        return states


def _is_new_run(before: Snapshot, now: Snapshot, seconds: float) -> bool:
    """Whether a snapshot is of another run, or of another crawl, than the one before."""
    return bool(before.stopped) or seconds > PAUSE_S or now.progress.pages < before.progress.pages


def _node_numbers(
    totals: Totals, waiting: Progress | NodeProgress | None, running: bool = True
) -> dict[str, Any]:
    return {
        "pages": totals.pages,
        "relevant": totals.relevant,
        "harvest": round(totals.harvest, 4),
        "addresses": totals.addresses,
        "errors": totals.faults,
        "received": totals.size,
        "queued": waiting.queued if waiting else 0,
        "resting": waiting.resting if waiting else 0,
        "busy": waiting.busy if waiting and running else 0,
    }


def _outcomes(totals: Totals) -> list[OutcomeCount]:
    return [
        OutcomeCount(
            outcome,
            count,
            "page" if outcome in PAGES else "error" if outcome in FAULTS else "other",
        )
        for outcome, count in totals.outcomes.most_common()
    ]
