"""Exports: rows or pages a second of CPU time, and the most memory that each takes.

    python -m bench.export [DIR]

Of a crawl in DIR, or of 6,000 pages of the synthetic web. Every export is a process of its own, so
that its memory is its own; the first line is one of an empty log, which is what Python, the
libraries and the gazetteer take. The last lines are logs of many visits with three addresses each,
an eighth of them met for the first time: memory is to stay where it is while the log grows.
"""

import random
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from msgspec.structs import replace

from toponaut.crawl.directory import LOG
from toponaut.crawl.start import start
from toponaut.export.run import FORMATS, ExportRequest, export
from toponaut.export.selection import ExportFilter
from toponaut.job import Job, LimitsSection, PolitenessSection, TargetsSection, render
from toponaut.log import LogWriter
from toponaut.records import Address, Outcome, Precision, Visit

PAGES = 6_000
MANY = (50_000, 200_000)
_JOB = Job(
    targets=TargetsSection(presets=("us-top-100",)),
    politeness=PolitenessSection(delay=0.0),
    limits=LimitsSection(pages=PAGES),
)


def visit(sequence: int, rng: random.Random) -> Visit:
    """A page of a directory of shops."""
    addresses = tuple(_address(rng.randrange(MANY[-1] * 3 // 8), rng) for _ in range(3))
    url = f"https://www.town{sequence % 500}.example.org/shops/{sequence}.html"
    return Visit(
        sequence,
        LOG,
        url,
        200,
        Outcome.FETCHED,
        time=1.8e9 + sequence,
        addresses=addresses,
        relevant=True,
    )


def _address(number: int, rng: random.Random) -> Address:
    return Address(
        f"{number} Main Street\nSpringfield, IL 62701", 0, 40, str(number), "Main Street",
        city="Springfield", state="IL",
        postcode="62701", country="US", normal=f"{number} main street, 62701, us",
        organisation=f"Shop {number}",
        phone="(217) 555-0100", lat=39.8, lon=-89.6, precision=Precision.POSTCODE, place=4_250_542,
        evidence=("text", "address"), confidence=round(rng.random(), 2),
    )  # fmt: skip


def made_up(root: Path, visits: int) -> Path:
    """A crawl's directory with just a log."""
    root.mkdir(parents=True)
    job = replace(_JOB, seeds=("https://www.example.org/",))
    (root / "job.toml").write_text(render(job), encoding="utf-8")
    rng = random.Random(0)
    with LogWriter(root / "log", LOG) as log:
        for sequence in range(visits):
            log.append(visit(sequence, rng))
            if sequence % 20_000 == 19_999:
                log.seal()
        log.seal()
    return root


def crawled(root: Path) -> Path:
    """A crawl of the synthetic web, its log sealed."""
    start(render(_JOB), "bench", root, synthetic=1)
    with LogWriter(root / "log", LOG) as log:
        log.seal()
    return root


def measured(root: Path, form: str, everything: bool = False) -> None:
    """One export in its own process, with its figures."""
    line = [sys.executable, "-m", "bench.export", str(root), form, "all" if everything else ""]
    print(
        subprocess.run(line, check=True, stdout=subprocess.PIPE, text=True).stdout,
        end="",
        flush=True,
    )


def one(root: Path, form: str, everything: bool) -> None:
    with tempfile.TemporaryDirectory() as folder:
        begun = time.process_time()
        asked = ExportRequest(
            form, Path(folder) / "out", filters=ExportFilter(relevant=False if everything else None)
        )
        done = export([root], asked)
        seconds = time.process_time() - begun
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1000
    what = f"{form}{' --all' if everything else ''}"
    per_row = f"{done.rows / seconds:>9,.0f}/s" if done.rows else " " * 11
    print(
        f"{what:<12} {done.visits:>9,} visits {done.visits / seconds:>8,.0f}/s {done.rows:>9,} "
        f"rows {per_row} "
        f"{done.bytes / 1e6:>7.1f} MB {seconds:>6.2f} s {memory:>6.0f} MB of memory"
    )


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        here = Path(folder)
        measured(made_up(here / "empty", 0), "csv")
        root = Path(sys.argv[1]) if len(sys.argv) > 1 else crawled(here / "crawl")
        for form in FORMATS:
            measured(root, form)
        for form in ("warc", "wacz"):
            measured(root, form, everything=True)
        for visits in MANY:
            many = made_up(here / str(visits), visits)
            measured(many, "csv")
            measured(many, "geoparquet")


if __name__ == "__main__":
    if len(sys.argv) == 4:
        one(Path(sys.argv[1]), sys.argv[2], bool(sys.argv[3]))
    else:
        main()
