"""`python -m bench.cluster`: see bench/cluster/__init__.py."""

import argparse
import logging
from statistics import median

import ray

from bench.cluster import actors, crawl, exchange


def main() -> None:
    parser = argparse.ArgumentParser(description="What a cluster costs, and what it gains.")
    parser.add_argument("what", nargs="*", help="exchange, crawl; both unless one is named")
    parser.add_argument("--pages", type=int, default=12_000)
    parser.add_argument("--rounds", type=int, default=3)
    chosen = parser.parse_args()
    what = chosen.what or ["exchange", "crawl"]
    page_ms, speed, right = 5.0, 200.0, True
    with crawl.ray_cluster() as cluster:
        if "crawl" in what:
            found = actors.measure(chosen.pages, chosen.rounds, cluster)
            right = actors.report(found, chosen.pages)
            page_ms = median(rate.cpu["actors"] for rate in found[actors.ONE])
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
