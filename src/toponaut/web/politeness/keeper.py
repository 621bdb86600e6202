"""Who has the clock of which host: the side of leases.py that gives them out.

Three promises, and what each needs. All times are steady seconds of the keeper's machine; clocks of machines run equally
fast to 1 in 10, so whatever a node or another keeper has to be done with by then, it does within 0.9 of the time.

**A holder that fell silent.** The node counts its lease from when it *sent* what the keeper answered to: 0.9 LEASE_S from
there. The keeper heard of it later, and counts LEASE_S from then: when that is over, the node has stopped, and ended what
was under way. It may have asked the host right before. So the host is free a full delay after the lease's end.

**A keeper that was thought dead.** It may be answering for a while yet beside its successor, but answers only within 0.9
LOOK_S of having looked into the storage and found no later keeper (`looked`; without the storage it gives nothing). The
successor took its epoch at T, and it answers nobody until T + LOOK_S. So

    what the old one still answers was sent before     T + LOOK_S
    and a lease by such an answer is over before       T + LOOK_S + LEASE_S  =  when the successor opens

whenever the answer arrives, and however long the old one was suspended between its look and its answer: the lease counts from what
came before both. Until it opens, the successor gives nothing; but it believes who says that it has a clock, if that was said
after an answer of this keeper, hence after T + LOOK_S: nobody could have got that clock from the old one since. (Said earlier, the
old one might yet miss its holder, and give it to somebody else.) And of every host somebody may have made use of a lease up to
the opening: it is free a full delay after. Who meets a keeper for the first time gets no clock either: it has not told yet which
crawl-delays it knows.

**A call that comes late**, when its node has long made others: it could give back a clock that the node got again
meanwhile. Calls of a node are numbered, and one that is not later than all before is refused. So is one of a life of
the node that was followed by another; what that life has on lease is waited for as for any holder that fell silent.

A host of which nothing is known that counts is forgotten: in memory are those in use, and those with habits
(politeness.py).
"""

from toponaut.log import FencedError
from toponaut.web.politeness.clocks import KEEP_HABITS, KEEP_RULES, SLOW_FACTOR, ClockState
from toponaut.web.politeness.leases import LEASE_S, Answer, Asked, again_s

LOOK_S = LEASE_S / 4
_GONE_S = 1.0  # who is so late to ask again no longer wants it
_FEW = 1024  # hosts that are not worth a sweep
_NEVER = float("-inf")
_NOBODY = ("", 0)

Life = tuple[str, int]  # an actor and its epoch


class LateError(Exception):
    """A call that comes after later ones."""


class BlindError(Exception):
    """The keeper cannot be sure that it is the only one: it has not seen the storage for long, or has just begun."""


class _Host:
    """A host as its keeper knows it."""

    __slots__ = ("asked_at", "free_at", "holder", "pages", "queue", "state", "until")

    def __init__(self, asked_at: float) -> None:
        self.holder = _NOBODY
        self.until = 0.0
        self.state = ClockState()
        self.asked_at = asked_at  # it may have been asked until then
        self.free_at = (
            _NEVER  # what it needs beyond a full delay: a rest, because it failed or is slow
        )
        self.queue: dict[
            Life, float
        ] = {}  # who waits for it, the first first, and when each was told to come
        self.pages: dict[str, int] = {}  # that it gave, by actors

    def turn_of(self, me: Life, now: float) -> bool:
        """Whether nobody else who still asks has waited longer; those that do not ask any more are forgotten."""
        self.queue[me] = now
        self.queue = {who: due for who, due in self.queue.items() if now - due < _GONE_S}
        return next(iter(self.queue)) == me


class Keeper:
    """The clocks of some hosts: where they are. `anew`: there were keepers of these hosts before."""

    def __init__(self, delay: float, now: float, *, epoch: int = 1, anew: bool = False) -> None:
        self.epoch = epoch
        self.delay = delay
        self._again_s = again_s(delay)
        self._alone = now + LOOK_S if anew else _NEVER  # from then on
        self._opens = self._alone + LEASE_S
        self._hosts: dict[str, _Host] = {}
        self._recalls: dict[Life, set[str]] = {}
        self._latest: dict[str, tuple[int, int]] = {}  # the epoch of each actor, and its last call
        self._sweep_at = _FEW

    def __len__(self) -> int:
        """How many hosts are remembered."""
        return len(self._hosts)

    def ask(self, asked: Asked, now: float, looked: float | None = None) -> Answer:
        """Raises FencedError if a later epoch of the node has begun, LateError, or BlindError.

        `looked`: when no later keeper had begun. None: there will never be one.
        """
        if looked is not None and now - looked > 0.9 * LOOK_S:
            raise BlindError(
                f"keeper@{self.epoch} has not seen the storage for {now - looked:.1f} s"
            )
        if now < self._alone:
            raise BlindError(f"the keeper before keeper@{self.epoch} may be answering yet")
        self._admit(asked)
        me = (asked.actor, asked.epoch)
        for host, seconds in asked.delays:
            known = self._host(host, now)
            known.state = known.state._replace(crawl_delay=seconds)
        for host, state in asked.returns:
            self._take_back(me, host, state, now)
        if asked.keeper != self.epoch:
            return Answer(self.epoch, later=[(host, 0.0) for host, _ in asked.wants])
        lost = [host for host, pages in asked.holds if not self._renew(me, host, pages, now)]
        answer = Answer(self.epoch, lost=lost)
        for host, pages in asked.wants:
            wait = self._wait(me, host, now)
            if pages:
                self._hosts[host].pages[asked.actor] = pages
            if wait > 0:
                answer.later.append((host, wait))
            else:
                answer.granted.append((host, self._give(me, host, now)))
        answer.wanted.extend(host for host in self._recalls.pop(me, ()) if self._has(me, host))
        return answer

    def _admit(self, asked: Asked) -> None:
        epoch, number = self._latest.get(asked.actor, (0, 0))
        if asked.epoch < epoch:
            raise FencedError(f"{asked.actor}@{asked.epoch} was followed by {asked.actor}@{epoch}")
        if asked.epoch == epoch and asked.number <= number:
            raise LateError(
                f"call {asked.number} of {asked.actor}@{asked.epoch} came after call {number}"
            )
        self._latest[asked.actor] = (asked.epoch, asked.number)

    def _host(self, host: str, now: float) -> _Host:
        known = self._hosts.get(host)
        if known is None:
            if len(self._hosts) >= self._sweep_at:
                self._forget(now)
            known = self._hosts[host] = _Host(self._opens)
        return known

    def _take_back(self, me: Life, host: str, state: ClockState, now: float) -> None:
        known = self._hosts.get(host)
        if now < self._opens and (
            known is None or known.holder == _NOBODY
        ):  # the keeper before this one gave it
            known = self._host(host, now)
        elif known is None or known.holder != me:
            return
        known.holder = _NOBODY
        known.state, known.free_at = state, max(known.free_at, now + state.due_in)
        if state.ended_ago:
            known.asked_at = max(known.asked_at, now - state.ended_ago)
        if state.pages:
            known.pages[me[0]] = state.pages

    def _renew(self, me: Life, host: str, pages: int, now: float) -> bool:
        known = self._hosts.get(host)
        if now < self._opens and (known is None or known.holder == _NOBODY):
            known = self._host(host, now)
        elif known is None or known.holder != me:
            return False
        known.holder, known.until = me, now + LEASE_S
        if pages:
            known.pages[me[0]] = pages
        return True

    def _wait(self, me: Life, host: str, now: float) -> float:
        """How long a host cannot be given to a node; 0 if it can."""
        known = self._host(host, now)
        if known.holder == me:
            return 0.0
        first = known.turn_of(me, now)
        if known.holder != _NOBODY:
            if known.until > now:
                self._recalls.setdefault(known.holder, set()).add(host)
                return self._again_s
            self._end(known)
        wait = max(self._free_at(known) - now, 0.0 if first else self._again_s)
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

    def _end(self, known: _Host) -> None:
        """The holder fell silent, and its lease is over."""
        known.holder, known.asked_at = _NOBODY, max(known.asked_at, known.until)

    def _free_at(self, known: _Host) -> float:
        return max(known.free_at, known.asked_at + max(self.delay, known.state.crawl_delay))

    def _forget(self, now: float) -> None:
        """Drops hosts of which nothing is known that counts. Each sweep doubles the way to the next."""
        for known in self._hosts.values():
            if known.holder != _NOBODY and known.until <= now:
                self._end(known)
        self._hosts = {
            host: known for host, known in self._hosts.items() if self._counts(known, now)
        }
        self._recalls = {
            life: hosts
            for life, hosts in self._recalls.items()
            if any(self._has(life, host) for host in hosts)
        }
        self._sweep_at = max(_FEW, 2 * len(self._hosts))

    def _counts(self, known: _Host, now: float) -> bool:
        if known.holder != _NOBODY or any(now - due < _GONE_S for due in known.queue.values()):
            return True
        state = known.state
        keep = (
            KEEP_HABITS
            if state.failures or state.rest or SLOW_FACTOR * state.answer > self.delay > 0.0
            else 0.0
        )
        # The pages of one actor it tells by itself, when it wants the host again; of two, neither knows the other's.
        if state.crawl_delay > self.delay or len(known.pages) > 1:
            keep = KEEP_RULES
        return self._free_at(known) + keep > now
