"""Where a crawl stops by itself."""

from toponaut.crawl.totals import Totals
from toponaut.job import LimitsSection
from toponaut.timing import Time


class Limiter:
    """Watches the totals against the limits of a job."""

    def __init__(self, limits: LimitsSection, totals: Totals, time: Time) -> None:
        self._limits = limits
        self._totals = totals
        self._time = time
        self._started = time.now()

    def reached(self) -> str:
        """Which limit is reached, in words; "" if none."""
        limits, totals = self._limits, self._totals
        if limits.pages and totals.pages >= limits.pages:
            return f"the page limit is reached (limits.pages = {limits.pages})"
        if limits.total_bytes and totals.size >= limits.total_bytes:
            return f"the byte limit is reached (limits.total_bytes = {limits.total_bytes})"
        if limits.seconds and self._time.now() - self._started >= limits.seconds:
            return f"the time limit is reached (limits.seconds = {limits.seconds})"
        return ""

    def room(self, under_way: int) -> bool:
        """Whether one more visit can be under way without passing the page limit, should all bring pages."""
        return not self._limits.pages or self._totals.pages + under_way < self._limits.pages
