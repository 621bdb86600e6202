"""What a registered domain may cost, however many hosts it has.

- Pages: `limits.pages_per_domain`.
- Sitemaps and the links in them: a basic number, and more for each page, most for relevant ones.
- Near copies: a domain whose other hosts all show the same page gets no more hosts.
- Depth: it goes on from one host of a domain to the next, except from its home (www or no name).

The state is a fold over the visits. Names below a public suffix (github.io) are domains.
"""

from collections import Counter

from toponaut.job import LimitsSection
from toponaut.records import PAGES, Outcome, QueuedLink, Visit
from toponaut.urls import host_of, registered_domain

_HOSTS_WORTH = 5  # limits.pages_per_domain = "auto": as many pages as this many hosts may give
# Of a domain that has given no page yet, 20 sitemaps are read, and twice as many links as a host
# may give pages. Without a limit, 1,000 sitemaps and 50,000 links, as many as a sitemap may have.
_SITEMAPS, _ALL_SITEMAPS, _ALL_LINKS = 20, 1000, 50_000
# More for each page, and for each relevant one.
_LINKS_PER_PAGE, _LINKS_PER_RELEVANT, _PAGES_PER_SITEMAP = 10, 100, 5
_MAX_NESTING = 3  # the protocol allows one index above a sitemap


def is_home(host: str, domain: str) -> bool:
    """Whether a host is the home of its domain."""
    return host == domain or host == f"www.{domain}"


def stays(own: str, other: str) -> bool:
    """Whether the depth of a page goes on in a link from host `own` to host `other`."""
    if own == other:
        return True
    domain = registered_domain(own)
    return domain == registered_domain(other) and not is_home(own, domain)


class DomainBudgets:
    """The pages, sitemaps and links of sitemaps of each domain so far."""

    def __init__(self, limits: LimitsSection) -> None:
        per_host, per_domain = limits.pages_per_host, limits.pages_per_domain
        self._pages_limit = _HOSTS_WORTH * per_host if per_domain == "auto" else per_domain
        self._links_base = 2 * per_host or _ALL_LINKS
        self._sitemaps_base = _SITEMAPS if per_host else _ALL_SITEMAPS
        self._pages: Counter[str] = Counter()
        self._relevant: Counter[str] = Counter()
        self._sitemaps: Counter[str] = Counter()
        self._links: Counter[str] = Counter()  # found in sitemaps

    @property
    def pages_limit(self) -> int:
        """Pages per domain; 0: no limit."""
        return self._pages_limit

    def learn(self, host: str, visit: Visit) -> None:
        """Count a visit."""
        domain = registered_domain(host)
        if visit.outcome in PAGES:
            self._pages[domain] += 1
            if visit.relevant:
                self._relevant[domain] += 1
        elif visit.outcome is Outcome.SITEMAP:
            self._sitemaps[domain] += 1
            self._links[domain] += len(visit.links)

    def is_full(self, host: str) -> bool:
        """Whether the domain of a host has given enough pages."""
        return 0 < self._pages_limit <= self._pages[registered_domain(host)]

    def has_room(self, queued: QueuedLink) -> bool:
        """Whether a page or sitemap is still worth a request."""
        if queued.sitemap:
            return self._sitemaps_left(queued.url) > 0 and self.sitemap_links(queued.url) > 0
        return not self.is_full(host_of(queued.url))

    def sitemap_links(self, url: str) -> int:
        """How many links the sitemap at a URL may have; more are not read."""
        domain = registered_domain(host_of(url))
        earned = _LINKS_PER_PAGE * self._pages[domain]
        earned += _LINKS_PER_RELEVANT * self._relevant[domain]
        return max(self._links_base + earned - self._links[domain], 0)

    def nested_sitemaps(self, queued: QueuedLink) -> int:
        """How many sitemaps a sitemap may name; more are ignored."""
        return self._sitemaps_left(queued.url) if queued.depth < _MAX_NESTING else 0

    def _sitemaps_left(self, url: str) -> int:
        domain = registered_domain(host_of(url))
        most = self._sitemaps_base + self._pages[domain] // _PAGES_PER_SITEMAP
        return max(most - self._sitemaps[domain], 0)
