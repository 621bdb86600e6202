"""The actors of a crawl on Ray: nodes and keepers of clocks, and how they call each other.

Actors are detached and have names, so that they outlive a driver that dies: the next one finds them, by the crawl's directory. Ray
begins an actor anew when its process or machine is lost, without its memory: it then takes a new epoch and rebuilds itself
from the logs (worker.py).
"""

import asyncio
import os
import time
from pathlib import Path
from typing import Any

import ray

from toponaut.cluster.disk import LifeOnDisk, given_files
from toponaut.cluster.setup import Setup, keeper_name
from toponaut.cluster.worker import Beat, Worker
from toponaut.crawl.start import fetcher_of
from toponaut.crawl.surroundings import Strategies
from toponaut.crawl.synthetic import open_web
from toponaut.log import Fence, FencedError, begin
from toponaut.readers import readers_of
from toponaut.store import Patient, open_store
from toponaut.web.leases import LEASE_S, Answer, Asked, Keeper

_SILENT_S = 30.0  # a call that is not answered for so long has failed


class RayOthers:
    """The other actors, by their names. A handle that fails is looked up anew."""

    def __init__(self, setup: Setup) -> None:
        self.keepers = setup.keepers
        self._namespace = setup.namespace
        self._handles: dict[str, Any] = {}

    async def post(self, actor: str, letter: bytes) -> int:
        return int(await self._call(actor, "receive", letter))

    async def ask(self, keeper: int, asked: Asked) -> Answer:
        answer: Answer = await self._call(keeper_name(keeper), "ask", asked)
        return answer

    async def _call(self, name: str, method: str, argument: object) -> Any:
        try:
            if name not in self._handles:
                self._handles[name] = ray.get_actor(name, self._namespace)
            return await asyncio.wait_for(getattr(self._handles[name], method).remote(argument), _SILENT_S)
        except BaseException:
            self._handles.pop(name, None)
            raise


class NodeActor:
    """A worker as an actor. It begins when it is first called, also after Ray has begun it anew."""

    def __init__(self, actor: str, setup: Setup) -> None:
        self._actor, self._setup = actor, setup
        self._disk = LifeOnDisk(setup.job.storage.disk, setup.namespace)
        self._beginning: asyncio.Task[Worker] | None = None

    async def _worker(self) -> Worker:
        if self._beginning is None:
            self._beginning = asyncio.ensure_future(self._begin())
        return await asyncio.shield(self._beginning)

    async def _begin(self) -> Worker:
        setup, job = self._setup, self._setup.job
        made = open_web(setup.synthetic) if setup.synthetic is not None else None
        web = fetcher_of(job, made or (Path(setup.replay) if setup.replay else None), None)
        readers = await readers_of(job, setup.workers)
        store = Patient(open_store(setup.root))
        strategies = Strategies(job, given_files(store, self._disk.path / "given"))
        worker = Worker(self._actor, setup.parts, store, self._disk.path, strategies, web, readers)
        worker.start(RayOthers(setup))
        return worker

    async def digest(self) -> str:
        return self._setup.digest

    async def receive(self, letter: bytes) -> int:
        return (await self._worker()).receive(letter)

    async def beat(self, allowed: int | None, reclaim: bool) -> Beat:
        beat = (await self._worker()).beat(allowed, reclaim)
        if beat.trouble.startswith(FencedError.__name__):
            os._exit(1)  # a later life goes on
        return beat

    async def end(self) -> None:
        await (await self._worker()).end()
        self._disk.end()


class KeeperActor:
    """A keeper of clocks as an actor."""

    def __init__(self, number: int, setup: Setup) -> None:
        self._setup = setup
        logs = Patient(open_store(setup.root)).at("log")
        self._epoch = begin(logs, keeper_name(number), time.time())
        self._fence = Fence(logs, self._epoch)
        self._keeper = Keeper(setup.job.politeness.delay, time.monotonic(), anew=self._epoch.before > 0)
        self._looked = time.monotonic()

    async def digest(self) -> str:
        return self._setup.digest

    async def ask(self, asked: Asked) -> Answer:
        now = time.monotonic()
        if now - self._looked > LEASE_S / 4:
            try:
                self._fence.check()
            except FencedError:
                os._exit(1)
            self._looked = now
        return self._keeper.ask(asked, now)
