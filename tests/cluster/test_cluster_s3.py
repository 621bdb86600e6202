"""A crawl on a real Ray cluster whose storage is an S3 server; the command is killed on the way and
given again.
"""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from msgspec.structs import replace
from tests.cluster.test_cluster_workers import wanted
from tests.support.clusters import begun, cluster, fetched, in_soak, wait_for_pages
from tests.support.crawling import crawl, run
from tests.support.histories import MANY, held, two_lives
from tests.support.little_web import export, little_web
from tests.support.s3_server import own_cache, s3_server

from toponaut.crawl.status import status_of
from toponaut.index import index_folder
from toponaut.index.write.update import update_index
from toponaut.job import StorageSection, render
from toponaut.store import open_store
from toponaut.store.mirror import local_root

URL = "s3://bucket/crawls/little"


@pytest.fixture
def machines(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of a machine that finds the server, and so does this process."""
    cache = own_cache(tmp_path_factory.mktemp("cache"))
    with s3_server() as environment, pytest.MonkeyPatch.context() as patch:
        for name, value in (environment | cache).items():
            patch.setenv(name, value)
        with cluster(1) as made:
            yield made.address


@in_soak
def test_a_crawl_is_kept_on_s3(tmp_path: Path, machines: str) -> None:
    web = little_web(seed=7, hosts=8, pages=250)
    folder = export(web, tmp_path / "web")
    asked = replace(wanted(web), storage=StorageSection(seal_seconds=1))
    (tmp_path / "job.toml").write_text(render(asked))
    line = (
        "crawl",
        tmp_path / "job.toml",
        URL,
        "--replay",
        folder,
        "--cluster",
        machines,
        "--workers",
        "0",
        "--quiet",
    )
    with begun(*line) as first:
        wait_for_pages(local_root(URL), 40, first)
    done = run(*line)
    assert done.returncode == 0, done.stderr
    assert f"{URL}: stopped because nothing is left to fetch" in done.stdout
    crawl(tmp_path / "one", asked, replay=folder)
    assert fetched(local_root(URL)) == fetched(tmp_path / "one")
    assert status_of(local_root(URL)).stopped == "nothing is left to fetch"


@in_soak
def test_tasks_make_its_index(tmp_path: Path, machines: str) -> None:
    """They read the storage themselves; the index is in the mirror, where readers on this machine
    look for it.
    """
    root, store = two_lives(tmp_path / "crawl"), open_store("s3://bucket/indexed")
    for path in [root / "job.toml", *root.glob("log/epochs/*.json"), *root.glob("log/*/*.parquet")]:
        store.put(str(path.relative_to(root)), path)
    done = run("index", store.where, "--cluster", machines, "--workers", "2", "--json")
    assert done.returncode == 0, done.stderr
    assert (json.loads(done.stdout)["visits"], json.loads(done.stdout)["processes"]) == (MANY, 2)
    update_index(root)
    assert held(index_folder(local_root(store.where))) == held(index_folder(root))
    assert set(store.names()) == {"job.toml"}
    assert store.names("index") == store.names("index/parts") == {}


def test_without_a_cluster_it_is_refused_in_one_line(tmp_path: Path) -> None:
    (tmp_path / "job.toml").write_text(render(wanted(little_web(seed=7, hosts=2, pages=2))))
    done = run("crawl", tmp_path / "job.toml", "s3://bucket/crawl")
    assert done.returncode == 2
    assert (
        "s3://bucket/crawl is not a directory on this machine. "
        "Crawl there on a cluster: --cluster auto" in done.stderr
    )
    assert len(done.stderr.strip().splitlines()) == 1, done.stderr
