"""`python -m bench.cluster`: see bench/cluster/__init__.py."""

import argparse
import logging
import tempfile
from pathlib import Path
from statistics import median
from typing import Any

import ray

from bench.cluster import crawl, exchange
from bench.cluster.crawl import Rate

_RATIO = 1.6


def crawls(pages: int, rounds: int, cluster: Any) -> tuple[dict[str, list[Rate]], bool]:
    """One process, one actor, two actors, in turn."""
    found: dict[str, list[Rate]] = {"one process": [], "one actor": [], "two actors": []}
    build = Path("build/bench-cluster")
    build.mkdir(parents=True, exist_ok=True)
    web = crawl.written(build, pages)
    for _ in range(rounds):
        for name in found:
            with tempfile.TemporaryDirectory() as folder:
                if name == "one process":
                    found[name].append(crawl.one_process(Path(folder), web, pages))
                else:
                    shards = 1 if name == "one actor" else 2
                    found[name].append(crawl.on_cluster(Path(folder), web, pages, shards, cluster))
    print(f"\n{pages} pages with 60 links, replayed, the median of {rounds} crawls; CPU in ms a page")
    for name, rates in found.items():
        spent = {who: median(one.cpu[who] for one in rates) for who in rates[0].cpu}
        told = ", ".join(f"{who} {ms:.2f}" for who, ms in spent.items() if ms >= 0.005)
        print(f"  {name:12}{median(one.pages for one in rates):7.0f} pages a second; CPU {told}")
    one, two = found["one actor"], found["two actors"]
    ratio = median(one.pages for one in two) / median(one.pages for one in one)
    alone, both = median(rate.cpu["actors"] for rate in one), median(rate.cpu["actors"] for rate in two)
    print(f"  two actors against one: {ratio:.2f} times the pages a second (at least {_RATIO}); ", end="")
    print(f"by CPU alone {2 * alone / both:.2f} times, on two cores that do nothing else")
    return found, ratio >= _RATIO


def main() -> None:
    parser = argparse.ArgumentParser(description="What a cluster costs, and what it gains.")
    parser.add_argument("what", nargs="*", help="exchange, crawl; both unless one is named")
    parser.add_argument("--pages", type=int, default=3000)
    parser.add_argument("--rounds", type=int, default=3)
    chosen = parser.parse_args()
    what = chosen.what or ["exchange", "crawl"]
    page_ms, speed, right = 5.0, 200.0, True
    with crawl.ray_cluster() as cluster:
        if "crawl" in what:
            found, right = crawls(chosen.pages, chosen.rounds, cluster)
            page_ms = median(rate.cpu["actors"] for rate in found["one actor"])
            speed = 1000 / page_ms
        if "exchange" in what:
            ray.init(address=cluster.address, log_to_driver=False, logging_level=logging.ERROR)
            try:
                right = exchange.report(exchange.measure(), page_ms, speed) and right
            finally:
                ray.shutdown()
    raise SystemExit(0 if right else 1)


if __name__ == "__main__":
    main()
