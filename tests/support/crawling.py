"""Helpers of the crawl tests: a job, a crawl of the test web, and its log."""

import gc
import os
import subprocess
import sys
from collections.abc import Iterable, Sequence
from contextlib import redirect_stderr, redirect_stdout
from io import BytesIO, TextIOWrapper
from pathlib import Path

import pytest

from toponaut.cli import main
from toponaut.crawl.process import collecting_afterwards
from toponaut.crawl.run import CrawlEnd
from toponaut.crawl.start import start
from toponaut.job import (
    Job,
    LimitsSection,
    OrderingSection,
    PolitenessSection,
    StorageSection,
    TargetsSection,
    render,
)
from toponaut.log import Logs
from toponaut.records import Outcome, Visit
from toponaut.urls import fingerprint

CITIES = (
    "Springfield, IL", "Seattle, WA", "Austin, TX", "Denver, CO", "San Francisco, CA",
    "Chicago, IL", "Portland, OR",
    "Los Angeles, CA", "Minneapolis, MN", "Atlanta, GA", "Boston, MA", "Wichita, KS",
)  # fmt: skip
# No rest between requests; but an answer may take its time, for a busy machine may not come to it
# for seconds.
FAST = PolitenessSection(
    delay=0.0,
    connect_timeout=60.0,
    read_timeout=60.0,
    total_timeout=60.0,
    contact="https://bot.example/",
)


def job(
    seeds: Iterable[str],
    *,
    politeness: PolitenessSection = FAST,
    limits: LimitsSection | None = None,
    ordering: str = "link-distance",
) -> Job:
    """A job for the test web, without rests between requests."""
    return Job(
        seeds=tuple(seeds),
        targets=TargetsSection(places=CITIES),
        ordering=OrderingSection(strategy=ordering),
        politeness=politeness,
        limits=limits or LimitsSection(private_networks=True),
        storage=StorageSection(seal_seconds=1),
    )


def crawl(
    directory: Path,
    wanted: Job,
    *,
    proxy: str = "",
    replay: Path | None = None,
    since: Path | None = None,
    workers: int = 0,
) -> CrawlEnd:
    """Crawls in this process, through a proxy if one is named."""
    with pytest.MonkeyPatch.context() as patch, collecting_afterwards():
        patch.setenv("http_proxy", proxy)
        return start(
            render(wanted), "job.toml", directory, replay=replay, since=since, workers=workers
        )


def command(*arguments: str | Path, proxy: str = "") -> tuple[Sequence[str], dict[str, str]]:
    """The command line and the environment of a crawl in a process of its own."""
    line = [sys.executable, "-m", "toponaut", *map(str, arguments)]
    return line, {**os.environ, "http_proxy": proxy, "COLUMNS": "200"}


def run(
    *arguments: str | Path, proxy: str = "", patience: float = 300
) -> subprocess.CompletedProcess[str]:
    """`toponaut ...` in a process of its own, to its end."""
    line, environment = command(*arguments, proxy=proxy)
    return subprocess.run(line, env=environment, capture_output=True, text=True, timeout=patience)


def run_here(*arguments: str | Path, proxy: str = "") -> subprocess.CompletedProcess[str]:
    """`toponaut ...` in this process: one of its own takes a second to begin."""
    out, err = (TextIOWrapper(BytesIO(), encoding="utf-8", write_through=True) for _ in range(2))
    line = ["toponaut", *map(str, arguments)]
    with pytest.MonkeyPatch.context() as patch, redirect_stdout(out), redirect_stderr(err):
        for name, value in (("http_proxy", proxy), ("COLUMNS", "200")):
            patch.setenv(name, value)
        patch.setattr("sys.argv", line)
        try:
            main()
            code = 0
        except SystemExit as ended:
            code = int(ended.code or 0)
    gc.unfreeze()  # a command freezes all at its end
    if "crawl" in arguments:
        gc.collect()
    said, complained = (one.buffer.getvalue().decode() for one in (out, err))
    return subprocess.CompletedProcess(line, code, said, complained)


def visits(directory: Path) -> list[Visit]:
    return list(Logs(directory / "log").read())


def urls(directory: Path, *outcomes: Outcome) -> list[str]:
    """The URLs that came out so, in the order of the log."""
    return [visit.url for visit in visits(directory) if visit.outcome in outcomes]


def edges(directory: Path) -> set[tuple[str, int]]:
    """The link graph: each page with the fingerprints of all it links to, whether new, known or
    refused.
    """
    found = set()
    for visit in visits(directory):
        if visit.outcome is not Outcome.SEEDED:
            links = [*(link.url for link in visit.links), *(link.url for link in visit.refused)]
            found |= {(visit.url, mark) for mark in (*map(fingerprint, links), *visit.known)}
    return found
