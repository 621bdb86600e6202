"""Fetches politely: by the rules in robots.txt, with one clock per host for all nodes.

The frontier hands out a link with its host claimed. Then
- if the rules of its site are unknown, robots.txt is fetched and the link waits for the next turn;
  so it does for each redirect of robots.txt, with the clock of the host that it leads to;
- if the rules cannot be fetched (RFC 9309: nothing is allowed), the host waits, longer each time,
  until it counts as dead and its links are dropped;
- if only one of its ports cannot be reached (no HTTPS, say), links to that port fail at once and
  the host does not wait;
- if the rules forbid the link, no request is made and the host is free at once;
- else the link is fetched, and the host rests for its delay.
"""

import math
from collections.abc import Callable
from http import HTTPStatus

from msgspec import Struct
from msgspec.structs import replace

from toponaut.job import Job
from toponaut.log.visit import asked_host, redirect_target
from toponaut.records import JudgedPage, Outcome, QueuedLink, Request, Response, Visit
from toponaut.timing import Time
from toponaut.urls import host_of
from toponaut.web.fetch import Fetcher
from toponaut.web.politeness.clocks import LONGEST_RETRY_AFTER, Clocks
from toponaut.web.politeness.leases import LeaseOverError
from toponaut.web.politeness.robots import RobotsCache, origin_of, robots_url

# RFC 9309, 2.3.1.2: follow at least five hops.
_RULES_HOPS = 5
ARRIVED = (Outcome.FETCHED, Outcome.UNCHANGED)
# Outcomes after which a later try may succeed.
TEMPORARY = frozenset(
    {Outcome.SERVER_ERROR, Outcome.TIMEOUT, Outcome.NO_CONNECTION, Outcome.BROKEN}
)
# Outcomes that are about the host rather than the page.
_UNHEALTHY = frozenset({
    Outcome.SERVER_ERROR, Outcome.TIMEOUT, Outcome.NO_CONNECTION, Outcome.NO_HOST, Outcome.NO_TLS,
    Outcome.BROKEN,
})  # fmt: skip
# Faults of one port, if the host answers on another.
_NOT_SERVED = frozenset({Outcome.NO_CONNECTION, Outcome.NO_TLS, Outcome.TIMEOUT})
_ANY_TYPE: tuple[str, ...] = ()  # sitemaps are XML, text or gzip, under many names
# A lookup is checked after 20 ms, then whenever its time has doubled.
_LOOKUP_S, _LONGEST_LOOKUP_S = 0.02, 5.0
# A robots.txt that redirects to a host which rests for longer is unreachable.
_LONGEST_WAIT_S = 60.0
_SOON_S = 1.0


class TurnResult(Struct, frozen=True):
    """The result of a link's turn."""

    fetched: Response | None  # None: the link waits for its host's next turn
    ready_at: float  # when its host may be requested again
    rules: tuple[Response, ...] = ()  # the robots.txt fetched, with the redirects to it
    sitemaps: tuple[str, ...] = ()  # named in it
    dead: bool = False  # the host failed too often: drop its links

    @property
    def arrived(self) -> bool:
        """Whether a page or a sitemap came."""
        return self.fetched is not None and self.fetched.outcome in ARRIVED

    @property
    def seconds(self) -> float:
        answers = (*self.rules, self.fetched) if self.fetched else self.rules
        return sum(answer.seconds for answer in answers)


class FetchedLink(Struct, frozen=True):
    """A link with the result of its turn and, if a page came, the page."""

    queued: QueuedLink
    turn: TurnResult
    response: Response | None
    judged: JudgedPage | None = None
    needed: tuple[tuple[str, TurnResult], ...] = ()  # requests of its scripts: URLs and turns

    @property
    def is_confirmed(self) -> bool:
        """Whether the server says that a known page is unchanged."""
        unchanged = self.response is not None and self.response.outcome is Outcome.UNCHANGED
        return unchanged and self.queued.revisit


class PoliteFetcher:
    """Fetches by the rules. All nodes share it."""

    def __init__(self, fetcher: Fetcher, clocks: Clocks, time: Time, job: Job) -> None:
        politeness = job.politeness
        self.clocks = clocks
        self._fetcher = fetcher
        self._time = time
        self._book = RobotsCache(politeness.user_agent)
        self._obey = politeness.robots
        self._sitemaps = politeness.sitemaps
        self._types = job.limits.content_types
        self._lookups: dict[str, float] = {}  # hosts whose names are looked up, and since when

    def claim(self, host: str, now: float, beside: str = "") -> float:
        """Grants a host's turn (result <= now), or says when to try again. `beside`: see Clocks.

        Its name is looked up before, because hosts at one address share a bound. A lookup takes no
        slot: names that nobody answers for must not hold up others.
        """
        address = self._fetcher.address(host)
        if address is None:
            began = self._lookups.setdefault(host, now)
            return now + min(max(now - began, _LOOKUP_S), _LONGEST_LOOKUP_S)
        if self._lookups:
            self._lookups.pop(host, None)
        return self.clocks.claim(host, now, address, beside)

    def remember_visit(self, visit: Visit, moment: float) -> None:
        """Let clocks and rules learn from a request of an earlier run, which ended at a moment.

        The text of rules is missing until `remember_rules`.
        """
        host, named = asked_host(visit), host_of(visit.url)
        began = moment - visit.seconds
        self._claim_again(host, began)
        status = 200 if visit.status == HTTPStatus.NOT_MODIFIED else visit.status
        fetched = Response(
            visit.url, status, b"#", outcome=visit.outcome, seconds=visit.seconds,
            location=redirect_target(visit), retry_after=visit.retry_after,
        )  # fmt: skip
        if not visit.rules_of:
            self._release(host, fetched, moment, page=fetched.outcome in ARRIVED)
            return
        if named != host:
            self._claim_again(named, began, beside=host)
        self._take_rules(visit.rules_of, fetched, began, moment)

    def remember_wait(self, visit: Visit, moment: float) -> None:
        """Keep to the Retry-After of a request of an earlier run, which ended at a moment."""
        until = moment + min(visit.retry_after, LONGEST_RETRY_AFTER)
        if until > self._time.now():
            for host in {host_of(visit.url), asked_host(visit)}:
                self.clocks.hold(host, until)

    def _claim_again(self, host: str, now: float, beside: str = "") -> None:
        if (ready_at := self.clocks.claim(host, now, beside=beside)) > now:
            self.clocks.claim(host, ready_at, beside=beside)

    def remember_rules(self, origin: str, now: float, text: Callable[[], bytes | None]) -> None:
        """Take the text of rules that an earlier run fetched; None: it is lost."""
        self._book.fill(origin, now, text)
        self.clocks.crawl_delay(host_of(f"{origin}/"), self._book.delay(origin))

    def forgo(self, queued: QueuedLink, why: Outcome) -> TurnResult:
        """Make no request for a link. Its host must be claimed, and is free at once."""
        ready_at = self.clocks.forgo(host_of(queued.url), self._time.now())
        return TurnResult(Response(queued.url, 0, b"", outcome=why), ready_at)

    async def take_turn(
        self, node: str, queued: QueuedLink, etag: str = "", modified: str = ""
    ) -> TurnResult:
        """Fetches a link, or its robots.txt first. Its host must be claimed, and is released.

        `etag`, `modified`: of our copy, to fetch it only if it has changed.
        """
        host = host_of(queued.url)
        if self._obey:
            origin = origin_of(queued.url)
            rules = self._book.get(origin, self._time.now())
            if rules is None:
                return await self._read_rules(node, origin, queued)
            if rules.unreachable and not self.clocks.answers(host):
                self.clocks.hold(host, rules.again_at)
                return TurnResult(None, self.clocks.forgo(host, self._time.now()))
            if not rules.allows(queued.url):
                outcome = Outcome.NO_RULES if rules.unreachable else Outcome.FORBIDDEN
                return self.forgo(queued, outcome)
        types = _ANY_TYPE if queued.sitemap or queued.requisite else self._types
        newcomer = not self.clocks.proved(host)
        asked = Request(queued.url, etag, modified, types, node, self._time.now(), newcomer)
        fetched = await self._fetcher.fetch(asked)
        ended = self._time.end_of(fetched.seconds)
        ready_at = self._release(host, fetched, ended, page=fetched.outcome in ARRIVED)
        return TurnResult(fetched, ready_at, dead=self.clocks.given_up(host))

    async def _read_rules(self, node: str, origin: str, queued: QueuedLink) -> TurnResult:
        """Fetches robots.txt, or what it redirected to: each hop takes a turn of its own.

        So no slot waits for the clock of another host.
        """
        host = host_of(queued.url)
        url, hops = self._book.redirect(origin) or (robots_url(origin), 0)
        named, now = host_of(url), self._time.now()
        ready_at = self.claim(named, now, beside=host) if named != host else now
        if ready_at == math.inf:  # on a cluster: too many other clocks are on their way
            ready_at = now + _SOON_S
        if now < ready_at <= now + _LONGEST_WAIT_S:
            return TurnResult(None, max(self.clocks.forgo(host, now), ready_at))
        if ready_at > now:
            why = f"{named} rests for another {ready_at - now:.0f} s"
            own = robots_url(origin)
            fetched = Response(own, 0, b"", outcome=Outcome.SERVER_ERROR, detail=why)
        else:
            try:
                newcomer = not self.clocks.proved(named)
                asked = Request(url, node=node, now=now, newcomer=newcomer)
                fetched = await self._fetcher.fetch(asked)
            except LeaseOverError:  # the claim of the host that was asked is released
                if named != host:
                    self.clocks.forgo(host, now)
                raise
        if fetched.outcome is Outcome.PRIVATE and not hops:  # the page is private, too
            ready_at = self._release(host, fetched, self._time.end_of(fetched.seconds))
            return TurnResult(replace(fetched, url=queued.url), ready_at)
        return self._take_rules(
            origin, fetched, self._time.now(), self._time.end_of(fetched.seconds)
        )

    def _take_rules(self, origin: str, fetched: Response, now: float, ended: float) -> TurnResult:
        """Release the hosts that were asked for rules, and keep the answer or follow it."""
        host, named = host_of(f"{origin}/"), host_of(fetched.url)
        _, hops = self._book.redirect(origin) or ("", 0)
        # Only this port of the host cannot be reached: it has answered on another.
        new = not hops and not self._book.has_rules(origin)
        closed = new and self.clocks.answers(host) and fetched.outcome in _NOT_SERVED
        if named != host:
            self._release(named, fetched, ended)
        ready_at = self._release(host, fetched, ended, healthy=closed, exists=bool(hops))
        if fetched.outcome is Outcome.REDIRECT and fetched.location and hops < _RULES_HOPS:
            self._book.follow(origin, fetched.location, hops + 1, now)
            return TurnResult(None, ready_at, (fetched,))
        rules = self._book.store(origin, fetched, now)
        self.clocks.crawl_delay(host, rules.delay)
        if rules.unreachable and not closed:
            self.clocks.hold(host, rules.again_at)
            ready_at = max(ready_at, rules.again_at)
        sitemaps = rules.sitemaps if self._sitemaps else ()
        return TurnResult(None, ready_at, (fetched,), sitemaps, dead=self.clocks.given_up(host))

    def _release(
        self,
        host: str,
        fetched: Response,
        ended: float,
        *,
        healthy: bool = False,
        exists: bool = False,
        page: bool = False,
    ) -> float:
        return self.clocks.release(
            host,
            ended,
            seconds=fetched.seconds,
            healthy=healthy or fetched.outcome not in _UNHEALTHY,
            exists=exists or fetched.outcome is not Outcome.NO_HOST,
            retry_after=fetched.retry_after,
            page=page,
        )
