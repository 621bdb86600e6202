"""Bounds on what servers may hold together: requests in flight, and memory.

Slow servers on many addresses could hold the slots for newcomers (clocks.py) for as long as
total_timeout. So when most are in use, the oldest of their requests ends if it has had some
seconds. And a hundred bodies that are nearly as large as they may be would fill the memory: large
ones take turns.
"""

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager

_PATIENCE_S = 3.0  # after as long, drive.py gives a request's slot to another
_MOST_SHARE, _MOST_LEAST = 5 / 8, 8  # of the slots; with fewer slots than that, no request ends
LARGE = 1 << 20  # bytes of a body as received and as decoded
_MOST_LARGE = 4  # each may have 20 MB, and is copied once


class Crowd:
    """The requests in flight to newcomers, of a crawl with so many slots."""

    def __init__(self, slots: int) -> None:
        self._most = max(int(_MOST_SHARE * slots), _MOST_LEAST)
        self._running: dict[asyncio.Timeout, float] = {}  # with their starts, the oldest first

    @contextmanager
    def joined(self, timer: asyncio.Timeout, newcomer: bool) -> Iterator[None]:
        """For the time of a request with this timer."""
        if not newcomer:
            yield
            return
        now = asyncio.get_running_loop().time()
        if len(self._running) >= self._most:
            oldest, began = next(iter(self._running.items()))
            if now - began >= _PATIENCE_S:
                del self._running[oldest]
                oldest.reschedule(now)
        self._running[timer] = now
        try:
            yield
        finally:
            self._running.pop(timer, None)


class LargeBodies:
    """Turns of large bodies. Each lasts until the task that asked is done with its page."""

    def __init__(self) -> None:
        self._turns = asyncio.Semaphore(_MOST_LARGE)
        self._tasks = set[asyncio.Task[object]]()

    async def enter(self) -> None:
        task = asyncio.current_task()
        if task is None or task in self._tasks:
            return
        await self._turns.acquire()
        self._tasks.add(task)
        task.add_done_callback(self._leave)

    def _leave(self, task: "asyncio.Task[object]") -> None:
        self._tasks.discard(task)
        self._turns.release()
