"""What a second core gives: the same crawl on one core and, with a reading process, on both, by
turns.

    python -m bench.crawl.cores [--pages N] [--hosts N] [--turn SECONDS] [--ordering NAME] [--json]

A shared machine is twice as fast in one minute as in the next, so wall times of two crawls that run
one after the other say little
of each other. Here all run at once and one at a time: each is stopped and goes on (SIGSTOP,
SIGCONT), always the one that has asked
for fewest pages, so that they are at the same page of the same web in the same second.

The third is what no crawl can exceed: two crawls that have nothing to do with each other, one on
each core, with the same server.
Their pages are counted together, so each of them is at half the way of the others.

With a crawl on one core, the server has the other. Where a crawl has both, it shares them with the
server, which on the real web is
somewhere else; the share that the server takes is printed, and what would be gained without it.
"""

import argparse
import json
import os
import signal
import subprocess
import tempfile
import time
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median

from msgspec.structs import replace

from bench.crawl.__main__ import FOLDER
from bench.crawl.contenders import job, toponaut
from bench.crawl.measure import descendants
from bench.crawl.nginx import Nginx, serving
from bench.crawl.site import Site, write

CORES = 2
STEPS = 10  # parts of the way, each of which has a ratio of its own
FROM, TO = (
    0.075,
    0.925,
)  # of all pages: neither the start of a crawl nor its end, when hosts run dry
ONE, BOTH, APART = "one core", "both cores", "two crawls apart"


@dataclass
class Crawl:
    """Crawls that take their turns together: nearly always one."""

    name: str
    runs: list[tuple[int, str]]  # processes, and the user agents by which the server knows them
    server: set[int]  # cores that the server may use meanwhile
    asked: int = 0
    seconds: float = 0.0
    served: float = 0.0  # seconds of CPU that the server had of the same cores
    marks: list[tuple[int, float]] = field(default_factory=list)

    def signal(self, number: int) -> None:
        for pid, _ in self.runs:
            for each in (pid, *descendants(pid)):
                os.kill(each, number)

    def take_turn(self, seconds: float) -> None:
        start = time.monotonic()
        self.signal(signal.SIGCONT)
        time.sleep(seconds)
        self.signal(signal.SIGSTOP)
        self.seconds += time.monotonic() - start

    def heard(self, asked: Counter[str], step: int, pages: int) -> None:
        """Counts what the server was asked for, and marks every step of the way."""
        self.asked += sum(
            count for agent, count in asked.items() if any(own in agent for _, own in self.runs)
        )
        if len(self.marks) <= STEPS and self.asked >= pages * FROM + len(self.marks) * step:
            self.marks.append((self.asked, self.seconds))

    def rates(self) -> list[float]:
        """Pages a second, step by step."""
        pairs = zip(self.marks, self.marks[1:], strict=False)
        return [
            (asked - before) / (seconds - earlier) for (before, earlier), (asked, seconds) in pairs
        ]


def by_turns(crawls: list[Crawl], nginx: Nginx, pages: int, turn: float) -> None:
    """Lets the crawl with the fewest requests continue, until all have made enough."""
    mark, step = nginx.mark(), int(pages * (TO - FROM) / STEPS)
    while any(len(crawl.marks) <= STEPS for crawl in crawls):
        behind = min(crawls, key=lambda crawl: crawl.asked)
        nginx.put_on(behind.server)
        before = nginx.cpu()
        behind.take_turn(turn)
        behind.served += (nginx.cpu() - before) * (len(behind.server) > 1)
        asked, mark = nginx.asked_since(mark)
        for crawl in crawls:
            crawl.heard(asked, step, pages)


@contextmanager
def stopped(site: Site, folder: Path, ordering: str) -> Iterator[list[Crawl]]:
    """All crawls, begun and stopped at once."""
    begun: list[subprocess.Popen[bytes]] = []

    def begin(agent: str, workers: int, cpus: set[int]) -> tuple[int, str]:
        contact = f"https://{agent}.example/"
        own = folder / agent
        own.mkdir()
        polite = job(site.seeds, site.pages, ordering)
        polite = replace(polite, politeness=replace(polite.politeness, contact=contact))
        process = subprocess.Popen(toponaut(workers, polite, own), stdout=subprocess.DEVNULL)
        begun.append(process)
        os.sched_setaffinity(process.pid, cpus)
        return process.pid, contact

    try:
        crawls = [
            Crawl(ONE, [begin("one", 0, {0})], {1}),
            Crawl(BOTH, [begin("pool", CORES - 1, {0, 1})], {0, 1}),
            Crawl(APART, [begin("left", 0, {0}), begin("right", 0, {1})], {0, 1}),
        ]
        for crawl in crawls:
            crawl.signal(signal.SIGSTOP)
        yield crawls
    finally:
        for process in begun:
            for pid in (*descendants(process.pid), process.pid):
                os.kill(pid, signal.SIGKILL)
            process.wait()


def print_report(crawls: Iterable[Crawl], as_json: bool) -> None:
    crawls = list(crawls)
    base = crawls[0].rates()
    for crawl in crawls:
        rates = crawl.rates()
        gains = sorted(rate / one for rate, one in zip(rates, base, strict=True))
        (first, start), (last, end) = crawl.marks[0], crawl.marks[-1]
        rate = (last - first) / (end - start)
        server = crawl.served / (CORES * crawl.seconds)
        alone = median(gains) / (1 - server)
        if as_json:
            figures = {
                "pages_per_second": rate,
                "gains": gains,
                "server": server,
                "gain_without_server": alone,
            }
            print(json.dumps({"crawl": crawl.name, **figures}))
        else:
            print(
                f"{crawl.name:16} {rate:6.0f} pages/s, {median(gains):.2f} times one "
                f"({gains[0]:.2f}-{gains[-1]:.2f})"
                + (
                    f"; {alone:.2f} but for the {server:.1%} of the cores that the server has"
                    if server
                    else ""
                )
            )


def options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m bench.crawl.cores", description="What a second core gives."
    )
    parser.add_argument("--pages", type=int, default=20_000)
    parser.add_argument("--hosts", type=int, default=500)
    parser.add_argument("--turn", type=float, default=0.5, help="seconds")
    parser.add_argument(
        "--ordering", default="breadth-first", help="combined: what a job has that names none"
    )
    parser.add_argument("--port", type=int, default=8765)
    parser.add_argument("--json", action="store_true", help="one object a line")
    return parser.parse_args()


def main() -> None:
    chosen = options()
    if (os.cpu_count() or 1) < CORES:
        raise SystemExit("This machine has one core.")
    site = Site(pages=chosen.pages, hosts=chosen.hosts, port=chosen.port)
    FOLDER.mkdir(parents=True, exist_ok=True)
    root = write(site, FOLDER)
    with (
        tempfile.TemporaryDirectory(dir=FOLDER) as folder,
        serving(site, root, FOLDER / "nginx", gzip=False) as nginx,
        stopped(site, Path(folder), chosen.ordering) as crawls,
    ):
        by_turns(crawls, nginx, chosen.pages, chosen.turn)
        print_report(crawls, chosen.json)


if __name__ == "__main__":
    main()
