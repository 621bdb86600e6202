"""Which links may enter a frontier, by their URLs and by the visits of their hosts.

The state of hosts is a fold over the visits: the number of pages, and how many were near copies.
"""

from collections import Counter
from collections.abc import Callable, Sequence
from itertools import compress
from typing import ClassVar

from msgspec import Struct
from msgspec.structs import replace

from toponaut.gate.domains import DomainBudgets, is_home, stays
from toponaut.gate.failures import FailureCounter
from toponaut.gate.flood import FloodGuard
from toponaut.gate.links import LinkFilter
from toponaut.gate.twins import Twins
from toponaut.job import Job
from toponaut.records import PAGES, Link, QueuedLink, Refusal, RefusedLink, Visit
from toponaut.urls import fingerprints, host_of, registered_domain
from toponaut.web.politeness.clocks import Clocks

MAX_REDIRECTS = 10  # in a row; browsers and Heritrix follow 20, but more than 10 are a loop


class SortedLinks(Struct, frozen=True):
    """The links of a page: wanted ones with their depths, known ones and refused ones."""

    wanted: list[Link]
    depths: list[int]
    known: tuple[int, ...]
    refused: tuple[RefusedLink, ...]


class Gate:
    """Keeps traps, floods and unwanted links out of the frontiers. Shared by all nodes."""

    learns_from: ClassVar[tuple[str, ...]] = (
        "node", "url", "outcome", "relevant", "simhash", "canonical", "requisite",
    )  # fmt: skip
    """Fields of a Visit that `learn` reads."""

    def __init__(self, job: Job, clocks: Clocks, this_year: int, key: int = 0) -> None:
        self._filter = LinkFilter(
            job.limits,
            obey_nofollow=job.politeness.robots,
            this_year=this_year,
            seeds=job.seeds,
        )
        self._clocks = clocks
        self._floods = FloodGuard()
        self._twins = Twins(key=key)
        self._failures = FailureCounter()
        self.domains = DomainBudgets(job.limits)
        self._flooding: set[str] = set()  # domains whose hosts all show the same page
        self._enough = job.limits.pages_per_host
        self._pages: Counter[str] = Counter()

    def sort(
        self,
        node: str,
        came: QueuedLink,
        links: Sequence[Link],
        at: dict[int, int],
        met: list[bool],
        skipped: list[bool],
        twins: tuple[RefusedLink, ...] = (),
    ) -> SortedLinks:
        """Sort the links of a page. `at`: fingerprint -> index in `links`; `met`: known before.

        `skipped`: known ones that are not decided on once more. `twins`: links that were changed to
        another form (`usual_forms`).
        """
        wanted: list[Link] = []
        depths: list[int] = []
        known = list(compress(at, skipped))
        refused = list(twins)
        own = host_of(came.url)
        hosts: dict[str, tuple[int, Refusal | None]] = {}  # the depth there, and why none may enter
        for print_, before, skip in zip(at, met, skipped, strict=True):
            if skip:
                continue
            link = links[at[print_]]
            host = host_of(link.url)
            if host not in hosts:
                depth = came.depth + 1 if host == own or stays(own, host) else 0
                hosts[host] = depth, self._refuse_host(node, host)
            depth, why = hosts[host]
            why = why or self._refuse_url(node, link.url, depth, link.rel)
            if why is None:
                wanted.append(link)
                depths.append(depth)
            elif before:
                known.append(print_)
            else:
                refused.append(RefusedLink(link.url, why))
        return SortedLinks(wanted, depths, tuple(known), tuple(refused))

    def refuse(
        self, node: str, url: str, host: str, depth: int, rel: tuple[str, ...] = ()
    ) -> Refusal | None:
        """Why a link may not enter; None if it may."""
        return self._refuse_host(node, host) or self._refuse_url(node, url, depth, rel)

    def _refuse_host(self, node: str, host: str) -> Refusal | None:
        """Why no link to a host may enter."""
        if closed := self.closed(host):
            return closed
        if self._floods.floods(_flood(node, host)):
            return Refusal.HOST_FLOODS
        if self._flooding and (name := _others(host)) and _flood(node, name) in self._flooding:
            return Refusal.HOST_FLOODS
        return Refusal.HOST_DEAD if self._clocks.given_up(host) else None

    def _refuse_url(self, node: str, url: str, depth: int, rel: tuple[str, ...]) -> Refusal | None:
        why = self._filter.refuse(url, depth, rel)
        return why or (Refusal.TWIN if self._twins.is_twin(node, url) else None)

    def exclude(self, excludes: Callable[[str], bool]) -> None:
        """Refuse further links, by a command of the operator."""
        self._filter.exclude(excludes)

    def admit(self, seeds: Sequence[str]) -> None:
        """Take links to the sites of further seeds."""
        self._filter.admit(seeds)

    def usual_forms(
        self, links: Sequence[Link], prints: Sequence[int]
    ) -> tuple[Sequence[Link], Sequence[int], tuple[RefusedLink, ...]]:
        """Links with their fingerprints in the usual forms of their sites, and the others."""
        if not self._twins.knows_moves:
            return links, prints, ()
        usual = [self._twins.usual(link.url) for link in links]
        changed = {one.url: url for one, url in zip(links, usual, strict=True) if one.url != url}
        if not changed:
            return links, prints, ()
        links = [
            link if link.url == url else replace(link, url=url)
            for link, url in zip(links, usual, strict=True)
        ]
        others = tuple(RefusedLink(url, Refusal.TWIN) for url in changed)
        return links, fingerprints(usual), others

    def is_twin(self, node: str, url: str) -> bool:
        """Whether the page of a URL was fetched under another form."""
        return self._twins.is_twin(node, url)

    def learn(self, visit: Visit, here: bool = True) -> None:
        """Learn from a visit, in the order of the log; count its page if it was fetched here.

        On a cluster the clock of a host brings the number of pages fetched elsewhere.
        """
        if visit.requisite:  # it says nothing about the host's pages
            return
        host = host_of(visit.url)
        self._twins.learn(visit)
        self._failures.add(host, visit)
        self._pages[host] += here and visit.outcome in PAGES
        self.domains.learn(host, visit)

    def is_near_copy(self, node: str, url: str, simhash: int, relevant: bool) -> bool:
        """Whether a page is one of too many near copies on its host.

        Called once for each page, in the order of the log. Each node counts separately: a page that
        another node fetched, too, is not a copy. Hosts of a domain may show near copies of a
        relevant page: the branches of a chain do.
        """
        host = host_of(url)
        is_copy = self._floods.seen(_flood(node, host), simhash)
        if not relevant and (name := _others(host)):
            key = _flood(node, name)
            is_copy = self._floods.seen(key, simhash) or is_copy
            (self._flooding.add if self._floods.floods(key) else self._flooding.discard)(key)
        return is_copy

    def pages(self, host: str) -> int:
        """The number of pages of a host that were fetched here."""
        return self._pages[host]

    def closed(self, host: str) -> Refusal | None:
        """Why no link of a host is fetched, also none of those that wait; None if they are."""
        if self.is_full(host):
            return Refusal.HOST_FULL
        if self.domains.is_full(host):
            return Refusal.DOMAIN_FULL
        return Refusal.HOST_FAILS if self._failures.is_hopeless(host) else None

    def is_full(self, host: str) -> bool:
        """Whether a host has reached its limit, here and elsewhere together."""
        return 0 < self._enough <= self._pages[host] + self._clocks.pages_elsewhere(host)


def _others(host: str) -> str:
    """The name of all hosts of a domain but its home; "" for the home."""
    domain = registered_domain(host)
    return "" if is_home(host, domain) else f"*.{domain}"


def _flood(node: str, host: str) -> str:
    return f"{host} {node}"
