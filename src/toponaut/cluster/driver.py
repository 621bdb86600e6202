"""The driver of a crawl on Ray: begins the actors or finds them, watches over them, and ends them."""

import asyncio
import contextlib
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import ray

from toponaut.cluster.actors import KeeperActor, NodeActor
from toponaut.cluster.budget import Budget
from toponaut.cluster.machines import check, connect
from toponaut.cluster.setup import Setup, keeper_name
from toponaut.cluster.telling import progress_of
from toponaut.cluster.worker import Beat
from toponaut.crawl.directory import Directory
from toponaut.crawl.run import Ended
from toponaut.crawl.status import Snapshot, write_snapshot
from toponaut.crawl.surroundings import Strategies

_BEAT_S = 0.25
_SILENT_S = 30.0  # an actor that does not answer for so long is ended: Ray begins it anew elsewhere
_STARTING_S = 300.0  # unless it has not answered yet: it reads the logs


class Driver:
    """Begins the actors or finds them, watches over them, and ends them."""

    def __init__(self, setup: Setup, say: Callable[[str], None]) -> None:
        self._setup, self._say = setup, say
        self._directory = Directory(Path(setup.root))
        self._actors: dict[str, Any] = {}
        self._keepers: list[Any] = []
        self._beats: dict[str, Beat] = {}
        self._answered: dict[str, float] = {}
        self._started = time.monotonic()
        self._why = ""

    async def run(self) -> Ended:
        setup = self._setup
        for number in range(setup.keepers):
            self._keepers.append(await self._find(keeper_name(number), KeeperActor, number))
        for actor in setup.parts.actors:
            self._actors[actor] = await self._find(actor, NodeActor, actor)
        try:
            why = await self._watch()
        except asyncio.CancelledError:
            why = "it was interrupted"
        await self._end()
        progress = progress_of(self._beats, setup.parts, time.monotonic() - self._started)
        write_snapshot(self._directory, Snapshot(progress, why))
        return Ended(why, why == "it was interrupted", progress)

    async def _find(self, name: str, kind: type, *arguments: object) -> Any:
        """The actor of that name, if there is one that was made from the same; else a new one."""
        namespace = self._setup.namespace
        with contextlib.suppress(Exception):
            there = ray.get_actor(name, namespace)
            if await asyncio.wait_for(there.digest.remote(), _SILENT_S) == self._setup.digest:
                return there
            ray.kill(there, no_restart=True)
            await asyncio.sleep(1.0)
        made: Any = ray.remote(kind)
        options = made.options(
            name=name,
            namespace=namespace,
            lifetime="detached",
            num_cpus=0,
            max_restarts=-1,
            max_concurrency=1000,
            scheduling_strategy="SPREAD",
        )
        return options.remote(*arguments, self._setup)

    async def _watch(self) -> str:
        """Until all is done, twice in a row with nothing done in between."""
        await self._beat_all({})
        while len(self._beats) < len(self._actors):
            await asyncio.sleep(_BEAT_S)
            await self._beat_all({})
        limits = self._setup.job.limits
        budget = Budget(limits.pages, {actor: beat.totals.pages for actor, beat in self._beats.items()})
        before: dict[str, tuple[int, int]] = {}
        while True:
            grants = {
                actor: budget.grant(actor, beat.allowed, beat.totals.pages, beat.idle)
                for actor, beat in self._beats.items()
            }
            await self._beat_all(grants)
            beats = self._beats
            write_snapshot(self._directory, Snapshot(self._progress()))
            now = {actor: (beat.epoch, beat.activity) for actor, beat in beats.items()}
            if trouble := next((beat.trouble for beat in beats.values() if beat.trouble), ""):
                return f"of an error: {trouble}"
            if why := self._limit_reached(budget):
                return why
            if now == before and all(beat.idle for beat in beats.values()):
                return "nothing is left to fetch"
            before = now
            await asyncio.sleep(_BEAT_S)

    def _limit_reached(self, budget: Budget) -> str:
        limits, beats = self._setup.job.limits, self._beats.values()
        if budget.spent({beat.actor: beat.totals.pages for beat in beats}):
            return f"the page limit is reached (limits.pages = {limits.pages})"
        if limits.total_bytes and sum(beat.totals.size for beat in beats) >= limits.total_bytes:
            return f"the byte limit is reached (limits.total_bytes = {limits.total_bytes})"
        if limits.seconds and time.monotonic() - self._started >= limits.seconds:
            return f"the time limit is reached (limits.seconds = {limits.seconds})"
        return ""

    async def _beat_all(self, grants: dict[str, int]) -> None:
        await asyncio.gather(*(self._beat(actor, grants.get(actor)) for actor in self._actors))

    async def _beat(self, actor: str, allowed: int | None) -> None:
        """Asks an actor how it is. One that is silent for long is ended, and Ray begins it anew."""
        self._answered.setdefault(actor, time.monotonic())
        idle = actor in self._beats and self._beats[actor].idle
        try:
            told = await asyncio.wait_for(self._actors[actor].beat.remote(allowed, idle), 5.0)
        except (ray.exceptions.RayError, TimeoutError):
            patience = _SILENT_S if actor in self._beats else _STARTING_S
            if time.monotonic() - self._answered[actor] > patience:
                self._say(f"{actor} does not answer; it is begun anew")
                ray.kill(self._actors[actor], no_restart=False)
                self._answered[actor] = time.monotonic()
            return
        self._beats[actor] = told
        self._answered[actor] = time.monotonic()

    def _progress(self) -> Any:
        return progress_of(self._beats, self._setup.parts, time.monotonic() - self._started)

    async def _end(self) -> None:
        await asyncio.gather(*(actor.end.remote() for actor in self._actors.values()), return_exceptions=True)
        await self._beat_nothing()
        for handle in [*self._actors.values(), *self._keepers]:
            ray.kill(handle, no_restart=True)

    async def _beat_nothing(self) -> None:
        """The last totals: what was under way has come to its end."""
        with contextlib.suppress(Exception):
            await self._beat_all({})


def crawl_on(address: str, setup: Setup, text: str, say: Callable[[str], None]) -> Ended:
    """Runs a crawl on a cluster to its end."""
    connect(address)
    try:
        directory = Directory(Path(setup.root))
        strategies = Strategies(setup.job, directory.given)
        with directory.open(text, setup.job):
            check(directory.root)
            strategies.keep_files()
            return asyncio.run(Driver(setup, say).run())
    finally:
        ray.shutdown()
