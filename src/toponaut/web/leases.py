"""One clock per host on many machines: it is with one node at a time, on lease.

A Keeper knows for each of its hosts which node has its clock; a node asks it in batches (Asked, Answer) for the clocks that it wants, and
keeps each for as long as it has use for it and nobody else does. With its clock a node may ask a host as if it were alone: no
message is needed for single requests. The clock travels with all that was learned of its host.

A lease holds for LEASE_S by the keeper's steady clock from when it heard of its holder last, and for a tenth less by the holder's from when
it last asked: who is cut off stops before anybody else begins. Calls may be lost or repeated: wants are repeated until they are granted,
returns until they are answered, and a grant to who has it already is given again.

Who begins knows nothing: a keeper with predecessors gives nothing out until all their leases are over and a full delay has passed, and
believes meanwhile who says that it has a clock. Of a host whose holder fell silent, the delay begins when the lease is over.

Steady times are handed in, in seconds of the machine on which this runs.
"""

from collections.abc import Callable
from typing import NamedTuple

from msgspec import Struct

from toponaut.log import FencedError
from toponaut.web.politeness import Clocks, ClockState

LEASE_S = 10.0
_HELD_S = 0.9 * LEASE_S  # steady clocks run equally fast to far less than that
_RENEW_S = LEASE_S / 4
_IDLE_S = 1.0  # a clock that was not used for so long goes back: somebody may want it
_ASK_AGAIN_S = 0.05  # for a clock that another node has: it is told at once, and gives it back after its request
_GONE_S = 1.0  # who is so late to ask again no longer wants it
_SOON_S = 0.01  # when the frontier looks again whether a clock has come


class Asked(Struct, frozen=True):
    """What a node says to a keeper."""

    actor: str
    epoch: int
    wants: list[tuple[str, float]] = []  # hosts, with the crawl-delay that is known of them
    holds: list[str] = []  # whose leases are to go on
    returns: list[tuple[str, ClockState]] = []


class Answer(Struct, frozen=True):
    """What a keeper answers."""

    granted: list[tuple[str, ClockState]]
    later: list[tuple[str, float]]  # seconds until it is worth to ask again
    wanted: list[str]  # of those that the node has: others want them
    lost: list[str]  # of those that it says to have: they are not its own any more


class _Host:
    """A host as its keeper knows it."""

    __slots__ = ("epoch", "free_at", "holder", "queue", "state", "until")

    def __init__(self) -> None:
        self.holder = ""  # "": nobody
        self.epoch = 0
        self.until = 0.0
        self.state = ClockState()
        self.free_at = 0.0  # when its next request may begin
        self.queue: dict[
            tuple[str, int], float
        ] = {}  # who waits for it, the first first, and when each was told to come

    def turn_of(self, me: tuple[str, int], now: float) -> bool:
        """Whether nobody else who still asks has waited longer; those that do not ask any more are forgotten."""
        self.queue[me] = now
        self.queue = {who: due for who, due in self.queue.items() if now - due < _GONE_S}
        return next(iter(self.queue)) == me


class Keeper:
    """The clocks of some hosts: where they are. `anew`: there were keepers of these hosts before."""

    def __init__(self, delay: float, now: float, anew: bool = False) -> None:
        self._delay = delay
        self._opens = now + LEASE_S if anew else now
        self._anew = anew
        self._hosts: dict[str, _Host] = {}
        self._held: dict[tuple[str, int], set[str]] = {}
        self._latest: dict[str, int] = {}

    def ask(self, asked: Asked, now: float) -> Answer:
        """Raises FencedError if a later epoch of the node has begun."""
        if asked.epoch < self._latest.get(asked.actor, 0):
            raise FencedError(f"{asked.actor}@{asked.epoch} was followed by {asked.actor}@{self._latest[asked.actor]}")
        self._latest[asked.actor] = asked.epoch
        me = (asked.actor, asked.epoch)
        for host, state in asked.returns:
            self._take_back(me, host, state, now)
        lost = [host for host in asked.holds if not self._renew(me, host, now)]
        answer = Answer([], [], [], lost)
        for host, crawl_delay in asked.wants:
            wait = self._wait(me, host, crawl_delay, now)
            if wait > 0:
                answer.later.append((host, wait))
            else:
                answer.granted.append((host, self._give(me, host, now)))
        answer.wanted.extend(host for host in self._held.get(me, ()) if self._hosts[host].queue)
        return answer

    def _take_back(self, me: tuple[str, int], host: str, state: ClockState, now: float) -> None:
        known = self._hosts.get(host)
        if known is None:  # of a keeper before this one
            known = self._hosts[host] = _Host()
        elif (known.holder, known.epoch) != me:
            return
        self._let_go(known, host)
        known.state, known.free_at = state, max(known.free_at, now + state.due_in)

    def _renew(self, me: tuple[str, int], host: str, now: float) -> bool:
        known = self._hosts.get(host)
        if now < self._opens and (known is None or not known.holder):
            known = self._hosts.setdefault(host, _Host())
        elif known is None or (known.holder, known.epoch) != me:
            return False
        known.holder, known.epoch = me
        known.until = now + LEASE_S
        self._held.setdefault(me, set()).add(host)
        return True

    def _wait(self, me: tuple[str, int], host: str, crawl_delay: float, now: float) -> float:
        """How long a host cannot be given to a node; 0 if it can."""
        known = self._hosts.get(host)
        if known is None:
            known = self._hosts[host] = _Host()
            if self._anew:  # it may have been asked right before its old keeper died
                known.free_at = self._opens + max(self._delay, crawl_delay)
        if (known.holder, known.epoch) == me:
            return 0.0
        if now < self._opens:
            return self._opens - now
        first = known.turn_of(me, now)
        if known.holder and known.until > now:
            return _ASK_AGAIN_S
        if known.holder:
            full = max(self._delay, crawl_delay, known.state.crawl_delay)
            known.free_at = max(known.free_at, known.until + full)
            self._let_go(known, host)
        wait = max(known.free_at - now, 0.0 if first else _ASK_AGAIN_S)
        known.queue[me] = now + wait
        return wait

    def _give(self, me: tuple[str, int], host: str, now: float) -> ClockState:
        known = self._hosts[host]
        known.holder, known.epoch = me
        known.until = now + LEASE_S
        known.queue.pop(me, None)
        self._held.setdefault(me, set()).add(host)
        return known.state._replace(due_in=max(known.free_at - now, 0.0))

    def _let_go(self, known: _Host, host: str) -> None:
        self._held.get((known.holder, known.epoch), set()).discard(host)
        known.holder = ""


class _Lease(NamedTuple):
    until: float
    used: float
    fresh: bool = True  # no request was made with it: it does not go back, wanted or not, before it was of use


class LeasedClocks(Clocks):
    """The clocks that a node has on lease. To the river they are clocks like others: `claim` wants what is not there."""

    def __init__(self, delay: float) -> None:
        super().__init__(delay)
        self._leases: dict[str, _Lease] = {}
        self._wants: dict[str, float] = {}  # hosts, and when to ask for them
        self._recalled: set[str] = set()
        self._returning: dict[str, ClockState] = {}
        self._delays: dict[str, float] = {}  # crawl-delays that are known: a keeper may have forgotten
        self.steady = 0.0  # the time of this machine; set by whoever drives this

    def claim(self, host: str, now: float) -> float:
        lease = self._leases.get(host)
        if lease is None or lease.until <= self.steady or (host in self._recalled and not lease.fresh):
            if lease is None and host not in self._returning:
                self._wants.setdefault(host, self.steady)
            return now + max(self._wants.get(host, 0.0) - self.steady, _SOON_S)
        at = super().claim(host, now)
        self._leases[host] = lease._replace(used=self.steady, fresh=lease.fresh and at > now)
        return at

    def crawl_delay(self, host: str, seconds: float) -> None:
        if seconds > self._delay:
            self._delays[host] = seconds
        super().crawl_delay(host, seconds)

    def hold(self, host: str, until: float) -> None:
        if host in self._leases:
            super().hold(host, until)

    @property
    def waits(self) -> bool:
        """Whether a clock is asked for."""
        return bool(self._wants)

    def asking(self, actor: str, epoch: int, mine: Callable[[str], bool], now: float, steady: float) -> Asked | None:
        """What to say to the keeper of these hosts now; None if there is nothing to say. `now` is the crawl's time."""
        self.steady = steady
        for host, lease in list(self._leases.items()):
            recalled = host in self._recalled and not lease.fresh
            idle = steady - lease.used >= _IDLE_S or recalled or lease.until <= steady
            if mine(host) and idle and not self.busy(host):
                self._returning[host] = self.hand_over(host, now)
                del self._leases[host]
                self._recalled.discard(host)
        asked = Asked(
            actor,
            epoch,
            wants=[(h, self._delays.get(h, 0.0)) for h, at in self._wants.items() if mine(h) and at <= steady],
            holds=[h for h, lease in self._leases.items() if mine(h) and 0 < lease.until - steady < _HELD_S - _RENEW_S],
            returns=[(h, state) for h, state in self._returning.items() if mine(h)],
        )
        quiet = not (asked.wants or asked.holds or asked.returns)
        return None if quiet and not any(map(mine, self._leases)) else asked

    def answered(self, asked: Asked, answer: Answer, sent: float, now: float, steady: float) -> None:
        """What the keeper answered to what was said at `sent`, by the steady clock."""
        self.steady = steady
        for host, _ in asked.returns:
            self._returning.pop(host, None)
        lost = set(answer.lost)
        for host in asked.holds:
            lease = self._leases.get(host)
            if lease and host not in lost:
                self._leases[host] = lease._replace(until=sent + _HELD_S)
        for host in lost & set(self._leases):
            self._leases[host] = self._leases[host]._replace(until=0.0)
        for host, state in answer.granted:
            self._wants.pop(host, None)
            if host not in self._leases:
                self._leases[host] = _Lease(sent + _HELD_S, steady)
                self.take_over(host, state, now)
        for host, wait in answer.later:
            if host in self._wants:
                self._wants[host] = steady + wait
        self._recalled |= set(answer.wanted) & set(self._leases)
