"""A crawl resumed elsewhere: started on one machine, then on a cluster; with other nodes."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace
from tests.support.clusters import begun, cluster, fetched, in_soak, wait_for_pages
from tests.support.crawling import CITIES, crawl, job, run
from tests.support.little_web import LittleWeb, export, little_web

from toponaut.job import (
    CollaborationSection,
    Job,
    LimitsSection,
    NodesSection,
    StorageSection,
    TargetsSection,
    render,
)
from toponaut.log import Logs


@pytest.fixture(scope="module")
def machines() -> Iterator[Any]:
    with cluster(2) as made:
        yield made


@pytest.fixture(scope="module")
def web(tmp_path_factory: pytest.TempPathFactory) -> tuple[LittleWeb, Path]:
    little = little_web(seed=3, hosts=6, pages=700)
    return little, export(little, tmp_path_factory.mktemp("web"))


def wanted(seed: str, pages: int) -> Job:
    return replace(
        job(
            [seed],
            ordering="breadth-first",
            limits=LimitsSection(private_networks=True, depth=0, pages=pages),
        ),
        nodes=NodesSection(geographic=2),
        collaboration=CollaborationSection(strategy="hash"),
        storage=StorageSection(seal_seconds=1),
    )


@in_soak
def test_it_resumes_on_a_cluster_and_with_another_job(
    tmp_path: Path, machines: Any, web: tuple[LittleWeb, Path]
) -> None:
    little, folder = web
    line: list[str | Path] = [
        "crawl", tmp_path / "job.toml", tmp_path / "c", "--replay", folder,
        "--workers", "0", "--quiet",
    ]  # fmt: skip
    there = [*line, "--cluster", machines.address]
    crawl(tmp_path / "c", wanted(little.seed, 40), replay=folder)
    assert sum(fetched(tmp_path / "c").values()) == 40

    (tmp_path / "job.toml").write_text(render(wanted(little.seed, 100_000)))
    with begun(*there) as first:
        wait_for_pages(tmp_path / "c", 60, first)
        first.kill()
        first.wait()
    (tmp_path / "job.toml").write_text(
        render(wanted(little.seed, 0))
    )  # its actors live, and have another job
    done = run(*there)
    assert (done.stderr, done.returncode) == ("", 0)
    assert "nothing is left to fetch" in done.stdout
    assert fetched(tmp_path / "c") == dict.fromkeys(little.pages, 1)
    lives = [part.name.partition("@")[0] for part in Logs(tmp_path / "c" / "log").parts()]
    assert sorted(lives) == sorted(["main", *(2 * ["driver", "keeper 0", "Cn1", "Cn2"])])

    other = replace(wanted(little.seed, 0), targets=TargetsSection(places=CITIES[:3]))
    (tmp_path / "job.toml").write_text(render(other))
    for words, cause in ((there, "the job has changed since"), (line, "the job has changed since")):
        refused = run(*words)
        assert (refused.returncode, len(refused.stderr.splitlines())) == (2, 1)
        assert cause in refused.stderr
    (tmp_path / "job.toml").write_text(render(wanted(little.seed, 0)))
    refused = run(*line)
    assert (refused.returncode, len(refused.stderr.splitlines())) == (2, 1)
    assert "was crawled on a cluster. Resume it there: --cluster" in refused.stderr
