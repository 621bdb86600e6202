"""The command of a crawl on a cluster: it is stopped, watched, killed and followed by another one,
as on one machine.
"""

import json
import signal
import time
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from msgspec.structs import replace
from tests.support.clusters import begun, cluster, fetched, in_soak, joined, wait_for_pages
from tests.support.crawling import job, run
from tests.support.interrupts import PAGES, PATIENT, SEED, interrupt_twice, slow_web
from tests.support.little_web import LittleWeb, little_web
from tests.support.machines import Machines
from tests.support.webserver import TestWeb, WebProcess

from toponaut.app.crawl_watcher import CrawlWatcher
from toponaut.cluster.reports import DRIVER, DriverIdentity, DriverOrder
from toponaut.cluster.setup import ClusterSetup, cluster_setup
from toponaut.crawl.directory import Directory
from toponaut.crawl.status import is_running, status_of
from toponaut.job import CollaborationSection, Job, NodesSection, StorageSection, render
from toponaut.log import Logs, begin
from toponaut.records import Outcome
from toponaut.store import open_store


class Scene(NamedTuple):
    """A web, and a cluster that crawls it."""

    address: str
    web: TestWeb
    little: LittleWeb
    hasten: Callable[[], None]  # the slow page

    def asked(self) -> list[str]:
        """The requests of the crawl, without those that Ray makes through the proxy."""
        return [url for url in self.web.asked() if ".test/" in url]


@pytest.fixture(scope="module")
def scene() -> Iterator[Scene]:
    little = little_web(seed=6, hosts=5, pages=150)
    slow, hasten = slow_web()
    with (
        TestWeb({**little.sites, **slow}, delay=0.15) as web,
        cluster(2, proxy=web.proxy) as machines,
    ):
        yield Scene(machines.address, web, little, hasten)


def wanted(seed: str, shards: int = 1) -> Job:
    return replace(
        job([seed], politeness=PATIENT, ordering="breadth-first"),
        nodes=NodesSection(geographic=2, shards=shards),
        collaboration=CollaborationSection(strategy="hash"),
        storage=StorageSection(seal_seconds=2),
    )


def line(folder: Path, address: str, asked: Job, *more: str) -> list[str | Path]:
    (folder / "job.toml").write_text(render(asked))
    return [
        "crawl",
        folder / "job.toml",
        folder / "c",
        "--cluster",
        address,
        "--workers",
        "0",
        *more,
    ]


@in_soak
def test_one_interrupt_loses_nothing(tmp_path: Path, scene: Scene) -> None:
    asked = wanted(scene.little.seed, shards=2)
    with begun(*line(tmp_path, scene.address, asked, "--json")) as crawl:
        wait_for_pages(tmp_path / "c", 15, crawl)
        running = CrawlWatcher(tmp_path / "c").look()
        crawl.send_signal(signal.SIGTERM)
        out, err = crawl.communicate(timeout=300)
    assert crawl.returncode == 130
    assert (
        err == "toponaut: Stopping after the requests in flight. Press Ctrl-C again to stop now.\n"
    )
    *lines, last = [json.loads(one) for one in out.splitlines()]
    assert last["stopped"] == "it was interrupted"
    assert [node["node"] for node in last["nodes"]] == [
        "Cn1",
        "Cn2",
    ]  # the shards of a node are one
    assert sum(node["pages"] for node in last["nodes"]) == last["pages"] < len(scene.little.pages)
    assert all(one.keys() == {*last, "per_second"} - {"stopped"} for one in lines)

    status, stopped = status_of(tmp_path / "c"), CrawlWatcher(tmp_path / "c").look()
    assert (status.running, status.stopped) == (False, "it was interrupted")
    assert (running.state, stopped.state, stopped.stopped) == (
        "running",
        "stopped",
        "it was interrupted",
    )
    assert [node.node for node in running.nodes] == ["Cn1", "Cn2"]
    assert stopped.numbers.pages == last["pages"] == status.log.outcomes[Outcome.FETCHED]
    visited = {one.url for one in Logs(tmp_path / "c" / "log").read()} - {""}
    assert set(scene.asked()) == visited - scene.little.forbidden

    done = run(*line(tmp_path, scene.address, asked, "--quiet"))
    assert (done.stderr, done.returncode) == ("", 0)
    assert "nothing is left to fetch" in done.stdout
    assert fetched(tmp_path / "c") == dict.fromkeys(scene.little.pages, 1)
    again = {url for url, times in Counter(scene.asked()).items() if times > 1}
    assert all(
        url.endswith(("/robots.txt", "/sitemap.xml")) for url in again
    )  # every node and life reads them anew


@in_soak
def test_two_interrupts_stop_at_once(tmp_path: Path, scene: Scene) -> None:
    asked = wanted(SEED)
    with begun(*line(tmp_path, scene.address, asked)) as crawl:
        interrupt_twice(crawl, scene.asked)
    assert SEED in fetched(tmp_path / "c")
    scene.hasten()
    assert (
        "nothing is left to fetch" in run(*line(tmp_path, scene.address, asked, "--quiet")).stdout
    )
    assert fetched(tmp_path / "c") == dict.fromkeys(PAGES, 1)


@in_soak
def test_a_living_driver_keeps_others_away_and_a_dead_one_does_not(
    tmp_path: Path, scene: Scene
) -> None:
    asked = wanted(scene.little.seed)
    with begun(*line(tmp_path, scene.address, asked, "--quiet")) as first:
        wait_for_pages(tmp_path / "c", 5, first)
        second = run(*line(tmp_path, scene.address, asked, "--quiet"))
        assert second.returncode == 2
        assert f"is being crawled already (process {first.pid} on " in second.stderr
        assert len(second.stderr.splitlines()) == 1
        first.kill()
        first.wait()
        assert not is_running(Directory(tmp_path / "c"))
        found = status_of(tmp_path / "c")
        assert found.progress is not None
        assert found.progress.pages < len(scene.little.pages)
        assert "its nodes go on for a minute" in run("status", tmp_path / "c").stdout
        third = run(*line(tmp_path, scene.address, asked, "--quiet"))
    assert (third.returncode, third.stderr) == (0, "")
    assert fetched(tmp_path / "c") == dict.fromkeys(scene.little.pages, 1)
    lives = Counter(part.name.partition("@")[0] for part in Logs(tmp_path / "c" / "log").parts())
    assert lives == {"main": 1, "driver": 2, "keeper 0": 1, "Cn1": 1, "Cn2": 1}


def test_an_older_driver_learns_of_a_later_one(
    tmp_path: Path, web: WebProcess, three_machines: Machines
) -> None:
    """As if the network had been cut between them: the older one lives, and the storage has no
    locks.
    """
    import ray

    asked = wanted(web.web.seed)
    setup = _setup(tmp_path, asked)
    with begun(*line(tmp_path, three_machines.address, asked, "--quiet")) as first:
        wait_for_pages(tmp_path / "c", 5, first)
        later = DriverIdentity(
            begin(open_store(tmp_path / "c").subfolder("log"), DRIVER, time.time()).number,
            "elsewhere",
            7,
        )
        with joined(three_machines.address, setup.namespace):
            reported: Any = ray.get(ray.get_actor("Cn1").report.remote(DriverOrder(later)))
            assert reported.report is not None
            _, err = first.communicate(timeout=300)
            for name in ("Cn1", "Cn2", "keeper 0"):
                ray.kill(ray.get_actor(name))
    assert first.returncode == 2
    assert "another command drives" in err
    assert "process 7 on elsewhere" in err
    assert len(err.splitlines()) == 1


def _setup(folder: Path, asked: Job) -> ClusterSetup:
    return cluster_setup(folder / "c", asked, workers=0)
