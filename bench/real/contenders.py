"""The crawlers that bench.real compares, each with the command that crawls from some seeds."""

import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

BARE = "bare-loop"

_JOB = """
seeds = [{seeds}]
[targets]
presets = ["us-top-100"]
[ordering]
strategy = "{ordering}"
[politeness]
delay = 0
concurrent = 64
per_ip = 0
retries = 0
[limits]
depth = 0
pages_per_host = 0
private_networks = true
[storage]
warc = true
"""


@dataclass(frozen=True)
class RealContender:
    """A crawler by name."""

    name: str
    command: Callable[[list[str], Path], list[str]]  # of seeds and an empty folder


def toponaut(seeds: list[str], folder: Path, ordering: str) -> list[str]:
    """The whole pipeline in one process."""
    job = folder / "job.toml"
    job.write_text(_JOB.format(seeds=", ".join(f'"{seed}"' for seed in seeds), ordering=ordering))
    crawl = ["crawl", str(job), str(folder / "crawl"), "--quiet", "--workers", "0"]
    return [sys.executable, "-m", "toponaut", *crawl]


def _rival(name: str) -> RealContender:
    start = [sys.executable, "-m", "bench.crawl.rivals", name]
    return RealContender(name, lambda seeds, _folder: [*start, *seeds])


def _ours(ordering: str) -> RealContender:
    return RealContender(
        f"toponaut, {ordering}", lambda seeds, folder: toponaut(seeds, folder, ordering)
    )


CONTENDERS = (
    _ours("breadth-first"),
    _ours("combined"),
    _rival("scrapy"),
    _rival("scrapy-selectolax"),
    _rival("crawlee"),
    _rival(BARE),
)
