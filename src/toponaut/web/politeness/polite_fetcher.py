"""Fetches politely: by the rules in robots.txt, with one clock per host for all nodes.

The frontier hands out a link with its host claimed. Then
- if the rules of its site are unknown, robots.txt is fetched and the link waits for the next turn;
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
from toponaut.records import Outcome, QueuedLink, Request, Response
from toponaut.timing import Time
from toponaut.urls import host_of
from toponaut.web.fetch import Fetcher
from toponaut.web.politeness.clocks import Clocks
from toponaut.web.politeness.robots import RobotsCache, origin_of, robots_url

# RFC 9309, 2.3.1.2: follow at least five hops.
_RULES_HOPS = 5
# Outcomes that are about the host rather than the page.
_UNHEALTHY = frozenset({
    Outcome.SERVER_ERROR, Outcome.TIMEOUT, Outcome.NO_CONNECTION, Outcome.NO_HOST, Outcome.NO_TLS,
    Outcome.BROKEN,
})  # fmt: skip
# Faults of one port, if the host answers on another.
_NOT_SERVED = frozenset({Outcome.NO_CONNECTION, Outcome.NO_TLS, Outcome.TIMEOUT})
_ANY_TYPE: tuple[str, ...] = ()  # sitemaps are XML, text or gzip, under many names
_RETRY_S = 1.0  # when a clock is not available for an unknown time


class TurnResult(Struct, frozen=True):
    """The result of a link's turn."""

    fetched: Response | None  # None: the link waits for its host's next turn
    ready_at: float  # when its host may be requested again
    rules: tuple[Response, ...] = ()  # the robots.txt fetched, with the redirects to it
    sitemaps: tuple[str, ...] = ()  # named in it
    dead: bool = False  # the host failed too often: drop its links

    @property
    def seconds(self) -> float:
        answers = (*self.rules, self.fetched) if self.fetched else self.rules
        return sum(answer.seconds for answer in answers)


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

    def claim(self, host: str, now: float) -> float:
        """Grants a host's turn (result <= now), or says when to try again."""
        return self.clocks.claim(host, now)

    def forgo(self, queued: QueuedLink, why: Outcome) -> TurnResult:
        """Make no request for a link. Its host must be claimed, and is free at once."""
        ready_at = self.clocks.forgo(host_of(queued.url), self._time.now())
        return TurnResult(Response(queued.url, 0, b"", outcome=why), ready_at)

    async def take_turn(self, node: str, queued: QueuedLink) -> TurnResult:
        """Fetches a link, or its robots.txt first. Its host must be claimed, and is released."""
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
        fetched = await self._fetch(
            Request(queued.url, types=_ANY_TYPE if queued.sitemap else self._types, node=node)
        )
        return TurnResult(fetched, self._release(host, fetched), dead=self.clocks.given_up(host))

    async def _read_rules(
        self, node: str, host: str, origin: str, queued: QueuedLink
    ) -> TurnResult:
        """Fetches robots.txt, follows its redirects and keeps the rules."""
        answers = self.clocks.answers(host) and not self._book.has_rules(origin)
        asked = [await self._fetch(Request(robots_url(origin), node=node))]
        closed = answers and asked[0].outcome in _NOT_SERVED
        ready_at = self._release(host, asked[0], healthy=closed)
        if asked[0].outcome is Outcome.PRIVATE:  # no request was made; the page is private too
            return TurnResult(replace(asked[0], url=queued.url), ready_at)
        while (
            asked[-1].outcome is Outcome.REDIRECT
            and asked[-1].location
            and len(asked) <= _RULES_HOPS
        ):
            hop = host_of(asked[-1].location)
            await self._wait_for_turn(hop)
            asked.append(await self._fetch(Request(asked[-1].location, node=node)))
            ready_at = max(ready_at, self._release(hop, asked[-1]))
        now = self._time.now()
        rules = self._book.store(origin, asked[-1], now)
        self.clocks.crawl_delay(host, rules.delay)
        if rules.unreachable and not closed:
            self.clocks.hold(host, rules.again_at)
            ready_at = max(ready_at, rules.again_at)
        sitemaps = rules.sitemaps if self._sitemaps else ()
        return TurnResult(None, ready_at, tuple(asked), sitemaps, dead=self.clocks.given_up(host))

    async def _wait_for_turn(self, host: str) -> None:
        while (at := self.clocks.claim(host, self._time.now())) > self._time.now():
            await self._time.sleep_until(min(at, self._time.now() + _RETRY_S))

    async def _fetch(self, request: Request) -> Response:
        fetched = await self._fetcher.fetch(request)
        if fetched.ip:
            self.clocks.set_address(host_of(request.url), fetched.ip)
        return fetched

    def _release(self, host: str, fetched: Response, *, healthy: bool = False) -> float:
        return self.clocks.release(
            host,
            self._time.end_of(fetched.seconds),
            seconds=fetched.seconds,
            healthy=healthy or fetched.outcome not in _UNHEALTHY,
            exists=fetched.outcome is not Outcome.NO_HOST,
            retry_after=fetched.retry_after,
        )
