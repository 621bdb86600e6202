"""The web as a good citizen sees it: a host's rules before its pages, and one clock per host for all nodes.

A link's turn comes when the frontier hands it out, its host claimed. What may happen then:
- the rules of its site are not known: robots.txt is asked for, and the link waits for the host's next turn;
- the rules cannot be had (RFC 9309: then nothing may be asked): the host waits, longer each time, until it counts as
  dead and its links are given up;
- the rules forbid it: no request is made, and the host is free at once;
- it is fetched, and the host rests for its delay.
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

# RFC 9309, 2.3.1.2: at least five hops are followed.
_RULES_HOPS = 5
# Faults that say something about the host rather than about the page.
_UNHEALTHY = frozenset(
    {
        Outcome.SERVER_ERROR,
        Outcome.TIMEOUT,
        Outcome.NO_CONNECTION,
        Outcome.NO_HOST,
        Outcome.NO_TLS,
        Outcome.BROKEN,
    }
)
_ANY_TYPE: tuple[str, ...] = ()  # sitemaps come as XML, as text and packed, under many names
_LOOK_AGAIN_S = 1.0  # for a clock that cannot be had, nobody knows for how long
_NO_HOST_AFTER = 2  # a name that cannot be resolved twice in a row is not going to be


class TurnResult(Struct, frozen=True):
    """What came of a link's turn."""

    fetched: Response | None  # None: it waits for its host's next turn
    ready_at: float  # when its host may be asked again
    rules: tuple[
        Response, ...
    ] = ()  # the robots.txt that was asked for, with the redirects that led to it
    sitemaps: tuple[str, ...] = ()  # that it names
    dead: bool = False  # the host has failed too often: its links are given up

    @property
    def seconds(self) -> float:
        """How long all took that was asked."""
        return sum(answer.seconds for answer in self.rules) + (
            self.fetched.seconds if self.fetched else 0.0
        )


class PoliteFetcher:
    """Fetches by the rules. Shared by all nodes."""

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
        """Grants a host's turn (an answer <= now), or says when to ask again."""
        return self.clocks.claim(host, now)

    async def take_turn(self, node: str, queued: QueuedLink) -> TurnResult:
        """The turn of a link whose host has been claimed. The host is free again afterwards."""
        host = host_of(queued.url)
        if self._obey:
            origin = origin_of(queued.url)
            rules = self._book.get(origin, self._time.now())
            if rules is None:
                return await self._read_rules(node, host, origin, queued)
            if rules.unreachable:  # of another port of the same host
                self.clocks.hold(host, rules.again_at)
                return TurnResult(None, self.clocks.forgo(host, self._time.now()))
            if not rules.allows(queued.url):
                forbidden = Response(queued.url, 0, b"", outcome=Outcome.FORBIDDEN)
                return TurnResult(forbidden, self.clocks.forgo(host, self._time.now()))
        fetched = await self._fetch(
            Request(queued.url, types=_ANY_TYPE if queued.sitemap else self._types, node=node)
        )
        return TurnResult(fetched, self._release(host, fetched), dead=self._is_dead(host, fetched))

    async def _read_rules(
        self, node: str, host: str, origin: str, queued: QueuedLink
    ) -> TurnResult:
        """Asks for robots.txt, follows its redirects, and keeps what it says."""
        asked = [await self._fetch(Request(robots_url(origin), node=node))]
        ready_at = self._release(host, asked[0])
        if (
            asked[0].outcome is Outcome.PRIVATE
        ):  # so is the page: nothing was asked, and nothing will be
            return TurnResult(replace(asked[0], url=queued.url), ready_at)
        while (
            asked[-1].outcome is Outcome.REDIRECT
            and asked[-1].location
            and len(asked) <= _RULES_HOPS
        ):
            hop = host_of(asked[-1].location)
            await self._turn_of(hop)
            asked.append(await self._fetch(Request(asked[-1].location, node=node)))
            ready_at = max(ready_at, self._release(hop, asked[-1]))
        now = self._time.now()
        rules = self._book.store(origin, asked[-1], now)
        self.clocks.crawl_delay(host, rules.delay)
        if rules.unreachable:
            self.clocks.hold(host, rules.again_at)
            ready_at = max(ready_at, rules.again_at)
        sitemaps = rules.sitemaps if self._sitemaps else ()
        return TurnResult(
            None, ready_at, tuple(asked), sitemaps, dead=self._is_dead(host, asked[-1])
        )

    async def _turn_of(self, host: str) -> None:
        while (at := self.clocks.claim(host, self._time.now())) > self._time.now():
            await self._time.sleep_until(min(at, self._time.now() + _LOOK_AGAIN_S))

    async def _fetch(self, request: Request) -> Response:
        fetched = await self._fetcher.fetch(request)
        if fetched.ip:
            self.clocks.set_address(host_of(request.url), fetched.ip)
        return fetched

    def _release(self, host: str, fetched: Response) -> float:
        return self.clocks.release(
            host,
            self._time.end_of(fetched.seconds),
            seconds=fetched.seconds,
            healthy=fetched.outcome not in _UNHEALTHY,
            retry_after=fetched.retry_after,
        )

    def _is_dead(self, host: str, fetched: Response) -> bool:
        unknown = (
            fetched.outcome is Outcome.NO_HOST and self.clocks.failures(host) >= _NO_HOST_AFTER
        )
        return unknown or self.clocks.given_up(host)
