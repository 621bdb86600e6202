"""robots.txt by RFC 9309: which pages of a site may be asked for, and how often.

An answer to /robots.txt becomes `RobotsRules`; the `RobotsCache` keeps them for every origin and says when to ask again.

    2xx                                   its rules count
    3xx                                   the crawl follows up to five hops and stores the last answer
    4xx, a redirect too many              there are no rules: everything is allowed (2.3.1.3)
    5xx, 429, network faults, timeouts    nothing is allowed until it can be read (2.3.1.4), or the last copy counts

429 is a 4xx, but it says "not now" rather than "there is none"; Google reads it as a 5xx too.

Why this is not left to protego, which reads robots.txt for Scrapy (0.7.0, measured): 2,000 user-agent lines before
2,000 rules, a file of 48 KB, take it 6 s and four times that when doubled, since each agent gets each rule; a rule
takes three times the memory; and it departs from the RFC: "topo" speaks to Toponaut, an unknown line ends a list of
user agents, "$" at the end also matches a dollar sign, "%2F" in a query is not "/". The tests hold us against it
where both must agree.
"""

import re
from enum import Enum

from msgspec import Struct
from msgspec.structs import replace

from toponaut.records import Outcome, Response
from toponaut.urls import join
from toponaut.web.politeness.path_rules import PathRules, comparable, path_rules

# RFC 9309, 2.5: at least 500 KiB must be read.
MAX_BYTES = 500 * 1024
# Of an absurd crawl-delay (86400) this much is obeyed, as Heritrix does (respectCrawlDelayUpToSeconds).
MAX_DELAY = 300.0
MAX_SITEMAPS = 100
# RFC 9309, 2.4: a copy is used for at most a day, unless a new one is unreachable.
FRESH_SECONDS = 86_400.0
# An unreachable robots.txt is asked for again after 10, 20, 40, ... seconds, at last every six hours. (Nutch: after five
# minutes, three times, then never.) A host that fails five times in a row is given up (politeness.py), so a dead one
# costs two and a half minutes, beside which the others go on.
FIRST_WAIT = 10.0
LAST_WAIT = 6 * 3600.0

_LINE = re.compile(
    r"^[ \t]*+(user[- ]?agent|dis{1,2}al{1,2}[oa]w|allow|crawl[- ]?delay|request[- ]?rate|sitemaps?)"
    r"(?:[ \t]*+:|[ \t])[ \t]*+([^#\n]*+)",
    re.IGNORECASE | re.MULTILINE | re.ASCII,
)
_TOKEN = re.compile(r"\*(?=\s|$)|[A-Za-z_-]+")
_SECONDS = re.compile(r"\d{1,9}(?:\.\d{1,9})?|\.\d{1,9}")
_RATE = re.compile(r"(\d{1,9})\s?/\s?(\d{1,9})\s?([smhd]?)", re.IGNORECASE)
_UNITS = {"": 1, "s": 1, "m": 60, "h": 3600, "d": 86_400}

# --- rules ------------------------------------------------------------------------------------------------


class RobotsStatus(Enum):
    """What came of asking for a robots.txt."""

    READ = "read"
    NONE = "none"
    UNREACHABLE = "unreachable"


_NO_PATHS = PathRules()


class RobotsRules(Struct, frozen=True):
    """What one answer to /robots.txt allows."""

    answer: RobotsStatus
    paths: PathRules = _NO_PATHS
    delay: float = 0.0  # seconds between two requests that the site asks for
    sitemaps: tuple[str, ...] = ()  # absolute, in normal form
    again_at: float = 0.0  # when to ask again: set by the book
    failures: int = (
        0  # how often in a row it was unreachable; with an older copy, that still counts
    )

    @property
    def unreachable(self) -> bool:
        """Nothing is allowed for now, for want of an answer."""
        return self.answer is RobotsStatus.UNREACHABLE

    def allows(self, url: str) -> bool:
        """Whether a URL in normal form may be asked for. robots.txt itself always may."""
        if self.paths.size == 0 and self.answer is not RobotsStatus.UNREACHABLE:
            return True
        path = url[url.index("/", 8) :]
        if path == "/robots.txt":
            return True
        return self.answer is not RobotsStatus.UNREACHABLE and self.paths.allow(comparable(path))


# --- reading ----------------------------------------------------------------------------------------------

_WHOLE = frozenset({Outcome.FETCHED, Outcome.ROBOTS_FILE, Outcome.TOO_LARGE})


def read_rules(fetched: Response, agent: str) -> RobotsRules:
    """The rules for a crawler named `agent`. Whatever the server sent, there is an answer."""
    status = fetched.status
    if (
        fetched.outcome is Outcome.UNCHANGED and fetched.body
    ):  # since an earlier crawl, whose copy it is
        return _parsed(fetched, agent.lower())
    if 200 <= status < 300 and fetched.outcome in _WHOLE:
        # of a file beyond the limit the beginning counts; without even that we know nothing
        if fetched.outcome is Outcome.TOO_LARGE and not fetched.body:
            return RobotsRules(RobotsStatus.UNREACHABLE)
        return _parsed(fetched, agent.lower())
    if 300 <= status < 500 and status not in (304, 429):
        return RobotsRules(RobotsStatus.NONE)
    return RobotsRules(RobotsStatus.UNREACHABLE)


def _parsed(fetched: Response, agent: str) -> RobotsRules:
    """Picks the lines of our groups, or else those for everybody ("*"); groups of one name are one group.

    Only allow and disallow end a list of user agents. The RFC (2.2.4) forbids that other lines do, crawl-delay
    among them.
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
    ours = agent if agent in rules else "*"
    return RobotsRules(
        RobotsStatus.READ, path_rules(rules.get(ours, [])), delays.get(ours, 0.0), tuple(sitemaps)
    )


def _text(body: bytes) -> str:
    """One character for each octet of UTF-8, so that paths in any encoding match as they are asked for."""
    if len(body) > MAX_BYTES:
        body = body[:MAX_BYTES]
        body = body[
            : max(body.rfind(b"\n"), body.rfind(b"\r"), 0)
        ]  # half of "Disallow: /a" forbids everything
    if body.startswith((b"\xff\xfe", b"\xfe\xff")):
        body = body.decode("utf-16", "replace").encode()
    return body.removeprefix(b"\xef\xbb\xbf").decode("latin-1").replace("\r", "\n")


def _unicode(octets: str) -> str:
    return octets.encode("latin-1").decode("utf-8", "replace")


def _delay(kind: str, value: str) -> float:
    """ "Crawl-delay: 2.5" or "Request-rate: 1/10m" in seconds between two requests."""
    seconds = 0.0
    if kind == "c" and (number := _SECONDS.match(value)):
        seconds = float(number[0])
    elif kind == "r" and (rate := _RATE.match(value)) and int(rate[1]):
        seconds = int(rate[2]) * _UNITS[rate[3].lower()] / int(rate[1])
    return min(seconds, MAX_DELAY)


# --- the book ---------------------------------------------------------------------------------------------


def origin_of(url: str) -> str:
    """Scheme, host and port, for which a robots.txt counts: "https://a.org:8080"."""
    return "/".join(url.split("/", 3)[:3])


def robots_url(url: str) -> str:
    """Where the robots.txt of a URL or of an origin is."""
    return f"{origin_of(url)}/robots.txt"


class RobotsCache:
    """The rules of every origin, while they count. It fetches nothing: what it lacks, the crawl asks for.

    Its memory is bounded, by origins and by the characters of their rules. Entries live in two generations: what is
    used moves to the young one, and when that is half of all, the old one is dropped. So the least recently used
    go first, without a list of uses.
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
        """The rules that count now; None: ask for robots.txt and store the answer."""
        rules = self._last(origin)
        return rules if rules is not None and now < rules.again_at else None

    def store(self, origin: str, fetched: Response, now: float) -> RobotsRules:
        """Keeps what an answer says (of redirects the last one's), and tells what counts from now on."""
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
            rules = replace(known or rules, again_at=now + wait, failures=failures)
        else:
            rules = replace(rules, again_at=now + FRESH_SECONDS, failures=0)
        self._keep(origin, rules)
        return rules

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
