"""Whether a crawl that learns does as well on a cluster as in one process.

    python -m bench.cluster.learning [--webs 1 2 3 4] [--seeds 1] [--pages 2000] [--nodes]

The first pages of webs without end, each crawled in one process and by three actors: one node in
three shards, or with --nodes two territories and a general node, with the collaboration "combined".
Printed is the harvest, relevant pages of all pages, and the difference in standard errors: beyond 3
it is no noise.

Two things decide more than who learns from what, so they are the same for both as far as possible:

- Requests in flight. With 64 at once a crawler asks 64 hosts where one has the best pages: of 2,000
  pages 4 % were relevant, with one at a time 44 %. `politeness.concurrent` is for a process, and
  each actor is one.
- Time. In one process simulated time advances by what the answers would take, on a cluster by real
  seconds, so how often a host with a crawl-delay is asked meanwhile differs: robots.txt is not read
  here. That quick hosts give more in one process remains.
"""

import argparse
import math
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from statistics import mean, stdev

from msgspec.structs import replace

from bench.cluster.crawl import ray_cluster
from toponaut.compare.measuring import measure_directory
from toponaut.crawl.webs import open_web, seeds_of
from toponaut.job import (
    CollaborationSection,
    Job,
    LimitsSection,
    NodesSection,
    OrderingSection,
    PolitenessSection,
    TargetsSection,
    render,
)

ACTORS = 3
AT_ONCE = 4  # requests of each
PER_HOST = 25  # pages: one rich host would decide everything
SHARDS = NodesSection(geographic=1, shards=ACTORS)
NODES = NodesSection(geographic=ACTORS - 1, general=1)


def job(web: int, pages: int, nodes: NodesSection = SHARDS) -> Job:
    wanted = Job(
        targets=TargetsSection(presets=("us-top-100",)),
        nodes=nodes,
        collaboration=CollaborationSection(strategy="combined"),
        ordering=OrderingSection(strategy="combined"),
        politeness=PolitenessSection(delay=0.0, robots=False, contact="https://archive.example/"),
        limits=LimitsSection(pages=pages, depth=0, pages_per_host=PER_HOST),
    )
    return replace(wanted, seeds=seeds_of(open_web(web), wanted))


def for_process(wanted: Job, actors: int, seed: int) -> Job:
    """The job for a process that does the work of this many actors."""
    return replace(
        wanted, random_seed=seed, politeness=replace(wanted.politeness, concurrent=AT_ONCE * actors)
    )


def crawled(folder: Path, wanted: Job, web: int, address: str = "") -> float:
    """The harvest of a crawl by the command, in percent; on the cluster at an address, if there is
    one.
    """
    file, root = folder / "job.toml", folder / "crawl"
    file.write_text(render(wanted), encoding="utf-8")
    line = [sys.executable, "-m", "toponaut", "crawl", str(file), str(root)]
    line += ["--synthetic", str(web), "--workers", "0", "--quiet"]
    line += ["--cluster", address] if address else []
    subprocess.run(line, check=True, stdout=subprocess.DEVNULL)
    return 100 * (measure_directory(root).whole.harvest or 0.0)


def compared(
    webs: Sequence[int], pages: int, nodes: NodesSection, address: str, seeds: int
) -> tuple[list[float], list[float]]:
    """Crawls in one process and on the cluster, by turns."""
    one: list[float] = []
    many: list[float] = []
    for web in webs:
        wanted = job(web, pages, nodes)
        for seed in range(seeds):
            for found, where, actors in ((one, "", ACTORS), (many, address, 1)):
                with tempfile.TemporaryDirectory() as folder:
                    asked = for_process(wanted, actors, seed)
                    found.append(crawled(Path(folder), asked, web, where))
            print(f"  web {web}: one process {one[-1]:.2f} %, cluster {many[-1]:.2f} %", flush=True)
    return one, many


def difference(one: list[float], many: list[float]) -> float:
    """The mean difference of crawls of the same web, in standard errors."""
    differences = [b - a for a, b in zip(one, many, strict=True)]
    error = stdev(differences) / math.sqrt(len(differences))
    return mean(differences) / error if error else 0.0


def report(one: list[float], many: list[float]) -> None:
    print(f"relevant in one process {_spread(one)}, on the cluster {_spread(many)}: ", end="")
    print(f"a difference of {difference(one, many):+.1f} standard errors")


def _spread(found: list[float]) -> str:
    return f"{mean(found):.1f} +- {stdev(found):.1f} %"


def main() -> None:
    parser = argparse.ArgumentParser(
        description="Whether a crawl that learns does as well on a cluster."
    )
    parser.add_argument("--webs", type=int, nargs="+", default=[1, 2, 3, 4])
    parser.add_argument("--seeds", type=int, default=1, help="crawls of each web")
    parser.add_argument("--pages", type=int, default=2000)
    parser.add_argument("--nodes", action="store_true", help="three nodes, not shards of one")
    chosen = parser.parse_args()
    nodes = NODES if chosen.nodes else SHARDS
    with ray_cluster() as cluster:
        report(*compared(chosen.webs, chosen.pages, nodes, cluster.address, chosen.seeds))


if __name__ == "__main__":
    main()
