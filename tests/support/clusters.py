"""Helpers of the tests on real Ray clusters: a cluster on this machine, and a crawl on it."""

import logging
import os
import subprocess
import time
import warnings
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from tests.support.crawling import command

from toponaut.crawl.directory import Directory
from toponaut.crawl.progress import Progress
from toponaut.crawl.status import read_snapshot
from toponaut.log import Logs
from toponaut.records import Outcome

# Ray notices a lost machine after 15 s; with these after 3.
QUICK = {
    "RAY_health_check_initial_delay_ms": "1000",
    "RAY_health_check_period_ms": "500",
    "RAY_health_check_timeout_ms": "500",
    "RAY_health_check_failure_threshold": "4",
}
SETTINGS = {
    "RAY_USAGE_STATS_ENABLED": "0",
    "RAY_prestart_worker_first_driver": "0",  # one process per CPU is not needed
}
_PATIENCE_S = 240.0
# `make test` is to stay short: some run in `make soak` only, or do more there.
LONG = int(os.environ.get("TOPONAUT_CLUSTER_KILLS", "1")) > 1
in_soak = pytest.mark.skipif(not LONG, reason="a part of `make soak`")


@contextmanager
def changed_environment(settings: Mapping[str, str]) -> Iterator[None]:
    """Set environment variables, which processes inherit that begin meanwhile."""
    with pytest.MonkeyPatch.context() as patch:
        for name, value in settings.items():
            patch.setenv(name, value)
        yield


@contextmanager
def cluster(
    machines: int,
    *,
    cpus: int = 4,
    proxy: str = "",
    environment: Mapping[str, str] | None = None,
    **head: object,
) -> Iterator[Any]:
    """Starts this many raylets: to Ray, each is a machine. They find the web by a proxy,
    if one is named. `environment`: of all of them; `head`: more arguments of the first.
    """
    settings = {"http_proxy": proxy, "no_proxy": "127.0.0.1", **(environment or {})}
    with changed_environment({**SETTINGS, **settings}):
        from ray.cluster_utils import Cluster

        arguments = {"num_cpus": cpus, "include_dashboard": False, **head}
        with warnings.catch_warnings(
            action="ignore", category=ResourceWarning
        ):  # Ray leaves its server's logs open
            made = Cluster(initialize_head=True, head_node_args=arguments)
        try:
            for _ in range(machines - 1):
                made.add_node(num_cpus=cpus)
            made.wait_for_nodes()
            yield made
        finally:
            made.shutdown()  # type: ignore[no-untyped-call]


@contextmanager
def begun(*arguments: str | Path) -> Iterator["subprocess.Popen[str]"]:
    """A command in a process of its own, which does not outlive the test."""
    line, environment = command(*arguments)
    process = subprocess.Popen(
        line, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    try:
        yield process
    finally:
        process.kill()
        process.communicate()


def wait_for_pages(
    root: Path, pages: int, process: "subprocess.Popen[str] | None" = None
) -> Progress:
    """Wait until a crawl has reported this many pages."""
    until = time.monotonic() + _PATIENCE_S
    while time.monotonic() < until:
        assert process is None or process.poll() is None, process.communicate()
        if (progress := progress_of(root)) and progress.pages >= pages:
            return progress
        time.sleep(0.1)
    raise AssertionError("it does not crawl")


def progress_of(root: Path) -> Progress | None:
    """The last that was reported; `status` would read the whole log each time."""
    snapshot = read_snapshot(Directory(root))
    return snapshot.progress if snapshot else None


def fetched(root: Path) -> Counter[str]:
    return Counter(one.url for one in Logs(root / "log").read() if one.outcome is Outcome.FETCHED)


@contextmanager
def joined(address: str, namespace: str) -> Iterator[None]:
    """This process as a part of a cluster."""
    import ray

    ray.init(address=address, namespace=namespace, log_to_driver=False, logging_level=logging.ERROR)
    try:
        yield
    finally:
        ray.shutdown()


def actors_on(node: Any, kind: str) -> list[int]:
    """The processes of actors of a kind on one machine of a cluster."""
    raylet = str(node.all_processes["raylet"][0].process.pid)
    reported = subprocess.run(
        ["ps", "--ppid", raylet, "-o", "pid=,args="], capture_output=True, text=True
    ).stdout
    lines = [line.split(maxsplit=1) for line in reported.splitlines()]
    return [int(process) for process, name in lines if name.startswith(f"ray::{kind}")]


def wait_for_end(process: int) -> None:
    """Wait until a process has ended."""
    until = time.monotonic() + _PATIENCE_S
    while time.monotonic() < until:
        try:
            if Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] == "Z":
                return
        except OSError:
            return
        time.sleep(0.1)
    raise AssertionError(f"process {process} goes on")
