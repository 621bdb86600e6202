"""Who is measured: a name, what it does with a page, and the command that crawls from some "
"seeds."""

import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from toponaut.job import (
    Job,
    LimitsSection,
    OrderingSection,
    PolitenessSection,
    StorageSection,
    TargetsSection,
    render,
)

OURS, POOL = "toponaut", "toponaut-pool"


@dataclass(frozen=True)
class Contender:
    name: str
    does: str
    command: Callable[
        [list[str], int, Path], list[str]
    ]  # seeds, pages there are, a folder of its own
    one_core: bool = True  # it runs on one core, the server on another


def job(seeds: list[str], pages: int, ordering: str = "breadth-first") -> Job:
    """The whole pipeline, as polite as no delay allows."""
    return Job(
        seeds=tuple(seeds),
        targets=TargetsSection(presets=("us-top-100",)),
        ordering=OrderingSection(strategy=ordering),
        politeness=PolitenessSection(delay=0, concurrent=64),
        # One page of the site is called /feed/: the others fetch it, too.
        limits=LimitsSection(
            pages=pages, depth=0, pages_per_host=0, private_networks=True, actions=True
        ),
        storage=StorageSection(warc=True),
    )


def toponaut(workers: int | None, job: Job, folder: Path) -> list[str]:
    """`workers`: None for its default."""
    file = folder / "job.toml"
    file.write_text(render(job))
    crawl = ["crawl", str(file), str(folder / "crawl"), "--quiet"]
    return [
        sys.executable,
        "-m",
        "toponaut",
        *crawl,
        *(() if workers is None else ("--workers", str(workers))),
    ]


def _rival(name: str) -> Callable[[list[str], int, Path], list[str]]:
    return lambda seeds, _pages, _folder: [sys.executable, "-m", "bench.crawl.rivals", name, *seeds]


_ALL = "robots, links, place names, addresses, scope, frontier on disk, log, WARC"
CONTENDERS = (
    Contender(OURS, _ALL, lambda seeds, pages, folder: toponaut(0, job(seeds, pages), folder)),
    Contender(
        POOL,
        f"{_ALL}; on all cores",
        lambda seeds, pages, folder: toponaut(None, job(seeds, pages), folder),
        one_core=False,
    ),
    Contender("scrapy", "robots, links (LinkExtractor), title", _rival("scrapy")),
    Contender(
        "scrapy-selectolax", "robots, links (selectolax), title", _rival("scrapy-selectolax")
    ),
    Contender(
        "scrapy-stripped",
        "robots, links (selectolax), title; no retries, redirects, limits",
        _rival("scrapy-stripped"),
    ),
    Contender("crawlee", "robots, links (parsel), title", _rival("crawlee")),
    Contender("bare-loop", "links (selectolax)", _rival("bare-loop")),
)
