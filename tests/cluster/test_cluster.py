"""Crawls on a real Ray cluster, on this machine: they come to what one process comes to.

A part of `make soak` (TOPONAUT_CLUSTER_KILLS above 1). test_cluster_kill.py has a short one that is
disturbed, and test_cluster_workers.py the same workers without Ray.
"""

from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest
from bench.cluster import learning
from msgspec.structs import replace
from tests.support.clusters import in_soak
from tests.support.corner import corner
from tests.support.crawling import run, visits
from tests.support.machines import Machines, machines

from toponaut.crawl.start import start
from toponaut.crawl.webs import open_web
from toponaut.job import CollaborationSection, Job, OrderingSection, render
from toponaut.records import Outcome
from toponaut.synthetic import SyntheticWeb

WEB = 3
SITES, CITIES = 6, 12  # sites of each city, cities
STRATEGIES = [
    ("breadth-first", "hash"), ("breadth-first", "url"), ("link-distance", "hash"),
    ("lookahead", "url"), ("combined", "hash"),
    ("breadth-first", "anchor"), ("combined", "combined"),
]  # fmt: skip
WEBS = range(1, 7)  # for strategies that learn
BY_URL = ("hash", "url")  # who fetches a page does not depend on who found it


@pytest.fixture(scope="module")
def cluster() -> Iterator[Machines]:
    with machines(count=3) as begun:
        yield begun


@pytest.fixture(scope="module")
def web() -> SyntheticWeb:
    return open_web(WEB)


def fetched(root: Path) -> Counter[tuple[str, str]]:
    return Counter((one.node, one.url) for one in visits(root) if one.outcome is Outcome.FETCHED)


def crawl_on(cluster: Machines, folder: Path, wanted: Job) -> Path:
    """Crawls the synthetic web on the cluster, by the command."""
    (folder / "job.toml").write_text(render(wanted))
    done = run(
        "crawl", folder / "job.toml", folder / "many", "--synthetic", str(WEB),
        "--cluster", cluster.address,
        "--workers", "0", "--quiet", patience=600,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert "nothing is left to fetch" in done.stdout or wanted.limits.pages
    return folder / "many"


@in_soak
@pytest.mark.parametrize(("ordering", "collaboration"), STRATEGIES)
def test_a_cluster_fetches_the_pages_of_one_process(
    tmp_path: Path, cluster: Machines, web: SyntheticWeb, ordering: str, collaboration: str
) -> None:
    """The same pages; and the same nodes fetch them, where the URL decides on that."""
    wanted = replace(
        corner(web, SITES, CITIES),
        ordering=OrderingSection(strategy=ordering),
        collaboration=CollaborationSection(strategy=collaboration),
    )
    start(render(wanted), "job.toml", tmp_path / "one", synthetic=WEB)
    many = crawl_on(cluster, tmp_path, wanted)
    one, all_of_them = fetched(tmp_path / "one"), fetched(many)
    assert set(all_of_them.values()) == {1}
    assert {url for _, url in all_of_them} == {url for _, url in one}
    if collaboration in BY_URL:
        assert all_of_them == one
    print(
        f"{ordering}, {collaboration}: {len(one)} pages, by {len({node for node, _ in one})} nodes"
    )


@in_soak
def test_a_crawl_that_learns_finds_as_many_relevant_pages_on_a_cluster(
    cluster: Machines,
) -> None:
    """Among the first pages of webs without end: one difference in a hundred is beyond 4 standard
    errors with so few webs, though there is none.
    """
    one, many = learning.compared(WEBS, 2000, learning.SHARDS, cluster.address, seeds=1)
    learning.report(one, many)
    assert abs(learning.difference(one, many)) < 4
