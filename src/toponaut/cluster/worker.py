"""One actor of a cluster: a node, or a shard of one, with its log, its frontier and the loops that keep them going.

    crawl     takes links while there is room, and settles what comes back
    post      letters to other actors (posting.py)
    lease     asks the keepers for the clocks of hosts
    commit    every second to the disk
    ship      every seal_seconds to the shared storage

It knows nothing of Ray: what it needs of others is handed in (`Others`). When it finds that a later life of it has begun, it ends.
"""

import asyncio
import socket
import time as system_time
from collections.abc import Awaitable, Callable, Iterator, Mapping
from functools import partial
from pathlib import Path
from threading import Lock
from typing import Protocol

from toponaut.cluster.beats import Beat
from toponaut.cluster.ended import EndedEpochs
from toponaut.cluster.exchange import ClusterExchange, Parts, by_actor
from toponaut.cluster.letters import Found, Inbox, Outbox, Packed, from_bytes
from toponaut.cluster.own_log import OwnLog
from toponaut.cluster.posting import FENCED, Postman
from toponaut.cluster.rebuild import rebuild
from toponaut.crawl.directory import cannot_write
from toponaut.crawl.surroundings import Strategies
from toponaut.errors import InputError
from toponaut.frontier import Frontier
from toponaut.gate.gate import Gate
from toponaut.job import Job
from toponaut.log import FencedError, begin
from toponaut.log.epochs import epochs
from toponaut.node import Node, Shared
from toponaut.page.reading.readers import Readers
from toponaut.records import PAGES, QueuedLink
from toponaut.store import Store
from toponaut.timing import LiveTime, SimulatedTime, Time
from toponaut.urls import host_of, normalise
from toponaut.web.fetch import Fetcher
from toponaut.web.politeness.lease_messages import LeaseReply, LeaseRequest
from toponaut.web.politeness.leases import LeasedClocks, LeasedFetcher, LeaseOverError
from toponaut.web.politeness.polite_fetcher import PoliteFetcher

_LEASE_TICK_S = 0.02  # so often one of the keepers may be asked
_COMMIT_S = 1.0
_AGAIN_S = 0.5  # after a call that failed
_ORPHAN_S = 60.0  # without a word of the driver it takes nothing more: a crawl that was forgotten comes to rest


class Others(Protocol):
    """The rest of the cluster. Calls may fail in any way: they are made again."""

    keepers: int

    async def post(self, actor: str, letter: bytes) -> int: ...

    async def ask(self, keeper: int, asked: LeaseRequest) -> LeaseReply: ...


class PatientTime(SimulatedTime):
    """Simulated time that goes on by itself as the real one does, and lets others have their turn before it jumps: what is waited for
    (the clock of a host that nobody has asked yet) may come from them, and is looked for again a moment later."""

    def __init__(self) -> None:
        super().__init__()
        self._began = system_time.monotonic()

    def now(self) -> float:
        return super().now() + self._passed()

    def end_of(self, seconds: float) -> float:  # noqa: ARG002 (it goes on by itself: an answer is over when it is here)
        return self.now()

    def start_at(self, moment: float) -> None:
        super().start_at(moment - self._passed())

    async def sleep_until(self, moment: float) -> None:
        await asyncio.sleep(0.001)
        await super().sleep_until(moment - self._passed())

    def _passed(self) -> float:
        return system_time.monotonic() - self._began


class Worker:
    """One life of an actor, from `begin` to `end`."""

    def __init__(
        self,
        actor: str,
        parts: Parts,
        store: Store,
        disk: Path,
        strategies: Strategies,
        web: Fetcher,
        readers: Readers,
    ) -> None:
        self.actor, self.job = actor, strategies.job
        self._store, self._disk, self._parts, self._strategies = store, disk, parts, strategies
        self._web, self._readers = web, readers
        self.time: Time = LiveTime() if web.live else PatientTime()
        self._allowed = 0
        self._activity = 0
        self._why = ""
        self.trouble = ""
        self._under_way: set[asyncio.Task[None]] = set()
        self._woken = asyncio.Event()
        self._loops: list[asyncio.Task[None]] = []
        self._shipping = Lock()
        self._heard = system_time.monotonic()  # of the driver
        self._open()

    # --- beginning ---------------------------------------------------------------------------------------------------

    def _open(self) -> None:
        job, logs, parts = self.job, self._store.subfolder("log"), self._parts
        self.epoch = begin(logs, self.actor, system_time.time())
        known = epochs(logs)
        self._own = OwnLog(self._store, self._disk, self.epoch, job)
        self.log = self._own.log
        self.frontier = Frontier(self._disk / f"frontier-{self.epoch.number}", job.random_seed)
        self._clocks = LeasedClocks(
            job.politeness.delay, pages=lambda host: self._gate.pages(host), live=self._web.live
        )
        gate = Gate(job, self._clocks, system_time.gmtime().tm_year)
        learning = [one for one in self._strategies.by_name.values() if one.learns_from]
        rebuilt = rebuild(logs, known, self.actor, parts, self.frontier, gate, learning)
        self.totals = rebuilt.totals
        self._allowed = self.totals.pages
        self.log.heard(rebuilt.stamp)
        if isinstance(self.time, SimulatedTime):
            self.time.start_at(rebuilt.time)
        latest = {
            one.actor: one.number
            for one in known
            if one.actor in parts.actors and one.actor != self.actor
        }
        ended = EndedEpochs(logs, self.actor, known)
        self._inbox = Inbox(ended, rebuilt.applied, latest)
        announce = self.epoch.before > 0
        self._outboxes = {
            other: Outbox(
                self.actor,
                self.epoch.number,
                partial(self._links_from, other),
                self._written,
                announce,
            )
            for other in parts.actors
            if other != self.actor
        }
        self._postman = Postman(self._outboxes, lambda: self.log.stamp(0.0))
        self._gate = gate
        shared = Shared(
            job=job,
            time=self.time,
            web=PoliteFetcher(
                LeasedFetcher(self._web, self._clocks, self.time), self._clocks, self.time, job
            ),
            readers=self._readers,
            gate=gate,
            ordering=self._strategies.ordering,
            collaboration=self._strategies.collaboration,
            archive=self._own.archive,
            log=self.log,
            exchange=ClusterExchange(self.actor, parts, self.frontier, self._outboxes, self._send),
        )
        self.node = Node(parts.node_of(self.actor), self.frontier, shared)
        if self.actor == parts.actors[0]:
            self._seed(job, rebuilt.seeds)

    def _seed(self, job: Job, known: set[str]) -> None:
        urls = [url for seed in job.seeds if (url := normalise(seed)) and url not in known]
        if urls:
            self.totals.add(self.node.seed(list(dict.fromkeys(urls))))

    def _send(self, packed: Mapping[str, Packed]) -> None:
        """A visit was written that has links for these."""
        self._own.keep(packed)
        self._postman.soon(packed)

    def _written(self) -> int:
        return self.log.written

    def _links_from(self, other: str, sequence: int) -> Iterator[Found]:
        """What the own log has for another actor."""
        self._own.sync()
        visits = self._own.visits_from(sequence)
        return (
            (one.sequence, by_actor(self._parts, one.links, one.sequence).get(other, []))
            for one in visits
        )

    def start(self, others: Others) -> None:
        """Begins to crawl."""
        self._clocks.set_keepers(others.keepers)
        loops: list[Callable[[], Awaitable[None]]] = [self._crawl, self._commit, self._ship]
        loops.append(partial(self._postman.run, others.post))
        loops += [partial(self._lease, others, keeper) for keeper in range(others.keepers)]
        self._loops = [asyncio.ensure_future(self._guarded(loop)) for loop in loops]

    async def _guarded(self, work: Callable[[], Awaitable[None]]) -> None:
        """It is begun here: what is cancelled before its turn has not begun, and nobody misses its end."""
        try:
            await work()
        except asyncio.CancelledError:
            raise
        except Exception as error:
            self.trouble = self._in_words(error)
            self.stop(f"of an error: {self.trouble}")

    def _in_words(self, error: Exception) -> str:
        """What went wrong, in a line; on which machine, if it is that one's disk."""
        if isinstance(error, OSError) and not isinstance(error, ConnectionError | TimeoutError):
            error = cannot_write(error, self._disk)
        if isinstance(error, InputError):
            return f"{socket.gethostname()}: {error}"
        return f"{type(error).__name__}: {error}"

    # --- what others call --------------------------------------------------------------------------------------------

    def receive(self, wire: bytes) -> int:
        """Takes a letter, and answers how far that epoch is applied."""
        letter = from_bytes(wire)
        try:
            opened = self._inbox.open(letter)
        except FencedError:
            return FENCED
        if opened.anew:
            self._outboxes[letter.sender].announce()
            self._postman.soon([letter.sender])
        if opened.links:
            self.log.heard(letter.stamp)
            self.frontier.put(opened.links)
            self._activity += 1
            self._woken.set()
        return opened.applied

    def beat(self, allowed: int | None = None, reclaim: bool = False) -> Beat:
        """Tells how it is; may be given another grant, or be asked to give back what it does not use."""
        self._heard = system_time.monotonic()
        under_way = len(self._under_way)
        if allowed is not None and allowed != self._allowed:
            self._allowed = allowed
            self._woken.set()
        if reclaim and self._allowed >= 0:
            self._allowed = self.totals.pages + under_way
        frontier = self.frontier
        idle = not under_way and not len(frontier) and self._postman.all_answered
        return Beat(
            self.actor, self.epoch.number, idle, self._activity, self._allowed, self.totals, len(frontier),
            frontier.seen, frontier.hosts, frontier.resting, frontier.busy, self.time.now(), self.trouble,
        )  # fmt: skip

    def stop(self, why: str) -> None:
        """Takes nothing more."""
        self._why = self._why or why
        self._woken.set()

    async def end(self) -> None:
        """Lets what is under way come to its end, and brings everything to the shared storage."""
        self.stop("it was ended")
        if self._under_way:
            await asyncio.wait(set(self._under_way))
        self._own.roll()
        await self.abandon()
        await asyncio.to_thread(self._ship_now)

    def hurry(self) -> None:
        """Gives up what is under way: it is fetched again."""
        for task in self._under_way:
            task.cancel()

    async def abandon(self) -> None:
        """Ends at once, whatever is under way."""
        tasks = [*self._loops, *self._under_way]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        self._own.close()

    # --- loops -------------------------------------------------------------------------------------------------------

    async def _crawl(self) -> None:
        while True:
            self._woken.clear()
            self._fill()
            at = self.frontier.ready_at()
            if isinstance(self.time, SimulatedTime):
                if (
                    at is not None
                    and self._has_room()
                    and not self._under_way
                    and not self._clocks.waits
                ):
                    await self.time.sleep_until(at)
                    continue
                at = None
            soonest = _LEASE_TICK_S if self._clocks.crowded() else 0.001
            wait = 1.0 if at is None else min(max(at - self.time.now(), soonest), 1.0)
            await _wait_for(self._woken, wait)

    def _has_room(self) -> bool:
        under_way = len(self._under_way)
        allowed = self._allowed < 0 or self.totals.pages + under_way < self._allowed
        watched = system_time.monotonic() - self._heard < _ORPHAN_S
        return not self._why and allowed and watched and under_way < self.job.politeness.concurrent

    def _fill(self) -> None:
        while self._has_room():
            queued = self.node.next()
            if queued is None:
                return
            task = asyncio.ensure_future(self._guarded(partial(self._visit, queued)))
            self._under_way.add(task)
            task.add_done_callback(self._visited)

    async def _visit(self, queued: QueuedLink) -> None:
        try:
            catch = await self.node.catch(queued)
        except LeaseOverError:
            self.frontier.put_back(queued)
            self.frontier.release(host_of(queued.url), self.time.now())
            return
        for visit in self.node.settle(catch):
            self._activity += 1
            self.totals.add(visit)
            if visit.outcome in PAGES and self._gate.add(visit):
                self.frontier.drop(host_of(visit.url))

    def _visited(self, task: asyncio.Task[None]) -> None:
        self._under_way.discard(task)
        self._woken.set()

    async def _lease(self, others: Others, keeper: int) -> None:
        while True:
            await asyncio.sleep(_LEASE_TICK_S * others.keepers)
            sent = system_time.monotonic()
            asked = self._clocks.next_request(
                self.actor, self.epoch.number, keeper, self.time.now()
            )
            if asked is None:
                continue
            try:
                answer = await others.ask(keeper, asked)
            except FencedError:
                raise
            except Exception:
                await asyncio.sleep(_AGAIN_S)
                continue
            for host in self._clocks.apply_reply(keeper, asked, answer, sent, self.time.now()):
                if self._gate.is_full(host):
                    self.frontier.drop(host)
            self._woken.set()

    async def _commit(self) -> None:
        while True:
            await asyncio.sleep(_COMMIT_S)
            self._own.sync()

    async def _ship(self) -> None:
        while True:
            await asyncio.sleep(self.job.storage.seal_seconds)
            self._own.roll()
            await asyncio.to_thread(self._ship_now)
            self._own.trim(
                min(
                    (box.lacks for box in self._outboxes.values() if box.lacks is not None),
                    default=None,
                )
            )

    def _ship_now(self) -> None:
        with self._shipping:
            self._own.ship()


async def _wait_for(event: asyncio.Event, seconds: float) -> None:
    try:
        async with asyncio.timeout(seconds):
            await event.wait()
    except TimeoutError:
        pass
