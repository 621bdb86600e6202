"""Problems of a cluster are reported in one line before anything is crawled."""

import asyncio
import json
import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace
from tests.support.clusters import LONG, in_soak, joined
from tests.support.crawling import job, run
from tests.support.little_web import export, little_web

from toponaut.cluster.machines import HeadWatch, workers_for
from toponaut.cluster.setup import cluster_setup
from toponaut.errors import InputError
from toponaut.job import Job, NodesSection, render

LITTLE = little_web(seed=5, hosts=2, pages=10)
_NAMESPACES = (
    ["unshare", "--mount"] if os.geteuid() == 0 else ["unshare", "--mount", "--map-root-user"]
)


def wanted(geographic: int = 2) -> Job:
    return replace(job([LITTLE.seed]), nodes=NodesSection(geographic=geographic))


def refused(folder: Path, address: str, *more: str | Path, root: Path | None = None) -> str:
    """The error of the command: one line, and no files left."""
    (folder / "job.toml").write_text(render(wanted()))
    root = root or folder / "new" / "crawl"
    done = run("crawl", folder / "job.toml", root, "--cluster", address, "--workers", "0", *more)
    assert done.returncode == 2, done
    assert len(done.stderr.splitlines()) == 1, done.stderr
    assert done.stdout == ""
    assert not root.exists()
    assert root.parent == folder / "new" or not list(root.parent.glob("probe*"))
    return done.stderr


@contextmanager
def another(machines: Any, **environment: str) -> Iterator[None]:
    """One more machine, with an environment of its own."""
    node = machines.add_node(num_cpus=1, env_vars=environment)
    try:
        yield
    finally:
        machines.remove_node(node)


def test_another_version(tmp_path: Path, one_machine: Any) -> None:
    other = tmp_path / "other" / "toponaut"
    other.mkdir(parents=True)
    (other / "__init__.py").write_text('__version__ = "0.0.1"\n')
    with another(one_machine, PYTHONPATH=str(other.parent)):
        reported = refused(tmp_path, one_machine.address)
    assert "has Toponaut 0.0.1, this one" in reported
    assert "Install the same version on all machines" in reported


@in_soak
def test_no_toponaut(tmp_path: Path, one_machine: Any) -> None:
    """Its way to Toponaut is barred when Python begins there, as if it had not been installed."""
    (tmp_path / "bare").mkdir()
    (tmp_path / "bare" / "sitecustomize.py").write_text(
        "import sys\nsys.modules['toponaut'] = None\n"
    )
    with another(one_machine, PYTHONPATH=str(tmp_path / "bare")):
        reported = refused(tmp_path, one_machine.address)
    assert "has no Toponaut" in reported
    assert "pip install 'toponaut[cluster]'" in reported


@contextmanager
def blind_machine(address: str, hidden: Path) -> Iterator[None]:
    """One more machine, on which a folder is another one: it has a mount of its own there."""
    if subprocess.run([*_NAMESPACES, "true"], capture_output=True).returncode:
        pytest.skip("this machine gives no mount namespaces")
    ray = f"{sys.executable} -m ray.scripts.scripts start --address={address} --num-cpus=1 --block"
    ports = "--dashboard-agent-listen-port=0 --min-worker-port=0 --max-worker-port=0"
    line = [*_NAMESPACES, "sh", "-c", f"mount -t tmpfs tmpfs {hidden} && exec {ray} {ports}"]
    environment = {**os.environ, "RAY_USAGE_STATS_ENABLED": "0"}
    process = subprocess.Popen(
        line, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    try:
        yield
    finally:
        process.terminate()
        process.wait()


def test_storage_that_is_not_shared(tmp_path: Path, one_machine: Any) -> None:
    hidden = tmp_path / "hidden"
    replay = export(LITTLE, hidden / "web")
    with blind_machine(one_machine.address, hidden):
        _wait_for_machines(one_machine.address, 2)
        reported = refused(tmp_path, one_machine.address, root=hidden / "crawl")
        assert f"does not see what is in {hidden / 'crawl'}" in reported
        assert "storage that all machines of the cluster share" in reported
        for option in ("--replay", "--since") if LONG else ("--replay",):
            assert f"does not see {replay}" in refused(
                tmp_path, one_machine.address, option, replay
            )


def _wait_for_machines(address: str, many: int) -> None:
    import ray

    with joined(address, "waiting"):
        until = time.monotonic() + 60
        while sum(one["Alive"] for one in ray.nodes()) < many:  # type: ignore[no-untyped-call]
            assert time.monotonic() < until
            time.sleep(0.2)


def test_other_versions_of_ray_and_python(tmp_path: Path, one_machine: Any) -> None:
    """Ray compares them itself, with what the first machine has noted."""
    from ray.experimental import internal_kv

    key, space = b"CLUSTER_METADATA", b"cluster"
    with joined(one_machine.address, "versions"):
        noted = internal_kv._internal_kv_get(key, namespace=space)
        old = {**json.loads(noted), "ray_version": "2.9.0", "python_version": "3.8.1"}
        internal_kv._internal_kv_put(key, json.dumps(old).encode(), overwrite=True, namespace=space)
        try:
            reported = refused(tmp_path, one_machine.address)
        finally:
            internal_kv._internal_kv_put(key, noted, overwrite=True, namespace=space)
    assert "has other versions of Ray or Python" in reported
    assert "2.9.0" in reported


def test_too_few_cpus(tmp_path: Path, one_machine: Any) -> None:
    reported = refused(tmp_path, one_machine.address, "--workers", "7")
    assert (
        "the cluster has 4 CPUs on 1 machine, and 2 actors need 8 CPUs on one machine each"
        in reported
    )
    assert "--workers" in reported


@pytest.mark.parametrize(
    ("cpus", "actors", "asked", "given"),
    [
        ([4], 2, None, 1),
        ([4, 4], 2, None, 3),
        ([4, 2], 3, None, 1),
        ([4], 4, None, 0),
        ([4, 4], 2, 1, 1),
        ([8], 1, 0, 0),
    ],
)
def test_readers_as_many_as_there_are_cpus_for(
    tmp_path: Path, cpus: list[int], actors: int, asked: int | None, given: int
) -> None:
    assert workers_for(cluster_setup(tmp_path, wanted(actors), workers=asked), cpus) == given


def test_not_even_one_cpu_for_each(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="3 CPUs on 2 machines, and 4 actors need a CPU each"):
        workers_for(cluster_setup(tmp_path, wanted(4), workers=None), [1, 2])


def test_without_ray_the_error_says_how_to_install_it(tmp_path: Path) -> None:
    (tmp_path / "job.toml").write_text(render(wanted()))
    code = "import sys; sys.modules['ray'] = None; from toponaut.cli import main; main()"
    line = [
        sys.executable,
        "-c",
        code,
        "crawl",
        str(tmp_path / "job.toml"),
        str(tmp_path / "c"),
        "--cluster",
        "auto",
    ]
    done = subprocess.run(line, capture_output=True, text=True, timeout=300)
    assert done.returncode == 2
    assert "toponaut[cluster]" in done.stderr
    assert len(done.stderr.strip().splitlines()) == 1, done.stderr


def test_a_lost_head_is_noticed_and_a_short_silence_is_not() -> None:
    """test_cluster_namespaces.py kills a real one, in `make soak`."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        address = server.getsockname()
        watch = HeadWatch(f"ray://127.0.0.1:{address[1]}", patience=2.0)
        silent = asyncio.run(_silence(watch, server, address))
    assert silent == f"Ray's head at 127.0.0.1:{address[1]} has not answered for 2 s"


async def _silence(watch: HeadWatch, server: socket.socket, address: tuple[str, int]) -> str:
    waiting = asyncio.ensure_future(watch.wait_until_lost())
    server.close()
    await asyncio.sleep(0.5)
    again = await asyncio.to_thread(socket.create_server, address)
    with again:
        await asyncio.sleep(2.5)
        assert not waiting.done()
    return await waiting


def test_another_server_on_the_port(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        address = f"127.0.0.1:{server.getsockname()[1]}"
        reported = refused(tmp_path, address)
    assert f"no Ray cluster answers at {address} (it is not Ray)" in reported


@pytest.mark.parametrize("address", ["127.0.0.1:1", "nonsense", "ray://no.such.host.test"])
def test_no_cluster_answers(tmp_path: Path, address: str) -> None:
    assert f"no Ray cluster answers at {address} (" in refused(tmp_path, address)
