"""Good hosts among hostile ones: their pages per second with and without the tricks, by turns.

    python -m bench.hostile --seconds 60 --rounds 2

A round is a crawl of the good hosts alone and one of all, one after the other; the rounds even out
what else the machine does. A last crawl is interrupted.
"""

import argparse
import tempfile
from pathlib import Path

from rich.console import Console
from rich.table import Table
from tests.support.hostile_web import CrawlFigures, HostileWeb

PAGES = 2000  # on each good host: more than a crawl can fetch in its time
DELAY = 1.0  # the default of a job


def crawls(seconds: int, rounds: int = 1) -> tuple[list[CrawlFigures], list[CrawlFigures]]:
    """Crawls of the good hosts alone, and of all, by turns."""
    alone: list[CrawlFigures] = []
    among: list[CrawlFigures] = []
    for number in range(rounds):
        for found, tricks in ((alone, False), (among, True))[:: -1 if number % 2 else 1]:
            with (
                tempfile.TemporaryDirectory() as folder,
                HostileWeb(pages=PAGES, tricks=tricks) as web,
            ):
                found.append(web.crawl(Path(folder) / "c", seconds, delay=DELAY))
    return alone, among


def pace(crawls: list[CrawlFigures]) -> float:
    """Good pages a second, until the crawls were told to stop."""
    return sum(one.good for one in crawls) / sum(one.seconds - one.stopped_in for one in crawls)


def interrupted() -> CrawlFigures:
    """A crawl that one Ctrl-C ends when it has 100 good pages."""
    with tempfile.TemporaryDirectory() as folder, HostileWeb(pages=PAGES) as hostile:
        return hostile.crawl(Path(folder) / "c", 600, delay=DELAY, interrupt_at_good=100)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seconds", type=int, default=60)
    parser.add_argument("--rounds", type=int, default=2)
    chosen = parser.parse_args()
    alone, among = crawls(chosen.seconds, chosen.rounds)
    stopped = interrupted()
    rows = Table("crawl", "good pages", "other pages", "good pages a s", "stop took, s", "peak MB")
    rows.title = f"8 good hosts, one page a second each; limits.seconds = {chosen.seconds}"
    named = [("alone", one) for one in alone] + [("all tricks", one) for one in among]
    for name, one in (*named, ("Ctrl-C", stopped)):
        cells = (f"{one.good}", f"{one.other}", f"{pace([one]):.2f}", f"{one.stopped_in:.1f}")
        rows.add_row(name, *cells, f"{one.megabytes:.0f}")
    console = Console()
    console.print(rows)
    console.print(f"good hosts keep {pace(among) / pace(alone):.0%} of their pages a second")
    most = sorted(among[-1].requests.items(), key=lambda one: -one[1])[:8]
    console.print("requests by kind: " + ", ".join(f"{kind} {count}" for kind, count in most))


if __name__ == "__main__":
    main()
