"""A crawl through Ray's client (ray://), and the cluster's metrics for Prometheus."""

import dataclasses
import re
import signal
import socket
import time
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest
from msgspec.structs import replace
from tests.support.clusters import begun, cluster, fetched, in_soak, wait_for_pages
from tests.support.crawling import FAST, crawl, job, run, visits
from tests.support.little_web import LittleWeb, little_web
from tests.support.web_answers import Page
from tests.support.webserver import Sites, TestWeb

from toponaut.job import CollaborationSection, Job, NodesSection, StorageSection, render
from toponaut.log import Logs
from toponaut.records import Outcome
from toponaut.urls import host_of


class Scene(NamedTuple):
    """A web, and a cluster that crawls it."""

    address: str
    metrics: int  # their port
    web: TestWeb
    little: LittleWeb


def _free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as server:
        return int(server.getsockname()[1])


@pytest.fixture(scope="module")
def scene() -> Iterator[Scene]:
    little = little_web(seed=9, hosts=5, pages=150)
    host = host_of(little.seed)
    first = little.sites[host]["/"]
    assert isinstance(first, Page)
    sites: Sites = {
        **little.sites,
        host: {**little.sites[host], "/": dataclasses.replace(first, etag='"1"')},
    }
    client, metrics = _free_port(), _free_port()
    with (
        TestWeb(sites, delay=0.2) as web,
        cluster(
            1,
            cpus=8,
            proxy=web.proxy,
            environment={"RAY_metrics_report_interval_ms": "1000"},  # instead of every 10 s
            ray_client_server_port=client,
            metrics_export_port=metrics,
        ),
    ):
        yield Scene(f"ray://127.0.0.1:{client}", metrics, web, little)


def _reported(port: int, name: str) -> dict[str, float]:
    """A figure of Ray's endpoint, by actor."""
    direct = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    with direct.open(f"http://127.0.0.1:{port}/metrics", timeout=60) as answer:
        text = answer.read().decode()
    lines = re.findall(
        rf'^ray_toponaut_{name}\{{[^}}]*actor="([^"]+)"[^}}]*\}} ([0-9.e+]+)$', text, re.M
    )
    return {actor: float(figure) for actor, figure in lines}


def wanted(seed: str) -> Job:
    return replace(
        job([seed], politeness=FAST, ordering="breadth-first"),
        nodes=NodesSection(geographic=2),
        collaboration=CollaborationSection(strategy="hash"),
        storage=StorageSection(seal_seconds=2),
    )


def _line(folder: Path, scene: Scene) -> list[str | Path]:
    (folder / "job.toml").write_text(render(wanted(scene.little.seed)))
    return ["crawl", folder / "job.toml", folder / "c", "--cluster", scene.address, "--quiet"]


@in_soak
def test_a_client_outside_crawls_and_sees_metrics(tmp_path: Path, scene: Scene) -> None:
    with begun(*_line(tmp_path, scene)) as crawl:
        wait_for_pages(tmp_path / "c", 10, crawl)
        until = time.monotonic() + 60
        while sum((pages := _reported(scene.metrics, "pages")).values()) < 10:
            assert time.monotonic() < until
            time.sleep(0.5)
        assert pages.keys() == {"Cn1", "Cn2"}
        assert sum(_reported(scene.metrics, "sent_links").values()) > 0
        out, err = crawl.communicate(timeout=300)
    assert (err, crawl.returncode) == ("", 0)
    assert "nothing is left to fetch" in out
    assert fetched(tmp_path / "c") == dict.fromkeys(scene.little.pages, 1)


@in_soak
def test_a_crawl_is_stopped_and_resumed_from_outside(tmp_path: Path, scene: Scene) -> None:
    line = _line(tmp_path, scene)
    with begun(*line) as first:
        wait_for_pages(tmp_path / "c", 10, first)
        first.send_signal(signal.SIGINT)
        _, err = first.communicate(timeout=300)
    assert first.returncode == 130
    assert (
        err == "toponaut: Stopping after the requests in flight. Press Ctrl-C again to stop now.\n"
    )
    done = run(*line)
    assert (done.stderr, done.returncode) == ("", 0)
    assert "nothing is left to fetch" in done.stdout
    assert fetched(tmp_path / "c") == dict.fromkeys(scene.little.pages, 1)


@in_soak
def test_since_an_earlier_crawl(tmp_path: Path, scene: Scene) -> None:
    asked = wanted(scene.little.seed)
    (tmp_path / "job.toml").write_text(render(asked))
    crawl(tmp_path / "c", asked, proxy=scene.web.proxy)
    line: list[str | Path] = [
        "crawl",
        tmp_path / "job.toml",
        tmp_path / "again",
        "--since",
        tmp_path / "c",
    ]
    again = run(*line, "--cluster", scene.address, "--quiet")
    assert (again.stderr, again.returncode) == ("", 0)
    outcomes = [one.outcome for one in Logs(tmp_path / "again" / "log").read()]
    crawl(tmp_path / "alone", asked, proxy=scene.web.proxy, since=tmp_path / "c")
    alone = [one.outcome for one in visits(tmp_path / "alone")]
    assert 0 < outcomes.count(Outcome.UNCHANGED) == alone.count(Outcome.UNCHANGED)
