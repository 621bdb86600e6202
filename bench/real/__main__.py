"""Toponaut compared with Scrapy, Crawlee and a bare loop on real sites: CPU time per page.

    python -m bench.real FOLDER [--only NAME]... [--rounds N] [--tls] [--profile] [--json]

FOLDER has real sites with a manifest.tsv (bench/real/sites.py). nginx serves them under their own
host names on a private loopback network, on one core; each crawler runs on the other. The cost of
starting is measured on an empty page and subtracted. Pages are counted in the server's log. The
best of the rounds counts.
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
from bench.real import profile
from bench.real.contenders import BARE, CONTENDERS, RealContender
from bench.real.namespace import enter, prepare
from bench.real.server import make_certificate, serving
from bench.real.sites import RealSites, lay_out

FOLDER = Path(__file__).parents[2] / "build" / "bench-real"
EMPTY = "empty.bench.example"  # a host with one page and no links, for the cost of starting


@dataclass(frozen=True)
class Result:
    """One crawl, without the cost of starting."""

    name: str
    pages: int  # distinct ones
    requests: int
    cpu_ms: float  # per page
    wall_rate: float  # pages per second
    start_seconds: float  # CPU
    peak_mb: float
    stolen: float  # share of the cores' time taken by the hypervisor


def measure(one: RealContender, seeds: tuple[str, ...], nginx: Nginx, scheme: str) -> Result:
    """Crawls the sites, then an empty one."""
    cost, pages, requests = _crawl(one, [_with(scheme, seed) for seed in seeds], nginx)
    start, _, _ = _crawl(one, [f"{scheme}://{EMPTY}/"], nginx)
    cpu, wall = cost.cpu - start.cpu, cost.wall - start.wall
    return Result(
        one.name, pages, requests, 1e3 * cpu / pages, pages / wall, start.cpu, cost.peak / 1e6,
        cost.stolen,
    )  # fmt: skip


def _with(scheme: str, url: str) -> str:
    return f"{scheme}://{url.partition('://')[2]}"


def _crawl(one: RealContender, seeds: list[str], nginx: Nginx) -> tuple[Cost, int, int]:
    cores = set(range(os.cpu_count() or 1))
    nginx.put_on(cores - {0} if len(cores) > 1 else cores)
    with tempfile.TemporaryDirectory(dir=FOLDER) as folder:
        mark = nginx.mark()
        cost = run(one.command(seeds, Path(folder)), {0})
        return cost, *nginx.pages_since(mark)


def table(results: list[Result], sites: RealSites) -> Table:
    """The results, with each crawler's CPU relative to the bare loop's."""
    columns = ("crawler", "pages", "requests", "CPU ms per page", "x bare loop", "pages per s")
    title = f"{sites.pages:,} real pages of {len(sites.seeds)} sites"
    rows = Table(*columns, "start, CPU s", "peak MB", "stolen", title=title)
    bare = next((result.cpu_ms for result in results if result.name == BARE), None)
    for one in results:
        ratio = f"{one.cpu_ms / bare:.2f}" if bare else "-"
        rows.add_row(
            one.name, f"{one.pages:,}", f"{one.requests:,}", f"{one.cpu_ms:.2f}", ratio,
            f"{one.wall_rate:.0f}", f"{one.start_seconds:.2f}", f"{one.peak_mb:.0f}",
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
    parser.add_argument("--profile", action="store_true", help="also where Toponaut's time goes")
    parser.add_argument("--json", action="store_true", help="one object per line")
    return parser.parse_args()


def main() -> None:
    """Measures inside a private network and prints the table."""
    chosen = options()
    enter("bench.real", sys.argv[1:])
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    sites = lay_out(chosen.folder, FOLDER / "root")
    empty = sites.root / EMPTY / "index.html"
    empty.parent.mkdir()
    empty.write_text("<title>Empty</title>")
    hosts = (*sites.hosts, EMPTY)
    prepare(hosts, FOLDER)
    certificate = make_certificate(hosts, FOLDER) if chosen.tls else None
    if certificate:
        os.environ["SSL_CERT_FILE"] = str(certificate)
    scheme = "https" if chosen.tls else "http"
    contenders = [one for one in CONTENDERS if not chosen.only or one.name in chosen.only]
    results: dict[str, list[Result]] = {}
    with serving(sites.root, FOLDER / "nginx", f"http://{EMPTY}/", certificate) as nginx:
        for _ in range(chosen.rounds):
            for one in contenders:
                try:
                    result = measure(one, sites.seeds, nginx, scheme)
                except CommandError as failure:
                    print(f"{one.name} did not run: {failure}", file=sys.stderr)
                    continue
                results.setdefault(one.name, []).append(result)
                print(f"{one.name}: {result.cpu_ms:.2f} CPU ms per page", file=sys.stderr)
        stages = profile.stages(sites.seeds, FOLDER) if chosen.profile else {}
    best = [min(runs, key=lambda each: each.cpu_ms) for runs in results.values()]
    if chosen.json:
        for result in best:
            print(json.dumps(asdict(result)))
    else:
        Console(width=120).print(table(best, sites))
    for name, share in stages.items():
        print(f"{name:12} {share:6.1%}")


if __name__ == "__main__":
    main()
