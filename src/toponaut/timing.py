"""The time of a crawl: real on the live web, simulated on a replayed one.

A replayed web answers at once and tells how long the answer would have taken. Nobody waits for that, nor for a host's clock:
simulated time jumps to the next moment at which an answer would have come or something may be asked. The crawl then takes
the same decisions as it would live, as fast as the CPU goes, and twice the same. All times are Unix seconds.
"""

import asyncio
import time
from typing import Protocol

_REAL = 1e8  # 1973: simulated time begins at 0, and three years of it are more than any crawl takes


def is_simulated(moment: float) -> bool:
    """Whether it is a moment of a replayed web."""
    return moment < _REAL


class Time(Protocol):
    """What a crawl calls now."""

    def now(self) -> float: ...

    def end_of(self, seconds: float) -> float:
        """When an answer is over that has just come and took so long."""
        ...

    async def sleep_until(self, moment: float) -> None: ...


class LiveTime:
    """Wall time at the start, then steady: a clock that is set back or forth cannot disturb politeness."""

    def __init__(self) -> None:
        self._offset = time.time() - time.monotonic()

    def now(self) -> float:
        return self._offset + time.monotonic()

    def end_of(self, seconds: float) -> float:  # noqa: ARG002 (they have passed)
        return self.now()

    async def sleep_until(self, moment: float) -> None:
        await asyncio.sleep(max(moment - self.now(), 0))


class SimulatedTime:
    """Stands still until somebody sleeps: then it is later at once. An answer is here before its time, and over when that has come."""

    def __init__(self, start: float = 0.0) -> None:
        self._now = start

    def now(self) -> float:
        return self._now

    def end_of(self, seconds: float) -> float:
        return self._now + seconds

    def start_at(self, moment: float) -> None:
        """A resumed crawl goes on at the time at which it stopped."""
        self._now = max(self._now, moment)

    async def sleep_until(self, moment: float) -> None:
        self._now = max(self._now, moment)
