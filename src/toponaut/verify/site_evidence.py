"""What the log says about the websites of listed places, and about pages that name them.

One pass over the log keeps the state of each page: its last answer, the signs that a place is
closed, and the times at which it failed.
"""

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping

from msgspec import Struct, field

from toponaut.log.visit import redirect_target
from toponaut.places.addresses.normal import plain
from toponaut.records import CONTENT, FAILURES, Outcome, Visit
from toponaut.urls import site_of
from toponaut.watch.changes import APART_S
from toponaut.watch.signs import ClosedSign, closed_sign

FIELDS = (
    "url", "outcome", "detail", "time", "title", "text", "addresses", "archive", "offset",
)  # fmt: skip
_SAME_AS_BEFORE = frozenset({Outcome.UNCHANGED, Outcome.CONFIRMED})
_FAILED = FAILURES | {Outcome.REDIRECT}
_NAMED_IN = 20_000  # characters of a page in which names are looked for


class SitePage(Struct):
    """A page by its last visits."""

    url: str
    time: float = 0.0
    outcome: Outcome = Outcome.FETCHED
    title: str = ""
    target: str = ""  # of a redirect
    sign: ClosedSign | None = None
    named: frozenset[str] = frozenset()  # the names of listed places that it has
    addresses: dict[str, str] = field(default_factory=dict)  # normal form -> as written
    failures: list[float] = field(default_factory=list)  # since the last answer, some time apart
    archive: str = ""
    offset: int = 0

    @property
    def is_page(self) -> bool:
        return self.outcome in CONTENT or self.outcome is Outcome.CONFIRMED


class SiteEvidence:
    """The pages of some sites, and some other pages."""

    def __init__(self, names: Mapping[str, Iterable[str]], urls: Collection[str]) -> None:
        self._names = {host: tuple(dict.fromkeys(some)) for host, some in names.items()}
        self._urls = urls
        self.pages: dict[str, SitePage] = {}
        self._by_site: dict[str, list[str]] = defaultdict(list)

    def add(self, visit: Visit) -> None:
        """Take a visit; those to other sites are passed over."""
        site = site_of(visit.url)
        if not visit.url or (site not in self._names and visit.url not in self._urls):
            return
        if visit.outcome in CONTENT or visit.outcome is Outcome.CONFIRMED:
            self._take_page(self._page(visit.url, site), visit, site)
        elif visit.outcome in _FAILED:
            _take_failure(self._page(visit.url, site), visit)

    def _page(self, url: str, site: str) -> SitePage:
        if url not in self.pages:
            self.pages[url] = SitePage(url)
            self._by_site[site].append(url)
        return self.pages[url]

    def _take_page(self, page: SitePage, visit: Visit, site: str) -> None:
        page.time, page.outcome, page.failures = visit.time, visit.outcome, []
        page.archive, page.offset = visit.archive or page.archive, visit.offset or page.offset
        if visit.outcome in _SAME_AS_BEFORE:
            return
        page.title, page.target = visit.title, ""
        page.sign = closed_sign(visit.title, visit.text, visit.addresses)
        page.addresses = {one.normal: one.text for one in visit.addresses}
        text = plain(f"{visit.title}\n{visit.text[:_NAMED_IN]}")
        page.named = frozenset(one for one in self._names.get(site, ()) if plain(one) in text)

    def of_site(self, site: str) -> list[SitePage]:
        return [self.pages[url] for url in self._by_site.get(site, ())]


def _take_failure(page: SitePage, visit: Visit) -> None:
    page.outcome = visit.outcome
    page.target = redirect_target(visit)
    if not page.failures or visit.time - page.failures[-1] >= APART_S:
        page.failures.append(visit.time)
    page.archive, page.offset = visit.archive or page.archive, visit.offset or page.offset
