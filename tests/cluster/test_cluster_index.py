"""Ray tasks build an index on a real cluster; errors are one line each."""

import json
import shutil
from pathlib import Path
from typing import Any

import pytest
from tests.support.crawling import run
from tests.support.histories import MANY, held, two_lives
from tests.support.towns import visit, written

from toponaut.index import index_folder
from toponaut.index.write.update import is_outdated, update_index


@pytest.fixture(scope="module")
def crawled(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, tuple[str, float]]]:
    """A crawl, and what an index of it has that was made by one process."""
    root = two_lives(tmp_path_factory.mktemp("crawls") / "crawl")
    whole = shutil.copytree(root, root.parent / "whole")
    update_index(whole)
    return root, held(index_folder(whole))


def test_tasks_make_it(
    crawled: tuple[Path, dict[str, tuple[str, float]]], one_machine: Any
) -> None:
    root, expected = crawled
    done = run("index", root, "--cluster", one_machine.address, "--workers", "2", "--json")
    assert done.returncode == 0, done.stderr
    reported = json.loads(done.stdout)
    assert (reported["visits"], reported["pages"], reported["processes"]) == (
        MANY,
        len(expected),
        2,
    )
    assert held(index_folder(root)) == expected
    assert not is_outdated(root)
    assert {path.name for path in root.iterdir()} == {"index", "job.toml", "log"}


def test_too_few_cpus(tmp_path: Path, one_machine: Any) -> None:
    reported = refused(tmp_path, "--cluster", one_machine.address, "--workers", "5")
    assert "the cluster has 4 CPUs on 1 machine, and 5 workers need one each" in reported
    assert "Add machines, or lower --workers" in reported


def test_no_cluster_answers(tmp_path: Path) -> None:
    assert "no Ray cluster answers at 127.0.0.1:1 (" in refused(
        tmp_path, "--cluster", "127.0.0.1:1"
    )


def refused(folder: Path, *options: str) -> str:
    """The error of the command: one line, and no files left."""
    root = written(folder / "crawl", [visit(0, "http://a.test/", "Pizza")])
    done = run("index", root, *options)
    assert (done.returncode, done.stdout) == (2, "")
    assert len(done.stderr.splitlines()) == 1
    assert {path.name for path in root.iterdir()} == {"job.toml", "log"}
    return done.stderr
