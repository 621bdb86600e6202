"""A crawl on an S3 server: workers write to it, and all commands read it like a directory."""

import asyncio
import json
import os
import shutil
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from urllib.parse import quote

import pytest
from msgspec.structs import replace
from tests.cluster.test_cluster_workers import fetched, wanted
from tests.support.crawling import crawl, run_here, urls
from tests.support.histories import Here, held
from tests.support.little_web import LittleWeb, export, little_web
from tests.support.local_cluster import LocalCluster
from tests.support.s3_server import own_cache, s3_server
from tests.support.serving import ask, get, serve

from toponaut.cluster.reports import progress_of_actors
from toponaut.cluster.storage import DriverStorage
from toponaut.compare.measuring import measure_directory
from toponaut.crawl.directory import Directory
from toponaut.crawl.status import Snapshot, is_running, status_of
from toponaut.errors import InputError
from toponaut.index import index_folder
from toponaut.index.write.update import update_index
from toponaut.job import Job, StorageSection, render
from toponaut.log import begin
from toponaut.page.processes import Item, Result
from toponaut.records import PAGES, Outcome
from toponaut.store import open_store
from toponaut.store.mirror import local_root

URL = "s3://bucket/little"


@pytest.fixture(scope="module", autouse=True)
def _server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    cache = own_cache(tmp_path_factory.mktemp("cache"))
    with s3_server() as environment, pytest.MonkeyPatch.context() as patch:
        for name, value in (environment | cache).items():
            patch.setenv(name, value)
        yield


@pytest.fixture(scope="module")
def little() -> LittleWeb:
    return little_web(seed=5, hosts=4, pages=60)


@pytest.fixture(scope="module")
def asked(little: LittleWeb) -> Job:
    return replace(wanted(little), storage=StorageSection(seal_seconds=1))


@pytest.fixture(scope="module")
def one(little: LittleWeb, asked: Job, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The same crawl in one process, in a directory."""
    folder = export(little, tmp_path_factory.mktemp("web"))
    root = tmp_path_factory.mktemp("crawls") / "one"
    crawl(root, asked, replay=folder)
    asyncio.run(LocalCluster(URL, tmp_path_factory.mktemp("disks"), asked, folder).run(kill=True))
    return root


def test_workers_crawl_to_storage_as_to_a_directory(one: Path) -> None:
    assert fetched(local_root(URL)) == fetched(one)


def test_storage_has_only_complete_files(one: Path) -> None:  # noqa: ARG001
    store = open_store(URL)
    assert set(store.names()) == {"job.toml"}
    assert all(name.endswith(".json") for name in store.names("log/epochs"))
    warcs = [
        name.removesuffix(".warc.gz")
        for name in store.names("archive")
        if name.endswith(".warc.gz")
    ]
    assert warcs
    assert set(store.names("archive")) == {
        f"{name}.{ending}" for name in warcs for ending in ("warc.gz", "cdxj")
    }


def test_commands_read_a_crawl_by_its_url(one: Path, tmp_path: Path) -> None:
    pages = sum(fetched(one).values())
    assert (
        json.loads(run_here("status", URL, "--json").stdout)["log"]["outcomes"]["fetched"] == pages
    )
    assert measure_directory(local_root(URL)).whole.pages == pages
    assert update_index(local_root(URL)).pages == pages
    reported = run_here("export", URL, "-o", tmp_path / "all.warc.gz", "--all", "--json")
    assert reported.returncode == 0, reported.stderr
    assert json.loads(reported.stdout)["rows"] >= pages


class Machines(Here):
    """A pool that sees only the storage, not the mirror."""

    def run(
        self, function: Callable[[Item], Result], items: Sequence[Item]
    ) -> Iterator[tuple[int, Result]]:
        assert items
        assert all(getattr(one, "logs") == f"{URL}/log" for one in items)  # noqa: B009
        return super().run(function, items)


def test_machines_that_see_only_the_storage_make_its_index(one: Path) -> None:
    """They read the storage and return index parts; the mirror gets the index, not the storage."""
    root, store = local_root(URL), open_store(URL)
    before = {folder: dict(store.names(folder)) for folder in ("", "log", "index", "index/parts")}
    shutil.rmtree(index_folder(root), ignore_errors=True)
    done = update_index(root, pool=Machines(2, elsewhere=True), least=0)
    assert (done.processes, done.pages) == (2, sum(fetched(one).values()))
    assert held(index_folder(root)).keys() == set(urls(one, *PAGES))
    assert {folder: dict(store.names(folder)) for folder in before} == before


def test_warcs_are_copied_when_a_page_is_viewed(one: Path) -> None:  # noqa: ARG001
    root = local_root(URL)
    visit = next(
        one for one in Directory(root).logs.read() if one.archive and one.outcome is Outcome.FETCHED
    )
    warc = root / "archive" / visit.archive
    warc.unlink(missing_ok=True)
    with serve(root) as base:
        assert ask(base, "/api/page", url=visit.url)["archived"]
        assert not warc.exists()
        assert get(base, f"/archived?url={quote(visit.url, safe='')}").status == 200
    assert warc.read_bytes() == open_store(URL).read(f"archive/{visit.archive}")


def test_a_mirror_follows_its_crawl_and_notices_a_new_one() -> None:
    url = "s3://bucket/followed"
    logs = open_store(url).subfolder("log")
    open_store(url).write("job.toml", b"")
    begin(logs, "north", now=1.0)
    root = local_root(url)
    assert [part.name for part in Directory(root).logs.parts()] == ["main", "north@1"]
    begin(logs, "south", now=2.0)
    os.utime(root.parent / "origin", (0, 0))  # some seconds later
    assert [part.name for part in Directory(root).logs.parts()] == ["main", "north@1", "south@2"]
    for name in logs.names("epochs"):
        logs.remove(f"epochs/{name}")
    begin(logs, "west", now=3.0)
    local_root(url)
    assert [part.name for part in Directory(root).logs.parts()] == ["main", "west@1"]


def test_progress_shows_whether_the_crawl_runs(asked: Job) -> None:
    url = "s3://bucket/reported"
    little = LocalCluster(url, Path(), asked, Path())
    progress = progress_of_actors({}, little.layout, 0.0)
    home = DriverStorage(url)
    with home.open(render(asked), asked, little._strategies):
        home.write_progress(Snapshot(progress))
        home._sender.shutdown()
        root = local_root(url)
        assert is_running(Directory(root))
        home.write_progress(Snapshot(progress, "it was interrupted"))
    assert status_of(local_root(url)).stopped == "it was interrupted"
    assert status_of(root).directory == url
    assert not is_running(Directory(root))


def test_a_url_with_other_files_is_refused(asked: Job) -> None:
    open_store("s3://bucket/strange").write("photo.jpg", b"")
    home = DriverStorage("s3://bucket/strange")
    with (
        pytest.raises(InputError, match=r"holds other things \(photo.jpg\)"),
        home.open(
            render(asked), asked, LocalCluster("s3://bucket/x", Path(), asked, Path())._strategies
        ),
    ):
        pass


def test_a_url_without_a_crawl_is_reported_in_one_line() -> None:
    reported = run_here("status", "s3://bucket/none")
    assert reported.returncode == 2
    assert "s3://bucket/none holds no crawl" in reported.stderr
    assert len(reported.stderr.strip().splitlines()) == 1, reported.stderr
