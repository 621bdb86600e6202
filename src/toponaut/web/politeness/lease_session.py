"""What a node knows of one keeper: the leases it has from it, what it wants and what it returns."""

import heapq
from collections.abc import Callable
from math import inf

from toponaut.web.politeness.clocks import ClockState

REPEAT_S = 0.5  # repeat unanswered wants
_CHECKS_PER_SECOND = 4
_MIN_HELD_S = 0.1  # a wanted clock is kept at least this long: without a delay, many requests fit


class Lease:
    __slots__ = ("arrived", "check", "fresh", "moved", "recalled", "until", "used")

    def __init__(self, until: float, arrived: float) -> None:
        self.until = until
        self.arrived = self.used = arrived
        # Not used for a request yet; a fresh lease is not returned, even if wanted.
        self.fresh = True
        self.recalled = False
        self.check = 0  # when to check it next, in parts of a second
        self.moved: Callable[[float], None] | None = None  # called when `until` changes

    def goes_back(self, steady: float) -> bool:
        """Whether the clock must go back to the keeper, for another node."""
        return self.recalled and not self.fresh and steady - self.arrived >= _MIN_HELD_S

    def hold_until(self, until: float) -> None:
        self.until = until
        if self.moved:
            self.moved(until)


class KeeperSession:
    """This node's leases, wants and returns with one keeper."""

    def __init__(self) -> None:
        self.keeper = 0  # its last known epoch
        self.number = 0
        self.asked_at = -inf
        self.held = 0
        self.checks: dict[int, list[str]] = {}  # hosts on lease, by when to check them
        self.freed: set[str] = set()  # hosts whose clocks may be returned now
        self.wants: dict[str, float] = {}  # hosts, and when to request them
        self.by_time: list[tuple[float, str]] = []  # the same, as a heap
        self.returning: dict[str, ClockState] = {}
        self.delays: dict[str, float] = {}
        self.unsent_delays: dict[str, float] = {}  # delays this keeper may not know

    def want(self, host: str, at: float) -> None:
        self.wants[host] = at
        heapq.heappush(self.by_time, (at, host))

    def due_wants(self, steady: float) -> list[str]:
        """The hosts to request now. Each is requested again soon unless a reply comes first."""
        due = []
        while self.by_time and self.by_time[0][0] <= steady:
            at, host = heapq.heappop(self.by_time)
            if self.wants.get(host) == at:
                due.append(host)
                self.want(host, steady + REPEAT_S)
        return due

    def check_at(self, host: str, lease: Lease, at: float) -> None:
        lease.check = int(at * _CHECKS_PER_SECOND) + 1
        self.checks.setdefault(lease.check, []).append(host)

    def due_checks(self, steady: float) -> list[tuple[int, str]]:
        due = [check for check in self.checks if check <= steady * _CHECKS_PER_SECOND]
        return [(check, host) for check in due for host in self.checks.pop(check)]
