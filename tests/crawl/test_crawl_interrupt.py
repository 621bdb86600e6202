"""Ctrl-C: the first finishes the requests in flight, the second does not."""

import signal
import subprocess
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from tests.support.crawling import command, job, run, urls, visits
from tests.support.interrupts import PAGES, PATIENT, SEED, interrupt_twice, slow_web
from tests.support.little_web import little_web
from tests.support.webserver import TestWeb

from toponaut.crawl.status import status_of
from toponaut.job import render
from toponaut.records import Outcome


@contextmanager
def begun(
    folder: Path, server: TestWeb, workers: int, enough: int
) -> Iterator["subprocess.Popen[str]"]:
    """A crawl in a process of its own that has made some requests."""
    line, environment = command(
        "crawl", folder / "job.toml", folder / "c", "--workers", str(workers), proxy=server.proxy
    )
    crawl = subprocess.Popen(
        line, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    try:
        while len(server.asked()) < enough:
            assert crawl.poll() is None, crawl.communicate()
            time.sleep(0.01)
        yield crawl
    finally:
        crawl.kill()
        crawl.wait()


def resumed(folder: Path, server: TestWeb, workers: int) -> str:
    ended = run(
        "crawl", folder / "job.toml", folder / "c", "--workers", str(workers), proxy=server.proxy
    )
    assert (ended.returncode, ended.stderr) == (0, "")
    return ended.stdout


@pytest.mark.parametrize(("number", "workers"), [(signal.SIGINT, 0), (signal.SIGTERM, 2)])
def test_one_interrupt_loses_nothing(tmp_path: Path, number: signal.Signals, workers: int) -> None:
    little = little_web(seed=6, hosts=5, pages=40)
    (tmp_path / "job.toml").write_text(render(job([little.seed], politeness=PATIENT)))
    with TestWeb(little.sites, delay=0.1) as server:
        with begun(tmp_path, server, workers, 15) as crawl:
            crawl.send_signal(number)
            out, err = crawl.communicate(timeout=300)
        assert crawl.returncode == 130
        assert "stopped because it was interrupted." in out.splitlines()[-1]
        assert (
            err
            == "toponaut: Stopping after the requests in flight. Press Ctrl-C again to stop now.\n"
        )
        assert status_of(tmp_path / "c").stopped == "it was interrupted"
        assert (
            tmp_path / "c" / "state" / "frontier-Cn1" / "closed"
        ).exists()  # it need not be rebuilt
        asked = server.asked()
        done = {visit.url for visit in visits(tmp_path / "c")} - {""} - little.forbidden
        assert done <= set(asked)
        abandoned = set(asked) - done  # on a busy machine an answer may come after the stop
        assert len(asked) < len(little.pages)
        assert "nothing is left to fetch" in resumed(tmp_path, server, workers)
        assert set(urls(tmp_path / "c", Outcome.FETCHED)) == little.pages
        again = {url for url, times in Counter(server.asked()).items() if times > 1}
        # Each run reads robots.txt again.
        assert all(url.endswith("/robots.txt") for url in again - abandoned)


@pytest.mark.parametrize("workers", [0, 2])
def test_two_interrupts_stop_at_once(tmp_path: Path, workers: int) -> None:
    sites, hasten = slow_web()
    (tmp_path / "job.toml").write_text(render(job([SEED], politeness=PATIENT)))
    with TestWeb(sites) as server:
        with begun(tmp_path, server, workers, 1) as crawl:
            interrupt_twice(crawl, server.asked)
        assert SEED in urls(tmp_path / "c", Outcome.FETCHED)
        hasten()
        assert "nothing is left to fetch" in resumed(tmp_path, server, workers)
    assert Counter(urls(tmp_path / "c", Outcome.FETCHED)) == dict.fromkeys(PAGES, 1)
