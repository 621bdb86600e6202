"""The contract of shared storage, for a mounted directory, file:// and an S3 server."""

import multiprocessing
from collections.abc import Iterator
from pathlib import Path
from uuid import uuid4

import pytest
from tests.support.s3_server import s3_server

from toponaut.errors import InputError
from toponaut.log.epochs import begin, epochs
from toponaut.store import FolderStore, Store, check_exclusive, open_store


@pytest.fixture(scope="module")
def server() -> Iterator[None]:
    """Settings for all processes that the tests start."""
    with s3_server() as environment, pytest.MonkeyPatch.context() as patch:
        for name, value in environment.items():
            patch.setenv(name, value)
        yield


@pytest.fixture(params=["directory", "file", "s3"])
def where(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """The URL of empty storage."""
    if request.param == "s3":
        request.getfixturevalue("server")
        return f"s3://bucket/{uuid4().hex}"
    return (
        str(tmp_path / "shared") if request.param == "directory" else (tmp_path / "shared").as_uri()
    )


@pytest.fixture
def store(where: str) -> Store:
    return open_store(where)


def test_a_file_is_created_once(store: Store) -> None:
    assert store.create("log/epochs/000001.json", b"first")
    assert not store.create("log/epochs/000001.json", b"second")
    assert store.read("log/epochs/000001.json") == b"first"
    assert store.subfolder("log").read("epochs/000001.json") == b"first"
    check_exclusive(store, "probe")
    assert not store.exists("probe")


def test_written_files_are_visible_at_once_and_replaceable(store: Store) -> None:
    for content in (b"one", b"", b"\x00" * 3_000_000):
        store.write("state/progress.json", content)
        assert store.read("state/progress.json") == content
        if content:
            assert store.read("state/progress.json", 1, 9) == content[1:9]
        assert store.names("state") == {"progress.json": len(content)}
    store.remove("state/progress.json")
    store.remove("state/progress.json")
    assert not store.exists("state/progress.json")


def test_files_are_copied_and_removed_completely(store: Store, tmp_path: Path) -> None:
    own = tmp_path / "segment"
    own.write_bytes(b"visits" * 200_000)
    store.put("log/Cn1@17/000000.parquet", own)
    store.put("log/keeper 0@2/000000.parquet", own)
    with store.opened("log/Cn1@17/000000.parquet") as path:
        assert path.read_bytes() == own.read_bytes()
        assert path.name == "000000.parquet"
    assert store.names("log/Cn1@17") == {"000000.parquet": 1_200_000}
    assert store.names("log/keeper 0@2") == {"000000.parquet": 1_200_000}
    assert store.names("log") == store.names() == {}


def test_missing_files_differ_from_failures(store: Store) -> None:
    assert not store.exists("log/epochs/000001.json")
    assert store.names("log/nobody@1") == {}
    with pytest.raises(FileNotFoundError):
        store.read("log/epochs/000001.json")
    with pytest.raises(FileNotFoundError), store.opened("log/nobody@1/000000.parquet"):
        pass


def test_listings_are_not_cached(where: str) -> None:
    """Other clients write to the same storage."""
    mine, theirs = open_store(where), open_store(where)
    mine.write("log/a", b"1")
    assert mine.names("log") == {"a": 1}
    theirs.write("log/b", b"2")
    assert mine.names("log") == {"a": 1, "b": 1}
    assert mine.exists("log/b")


def _begin_some(where: str, actor: str, lives: int) -> None:
    for _ in range(lives):
        begin(open_store(where), actor, now=0.0)


def test_concurrent_epochs_form_one_chain(where: str) -> None:
    each = 3 if where.startswith("s3:") else 10  # a race on the test's server takes seconds
    start = multiprocessing.get_context("spawn").Process
    processes = [
        start(target=_begin_some, args=(where, actor, each))
        for actor in ("north", "north", "south")
    ]
    for process in processes:
        process.start()
    for process in processes:
        process.join()
        assert process.exitcode == 0
    found = epochs(open_store(where))
    numbers = range(1, 3 * each + 1)
    assert [one.number for one in found] == list(numbers)
    for actor, lives in (("north", 2 * each), ("south", each)):
        chain = [one for one in found if one.actor == actor]
        assert len(chain) == lives
        assert [one.before for one in chain] == [0, *(one.number for one in chain[:-1])]
    assert not list(
        Path(where).rglob(".*.part")
    )  # no reader ever sees a partial file, if it is a directory
    assert set(open_store(where).names("epochs")) == {f"{number:06}.json" for number in numbers}


def test_a_killed_writer_leaves_no_partial_file(tmp_path: Path) -> None:
    (tmp_path / "log").mkdir()
    (tmp_path / "log" / ".000000.parquet.4f.part").write_bytes(b"half")
    assert FolderStore(tmp_path).names("log") == {}


@pytest.mark.parametrize(
    ("where", "cause"),
    [
        ("sftp-like://host/crawl", "Protocol not known"),
        (
            "ftp://host.example/crawl",
            "cannot create a file there only if it does not exist. Use s3://",
        ),
        ("gs://bucket/crawl", "Install the package that fsspec needs"),
    ],
)
def test_unsuitable_storage_is_refused_in_one_line(where: str, cause: str) -> None:
    with pytest.raises(InputError, match=cause) as refused:
        check_exclusive(open_store(where), "probe")
    assert "\n" not in str(refused.value)


def test_a_missing_bucket_is_reported(server: None) -> None:  # noqa: ARG001
    with pytest.raises(InputError, match="s3://nowhere/crawl cannot be written to"):
        check_exclusive(open_store("s3://nowhere/crawl"), "probe")


class Lenient(FolderStore):
    """A server that does not check whether a file exists."""

    def create(self, name: str, content: bytes) -> bool:
        self.write(name, content)
        return True


def test_a_server_without_exclusive_creation_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="lets two clients create the same file"):
        check_exclusive(Lenient(tmp_path), "probe")
