"""A crawl in a process of its own, for tests that give it commands while it runs."""

import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from msgspec.structs import replace
from tests.support.crawling import FAST, command, job, visits
from tests.support.little_web import little_web
from tests.support.webserver import TestWeb

from toponaut.crawl.control import ControlState
from toponaut.job import Job, LimitsSection, render
from toponaut.records import Outcome
from toponaut.urls import host_of

LITTLE = little_web(seed=5, hosts=4, pages=120)
HOST = sorted({host_of(url) for url in LITTLE.pages} - {host_of(LITTLE.seed)})[0]
PATIENCE_S = 120.0


def wanted(pages: int = 0) -> Job:
    limits = LimitsSection(private_networks=True, depth=0, pages=pages)
    return job([LITTLE.seed], limits=limits, politeness=replace(FAST, delay=0.3))


@contextmanager
def crawling(folder: Path, web: TestWeb, pages: int = 0) -> Iterator["subprocess.Popen[str]"]:
    """The crawl in a process of its own, after some requests; it is killed at the end."""
    (folder / "job.toml").write_text(render(wanted(pages)))
    line, environment = command(
        "crawl", folder / "job.toml", folder / "c", "--workers", "0", "-q", proxy=web.proxy
    )
    before = web.asked()
    process = subprocess.Popen(
        line, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    try:
        wait_for(lambda: len(web.asked()) > len(before) + 8 or is_paused(folder), process)
        yield process
    finally:
        process.kill()
        process.communicate()


def is_paused(folder: Path) -> bool:
    details = [one.detail for one in visits(folder / "c") if one.outcome is Outcome.CONTROL]
    state = ControlState()
    for detail in details:
        state.add(detail)
    return state.paused


def wait_for(event: Callable[[], bool], process: "subprocess.Popen[str]") -> None:
    until = time.monotonic() + PATIENCE_S
    while not event():
        assert process.poll() is None, process.communicate()
        assert time.monotonic() < until
        time.sleep(0.05)
