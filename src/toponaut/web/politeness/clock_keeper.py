"""Which node holds the clock of which host: the server side of leases.py.

All times are monotonic seconds on the keeper's machine. Clock rates of machines differ by less than
10 %: a node or another keeper therefore finishes within 0.9 of each limit. The keeper guarantees
three things.

**A silent holder.** A node counts its lease from when it *sent* the request the keeper answered,
for 0.9 LEASE_S. The keeper received it later and counts LEASE_S from then. When that is over, the
node has stopped its requests, but it may have made one just before. So the host is free a full
delay after the end of the lease.

**A keeper presumed dead.** It may still answer next to its successor, but only within 0.9 LOOK_S of
having checked the storage and found no later keeper (`looked`). The successor takes its epoch at T
and answers nobody until T + LOOK_S. So

    the old keeper's last answers were requested before    T + LOOK_S
    and leases by such answers end before                  T + LOOK_S + LEASE_S  =  the opening

however late an answer arrives, and however long the old keeper was suspended after its check: a
lease counts from a moment before both. Before the opening, the successor grants nothing. It does
accept a node's claim to hold a clock, if made after a reply of this keeper, hence after T + LOOK_S:
the old keeper can no longer have given that clock away. Any host may have been requested up to the
opening, so it is free a full delay after it. A node that meets a keeper for the first time gets no
clock: it has not sent its known crawl-delays yet.

**A late call**, when its node has made others since, could return a clock that the node got again
in the meantime. The calls of a node are numbered, and the keeper refuses a call that is not later
than all before. It also refuses calls from an earlier epoch of the node; leases of that epoch run
out like those of any silent holder.

Memory holds hosts in use and hosts with learned habits (clocks.py); others are dropped.
"""

from toponaut.log import FencedError
from toponaut.web.politeness.clocks import KEEP_HABITS, KEEP_RULES, SLOW_FACTOR, ClockState
from toponaut.web.politeness.lease_messages import LEASE_S, LeaseReply, LeaseRequest, again_s

LOOK_S = LEASE_S / 4
_GONE_S = 1.0  # a node this late to ask again no longer wants the host
_MIN_SWEEP = 1024  # fewer hosts are not worth a sweep
_NEVER = float("-inf")
_NO_HOLDER = ("", 0)

Life = tuple[str, int]  # an actor and its epoch


class LateCallError(Exception):
    """A call arrived after later ones of the same node."""


class BlindKeeperError(Exception):
    """The keeper may not be the only one: it just started, or has not seen the storage for long."""


class _KeptHost:
    """A host's clock: its holder, its state and the nodes that wait for it."""

    __slots__ = ("asked_at", "free_at", "holder", "pages", "queue", "state", "until")

    def __init__(self, asked_at: float) -> None:
        self.holder = _NO_HOLDER
        self.until = 0.0
        self.state = ClockState()
        self.asked_at = asked_at  # the latest time at which a request may have been made
        self.free_at = _NEVER  # later than a full delay if the host failed or is slow
        self.queue: dict[Life, float] = {}  # waiting nodes in order, and when each should ask again
        self.pages: dict[str, int] = {}  # pages fetched, by actor

    def turn_of(self, me: Life, now: float) -> bool:
        """Whether no other node has waited longer. Drops those that stopped asking."""
        self.queue[me] = now
        self.queue = {who: due for who, due in self.queue.items() if now - due < _GONE_S}
        return next(iter(self.queue)) == me


class ClockKeeper:
    """Leases the clocks of some hosts. `successor`: there was a keeper of these hosts before."""

    def __init__(
        self, delay: float, now: float, *, epoch: int = 1, successor: bool = False
    ) -> None:
        self.epoch = epoch
        self.delay = delay
        self._retry_s = again_s(delay)
        self._alone = now + LOOK_S if successor else _NEVER  # the only keeper from then on
        self._opens = self._alone + LEASE_S
        self._hosts: dict[str, _KeptHost] = {}
        self._recalls: dict[Life, set[str]] = {}
        self._latest: dict[str, tuple[int, int]] = {}  # the epoch of each actor, and its last call
        self._sweep_at = _MIN_SWEEP

    def __len__(self) -> int:
        return len(self._hosts)

    def ask(self, request: LeaseRequest, now: float, looked: float | None = None) -> LeaseReply:
        """Answers a node. Raises FencedError (a later epoch of the node exists), LateCallError or
        BlindKeeperError. `looked`: when the storage last showed no later keeper; None: there is
        never one.
        """
        if looked is not None and now - looked > 0.9 * LOOK_S:
            raise BlindKeeperError(
                f"keeper@{self.epoch} has not seen the storage for {now - looked:.1f} s"
            )
        if now < self._alone:
            raise BlindKeeperError(f"the keeper before keeper@{self.epoch} may still be answering")
        self._admit(request)
        me = (request.actor, request.epoch)
        for host, seconds in request.delays:
            known = self._host(host, now)
            known.state = known.state._replace(crawl_delay=seconds)
        for host, state in request.returns:
            self._take_back(me, host, state, now)
        if request.keeper != self.epoch:
            return LeaseReply(self.epoch, later=[(host, 0.0) for host, _ in request.wants])
        lost = [host for host, pages in request.holds if not self._renew(me, host, pages, now)]
        reply = LeaseReply(self.epoch, lost=lost)
        for host, pages in request.wants:
            wait = self._wait(me, host, now)
            if pages:
                self._hosts[host].pages[request.actor] = pages
            if wait > 0:
                reply.later.append((host, wait))
            else:
                reply.granted.append((host, self._give(me, host, now)))
        reply.wanted.extend(host for host in self._recalls.pop(me, ()) if self._has(me, host))
        return reply

    def _admit(self, request: LeaseRequest) -> None:
        epoch, number = self._latest.get(request.actor, (0, 0))
        if request.epoch < epoch:
            raise FencedError(
                f"{request.actor}@{request.epoch} was followed by {request.actor}@{epoch}"
            )
        if request.epoch == epoch and request.number <= number:
            raise LateCallError(
                f"call {request.number} of {request.actor}@{request.epoch} came after call {number}"
            )
        self._latest[request.actor] = (request.epoch, request.number)

    def _host(self, host: str, now: float) -> _KeptHost:
        known = self._hosts.get(host)
        if known is None:
            if len(self._hosts) >= self._sweep_at:
                self._forget(now)
            known = self._hosts[host] = _KeptHost(self._opens)
        return known

    def _take_back(self, me: Life, host: str, state: ClockState, now: float) -> None:
        known = self._hosts.get(host)
        if now < self._opens and (
            known is None or known.holder == _NO_HOLDER
        ):  # leased by the keeper before this one
            known = self._host(host, now)
        elif known is None or known.holder != me:
            return
        known.holder = _NO_HOLDER
        known.state, known.free_at = state, max(known.free_at, now + state.due_in)
        if state.ended_ago:
            known.asked_at = max(known.asked_at, now - state.ended_ago)
        if state.pages:
            known.pages[me[0]] = state.pages

    def _renew(self, me: Life, host: str, pages: int, now: float) -> bool:
        known = self._hosts.get(host)
        if now < self._opens and (known is None or known.holder == _NO_HOLDER):
            known = self._host(host, now)
        elif known is None or known.holder != me:
            return False
        known.holder, known.until = me, now + LEASE_S
        if pages:
            known.pages[me[0]] = pages
        return True

    def _wait(self, me: Life, host: str, now: float) -> float:
        """Seconds until a host can be granted to a node; 0 if it can be now."""
        known = self._host(host, now)
        if known.holder == me:
            return 0.0
        first = known.turn_of(me, now)
        if known.holder != _NO_HOLDER:
            if known.until > now:
                self._recalls.setdefault(known.holder, set()).add(host)
                return self._retry_s
            self._end(known)
        wait = max(self._free_at(known) - now, 0.0 if first else self._retry_s)
        known.queue[me] = now + wait
        return wait

    def _give(self, me: Life, host: str, now: float) -> ClockState:
        known = self._hosts[host]
        known.holder, known.until = me, now + LEASE_S
        known.queue.pop(me, None)
        elsewhere = sum(pages for actor, pages in known.pages.items() if actor != me[0])
        ago = now - known.asked_at if known.asked_at > _NEVER else 0.0
        return known.state._replace(due_in=0.0, ended_ago=ago, pages=elsewhere)

    def _has(self, life: Life, host: str) -> bool:
        return host in self._hosts and self._hosts[host].holder == life

    def _end(self, known: _KeptHost) -> None:
        known.holder, known.asked_at = _NO_HOLDER, max(known.asked_at, known.until)

    def _free_at(self, known: _KeptHost) -> float:
        return max(known.free_at, known.asked_at + max(self.delay, known.state.crawl_delay))

    def _forget(self, now: float) -> None:
        """Drops hosts not worth keeping. The next sweep is due at twice the hosts left."""
        for known in self._hosts.values():
            if known.holder != _NO_HOLDER and known.until <= now:
                self._end(known)
        self._hosts = {
            host: known for host, known in self._hosts.items() if self._counts(known, now)
        }
        self._recalls = {
            life: hosts
            for life, hosts in self._recalls.items()
            if any(self._has(life, host) for host in hosts)
        }
        self._sweep_at = max(_MIN_SWEEP, 2 * len(self._hosts))

    def _counts(self, known: _KeptHost, now: float) -> bool:
        if known.holder != _NO_HOLDER or any(now - due < _GONE_S for due in known.queue.values()):
            return True
        state = known.state
        keep = (
            KEEP_HABITS
            if state.failures or state.rest or SLOW_FACTOR * state.answer > self.delay > 0.0
            else 0.0
        )
        # A single actor reports its own pages when it wants the host again; of two, neither knows
        # both.
        if state.crawl_delay > self.delay or len(known.pages) > 1:
            keep = KEEP_RULES
        return self._free_at(known) + keep > now
