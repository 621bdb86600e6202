"""The driver of a crawl on Ray: the command itself. It grants pages, tells how far the crawl is, and ends it.

It asks every actor some times a second how it is. The crawl is over when all were idle in two rounds, with nothing done in between. A round
is complete when everybody has answered a question that was put after it began, so what was idle and died is not taken for idle.
"""

import asyncio
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from toponaut.cluster.beats import DRIVER, Beat, Driving, Order, Told, progress_of_actors
from toponaut.cluster.budget import Budget
from toponaut.cluster.crew import BrokenActorError, Crew
from toponaut.cluster.home import Home
from toponaut.cluster.machines import check, connected
from toponaut.cluster.setup import Setup
from toponaut.crawl.drive import reached_limit
from toponaut.crawl.interrupts import STOPPING, Interrupts
from toponaut.crawl.progress import Progress
from toponaut.crawl.run import INTERRUPTED, INTERRUPTED_TWICE, CrawlEnd, Watch
from toponaut.crawl.status import Snapshot
from toponaut.crawl.strategies import Strategies
from toponaut.errors import InputError
from toponaut.log import begin

_BEAT_S = 0.25
_SNAPSHOT_S = 1.0


class Driver:
    """One life of the command, from the first question to the end of the crawl."""

    def __init__(
        self,
        setup: Setup,
        home: Home,
        crew: Crew,
        watch: Watch,
        say: Callable[[str], None],
        interrupts: Interrupts,
    ) -> None:
        self._setup, self._home, self._crew, self._watch, self._say = setup, home, crew, watch, say
        self._interrupts = interrupts
        self._beats: dict[str, Beat] = {}
        self._asked: dict[
            str, float
        ] = {}  # when the questions were put to which these are the answers
        self._budget: Budget | None = None
        self._round = _Round()
        self._started = time.monotonic()
        self._told = 0.0
        self._why = self._trouble = self._taken_over = ""
        self._at_once = asyncio.Event()

    async def run(self, driving: Driving) -> CrawlEnd:
        with self._on_signals():
            await self._crew.gather()
            asking = [
                asyncio.ensure_future(self._attend(name, driving)) for name in self._crew.nodes
            ]
            asking += [asyncio.ensure_future(self._look_after(name)) for name in self._crew.keepers]
            try:
                why = await self._watch_over()
            finally:
                for task in asking:
                    task.cancel()
                await asyncio.gather(*asking, return_exceptions=True)
            return await self._end(why, driving)

    @contextmanager
    def _on_signals(self) -> Iterator[None]:
        """The first Ctrl-C lets what is under way come to its end, the second does not."""

        def interrupt() -> None:
            if self._why:
                self._at_once.set()
            else:
                self._say(STOPPING)
            self._why = INTERRUPTED_TWICE if self._why else INTERRUPTED

        self._interrupts.attach(interrupt)
        yield
        self._interrupts.detach()

    # --- asking ------------------------------------------------------------------------------------------------------

    async def _attend(self, actor: str, driving: Driving) -> None:
        """Asks a node again and again how it is. What it was granted counts until it has answered: so it is not granted to another."""
        allowed = None
        while not (self._trouble or self._taken_over):
            before = self._beats.get(actor)
            asked = time.monotonic()
            order = Order(driving, allowed, reclaim=before is not None and before.idle)
            try:
                told: Told | None = await self._crew.ask(actor, "beat", order)
            except BrokenActorError as error:
                told = Told(trouble=str(error))
            allowed = self._hear(actor, told, asked) if told else None
            await asyncio.sleep(_BEAT_S)

    def _hear(self, actor: str, told: Told, asked: float) -> int | None:
        """Takes in an answer; gives what is granted next."""
        self._taken_over = self._taken_over or told.taken_over
        if trouble := told.trouble or (told.beat and told.beat.trouble):
            self._trouble = self._trouble or f"{actor} cannot go on: {trouble}"
        if (beat := told.beat) is None:
            return None
        self._beats[actor], self._asked[actor] = beat, asked
        return (
            self._budget.grant(actor, beat.allowed, beat.totals.pages, beat.idle)
            if self._budget
            else None
        )

    async def _look_after(self, keeper: str) -> None:
        while not self._trouble:
            try:
                await self._crew.ask(keeper, "digest")
            except BrokenActorError as error:
                self._trouble = self._trouble or f"{keeper} cannot go on: {error}"
            await asyncio.sleep(_BEAT_S)

    # --- deciding ----------------------------------------------------------------------------------------------------

    async def _watch_over(self) -> str:
        """Until there is a reason to end."""
        while True:
            if why := self._why or self._trouble or self._taken_over:
                return why
            if len(self._beats) == len(self._crew.nodes):
                if self._budget is None:
                    self._begin_to_grant()
                elif why := self._limit_reached(self._budget) or self._round.end(
                    self._beats, self._asked
                ):
                    return why
                self._tell()
            await asyncio.sleep(_BEAT_S)

    def _begin_to_grant(self) -> None:
        """Of what a driver before this one has granted, nothing is granted again."""
        granted = {
            actor: max(beat.allowed, beat.totals.pages) for actor, beat in self._beats.items()
        }
        self._budget = Budget(self._setup.job.limits.pages, granted)
        self._watch(self._progress)

    def _limit_reached(self, budget: Budget) -> str:
        limits, beats = self._setup.job.limits, self._beats.values()
        if budget.spent({beat.actor: beat.totals.pages for beat in beats}):
            return reached_limit(limits, limits.pages, 0, 0.0)
        size = sum(beat.totals.size for beat in beats)
        return reached_limit(limits, 0, size, time.monotonic() - self._started)

    # --- telling and ending ------------------------------------------------------------------------------------------

    def _progress(self) -> Progress:
        """Also for the thread of a view: it gets a copy of what the loop writes to."""
        return progress_of_actors(
            dict(self._beats), self._setup.parts, time.monotonic() - self._started
        )

    def _tell(self, stopped: str = "") -> None:
        now = time.monotonic()
        if stopped or now - self._told >= _SNAPSHOT_S:
            self._told = now
            self._home.tell(Snapshot(self._progress(), stopped))

    async def _end(self, why: str, driving: Driving) -> CrawlEnd:
        if self._taken_over:
            cure = f"Watch it there, or by `toponaut status {self._setup.root}`"
            raise InputError(
                f"another command drives {self._setup.root} now ({self._taken_over})", cure
            )
        for wrong in await self._crew.end(self._at_once):
            self._say(wrong)
        asked = (self._crew.ask(actor, "beat", Order(driving)) for actor in self._crew.nodes)
        for told in await asyncio.gather(*asked, return_exceptions=True):
            if isinstance(told, Told) and told.beat:
                self._beats[told.beat.actor] = told.beat  # what was under way has come to its end
        self._crew.dismiss_all()
        why = self._why or why  # it may have been interrupted meanwhile
        self._tell(f"of an error: {why}" if self._trouble else why)
        if self._trouble:
            raise InputError(
                self._trouble,
                "All that was written is safe: mend that and give the same command again",
            )
        return CrawlEnd(why, why in (INTERRUPTED, INTERRUPTED_TWICE), self._progress())


class _Round:
    """Whether all is done."""

    def __init__(self) -> None:
        self._began = time.monotonic()
        self._before: dict[str, tuple[int, int]] = {}

    def end(self, beats: dict[str, Beat], asked: dict[str, float]) -> str:
        if min(asked.values()) < self._began:
            return ""
        now = {actor: (beat.epoch, beat.activity) for actor, beat in beats.items()}
        if now == self._before and all(beat.idle for beat in beats.values()):
            return "nothing is left to fetch"
        self._began, self._before = time.monotonic(), now
        return ""


def crawl_on(
    address: str,
    setup: Setup,
    text: str,
    watch: Watch,
    say: Callable[[str], None],
    interrupts: Interrupts | None = None,
) -> CrawlEnd:
    """Runs a crawl on a cluster to its end."""
    home = Home(setup.root)
    strategies = Strategies(setup.job, home.directory.given)

    async def run(settled: Setup, crew: Crew) -> CrawlEnd:
        driving = Driving.here(begin(home.store.subfolder("log"), DRIVER, time.time()).number)
        return await Driver(settled, home, crew, watch, say, interrupts or Interrupts()).run(
            driving
        )

    with connected(address):
        settled = check(setup)
        crew = Crew(settled, say)
        asyncio.run(crew.refuse_if_driven())
        with home.open(text, setup.job, strategies):
            return asyncio.run(run(settled, crew))
