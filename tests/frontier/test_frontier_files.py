"""The frontier's files: clean closes, kills, damage and full disks."""

import errno
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path

import pytest

from toponaut import frontier as door
from toponaut.frontier import Frontier, spool
from toponaut.records import QueuedLink
from toponaut.urls import host_of

ENTRIES = [
    QueuedLink(f"https://h{number % 40}.example/{number}", float(number % 7))
    for number in range(3_000)
]


def filled(directory: Path, entries: Sequence[QueuedLink] = ENTRIES) -> Frontier:
    frontier = Frontier(directory, 1)
    frontier.put(entries)
    return frontier


def drain(frontier: Frontier) -> list[QueuedLink]:
    entries = []
    while entry := frontier.next(0.0):
        entries.append(entry)
        frontier.release(host_of(entry.url), 0.0)
    return entries


def test_all_lists_the_public_names() -> None:
    assert door.__all__ == ["Frontier"]


def test_a_new_frontier_has_no_position(tmp_path: Path) -> None:
    frontier = Frontier(tmp_path / "deep" / "down", 1)
    assert frontier.position is None
    assert (len(frontier), frontier.seen, frontier.hosts, frontier.busy) == (0, 0, 0, 0)
    assert frontier.next(0.0) is None
    assert frontier.ready_at() is None
    assert frontier.put([]) == frontier.drop("unknown.example") == 0
    assert frontier.new([]) == []


def test_a_closed_frontier_resumes(tmp_path: Path) -> None:
    expected = drain(filled(tmp_path / "undisturbed"))
    frontier = filled(tmp_path / "closed")
    started = [entry for _ in range(40) if (entry := frontier.next(0.0))]
    frontier.close(b"after 40")

    again = Frontier(tmp_path / "closed", 1)
    assert again.position == b"after 40"
    assert again.busy == 0, "nobody asks a host while nothing runs"
    assert not any(again.new([entry.url for entry in ENTRIES]))
    assert drain(again) == [entry for entry in expected if entry not in started]


def test_opening_removes_the_marker(tmp_path: Path) -> None:
    """A frontier that was opened and not closed must not pass for a closed one."""
    filled(tmp_path).close(b"here")
    assert Frontier(tmp_path, 1).position == b"here"
    frontier = Frontier(tmp_path, 1)
    assert frontier.position is None
    assert len(frontier) == frontier.seen == 0


def test_another_seed_is_another_order(tmp_path: Path) -> None:
    filled(tmp_path).close(b"here")
    assert Frontier(tmp_path, 2).position is None


def marred(path: Path) -> None:
    raw = bytearray(path.read_bytes())
    raw[len(raw) // 2] ^= 1
    path.write_bytes(raw)


@pytest.mark.parametrize(
    "name",
    ["closed", "urls.promise", "urls.free", "seen-*.keys", "names-*.values", "hosts.at", "spool-1"],
)
@pytest.mark.parametrize(
    "harm", [marred, Path.unlink, lambda path: path.write_bytes(path.read_bytes()[:-1])]
)
def test_damaged_files_cause_a_rebuild(tmp_path: Path, name: str, harm: object) -> None:
    filled(tmp_path).close(b"here")
    assert callable(harm)
    (path,) = tmp_path.glob(name)
    harm(path)
    frontier = Frontier(tmp_path, 1)
    assert frontier.position is None
    assert frontier.put(ENTRIES) == len(ENTRIES)
    assert len(drain(frontier)) == len(ENTRIES)


def test_a_frontier_of_another_version_is_rebuilt(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as older:
        older.setattr("toponaut.frontier.marker._FORMAT", ("0", "url"))
        filled(tmp_path).close(b"here")
    assert Frontier(tmp_path, 1).position is None


KILLED = """
import sys
from pathlib import Path
from toponaut.frontier import Frontier
from toponaut.records import QueuedLink
from toponaut.urls import host_of

frontier = Frontier(Path(sys.argv[1]), 1)
number = 0
while True:
    numbers = range(number, number + 60)
    frontier.put([QueuedLink(f"https://h{one % 40}.example/{one}", one % 7) for one in numbers])
    number += 60
    entry = frontier.next(number)
    frontier.release(host_of(entry.url), number)
    if number == 6_000:
        print("now", flush=True)
"""


def test_a_kill_leaves_a_directory_that_is_rebuilt(tmp_path: Path) -> None:
    filled(tmp_path).close(b"here")
    with subprocess.Popen(
        [sys.executable, "-c", KILLED, str(tmp_path)], stdout=subprocess.PIPE
    ) as process:
        assert process.stdout
        assert process.stdout.readline() == b"now\n"
        process.kill()
    assert process.returncode == -signal.SIGKILL
    frontier = Frontier(tmp_path, 1)
    assert frontier.position is None
    frontier.put(ENTRIES)
    assert drain(frontier) == drain(filled(tmp_path / "undisturbed"))


FULL = """
import resource, sys
from pathlib import Path
from toponaut.frontier import Frontier
from toponaut.records import QueuedLink
from toponaut.urls import host_of

resource.setrlimit(resource.RLIMIT_FSIZE, (int(sys.argv[2]), resource.RLIM_INFINITY))
frontier = Frontier(Path(sys.argv[1]), 1)
inside, number = [], 0
while True:
    numbers = range(number, number + 60)
    batch = [QueuedLink(f"https://h{one}.example/{one}", one % 7) for one in numbers]
    try:
        frontier.put(batch)
    except OSError:
        break
    inside += batch
    number += 60
for _ in range(3):
    try:
        frontier.put(batch)
    except OSError as error:
        print(error.strerror)
assert len(frontier) == frontier.seen == len(inside), (len(frontier), frontier.seen, len(inside))
assert frontier.new([entry.url for entry in batch]) == [True] * 60
resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
inside += batch
assert frontier.put(batch) == 60
frontier.close(b"")
frontier = Frontier(Path(sys.argv[1]), 1)
assert frontier.position == b""
found = []
while entry := frontier.next(0.0):
    found.append(entry)
assert len(found) == len(inside)
assert {entry.url for entry in found} == {entry.url for entry in inside}
promises = sorted((entry.promise for entry in inside), reverse=True)
assert [entry.promise for entry in found] == promises
"""


@pytest.mark.parametrize("limit", [16 << 10, 1_500 << 10], ids=["columns", "spool"])
def test_a_full_disk_raises_and_does_no_harm(tmp_path: Path, limit: int) -> None:
    """With a real file size limit, set and removed."""
    done = subprocess.run(
        [sys.executable, "-c", FULL, str(tmp_path), str(limit)], capture_output=True, text=True
    )
    assert done.stderr == ""
    assert done.stdout.splitlines() == ["File too large"] * 3


class Disk:
    """Makes allocations and writes fail: the n-th time after n - 1 successes."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.failures, self._successes = 0, 0
        self._claim, self._write = os.posix_fallocate, os.pwrite
        monkeypatch.setattr(os, "posix_fallocate", self.claim)
        monkeypatch.setattr(os, "pwrite", self.write)

    def _may_fail(self) -> None:
        self._successes += 1
        if self._successes > self.failures:
            self.failures, self._successes = self.failures + 1, 0
            raise OSError(errno.ENOSPC, "No space left on device")

    def claim(self, file: int, offset: int, length: int) -> None:
        self._may_fail()
        self._claim(file, offset, length)

    def write(self, file: int, data: memoryview, offset: int) -> int:
        written = self._write(file, data[:1000], offset)
        self._may_fail()
        return written


def deeds() -> Iterator[Callable[[Frontier], object]]:
    """Operations that grow all parts of a frontier."""
    for turn in range(150):
        higher = [QueuedLink(f"https://old{number}.example/", 1.0 + turn) for number in range(3)]
        batch = [
            QueuedLink(f"https://h{turn * 7 + number % 9}.example/{turn}/{number}", 0.5)
            for number in range(60)
        ]
        gone = [f"https://gone.example/{turn}/{number}" for number in range(20)]
        yield partial(Frontier.put, entries=batch)
        yield partial(Frontier.put, entries=higher)
        yield partial(Frontier.put_back, entry=batch[0])
        yield partial(Frontier.mark_taken, urls=gone)
        yield partial(Frontier.hold, host=f"dull{turn}.example", at=1.0)


def test_a_failed_write_at_any_point_does_no_harm(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(spool, "SEGMENT", 20_000)
    monkeypatch.setattr(spool, "_BUFFER", 5_000)
    undisturbed, disturbed = (
        Frontier(tmp_path / "undisturbed", 1),
        Frontier(tmp_path / "disturbed", 1),
    )
    for deed in deeds():
        deed(undisturbed)
    disk = Disk(monkeypatch)
    for deed in deeds():
        done = False
        while not done:
            before = len(disturbed), disturbed.seen
            try:
                deed(disturbed)
                done = True
            except OSError:
                assert (len(disturbed), disturbed.seen) == before
    assert disk.failures > 20
    assert disturbed.seen == 150 * (60 + 20) + 3
    assert disturbed.hosts == undisturbed.hosts
    assert drain(disturbed) == drain(undisturbed)


def test_the_spool_is_at_most_twice_its_live_records(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A crawl that takes the newest URLs first, so a few of every segment remain."""
    monkeypatch.setattr(spool, "SEGMENT", 20_000)
    monkeypatch.setattr(spool, "_BUFFER", 1_000)
    frontier, left, size = Frontier(tmp_path, 1), set(), 0
    for turn in range(400):
        batch = [
            QueuedLink(f"https://h{number}.example/{turn}/{'long/' * 8}", float(number < 55))
            for number in range(60)
        ]
        frontier.put(batch)
        left |= {entry.url for entry in batch}
        for _ in range(55):
            entry = frontier.next(0.0)
            assert entry is not None
            left.remove(entry.url)
        for number in range(60):
            frontier.release(f"h{number}.example", 0.0)
        live = sum(len(url) + 30 for url in left)
        size = max(size, frontier.memory()["spool"] - 2 * live)
    assert len(left) == len(frontier) == 2_000
    assert size < 100_000, "a few segments"
    assert len(list(tmp_path.glob("spool-*"))) < 25
    assert {entry.url for entry in drain(frontier)} == left


def test_moving_urls_forward_does_not_grow_the_spool(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(spool, "SEGMENT", 20_000)
    frontier = Frontier(tmp_path, 1)
    for turn in range(3_000):
        frontier.put([QueuedLink("https://a.example/", float(turn))])
    assert frontier.memory()["spool"] < 60_000
    assert drain(frontier) == [QueuedLink("https://a.example/", 2_999.0)]


def test_disk_space_is_allocated_before_use(tmp_path: Path) -> None:
    """Writing into a hole of a sparse file kills the process when the disk is full."""
    frontier = filled(tmp_path)
    columns = [path for path in tmp_path.iterdir() if not path.name.startswith("spool")]
    assert len(columns) == 7 + 2 + 2 + 12 + 2 + 2 + 1
    assert all(path.stat().st_blocks * 512 >= path.stat().st_size for path in columns)
    assert len(frontier) == len(ENTRIES)


def test_slots_are_reused(tmp_path: Path) -> None:
    frontier = Frontier(tmp_path, 1)
    sizes = []
    for turn in range(60):
        frontier.put(
            [QueuedLink(f"https://h.example/{turn}/{number}", 1.0) for number in range(500)]
        )
        assert frontier.drop("h.example") == 500
        sizes.append(frontier.memory()["urls"])
    assert sizes[0] == sizes[-1]
    assert frontier.seen == 30_000
    assert frontier.memory()["spool"] < 5_000_000


def test_two_frontiers_do_not_touch_each_other(tmp_path: Path) -> None:
    one, other = filled(tmp_path / "one"), filled(tmp_path / "other", ENTRIES[:10])
    one.drop("h1.example")
    assert len(drain(other)) == 10
    assert len(drain(one)) == len(ENTRIES) - 75


def test_close_releases_files_and_mappings(tmp_path: Path) -> None:
    """A closed frontier leaves no open files or mappings."""
    before = len(list(Path("/proc/self/fd").iterdir()))
    for turn in range(5):
        filled(tmp_path / str(turn)).close(b"")
    assert len(list(Path("/proc/self/fd").iterdir())) <= before
    assert str(tmp_path) not in Path("/proc/self/maps").read_text()
