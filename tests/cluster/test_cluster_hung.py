"""Actors and machines that hang: others take their place, and when they wake up they find
themselves fenced.
"""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace
from tests.support.clusters import (
    QUICK,
    actors_on,
    cluster,
    fetched,
    in_soak,
    wait_for_end,
    wait_for_pages,
)
from tests.support.crawling import job
from tests.support.little_web import LittleWeb, export, little_web

from toponaut.job import CollaborationSection, LimitsSection, NodesSection, StorageSection, render
from toponaut.log import Logs

# The command, but for one number: actors are given 5 s instead of 30.
_COMMAND = """
import sys
from pathlib import Path
from toponaut.cluster.driver import crawl_on
from toponaut.cluster.setup import cluster_setup
from toponaut.job import load

file, root, replay, address = sys.argv[1:]
text = Path(file).read_text()
setup = cluster_setup(Path(root), load(text, file), workers=0, replay=Path(replay), silence=5.0)
print(crawl_on(address, setup, text, lambda _: None, print).why)
"""


@pytest.fixture(scope="module")
def machines() -> Iterator[Any]:
    with cluster(3, environment=QUICK) as made:
        yield made


@pytest.fixture(scope="module")
def web(tmp_path_factory: pytest.TempPathFactory) -> tuple[LittleWeb, Path]:
    """So large that it takes a while."""
    little = little_web(seed=7, hosts=8, pages=1500)
    return little, export(little, tmp_path_factory.mktemp("web"))


@contextmanager
def crawled(
    folder: Path, address: str, web: tuple[LittleWeb, Path]
) -> Iterator["subprocess.Popen[str]"]:
    little, replay = web
    asked = replace(
        job(
            [little.seed],
            ordering="breadth-first",
            limits=LimitsSection(private_networks=True, depth=0, pages=0),
        ),
        nodes=NodesSection(geographic=2, general=1),
        collaboration=CollaborationSection(strategy="hash"),
        storage=StorageSection(seal_seconds=1),
    )
    (folder / "job.toml").write_text(render(asked))
    line = [
        sys.executable,
        "-c",
        _COMMAND,
        *map(str, (folder / "job.toml", folder / "c", replay, address)),
    ]
    process = subprocess.Popen(line, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    try:
        wait_for_pages(folder / "c", 100, process)
        yield process
    finally:
        process.kill()
        process.communicate()


@in_soak
@pytest.mark.parametrize("kind", ["NodeActor", "KeeperActor"])
def test_an_actor_that_hangs_is_replaced(
    tmp_path: Path, machines: Any, web: tuple[LittleWeb, Path], kind: str
) -> None:
    with crawled(tmp_path, machines.address, web) as crawl:
        hung = next(one for node in machines.list_all_nodes() for one in actors_on(node, kind))
        os.kill(hung, signal.SIGSTOP)
        out, err = crawl.communicate(timeout=150)
    assert (crawl.returncode, err) == (0, "")
    said, *why = out.splitlines()
    assert said.endswith(" s; it is replaced")
    assert why == ["nothing is left to fetch"]
    assert fetched(tmp_path / "c") == dict.fromkeys(web[0].pages, 1)
    lives = [part.name.partition("@")[0] for part in Logs(tmp_path / "c" / "log").parts()]
    assert said.startswith(max(lives, key=lives.count))
    wait_for_end(hung)


@in_soak
def test_a_machine_that_hangs_and_wakes_up_is_fenced(
    tmp_path: Path, machines: Any, web: tuple[LittleWeb, Path]
) -> None:
    with crawled(tmp_path, machines.address, web) as crawl:
        node = next(one for one in machines.worker_nodes if actors_on(one, "NodeActor"))
        raylet = node.all_processes["raylet"][0].process.pid
        hung = [raylet, *actors_on(node, "NodeActor"), *actors_on(node, "KeeperActor")]
        for one in hung:
            os.kill(one, signal.SIGSTOP)
        before = len(list((tmp_path / "c" / "log" / "epochs").iterdir()))
        while len(list((tmp_path / "c" / "log" / "epochs").iterdir())) == before:
            assert crawl.poll() is None, crawl.communicate()
            time.sleep(0.1)
        for one in hung:
            os.kill(one, signal.SIGCONT)
        out, err = crawl.communicate(timeout=150)
    assert (crawl.returncode, err) == (0, "")
    assert out.splitlines()[-1] == "nothing is left to fetch"
    assert fetched(tmp_path / "c") == dict.fromkeys(web[0].pages, 1)
    for one in hung:
        wait_for_end(one)
