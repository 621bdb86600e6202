"""The loop of a crawl: take links while there is room, visit them, settle them.

Visits are settled as they end, so a slow host delays nobody. On the live web they end when they
arrive (LiveDrive). On a replayed web they end in simulated time, which is known as soon as a link
is taken, so two crawls are equal however the parser processes are scheduled (OrderedDrive).
"""

import asyncio
import heapq
import math
from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Callable, Sequence
from itertools import takewhile
from time import thread_time

from toponaut.crawl.limits import Allowance
from toponaut.node import Node
from toponaut.records import QueuedLink
from toponaut.urls import host_of
from toponaut.web.politeness.polite_fetcher import FetchedLink

_LONG_S = 60.0  # the end of a visit wakes the drive sooner
# A visit that takes longer gives its slot to another, for at most as many as there are slots: slow
# and dead servers cannot hold up the others.
SLOW_S = 3.0
# After a stop, visits in flight have this long to end. Then their links wait for the next run.
GRACE_S = 3.0
_PAUSED_S = 0.05  # between two looks of a paused replay
NOTHING_LEFT = "nothing is left to fetch"


class Drive(ABC):
    """Runs nodes until there is a reason to stop. `settled` is called after each settled visit."""

    def __init__(
        self, nodes: Sequence[Node], allowance: Allowance, settled: Callable[[], None]
    ) -> None:
        parts = nodes[0].parts
        self._nodes, self._allowance, self._settled = deque(nodes), allowance, settled
        self._time, self._concurrent = parts.time, parts.job.politeness.concurrent
        self._totals, self._price, self._agenda = parts.totals, parts.price, parts.agenda
        self._why = ""
        self.paused = False  # by the operator: it takes no links until `wake`

    @abstractmethod
    async def run(self) -> str:
        """Crawl; return why it stopped."""

    @property
    @abstractmethod
    def in_flight(self) -> int: ...

    def stop(self, why: str) -> None:
        """Take no more links; finish the visits in flight."""
        self._why = self._why or why

    @abstractmethod
    def wake(self) -> None:
        """Take links while there is room: time has passed, or links have come."""

    def _has_room(self) -> bool:
        self._why = self._why or self._allowance.reached()
        in_flight = self.in_flight
        may = not self._why and not self.paused
        return may and self._has_slot() and self._allowance.has_room(in_flight)

    def _has_slot(self) -> bool:
        return self.in_flight < self._concurrent

    def _take(self) -> tuple[Node, QueuedLink] | None:
        """The next link that is worth the price, or one below it if this request explores."""
        price = self._price
        if self._agenda:
            self._agenda.put_due(self._time.now())
        if not price.waits:
            return self._take_in_turn()
        if price.is_old(self._time.now()):
            self._find_price()
        taken = self._take_best(price.level)
        while taken is None and price.may_have_fallen(idle := self._is_idle()):
            if not self._is_any_ready():
                break  # no price gives a link
            self._find_price()
            taken = self._take_best(price.level)
            if not idle:
                break
        if taken is None and price.explores():
            taken = self._take_in_turn()
        if taken is not None:
            price.took()
        return taken

    def _is_idle(self) -> bool:
        """Whether there is nothing to wait for: no visit is in flight, and no host rests."""
        return not self.in_flight and self._host_ready_at() is None

    def _is_any_ready(self) -> bool:
        """Whether a link waits for a host that may be asked now."""
        now = self._time.now()
        return any(node.frontier.best_promise(now) > -math.inf for node in self._nodes)

    def _find_price(self) -> None:
        self._price.find(self._allowance.left(), self._totals, self._time.now())

    def _take_in_turn(self) -> tuple[Node, QueuedLink] | None:
        """The next link, from each node in turn."""
        for _ in range(len(self._nodes)):
            node = self._nodes[0]
            self._nodes.rotate(-1)
            queued = node.next()
            if queued is not None:
                return node, queued
        return None

    def _take_best(self, price: float) -> tuple[Node, QueuedLink] | None:
        """The best link of all nodes: a node with better links than others gets more requests.

        Of nodes with equally good links, each in turn.
        """
        now, nodes = self._time.now(), list(self._nodes)
        while nodes:
            nodes.sort(key=lambda node: node.frontier.best_promise(now), reverse=True)
            node, *rivals = nodes
            best = node.frontier.best_promise(now)
            if best < price:
                return None
            least = max(price, rivals[0].frontier.best_promise(now)) if rivals else price
            queued = node.next(least)
            if queued is not None:
                self._nodes.remove(node)
                self._nodes.append(node)
                return node, queued
            if node.frontier.best_promise(now) >= best:
                nodes = rivals  # it may ask no host now; otherwise its best link sank
        return None

    def _settle(self, node: Node, fetched: FetchedLink) -> None:
        node.settle(fetched)
        self._price.settled()
        self._settled()

    def _ready_at(self) -> float | None:
        """The earliest time at which `_take` may give a link; None if no link waits."""
        at, again_at = self._host_ready_at(), self._price.found_again_at
        if again_at == math.inf or not self._is_any_ready():
            return at
        return again_at if at is None else min(at, again_at)

    def _host_ready_at(self) -> float | None:
        """The same at the current price."""
        ready = (node.frontier.ready_at(self._price.level) for node in self._nodes)
        times = [at for at in ready if at is not None]
        if self._agenda and (due := self._agenda.next_due()) is not None:
            times.append(due)
        return min(times, default=None)

    def _room_at(self) -> float | None:
        """When the request budget of a watch has room again; None if time alone does not help."""
        if self._agenda is None or self._why or self.paused or not self._has_slot():
            return None
        return self._agenda.budget.room_at(self.in_flight)


class LiveDrive(Drive):
    """Many visits at once, settled as they arrive. Links are taken when a visit ends, when a host's
    time has come, and on `wake`.
    """

    def __init__(
        self, nodes: Sequence[Node], allowance: Allowance, settled: Callable[[], None]
    ) -> None:
        super().__init__(nodes, allowance, settled)
        # With their starts in the loop's time, the oldest first.
        self._visits: dict[asyncio.Task[None], float] = {}
        self._timer: asyncio.TimerHandle | None = None
        self._grace: asyncio.TimerHandle | None = None  # runs after a stop
        self._end: asyncio.Future[str] | None = None  # the reason

    @property
    def in_flight(self) -> int:
        return len(self._visits)

    async def run(self) -> str:
        self._end = asyncio.get_running_loop().create_future()
        self.wake()
        try:
            return await self._end
        finally:
            for timer in (self._timer, self._grace):
                if timer:
                    timer.cancel()
            self.cancel_visits()

    def stop(self, why: str) -> None:
        super().stop(why)
        self.wake()

    def cancel_visits(self) -> None:
        """Abandon the visits in flight: a later run fetches those links."""
        for task in list(self._visits):
            task.cancel()

    def _has_slot(self) -> bool:
        in_flight, slots = len(self._visits), self._concurrent
        if in_flight < slots:
            return True
        before = asyncio.get_running_loop().time() - SLOW_S
        slow = takewhile(lambda started: started <= before, self._visits.values())
        return in_flight < slots + min(sum(1 for _ in slow), slots)

    def wake(self) -> None:
        if self._end is None or self._end.done():
            return
        try:
            self._fill()
        except Exception as error:
            self._end.set_exception(error)
        if self._why and not self._end.done():
            if not self._visits:
                self._end.set_result(self._why)
            elif self._grace is None:
                loop = asyncio.get_running_loop()
                self._grace = loop.call_later(GRACE_S, self.cancel_visits)

    def _fill(self) -> None:
        while self._has_room():
            taken = self._take()
            if taken is None:
                self._wait(self._ready_at())
                return
            loop = asyncio.get_running_loop()
            task = loop.create_task(self._visit(*taken))
            self._visits[task] = loop.time()
            task.add_done_callback(self._visit_done)

    def _wait(self, ready_at: float | None) -> None:
        """Wake again when the next host may be asked."""
        seconds = self._pause(ready_at)
        if seconds is None:
            self._why = self._why or NOTHING_LEFT
            return
        if self._timer:
            self._timer.cancel()
        self._timer = asyncio.get_running_loop().call_later(seconds, self.wake)

    def _pause(self, ready_at: float | None) -> float | None:
        """Seconds until it is worth looking for a link again; None: there is nothing left."""
        if ready_at is not None:
            return max(ready_at - self._time.now(), 0.001)
        return _LONG_S if self._visits else None

    async def _visit(self, node: Node, queued: QueuedLink) -> None:
        try:
            fetched = await node.fetch_and_read(queued)
        except asyncio.CancelledError:
            node.frontier.put_back(queued)
            raise
        began = thread_time()
        self._settle(node, fetched)
        seconds = thread_time() - began + (fetched.judged.seconds if fetched.judged else 0.0)
        node.parts.web.clocks.took(host_of(queued.url), seconds, self._time.now())

    def _visit_done(self, task: asyncio.Task[None]) -> None:
        del self._visits[task]
        error = None if task.cancelled() else task.exception()
        if error and self._end and not self._end.done():
            self._end.set_exception(error)
        self.wake()


_Reading = tuple[float, int, Node, asyncio.Task[FetchedLink]]  # its end, and its number


class OrderedDrive(Drive):
    """Visits settled in the order of their ends in simulated time, then of their numbers.

    A replayed web answers at once, so a link is fetched when it is taken: the end of the visit and
    the time of its host are known before another link is taken. Reading takes no simulated time.
    """

    def __init__(
        self, nodes: Sequence[Node], allowance: Allowance, settled: Callable[[], None]
    ) -> None:
        super().__init__(nodes, allowance, settled)
        self._taken = 0
        self._readings: list[_Reading] = []  # a heap

    @property
    def in_flight(self) -> int:
        return len(self._readings)

    def wake(self) -> None:
        """It never waits."""

    async def run(self) -> str:
        try:
            while True:
                ready_at = await self._fill()
                if self._readings and (ready_at is None or self._readings[0][0] <= ready_at):
                    ends, _, node, task = heapq.heappop(self._readings)
                    await self._time.sleep_until(ends)
                    self._settle(node, await task)
                elif ready_at is not None:
                    await self._time.sleep_until(ready_at)
                elif self._why:
                    return self._why
                elif self.paused:
                    await asyncio.sleep(_PAUSED_S)
                else:
                    self.stop(NOTHING_LEFT)
        finally:
            for *_, task in self._readings:
                task.cancel()

    async def _fill(self) -> float | None:
        """Take links while there is room; return when there may be another one."""
        while self._has_room():
            taken = self._take()
            if taken is None:
                return self._ready_at()
            await self._fetch(*taken)
        return self._room_at()

    async def _fetch(self, node: Node, queued: QueuedLink) -> None:
        now = self._time.now()
        turn = await node.fetch(queued)
        task = asyncio.ensure_future(node.read(queued, turn))
        heapq.heappush(self._readings, (now + turn.seconds, self._taken, node, task))
        self._taken += 1
