"""The frontier with 10 million URLs, compared with a toy of heapq and set.

    python -m bench.frontier [--urls 1000000]

Goals on one core: 10 million URLs (70 characters, 100,000 hosts with a long tail) in under 1 GB of
memory, 50,000 puts a second in batches of 60 of which half are known, 20,000 next a second (with
release). Speeds are in CPU time. *anonymous* memory is the process's own; *mapped* memory belongs
to our files, and the system may drop it at any time.
"""

import argparse
import heapq
import random
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

from toponaut.frontier import Frontier
from toponaut.records import QueuedLink
from toponaut.urls import fingerprint, host_of

HOSTS = 100_000
BATCH = 60
BULK = 50_000
TOY_URLS = 300_000
DELAY = 1.0


class Toy:
    """The frontier's semantics in memory: a heap per host, and one heap over the hosts."""

    def __init__(self) -> None:
        self._seen: set[int] = set()
        self._queues: dict[str, list[tuple[float, int, QueuedLink]]] = {}
        self._ready: list[tuple[float, int, str]] = []
        self._resting: list[tuple[float, str]] = []
        self._busy: set[str] = set()

    def put(self, entries: Sequence[QueuedLink]) -> int:
        new = 0
        for entry in entries:
            tie = fingerprint(entry.url)
            if tie not in self._seen:
                self._seen.add(tie)
                new += 1
                host = host_of(entry.url)
                queue = self._queues.setdefault(host, [])
                heapq.heappush(queue, (-entry.promise, tie, entry))
                if queue[0][1] == tie and host not in self._busy:
                    heapq.heappush(self._ready, (-entry.promise, tie, host))
        return new

    def next(self, now: float) -> QueuedLink | None:
        while self._resting and self._resting[0][0] <= now:
            host = heapq.heappop(self._resting)[1]
            self._busy.discard(host)
            if queue := self._queues[host]:
                heapq.heappush(self._ready, (*queue[0][:2], host))
        while self._ready:
            _, tie, host = heapq.heappop(self._ready)
            if host not in self._busy and (queue := self._queues[host]) and queue[0][1] == tie:
                self._busy.add(host)
                return heapq.heappop(queue)[2]
        return None

    def release(self, host: str, at: float) -> None:
        heapq.heappush(self._resting, (at, host))


def hosts(chance: random.Random) -> list[int]:
    """Hosts with popularity 1/rank: a few have most of the URLs, most have about ten."""
    return chance.choices(range(HOSTS), cum_weights=_WEIGHTS, k=BULK)


_WEIGHTS = [0.0] * HOSTS
for _rank in range(HOSTS):
    _WEIGHTS[_rank] = (_WEIGHTS[_rank - 1] if _rank else 0.0) + 1 / (_rank + 10)


def entry(host: int, number: int, chance: random.Random) -> QueuedLink:
    return QueuedLink(
        f"https://www.some-host-{host:06}.example.org/a/section/of-it/page-{number:010}.html",
        chance.random(),
        depth=number % 5,
        hops=number % 9,
        found_by=number // 30,
    )


def bulks(count: int, chance: random.Random, first: int = 0) -> Iterator[list[QueuedLink]]:
    for start in range(first, first + count, BULK):
        drawn = hosts(chance)[: first + count - start]
        yield [entry(host, start + index, chance) for index, host in enumerate(drawn)]


def pages(count: int, chance: random.Random, first: int) -> list[list[QueuedLink]]:
    """Realistic batches: half of the links are known, two thirds of the new ones on one host."""
    batches: list[list[QueuedLink]] = []
    many = hosts(chance)
    for page in range(count):
        drawn = chance.choices(many, k=10)
        start = first + page * BATCH // 2
        home = drawn[0]
        new = [
            entry(home if index % 3 else drawn[index // 3], start + index, chance)
            for index in range(BATCH // 2)
        ]
        old = batches[chance.randrange(len(batches))] if batches else []
        batches.append(new + old[: BATCH // 2])
    return batches


def memory() -> dict[str, float]:
    """Memory of this process in MB: anonymous, mapped from files, and the peak sum."""
    lines = dict(line.split(":", 1) for line in Path("/proc/self/status").read_text().splitlines())
    read = {
        name: int(lines[key].split()[0]) / 1024
        for name, key in (("anonymous", "RssAnon"), ("mapped", "RssFile"))
    }
    return read | {"peak": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024}


def drain(frontier: Frontier | Toy, count: int) -> tuple[float, int]:
    """CPU seconds for `count` next and release with hosts that rest 1 s, and how many succeeded."""
    now, done, start = 1.0, 0, time.process_time()
    for _ in range(count):
        found = frontier.next(now)
        if found is None:
            now += 0.1
            continue
        done += 1
        now += 0.0001  # 10,000 pages/s: both heaps of hosts are long
        frontier.release(host_of(found.url), now + DELAY)
    return time.process_time() - start, done


def crawl(frontier: Frontier | Toy, count: int, known: int) -> tuple[float, float]:
    """Puts and nexts per second at the frontier's current size."""
    batches = pages(count, random.Random(2), known)
    start = time.process_time()
    for batch in batches:
        frontier.put(batch)
    puts = count * BATCH / (time.process_time() - start)
    seconds, done = drain(frontier, count * BATCH // 4)
    return puts, done / seconds


def toy(count: int) -> None:
    """Runs in its own process, because its memory is measured."""
    before = memory()["anonymous"]
    small, chance = Toy(), random.Random(1)
    for bulk in bulks(count, chance):
        small.put(bulk)
    used = (memory()["anonymous"] - before) * 1024 * 1024 / count
    puts, nexts = crawl(small, 1_000, count)
    print(
        f"heapq and set, {count:,} URLs: {puts:,.0f} puts/s, {nexts:,.0f} next/s, {used:.0f} "
        f"bytes a URL, all anonymous"
    )


def main() -> None:
    """Prints the figures."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--urls", type=int, default=10_000_000)
    parser.add_argument("--toy", type=int, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.toy:
        return toy(options.toy)
    with tempfile.TemporaryDirectory(prefix="frontier-") as directory:
        measure(Path(directory), options.urls)
    sys.stdout.flush()
    subprocess.run(
        [sys.executable, "-m", "bench.frontier", "--toy", str(min(TOY_URLS, options.urls))],
        check=True,
    )
    return None


def measure(directory: Path, count: int) -> None:
    frontier, chance = Frontier(directory, 1), random.Random(1)
    start = memory()
    print(
        f"frontier: {count:,} URLs, {HOSTS:,} hosts (before: {start['anonymous']:.0f} MB of memory)"
    )
    size, seconds, slowest = 0, 0.0, 0.0
    for bulk in bulks(count, chance):
        began = time.process_time()
        frontier.put(bulk)
        took = time.process_time() - began
        seconds, slowest, size = seconds + took, max(slowest, took), size + len(bulk)
        if size in (100_000, 1_000_000, count):
            now = memory()
            print(
                f"  at {size:>10,}: anonymous {now['anonymous']:4.0f} MB, mapped "
                f"{now['mapped']:4.0f} MB"
            )
    print(
        f"  bulk load (replay)   {count / seconds:>9,.0f} puts/s   (the slowest {BULK:,}: "
        f"{slowest:.1f} s)"
    )
    puts, nexts = crawl(frontier, 4_000, count)
    print(f"  batches of {BATCH}        {puts:>9,.0f} puts/s   (at least 50,000)")
    print(
        f"  next and release     {nexts:>9,.0f} /s        (at least 20,000; the first ones put "
        f"the load in order)"
    )
    taken, done = drain(frontier, 60_000)
    print(f"  next and release     {done / taken:>9,.0f} /s        (further ones)")
    began = time.process_time()
    urls = [
        f"https://www.some-host-{number:06}.example.org/a/section/of-it/page-{number:010}.html"
        for number in range(60)
    ]
    for _ in range(1_000):
        frontier.new(urls)
    print(f"  new, a page of 60    {(time.process_time() - began) * 1000:>9,.1f} us")
    report(frontier, directory)
    began, at = time.process_time(), time.perf_counter()
    frontier.close(b"end")
    print(
        f"  close                {time.perf_counter() - at:>9.2f} s, "
        f"{time.process_time() - began:.2f} of CPU"
    )
    del frontier
    began = time.perf_counter()
    again = Frontier(directory, 1)
    print(f"  open                 {time.perf_counter() - began:>9.2f} s, {len(again):,} wait")


def report(frontier: Frontier, directory: Path) -> None:
    now, parts, waiting = memory(), frontier.memory(), len(frontier)
    disk = sum(path.stat().st_blocks * 512 for path in directory.iterdir())
    resident = (now["anonymous"] + now["mapped"]) * 1024 * 1024
    print(
        f"  memory at the end: anonymous {now['anonymous']:.0f} MB, mapped {now['mapped']:.0f} "
        f"MB, peak {now['peak']:.0f} MB"
    )
    print(
        f"  a waiting URL: {resident / waiting:.0f} bytes of memory, {disk / waiting:.0f} bytes "
        f"of disk"
    )
    print(
        f"  a host: {parts['hosts'] / frontier.hosts:.0f} bytes ({frontier.hosts:,} hosts), in "
        f"files"
    )
    print("  files: " + ", ".join(f"{name} {size / 2**20:,.0f} MB" for name, size in parts.items()))


if __name__ == "__main__":
    main()
