"""The actors of a cluster in one process, without Ray: workers that call each other directly."""

import asyncio
import time
from pathlib import Path
from random import Random

from toponaut.cluster.actors import ActorGroup
from toponaut.cluster.driver import Driver
from toponaut.cluster.exchange import ActorLayout
from toponaut.cluster.reports import (
    ActorReply,
    DriverIdentity,
    DriverOrder,
    PageBudget,
    market_for,
)
from toponaut.cluster.setup import cluster_setup
from toponaut.cluster.storage import ActorDisk, DriverStorage
from toponaut.cluster.worker import Worker
from toponaut.crawl.process import Interrupts
from toponaut.crawl.run import CrawlEnd
from toponaut.crawl.strategies import Strategies
from toponaut.crawl.webs import fetcher_of
from toponaut.job import Job, render
from toponaut.page.reading.pool import open_readers
from toponaut.store import PatientStore, open_store
from toponaut.web.fetch import Fetcher
from toponaut.web.politeness.clock_keeper import ClockKeeper
from toponaut.web.politeness.lease_messages import LeaseReply, LeaseRequest


class DirectCalls:
    """Calls between the actors. A share `losses` of calls and of answers is lost."""

    keepers = 1

    def __init__(self, workers: dict[str, Worker], losses: float = 0.0) -> None:
        self.workers, self._losses = workers, losses
        self.keeper = ClockKeeper(0.0, time.monotonic())
        self._chance = Random(1)

    def _lose(self) -> None:
        if self._chance.random() < self._losses:
            raise ConnectionError

    async def post(self, actor: str, letter: bytes) -> int:
        self._lose()
        answer = self.workers[actor].receive(letter)
        self._lose()
        return answer

    async def ask(self, keeper: int, request: LeaseRequest) -> LeaseReply:
        assert keeper == 0
        self._lose()
        reply = self.keeper.ask(request, time.monotonic())
        self._lose()
        return reply


class LocalCluster:
    """A crawl by workers, of a replayed web or of the live one."""

    def __init__(self, root: Path | str, disks: Path, job: Job, web: Path | None) -> None:
        self.root = root
        self._storage, self._store = DriverStorage(str(root)), PatientStore(open_store(root))
        self._disks, self._job, self._web = disks, job, web
        self._strategies = Strategies(job)
        self.layout = ActorLayout(self._strategies.nodes, job.nodes.shards)
        self.workers: dict[str, Worker] = {}
        self._fetchers: list[Fetcher] = []
        self._lives = 0

    async def begin(self, actor: str) -> Worker:
        self._lives += 1
        strategies, web = Strategies(self._job), fetcher_of(self._job, self._web, None)
        self._fetchers.append(web)
        readers = await open_readers(self._job, 0)
        disk = self._disks / str(self._lives)
        if self._job.storage.disk:
            disk = ActorDisk(self._job.storage.disk, "toponaut-local").path
        worker = Worker(actor, self.layout, self._store, disk, strategies, web, readers)
        self.workers[actor] = worker
        return worker

    async def run(self, losses: float = 0.0, kill: bool = False) -> None:
        """Crawl until all actors are idle; the loop does what the driver does."""
        with self._storage.open(render(self._job), self._job, self._strategies):
            calls = DirectCalls(self.workers, losses)
            for actor in self.layout.actors:
                await self.begin(actor)
            for worker in list(self.workers.values()):
                worker.start(calls)
            pages = {name: one.totals.pages for name, one in self.workers.items()}
            budget = PageBudget(self._job.limits.pages, pages)
            before, chance, turns, began = None, Random(2), 0, time.monotonic()
            while True:
                reports = {
                    name: one.report(reclaim=last.needs_none)
                    for name, one in self.workers.items()
                    if (last := one.report())
                }
                assert not [report.trouble for report in reports.values() if report.trouble]
                now = {name: (report.epoch, report.activity) for name, report in reports.items()}
                pages = {name: report.totals.pages for name, report in reports.items()}
                idle = all(report.idle for report in reports.values())
                if budget.is_spent(pages) or (now == before and idle):
                    break
                for name, report in reports.items():
                    granted = budget.grant(name, report.allowed, pages[name], report.needs_none)
                    market = market_for(name, reports, time.monotonic() - began)
                    self.workers[name].report(granted, market=market)
                before, turns = now, turns + 1
                if kill and turns % 10 == 0 and turns < 60:
                    await self._replace(chance.choice(self.layout.actors), calls)
                await asyncio.sleep(0.05)
            await self.end()

    async def end(self) -> None:
        await asyncio.gather(*(worker.end() for worker in self.workers.values()))
        await asyncio.gather(*(fetcher.close() for fetcher in self._fetchers))

    async def _replace(self, actor: str, calls: DirectCalls) -> None:
        """End an actor without notice, with its disk lost, and start another one."""
        await self.workers[actor].abandon()
        (await self.begin(actor)).start(calls)

    async def drive(self) -> CrawlEnd:
        """Crawl with the driver itself, which applies the job's limits to all actors together."""
        setup = cluster_setup(self.root, self._job, workers=0, replay=self._web)
        with self._storage.open(render(self._job), self._job, self._strategies):
            driver = Driver(
                setup, self._storage, DirectActors(self), lambda _: None, print, Interrupts()
            )
            return await driver.run(DriverIdentity.here(1))


class DirectActors(ActorGroup):
    """The actors of a local cluster, for the driver."""

    def __init__(self, cluster: LocalCluster) -> None:
        self._cluster = cluster
        self.nodes, self.keepers = cluster.layout.actors, []

    async def gather(self) -> None:
        calls = DirectCalls(self._cluster.workers)
        for actor in self.nodes:
            (await self._cluster.begin(actor)).start(calls)

    async def ask(self, name: str, method: str, *arguments: object) -> ActorReply:
        (order,) = arguments
        assert method == "report"
        assert isinstance(order, DriverOrder)
        return ActorReply(
            self._cluster.workers[name].report(order.allowed, order.reclaim, order.market)
        )

    async def wait_until_lost(self) -> str:
        await asyncio.Event().wait()
        return ""

    async def end(self, at_once: asyncio.Event) -> list[str]:  # noqa: ARG002 (nothing is slow here)
        await self._cluster.end()
        return []

    def dismiss_all(self) -> None:
        pass
