"""The files of one life of an actor, on its disk and on the shared storage."""

import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import count
from pathlib import Path
from random import Random

import pytest
from msgspec.structs import replace
from tests.support.log_visits import visit

from toponaut.archive import read_answer
from toponaut.archive.cdxj import lines_in, parse_line
from toponaut.cluster.letters import pack
from toponaut.cluster.own_log import OwnLog
from toponaut.cluster.storage import ActorDisk
from toponaut.cluster.stored_logs import EpochLog, SegmentLetters, read_letter, read_letters
from toponaut.errors import InputError
from toponaut.job import Job, StorageSection
from toponaut.log import Epoch, FencedError, Logs, begin
from toponaut.records import QueuedLink, Response, Visit
from toponaut.store import FolderStore, PatientStore

SEGMENTS = ["000000.letters", "000000.parquet", "000001.letters", "000001.parquet"]
Begun = Callable[[], OwnLog]


@pytest.fixture
def begun(tmp_path: Path) -> Iterator[Begun]:
    """Lives of one actor, each with a disk of its own."""
    lives: list[OwnLog] = []

    def start() -> OwnLog:
        store = FolderStore(tmp_path / "shared")
        epoch = begin(store.subfolder("log"), "north", now=1.0)
        disk = tmp_path / f"disk{epoch.number}"
        lives.append(OwnLog(store, disk, epoch, Job(storage=StorageSection(warc_bytes=1_000_000))))
        return lives[-1]

    yield start
    for life in lives:
        life.close()


def crawl(life: OwnLog, pages: int, body: bytes = b"") -> None:
    """Some visits, each with its answer in the archive."""
    for _ in range(pages):
        sequence = life.log.written
        url = f"https://town.example/{sequence}"
        fetched = Response(
            url, 200, body or f"page {sequence}".encode(), response_head=b"HTTP/1.1 200 OK\r\n\r\n"
        )
        fetched = replace(fetched, payload=fetched.body)
        assert life.archive
        stored = life.archive.write(fetched, {})
        assert stored
        life.log.append(
            replace(
                visit(sequence),
                url=url,
                archive=stored.file,
                offset=stored.offset,
                length=stored.length,
            )
        )


def shipped(root: Path, folder: str) -> list[str]:
    return sorted(FolderStore(root / "shared").names(folder))


def answers(root: Path) -> dict[str, bytes]:
    """The responses that all visits on the shared storage point to."""
    visits = Logs(root / "shared" / "log").read()
    archive = root / "shared" / "archive"
    return {
        one.url: read_answer(archive / one.archive, one.offset, one.length).payload
        for one in visits
    }


def test_answers_are_there_before_the_visits_that_point_to_them(
    tmp_path: Path, begun: Begun
) -> None:
    life = begun()
    for _ in range(2):
        crawl(life, 3)
        life.roll()
    crawl(life, 1)
    life.seal()
    assert shipped(tmp_path, "log/north@1") == SEGMENTS
    names = ["north%401-000000", "north%401-001000"]
    assert shipped(tmp_path, "archive") == [
        f"{name}.{ending}" for name in names for ending in ("cdxj", "warc.gz")
    ]
    first = life.log.written - 7
    assert answers(tmp_path) == {
        f"https://town.example/{n}": b"page %d" % n for n in range(first, first + 6)
    }
    index = tmp_path / "shared" / "archive" / f"{names[0]}.cdxj"
    assert [parse_line(line).url for line in lines_in(index)] == [
        f"https://town.example/{first + k}" for k in range(3)
    ]


def test_large_segments_have_several_warcs_and_empty_ones_none(
    tmp_path: Path, begun: Begun
) -> None:
    life = begun()
    life.log.append(visit(life.log.written))  # no answer came
    life.roll()
    life.roll()  # nothing since
    for seed in range(3):
        crawl(life, 1, Random(seed).randbytes(1_200_000))  # which nothing packs
    life.roll()
    life.seal()
    assert shipped(tmp_path, "log/north@1") == SEGMENTS
    warcs = [name for name in shipped(tmp_path, "archive") if name.endswith(".warc.gz")]
    assert warcs == [f"north%401-00100{k}.warc.gz" for k in range(3)]


def test_files_of_a_fenced_life_are_known_by_their_names(tmp_path: Path, begun: Begun) -> None:
    old = begun()
    crawl(old, 2)
    old.roll()
    old.seal()
    new = begun()
    crawl(old, 2)
    old.roll()
    with pytest.raises(FencedError):
        old.seal()
    crawl(new, 1)
    new.roll()
    new.seal()
    assert len(answers(tmp_path)) == 3
    assert not [name for name in shipped(tmp_path, "archive") if name.startswith("north%401-001")]


def test_the_disk_is_bounded_and_older_files_are_read_from_the_storage(
    tmp_path: Path, begun: Begun
) -> None:
    life = begun()
    first = life.log.written
    for _ in range(8):
        crawl(life, 2)
        life.roll()
    life.seal()
    crawl(life, 1)
    life.sync()
    life.trim(needed=first + 5)  # two segments, and half of the third
    own = sorted(path.name for path in life.log.directory.glob("*.parquet"))
    assert own == [f"{number:06}.parquet" for number in range(2, 8)]
    assert len(list((tmp_path / "disk1" / "archive").glob("*.warc.gz"))) == 4 + 1
    for start in range(first, first + 18):
        if start == first + 9:
            life.trim(needed=None)
            assert not list(life.log.directory.glob("*.parquet"))
        assert sequences(life.visits_from(start)) == list(range(start, first + 17))


def sequences(visits: Iterator[Visit]) -> list[int]:
    return [one.sequence for one in visits]


def test_folders_of_the_dead_are_removed_and_those_of_the_living_are_not(tmp_path: Path) -> None:
    code = (
        "import sys; from toponaut.cluster.storage import ActorDisk;"
        "life = ActorDisk(sys.argv[1], 'toponaut-1');"
        "(life.path / 'frontier').write_text('x'); print(life.path, flush=True); sys.stdin.read()"
    )
    line = [sys.executable, "-c", code, str(tmp_path)]
    with subprocess.Popen(
        line, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout
        other = Path(process.stdout.readline().strip())
        mine = ActorDisk(str(tmp_path), "toponaut-2")
        assert (other / "frontier").exists()
        process.kill()
    another = ActorDisk(str(tmp_path), "toponaut-2")
    assert not other.exists()
    assert mine.path.is_dir()
    for life in (mine, another):
        life.end()
    assert [path.name for path in tmp_path.rglob("*")] == ["toponaut-1"]


def test_a_disk_that_cannot_be_written_is_reported(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(InputError, match="cannot be written"):
        ActorDisk(str(tmp_path / "file"), "crawl")


class Failing(FolderStore):
    """A directory that fails some times before it answers."""

    def __init__(self, root: Path, failures: int) -> None:
        super().__init__(root)
        self._left = iter(range(failures)) if failures >= 0 else count()

    def read(self, name: str, start: int = 0, end: int | None = None) -> bytes:
        if next(self._left, None) is not None:
            raise OSError(5, "Input/output error")
        return super().read(name, start, end)


def test_failing_storage_is_retried_and_finally_reported(tmp_path: Path) -> None:
    FolderStore(tmp_path).write("a", b"1")
    assert PatientStore(Failing(tmp_path, 2), 10.0).read("a") == b"1"
    with pytest.raises(FileNotFoundError):
        PatientStore(Failing(tmp_path, 1), 10.0).read("b")
    with pytest.raises(
        InputError, match=r"has failed for 0 s: Input/output error\. Nothing already written"
    ):
        PatientStore(Failing(tmp_path, -1), 0.1).read("a")


def give(life: OwnLog, owners: Sequence[str]) -> None:
    """A visit with a link for each of these."""
    sequence = life.log.written
    life.log.append(visit(sequence))
    life.add_letters(
        {
            owner: pack([QueuedLink(f"https://{owner}.example/{sequence}", 0.5, found_by=sequence)])
            for owner in owners
        }
    )


def test_letters_of_a_segment_have_the_links_of_each_receiver(tmp_path: Path, begun: Begun) -> None:
    life = begun()
    first = life.log.written
    for owners in (["south"], ["south"], [], ["west", "south"]):
        give(life, owners)
        life.roll()
    life.seal()
    logs, log = FolderStore(tmp_path / "shared" / "log"), EpochLog(1, "north", "north@1")
    letters = list(read_letters(logs, log, range(4), "south"))
    assert [(one.after, one.upto) for one in letters] == [
        (first + k, first + k + 1) for k in range(4)
    ]
    assert [[link.url for link in one.links] for one in letters] == [
        [f"https://south.example/{first}"], [f"https://south.example/{first + 1}"], [],
        [f"https://south.example/{first + 3}"],
    ]  # fmt: skip
    assert [link.found_by for one in letters for link in one.links] == [first, first + 1, first + 3]
    assert [len(one.links) for one in read_letters(logs, log, range(4), "west")] == [0, 0, 0, 1]
    assert not any(one.links for one in read_letters(logs, log, range(4), "north"))


def test_letters_to_very_many_are_found(tmp_path: Path) -> None:
    """Neither the index nor the letter fits into the first read."""
    many = [f"Cn{number}" for number in range(5000)]
    links = [
        QueuedLink(f"https://town.example/{number}/{Random(number).random()}", 0.5)
        for number in range(3000)
    ]
    letters = SegmentLetters(Epoch(1, "north"))
    letters.add({to: pack(links[:1]) for to in many[:-1]})
    letters.add({many[-1]: pack(links)})
    FolderStore(tmp_path).write("north@1/000000.letters", letters.file(0, 9))
    read = partial(read_letter, FolderStore(tmp_path), EpochLog(1, "north", "north@1"), 0)
    assert read("Cn4999").links == links
    assert read("Cn17").links == links[:1]
    assert (read("nobody").links, read("nobody").upto) == ([], 9)
