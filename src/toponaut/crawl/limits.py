"""The limits of a crawl: how much may be fetched, and what is left of it."""

import math
from typing import Protocol

from msgspec.structs import replace

from toponaut.crawl.price import Left
from toponaut.crawl.progress import Totals
from toponaut.job import LimitsSection
from toponaut.timing import Time


class Allowance(Protocol):
    """How much may be fetched."""

    def has_room(self, in_flight: int) -> bool:
        """Whether one more visit may start, if all those in flight bring pages."""
        ...

    def reached(self) -> str:
        """The limit that is reached, in words; "" if none."""
        ...

    def left(self) -> Left:
        """The pages and seconds that are left."""
        ...


class JobLimits:
    """The allowance of a crawl on one machine: the limits of its job."""

    def __init__(self, limits: LimitsSection, totals: Totals, time: Time) -> None:
        self._limits, self._totals, self._time = limits, totals, time
        self._started = time.now()
        self.job_pages = limits.pages

    def set_pages(self, pages: int) -> None:
        """Another page limit than the job's, by a command of the operator."""
        self._limits = replace(self._limits, pages=pages)

    def has_room(self, in_flight: int) -> bool:
        return not self._limits.pages or self._totals.pages + in_flight < self._limits.pages

    def reached(self) -> str:
        totals, seconds = self._totals, self._time.now() - self._started
        return reached_limit(self._limits, totals.pages, totals.size, seconds)

    def left(self) -> Left:
        return limits_left(self._limits, self._totals, self._time.now() - self._started)


def limits_left(limits: LimitsSection, totals: Totals, seconds: float) -> Left:
    """What these figures leave of the limits. Bytes count as pages of the mean size."""
    pages = limits.pages - totals.pages if limits.pages else math.inf
    if limits.total_bytes and totals.size:
        rest = limits.total_bytes - totals.size
        pages = min(pages, rest * max(totals.pages, 1) / totals.size)
    return Left(pages, limits.seconds - seconds if limits.seconds else math.inf)


def reached_limit(limits: LimitsSection, pages: int, size: int, seconds: float) -> str:
    """The limit that these figures reach, in words; "" if none."""
    if limits.pages and pages >= limits.pages:
        return f"the page limit is reached (limits.pages = {limits.pages})"
    if limits.total_bytes and size >= limits.total_bytes:
        return f"the byte limit is reached (limits.total_bytes = {limits.total_bytes})"
    if limits.seconds and seconds >= limits.seconds:
        return f"the time limit is reached (limits.seconds = {limits.seconds})"
    return ""
