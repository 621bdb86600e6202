"""Whether an ordering that learns does as well on a cluster as in one process, where it learns from the visits of all nodes.

    python -m bench.cluster.learning [--seeds 8] [--pages 2000] [--ordering combined] [--web 3]

The first pages of a web without end, crawled several times, in one process and by three node actors; seeds break ties, so crawls in one process
tell what is noise. Printed are means and standard deviations of harvest, geo-coverage and geo-focus, and the difference in standard errors:
beyond 3 it is no noise.

Both have as many requests under way, for that decides more than all else: with 64 at once a crawler asks 64 hosts where the best one has
the best pages, and of 2,000 pages 4 % are relevant, with one at a time 44 %. `politeness.concurrent` is for a process: for all nodes of one,
and for each of a cluster's. And near the end of a page limit nodes of a cluster are granted few pages at a time: with 64 at once that
made their last quarter four times as good as that of one process.
"""

import argparse
import math
import subprocess
import sys
import tempfile
from pathlib import Path
from statistics import mean, stdev
from typing import NamedTuple

from msgspec.structs import replace

from bench.cluster.crawl import ray_cluster
from toponaut.crawl.measuring import measure_directory
from toponaut.crawl.synthetic import open_web, seeds_of
from toponaut.job import Collaboration, Job, Limits, Nodes, Ordering, Politeness, Targets, render

CITIES = (
    "Springfield, IL", "Seattle, WA", "Austin, TX", "Denver, CO", "San Francisco, CA", "Chicago, IL", "Portland, OR",
    "Los Angeles, CA", "Minneapolis, MN", "Atlanta, GA", "Boston, MA", "Wichita, KS",
)  # fmt: skip
AT_ONCE = 4  # requests of each node


class Quality(NamedTuple):
    """Of a crawl, in percent."""

    harvest: float
    coverage: float
    focus: float


def job(web: int, pages: int, ordering: str) -> Job:
    wanted = Job(
        targets=Targets(places=CITIES),
        nodes=Nodes(geographic=2, general=1),
        collaboration=Collaboration(strategy="hash"),
        ordering=Ordering(strategy=ordering),
        politeness=Politeness(delay=0.0, contact="https://archive.example/"),
        limits=Limits(pages=pages, depth=0),
    )
    return replace(wanted, seeds=seeds_of(open_web(web), wanted))


def for_process(wanted: Job, nodes: int, seed: int) -> Job:
    """The job for a process with so many of its nodes."""
    return replace(wanted, random_seed=seed, politeness=replace(wanted.politeness, concurrent=AT_ONCE * nodes))


def crawled(folder: Path, wanted: Job, web: int, address: str = "") -> Quality:
    """By the command, on the cluster at an address, if there is one."""
    file, root = folder / "job.toml", folder / "crawl"
    file.write_text(render(wanted), encoding="utf-8")
    line = [sys.executable, "-m", "toponaut", "crawl", str(file), str(root), "--synthetic", str(web)]
    line += ["--workers", "0", "--quiet", *(["--cluster", address] if address else [])]
    subprocess.run(line, check=True, stdout=subprocess.DEVNULL)
    whole = measure_directory(root).whole
    return Quality(*(100 * (one or 0.0) for one in (whole.harvest, whole.geo_coverage, whole.geo_focus)))


def compared(wanted: Job, web: int, address: str, seeds: int) -> tuple[list[Quality], list[Quality]]:
    """Crawls in one process and on the cluster, by turns."""
    one: list[Quality] = []
    many: list[Quality] = []
    for seed in range(seeds):
        for found, where, nodes in ((one, "", wanted.nodes.geographic + wanted.nodes.general), (many, address, 1)):
            with tempfile.TemporaryDirectory() as folder:
                found.append(crawled(Path(folder), for_process(wanted, nodes, seed), web, where))
            print(f"  seed {seed}, {'cluster' if where else 'one process'}: {_told(found[-1])}", flush=True)
    return one, many


def _told(quality: Quality) -> str:
    return ", ".join(f"{name} {share:.2f}" for name, share in quality._asdict().items())


def difference(one: list[float], many: list[float]) -> float:
    """Of the means, in standard errors (Welch)."""
    error = math.sqrt(stdev(one) ** 2 / len(one) + stdev(many) ** 2 / len(many))
    return (mean(many) - mean(one)) / error if error else 0.0


def report(one: list[Quality], many: list[Quality]) -> None:
    for name in Quality._fields:
        here, there = ([getattr(quality, name) for quality in some] for some in (one, many))
        print(
            f"{name:9} one process {mean(here):6.2f} +- {stdev(here):.2f} %, cluster {mean(there):6.2f} +- {stdev(there):.2f} %, "
            f"difference {difference(here, there):+.1f} standard errors"
        )


def main() -> None:
    parser = argparse.ArgumentParser(description="Whether an ordering that learns does as well on a cluster.")
    parser.add_argument("--seeds", type=int, default=8)
    parser.add_argument("--pages", type=int, default=2000)
    parser.add_argument("--ordering", default="combined")
    parser.add_argument("--web", type=int, default=3)
    chosen = parser.parse_args()
    with ray_cluster() as cluster:
        wanted = job(chosen.web, chosen.pages, chosen.ordering)
        report(*compared(wanted, chosen.web, cluster.address, chosen.seeds))


if __name__ == "__main__":
    main()
