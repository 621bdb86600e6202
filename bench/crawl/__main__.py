"""Toponaut and Scrapy, Crawlee and a bare loop: CPU time a page over 20,000 pages of 500 hosts.

    python -m bench.crawl [--pages N] [--hosts N] [--only NAME]... [--rounds N] [--gzip] [--json]

Everything a crawl needs is on this machine: nginx serves the pages of site.py on loopback
addresses. Each crawler is
a process of its own on one core, the server on another. What starting costs (a crawl of a page
without links) is
taken off. Pages are counted by the server's log, not by what a crawler says of itself. Machines are
noisy: all run
in turn, twice, and the better run of each counts; the hypervisor's share is printed.

What the second core gives is a ratio of wall times, which noise does not only lengthen: it is taken
within each round, and the
median of all rounds counts (`--only toponaut --only toponaut-pool --rounds 9`). Where rounds differ
much, bench.crawl.cores shows more.
"""

import argparse
import json
import os
import signal
import sys
import tempfile
from dataclasses import asdict, dataclass
from pathlib import Path
from statistics import median

from rich.console import Console
from rich.table import Table

from bench.crawl.contenders import CONTENDERS, OURS, POOL, Contender
from bench.crawl.measure import CommandError, Cost, run
from bench.crawl.nginx import Nginx, serving
from bench.crawl.site import Site, write

FOLDER = (
    Path(__file__).parents[2] / "build" / "bench-crawl"
)  # half a gigabyte of pages, kept for the next time

WIDTH = 190  # of the table, wherever it is printed


@dataclass(frozen=True)
class Result:
    """One crawl, without what starting costs."""

    name: str
    does: str
    pages: int  # distinct ones
    requests: int
    cpu_ms: float  # a page
    wall_rate: float  # pages a second
    start_seconds: float  # CPU
    peak_mb: float
    stolen: float  # share of the cores' time


def measured(one: Contender, site: Site, nginx: Nginx) -> Result:
    cost, pages, requests = _crawl(one, site.seeds, site.pages, nginx)
    start, _, _ = _crawl(one, [site.empty], 1, nginx)
    cpu, wall = cost.cpu - start.cpu, cost.wall - start.wall
    rate = pages / wall
    return Result(
        one.name,
        one.does,
        pages,
        requests,
        1e3 * cpu / pages,
        rate,
        start.cpu,
        cost.peak / 1e6,
        cost.stolen,
    )


def _crawl(one: Contender, seeds: list[str], pages: int, nginx: Nginx) -> tuple[Cost, int, int]:
    cores = set(range(os.cpu_count() or 1))
    alone = one.one_core and len(cores) > 1
    nginx.put_on(
        cores - {0} if alone else cores
    )  # a crawl that has all cores shares them with the server
    with tempfile.TemporaryDirectory(dir=FOLDER) as folder:
        mark = nginx.mark()
        cost = run(one.command(seeds, pages, Path(folder)), {0} if alone else None)
        return cost, *nginx.pages_since(mark)


def table(results: list[Result], site: Site) -> Table:
    columns = (
        "crawler",
        "pages",
        "requests",
        "CPU ms a page",
        f"x {OURS}",
        "pages a CPU s",
        "pages a s",
        "start, CPU s",
    )
    rows = Table(
        *columns,
        "peak MB",
        "stolen",
        "what it does with a page",
        title=f"{site.pages:,} pages of {site.hosts} hosts",
    )
    ours = next((result.cpu_ms for result in results if result.name == OURS), None)
    for one in results:
        ratio = f"{one.cpu_ms / ours:.1f}" if ours else "-"
        rows.add_row(
            one.name, f"{one.pages:,}", f"{one.requests:,}", f"{one.cpu_ms:.2f}", ratio,
            f"{1e3 / one.cpu_ms:.0f}",
            f"{one.wall_rate:.0f}", f"{one.start_seconds:.1f}", f"{one.peak_mb:.0f}",
            f"{one.stolen:.1%}", one.does,
        )  # fmt: skip
    return rows


def gained(one_core: list[Result], pool: list[Result]) -> list[float]:
    """How many times the pages a second both cores gave, by rounds."""
    return [both.wall_rate / one.wall_rate for one, both in zip(one_core, pool, strict=False)]


def options() -> argparse.Namespace:
    names = [one.name for one in CONTENDERS]
    parser = argparse.ArgumentParser(
        prog="python -m bench.crawl", description="CPU time per page, compared with other crawlers."
    )
    parser.add_argument("--pages", type=int, default=20_000)
    parser.add_argument(
        "--hosts", type=int, default=500, help="at most 500, each with 5 pages or more"
    )
    parser.add_argument("--only", action="append", choices=names, help="may be given several times")
    parser.add_argument("--rounds", type=int, default=2, help="runs of each; the best counts")
    parser.add_argument("--port", type=int, default=8765)
    parser.add_argument(
        "--gzip", action="store_true", help="the server packs pages for those who take them packed"
    )
    parser.add_argument("--json", action="store_true", help="one object a line")
    chosen = parser.parse_args()
    if not 1 <= chosen.hosts <= 500 or chosen.pages < 5 * chosen.hosts:
        parser.error("between 1 and 500 hosts, and 5 pages or more for each")
    return chosen


def main() -> None:
    chosen = options()
    signal.signal(
        signal.SIGTERM, lambda *_: sys.exit(143)
    )  # so that the server and the crawler are ended, too
    site = Site(pages=chosen.pages, hosts=chosen.hosts, port=chosen.port)
    FOLDER.mkdir(parents=True, exist_ok=True)
    root = write(site, FOLDER)
    contenders = [one for one in CONTENDERS if not chosen.only or one.name in chosen.only]
    results: dict[str, list[Result]] = {}
    with serving(site, root, FOLDER / "nginx", chosen.gzip) as nginx:
        for _ in range(chosen.rounds):
            for one in contenders:
                try:
                    result = measured(one, site, nginx)
                except CommandError as failure:
                    print(f"{one.name} did not run: {failure}", file=sys.stderr)
                    continue
                results.setdefault(one.name, []).append(result)
                print(
                    f"{one.name}: {result.cpu_ms:.2f} CPU ms a page, {result.wall_rate:.0f} "
                    f"pages/s, {result.stolen:.1%} stolen",
                    file=sys.stderr,
                )
    best = [min(runs, key=lambda each: each.cpu_ms) for runs in results.values()]
    gains = gained(results.get(OURS, []), results.get(POOL, []))
    if chosen.json:
        for result in best:
            print(json.dumps(asdict(result)))
        print(json.dumps({"gains": gains}))
    else:
        Console(width=WIDTH).print(table(best, site))
        if gains:
            print(
                f"Both cores: {median(gains):.2f} times one, by rounds "
                f"{', '.join(f'{gain:.2f}' for gain in gains)}"
            )
    missed = sorted(
        {run.name for runs in results.values() for run in runs if run.pages != site.pages}
    )
    if missed:
        sys.exit(
            f"{', '.join(missed)} did not fetch exactly the {site.pages:,} pages: the figures do "
            "not compare."
        )


if __name__ == "__main__":
    main()
