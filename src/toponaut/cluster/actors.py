"""The actors of a crawl on Ray: nodes and keepers of clocks, and how they call each other.

Actors are detached and have names, so that they outlive a driver that dies: the next one finds them, by the crawl's directory. Ray
begins an actor anew when its process or machine is lost, without its memory: it then takes a new epoch and rebuilds itself
from the logs (worker.py).
"""

import asyncio
import logging
import os
import time
from pathlib import Path
from typing import Any

import msgspec
import ray

from toponaut.cluster.beats import DRIVER, Driving, Order, Told, Watched
from toponaut.cluster.disk import LifeOnDisk, given_files
from toponaut.cluster.metrics import Metrics
from toponaut.cluster.setup import Setup, keeper_name
from toponaut.cluster.worker import Worker
from toponaut.crawl.memory import collect_seldom
from toponaut.crawl.start import fetcher_of
from toponaut.crawl.strategies import Strategies
from toponaut.crawl.synthetic import open_web
from toponaut.log import Fence, FencedError, begin
from toponaut.log.epochs import epochs
from toponaut.page.reading.pool import Readers, open_readers
from toponaut.store import PatientStore, open_store
from toponaut.web.fetch import Fetcher
from toponaut.web.politeness.clock_keeper import LOOK_S, ClockKeeper
from toponaut.web.politeness.lease_messages import LeaseReply, LeaseRequest

_SILENT_S = 30.0  # a call that is not answered for so long has failed

# Bytes take Ray a fifth of the time that objects do.
_encode = msgspec.msgpack.Encoder().encode
_read_asked = msgspec.msgpack.Decoder(LeaseRequest).decode
_read_answer = msgspec.msgpack.Decoder(LeaseReply).decode


class RayOthers:
    """The other actors, by their names. A handle that fails is looked up anew."""

    def __init__(self, setup: Setup) -> None:
        self.keepers = setup.keepers
        self._namespace = setup.namespace
        self._handles: dict[str, Any] = {}

    async def post(self, actor: str, letter: bytes) -> int:
        return int(await self._call(actor, "receive", letter))

    async def ask(self, keeper: int, asked: LeaseRequest) -> LeaseReply:
        return _read_answer(await self._call(keeper_name(keeper), "ask", _encode(asked)))

    async def _call(self, name: str, method: str, argument: object) -> Any:
        try:
            if name not in self._handles:
                self._handles[name] = ray.get_actor(name, self._namespace)
            async with asyncio.timeout(
                _SILENT_S
            ):  # wait_for() may lose a cancellation, and with it the end of a loop
                return await getattr(self._handles[name], method).remote(argument)
        except BaseException:
            self._handles.pop(name, None)
            raise


class NodeActor:
    """A worker as an actor. It begins when it is first called, also after Ray has begun it anew: in a thread, because reading the logs
    takes its time, and who says nothing for long is taken for dead."""

    def __init__(self, actor: str, setup: Setup) -> None:
        self._actor, self._setup = actor, setup
        self._disk = LifeOnDisk(setup.job.storage.disk, setup.namespace)
        self._beginning: asyncio.Task[Worker] | None = None
        self._ending: asyncio.Task[None] | None = None
        self._heard: tuple[Driving, float] | None = None  # the driver, and when
        self._latest = 0  # the driver's epoch, as far as is known
        self._metrics = Metrics(setup.root, setup.parts.node_of(actor), actor)

    def _begun(self) -> asyncio.Task[Worker]:
        if self._beginning is None:
            self._beginning = asyncio.ensure_future(self._begin())
        return self._beginning

    async def _begin(self) -> Worker:
        setup, job = self._setup, self._setup.job
        made = open_web(setup.synthetic) if setup.synthetic is not None else None
        since = Path(setup.since) if setup.since else None
        web = fetcher_of(job, made or (Path(setup.replay) if setup.replay else None), since)
        readers = await open_readers(job, setup.workers or 0)
        worker = await asyncio.to_thread(self._make_worker, web, readers)
        collect_seldom()
        worker.start(RayOthers(setup))
        return worker

    def _make_worker(self, web: Fetcher, readers: Readers) -> Worker:
        store = PatientStore(open_store(self._setup.root))
        drivers = [one.number for one in epochs(store.subfolder("log")) if one.actor == DRIVER]
        self._latest = max(self._latest, *drivers)
        strategies = Strategies(self._setup.job, given_files(store, self._disk.path / "given"))
        return Worker(
            self._actor, self._setup.parts, store, self._disk.path, strategies, web, readers
        )

    async def digest(self) -> str:
        """What it was made from; nothing if it has ended: then another one has to be made."""
        return self._setup.digest if self._ending is None else ""

    async def watched(self) -> Watched | None:
        return Watched(self._heard[0], time.monotonic() - self._heard[1]) if self._heard else None

    async def receive(self, letter: bytes) -> int:
        return (await asyncio.shield(self._begun())).receive(letter)

    async def beat(self, order: Order) -> Told:
        if order.driver.epoch < self._latest:
            return Told(taken_over=self._heard[0].who if self._heard else "it came later")
        self._latest, self._heard = order.driver.epoch, (order.driver, time.monotonic())
        if not self._begun().done():
            return Told()
        if error := self._begun().exception():
            return Told(
                trouble=str(getattr(error, "cause", None) or f"{type(error).__name__}: {error}")
            )
        beat = self._begun().result().beat(order.allowed, order.reclaim)
        if beat.trouble.startswith(FencedError.__name__):
            os._exit(1)  # a later life goes on
        self._metrics.tell(beat)
        return Told(beat)

    async def end(self, at_once: bool) -> None:
        """Lets what is under way come to its end, unless it has to be at once, and brings all to the shared storage."""
        if self._ending is None:
            self._ending = asyncio.ensure_future(self._end())
        if at_once and self._begun().done():
            self._begun().result().hurry()
        await asyncio.shield(self._ending)

    async def _end(self) -> None:
        if self._beginning is not None:
            await (await self._beginning).end()
        self._disk.end()


class KeeperActor:
    """A keeper of clocks as an actor. It looks into the storage all the time whether a later one has begun."""

    def __init__(self, number: int, setup: Setup) -> None:
        self._setup = setup
        logs = PatientStore(open_store(setup.root)).subfolder("log")
        self._looked = time.monotonic()
        self._epoch = begin(logs, keeper_name(number), time.time())
        self._fence = Fence(logs, self._epoch)
        delay = setup.job.politeness.delay if setup.live else 0.0
        self._keeper = ClockKeeper(
            delay, time.monotonic(), epoch=self._epoch.number, successor=self._epoch.before > 0
        )
        self._looking: asyncio.Task[None] | None = None

    async def digest(self) -> str:
        return self._setup.digest

    async def ask(self, wire: bytes) -> bytes:
        self._looking = self._looking or asyncio.ensure_future(self._look())
        return _encode(self._keeper.ask(_read_asked(wire), time.monotonic(), self._looked))

    async def _look(self) -> None:
        while True:
            at = time.monotonic()
            try:
                await asyncio.to_thread(self._fence.check_storage)
                self._looked = at
            except FencedError:
                os._exit(1)
            except (
                Exception
            ) as error:  # the storage cannot be read: nothing is given out until it can be
                logging.getLogger(__name__).warning("%s: %s", self._epoch.log, error)
            await asyncio.sleep(LOOK_S / 4)
