"""A crawl on real Ray clusters of several nodes, on this machine: it fetches what one process fetches, whoever dies."""

from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace
from tests.crawling import crawl, job, run
from tests.little_web import LittleWeb, export, little_web

from toponaut.job import Collaboration, Job, Limits, Nodes, Storage, render
from toponaut.log import Logs
from toponaut.records import Outcome

# Ray notices a lost machine after 15 s; with these after 3.
_QUICK = {
    "RAY_health_check_initial_delay_ms": "1000",
    "RAY_health_check_period_ms": "500",
    "RAY_health_check_timeout_ms": "500",
    "RAY_health_check_failure_threshold": "4",
    "RAY_USAGE_STATS_ENABLED": "0",
}


@pytest.fixture(scope="module")
def machines() -> Iterator[Any]:
    """Three raylets: as many machines, as far as Ray is concerned."""
    with pytest.MonkeyPatch.context() as patch:
        for name, value in _QUICK.items():
            patch.setenv(name, value)
        from ray.cluster_utils import Cluster

        cluster = Cluster(initialize_head=True, head_node_args={"num_cpus": 2, "include_dashboard": False})
        for _ in range(2):
            cluster.add_node(num_cpus=2)
        cluster.wait_for_nodes()
        yield cluster
        cluster.shutdown()


@pytest.fixture(scope="module")
def little() -> LittleWeb:
    return little_web(seed=5, hosts=6, pages=150)


@pytest.fixture(scope="module")
def folder(little: LittleWeb, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return export(little, tmp_path_factory.mktemp("web"))


def wanted(little: LittleWeb) -> Job:
    return replace(
        job([little.seed], ordering="breadth-first", limits=Limits(private_networks=True, depth=0, pages=0)),
        nodes=Nodes(geographic=2, general=1),
        collaboration=Collaboration(strategy="hash"),
        storage=Storage(seal_seconds=2),
    )


def fetched(root: Path) -> Counter[tuple[str, str]]:
    return Counter((one.node, one.url) for one in Logs(root / "log").read() if one.outcome is Outcome.FETCHED)


def test_a_cluster_fetches_what_one_process_fetches(
    tmp_path: Path, machines: Any, little: LittleWeb, folder: Path
) -> None:
    asked = wanted(little)
    (tmp_path / "job.toml").write_text(render(asked))
    crawl(tmp_path / "one", asked, replay=folder)
    done = run(
        "crawl", tmp_path / "job.toml", tmp_path / "many", "--replay", folder, "--cluster", machines.address,
        "--workers", "0", "--quiet",
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert "nothing is left to fetch" in done.stdout
    assert fetched(tmp_path / "many") == fetched(tmp_path / "one")
    for command in ("status", "measure", "index"):
        told = run(command, tmp_path / "many")
        assert told.returncode == 0, told.stderr
