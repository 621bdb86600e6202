"""Whether an ordering that learns does as well on a cluster, where each actor learns from its own
visits, as in one process.

    python -m bench.cluster.learning [--seeds 8] [--pages 2000] [--ordering combined] [--web 3]

The first pages of a web without end, crawled several times, by one node in one process and by the
same node as three actors; seeds break ties, so
crawls in one process show what is noise. Printed are means and standard deviations of the harvest
(which is the geo-coverage of all nodes
together), and the difference in standard errors: beyond 3 it is no noise.

Three things decide more than who learns from what, so they are the same for both as far as they can
be:

- Requests under way. With 64 at once a crawler asks 64 hosts where one has the best pages: of 2,000
pages 4 % were relevant, with one at a
  time 44 %. `politeness.concurrent` is for a process, and each actor is one. And near the end of a
  page limit actors are granted few
  pages at a time: with 64 at once that made their last quarter four times as good as that of one
  process.
- Time. In one process simulated time goes on by what the answers would take, on a cluster by the
real seconds. How often a host with a
  crawl-delay is asked meanwhile differs: robots.txt is not read here. That quick hosts give more in
  one process remains.
- Nodes. Several that want the same hosts share their clocks at once in one process; between actors
clocks travel. In three crawls of three
  nodes, by hash, 24.1, 20.8 and 22.4 % were relevant in one process, and 18.0, 16.5 and 13.7 % on a
  cluster. So here one node does all.
"""

import argparse
import math
import subprocess
import sys
import tempfile
from pathlib import Path
from statistics import mean, stdev

from msgspec.structs import replace

from bench.cluster.crawl import ray_cluster
from toponaut.compare.measuring import measure_directory
from toponaut.crawl.webs import open_web, seeds_of
from toponaut.job import (
    Job,
    LimitsSection,
    NodesSection,
    OrderingSection,
    PolitenessSection,
    TargetsSection,
    render,
)

CITIES = (
    "Springfield, IL", "Seattle, WA", "Austin, TX", "Denver, CO", "San Francisco, CA", "Chicago, "
    "IL", "Portland, OR",
    "Los Angeles, CA", "Minneapolis, MN", "Atlanta, GA", "Boston, MA", "Wichita, KS",
)  # fmt: skip
ACTORS = 3
AT_ONCE = 4  # requests of each


def job(web: int, pages: int, ordering: str) -> Job:
    wanted = Job(
        targets=TargetsSection(places=CITIES),
        nodes=NodesSection(geographic=1, shards=ACTORS),
        ordering=OrderingSection(strategy=ordering),
        politeness=PolitenessSection(delay=0.0, robots=False, contact="https://archive.example/"),
        limits=LimitsSection(pages=pages, depth=0),
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
    line = [
        sys.executable,
        "-m",
        "toponaut",
        "crawl",
        str(file),
        str(root),
        "--synthetic",
        str(web),
    ]
    line += ["--workers", "0", "--quiet", *(["--cluster", address] if address else [])]
    subprocess.run(line, check=True, stdout=subprocess.DEVNULL)
    return 100 * (measure_directory(root).whole.harvest or 0.0)


def compared(wanted: Job, web: int, address: str, seeds: int) -> tuple[list[float], list[float]]:
    """Crawls in one process and on the cluster, by turns."""
    one: list[float] = []
    many: list[float] = []
    for seed in range(seeds):
        for found, where, actors in ((one, "", ACTORS), (many, address, 1)):
            with tempfile.TemporaryDirectory() as folder:
                found.append(crawled(Path(folder), for_process(wanted, actors, seed), web, where))
        print(f"  seed {seed}: one process {one[-1]:.2f} %, cluster {many[-1]:.2f} %", flush=True)
    return one, many


def difference(one: list[float], many: list[float]) -> float:
    """Of the means, in standard errors (Welch)."""
    error = math.sqrt(stdev(one) ** 2 / len(one) + stdev(many) ** 2 / len(many))
    return (mean(many) - mean(one)) / error if error else 0.0


def report(one: list[float], many: list[float]) -> None:
    print(f"relevant in one process {_spread(one)}, on the cluster {_spread(many)}: ", end="")
    print(f"a difference of {difference(one, many):+.1f} standard errors")


def _spread(found: list[float]) -> str:
    return f"{mean(found):.1f} +- {stdev(found):.1f} %"


def main() -> None:
    parser = argparse.ArgumentParser(
        description="Whether an ordering that learns does as well on a cluster."
    )
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
