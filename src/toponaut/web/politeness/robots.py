"""robots.txt by RFC 9309: which pages of a site may be fetched, and how often.

An answer to /robots.txt becomes `RobotsRules`; `RobotsCache` keeps them for every origin.

    2xx                                 its rules apply
    3xx                                 the crawl follows up to five hops and stores the last answer
    4xx, too many redirects             there are no rules: all is allowed (2.3.1.3)
    5xx, 429, network faults, timeouts  nothing is allowed (2.3.1.4), or the last copy applies

429 is a 4xx, but it means "not now"; Google also treats it as a 5xx.

protego, Scrapy's parser, is not used: 2,000 user-agent lines before 2,000 rules (48 KB) take it 6
s, quadratic in size; a rule takes three times the memory; and it departs from the RFC: "topo"
matches Toponaut, an unknown line ends a list of user agents, "$" at the end matches a dollar sign,
"%2F" in a query is not "/". A property test compares both where they must agree.
"""

import re
from collections.abc import Callable
from enum import Enum

from msgspec import Struct
from msgspec.structs import replace

from toponaut.records import Outcome, Response
from toponaut.urls import join
from toponaut.web.politeness.path_rules import PathRules, comparable, path_rules

# RFC 9309, 2.5: parse at least 500 KiB.
MAX_BYTES = 500 * 1024
# Longer crawl-delays are cut to this, as in Heritrix (respectCrawlDelayUpToSeconds).
MAX_DELAY = 300.0
MAX_SITEMAPS = 100
# RFC 9309, 2.4: use a copy for at most a day, unless a new one is unreachable.
FRESH_SECONDS = 86_400.0
# An unreachable robots.txt is fetched again after 10, 20, 40, ... seconds, at last every six hours.
# A host that fails too often in a row counts as dead (clocks.py), after at most 2.5 minutes.
FIRST_WAIT = 10.0
LAST_WAIT = 6 * 3600.0

_LINE = re.compile(
    r"^[ \t]*+"
    r"(user[- ]?agent|dis{1,2}al{1,2}[oa]w|allow|crawl[- ]?delay|request[- ]?rate|sitemaps?)"
    r"(?:[ \t]*+:|[ \t])[ \t]*+([^#\n]*+)",
    re.IGNORECASE | re.MULTILINE | re.ASCII,
)
_TOKEN = re.compile(r"\*(?=\s|$)|[A-Za-z_-]+")
_SECONDS = re.compile(r"\d{1,9}(?:\.\d{1,9})?|\.\d{1,9}")
_RATE = re.compile(r"(\d{1,9})\s?/\s?(\d{1,9})\s?([smhd]?)", re.IGNORECASE)
_UNITS = {"": 1, "s": 1, "m": 60, "h": 3600, "d": 86_400}

# --- rules ---


class RobotsStatus(Enum):
    """The result of a request for robots.txt."""

    READ = "read"
    NONE = "none"
    UNREACHABLE = "unreachable"


_NO_PATHS = PathRules()


class RobotsRules(Struct, frozen=True):
    """The rules in one answer to /robots.txt."""

    answer: RobotsStatus
    paths: PathRules = _NO_PATHS
    delay: float = 0.0  # seconds between requests, as the site asks
    sitemaps: tuple[str, ...] = ()  # absolute, normalised
    again_at: float = 0.0  # when to fetch it again: set by the cache
    failures: int = 0  # in a row, also while an older copy applies
    moved_to: str = ""  # fetch this instead of robots.txt, after so many hops
    hops: int = 0

    @property
    def unreachable(self) -> bool:
        """Whether nothing is allowed for lack of an answer."""
        return self.answer is RobotsStatus.UNREACHABLE

    def allows(self, url: str) -> bool:
        """Whether a normalised URL may be fetched. robots.txt itself always may."""
        if self.paths.size == 0 and self.answer is not RobotsStatus.UNREACHABLE:
            return True
        path = url[url.index("/", 8) :]
        if path == "/robots.txt":
            return True
        return self.answer is not RobotsStatus.UNREACHABLE and self.paths.allow(comparable(path))


# --- parsing ---

HAVE_RULES = frozenset({Outcome.FETCHED, Outcome.ROBOTS_FILE, Outcome.TOO_LARGE})


def read_rules(fetched: Response, agent: str) -> RobotsRules:
    """The rules for a crawler named `agent`, whatever the server sent."""
    status = fetched.status
    if fetched.outcome is Outcome.UNCHANGED and fetched.body:  # the copy of an earlier crawl
        return _parse(fetched, agent.lower())
    if 200 <= status < 300 and fetched.outcome in HAVE_RULES:
        # The start of a file beyond the limit applies; without one, nothing is known.
        if fetched.outcome is Outcome.TOO_LARGE and not fetched.body:
            return RobotsRules(RobotsStatus.UNREACHABLE)
        return _parse(fetched, agent.lower())
    if 300 <= status < 500 and status not in (304, 429):
        return RobotsRules(RobotsStatus.NONE)
    return RobotsRules(RobotsStatus.UNREACHABLE)


def _parse(fetched: Response, agent: str) -> RobotsRules:
    """Parses the groups for `agent`, else those for "*". Groups of one name are merged.

    Only allow and disallow end a list of user agents; other lines must not (RFC 9309, 2.2.4).
    """
    rules: dict[str, list[tuple[bool, str]]] = {}
    delays: dict[str, float] = {}
    sitemaps: dict[str, None] = {}
    spoken_to: set[str] = set()
    naming = False
    for line in _LINE.finditer(_text(fetched.body)):
        kind, value = line[1][0].lower(), line[2].strip()
        if kind == "u":
            spoken_to = spoken_to if naming else set()
            naming = True
            token = _TOKEN.match(value)
            if token is not None and (name := token[0].lower()) in (agent, "*"):
                spoken_to.add(name)
                rules.setdefault(name, [])
        elif kind in "ad":
            naming = False
            for name in spoken_to:
                rules[name].append((kind == "a", value))
        elif kind in "cr":
            for name in spoken_to:
                delays[name] = max(delays.get(name, 0.0), _delay(kind, value))
        elif len(sitemaps) < MAX_SITEMAPS and (url := join(fetched.url, _unicode(value))):
            sitemaps[url] = None
    group = agent if agent in rules else "*"
    return RobotsRules(
        RobotsStatus.READ, path_rules(rules.get(group, [])), delays.get(group, 0.0), tuple(sitemaps)
    )


def _text(body: bytes) -> str:
    """One character per octet, so that paths in any encoding match as they are requested."""
    if len(body) > MAX_BYTES:
        body = body[:MAX_BYTES]
        # Without the last, incomplete line: half of "Disallow: /a" forbids everything.
        body = body[: max(body.rfind(b"\n"), body.rfind(b"\r"), 0)]
    if body.startswith((b"\xff\xfe", b"\xfe\xff")):
        body = body.decode("utf-16", "replace").encode()
    return body.removeprefix(b"\xef\xbb\xbf").decode("latin-1").replace("\r", "\n")


def _unicode(octets: str) -> str:
    return octets.encode("latin-1").decode("utf-8", "replace")


def _delay(kind: str, value: str) -> float:
    """ "Crawl-delay: 2.5" or "Request-rate: 1/10m" as seconds between requests."""
    seconds = 0.0
    if kind == "c" and (number := _SECONDS.match(value)):
        seconds = float(number[0])
    elif kind == "r" and (rate := _RATE.match(value)) and int(rate[1]):
        seconds = int(rate[2]) * _UNITS[rate[3].lower()] / int(rate[1])
    return min(seconds, MAX_DELAY)


# --- cache ---


def origin_of(url: str) -> str:
    """Scheme, host and port, the scope of a robots.txt: "https://a.org:8080"."""
    return "/".join(url.split("/", 3)[:3])


def robots_url(url: str) -> str:
    return f"{origin_of(url)}/robots.txt"


class RobotsCache:
    """The rules of every origin, while they apply. It fetches nothing itself.

    Memory is bounded, by origins and by the characters of their rules. Entries are in two
    generations: used ones move to the young one, and when that has half of all, the old one is
    dropped.
    """

    def __init__(self, agent: str, origins: int = 100_000, characters: int = 32_000_000) -> None:
        self._agent = agent
        self._origins = origins
        self._characters = characters
        self._young: dict[str, RobotsRules] = {}
        self._old: dict[str, RobotsRules] = {}
        self._young_size = 0

    def __len__(self) -> int:
        return len(self._young.keys() | self._old.keys())

    def get(self, origin: str, now: float) -> RobotsRules | None:
        """The rules that apply now; None: fetch robots.txt and store the answer."""
        rules = self._last(origin)
        return rules if rules is not None and now < rules.again_at else None

    def has_rules(self, origin: str) -> bool:
        """Whether an origin has answered, perhaps too long ago."""
        rules = self._last(origin)
        return rules is not None and not rules.unreachable

    def delay(self, origin: str) -> float:
        """The seconds between requests that an origin asked for last."""
        rules = self._last(origin)
        return rules.delay if rules is not None else 0.0

    def redirect(self, origin: str) -> tuple[str, int] | None:
        """Where an origin's robots.txt redirected to, after how many hops, if that is to follow."""
        rules = self._last(origin)
        return (rules.moved_to, rules.hops) if rules is not None and rules.moved_to else None

    def follow(self, origin: str, url: str, hops: int, now: float) -> None:
        """Notes a redirect of robots.txt: fetch `url` next."""
        last = self._last(origin) or RobotsRules(RobotsStatus.UNREACHABLE)
        self._keep(origin, replace(last, moved_to=url, hops=hops, again_at=now))

    def store(self, origin: str, fetched: Response, now: float) -> RobotsRules:
        """Stores an answer (after redirects, the last one); returns the rules from now on."""
        last = self._last(origin)
        known = last if last is not None and not last.unreachable else None
        rules = (
            known
            if known is not None and fetched.status == 304
            else read_rules(fetched, self._agent)
        )
        if rules.unreachable:
            failures = 1 + (last.failures if last is not None else 0)
            wait = min(FIRST_WAIT * 2.0 ** min(failures - 1, 30), LAST_WAIT)
            wait = max(wait, min(fetched.retry_after, FRESH_SECONDS))
            rules = replace(known or rules, again_at=now + wait, failures=failures, moved_to="")
        else:
            rules = replace(rules, again_at=now + FRESH_SECONDS, failures=0, moved_to="")
        self._keep(origin, rules)
        return rules

    def fill(self, origin: str, now: float, text: Callable[[], bytes | None]) -> None:
        """Complete rules that were stored without their text. Forget them if they are no longer
        needed, or if the text is lost.
        """
        last = self._last(origin)
        if last is None or last.answer is not RobotsStatus.READ:
            return
        body = text() if last.moved_to or now < last.again_at else None
        if body is None:
            self._young.pop(origin)
            self._old.pop(origin, None)
            return
        read = read_rules(Response(robots_url(origin), 200, body), self._agent)
        again = {"again_at": last.again_at, "failures": last.failures}
        self._keep(origin, replace(read, **again, moved_to=last.moved_to, hops=last.hops))

    def _last(self, origin: str) -> RobotsRules | None:
        rules = self._young.get(origin)
        if rules is None and (rules := self._old.get(origin)) is not None:
            self._keep(origin, rules)
        return rules

    def _keep(self, origin: str, rules: RobotsRules) -> None:
        if 2 * len(self._young) >= self._origins or 2 * self._young_size >= self._characters:
            self._old, self._young, self._young_size = self._young, {}, 0
        self._young[origin] = rules
        self._young_size += rules.paths.size + sum(map(len, rules.sitemaps))
