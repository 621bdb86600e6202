"""The Ray actors of a crawl: nodes, keepers of clocks, and the calls between them.

Actors are detached and named, so they outlive a driver that dies: the next one finds them by the
crawl's directory. Ray restarts an actor whose process or machine is lost, without its memory: it
then takes a new epoch and rebuilds its state from the logs (worker.py).
"""

import asyncio
import logging
import os
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import ray
from ray.util.metrics import Gauge

from toponaut.cluster.reports import (
    DRIVER,
    ActorReply,
    ActorReport,
    DriverContact,
    DriverIdentity,
    DriverOrder,
)
from toponaut.cluster.setup import ClusterSetup, keeper_name
from toponaut.cluster.storage import ActorDisk, copy_given_files
from toponaut.cluster.worker import Worker
from toponaut.crawl.process import collect_seldom
from toponaut.crawl.strategies import Strategies
from toponaut.crawl.webs import fetcher_of, open_web
from toponaut.log import Fence, FencedError, begin
from toponaut.log.epochs import epochs
from toponaut.page.reading.pool import Readers, open_readers
from toponaut.store import PatientStore, open_store
from toponaut.web.fetch import Fetcher
from toponaut.web.politeness.clock_keeper import LOOK_S, ClockKeeper
from toponaut.web.politeness.lease_messages import LeaseReply, LeaseRequest

_TIMEOUT_S = 30.0  # for a call

# Ray sends bytes five times as fast as objects.
_encode = msgspec.msgpack.Encoder().encode
_read_asked = msgspec.msgpack.Decoder(LeaseRequest).decode
_read_answer = msgspec.msgpack.Decoder(LeaseReply).decode


_METRICS: dict[str, tuple[str, Callable[[ActorReport], int]]] = {
    "pages": ("Pages fetched", lambda one: one.totals.pages),
    "relevant": ("Relevant pages", lambda one: one.totals.relevant),
    "received_bytes": ("Bytes received from the web", lambda one: one.totals.size),
    "faults": ("Requests that brought no page", lambda one: one.totals.faults),
    "queued": ("Waiting links", lambda one: one.figures.queued),
    "hosts_busy": ("Hosts with a request in flight", lambda one: one.figures.busy),
    "hosts_resting": (
        "Hosts with links that may not be asked yet",
        lambda one: one.figures.resting,
    ),
    "sent_links": ("Links sent to other nodes", lambda one: one.totals.sent),
    "message_bytes": ("Bytes of the messages with them", lambda one: one.totals.message_bytes),
}


class ActorMetrics:
    """An actor's figures for Prometheus: ray_toponaut_pages{crawl, node, actor}, and so on.

    They are gauges: they count all lives of an actor, and a counter would restart with each.
    """

    def __init__(self, crawl: str, node: str, actor: str) -> None:
        self._tags = {"crawl": crawl, "node": node, "actor": actor}
        self._gauges = {
            name: Gauge(f"toponaut_{name}", what, tuple(self._tags))
            for name, (what, _) in _METRICS.items()
        }

    def publish(self, report: ActorReport) -> None:
        for name, (_, figure) in _METRICS.items():
            self._gauges[name].set(figure(report), self._tags)


class RayCalls:
    """Calls to other actors by name. A handle that fails is looked up again."""

    def __init__(self, setup: ClusterSetup) -> None:
        self.keepers = setup.keepers
        self._namespace = setup.namespace
        self._handles: dict[str, Any] = {}

    async def post(self, actor: str, letter: bytes) -> int:
        return int(await self._call(actor, "receive", letter))

    async def ask(self, keeper: int, request: LeaseRequest) -> LeaseReply:
        return _read_answer(await self._call(keeper_name(keeper), "ask", _encode(request)))

    async def _call(self, name: str, method: str, argument: object) -> Any:
        try:
            if name not in self._handles:
                self._handles[name] = ray.get_actor(name, self._namespace)
            async with asyncio.timeout(_TIMEOUT_S):  # wait_for() may lose a cancellation
                return await getattr(self._handles[name], method).remote(argument)
        except BaseException:
            self._handles.pop(name, None)
            raise


class NodeActor:
    """A worker as an actor. It starts at the first call, also after a restart by Ray, and reads the
    logs in a thread, so that it can answer meanwhile.
    """

    def __init__(self, actor: str, setup: ClusterSetup) -> None:
        self._actor, self._setup = actor, setup
        self._disk = ActorDisk(setup.job.storage.disk, setup.namespace)
        self._starting: asyncio.Task[Worker] | None = None
        self._ending: asyncio.Task[None] | None = None
        self._heard: tuple[DriverIdentity, float] | None = (
            None  # the driver, and the time of its call
        )
        self._latest = 0  # the latest known epoch of a driver
        self._metrics = ActorMetrics(setup.root, setup.layout.node_of(actor), actor)

    def _started(self) -> asyncio.Task[Worker]:
        if self._starting is None:
            self._starting = asyncio.ensure_future(self._start())
        return self._starting

    async def _start(self) -> Worker:
        setup, job = self._setup, self._setup.job
        made = open_web(setup.synthetic) if setup.synthetic is not None else None
        since = Path(setup.since) if setup.since else None
        web = fetcher_of(job, made or (Path(setup.replay) if setup.replay else None), since)
        readers = await open_readers(job, setup.workers or 0)
        worker = await asyncio.to_thread(self._make_worker, web, readers)
        collect_seldom()
        worker.start(RayCalls(setup))
        return worker

    def _make_worker(self, web: Fetcher, readers: Readers) -> Worker:
        store = PatientStore(open_store(self._setup.root))
        drivers = [one.number for one in epochs(store.subfolder("log")) if one.actor == DRIVER]
        self._latest = max(self._latest, *drivers)
        strategies = Strategies(self._setup.job, copy_given_files(store, self._disk.path / "given"))
        return Worker(
            self._actor, self._setup.layout, store, self._disk.path, strategies, web, readers
        )

    async def digest(self) -> str:
        """The digest of its setup; "" if it has ended."""
        return self._setup.digest if self._ending is None else ""

    async def last_driver(self) -> DriverContact | None:
        return (
            DriverContact(self._heard[0], time.monotonic() - self._heard[1])
            if self._heard
            else None
        )

    async def receive(self, letter: bytes) -> int:
        return (await asyncio.shield(self._started())).receive(letter)

    async def report(self, order: DriverOrder) -> ActorReply:
        if order.driver.epoch < self._latest:
            return ActorReply(taken_over=self._heard[0].name if self._heard else "a later one")
        self._latest, self._heard = order.driver.epoch, (order.driver, time.monotonic())
        if not self._started().done():
            return ActorReply()
        if error := self._started().exception():
            return ActorReply(
                trouble=str(getattr(error, "cause", None) or f"{type(error).__name__}: {error}")
            )
        report = self._started().result().report(order.allowed, order.reclaim, order.market)
        if report.trouble.startswith(FencedError.__name__):
            os._exit(1)  # a later life has taken over
        self._metrics.publish(report)
        return ActorReply(report)

    async def end(self, at_once: bool) -> None:
        """Finish the requests in flight, or abandon them, and copy all to the shared storage."""
        if self._ending is None:
            self._ending = asyncio.ensure_future(self._end())
        if at_once and self._started().done():
            self._started().result().drive.cancel_visits()
        await asyncio.shield(self._ending)

    async def _end(self) -> None:
        if self._starting is not None:
            await (await self._starting).end()
        self._disk.end()


class KeeperActor:
    """A keeper of clocks as an actor. It keeps checking that no later one has started."""

    def __init__(self, number: int, setup: ClusterSetup) -> None:
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
            except Exception as error:  # it grants nothing until it can read the storage again
                logging.getLogger(__name__).warning("%s: %s", self._epoch.log, error)
            await asyncio.sleep(LOOK_S / 4)
