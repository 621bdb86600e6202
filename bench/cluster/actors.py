"""Two actors against one: crawls in turn, and what they came to."""

import tempfile
from pathlib import Path
from statistics import median
from typing import Any

from bench.cluster import crawl
from bench.cluster.crawl import Rate

RATIO = 1.6  # times the pages a second of one actor, at least
QUIET = 0.05  # of the machine that strangers may use
ONE, TWO, ALONE, APART = "one actor", "two actors", "one process", "two processes"
Found = dict[str, list[Rate]]


def measure(pages: int, rounds: int, cluster: Any) -> Found:
    """One actor and two, again and again; between them one process, and two that have nothing to do
    with each other.
    """
    build = Path("build/bench-cluster")
    build.mkdir(parents=True, exist_ok=True)
    web = crawl.written(build, pages)
    found: Found = {ALONE: [], APART: [], ONE: [], TWO: []}
    for _ in range(rounds):
        for name, rates in found.items():
            with tempfile.TemporaryDirectory() as folder:
                count = 1 if name in (ALONE, ONE) else 2
                if name in (ALONE, APART):
                    rates.append(crawl.processes(Path(folder), web, pages, count))
                else:
                    rates.append(crawl.on_cluster(Path(folder), web, pages, count, cluster))
    return found


def report(found: Found, pages: int) -> bool:
    """Prints it; whether two actors are fast enough."""
    rounds = len(found[ONE])
    print(
        f"\n{pages} pages with 60 links, replayed; the middle of crawls, the median of {rounds} "
        "each"
    )
    print(f"  {'':14}{'pages/s':>8}   {'CPU, ms a page':56}a core's share of each actor; strangers")
    for name, rates in found.items():
        spent = {who: median(one.cpu[who] for one in rates) for who in rates[0].cpu}
        reported = ", ".join(f"{who} {ms:.2f}" for who, ms in spent.items() if ms >= 0.005)
        busy = " ".join(f"{share:.0%}" for one in rates for share in one.busy)
        strange = " ".join(f"{one.strangers:.0%}" for one in rates)
        print(
            f"  {name:14}{median(one.pages for one in rates):8.0f}   {reported:56}{busy}; {strange}"
        )
    ratios = ratio(found[TWO], found[ONE])
    print(
        f"  two actors against one: {_spread(ratios)} times the pages a second (at least {RATIO})"
    )
    print(
        "  two processes against one, which is what the machine gives: "
        f"{_spread(ratio(found[APART], found[ALONE]))}"
    )
    alone, both = (median(rate.cpu["actors"] for rate in found[name]) for name in (ONE, TWO))
    print(
        f"  by the actors' CPU alone, on two cores that do nothing else: {2 * alone / both:.2f} "
        "times"
    )
    if any(one.strangers > QUIET for rates in found.values() for one in rates):
        print(
            f"  The machine was not quiet: strangers used more than {QUIET:.0%} of it. These "
            "figures are not to be relied on."
        )
    return median(ratios) >= RATIO


def ratio(some: list[Rate], others: list[Rate]) -> list[float]:
    """By rounds: what disturbs a machine for long disturbs both."""
    return [one.pages / other.pages for one, other in zip(some, others, strict=True)]


def _spread(ratios: list[float]) -> str:
    return f"{median(ratios):.2f} (from {min(ratios):.2f} to {max(ratios):.2f})"
