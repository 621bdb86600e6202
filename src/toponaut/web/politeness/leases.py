"""One clock per host on many machines: it is with one node at a time, on lease.

A Keeper (keeper.py) knows for each of its hosts which node has its clock; a node asks it in batches (Asked, Answer) for the clocks that
it wants, and keeps each for as long as it has use for it and nobody else does. With its clock a node may ask a host as if it
were alone: no message is needed for single requests. The clock travels with all that was learned of its host.

Calls may be lost, repeated or late: wants are repeated until they are granted, returns until they are answered, and a grant to who
has it already is given again. A lease counts from when the node sent its question, not from when an answer came. When it is over,
no request is begun, and one that is under way is ended (`within`).

What it costs: leases are looked at once a second, those of a quarter of a second together; so a node with ten thousand of them
does little, and says all it has to say to a keeper in a few calls a second.
"""

import asyncio
import heapq
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from math import inf

from msgspec import Struct

from toponaut.urls import fingerprint
from toponaut.web.politeness.clocks import Clocks, ClockState

LEASE_S = 10.0
_HELD_S = 0.9 * LEASE_S  # by the node's clock: see keeper.py
_RENEW_S = LEASE_S / 4
_IDLE_S = 1.0  # a clock that was not used for so long goes back: somebody may want it. So often leases are looked at
_LOOKS_A_SECOND = 4
_SHORT_S = 0.1  # for so long a clock is of use, also if it is wanted: at no delay a host answers many requests meanwhile
_AGAIN_S = 0.5  # wants are repeated, if nobody answered
_SOON_S = 0.03  # when the frontier looks again whether a clock has come
# Clocks that are asked for at once. They come within some hundredths of a second, so this is thousands a second; and a
# frontier with a million hosts does not want them all.
_WANTED_MOST = 256


class Asked(Struct, frozen=True, array_like=True):
    """What a node says to a keeper."""

    actor: str
    epoch: int
    keeper: int = 1  # the epoch of the keeper that answered last
    number: int = 1  # counts the calls of this life to this keeper
    wants: list[tuple[str, int]] = []  # hosts, with the pages that the node has of them
    holds: list[tuple[str, int]] = []  # whose leases are to go on, likewise
    returns: list[tuple[str, ClockState]] = []
    delays: list[
        tuple[str, float]
    ] = []  # crawl-delays that the node has read: once to each life of a keeper


class Answer(Struct, frozen=True, array_like=True):
    """What a keeper answers."""

    keeper: int = 1  # its epoch
    granted: list[tuple[str, ClockState]] = []
    later: list[tuple[str, float]] = []  # seconds until it is worth to ask again
    wanted: list[str] = []  # of those that the node has: others want them
    lost: list[str] = []  # of those that it says to have: they are not its own any more


def again_s(delay: float) -> float:
    """How often to ask about a clock that changes hands: it has as long for that as its host rests."""
    return min(max(delay / 4, 0.02), 0.25)


class LeaseOverError(Exception):
    """A request was not begun, or was ended, because its host's clock is not here any more."""


class _Lease:
    __slots__ = ("came", "fresh", "look", "moved", "recalled", "until", "used")

    def __init__(self, until: float, came: float) -> None:
        self.until = until
        self.came = self.used = came
        self.fresh = True  # no request was made with it: it does not go back, wanted or not, before it was of use
        self.recalled = False
        self.look = 0  # when it is looked at next, in parts of a second
        self.moved: Callable[[float], None] | None = None  # to be told when `until` changes

    def goes_back(self, steady: float) -> bool:
        """Whether it is somebody else's turn."""
        return self.recalled and not self.fresh and steady - self.came >= _SHORT_S

    def hold_until(self, until: float) -> None:
        self.until = until
        if self.moved:
            self.moved(until)


class _Share:
    """What there is to say to one keeper."""

    def __init__(self) -> None:
        self.keeper = 0  # its epoch, as far as it is known
        self.number = 0
        self.asked_at = -inf
        self.held = 0
        self.looks: dict[int, list[str]] = {}  # leases, by when they are to be looked at
        self.freed: set[str] = set()  # those that may go back now
        self.wants: dict[str, float] = {}  # hosts, and when to ask for them
        self.by_time: list[tuple[float, str]] = []  # the same, as a heap
        self.returning: dict[str, ClockState] = {}
        self.delays: dict[str, float] = {}
        self.untold: dict[str, float] = {}  # of them, what this keeper may not know

    def want(self, host: str, at: float) -> None:
        self.wants[host] = at
        heapq.heappush(self.by_time, (at, host))

    def due_wants(self, steady: float) -> list[str]:
        """What is to be asked for now; it is asked for again soon, unless there is an answer before."""
        due = []
        while self.by_time and self.by_time[0][0] <= steady:
            at, host = heapq.heappop(self.by_time)
            if self.wants.get(host) == at:
                due.append(host)
                self.want(host, steady + _AGAIN_S)
        return due

    def look_at(self, host: str, lease: _Lease, at: float) -> None:
        lease.look = int(at * _LOOKS_A_SECOND) + 1
        self.looks.setdefault(lease.look, []).append(host)

    def due_looks(self, steady: float) -> list[tuple[int, str]]:
        due = [look for look in self.looks if look <= steady * _LOOKS_A_SECOND]
        return [(look, host) for look in due for host in self.looks.pop(look)]


class LeasedClocks(Clocks):
    """The clocks that a node has on lease. To the river they are clocks like others: `claim` wants what is not there.

    `steady`: the seconds of this machine. `pages`: how many a host gave to this node. `live`: the crawl's time is real. If it
    is simulated, each node has a time of its own, and nobody waits for what a clock tells in it.
    """

    def __init__(
        self,
        delay: float,
        steady: Callable[[], float] = time.monotonic,
        pages: Callable[[str], int] = lambda _: 0,
        live: bool = True,
    ) -> None:
        super().__init__(delay)
        self._steady, self._pages, self._live = steady, pages, live
        self._quiet_s = again_s(delay if live else 0.0)
        self._leases: dict[str, _Lease] = {}
        self._shares = [_Share()]
        self._unanswered: dict[
            str, float
        ] = {}  # hosts that were asked for first at that time, the first first
        self._elsewhere: dict[str, int] = {}  # pages that a host gave to other nodes

    def share_among(self, keepers: int) -> None:
        """Tells how many keepers there are, before anything is claimed."""
        self._shares = [_Share() for _ in range(keepers)]

    def _share(self, host: str) -> _Share:
        return (
            self._shares[fingerprint(host) % len(self._shares)]
            if len(self._shares) > 1
            else self._shares[0]
        )

    # --- what the river calls ----------------------------------------------------------------------------------------

    def claim(self, host: str, now: float) -> float:
        """As ever; and without end if so many clocks are asked for already that it is no use to look for others."""
        lease, steady = self._leases.get(host), self._steady()
        if lease is None:
            return now + self._want(host, steady)
        if lease.until <= steady or lease.goes_back(steady):
            return now + _SOON_S  # it goes back, and is wanted again
        at = super().claim(host, now)
        lease.used = steady
        lease.fresh = lease.fresh and at > now
        return at

    def _want(self, host: str, steady: float) -> float:
        share = self._share(host)
        if host in share.returning:
            return _SOON_S
        if host not in share.wants:
            if self.crowded():
                return inf
            self._unanswered[host] = steady
            share.want(host, steady)
        return max(share.wants[host] - steady, _SOON_S)

    def crowded(self) -> bool:
        """Whether as many clocks are asked for as may be. What a dead keeper does not answer does not count for long."""
        steady = self._steady()
        while self._unanswered and steady - next(iter(self._unanswered.values())) > _AGAIN_S:
            self._unanswered.pop(next(iter(self._unanswered)))
        return len(self._unanswered) >= _WANTED_MOST

    def release(
        self, host: str, now: float, *, seconds: float, healthy: bool, retry_after: float = 0.0
    ) -> float:
        at = super().release(host, now, seconds=seconds, healthy=healthy, retry_after=retry_after)
        self._may_go(host)
        return at

    def forgo(self, host: str, now: float) -> float:
        at = super().forgo(host, now)
        self._may_go(host)
        return at

    def _may_go(self, host: str) -> None:
        lease = self._leases.get(host)
        if lease and lease.recalled:
            self._share(host).freed.add(host)

    def crawl_delay(self, host: str, seconds: float) -> None:
        share = self._share(host)
        if self._live and (seconds > self._delay or host in share.delays):
            share.delays[host] = share.untold[host] = seconds
        if host in self._leases:
            super().crawl_delay(host, seconds)

    def hold(self, host: str, until: float) -> None:
        if host in self._leases:
            super().hold(host, until)

    def left(self, host: str) -> float:
        """Seconds for which a host may be asked without another word of its keeper."""
        lease = self._leases.get(host)
        return lease.until - self._steady() if lease else 0.0

    @asynccontextmanager
    async def within(self, host: str) -> AsyncIterator[None]:
        """For a request: raises LeaseOverError when the lease is over. A lease that is renewed goes on."""
        lease, loop = self._leases.get(host), asyncio.get_running_loop()
        left = self.left(host)
        if lease is None or left <= 0:
            raise LeaseOverError(host)
        timer = asyncio.timeout(left)

        def move(until: float) -> None:
            with suppress(RuntimeError):  # it is over already
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
        """Whether a clock is asked for."""
        return any(share.wants for share in self._shares)

    # --- what is said to keepers -------------------------------------------------------------------------------------

    def asking(self, actor: str, epoch: int, keeper: int, now: float) -> Asked | None:
        """What to say to a keeper now; None if there is nothing to say. `now` is the crawl's time."""
        share, steady = self._shares[keeper], self._steady()
        holds = self._look(share, steady, now)
        wants = share.due_wants(steady)
        quiet = steady - share.asked_at < (self._quiet_s if share.held else _RENEW_S)
        if quiet and not (wants or holds or share.returning or share.untold):
            return None
        share.number += 1
        share.asked_at = steady
        return Asked(
            actor,
            epoch,
            share.keeper,
            share.number,
            [(host, self._pages(host)) for host in wants],
            [(host, self._pages(host)) for host in holds],
            list(share.returning.items()),
            list(share.untold.items()),
        )

    def _look(self, share: _Share, steady: float, now: float) -> list[str]:
        """Gives back what may go; those whose leases are to go on."""
        holds = []
        for host in list(share.freed):
            lease = self._leases.get(host)
            if lease is None or lease.goes_back(steady):
                share.freed.discard(host)
                if lease and not self.busy(host):
                    self._give_back(share, host, now)
        for look, host in share.due_looks(steady):
            lease = self._leases.get(host)
            if lease is None or lease.look != look:  # it went back since
                continue
            over = lease.until <= steady
            unwanted = over or lease.goes_back(steady) or steady - lease.used >= _IDLE_S
            if unwanted and not self.busy(host):
                self._give_back(share, host, now)
                continue
            if not over and lease.until - steady < _HELD_S - _RENEW_S:
                holds.append(host)
            share.look_at(host, lease, steady + _IDLE_S)
        return holds

    def _give_back(self, share: _Share, host: str, now: float) -> None:
        state = self.hand_over(host, now)._replace(pages=self._pages(host))
        share.returning[host] = (
            state if self._live else state._replace(due_in=0.0, ended_ago=0.0, crawl_delay=0.0)
        )
        share.held -= 1
        del self._leases[host]

    def answered(
        self, keeper: int, asked: Asked, answer: Answer, sent: float, now: float
    ) -> list[str]:
        """What the keeper answered to what was said at `sent`, by the steady clock. The hosts that came."""
        share, steady = self._shares[keeper], self._steady()
        if answer.keeper < share.keeper:  # a copy that was thought dead
            return []
        if answer.keeper > share.keeper:
            share.keeper, share.untold = answer.keeper, dict(share.delays)
        for host, seconds in asked.delays:
            if share.untold.get(host) == seconds:
                del share.untold[host]
        for host, _ in asked.returns:
            share.returning.pop(host, None)
        if asked.keeper == answer.keeper:
            self._renewed(asked, set(answer.lost), sent)
        for host, _ in asked.wants:
            self._unanswered.pop(host, None)
        for host, wait in answer.later:
            share.want(host, steady + wait)
        for host, state in answer.granted:
            share.wants.pop(host, None)
            self._come(share, host, state, sent, now)
        for host in answer.wanted:
            if lease := self._leases.get(host):
                lease.recalled = True
                if not lease.fresh:
                    share.freed.add(host)
        return [host for host, _ in answer.granted]

    def _renewed(self, asked: Asked, lost: set[str], sent: float) -> None:
        for host, _ in asked.holds:
            if lease := self._leases.get(host):
                lease.hold_until(-inf if host in lost else sent + _HELD_S)

    def _come(self, share: _Share, host: str, state: ClockState, sent: float, now: float) -> None:
        if host in self._leases:
            return
        lease = self._leases[host] = _Lease(sent + _HELD_S, self._steady())
        share.held += 1
        share.look_at(host, lease, lease.used + _IDLE_S)
        self.take_over(host, state, now)
        if host in share.delays:
            super().crawl_delay(host, max(share.delays[host], state.crawl_delay))
        if state.pages:
            self._elsewhere[host] = state.pages
