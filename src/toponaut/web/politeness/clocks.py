"""One clock per host, for all nodes: when a host may be requested again.

A request claims its host, which is busy until released. Then it rests for the largest of the job's
delay, the crawl-delay of its robots.txt, five times its usual answer time if that is slow, a
growing rest while it fails, and the time it requested by Retry-After.

Hosts of one registered domain, and hosts at one address, share a bound on their requests
(shared_pace.py) but not their failures. The caller passes the time. A host about which nothing was
learned is forgotten.

Hosts that have not given a page yet, or no longer, get most slots of a crawl at most: some are left
for the others. (On a replayed web none is slow, and time is simulated: there all slots are equal.)

Pages that take long to read would hold up all other hosts. So the hosts that sent them, with those
of their domain, share one more bound: a tenth of the time of one process. Others at their address,
which may be that of a large provider, do not.
"""

from typing import NamedTuple

from toponaut.urls import registered_domain
from toponaut.web.politeness.shared_pace import SharedPace, SharedPaces

# As in Heritrix: delayFactor = 5 times the last answer, at most maxDelayMs = 30 s.
SLOW_FACTOR = 5.0
SLOW_MOST = 30.0
# A failing host rests 5, 10, 20, ... seconds, at most ten minutes. Each good answer divides the
# rest by 8: three or four end it. (Heritrix waits 15 minutes from the first failure on: too long
# for a restart.)
FIRST_REST = 5.0
LONGEST_REST = 600.0
RECOVERY = 8.0
# After five failures in a row (75 s of rests) a host counts as dead, and is tried every ten
# minutes; one that has never answered after three, because each may take a connection's whole time
# limit; one whose name does not exist at once.
GIVE_UP_AFTER, GIVE_UP_NEW_AFTER = 5, 3
_INSTANT = 1e-9  # the least answer time: 0 means that a host has not answered yet
# Retry-After is granted up to a day, as long as robots.txt is kept.
LONGEST_RETRY_AFTER = 86_400.0
# How long an unused host is remembered: its crawl-delay as long as its robots.txt is kept; its
# answer time and failures for an hour.
KEEP_RULES = 86_400.0
KEEP_HABITS = 3600.0
_MIN_SWEEP = 1024  # fewer hosts are not worth a sweep
# One slot in so many is left to hosts that have proved to work. A page that takes longer than so
# many seconds proves nothing.
_LEFT_ONE_IN, _QUICK_S = 8, 3.0
_SOON_S = 0.5
# A page that takes 100 times as long as most, and for how long it counts.
HEAVY_S, _HEAVY_FOR = 0.25, 600.0
# Heavy hosts that are asked at the same time, and their rest for each second of reading.
_MOST_HEAVY, _HEAVY_FACTOR = 4, 4 * 9.0


class _HostClock:
    """A host's own pace, what was learned about it, and the paces that it shares."""

    __slots__ = (
        "address", "answer", "busy", "crawl_delay", "domain", "due", "ended", "failures",
        "heavy_until", "is_heavy", "newcomer", "proved", "rest", "shared", "unproved",
    )  # fmt: skip

    def __init__(self, domain: SharedPace | None) -> None:
        self.busy = False
        self.due = 0.0  # when the next request may begin
        self.ended = 0.0  # end of the last request
        self.answer = 0.0  # usual answer time in seconds: rises at once, falls by halves
        self.crawl_delay = 0.0
        self.failures = 0  # in a row
        self.rest = 0.0  # the last rest because of failures
        self.domain = domain
        self.address = ""
        self.shared: tuple[SharedPace, ...] = (domain,) if domain else ()
        self.newcomer = False  # the last of them is for hosts that have not answered yet
        self.proved = False  # its last request brought a page quickly
        self.unproved = False  # its request counts among those of hosts that have not
        self.heavy_until = 0.0
        self.is_heavy = False  # its request counts among those of heavy hosts


class ClockState(NamedTuple):
    """A clock to send to another machine. Times are relative: the machines' clocks differ."""

    due_in: float = 0.0
    ended_ago: float = 0.0  # 0: no request yet
    answer: float = 0.0
    crawl_delay: float = 0.0
    failures: int = 0
    rest: float = 0.0
    pages: int = 0  # fetched by the node that returns it; by all others when it is granted


class Clocks:
    """The clocks of all hosts. `delay`: the job's; 0: healthy hosts do not rest.

    `per_domain` and `per_ip`: how many hosts of a domain, and at an address, are asked at the same
    time; 0: no bound. `slots`: of a live crawl; 0: they do not matter.
    """

    def __init__(
        self, delay: float, *, per_domain: int = 0, per_ip: int = 0, slots: int = 0
    ) -> None:
        self._delay = delay
        self._hosts: dict[str, _HostClock] = {}
        self._domains = SharedPaces(per_domain)
        self._addresses = SharedPaces(per_ip, halved=True)
        self._heavy = SharedPace(_MOST_HEAVY)
        self._unproved_most = slots - slots // _LEFT_ONE_IN  # 0: no bound
        self._unproved = 0  # requests of such hosts
        self._sweep_at = _MIN_SWEEP

    def __len__(self) -> int:
        return len(self._hosts)

    def claim(self, host: str, now: float, address: str = "", beside: str = "") -> float:
        """Grants a request (result <= `now`: the host is busy until released), or says when to try
        again. For a busy host that is an estimate from its usual answer time.

        `address`: of the server; "": not known. `beside`: a host that the same visit has claimed,
        so that the bounds which both share have room."""
        clock = self._hosts.get(host)
        if clock is None:
            if len(self._hosts) >= self._sweep_at:
                self._forget(now)
            clock = self._clock(host)
        if clock.busy:
            return now + max(self._delay, clock.answer, 0.1)
        if clock.due > now:
            return clock.due
        if clock.address != address:
            self._move(clock, address)
        held = self._hosts[beside].shared if beside else ()
        for pace in clock.shared:
            if pace not in held and (ready := pace.ready_at(now, self._delay)) > now:
                return ready
        unproved = not clock.proved and self._unproved_most > 0
        if unproved and self._unproved >= self._unproved_most:
            return now + _SOON_S
        domain = clock.domain or clock
        if heavy := max(clock.heavy_until, domain.heavy_until) > now:
            if (ready := self._heavy.ready_at(now, 0.0)) > now:
                return ready
            self._heavy.busy += 1
        clock.busy, clock.is_heavy, clock.unproved = True, heavy, unproved
        self._unproved += unproved
        for pace in clock.shared:
            pace.busy += 1
        return clock.due

    def took(self, host: str, seconds: float, now: float) -> None:
        """Reading a page of a host took so long."""
        clock = self._hosts.get(host)
        if clock is None or seconds < HEAVY_S:
            return
        clock.heavy_until = now + _HEAVY_FOR
        if clock.domain:
            clock.domain.heavy_until = now + _HEAVY_FOR
        self._heavy.rest(now + _HEAVY_FACTOR * seconds)

    def _clock(self, host: str) -> _HostClock:
        clock = self._hosts.get(host)
        if clock is None:
            domain = self._domains.named(registered_domain(host))
            clock = self._hosts[host] = _HostClock(domain)
        return clock

    def _move(self, clock: _HostClock, address: str) -> None:
        """Takes a host to another address, where it is a newcomer."""
        clock.address, server = address, self._addresses.named(address)
        paces = clock.domain, server, server and server.newcomers
        clock.shared = tuple(pace for pace in paces if pace is not None)
        clock.newcomer = server is not None

    def release(
        self,
        host: str,
        now: float,
        *,
        seconds: float,
        healthy: bool,
        exists: bool = True,
        retry_after: float = 0.0,
        page: bool = False,
    ) -> float:
        """Ends a request that took `seconds`; returns when the host may be requested next.

        `healthy`: the server works. It does not after a 5xx, a 429 or a connection fault. A host
        that does not exist is dead at once. `page`: it brought one.
        """
        clock, delay = self._hosts[host], self._delay
        clock.proved = healthy and seconds < _QUICK_S and (page or clock.proved)
        if healthy:
            # Like Scrapy's AutoThrottle: a slower answer counts at once, a faster one is averaged.
            mean = (clock.answer + seconds) / 2
            clock.answer = max(seconds, mean, _INSTANT)
            clock.failures = 0
            if clock.rest:
                clock.rest = clock.rest / RECOVERY if clock.rest > RECOVERY else 0.0
            slow = SLOW_FACTOR * clock.answer
            if slow > delay > 0.0:
                delay = max(delay, min(slow, SLOW_MOST))
        else:
            clock.failures += 1
            patience = GIVE_UP_AFTER if clock.answer else GIVE_UP_NEW_AFTER
            if clock.failures >= patience or not exists:
                clock.failures = max(clock.failures, GIVE_UP_AFTER)
            clock.rest = min(max(2 * clock.rest, FIRST_REST, delay), LONGEST_REST)
            if clock.failures >= GIVE_UP_AFTER:
                clock.rest = LONGEST_REST
        rest = max(delay, clock.crawl_delay, clock.rest)
        if retry_after > rest:
            rest = min(retry_after, max(rest, LONGEST_RETRY_AFTER))
        clock.busy, clock.ended = False, now
        clock.due = due = max(clock.due, now + rest)
        for pace in clock.shared:
            pace.end(seconds, now + delay)
        self._uncount(clock)
        if healthy and clock.newcomer:
            clock.shared, clock.newcomer = clock.shared[:-1], False
        return due

    def forgo(self, host: str, now: float) -> float:
        """Returns an unused claim; returns when the host may be requested next, mostly at once."""
        clock = self._hosts[host]
        clock.busy = False
        for pace in clock.shared:
            pace.busy -= 1
        self._uncount(clock)
        return max(clock.due, now)

    def _uncount(self, clock: _HostClock) -> None:
        self._heavy.busy -= clock.is_heavy
        self._unproved -= clock.unproved
        clock.is_heavy = clock.unproved = False

    def proved(self, host: str) -> bool:
        """Whether a host's last request brought a page quickly."""
        clock = self._hosts.get(host)
        return clock is not None and clock.proved

    def crawl_delay(self, host: str, seconds: float) -> None:
        """Sets the delay in robots.txt. The larger of it and the job's counts."""
        clock = self._clock(host) if seconds > self._delay else self._hosts.get(host)
        if clock is not None:
            clock.crawl_delay = seconds
            if clock.ended:
                clock.due = max(clock.due, clock.ended + seconds)

    def hold(self, host: str, until: float) -> None:
        """Allows no request before `until`: its robots.txt is unreachable (RFC 9309, 2.3.1.4)."""
        clock = self._clock(host)
        clock.due = max(clock.due, until)

    def busy(self, host: str) -> bool:
        clock = self._hosts.get(host)
        return clock is not None and clock.busy

    def hand_over(self, host: str, now: float) -> ClockState:
        """The clock of a host that is not busy, for another node. It is forgotten here."""
        clock = self._hosts.pop(host, None)
        if clock is None:
            return ClockState()
        ago = max(now - clock.ended, 1e-9) if clock.ended else 0.0
        due_in = max(clock.due - now, 0.0)
        habits = (clock.answer, clock.crawl_delay, clock.failures, clock.rest)
        return ClockState(due_in, ago, *habits)

    def take_over(self, host: str, state: ClockState, now: float) -> None:
        clock = self._clock(host)
        clock.due = now + state.due_in
        clock.ended = now - state.ended_ago if state.ended_ago else 0.0
        clock.answer, clock.crawl_delay = state.answer, state.crawl_delay
        clock.failures, clock.rest = state.failures, state.rest

    def failures(self, host: str) -> int:
        """The number of failures in a row."""
        clock = self._hosts.get(host)
        return clock.failures if clock is not None else 0

    def answers(self, host: str) -> bool:
        """Whether the host answered the last request."""
        clock = self._hosts.get(host)
        return clock is not None and clock.ended > 0.0 and not clock.failures

    def given_up(self, host: str) -> bool:
        """Whether a host counts as dead. It is tried every ten minutes, and can recover."""
        return self.failures(host) >= GIVE_UP_AFTER

    def pages_elsewhere(self, host: str) -> int:  # noqa: ARG002 (LeasedClocks knows)
        """The number of pages of a host that other nodes fetched with the same clock."""
        return 0

    def _forget(self, now: float) -> None:
        """Drops hosts not worth keeping. The next sweep is due at twice the hosts left."""
        self._hosts = {
            host: clock
            for host, clock in self._hosts.items()
            if clock.busy or max(clock.due + self._keep(clock), clock.heavy_until) > now
        }
        self._sweep_at = max(_MIN_SWEEP, 2 * len(self._hosts))

    def _keep(self, clock: _HostClock) -> float:
        """The seconds a host is remembered after its rest."""
        if clock.crawl_delay > self._delay:
            return KEEP_RULES
        slow = SLOW_FACTOR * clock.answer > self._delay > 0.0
        return KEEP_HABITS if clock.failures or clock.rest or slow else 0.0
