"""One clock per host on many machines: one node at a time holds it, on lease.

A ClockKeeper (clock_keeper.py) knows which node holds the clock of each of its hosts. A node
requests the clocks it wants in batches, and keeps each while it uses it and no other node wants it.
The holder may request pages from the host without further messages. A clock's state travels with
it.

Calls may be lost, repeated or late: wants are repeated until granted, returns until acknowledged. A
lease counts from when the node sent its request. When it ends, no new request starts, and a running
one is cancelled (`within`). Leases are checked once a second, so ten thousand of them cost little.
"""

import asyncio
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from math import inf

from toponaut.records import Request, Response
from toponaut.timing import Time
from toponaut.urls import fingerprint, host_of
from toponaut.web.fetch import Fetcher
from toponaut.web.politeness.clocks import Clocks, ClockState
from toponaut.web.politeness.lease_messages import LEASE_S, LeaseReply, LeaseRequest, again_s
from toponaut.web.politeness.lease_session import REPEAT_S, KeeperSession, Lease

_HELD_S = 0.9 * LEASE_S  # on the node's clock; clock_keeper.py explains the margin
_RENEW_S = LEASE_S / 4
_IDLE_S = 1.0  # a clock unused for this long is returned; leases are checked this often
_SOON_S = 0.03  # when the frontier checks again whether a clock has arrived
# Clocks requested at once. They arrive within some hundredths of a second, so this allows thousands
# a second; a frontier with a million hosts must not request them all.
_MAX_WANTED = 256


class LeaseOverError(Exception):
    """A request was cancelled or not started because the lease of its host's clock ended."""


class LeasedClocks(Clocks):
    """The clocks a node has on lease. `claim` requests missing ones.

    `pages`: how many pages of a host this node has. `live`: the crawl's time is real. If it is
    simulated, each node has its own time, and clock states carry none.
    """

    def __init__(
        self,
        delay: float,
        steady: Callable[[], float] = time.monotonic,
        pages: Callable[[str], int] = lambda _: 0,
        live: bool = True,
        *,
        per_domain: int = 0,
        per_ip: int = 0,
        slots: int = 0,
    ) -> None:
        super().__init__(delay, per_domain=per_domain, per_ip=per_ip, slots=slots)
        self._steady, self._pages, self._live = steady, pages, live
        self._quiet_s = again_s(delay if live else 0.0)
        self._leases: dict[str, Lease] = {}
        self._sessions = [KeeperSession()]
        self._unanswered: dict[str, float] = {}  # hosts, by when they were first requested
        self._holds: dict[str, float] = {}  # hosts without a lease, by when they may be requested
        self._elsewhere: dict[str, int] = {}  # pages of a host that other nodes fetched

    def set_keepers(self, keepers: int) -> None:
        """Sets the number of keepers. Call it before the first claim."""
        self._sessions = [KeeperSession() for _ in range(keepers)]

    def _session(self, host: str) -> KeeperSession:
        sessions = self._sessions
        return sessions[fingerprint(host) % len(sessions)] if len(sessions) > 1 else sessions[0]

    # --- called by the node ---

    def claim(self, host: str, now: float, address: str = "", beside: str = "") -> float:
        """As in Clocks; infinity if too many clocks are requested already to look for more."""
        lease, steady = self._leases.get(host), self._steady()
        if lease is None:
            return now + self._want(host, steady)
        if lease.until <= steady or lease.goes_back(steady):
            return now + _SOON_S  # it is returned, and requested again
        at = super().claim(host, now, address, beside)
        lease.used = steady
        lease.fresh = lease.fresh and at > now
        return at

    def _want(self, host: str, steady: float) -> float:
        session = self._session(host)
        if host in session.returning:
            return _SOON_S
        if host not in session.wants:
            if self.crowded():
                return inf
            self._unanswered[host] = steady
            session.want(host, steady)
        return max(session.wants[host] - steady, _SOON_S)

    def crowded(self) -> bool:
        """Whether _MAX_WANTED clocks are requested. Requests to a dead keeper expire soon."""
        steady = self._steady()
        while self._unanswered and steady - next(iter(self._unanswered.values())) > REPEAT_S:
            self._unanswered.pop(next(iter(self._unanswered)))
        return len(self._unanswered) >= _MAX_WANTED

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
        at = super().release(
            host, now, seconds=seconds, healthy=healthy, exists=exists, retry_after=retry_after,
            page=page,
        )  # fmt: skip
        self._free_if_recalled(host)
        return at

    def forgo(self, host: str, now: float) -> float:
        at = super().forgo(host, now)
        self._free_if_recalled(host)
        return at

    def _free_if_recalled(self, host: str) -> None:
        lease = self._leases.get(host)
        if lease and lease.recalled:
            self._session(host).freed.add(host)

    def crawl_delay(self, host: str, seconds: float) -> None:
        session = self._session(host)
        if self._live and (seconds > self._delay or host in session.delays):
            session.delays[host] = session.unsent_delays[host] = seconds
        if host in self._leases:
            super().crawl_delay(host, seconds)

    def hold(self, host: str, until: float) -> None:
        """As in Clocks. Without the lease it counts from the next one on."""
        if host in self._leases:
            super().hold(host, until)
        elif self._live:
            self._holds[host] = max(until, self._holds.get(host, 0.0))

    def left(self, host: str) -> float:
        """Seconds for which a host may be requested before its lease ends."""
        lease = self._leases.get(host)
        return lease.until - self._steady() if lease else 0.0

    @asynccontextmanager
    async def within(self, host: str) -> AsyncIterator[None]:
        """Limits a request to the lease: raises LeaseOverError when it ends. Renewals extend it."""
        lease, loop = self._leases.get(host), asyncio.get_running_loop()
        left = self.left(host)
        if lease is None or left <= 0:
            raise LeaseOverError(host)
        timer = asyncio.timeout(left)

        def move(until: float) -> None:
            with suppress(RuntimeError):  # the timer has expired already
                timer.reschedule(loop.time() + until - self._steady())

        try:
            async with timer:
                lease.moved = move
                yield
        except TimeoutError as error:
            if timer.expired():
                raise LeaseOverError(host) from error
            raise
        finally:
            lease.moved = None

    def pages_elsewhere(self, host: str) -> int:
        return self._elsewhere.get(host, 0)

    @property
    def waits(self) -> bool:
        return any(session.wants for session in self._sessions)

    # --- messages to keepers ---

    def next_request(self, actor: str, epoch: int, keeper: int, now: float) -> LeaseRequest | None:
        """The message to send to a keeper now, None if there is none. `now`: the crawl's time."""
        session, steady = self._sessions[keeper], self._steady()
        holds = self._check(session, steady, now)
        wants = session.due_wants(steady)
        quiet = steady - session.asked_at < (self._quiet_s if session.held else _RENEW_S)
        if quiet and not (wants or holds or session.returning or session.unsent_delays):
            return None
        session.number += 1
        session.asked_at = steady
        return LeaseRequest(
            actor, epoch, session.keeper, session.number,
            wants=[(host, self._pages(host)) for host in wants],
            holds=[(host, self._pages(host)) for host in holds],
            returns=list(session.returning.items()),
            delays=list(session.unsent_delays.items()),
        )  # fmt: skip

    def _check(self, session: KeeperSession, steady: float, now: float) -> list[str]:
        """Returns clocks that are free or idle; gives the hosts whose leases to renew."""
        holds = []
        for host in list(session.freed):
            lease = self._leases.get(host)
            if lease is None or lease.goes_back(steady):
                session.freed.discard(host)
                if lease and not self.busy(host):
                    self._give_back(session, host, now)
        for check, host in session.due_checks(steady):
            lease = self._leases.get(host)
            if lease is None or lease.check != check:  # returned since
                continue
            over = lease.until <= steady
            unwanted = over or lease.goes_back(steady) or steady - lease.used >= _IDLE_S
            if unwanted and not self.busy(host):
                self._give_back(session, host, now)
                continue
            if not over and lease.until - steady < _HELD_S - _RENEW_S:
                holds.append(host)
            session.check_at(host, lease, steady + _IDLE_S)
        return holds

    def _give_back(self, session: KeeperSession, host: str, now: float) -> None:
        state = self.hand_over(host, now)._replace(pages=self._pages(host))
        session.returning[host] = (
            state if self._live else state._replace(due_in=0.0, ended_ago=0.0, crawl_delay=0.0)
        )
        session.held -= 1
        del self._leases[host]

    def apply_reply(
        self, keeper: int, request: LeaseRequest, reply: LeaseReply, sent: float, now: float
    ) -> list[str]:
        """Applies the reply to a request sent at `sent` (steady clock). Gives the hosts granted."""
        session, steady = self._sessions[keeper], self._steady()
        if reply.keeper < session.keeper:  # from a keeper that was replaced
            return []
        if reply.keeper > session.keeper:
            session.keeper, session.unsent_delays = reply.keeper, dict(session.delays)
        for host, seconds in request.delays:
            if session.unsent_delays.get(host) == seconds:
                del session.unsent_delays[host]
        for host, _ in request.returns:
            session.returning.pop(host, None)
        if request.keeper == reply.keeper:
            self._renew(request, set(reply.lost), sent)
        for host, _ in request.wants:
            self._unanswered.pop(host, None)
        for host, wait in reply.later:
            session.want(host, steady + wait)
        for host, state in reply.granted:
            session.wants.pop(host, None)
            self._grant(session, host, state, sent, now)
        for host in reply.wanted:
            if lease := self._leases.get(host):
                lease.recalled = True
                if not lease.fresh:
                    session.freed.add(host)
        return [host for host, _ in reply.granted]

    def _renew(self, request: LeaseRequest, lost: set[str], sent: float) -> None:
        for host, _ in request.holds:
            if lease := self._leases.get(host):
                lease.hold_until(-inf if host in lost else sent + _HELD_S)

    def _grant(
        self, session: KeeperSession, host: str, state: ClockState, sent: float, now: float
    ) -> None:
        if host in self._leases:
            return
        lease = self._leases[host] = Lease(sent + _HELD_S, self._steady())
        session.held += 1
        session.check_at(host, lease, lease.used + _IDLE_S)
        self.take_over(host, state, now)
        if (until := self._holds.pop(host, 0.0)) > now:
            super().hold(host, until)
        if host in session.delays:
            super().crawl_delay(host, max(session.delays[host], state.crawl_delay))
        if state.pages:
            self._elsewhere[host] = state.pages


class LeasedFetcher:
    """Fetches within the lease of a host's clock.

    Raises LeaseOverError, with the claim released, if the lease ends first.
    """

    def __init__(self, fetcher: Fetcher, clocks: LeasedClocks, crawl_time: Time) -> None:
        self.live = fetcher.live
        self._fetcher, self._clocks, self._time = fetcher, clocks, crawl_time

    async def fetch(self, request: Request) -> Response:
        host, began = host_of(request.url), time.monotonic()
        try:
            async with self._clocks.within(host):
                return await self._fetcher.fetch(request)
        except LeaseOverError:
            seconds = time.monotonic() - began
            self._clocks.release(host, self._time.now(), seconds=seconds, healthy=True)
            raise

    def address(self, host: str) -> str | None:
        return self._fetcher.address(host)

    async def close(self) -> None:
        await self._fetcher.close()
