"""A crawl as a watcher sees it: a fold over its log, and the last snapshot of the crawling process.

The log tells what has happened (pages, addresses, errors), a snapshot what has not yet (links that wait, hosts at rest). Every
look reads only what the log has beyond the last one, and what is kept is bounded (folding.py, bounded.py), so a crawl of a
million pages can be watched as one of a thousand. Where the log lost what was read already, as a power cut may do, the fold
begins anew; where there is no crawl yet, the next look may find one.
"""

from collections import deque
from contextlib import suppress
from pathlib import Path
from time import monotonic

import msgspec

from toponaut.app.bounded import PAUSE_S, Curve, Sightings
from toponaut.app.folding import FIELDS, Fold
from toponaut.app.state import Harvest, Numbers, OutcomeCount, Pace, State, WatchedNode
from toponaut.crawl.directory import Directory
from toponaut.crawl.progress import FAULTS, NodeProgress, Totals
from toponaut.crawl.status import Snapshot, is_running, read_snapshot, snapshot_written
from toponaut.errors import InputError
from toponaut.log import StaleError
from toponaut.records import PAGES

HOSTS = 20  # that are told
_SPEED_S = 10.0  # pages a second are over this long


class Watch:
    """Watches a crawl's directory. It is not for several threads at a time."""

    def __init__(self, root: Path) -> None:
        self._directory = Directory(root)
        self._forget()

    def _forget(self) -> None:
        self._fold: Fold | None = None
        self._listing: list[tuple[str, str, int]] | None = None  # of the log, when it was last read
        self._behind = False
        self._trouble = ""
        self._limit = 0  # of pages, by the job as it was written at `_job_written`
        self._job_written = 0.0
        self._snapshot: Snapshot | None = None
        self._written = 0.0
        self._state: State | None = None
        self._watch_anew()

    def _watch_anew(self) -> None:
        """A run begins: what was seen of another one says nothing about its pace."""
        self._seen = Sightings()
        self._recent: deque[tuple[float, int]] = deque()  # times and pages of the last ten seconds

    def look(self, seconds: float = 1.0) -> State:
        """The crawl now. Reading stops after so long; then the state says that there is more, and the next look goes on.

        Where nothing has changed it is the very same object.
        """
        if not self._directory.exists():
            self._forget()
            return State(self._directory.root.name, "not begun")
        running = is_running(
            self._directory
        )  # asked first: what has ended by now has written all that it will
        if running and self._state and self._state.state != "running":
            self._watch_anew()
        seen, read = self._see(), self._read(seconds)
        if seen or read or self._state is None or running is not (self._state.state == "running"):
            self._state = self._told(running)
        return self._state

    # --- seeing what is new ------------------------------------------------------------------------------------------

    def _see(self) -> bool:
        """Takes in the last snapshot; whether it is a new one."""
        written = snapshot_written(self._directory)
        if written in (0.0, self._written):
            return False
        snapshot = read_snapshot(self._directory)
        if snapshot is None:
            return False
        if self._snapshot and _is_anew(self._snapshot, snapshot, written - self._written):
            self._watch_anew()
        self._snapshot, self._written = snapshot, written
        self._seen.add(written, snapshot.progress.pages, snapshot.progress.queued)
        self._recent.append((written, snapshot.progress.pages))
        while len(self._recent) > 2 and written - self._recent[0][0] > _SPEED_S:
            self._recent.popleft()
        return True

    def _read(self, seconds: float) -> bool:
        """Takes in what the log has beyond the last time; whether that changed anything."""
        listing = (
            self._directory.logs.listing()
        )  # before the reading: what comes meanwhile is read the next time
        if listing == self._listing and not self._behind and not self._trouble:
            return False
        before = (self._behind, self._trouble, self._fold and self._fold.position)
        try:
            self._trouble = ""
            self._add_batches(seconds)
        except StaleError:
            self._fold = None
            self._read(seconds)
            return True
        except InputError as error:
            self._trouble, self._behind = str(error), False
        self._listing = listing
        return before != (self._behind, self._trouble, self._fold and self._fold.position)

    def _add_batches(self, seconds: float) -> None:
        if self._fold is None:
            self._fold = Fold(self._directory.read_job())
        until = monotonic() + seconds
        self._behind = False
        for batch in self._directory.logs.batches(self._fold.position, FIELDS):
            self._fold.add(batch.visits)
            self._fold.position = batch.position
            if monotonic() >= until:
                self._behind = True
                return

    # --- telling it --------------------------------------------------------------------------------------------------

    def _told(self, running: bool) -> State:
        fold, snapshot = self._fold, self._snapshot
        expected = sum(snapshot.progress.outcomes.values()) if snapshot else 0
        state = State(
            name=self._directory.root.name,
            state="running"
            if running
            else "stopped"
            if snapshot and snapshot.stopped
            else "broken off",
            stopped=snapshot.stopped if snapshot and not running else "",
            trouble=self._trouble,
            # Who keeps up with a crawl that runs may stop short of the last second's visits, too: that is not worth a word.
            reading=self._behind and not (fold and snapshot and fold.totals.visits >= expected),
            expected=expected,
            limit=self._page_limit(),
            written=self._written,
            queue=self._seen.queue(),
        )
        if fold is None:
            return state
        return msgspec.structs.replace(
            state,
            numbers=self._numbers(fold.totals, running),
            harvest=Harvest(fold.curve.window, fold.curve.points()),
            pace=Pace("snapshots", self._seen.pace())
            if fold.simulated
            else Pace("log", fold.pace.points()),
            nodes=self._nodes(fold),
            places=fold.targets.told(),
            outcomes=_outcomes(fold.totals),
            refused=dict(fold.totals.refused.most_common()),
            hosts=fold.hosts.most_common(HOSTS),
            latest=list(fold.latest),
        )

    def _page_limit(self) -> int:
        """Whoever resumes a crawl may give it another limit."""
        with suppress(OSError, InputError):
            written = self._directory.job.stat().st_mtime
            if written != self._job_written:
                self._limit, self._job_written = self._directory.read_job().limits.pages, written
        return self._limit

    def _numbers(self, totals: Totals, running: bool) -> Numbers:
        now = self._snapshot.progress if self._snapshot else None
        return Numbers(
            visits=totals.visits,
            pages=totals.pages,
            relevant=totals.relevant,
            harvest=round(totals.harvest, 4),
            addresses=totals.addresses,
            errors=totals.faults,
            received=totals.size,
            queued=now.queued if now else 0,
            hosts=now.hosts if now else 0,
            resting=now.resting if now else 0,
            busy=now.busy if now and running else 0,
            sent=now.sent if now else 0,
            per_second=self._speed() if running else 0.0,
        )

    def _speed(self) -> float:
        if len(self._recent) < 2:
            return 0.0
        (before, earlier), (now, pages) = self._recent[0], self._recent[-1]
        return round(max(pages - earlier, 0) / (now - before), 1)

    def _nodes(self, fold: Fold) -> list[WatchedNode]:
        """In the order of the snapshot, and then those that only the log knows."""
        waiting = (
            {node.node: node for node in self._snapshot.progress.nodes} if self._snapshot else {}
        )
        return [
            _node(name, *(fold.nodes.get(name) or (Totals(), Curve())), waiting.get(name))
            for name in dict.fromkeys((*waiting, *sorted(fold.nodes)))
        ]


def _is_anew(before: Snapshot, now: Snapshot, seconds: float) -> bool:
    """Whether a snapshot is of another run than the one before, or even of another crawl."""
    return bool(before.stopped) or seconds > PAUSE_S or now.progress.pages < before.progress.pages


def _node(name: str, totals: Totals, curve: Curve, waiting: NodeProgress | None) -> WatchedNode:
    return WatchedNode(
        node=name,
        pages=totals.pages,
        relevant=totals.relevant,
        harvest=round(totals.harvest, 4),
        addresses=totals.addresses,
        errors=totals.faults,
        received=totals.size,
        queued=waiting.queued if waiting else 0,
        resting=waiting.resting if waiting else 0,
        busy=waiting.busy if waiting else 0,
        curve=curve.points(),
    )


def _outcomes(totals: Totals) -> list[OutcomeCount]:
    return [
        OutcomeCount(
            outcome,
            count,
            "page" if outcome in PAGES else "error" if outcome in FAULTS else "other",
        )
        for outcome, count in totals.outcomes.most_common()
    ]
