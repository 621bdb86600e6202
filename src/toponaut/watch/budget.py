"""The request budget of a watch: so many requests a day, spread over the day.

A leaky bucket: each request fills it by one, and it empties at the rate of the budget. A request
may start while there is room. So a watch that was stopped for a week does not catch up in an hour.
"""

from msgspec.structs import replace

from toponaut.crawl.limits import JobLimits
from toponaut.crawl.price import Left
from toponaut.crawl.progress import Totals
from toponaut.job import Job
from toponaut.records import Outcome, Visit
from toponaut.timing import Time, crawl_moment
from toponaut.watch.revisit_table import DAY_S

# No request was made for these.
NO_REQUEST = frozenset({
    Outcome.SEEDED, Outcome.CONTROL, Outcome.TWIN, Outcome.NO_ROOM, Outcome.FORBIDDEN,
})  # fmt: skip
_BURST_S = 900.0  # the bucket holds the requests of a quarter of an hour, and at least one


class RequestBudget(JobLimits):
    """How much a watch may fetch: a fold over the visits, and `per_day`. `days`: 0 for ever."""

    def __init__(self, job: Job, totals: Totals, time: Time, per_day: int, days: float) -> None:
        # limits.pages is for crawls; the operator may set another.
        super().__init__(replace(job.limits, pages=0, total_bytes=0), totals, time)
        self.per_day, self._days = per_day, days
        self._rate = per_day / DAY_S
        self._burst = max(self._rate * _BURST_S, 1.0)
        self._level = self._moment = 0.0
        self.last_day: list[float] = []  # the moments of the requests of the last day

    def begin(self) -> None:
        """The log is folded, and the watch starts now."""
        self._started = self._time.now()

    def learn(self, visit: Visit) -> None:
        """Count a request."""
        if visit.outcome in NO_REQUEST:
            return
        moment = crawl_moment(visit.time, visit.stamp)
        self._level = min(self._left_at(moment) + 1.0, self._burst)  # a crawl leaves no debt
        self._moment = max(moment, self._moment)
        self.last_day.append(moment)
        if len(self.last_day) > 2 * self.per_day + 1000:
            self.last_day = self.last_day[-self.per_day - 500 :]

    def used(self, now: float) -> int:
        """The requests of the last 24 hours."""
        return sum(1 for moment in self.last_day if moment > now - DAY_S)

    def _left_at(self, moment: float) -> float:
        return max(self._level - self._rate * max(moment - self._moment, 0.0), 0.0)

    def has_room(self, in_flight: int) -> bool:
        level = self._left_at(self._time.now()) + in_flight
        return level + 1.0 <= self._burst + 1e-6 and super().has_room(in_flight)

    def room_at(self, in_flight: int) -> float:
        """When another request may start, if those in flight count."""
        now = self._time.now()
        missing = self._left_at(now) + in_flight + 1 - self._burst
        return now + max(missing / self._rate, 0.001)

    def reached(self) -> str:
        if self._days and self._time.now() - self._started >= self._days * DAY_S:
            return f"it has watched for {self._days:g} day{'s'[: self._days != 1]}"
        return super().reached()

    def left(self) -> Left:
        """What the next day may bring: new links and visits to known pages compete for it."""
        return Left(self.per_day, DAY_S)
