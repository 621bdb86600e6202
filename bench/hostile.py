"""Good hosts among hostile ones: their pages per second with and without the tricks, side by side.

    python -m bench.hostile --seconds 60

Both crawls run at the same time, so that a busy machine slows both. The third one is interrupted.
"""

import argparse
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from rich.console import Console
from rich.table import Table
from tests.support.hostile_web import CrawlFigures, HostileWeb

PAGES = 2000  # on each good host: more than a crawl can fetch in its time
DELAY = 1.0  # the default of a job


def crawls(seconds: int) -> tuple[CrawlFigures, CrawlFigures]:
    """A crawl of the good hosts alone, and one of all."""
    with (
        tempfile.TemporaryDirectory() as folder,
        HostileWeb(pages=PAGES, tricks=False) as good,
        HostileWeb(pages=PAGES) as hostile,
        ThreadPoolExecutor() as threads,
    ):
        alone = threads.submit(good.crawl, Path(folder) / "alone", seconds, delay=DELAY)
        among = threads.submit(hostile.crawl, Path(folder) / "among", seconds, delay=DELAY)
        return alone.result(), among.result()


def interrupted() -> CrawlFigures:
    """A crawl that one Ctrl-C ends when it has 100 good pages."""
    with tempfile.TemporaryDirectory() as folder, HostileWeb(pages=PAGES) as hostile:
        return hostile.crawl(Path(folder) / "c", 600, delay=DELAY, interrupt_at_good=100)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seconds", type=int, default=60)
    seconds = parser.parse_args().seconds
    alone, among = crawls(seconds)
    stopped = interrupted()
    rows = Table("crawl", "good pages", "other pages", "good pages a s", "stop took, s", "peak MB")
    rows.title = f"8 good hosts, one page a second each; limits.seconds = {seconds}"
    for name, one in (("alone", alone), ("all tricks", among), ("Ctrl-C", stopped)):
        pace = f"{one.good / one.seconds:.1f}"
        cells = (f"{one.good}", f"{one.other}", pace, f"{one.stopped_in:.1f}")
        rows.add_row(name, *cells, f"{one.megabytes:.0f}")
    console = Console()
    console.print(rows)
    share = among.good / alone.good
    console.print(f"good hosts keep {share:.0%} of their pages")
    most = sorted(among.requests.items(), key=lambda one: -one[1])[:8]
    console.print("requests by kind: " + ", ".join(f"{kind} {count}" for kind, count in most))


if __name__ == "__main__":
    main()
