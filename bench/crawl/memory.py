"""Memory of a crawl while its queue grows: far more links are found than pages fetched.

    python -m bench.crawl.memory [--queued 1000000] [--links 200] [--port 8766]

A crawl of the endless web (endless.py) is watched from outside: anonymous memory, which the machine
must have, and
memory mapped from files (the gazetteer, the frontier's disk), which the kernel takes back when it
needs it. Flat
means: anonymous memory grows by less than a tenth after the first 100,000 queued URLs.
"""

import argparse
import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple
from urllib.request import urlopen

from rich.console import Console
from rich.table import Table

from bench.crawl.contenders import job
from bench.crawl.measure import descendants, memory
from bench.crawl.site import address
from toponaut.job import render

MARKS = (
    10_000,
    30_000,
    100_000,
    200_000,
    300_000,
    500_000,
    1_000_000,
    2_000_000,
    3_000_000,
    5_000_000,
    10_000_000,
)
FLAT_FROM, FLAT = 100_000, 1.1


class Sample(NamedTuple):
    queued: int
    pages: int
    anonymous: int  # bytes
    mapped: int


@contextmanager
def endless_web(port: int, links: int) -> Iterator[str]:
    """The web's server, and the address of a first page."""
    process = subprocess.Popen([sys.executable, "-m", "bench.crawl.endless", str(port), str(links)])
    url = f"http://{address(0)}:{port}/"
    try:
        for _ in range(200):
            try:
                with urlopen(url, timeout=1):
                    break
            except OSError:
                time.sleep(0.1)
        yield url
    finally:
        process.terminate()
        process.wait()


def samples(url: str, pages: int, folder: Path) -> Iterator[Sample]:
    """A crawl of this many pages, measured whenever it reports."""
    file = folder / "job.toml"
    file.write_text(render(job([url], pages)))
    command = [
        sys.executable,
        "-m",
        "toponaut",
        "crawl",
        str(file),
        str(folder / "crawl"),
        "--workers",
        "0",
        "--json",
    ]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout
        for line in process.stdout:
            report = json.loads(line)
            states = [memory(pid) for pid in (process.pid, *descendants(process.pid))]
            anonymous = sum(state.get("Anonymous", 0) for state in states)
            resident = sum(state.get("Rss", 0) for state in states)
            if (
                anonymous and "queued" in report
            ):  # the last line comes when the memory is given back
                yield Sample(report["queued"], report["pages"], anonymous, resident - anonymous)
    if process.returncode:
        raise SystemExit(f"toponaut crawl ended with exit code {process.returncode}")


def at_marks(taken: list[Sample]) -> list[Sample]:
    """The first sample at or above each mark, and the last one."""
    found = [next((one for one in taken if one.queued >= mark), None) for mark in MARKS]
    return sorted({one for one in (*found, taken[-1]) if one})


def options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m bench.crawl.memory", description="Memory against queued URLs."
    )
    parser.add_argument("--queued", type=int, default=1_000_000)
    parser.add_argument(
        "--links", type=int, default=200, help="on a page, each to a URL not seen before"
    )
    parser.add_argument("--port", type=int, default=8766)
    return parser.parse_args()


def main() -> None:
    chosen = options()
    pages = chosen.queued // (chosen.links - 1) + 20
    with endless_web(chosen.port, chosen.links) as url, tempfile.TemporaryDirectory() as folder:
        taken = list(samples(url, pages, Path(folder)))
    rows = Table(
        "queued URLs",
        "pages",
        "anonymous MB",
        "mapped files MB",
        title="Memory of a crawl while its queue grows",
    )
    for one in at_marks(taken):
        rows.add_row(
            f"{one.queued:,}",
            f"{one.pages:,}",
            f"{one.anonymous / 1e6:.0f}",
            f"{one.mapped / 1e6:.0f}",
        )
    Console().print(rows)
    later = [one for one in taken if one.queued >= FLAT_FROM]
    if len(later) > 1:
        first, last = later[0], later[-1]
        grown = last.anonymous / first.anonymous
        added = max(1, last.queued - first.queued)
        each = (last.anonymous - first.anonymous) / added
        verdict = "flat" if grown <= FLAT else f"not flat: more than {FLAT}"
        print(
            f"From {first.queued:,} to {last.queued:,} queued: x {grown:.2f}, {each:.0f} bytes a "
            f"URL ({verdict})."
        )


if __name__ == "__main__":
    main()
