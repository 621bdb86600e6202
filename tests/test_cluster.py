"""A crawl on real Ray clusters of several nodes, on this machine: it fetches what one process fetches, whoever dies."""

import contextlib
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace
from tests.crawling import command, crawl, job, run
from tests.little_web import LittleWeb, export, little_web

from toponaut.cluster.setup import setup_of
from toponaut.crawl.status import status_of
from toponaut.errors import InputError
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
        cluster.shutdown()  # type: ignore[no-untyped-call]


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
    for verb in ("status", "measure", "index"):
        told = run(verb, tmp_path / "many")
        assert told.returncode == 0, told.stderr


@pytest.fixture(scope="module")
def large(tmp_path_factory: pytest.TempPathFactory) -> tuple[LittleWeb, Path]:
    """So large that it takes a while."""
    web = little_web(seed=7, hosts=8, pages=1200)
    return web, export(web, tmp_path_factory.mktemp("large"))


@pytest.mark.parametrize("victim", ["node", "keeper", "driver", "machine"])
def test_it_goes_on_whoever_is_killed(
    tmp_path: Path, machines: Any, large: tuple[LittleWeb, Path], victim: str
) -> None:
    import ray

    web, folder = large
    asked = wanted(web)
    (tmp_path / "job.toml").write_text(render(asked))
    line, environment = command(
        "crawl", tmp_path / "job.toml", tmp_path / "many", "--replay", folder, "--cluster", machines.address,
        "--workers", "0", "--quiet",
    )  # fmt: skip
    first = subprocess.Popen(line, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    _wait_for_pages(tmp_path / "many", 100)
    if victim == "driver":
        first.kill()
        first.communicate()
        told = subprocess.run(line, env=environment, capture_output=True, text=True, timeout=120)
        code, out, errors = told.returncode, told.stdout, told.stderr
    elif victim == "machine":
        machines.remove_node(machines.list_all_nodes()[-1], allow_graceful=False)
        out, errors = first.communicate(timeout=150)
        code = first.returncode
    else:
        setup = setup_of(tmp_path / "many", asked, replay=folder, workers=0)
        ray.init(address=machines.address, namespace=setup.namespace, log_to_driver=False)
        try:
            ray.kill(ray.get_actor("Cn1" if victim == "node" else "keeper 0"), no_restart=False)
        finally:
            ray.shutdown()
        out, errors = first.communicate(timeout=150)
        code = first.returncode
    assert code == 0, errors
    assert "nothing is left to fetch" in out
    crawl(tmp_path / "one", asked, replay=folder)
    assert fetched(tmp_path / "many") == fetched(tmp_path / "one")
    lives = [part.name.partition("@")[0] for part in Logs(tmp_path / "many" / "log").parts()]
    again = {"node": ["Cn1"], "keeper": ["keeper 0"], "driver": ["driver"]}
    if victim == "machine":
        assert len(lives) > len(set(lives))
    else:
        assert sorted(lives) == sorted(["main", "driver", "keeper 0", "Cn1", "Cn2", "general1", *again[victim]])


def _wait_for_pages(root: Path, pages: int) -> None:
    until = time.monotonic() + 100
    while time.monotonic() < until:
        with contextlib.suppress(InputError):
            if (progress := status_of(root).progress) and progress.pages >= pages:
                return
        time.sleep(0.1)
    raise AssertionError("it does not crawl")


def test_what_is_wrong_is_said_in_one_line(tmp_path: Path, little: LittleWeb) -> None:
    (tmp_path / "job.toml").write_text(render(wanted(little)))
    done = run("crawl", tmp_path / "job.toml", tmp_path / "many", "--cluster", "127.0.0.1:1", "--workers", "0")
    assert done.returncode == 2
    assert "no Ray cluster answers at 127.0.0.1:1" in done.stderr
    assert len(done.stderr.strip().splitlines()) == 1, done.stderr
    assert not (tmp_path / "many").exists()


def test_without_ray_the_cure_is_told(tmp_path: Path, little: LittleWeb) -> None:
    (tmp_path / "job.toml").write_text(render(wanted(little)))
    code = "import sys; sys.modules['ray'] = None; from toponaut.cli import main; main()"
    line = [
        sys.executable,
        "-c",
        code,
        "crawl",
        str(tmp_path / "job.toml"),
        str(tmp_path / "many"),
        "--cluster",
        "auto",
    ]
    done = subprocess.run(line, capture_output=True, text=True, timeout=60)
    assert done.returncode == 2
    assert "toponaut[cluster]" in done.stderr
    assert len(done.stderr.strip().splitlines()) == 1, done.stderr


@pytest.mark.parametrize("key", ["per_ip", "exclusive"])
def test_what_a_cluster_cannot_keep_is_refused(tmp_path: Path, little: LittleWeb, key: str) -> None:
    asked = wanted(little)
    if key == "per_ip":
        asked = replace(asked, politeness=replace(asked.politeness, per_ip=True))
    else:
        asked = replace(asked, collaboration=replace(asked.collaboration, exclusive=True))
    with pytest.raises(InputError, match=key):
        setup_of(tmp_path, asked, workers=0)
