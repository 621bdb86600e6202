"""The part of the web that a job allows: top-level domains, hosts, the seeds' sites, patterns.

A link must satisfy all rules that the job sets. Seeds are fetched in any case.
"""

import re
from collections.abc import Callable, Iterable

from toponaut.job.link_limits import SITES, host_named, is_within
from toponaut.job.sections import LimitsSection
from toponaut.records import Refusal
from toponaut.urls import host, host_of


class CrawlBounds:
    """The rules of one job."""

    def __init__(self, limits: LimitsSection, seeds: Iterable[str]) -> None:
        self._tlds, self._without_tlds = frozenset(limits.tlds), frozenset(limits.without_tlds)
        self._hosts = frozenset(map(host_named, limits.hosts))
        self._site = SITES.get(limits.scope)  # None: any
        self._homes: frozenset[str] = frozenset()
        self.admit(seeds)
        self._includes = [re.compile(pattern).search for pattern in limits.include]
        self._excludes: list[Callable[[str], object]] = [
            re.compile(pattern).search for pattern in limits.exclude
        ]
        self._by_host = bool(self._tlds or self._without_tlds or self._hosts or self._site)

    def admit(self, seeds: Iterable[str]) -> None:
        """Count the sites of these seeds among those of the job's seeds."""
        if site := self._site:
            self._homes |= {site(host(seed)) for seed in seeds}

    def exclude(self, excludes: Callable[[str], bool]) -> None:
        """Exclude further URLs."""
        self._excludes.append(excludes)

    def refuse(self, url: str) -> Refusal | None:
        """Why a URL in normal form is out of bounds, or None."""
        if self._by_host and (why := self._refuse_host(host_of(url))):
            return why
        if self._includes and not any(includes(url) for includes in self._includes):
            return Refusal.NOT_INCLUDED
        for excludes in self._excludes:
            if excludes(url):
                return Refusal.EXCLUDED
        return None

    def _refuse_host(self, name: str) -> Refusal | None:
        domain = name.rpartition(".")[2]
        if (self._tlds and domain not in self._tlds) or domain in self._without_tlds:
            return Refusal.WRONG_DOMAIN
        if self._hosts and not is_within(name, self._hosts):
            return Refusal.WRONG_HOST
        if self._site and self._site(name) not in self._homes:
            return Refusal.OUT_OF_BOUNDS
        return None
