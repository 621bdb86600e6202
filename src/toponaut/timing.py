"""The time of a crawl: real on the live web, simulated on a replayed one.

A replayed web answers at once and says how long the answer would have taken. The crawl does not
wait for that, nor for a host's clock: simulated time jumps to the next moment at which an answer
would have come or a host may be asked. So the crawl makes the same decisions as it would live, as
fast as the CPU allows, and every run is the same. All times are Unix seconds.
"""

import asyncio
import time
from typing import Protocol

_REAL = 1e8  # 1973: simulated time starts at 0, and no crawl takes three years


def is_simulated(moment: float) -> bool:
    """Whether a moment belongs to a replayed web."""
    return moment < _REAL


def crawl_moment(time: float, stamp: float) -> float:
    """The moment of a visit by the crawl's own clock, from its time and its stamp.

    A replayed or adopted page has the time of its capture; its stamp is of the crawl.
    """
    return round(stamp, 3) if stamp and not is_simulated(time) else time


class Time(Protocol):
    """The clock of a crawl."""

    def now(self) -> float: ...

    def end_of(self, seconds: float) -> float:
        """When an answer ends that has just come and took this long."""
        ...

    async def sleep_until(self, moment: float) -> None: ...


class LiveTime:
    """Wall time at the start, then steady: setting the system clock cannot disturb politeness."""

    def __init__(self) -> None:
        self._offset = time.time() - time.monotonic()

    def now(self) -> float:
        return self._offset + time.monotonic()

    def end_of(self, seconds: float) -> float:  # noqa: ARG002 (they have passed)
        return self.now()

    async def sleep_until(self, moment: float) -> None:
        await asyncio.sleep(max(moment - self.now(), 0))


class SimulatedTime:
    """Stops until somebody sleeps, then jumps. An answer arrives before its simulated end."""

    def __init__(self, start: float = 0.0) -> None:
        self._now = start

    def now(self) -> float:
        return self._now

    def end_of(self, seconds: float) -> float:
        return self._now + seconds

    def advance_to(self, moment: float) -> None:
        """Jump to a later moment; a resumed crawl continues at the time at which it stopped."""
        self._now = max(self._now, moment)

    async def sleep_until(self, moment: float) -> None:
        self.advance_to(moment)


class RunningSimulatedTime(SimulatedTime):
    """Simulated time for an actor of a cluster: it also advances with real time.

    An actor waits for things that come from others, such as the clock of a host. It looks for them
    again a moment later, and in stopped time that moment would never come.
    """

    def __init__(self) -> None:
        super().__init__()
        self._began = time.monotonic()

    def now(self) -> float:
        return super().now() + self._passed()

    def end_of(self, seconds: float) -> float:  # noqa: ARG002 (an answer is over when it is here)
        return self.now()

    def advance_to(self, moment: float) -> None:
        super().advance_to(moment - self._passed())

    async def sleep_until(self, moment: float) -> None:
        await asyncio.sleep(0.001)
        self.advance_to(moment)

    def _passed(self) -> float:
        return time.monotonic() - self._began
