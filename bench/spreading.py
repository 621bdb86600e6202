"""An index made by several processes, compared with one made by one: how fast, for how much CPU,
how large, and how soon it answers.

    python -m bench.spreading [pages] [--workers 2] [--rounds 3] [--cluster]       (100,000 pages
    without an argument)

Pages are those of bench/index.py, in segments of 20,000. Both are made by the command, in turns, so
that whatever else the machine does
meets both; CPU is that of all its processes, their start included. With `--cluster` the third is
made by tasks on a Ray cluster of two nodes with as many CPUs on this machine; CPU is then not
printed, because the tasks are Ray's children. Queries are put to each index in turns.
"""

import argparse
import json
import logging
import os
import random
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from bench.index import MADE, TIMED, made, more, queries, write
from toponaut.index import Question, Search, index_folder
from toponaut.places.gazetteer.cache import open_names
from toponaut.synthetic.settings import SyntheticSettings
from toponaut.synthetic.web import SyntheticWeb


class Made(NamedTuple):
    """One run of the command."""

    seconds: float
    cpu: float


def index(root: Path, *options: str) -> Made:
    """Makes the index of a crawl from nothing."""
    shutil.rmtree(index_folder(root), ignore_errors=True)
    start = time.perf_counter()
    command = [sys.executable, "-m", "toponaut", "index", str(root), "--json", *options]
    process = subprocess.Popen(command, stdout=subprocess.PIPE)
    assert process.stdout is not None
    reported = json.loads(process.stdout.read())
    _, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    assert process.returncode == 0, reported
    return Made(time.perf_counter() - start, used.ru_utime + used.ru_stime)


def answering(searches: Sequence[Search], texts: Sequence[str]) -> list[list[float]]:
    """Milliseconds of CPU that each index takes for each query."""
    taken: list[list[float]] = [[] for _ in searches]
    for turn, text in enumerate([*texts[:50], *texts]):
        for search, own in zip(searches, taken, strict=True):
            start = time.process_time()
            search.ask(Question(text))
            if turn >= 50:  # those before open what is read for the first time
                own.append(1e3 * (time.process_time() - start))
    return [sorted(own) for own in taken]


@contextmanager
def cluster(cpus: int) -> Iterator[str]:
    os.environ["RAY_USAGE_STATS_ENABLED"] = "0"
    logging.getLogger("ray").setLevel(logging.CRITICAL)
    from ray.cluster_utils import Cluster

    made = Cluster(
        initialize_head=True,
        head_node_args={"num_cpus": cpus - cpus // 2, "include_dashboard": False},
    )
    try:
        if cpus // 2:
            made.add_node(num_cpus=cpus // 2)
        made.wait_for_nodes()
        yield made.address
    finally:
        made.shutdown()  # type: ignore[no-untyped-call]


def main() -> None:
    parser = argparse.ArgumentParser(
        description="An index made by several processes, compared with one made by one."
    )
    parser.add_argument("pages", type=int, nargs="?", default=100_000)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--cluster", action="store_true")
    chosen = parser.parse_args()
    ways = {
        "one process": ("--workers", "0"),
        f"{chosen.workers} processes": ("--workers", str(chosen.workers)),
    }
    with tempfile.TemporaryDirectory() as folder:
        names = open_names()
        web = SyntheticWeb(names.gazetteer, SyntheticSettings(seed=1))
        pages = list(made(web, MADE))
        roots = [Path(folder) / f"{number}" for number in range(len(ways) + chosen.cluster)]
        roots[0].mkdir()
        write(roots[0], more(pages, chosen.pages))
        for other in roots[1:]:
            shutil.copytree(roots[0], other)
        print(f"{chosen.pages:,} pages, {chosen.rounds} rounds")
        if chosen.cluster:
            with cluster(chosen.workers) as address:
                ways[f"{chosen.workers} Ray tasks"] = ("--cluster", address)
                rounds(chosen.pages, chosen.rounds, ways, roots)
        else:
            rounds(chosen.pages, chosen.rounds, ways, roots)
        asked = queries(web, names.gazetteer, pages)
        texts = [query.text for query in random.Random(3).choices(asked, k=TIMED)]
        searches = [Search(index_folder(root), names) for root in roots]
        for name, taken in zip(ways, answering(searches, texts), strict=True):
            print(
                f"{name:<14} answers: median {statistics.median(taken):.2f} ms, 99th percentile "
                f"{taken[-5]:.2f} ms"
            )


def rounds(pages: int, many: int, ways: dict[str, tuple[str, str]], roots: Sequence[Path]) -> None:
    """Prints what each way takes, in turns."""
    for _ in range(many):
        first = 0.0
        for (name, options), root in zip(ways.items(), roots, strict=True):
            run = index(root, *options)
            first = first or run.seconds
            size = sum(
                path.stat().st_size for path in index_folder(root).rglob("*") if path.is_file()
            )
            parts = len(
                json.loads((index_folder(root) / "words" / "meta.json").read_bytes())["segments"]
            )
            cpu = (
                "" if "--cluster" in options else f"{1e6 * run.cpu / pages:.0f} us of CPU a page, "
            )
            print(
                f"{name:<14} {pages / run.seconds:6,.0f} pages/s ({first / run.seconds:.2f} "
                f"times), {cpu}"
                f"{size / pages:,.0f} bytes a page in {parts} segments",
                flush=True,
            )


if __name__ == "__main__":
    main()
