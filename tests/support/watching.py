"""A small changing city that tests watch: its shops, and the truth about them.

    python -m tests.support.watching DIRECTORY POST SEED SHOPS PER_DAY UNTIL KILLS

continues a watch up to a day of its own, kills it at random moments, and prints how often. POST
gets the changes.
"""

import os
import random
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import Any, Literal

import msgspec
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
SPRINGFIELD = 4250542  # in Illinois
_OWN_PAGES = "contact|about|kontakt|ueber|contacto|sobre|/$"
Schedule = Literal["lambda", "interest", "fixed", "stormcrawler", "nutch"]
# A hundred years in a few weeks: shops close after 60 days on average.
FAST = ChangeSettings(
    closing=1 / 60, moving=1 / 200, renaming=1 / 400, phone=1 / 200, hours=1 / 200
)


class ChangingCity:
    """Some shops of a city, their pages under watch, and when they close."""

    def __init__(
        self, seed: int, shops: int, settings: ChangeSettings = FAST, city: int = SPRINGFIELD
    ) -> None:
        made = SyntheticSettings(seed=seed, contact_address=1.0)
        self.web = ChangingWeb(SyntheticWeb(open_gazetteer(), made), settings)
        self.city = city
        self.shops = {shop.host: shop for shop in self._shops(shops)}

    def _shops(self, count: int) -> Iterator[SyntheticSite]:
        world, sites = self.web.web.world, self.web.web.sites
        city = next(one for one in world.cities if one.place == self.city)
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
            targets=TargetsSection(places=(self.city,)),
            limits=LimitsSection(pages=0, scope="seeds", depth=1, include=(_OWN_PAGES,)),
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

    def watch(self, directory: Path, per_day: int, days: float, post: str = "") -> CrawlEnd:
        with self.served():
            return start_watch(directory, requests_per_day=per_day, days=days, post=post)

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


class Receiver(HTTPServer):
    """Takes changes; refuses those whose number, counted from 0, `refuses` names."""

    def __init__(self, refuses: Callable[[int], bool]) -> None:
        super().__init__(("127.0.0.1", 0), _ReceiverHandler)
        self.refuses, self.asked = refuses, 0
        self.received: list[dict[str, Any]] = []

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}/changes"

    @property
    def ids(self) -> list[str]:
        return [one["id"] for one in self.received]


class _ReceiverHandler(BaseHTTPRequestHandler):
    server: Receiver

    def do_POST(self) -> None:
        size = int(self.headers["Content-Length"])
        if len(body := self.rfile.read(size)) < size:
            return  # the sender was killed
        accepted = not self.server.refuses(self.server.asked)
        self.server.asked += 1
        if accepted:
            self.server.received.append(msgspec.json.decode(body))
        self.send_response(204 if accepted else 503)
        self.end_headers()

    def log_message(self, *_: object) -> None:
        """Nothing."""


@contextmanager
def receiving(refuses: Callable[[int], bool] = lambda _: False) -> Iterator[Receiver]:
    """A server that takes changes."""
    with Receiver(refuses) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        try:
            yield server
        finally:
            server.shutdown()
            thread.join()


def watch_with_kills(
    city: ChangingCity, directory: Path, per_day: int, until: float, post: str, kills: int
) -> int:
    """Start a watch and kill it, again and again; return how often. It may end before.

    Each is a fork of this process, which has loaded everything and has no threads.
    """
    chance = random.Random(kills)
    for killed in range(kills):
        left = int(days_left(directory, until) * per_day) // (kills - killed + 1)
        if not (child := os.fork()):
            city.watch(directory, per_day, days_left(directory, until), post)
            os._exit(0)
        if _ends_before(child, directory, 1 + chance.randrange(max(left // 2, 1))):
            return killed
        time.sleep(chance.random() / 20)
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
    return kills


def _ends_before(child: int, directory: Path, more: int) -> bool:
    """Wait for more visits; True if the process ended before."""
    logs = Logs(directory / "log")
    end = logs.summary().visits + more
    while logs.summary().visits < end:
        if os.waitpid(child, os.WNOHANG)[0]:
            return True
        time.sleep(0.01)
    return False


if __name__ == "__main__":
    place, address, *numbers = sys.argv[1:]
    seed, shops, budget, last_day, times = map(int, numbers)
    watched = ChangingCity(seed, shops)
    print(watch_with_kills(watched, Path(place), budget, last_day, address, times))
