"""One actor of a cluster: a node, or a shard of one, with its log, its frontier and its loops.

    drive     takes links while there is room, visits and settles them (actor_drive.py)
    commit    every second to the disk, every seal_seconds to the shared storage (crawl/commit.py)
    send      letters to other actors: links, and what its visits teach (exchange.py)
    lease     asks the keepers for the clocks of hosts

It does not know Ray: the calls to others are handed in (`ActorCalls`). It ends when a later life of
the same actor has started.
"""

import asyncio
import socket
import time as system_time
from collections.abc import Awaitable, Callable, Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import Protocol

from toponaut.cluster.actor_drive import LEASE_TICK_S, ActorDrive, GrantedPages
from toponaut.cluster.exchange import FENCED, ActorLayout, ClusterExchange, LetterSender, by_actor
from toponaut.cluster.lessons import LessonWriter
from toponaut.cluster.letters import EncodedLinks, Inbox, Outbox, from_bytes, pack
from toponaut.cluster.own_log import OwnLog
from toponaut.cluster.reports import ActorReport, Market
from toponaut.cluster.stored_logs import ActorHistory, StoredEpochs, rebuild
from toponaut.crawl.commit import TICK_S, Committer
from toponaut.crawl.directory import cannot_write
from toponaut.crawl.fold import LogFold
from toponaut.crawl.parts import assemble
from toponaut.crawl.progress import NodeFigures, Totals
from toponaut.crawl.strategies import Strategies
from toponaut.errors import InputError
from toponaut.frontier import Frontier
from toponaut.log import Epoch, FencedError, begin
from toponaut.log.epochs import epochs
from toponaut.node import Node
from toponaut.page.reading.pool import Readers
from toponaut.store import Store
from toponaut.timing import LiveTime, RunningSimulatedTime, Time
from toponaut.web.fetch import Fetcher
from toponaut.web.politeness.lease_messages import LeaseReply, LeaseRequest
from toponaut.web.politeness.leases import LeasedClocks, LeasedFetcher

_AGAIN_S = 0.5  # after a call that failed


class ActorCalls(Protocol):
    """The other actors. Calls may fail in any way: they are repeated."""

    keepers: int

    async def post(self, actor: str, letter: bytes) -> int: ...

    async def ask(self, keeper: int, request: LeaseRequest) -> LeaseReply: ...


class Worker:
    """One life of an actor, from its creation to `end`."""

    def __init__(
        self,
        actor: str,
        layout: ActorLayout,
        store: Store,
        disk: Path,
        strategies: Strategies,
        web: Fetcher,
        readers: Readers,
    ) -> None:
        self.actor, self.job = actor, strategies.job
        self._disk, self._layout = disk, layout
        self._strategies = strategies
        self.time: Time = LiveTime() if web.live else RunningSimulatedTime()
        self._activity = 0
        self.trouble = ""
        self._loops: list[asyncio.Task[None]] = []
        self._driving: asyncio.Task[None] | None = None
        self._open(store, web, readers)

    # --- starting --------------------------------------------------------------------------------

    def _open(self, store: Store, web: Fetcher, readers: Readers) -> None:
        job, logs = self.job, store.subfolder("log")
        self.epoch = begin(logs, self.actor, system_time.time())
        known = epochs(logs)
        self._own = OwnLog(store, self._disk, self.epoch, job)
        self.log = self._own.log
        self.frontier = Frontier(
            self._disk / f"frontier-{self.epoch.number}",
            job.random_seed,
            self._share(job.politeness.per_domain),
        )
        self._clocks = LeasedClocks(
            job.politeness.delay,
            pages=lambda host: self.parts.gate.pages(host),
            live=web.live,
            per_domain=self._share(job.politeness.per_domain),
            per_ip=self._share(job.politeness.per_ip),
            slots=self._share(job.politeness.concurrent) if web.live else 0,
        )
        self._outboxes = self._open_outboxes()
        self._own.needed = self._needed
        self._letters = LetterSender(self._outboxes, lambda: self.log.stamp(0.0))
        learners = [one for one in self._strategies.by_name.values() if one.learns_from]
        self._lessons = LessonWriter(learners)
        self.parts = assemble(
            self._strategies,
            web=LeasedFetcher(web, self._clocks, self.time),
            readers=readers,
            clocks=self._clocks,
            time=self.time,
            log=self.log,
            archive=self._own.archive,
            exchange=ClusterExchange(
                self.actor, self._layout, self.frontier, self._lessons.write, self._send
            ),
            state=self._disk,
        )
        self.node = Node(self._layout.node_of(self.actor), self.frontier, self.parts)
        history = self._rebuild(logs, known, LogFold(self.parts, [self.node], learners, True))
        self._inbox = self._open_inbox(logs, known, history)
        self._granted = GrantedPages(job.limits, self.totals)
        self._committer = Committer(self._own, job.storage.seal_seconds)
        self.drive = ActorDrive(self.node, self._granted, self._clocks, self._settled)
        if self.actor == self._layout.actors[0]:
            self.node.seed(self.parts.job.seeds, history.crawl.seeds)

    def _open_outboxes(self) -> dict[str, Outbox]:
        announce = self.epoch.before > 0
        return {
            other: Outbox(
                self.actor,
                self.epoch.number,
                partial(self._read_log, other),
                lambda: self.log.written,
                announce,
            )
            for other in self._layout.actors
            if other != self.actor
        }

    def _rebuild(self, logs: Store, known: list[Epoch], fold: LogFold) -> ActorHistory:
        history = rebuild(logs, known, self.actor, self.frontier, fold)
        self.log.heard(history.stamp)
        if isinstance(self.time, RunningSimulatedTime):
            self.time.advance_to(history.time)
        return history

    def _open_inbox(self, logs: Store, known: list[Epoch], history: ActorHistory) -> Inbox:
        others = {*self._layout.actors} - {self.actor}
        latest = {one.actor: one.number for one in known if one.actor in others}
        return Inbox(StoredEpochs(logs, self.actor, known), history.applied, latest)

    def _share(self, bound: int) -> int:
        """This actor's part of a bound on the whole crawl: at least 1; 0 is no bound."""
        return max(bound // len(self._layout.actors), 1) if bound else 0

    @property
    def totals(self) -> Totals:
        return self.parts.totals

    def _send(self, sequence: int, packed: Mapping[str, EncodedLinks]) -> None:
        """Called after a visit is logged, with what it has for others."""
        self._own.add_letters(packed)
        self._letters.add(sequence, packed)

    def _settled(self) -> None:
        self._activity += 1
        self._committer.tick()

    def _read_log(self, other: str, sequence: int) -> Iterator[tuple[int, EncodedLinks]]:
        """What the visits from a sequence on have for another actor."""
        self._committer.commit()
        teaches = other in self._layout.pupils(self.actor)
        for visit in self._own.visits_from(sequence, self._lessons.fields if teaches else ()):
            links = by_actor(self._layout, visit.links, visit.sequence).get(other, [])
            yield visit.sequence, pack(links, self._lessons.write(visit) if teaches else b"")

    def _needed(self) -> int | None:
        """The first visit that an outbox has to read again from the log."""
        lacks = (box.lacks for box in self._outboxes.values() if box.lacks is not None)
        return min(lacks, default=None)

    def start(self, others: ActorCalls) -> None:
        """Start crawling."""
        self._clocks.set_keepers(others.keepers)
        loops: list[Callable[[], Awaitable[object]]] = [
            self.drive.run,
            self._tick,
            partial(self._letters.run, others.post),
            *(partial(self._lease, others, keeper) for keeper in range(others.keepers)),
        ]
        self._driving, *self._loops = (asyncio.ensure_future(self._guarded(loop)) for loop in loops)

    async def _guarded(self, work: Callable[[], Awaitable[object]]) -> None:
        """The work is called here, so that a task cancelled before its turn leaves no coroutine."""
        try:
            await work()
        except asyncio.CancelledError:
            raise
        except Exception as error:
            self.trouble = self.trouble or self._in_words(error)
            self.drive.stop(f"of an error: {self.trouble}")

    def _in_words(self, error: Exception) -> str:
        """An error in one line; a disk error names the machine."""
        if isinstance(error, OSError) and not isinstance(error, ConnectionError | TimeoutError):
            error = cannot_write(error, self._disk)
        if isinstance(error, InputError):
            return f"{socket.gethostname()}: {error}"
        return f"{type(error).__name__}: {error}"

    # --- calls from others -----------------------------------------------------------------------

    def receive(self, wire: bytes) -> int:
        """Take a letter; return how far the sender's epoch is applied."""
        letter = from_bytes(wire)
        try:
            content = self._inbox.open(letter)
        except FencedError:
            return FENCED
        if content.restarted:
            self._outboxes[letter.sender].announce()
            self._letters.schedule([letter.sender])
        if content.links or content.lessons:
            self.log.heard(letter.stamp)
        for lesson in content.lessons:
            self.node.learn(lesson, here=False)
        if content.links:
            self.frontier.put(content.links)
            self._activity += 1
            self.drive.wake()
        return content.applied

    def report(
        self, allowed: int | None = None, reclaim: bool = False, market: Market | None = None
    ) -> ActorReport:
        """Report the state. The driver may grant pages, or take back those that are not used."""
        granted, frontier, in_flight = self._granted, self.frontier, self.drive.in_flight
        if market:
            granted.market = market
            self.parts.price.elsewhere[:] = market.elsewhere or 0.0
            self.parts.price.elsewhere_soon[:] = market.elsewhere_soon or 0.0
        granted.heard = system_time.monotonic()
        if allowed is not None:
            granted.pages = allowed
        if reclaim and granted.pages >= 0:
            granted.pages = self.totals.pages + in_flight
        self.drive.wake()
        idle = not self.drive.in_flight and not len(frontier) and self._letters.all_answered
        figures = NodeFigures.of_frontier(self.node.name, self.totals, frontier)
        return ActorReport(
            self.actor, self.epoch.number, idle, self._activity, granted.pages, figures,
            self.time.now(), self.trouble, self.drive.offer(),
        )  # fmt: skip

    async def end(self) -> None:
        """Finish the requests in flight, and bring everything to the shared storage."""
        self.drive.stop("it was ended")
        if self._driving:
            await asyncio.wait({self._driving})
        await self._cancel_loops()
        await asyncio.to_thread(self._finish)

    def _finish(self) -> None:
        try:
            self._committer.close()
            self._own.roll()
        finally:
            self._own.close()
        self._own.seal()

    async def abandon(self) -> None:
        """End at once."""
        await self._cancel_loops()
        try:
            self._committer.close()
        finally:
            self._own.close()

    async def _cancel_loops(self) -> None:
        tasks = [*self._loops, *([self._driving] if self._driving else [])]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        if self.parts.registrants:
            await self.parts.registrants.close()
        if self.parts.renderer:
            await self.parts.renderer.close()

    # --- loops -----------------------------------------------------------------------------------

    async def _tick(self) -> None:
        while True:
            await asyncio.sleep(TICK_S)
            self._committer.tick()
            self.drive.wake()  # a visit may have become slow

    async def _lease(self, others: ActorCalls, keeper: int) -> None:
        while True:
            await asyncio.sleep(LEASE_TICK_S * others.keepers)
            sent = system_time.monotonic()
            request = self._clocks.next_request(
                self.actor, self.epoch.number, keeper, self.time.now()
            )
            if request is None:
                continue
            try:
                reply = await others.ask(keeper, request)
            except FencedError:
                raise
            except Exception:
                await asyncio.sleep(_AGAIN_S)
                continue
            for host in self._clocks.apply_reply(keeper, request, reply, sent, self.time.now()):
                self.node.give_up_if_closed(host)
            self.drive.wake()
