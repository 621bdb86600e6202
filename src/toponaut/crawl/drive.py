"""What keeps the river flowing: takes links from the nodes while there is room, and settles what comes back.

Visits are settled as they come: a slow host delays nobody. On the live web that is when they are here. On a replayed web it is
when they would be: each visit has its end in simulated time as soon as its link is taken, so two crawls are equal however the
processes of the pool are scheduled.
"""

import asyncio
import heapq
from collections import deque
from collections.abc import Callable, Sequence
from typing import Protocol

from toponaut.crawl.limits import Limiter
from toponaut.node import Catch, Node
from toponaut.records import QueuedLink, Visit
from toponaut.timing import Time

Settled = Callable[[Node, list[Visit]], None]


class Drive(Protocol):
    """Runs nodes until there is a reason to stop, and says which."""

    async def run(self) -> str: ...

    def stop(self, why: str) -> None:
        """Takes nothing more; what is under way is brought to its end."""
        ...


class Turns:
    """Hands out links of several nodes in turn, within the limits."""

    def __init__(self, nodes: Sequence[Node], limiter: Limiter, concurrent: int) -> None:
        self._nodes = deque(nodes)
        self._limiter = limiter
        self._concurrent = concurrent

    def room(self, under_way: int) -> bool:
        """Whether another link may be taken while so many are under way."""
        return under_way < self._concurrent and self._limiter.room(under_way)

    def take(self) -> tuple[Node, QueuedLink] | None:
        for _ in range(len(self._nodes)):
            node = self._nodes[0]
            self._nodes.rotate(-1)
            queued = node.next()
            if queued is not None:
                return node, queued
        return None

    def ready_at(self) -> float | None:
        """When something may be taken at the earliest, if nothing comes back before."""
        times = [at for node in self._nodes if (at := node.frontier.ready_at()) is not None]
        return min(times, default=None)


class LiveDrive:
    """Many visits at once, settled as they come. Everything happens when a visit ends or a host's time has come."""

    def __init__(self, turns: Turns, limiter: Limiter, time: Time, settled: Settled) -> None:
        self._turns = turns
        self._limiter = limiter
        self._time = time
        self._settled = settled
        self._under_way: set[asyncio.Task[None]] = set()
        self._why = ""
        self._timer: asyncio.TimerHandle | None = None
        self._ended: asyncio.Future[str] | None = None

    async def run(self) -> str:
        self._ended = asyncio.get_running_loop().create_future()
        self._fill()
        try:
            return await self._ended
        finally:
            if self._timer:
                self._timer.cancel()
            for task in self._under_way:
                task.cancel()

    def stop(self, why: str) -> None:
        self._why = self._why or why
        if self._ended is not None:
            self._fill()

    def _fill(self) -> None:
        assert self._ended is not None
        if self._ended.done():
            return
        loop = asyncio.get_running_loop()
        self._why = self._why or self._limiter.reached()
        while not self._why and self._turns.room(len(self._under_way)):
            taken = self._turns.take()
            if taken is None:
                self._come_back()
                break
            self._under_way.add(loop.create_task(self._visit(*taken)))
        if not self._under_way and self._why:
            self._ended.set_result(self._why)

    def _come_back(self) -> None:
        """Sees to it that the next host whose time comes is not forgotten."""
        at = self._turns.ready_at()
        if at is None:
            if not self._under_way:
                self._why = self._why or "nothing is left to fetch"
            return
        if self._timer:
            self._timer.cancel()
        wait = max(at - self._time.now(), 0.001)
        self._timer = asyncio.get_running_loop().call_later(wait, self._fill)

    async def _visit(self, node: Node, queued: QueuedLink) -> None:
        assert self._ended is not None
        task = asyncio.current_task()
        try:
            catch = await node.catch(queued)
            self._settled(node, node.settle(catch))
        except Exception as error:
            if not self._ended.done():
                self._ended.set_exception(error)
        finally:
            if task is not None:
                self._under_way.discard(task)
        self._fill()


_Under = tuple[
    float, int, Node, asyncio.Task[Catch]
]  # when a visit ends, and how many were taken before it


class OrderedDrive:
    """Visits settled in the order of their ends in simulated time; of those that end together, the first taken first.

    A replayed web answers at once, so a visit is fetched right when it is taken: its end and the rest of its host are known
    before another link is taken. Reading takes no simulated time, however long it takes the pool.
    """

    def __init__(self, turns: Turns, limiter: Limiter, time: Time, settled: Settled) -> None:
        self._turns = turns
        self._limiter = limiter
        self._time = time
        self._settled = settled
        self._why = ""
        self._taken = 0
        self._under_way: list[_Under] = []  # a heap

    def stop(self, why: str) -> None:
        self._why = self._why or why

    async def run(self) -> str:
        try:
            while True:
                ready_at = await self._fill()
                if self._under_way and (ready_at is None or self._under_way[0][0] <= ready_at):
                    ends, _, node, task = heapq.heappop(self._under_way)
                    await self._time.sleep_until(ends)
                    self._settled(node, node.settle(await task))
                elif ready_at is not None:
                    await self._time.sleep_until(ready_at)
                elif self._why:
                    return self._why
                else:
                    self.stop("nothing is left to fetch")
        finally:
            for *_, task in self._under_way:
                task.cancel()

    async def _fill(self) -> float | None:
        """Takes links while there is room. When there will be another one at the earliest, if nothing ends before."""
        self._why = self._why or self._limiter.reached()
        while not self._why and self._turns.room(len(self._under_way)):
            taken = self._turns.take()
            if taken is None:
                return self._turns.ready_at()
            await self._begin(*taken)
        return None

    async def _begin(self, node: Node, queued: QueuedLink) -> None:
        now = self._time.now()
        turn = await node.fetch(queued)
        task = asyncio.ensure_future(node.read(queued, turn))
        heapq.heappush(self._under_way, (now + turn.seconds, self._taken, node, task))
        self._taken += 1
