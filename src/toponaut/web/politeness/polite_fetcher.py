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

from msgspec import Struct
from msgspec.structs import replace

from toponaut.job import Job
from toponaut.records import JudgedPage, Outcome, QueuedLink, Request, Response, Visit
from toponaut.timing import Time
from toponaut.urls import host_of
from toponaut.web.fetch import Fetcher
from toponaut.web.politeness.clocks import Clocks
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

    def claim(self, host: str, now: float) -> float:
        """Grants a host's turn (result <= now), or says when to try again.

        Its name is looked up before, because hosts at one address share a bound. A lookup takes no
        slot: names that nobody answers for must not hold up others.
        """
        address = self._fetcher.address(host)
        if address is None:
            began = self._lookups.setdefault(host, now)
            return now + min(max(now - began, _LOOKUP_S), _LONGEST_LOOKUP_S)
        if self._lookups:
            self._lookups.pop(host, None)
        return self.clocks.claim(host, now, address)

    def remember_rules(self, url: str, status: int, body: bytes, moment: float) -> None:
        """Take a robots.txt that an earlier run fetched at a moment."""
        fetched = Response(url, status, body, outcome=Outcome.ROBOTS_FILE)
        rules = self._book.store(origin_of(url), fetched, moment)
        self.clocks.crawl_delay(host_of(url), rules.delay)

    def remember_visit(self, visit: Visit, moment: float) -> None:
        """Let the clock of a host know a request of an earlier run, which ended at a moment."""
        host = host_of(visit.url)
        began = moment - visit.seconds
        if (ready_at := self.clocks.claim(host, began)) > began:
            self.clocks.claim(host, ready_at)
        self.clocks.release(
            host,
            moment,
            seconds=visit.seconds,
            healthy=visit.outcome not in _UNHEALTHY,
            exists=visit.outcome is not Outcome.NO_HOST,
        )

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
                return await self._read_rules(node, host, origin, queued)
            if rules.unreachable and not self.clocks.answers(host):
                self.clocks.hold(host, rules.again_at)
                return TurnResult(None, self.clocks.forgo(host, self._time.now()))
            if not rules.allows(queued.url):
                outcome = Outcome.NO_RULES if rules.unreachable else Outcome.FORBIDDEN
                return self.forgo(queued, outcome)
        types = _ANY_TYPE if queued.sitemap or queued.requisite else self._types
        asked = Request(queued.url, etag, modified, types, node, self._time.now())
        fetched = await self._fetcher.fetch(asked)
        return TurnResult(fetched, self._release(host, fetched), dead=self.clocks.given_up(host))

    async def _read_rules(
        self, node: str, host: str, origin: str, queued: QueuedLink
    ) -> TurnResult:
        """Fetches robots.txt, or what it redirected to: each hop takes a turn of its own.

        So no slot waits for the clock of another host.
        """
        url, hops = self._book.redirect(origin) or (robots_url(origin), 0)
        named, now = host_of(url), self._time.now()
        ready_at = self.claim(named, now) if named != host else now
        if now < ready_at <= now + _LONGEST_WAIT_S:
            return TurnResult(None, max(self.clocks.forgo(host, now), ready_at))
        answered = not hops and self.clocks.answers(host) and not self._book.has_rules(origin)
        rests = ready_at > now
        if rests:
            why = f"{named} rests for another {ready_at - now:.0f} s"
            fetched = Response(url, 0, b"", outcome=Outcome.SERVER_ERROR, detail=why)
        else:
            fetched = await self._fetcher.fetch(Request(url, node=node, now=self._time.now()))
        closed = answered and fetched.outcome in _NOT_SERVED
        if named != host and not rests:
            self._release(named, fetched)
        ready_at = self._release(host, fetched, healthy=closed, exists=bool(hops))
        if fetched.outcome is Outcome.PRIVATE and not hops:  # the page is private, too
            return TurnResult(replace(fetched, url=queued.url), ready_at)
        if fetched.outcome is Outcome.REDIRECT and fetched.location and hops < _RULES_HOPS:
            self._book.follow(origin, fetched.location, hops + 1, self._time.now())
            return TurnResult(None, ready_at, (fetched,))
        return self._keep_rules(host, origin, fetched, ready_at, closed=closed)

    def _keep_rules(
        self, host: str, origin: str, fetched: Response, ready_at: float, *, closed: bool
    ) -> TurnResult:
        """Keeps the rules in an answer. `closed`: only this port of the host cannot be reached."""
        rules = self._book.store(origin, fetched, self._time.now())
        self.clocks.crawl_delay(host, rules.delay)
        if rules.unreachable and not closed:
            self.clocks.hold(host, rules.again_at)
            ready_at = max(ready_at, rules.again_at)
        sitemaps = rules.sitemaps if self._sitemaps else ()
        return TurnResult(None, ready_at, (fetched,), sitemaps, dead=self.clocks.given_up(host))

    def _release(
        self, host: str, fetched: Response, *, healthy: bool = False, exists: bool = False
    ) -> float:
        return self.clocks.release(
            host,
            self._time.end_of(fetched.seconds),
            seconds=fetched.seconds,
            healthy=healthy or fetched.outcome not in _UNHEALTHY,
            exists=exists or fetched.outcome is not Outcome.NO_HOST,
            retry_after=fetched.retry_after,
        )
