"""What it costs to measure a crawl: time and memory for a synthetic log.

    python -m bench.measures [visits ...]

Pages of 2,000 hosts in six nodes, each with 20 links not met before (three of them lead to pages of
the crawl) and 40 met before (half of them do, several to the same page), so 13 links a page stay in
the graph; one page in ten has an address, one visit in twenty is a redirect. The log is written and
sealed as a crawl does it, with short texts: the measures do not read them. Every size runs in a
process of its own, for the peak of memory. "for 1 million" is the CPU time scaled by the visits:
the machine may be busy.
"""

import random
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from toponaut.compare.measuring import measure_directory
from toponaut.crawl.directory import LOG
from toponaut.job import Job, NodesSection, TargetsSection, render
from toponaut.job.targets import us_top_100
from toponaut.log import LogWriter
from toponaut.places.gazetteer.cache import open_gazetteer
from toponaut.records import Address, Outcome, ScoredLink, Visit
from toponaut.urls import fingerprint

SIZES = (50_000, 100_000, 200_000)
HOSTS = 2000
SYNCED_AFTER, SEALED_AFTER = 1000, 20_000
NODES = ("Cn1", "Cn2", "Cn3", "Cn4", "Cn5", "general1")
JOB = Job(
    seeds=("https://town0.example.org/0",),
    partition="timezone",
    targets=TargetsSection(presets=("us-top-100",)),
    nodes=NodesSection(general=1),
)


def url(number: int) -> str:
    return (
        f"https://www.town{number % HOSTS}.example.org/local/some-words-of-a-headline-{number}.html"
    )


def visits(many: int) -> Iterator[Visit]:
    """A crawl without its texts."""
    rng = random.Random(1)
    cities = [place.id for place in us_top_100(open_gazetteer())]
    yield Visit(0, NODES[0], "", 0, Outcome.SEEDED, links=(ScoredLink(url(1), 1.0, (NODES[0],)),))
    for number in range(1, many):
        city, redirect = rng.choice(cities), rng.random() < 0.05
        near = [number + HOSTS * rng.randrange(-8, 8) for _ in range(20)]
        new = [url(rng.randrange(1, many)) for _ in range(3)] + [
            f"{url(number)}/{n}" for n in range(17)
        ]
        has = rng.random() < 0.1
        address = Address(
            "", -1, -1, normal=f"{rng.randrange(9999)} main st {city}", place=city, confidence=0.9
        )
        yield Visit(
            number,
            NODES[rng.randrange(6)],
            url(number),
            301 if redirect else 200,
            Outcome.REDIRECT if redirect else Outcome.FETCHED,
            time=1.8e9 + number,
            size=20_000,
            promise=rng.random(),
            hops=1 + number // 50_000,
            found_by=max(0, number - rng.randrange(1, 5000)),
            text="",
            sent=12,
            messages=4,
            message_bytes=900,
            addresses=(address,) if has and not redirect else (),
            relevant=has and not redirect,
            scope=((city, 0.7), (rng.choice(cities), 0.3)) if rng.random() < 0.5 else (),
            links=tuple(
                ScoredLink(one, 0.5, (NODES[0],), anchor="more")
                for one in (new[:1] if redirect else new)
            ),
            known=()
            if redirect
            else tuple(fingerprint(url(one)) for one in near)
            + tuple(rng.getrandbits(64) for _ in range(20)),
        )


def write(root: Path, many: int) -> None:
    """A crawl's directory with that log."""
    (root / "job.toml").write_text(render(JOB), encoding="utf-8")
    with LogWriter(root / "log", LOG) as log:
        for visit in visits(many):
            log.append(visit)
            if visit.sequence % SYNCED_AFTER == 0:
                log.sync()
            if visit.sequence % SEALED_AFTER == SEALED_AFTER - 1:
                log.seal()
        log.seal()


def measured(root: Path) -> None:
    """One line of the table."""
    start, cpu = time.perf_counter(), time.process_time()
    found = measure_directory(root)
    seconds, cpu = time.perf_counter() - start, time.process_time() - cpu
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    per = 1e6 / found.visits
    print(
        f"{found.visits:>10,} {found.links:>12,} {seconds:8.1f} {cpu:8.1f} {peak:8,.0f} "
        f"{cpu * per:10.1f} s"
        f"   (geo-centrality {found.whole.geo_centrality:.4f})"
    )


def main() -> None:
    sizes = [int(size) for size in sys.argv[1:]] or SIZES
    print(
        f"{'visits':>10} {'links':>12} {'seconds':>8} {'CPU s':>8} {'peak MB':>8} "
        f"{'for 1 million':>12}",
        flush=True,
    )
    for many in sizes:
        with tempfile.TemporaryDirectory() as folder:
            write(Path(folder), many)
            line = (
                "import sys; from pathlib import Path; from bench.measures import measured; "
                "measured(Path(sys.argv[1]))"
            )
            subprocess.run([sys.executable, "-c", line, folder], check=True)


if __name__ == "__main__":
    main()
