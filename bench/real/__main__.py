"""Toponaut compared with Scrapy, Crawlee and a bare loop on real sites: CPU time per page.

    python -m bench.real FOLDER [--only NAME]... [--rounds N] [--tls] [--hosts N] [--profile]
                         [--json]

FOLDER has real sites with a manifest.tsv (bench/real/sites.py). nginx serves them under their own
host names on a private loopback network, on one core; each crawler runs on the other. The cost of
starting is measured on an empty page and subtracted. Pages are counted in the server's log; pages
per second count from the first request to the last. The best of the rounds counts.

With --hosts, generated hosts are crawled in place of the sites: most of that is TLS handshakes.
"""

import argparse
import json
import os
import signal
import sys
import tempfile
from dataclasses import asdict, dataclass
from pathlib import Path

from rich.console import Console
from rich.table import Table

from bench.crawl.measure import CommandError, Cost, run
from bench.crawl.nginx import Nginx
from bench.real import many_hosts, profile
from bench.real.certificates import make_certificates
from bench.real.contenders import BARE, CONTENDERS, RealContender
from bench.real.namespace import enter, prepare
from bench.real.server import ServedTraffic, served, serving
from bench.real.sites import RealSites, lay_out

FOLDER = Path(__file__).parents[2] / "build" / "bench-real"
PROFILED = "toponaut, breadth-first"
EMPTY = "empty.bench.example"  # a host with one page and no links, for the cost of starting


@dataclass(frozen=True)
class Result:
    """One crawl, without the cost of starting."""

    name: str
    pages: int  # distinct ones
    requests: int
    cpu_ms: float  # per page
    wall_rate: float  # pages per second, from the first request to the last
    connections: int
    resumed: int  # TLS sessions
    start_seconds: float  # CPU
    peak_mb: float
    stolen: float  # share of the cores' time taken by the hypervisor


def measure(one: RealContender, seeds: tuple[str, ...], nginx: Nginx, scheme: str) -> Result:
    """Crawls the sites, then an empty one."""
    cost, found = _crawl(one, [_with(scheme, seed) for seed in seeds], nginx)
    start, _ = _crawl(one, [f"{scheme}://{EMPTY}/"], nginx)
    return Result(
        one.name, found.pages, found.requests, 1e3 * (cost.cpu - start.cpu) / found.pages,
        found.pages / found.seconds, found.connections, found.resumed, start.cpu, cost.peak / 1e6,
        cost.stolen,
    )  # fmt: skip


def _with(scheme: str, url: str) -> str:
    return f"{scheme}://{url.partition('://')[2]}"


def _crawl(one: RealContender, seeds: list[str], nginx: Nginx) -> tuple[Cost, ServedTraffic]:
    cores = set(range(os.cpu_count() or 1))
    nginx.put_on(cores - {0} if len(cores) > 1 else cores)
    with tempfile.TemporaryDirectory(dir=FOLDER) as folder:
        mark = nginx.mark()
        cost = run(one.command(seeds, Path(folder)), {0})
        return cost, served(nginx, mark)


def table(results: list[Result], sites: RealSites) -> Table:
    """The results, with each crawler's CPU relative to the bare loop's."""
    columns = ("crawler", "pages", "requests", "CPU ms per page", "x bare loop", "pages per s")
    title = f"{sites.pages:,} real pages of {len(sites.seeds)} sites"
    more = ("connections", "resumed", "start, CPU s", "peak MB", "stolen")
    rows = Table(*columns, *more, title=title)
    bare = next((result.cpu_ms for result in results if result.name == BARE), None)
    for one in results:
        ratio = f"{one.cpu_ms / bare:.2f}" if bare else "-"
        rows.add_row(
            one.name, f"{one.pages:,}", f"{one.requests:,}", f"{one.cpu_ms:.2f}", ratio,
            f"{one.wall_rate:.0f}", f"{one.connections:,}", f"{one.resumed:,}",
            f"{one.start_seconds:.2f}", f"{one.peak_mb:.0f}",
            f"{one.stolen:.1%}",
        )  # fmt: skip
    return rows


def options() -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(
        prog="python -m bench.real", description="CPU time per real page, compared with others."
    )
    parser.add_argument("folder", type=Path, help="real sites with manifest.tsv and sites.tsv")
    names = [one.name for one in CONTENDERS]
    parser.add_argument("--only", action="append", choices=names, help="repeat for several")
    parser.add_argument("--rounds", type=int, default=2, help="the best of these counts")
    parser.add_argument("--tls", action="store_true", help="crawl over HTTPS")
    parser.add_argument("--hosts", type=int, default=0, help="generated hosts, with --tls")
    parser.add_argument("--profile", action="store_true", help="also where Toponaut's time goes")
    parser.add_argument("--json", action="store_true", help="one object per line")
    chosen = parser.parse_args()
    if chosen.hosts and not chosen.tls:
        parser.error("--hosts needs --tls")
    return chosen


def prepare_sites(chosen: argparse.Namespace) -> RealSites:
    """The sites on the private network, or the generated hosts."""
    sites = lay_out(chosen.folder, FOLDER / "root")
    empty = sites.root / EMPTY / "index.html"
    empty.parent.mkdir()
    empty.write_text("<title>Empty</title>")
    if chosen.hosts:
        many_hosts.write(chosen.hosts, sites.root)
        names = many_hosts.names(chosen.hosts)
        pages = chosen.hosts * many_hosts.PAGES
        sites = RealSites(sites.root, tuple(names), (f"https://{names[0]}/",), pages)
    prepare((*sites.hosts, EMPTY), FOLDER)
    return sites


def compare(
    contenders: list[RealContender], sites: RealSites, nginx: Nginx, rounds: int, scheme: str
) -> list[Result]:
    """The best result of each crawler."""
    results: dict[str, list[Result]] = {}
    for _ in range(rounds):
        for one in contenders:
            try:
                result = measure(one, sites.seeds, nginx, scheme)
            except CommandError as failure:
                print(f"{one.name} did not run: {failure}", file=sys.stderr)
                continue
            results.setdefault(one.name, []).append(result)
            print(f"{one.name}: {result.cpu_ms:.2f} CPU ms per page", file=sys.stderr)
    return [min(runs, key=lambda each: each.cpu_ms) for runs in results.values()]


def main() -> None:
    """Measures inside a private network and prints the table."""
    chosen = options()
    enter("bench.real", sys.argv[1:])
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    sites = prepare_sites(chosen)
    certificates = FOLDER / "certificates" if chosen.tls else None
    if certificates:
        authority = make_certificates((*sites.hosts, EMPTY), certificates)
        os.environ["SSL_CERT_FILE"] = str(authority)
    scheme = "https" if chosen.tls else "http"
    contenders = [one for one in CONTENDERS if not chosen.only or one.name in chosen.only]
    with serving(sites.root, FOLDER / "nginx", f"http://{EMPTY}/", certificates) as nginx:
        best = compare(contenders, sites, nginx, chosen.rounds, scheme)
        stages = {}
        if chosen.profile and (own := next((one for one in best if one.name == PROFILED), None)):
            seeds = [_with(scheme, seed) for seed in sites.seeds]
            shares = profile.stages(seeds, FOLDER)
            stages = {name: share * own.cpu_ms for name, share in shares.items()}
    if chosen.json:
        for result in best:
            print(json.dumps(asdict(result)))
        if stages:
            print(json.dumps({"stages_ms": stages}))
    else:
        Console(width=180).print(table(best, sites))
        for name, milliseconds in stages.items():
            print(f"{name:12} {milliseconds:6.2f} ms per page")


if __name__ == "__main__":
    main()
