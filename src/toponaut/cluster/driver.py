"""The driver of a crawl on Ray: the command itself. It grants pages, shows progress, and ends it.

It calls every actor several times a second. The crawl is over when all actors were idle in two
rounds and nothing happened in between. A round is complete when every actor has answered a call
that was made after the round began, so an idle actor that died does not count as idle.
"""

import asyncio
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from toponaut.cluster.actors import ActorGroup, BrokenActorError
from toponaut.cluster.machines import HeadWatch, check_cluster, connected
from toponaut.cluster.reports import (
    DRIVER,
    ActorReply,
    ActorReport,
    DriverIdentity,
    DriverOrder,
    PageBudget,
    market_for,
    progress_of_actors,
)
from toponaut.cluster.setup import ClusterSetup
from toponaut.cluster.storage import DriverStorage
from toponaut.crawl.drive import NOTHING_LEFT
from toponaut.crawl.limits import reached_limit
from toponaut.crawl.process import STOPPING, Interrupts
from toponaut.crawl.progress import Progress
from toponaut.crawl.run import INTERRUPTED, INTERRUPTED_TWICE, CrawlEnd, Watch
from toponaut.crawl.status import Snapshot
from toponaut.crawl.strategies import Strategies
from toponaut.errors import InputError
from toponaut.log import begin

_CALL_S = 0.25
_SNAPSHOT_S = 1.0


class Driver:
    """One run of the command."""

    def __init__(
        self,
        setup: ClusterSetup,
        storage: DriverStorage,
        actors: ActorGroup,
        watch: Watch,
        say: Callable[[str], None],
        interrupts: Interrupts,
    ) -> None:
        self._setup, self._storage, self._actors = setup, storage, actors
        self._watch, self._say, self._interrupts = watch, say, interrupts
        self._reports: dict[str, ActorReport] = {}
        self._called: dict[str, float] = {}  # when the calls that brought these reports were made
        self._budget: PageBudget | None = None
        self._round = _IdleRound()
        self._started = time.monotonic()
        self._written = 0.0
        self._why = self._trouble = self._taken_over = ""
        self._lost = False  # Ray's head, or all machines
        self._at_once = asyncio.Event()

    async def run(self, driver: DriverIdentity) -> CrawlEnd:
        with self._handling_interrupts():
            await self._actors.gather()
            calls = [self._call_node(name, driver) for name in self._actors.nodes]
            calls += [self._call_keeper(name) for name in self._actors.keepers]
            calls.append(self._watch_cluster())
            tasks = [asyncio.ensure_future(call) for call in calls]
            try:
                why = await self._wait_for_end()
            finally:
                for task in tasks:
                    task.cancel()
                await asyncio.gather(*tasks, return_exceptions=True)
            return await self._end(why, driver)

    @contextmanager
    def _handling_interrupts(self) -> Iterator[None]:
        """The first Ctrl-C finishes the requests in flight, the second does not."""

        def interrupt() -> None:
            if self._why:
                self._at_once.set()
            else:
                self._say(STOPPING)
            self._why = INTERRUPTED_TWICE if self._why else INTERRUPTED

        self._interrupts.attach(interrupt)
        yield
        self._interrupts.detach()

    # --- calling ---------------------------------------------------------------------------------

    async def _call_node(self, actor: str, driver: DriverIdentity) -> None:
        """Call a node again and again. A grant counts until the node has answered, so that no other
        node gets the same pages.
        """
        allowed = None
        while not (self._trouble or self._taken_over):
            before = self._reports.get(actor)
            called = time.monotonic()
            reclaim = before is not None and before.needs_none
            seconds = called - self._started
            market = market_for(actor, self._reports, seconds)
            order = DriverOrder(driver, allowed, reclaim, market)
            try:
                reply: ActorReply | None = await self._actors.ask(actor, "report", order)
            except BrokenActorError as error:
                reply = ActorReply(trouble=str(error))
            allowed = self._take_reply(actor, reply, called) if reply else None
            await asyncio.sleep(_CALL_S)

    def _take_reply(self, actor: str, reply: ActorReply, called: float) -> int | None:
        """Take a reply; return the next grant."""
        self._taken_over = self._taken_over or reply.taken_over
        report = reply.report
        if trouble := reply.trouble or (report and report.trouble):
            self._trouble = self._trouble or f"{actor} cannot continue: {trouble}"
        if report is None:
            return None
        self._reports[actor], self._called[actor] = report, called
        if self._budget is None:
            return None
        return self._budget.grant(actor, report.allowed, report.totals.pages, report.needs_none)

    async def _call_keeper(self, keeper: str) -> None:
        while not self._trouble:
            try:
                await self._actors.ask(keeper, "digest")
            except BrokenActorError as error:
                self._trouble = self._trouble or f"{keeper} cannot continue: {error}"
            await asyncio.sleep(_CALL_S)

    async def _watch_cluster(self) -> None:
        """Stop when there is nobody left to call."""
        trouble = await self._actors.wait_until_lost()
        self._lost = True
        self._trouble = self._trouble or trouble

    # --- deciding --------------------------------------------------------------------------------

    async def _wait_for_end(self) -> str:
        """Wait for a reason to stop."""
        while True:
            if why := self._why or self._trouble or self._taken_over:
                return why
            if len(self._reports) == len(self._actors.nodes):
                if self._budget is None:
                    self._open_budget()
                elif why := self._limit_reached(self._budget) or self._round.end(
                    self._reports, self._called
                ):
                    return why
                self._write_progress()
            await asyncio.sleep(_CALL_S)

    def _open_budget(self) -> None:
        """The grants of an earlier driver are not granted again."""
        granted = {
            actor: max(report.allowed, report.totals.pages)
            for actor, report in self._reports.items()
        }
        self._budget = PageBudget(self._setup.job.limits.pages, granted)
        self._watch(self._progress)

    def _limit_reached(self, budget: PageBudget) -> str:
        limits, reports = self._setup.job.limits, self._reports.values()
        if budget.is_spent({report.actor: report.totals.pages for report in reports}):
            return reached_limit(limits, limits.pages, 0, 0.0)
        size = sum(report.totals.size for report in reports)
        return reached_limit(limits, 0, size, time.monotonic() - self._started)

    # --- reporting and ending --------------------------------------------------------------------

    def _progress(self) -> Progress:
        """Also called in the thread of a view, so it copies what the loop writes to."""
        seconds = time.monotonic() - self._started
        return progress_of_actors(dict(self._reports), self._setup.layout, seconds)

    def _write_progress(self, stopped: str = "") -> None:
        now = time.monotonic()
        if stopped or now - self._written >= _SNAPSHOT_S:
            self._written = now
            self._storage.write_progress(Snapshot(self._progress(), stopped))

    async def _end(self, why: str, driver: DriverIdentity) -> CrawlEnd:
        if self._taken_over:
            raise InputError(
                f"another command drives {self._setup.root} now ({self._taken_over})",
                f"Watch it there, or with `toponaut status {self._setup.root}`",
            )
        if not self._lost:
            await self._end_actors(driver)
        why = self._why or why  # it may have been interrupted since
        self._write_progress(f"of an error: {why}" if self._trouble else why)
        if self._trouble:
            fix = "Everything written is safe: fix the cause and repeat the command"
            if self._lost:
                fix = "What was sealed is safe: start the cluster again and repeat the command"
            raise InputError(self._trouble, fix)
        return CrawlEnd(why, why in (INTERRUPTED, INTERRUPTED_TWICE), self._progress())

    async def _end_actors(self, driver: DriverIdentity) -> None:
        for wrong in await self._actors.end(self._at_once):
            self._say(wrong)
        order = DriverOrder(driver)
        calls = (self._actors.ask(actor, "report", order) for actor in self._actors.nodes)
        for reply in await asyncio.gather(*calls, return_exceptions=True):
            if isinstance(reply, ActorReply) and reply.report:
                self._reports[reply.report.actor] = reply.report  # with the last requests
        self._actors.dismiss_all()


class _IdleRound:
    """Finds out whether all actors are idle."""

    def __init__(self) -> None:
        self._began = time.monotonic()
        self._before: dict[str, tuple[int, int]] = {}

    def end(self, reports: dict[str, ActorReport], called: dict[str, float]) -> str:
        """The reason to stop; "" if there is none yet."""
        if min(called.values()) < self._began:
            return ""
        now = {actor: (report.epoch, report.activity) for actor, report in reports.items()}
        if now == self._before and all(report.idle for report in reports.values()):
            return NOTHING_LEFT
        self._began, self._before = time.monotonic(), now
        return ""


def crawl_on(
    address: str,
    setup: ClusterSetup,
    text: str,
    watch: Watch,
    say: Callable[[str], None],
    interrupts: Interrupts | None = None,
) -> CrawlEnd:
    """Run a crawl on a cluster to its end."""
    storage = DriverStorage(setup.root)
    strategies = Strategies(setup.job, storage.directory.given)

    async def run(checked: ClusterSetup, actors: ActorGroup) -> CrawlEnd:
        epoch = begin(storage.store.subfolder("log"), DRIVER, time.time())
        driver = Driver(checked, storage, actors, watch, say, interrupts or Interrupts())
        return await driver.run(DriverIdentity.here(epoch.number))

    with connected(address):
        checked = check_cluster(setup)
        actors = ActorGroup(checked, say, HeadWatch(address))
        asyncio.run(actors.refuse_if_driven())
        with storage.open(text, setup.job, strategies):
            return asyncio.run(run(checked, actors))
