"""How late the event loop is.

An answer that has arrived waits until the loop is free. If a crawl is busy, or its machine is, all
servers would seem slow, and be left alone for longer than they need (clocks.py). So this time is
not counted as theirs.
"""

import asyncio

_TICK_S = 0.05


class LoopLag:
    """Sums up by how much a regular call of the loop came too late."""

    def __init__(self) -> None:
        self._total = 0.0
        self._due = 0.0
        self._timer: asyncio.TimerHandle | None = None

    def total(self) -> float:
        """Seconds until now. The first call begins; it needs a running loop."""
        loop = asyncio.get_running_loop()
        if self._timer is None:
            self._plan(loop)
        return self._total + max(loop.time() - self._due, 0.0)

    def stop(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _plan(self, loop: asyncio.AbstractEventLoop) -> None:
        self._due = loop.time() + _TICK_S
        self._timer = loop.call_at(self._due, self._tick, loop)

    def _tick(self, loop: asyncio.AbstractEventLoop) -> None:
        self._total += max(loop.time() - self._due, 0.0)
        self._plan(loop)
