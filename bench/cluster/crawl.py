"""The same pages crawled by one process, by one actor and by two: pages a second, and CPU a page of everybody who takes part.

The web is replayed from files: it costs little, and nobody waits for it. What counts is the time between the first twentieth of the pages and
the last: starting is left out.
"""

import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

from bench.crawl.measure import descendants
from bench.crawl.site import Site, address, write
from toponaut.job import Collaboration, Job, Limits, Nodes, Ordering, Politeness, Targets, render

_TICK = os.sysconf("SC_CLK_TCK")
_EVERY_S = 0.1
_FROM, _UPTO = 0.05, 0.95  # of the pages
ACTORS, KEEPERS = "ray::NodeActor", "ray::KeeperActor"


class Rate(NamedTuple):
    """Of the middle of a crawl."""

    pages: float  # a second
    cpu: dict[str, float]  # ms a page, by who: actors, keepers, the rest

    @property
    def whole(self) -> float:
        return sum(self.cpu.values())


class _Look(NamedTuple):
    at: float
    pages: int
    cpu: dict[str, float]


def site(pages: int) -> Site:
    """The web of `make bench-crawl`: 60 links a page, half of them to other hosts; all can be found."""
    return Site(pages=pages, hosts=max(pages // 40, 10))


def job(pages: int, shards: int) -> Job:
    return Job(
        seeds=tuple(site(pages).seeds),
        targets=Targets(presets=("us-top-100",)),
        nodes=Nodes(geographic=1, shards=shards),
        collaboration=Collaboration(strategy="hash"),
        ordering=Ordering(strategy="breadth-first"),
        politeness=Politeness(delay=0.0, contact="https://archive.example/"),
        limits=Limits(pages=0, depth=0, pages_per_host=0, private_networks=True),
    )


def written(folder: Path, pages: int) -> Path:
    """The web as a folder that can be replayed."""
    made = site(pages)
    root = write(made, folder)
    lines = [
        f"http://{address(host)}:{made.port}/robots.txt\t{address(host)}/robots.txt\ttext/plain\n"
        for host in range(made.hosts)
    ]
    for number, entry in enumerate(made.entries):
        file = entry.path + ("index.html" if entry.path.endswith("/") else "")
        kind = f"text/html; charset={made.encoding(entry.host)}"
        lines.append(f"{made.url(number)}\t{address(entry.host)}{file}\t{kind}\n")
    (root / "manifest.tsv").write_text("".join(lines), encoding="utf-8")
    return root


def one_process(folder: Path, web: Path, pages: int) -> Rate:
    return _watched(_command(folder, web, pages, 1), Path(folder / "crawl"), pages, ())


def on_cluster(folder: Path, web: Path, pages: int, shards: int, cluster: Any) -> Rate:
    line = [*_command(folder, web, pages, shards), "--cluster", cluster.address]
    return _watched(line, folder / "crawl", pages, _processes(cluster))


def _command(folder: Path, web: Path, pages: int, shards: int) -> list[str]:
    path = folder / "job.toml"
    path.write_text(render(job(pages, shards)), encoding="utf-8")
    line = [sys.executable, "-m", "toponaut", "crawl", str(path), str(folder / "crawl"), "--replay", str(web)]
    return [*line, "--workers", "0", "--quiet"]


def _processes(cluster: Any) -> list[int]:
    nodes = cluster.list_all_nodes()
    return [one.process.pid for node in nodes for some in node.all_processes.values() for one in some]


def _watched(line: Sequence[str], root: Path, pages: int, roots: Sequence[int]) -> Rate:
    """Runs a crawl, and looks at it all the time."""
    looks: list[_Look] = []
    with tempfile.TemporaryFile() as errors, subprocess.Popen(line, stdout=errors, stderr=errors) as process:
        while process.poll() is None:
            looks.append(_Look(time.monotonic(), _pages(root), _cpu([process.pid, *roots])))
            time.sleep(_EVERY_S)
        if process.returncode:
            errors.seek(0)
            raise SystemExit(errors.read().decode(errors="replace"))
    # What is told is true when it is told, once a second: so it is looked at when it changes.
    told = [
        look
        for before, look in pairwise(looks)
        if _FROM * pages <= look.pages <= _UPTO * pages and look.pages > before.pages
    ]
    first, last = told[0], told[-1]
    done = last.pages - first.pages
    spent = {who: (last.cpu.get(who, 0.0) - first.cpu.get(who, 0.0)) / done * 1000 for who in last.cpu}
    return Rate(done / (last.at - first.at), spent)


def _pages(root: Path) -> int:
    try:
        return int(json.loads((root / "state" / "progress.json").read_bytes())["progress"]["pages"])
    except (FileNotFoundError, ValueError):
        return 0


def _cpu(roots: Sequence[int]) -> dict[str, float]:
    """Seconds of all processes by who they are."""
    spent = {"actors": 0.0, "keepers": 0.0, "rest": 0.0}
    for pid in {*roots, *(child for root in roots for child in descendants(root))}:
        try:
            title = Path(f"/proc/{pid}/cmdline").read_text(errors="replace")
            fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
        except OSError:  # it has ended
            continue
        who = "actors" if title.startswith(ACTORS) else "keepers" if title.startswith(KEEPERS) else "rest"
        spent[who] += (int(fields[11]) + int(fields[12])) / _TICK
    return spent


@contextmanager
def ray_cluster() -> Iterator[Any]:
    """One machine, as far as Ray is concerned."""
    os.environ["RAY_USAGE_STATS_ENABLED"] = "0"
    from ray.cluster_utils import Cluster

    cluster = Cluster(initialize_head=True, head_node_args={"num_cpus": 4, "include_dashboard": False})
    try:
        yield cluster
    finally:
        cluster.shutdown()  # type: ignore[no-untyped-call]
