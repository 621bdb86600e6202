"""The same pages crawled by one process, by one actor and by two: pages a second, and CPU a page of
everybody who takes part.

The web is replayed from files: it costs little, and nobody waits for it. What counts is the middle
of a crawl, where every actor
has enough to do: starting is left out, and so is the end, where the actor with fewer hosts has
done. (Hosts are dealt to
actors by their hash. Of 75 hosts with 3,000 pages one of two actors got 60 % of the pages, and
worked alone for a fifth of the
crawl; of 300 with 12,000 it gets 54 %.)
"""

import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from statistics import linear_regression
from typing import Any, NamedTuple

from bench.cluster.accounts import Account, account
from bench.crawl.site import Site, address, write
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

_EVERY_S = 0.05
_FROM, _UPTO = 0.15, 0.8  # of the pages
_LOOKS = 5  # at least: fewer are no measure


class Rate(NamedTuple):
    """Of the middle of a crawl."""

    pages: float  # a second
    cpu: dict[str, float]  # ms a page, by who: actors, keepers, command, Ray
    busy: list[float]  # the share of a core that each actor has used
    strangers: float  # the share of the machine that others have used


class _Look(NamedTuple):
    at: float
    pages: int
    spent: Account


def site(pages: int) -> Site:
    """The web of `make bench-crawl`: 60 links a page, half of them to other hosts; all can be
    found.
    """
    return Site(pages=pages, hosts=max(pages // 40, 10))


def job(pages: int, shards: int) -> Job:
    return Job(
        seeds=tuple(site(pages).seeds),
        targets=TargetsSection(presets=("us-top-100",)),
        nodes=NodesSection(geographic=1, shards=shards),
        collaboration=CollaborationSection(strategy="hash"),
        ordering=OrderingSection(strategy="breadth-first"),
        politeness=PolitenessSection(delay=0.0, contact="https://archive.example/"),
        limits=LimitsSection(pages=0, depth=0, pages_per_host=0, private_networks=True),
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


def processes(folder: Path, web: Path, pages: int, count: int) -> Rate:
    """Crawls in this many processes at once, that have nothing to do with each other: what the
    machine can give.
    """
    roots = [folder / str(number) for number in range(count)]
    return _watched([_command(root, web, pages, 1) for root in roots], roots, pages, ())


def on_cluster(folder: Path, web: Path, pages: int, shards: int, cluster: Any) -> Rate:
    root = folder / "many"
    line = [*_command(root, web, pages, shards), "--cluster", cluster.address]
    return _watched([line], [root], pages, _processes(cluster))


def _command(root: Path, web: Path, pages: int, shards: int) -> list[str]:
    path = root.with_suffix(".toml")
    path.write_text(render(job(pages, shards)), encoding="utf-8")
    line = [sys.executable, "-m", "toponaut", "crawl", str(path), str(root), "--replay", str(web)]
    return [*line, "--workers", "0", "--quiet"]


def _processes(cluster: Any) -> list[int]:
    nodes = cluster.list_all_nodes()
    return [
        one.process.pid for node in nodes for some in node.all_processes.values() for one in some
    ]


def _watched(
    lines: Sequence[list[str]], roots: Sequence[Path], pages: int, ray: Sequence[int]
) -> Rate:
    """Runs crawls, and looks at them whenever they report, once a second: more would
    take CPU from them.
    """
    looks: list[_Look] = []
    known = 0
    with tempfile.TemporaryFile() as errors, ExitStack() as stack:
        begun = [
            stack.enter_context(subprocess.Popen(line, stdout=errors, stderr=errors))
            for line in lines
        ]
        while all(one.poll() is None for one in begun):
            if (reported := sum(map(_pages, roots))) > known:
                looks.append(
                    _Look(time.monotonic(), reported, account([one.pid for one in begun], ray))
                )
                known = reported
            time.sleep(_EVERY_S)
        if any(one.wait() for one in begun):
            errors.seek(0)
            raise SystemExit(errors.read().decode(errors="replace"))
    return _rate(looks, pages * len(lines))


def _rate(looks: list[_Look], pages: int) -> Rate:
    reported = [look for look in looks if _FROM * pages <= look.pages <= _UPTO * pages]
    if len(reported) < _LOOKS:
        raise SystemExit(
            f"The middle of the crawl was over after {len(reported)} looks at it: give more --pages"
        )
    first, last = reported[0], reported[-1]
    seconds, done = last.at - first.at, last.pages - first.pages
    spent = {who: last.spent.who[who] - before for who, before in first.spent.who.items()}
    busy = [
        (last.spent.actors[pid] - before) / seconds for pid, before in first.spent.actors.items()
    ]
    strangers = last.spent.machine - first.spent.machine - sum(spent.values())
    return Rate(
        linear_regression(
            [one.at for one in reported], [float(one.pages) for one in reported]
        ).slope,
        {who: used / done * 1000 for who, used in spent.items()},
        busy,
        strangers / seconds / (os.cpu_count() or 1),
    )


def _pages(root: Path) -> int:
    try:
        return int(json.loads((root / "state" / "progress.json").read_bytes())["progress"]["pages"])
    except (FileNotFoundError, ValueError):
        return 0


@contextmanager
def ray_cluster() -> Iterator[Any]:
    """One machine, as far as Ray is concerned."""
    os.environ["RAY_USAGE_STATS_ENABLED"] = "0"
    from ray.cluster_utils import Cluster

    cluster = Cluster(
        initialize_head=True, head_node_args={"num_cpus": 4, "include_dashboard": False}
    )
    try:
        yield cluster
    finally:
        cluster.shutdown()  # type: ignore[no-untyped-call]
