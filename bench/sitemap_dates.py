"""What dates in sitemaps save: requests of a watch, at equal staleness, on the changing web.

    python -m bench.sitemap_dates [--sites 40] [--days 60] [--seed 1]

The same sites are watched for some weeks. Once no sitemap has dates; once half of them have right
dates and a fifth always those of today. Staleness is the share of pages, by importance, that have
changed since their last visit: known from the web itself, looked at every day of the second half.
The watch without dates gets the budget once, 1.5 times and twice, and between these the budget is
found with which it is as fresh as the one with dates.
"""

import argparse
import asyncio
import tempfile
from collections import defaultdict
from pathlib import Path
from typing import NamedTuple

import numpy as np

from toponaut.crawl.run import CrawlRun
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
from toponaut.synthetic.sites import HostFault, SiteKind
from toponaut.timing import crawl_moment
from toponaut.watch.budget import NO_REQUEST
from toponaut.watch.plan import WatchPlan
from toponaut.watch.revisit_table import DAY_S, RevisitTable

CITY = 4250542  # Springfield in Illinois
_KINDS = frozenset({SiteKind.SHOP, SiteKind.GUIDE, SiteKind.BLOG, SiteKind.NEWS, SiteKind.CHAMBER})
UNDATED = ChangeSettings(dated=0.0, misdated=0.0)
DATED = ChangeSettings()


class WatchFigures(NamedTuple):
    """What a watch has spent, and how stale its pages were."""

    pages: int
    requests: float  # a day, in the second half
    staleness: float


def make_job(web: SyntheticWeb, count: int) -> Job:
    """Sites of a city that have sitemaps, with some pages each."""
    world, sites = web.world, web.sites
    city = next(one for one in world.cities if one.place == CITY)
    found = []
    for number in range(city.first_site, city.first_site + city.sites):
        site = sites.site(number)
        sound = sites.fault(site)[0] is HostFault.NONE and site.twin == site.number
        if sound and site.style & 1024 and site.kind in _KINDS:
            found.append(f"http://{site.host}/")
    return Job(
        seeds=tuple(found[:count]),
        targets=TargetsSection(places=(CITY,)),
        limits=LimitsSection(pages=0, scope="seeds", depth=2, pages_per_host=20),
        watch=WatchSection(longest_days=90.0),
    )


def run(folder: Path, job: Job, web: ChangingWeb, plan: WatchPlan | None = None) -> None:
    """Crawl, or watch."""

    async def crawl() -> None:
        fetcher = ChangingFetcher(web)
        made = CrawlRun(
            folder, render(job), job, 0, fetcher,
            watch=lambda _: None, say=lambda _: None, plan=plan,
        )  # fmt: skip
        await made.run()

    asyncio.run(crawl())


def figures(folder: Path, web: ChangingWeb, table: Path, days: int) -> WatchFigures:
    """The figures of a watch, from its log and the truth."""
    table.mkdir()
    pages = RevisitTable(table)
    visits: dict[str, list[float]] = defaultdict(list)
    moments = []
    began = 0.0
    for visit in Logs(folder / "log").read(pages.learns_from):
        moment = crawl_moment(visit.time, visit.stamp)
        if visit.outcome is Outcome.CONTROL:
            began = began or moment
        elif visit.outcome not in NO_REQUEST:
            moments.append(moment)
        if (row := pages.learn(visit)) is not None:
            visits[pages.record(row).url].append(moment)
    half = began + days * DAY_S / 2
    stale = whole = 0.0
    looks = np.arange(half, began + days * DAY_S, DAY_S)
    for row in range(pages.count):
        url, weight = pages.record(row).url, float(pages.column("importance")[row])
        plan = web.web.find(url)
        assert plan is not None
        times = np.array(visits[url])
        last = times[np.searchsorted(times, looks) - 1]
        changed = [web.modified(plan, look) for look in looks.tolist()]
        stale += weight * float((np.array(changed) > last).mean())
        whole += weight
    made = sum(1 for one in moments if one > half)
    return WatchFigures(pages.count, made / (days / 2), stale / whole)


def measure(seed: int, sites: int, days: int, folder: Path) -> tuple[WatchFigures, ...]:
    """The watch with dates, and those without them at rising budgets."""
    web = SyntheticWeb(open_gazetteer(), SyntheticSettings(seed=seed))
    job = make_job(web, sites)
    found = []
    for number, (settings, share) in enumerate(
        ((DATED, 1.0), (UNDATED, 1.0), (UNDATED, 1.5), (UNDATED, 2.0))
    ):
        changing = ChangingWeb(web, settings)
        at = folder / str(number)
        run(at, job, changing)
        pages = sum(one.outcome is Outcome.FETCHED for one in Logs(at / "log").read(("outcome",)))
        run(at, job, changing, WatchPlan(int(share * pages / 7), float(days)))
        found.append(figures(at, changing, folder / f"table-{number}", days))
    return tuple(found)


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--sites", type=int, default=40)
    parser.add_argument("--days", type=int, default=60)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        dated, *others = measure(options.seed, options.sites, options.days, Path(folder))
    for name, one in zip(("with dates", *["without"] * 3), (dated, *others), strict=True):
        print(
            f"{name:11} {one.pages:5,} pages, {one.requests:6.1f} requests a day, "
            f"{one.staleness:.1%} stale"
        )
    falling = others[::-1]
    staleness, requests = [one.staleness for one in falling], [one.requests for one in falling]
    same = float(np.interp(dated.staleness, staleness, requests))
    saved = 1.0 - dated.requests / same
    print(f"without dates, {same:.1f} requests a day are as fresh: {saved:.0%} saved")


if __name__ == "__main__":
    main()
