"""A small changing city that tests watch: its shops, and the truth about them.

    python -m tests.support.watching DIRECTORY SEED SHOPS PER_DAY UNTIL

continues a watch up to a day of its own, so that a test can kill it.
"""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Literal

import pytest

from toponaut.crawl.run import CrawlEnd
from toponaut.crawl.start import start, start_watch
from toponaut.job import Job, LimitsSection, TargetsSection, WatchSection, render
from toponaut.log import Logs
from toponaut.places.gazetteer.cache import open_gazetteer
from toponaut.records import Outcome
from toponaut.synthetic import (
    ChangeSettings,
    ChangingFetcher,
    ChangingWeb,
    SyntheticSettings,
    SyntheticWeb,
)
from toponaut.synthetic.sites import HostFault, SiteKind, SyntheticSite
from toponaut.urls import host_of
from toponaut.watch.changes import Change, ChangeKind
from toponaut.watch.feeds import ChangeReader

DAY_S = 86_400.0
Schedule = Literal["lambda", "interest", "fixed", "stormcrawler", "nutch"]
# A hundred years in a few weeks: shops close after 60 days on average.
FAST = ChangeSettings(closing=1 / 60, moving=1 / 200, renaming=1 / 400, phone=1 / 200)


class ChangingCity:
    """Some shops of a city, their pages under watch, and when they close."""

    def __init__(self, seed: int, shops: int, settings: ChangeSettings = FAST) -> None:
        made = SyntheticSettings(seed=seed, contact_address=1.0)
        self.web = ChangingWeb(SyntheticWeb(open_gazetteer(), made), settings)
        self.shops = {shop.host: shop for shop in self._shops(shops)}

    def _shops(self, count: int) -> Iterator[SyntheticSite]:
        world, sites = self.web.web.world, self.web.web.sites
        city = next(one for one in world.cities if (one.name, one.state) == ("Springfield", "IL"))
        numbers = iter(range(city.first_site, city.first_site + city.sites))
        while count:
            site = sites.site(next(numbers))
            sound = sites.fault(site)[0] is HostFault.NONE and site.twin == site.number
            if site.kind is SiteKind.SHOP and sound:
                count -= 1
                yield site

    def job(self, schedule: Schedule = "fixed") -> Job:
        """Front, contact and about pages of the shops."""
        return Job(
            seeds=tuple(f"http://{host}/" for host in self.shops),
            targets=TargetsSection(places=("Springfield, IL",)),
            limits=LimitsSection(pages=0, scope="seeds", depth=1, include=("contact|about|/$",)),
            watch=WatchSection(schedule=schedule, longest_days=30.0),
        )

    @contextmanager
    def served(self) -> Iterator[None]:
        """Crawls and watches of this process ask this web."""
        with pytest.MonkeyPatch.context() as patch:
            for name in ("fetcher_of", "changing_fetcher_of"):
                made = lambda *_: ChangingFetcher(self.web)  # noqa: E731
                patch.setattr(sys.modules[start.__module__], name, made)
            yield

    def crawl(self, directory: Path, schedule: Schedule = "fixed") -> CrawlEnd:
        with self.served():
            return start(render(self.job(schedule)), "job.toml", directory)

    def watch(self, directory: Path, per_day: int, days: float) -> CrawlEnd:
        with self.served():
            return start_watch(directory, requests_per_day=per_day, days=days)

    def closings(self, reader: ChangeReader) -> dict[str, float]:
        """When the shops whose address was found close, by host."""
        shown = {host_of(url) for url, page in reader.fold.pages.items() if page.shown}
        return {
            host: self.web.closes_at(shop) for host, shop in self.shops.items() if host in shown
        }


def closed_hosts(changes: list[Change]) -> dict[str, float]:
    """When a shop was first reported as closed, by host."""
    found: dict[str, float] = {}
    for change in changes:
        if change.kind is ChangeKind.CLOSED:
            found.setdefault(host_of(change.evidence.url), change.time)
    return found


def days_left(directory: Path, until: float) -> float:
    """The days from the end of a log to the day `until` of its first watch."""
    seen = list(Logs(directory / "log").read(("outcome", "time")))
    start = next((one.time for one in seen if one.outcome is Outcome.CONTROL), seen[-1].time)
    return until - (seen[-1].time - start) / DAY_S


if __name__ == "__main__":
    place, *numbers = sys.argv[1:]
    seed, shops, per_day, until = map(int, numbers)
    folder = Path(place)
    ChangingCity(seed, shops).watch(folder, per_day, days_left(folder, until))
