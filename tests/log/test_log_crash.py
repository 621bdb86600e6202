"""The log after torn writes, kills, power cuts, interrupted seals and full disks."""

import os
import random
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import msgspec
import pytest
from tests.support.log_visits import NODE, visit, visits, write

from toponaut.errors import InputError
from toponaut.log import LogWriter, directory_of, read, summary
from toponaut.log.files import numbers
from toponaut.records import Outcome, Visit


@pytest.fixture
def quick_disk(monkeypatch: pytest.MonkeyPatch) -> None:
    """Disables fsync, for tests that reopen a log a thousand times."""
    for name in ("fsync", "fdatasync"):
        monkeypatch.setattr(os, name, lambda _descriptor: None)


def small(sequence: int) -> Visit:
    return Visit(sequence, NODE, f"http://a.example/{sequence}", 200, Outcome.FETCHED)


@pytest.mark.usefixtures("quick_disk")
def test_a_tail_cut_at_any_byte_keeps_all_complete_visits(tmp_path: Path) -> None:
    log = write(tmp_path / "whole", [small(0), small(1)])
    content = (log / "000000.tail").read_bytes()
    ends = [16]
    for _ in range(2):
        ends.append(ends[-1] + 8 + int.from_bytes(content[ends[-1] : ends[-1] + 4], "little"))
    assert ends[-1] == len(content)
    for size in range(len(content)):
        torn = tmp_path / "torn"
        directory = directory_of(torn, NODE)
        directory.mkdir(parents=True)
        (directory / "000000.tail").write_bytes(content[:size])
        count = sum(end <= size for end in ends[1:])
        whole = ends[count] if size >= 16 else 0
        assert list(read(directory)) == [small(0), small(1)][:count]
        with LogWriter(torn, NODE) as writer:
            assert (writer.written, writer.cut) == (count, size - whole)
            writer.append(small(count))
        assert list(read(directory)) == [*[small(0), small(1)][:count], small(count)]
        aside = directory / "000000.torn"
        assert (aside.read_bytes() if aside.exists() else b"") == content[whole:size]
        shutil.rmtree(torn)


@pytest.mark.parametrize("junk", [b"\0" * 4096, b"\xff" * 20, b"\x04\0\0\0junkjunk", b"\0" * 3])
def test_junk_after_a_tail_is_set_aside(tmp_path: Path, junk: bytes) -> None:
    log = write(tmp_path, visits(3))
    for times in (1, 2):  # torn twice: both are kept
        with (log / "000000.tail").open("ab") as tail:
            tail.write(junk)
        assert list(read(log)) == visits(3)
        with LogWriter(tmp_path, NODE) as writer:
            assert writer.cut == len(junk)
        assert (log / "000000.torn").read_bytes() == junk * times
    assert list(read(log)) == visits(3)


def test_the_rest_after_a_changed_byte_is_set_aside(tmp_path: Path) -> None:
    log = write(tmp_path, visits(3))
    tail = log / "000000.tail"
    content = bytearray(tail.read_bytes())
    content[len(content) // 2] ^= 1
    tail.write_bytes(content)
    with LogWriter(tmp_path, NODE) as writer:
        assert writer.written == 1
    assert tail.read_bytes() + (log / "000000.torn").read_bytes() == content
    assert list(read(log)) == visits(1)


def _as_it_was(tmp_path: Path, state: str) -> Path:
    """A log directory with visits 0-5, as a crash during sealing leaves it."""
    log = write(tmp_path, visits(4), seal_after=(1,))  # 0.parquet, 1.tail
    pieces = tmp_path / "pieces"
    sealed = write(pieces, visits(6), seal_after=(1, 3)) / "000001.parquet"  # what 1.tail becomes
    second = sealed.with_name("000002.tail")  # and what follows it
    match state:
        case "rolled":
            shutil.copy(second, log)
        case "half written":
            shutil.copy(second, log)
            (log / "000001.parquet.part").write_bytes(sealed.read_bytes()[:1000])
        case "written":
            shutil.copy(second, log)
            shutil.copy(sealed, log / "000001.parquet.part")
        case "renamed":
            shutil.copy(second, log)
            shutil.copy(sealed, log)
        case "renamed, then damaged":
            shutil.copy(second, log)
            (log / "000001.parquet").write_bytes(sealed.read_bytes()[:-100])
        case "removed":
            shutil.copy(second, log)
            shutil.copy(sealed, log)
            (log / "000001.tail").unlink()
        case "new tail half written":
            (log / "000002.tail.part").write_bytes(b"TOPO")
        case "no tail":
            shutil.copy(sealed, log)
            (log / "000001.tail").unlink()
    shutil.rmtree(pieces)
    return log


@pytest.mark.parametrize(
    ("state", "count"),
    [
        ("rolled", 6),
        ("half written", 6),
        ("written", 6),
        ("renamed", 6),
        ("renamed, then damaged", 6),
        ("removed", 6),
        ("new tail half written", 4),
        ("no tail", 4),
    ],
)
def test_a_seal_interrupted_at_any_step_loses_and_repeats_nothing(
    tmp_path: Path, state: str, count: int
) -> None:
    log = _as_it_was(tmp_path, state)
    if state != "renamed, then damaged":  # readers do not wait for the writer's repair
        assert list(read(log)) == visits(count)
    with LogWriter(tmp_path, NODE) as writer:
        assert (writer.written, writer.cut) == (count, 0)
        assert list(read(log)) == visits(count)
        assert not list(log.glob("*.part"))
        writer.append(visit(count))
        writer.seal()
        assert list(read(log)) == visits(count + 1)
    newest = numbers(log)[-1]
    assert [path.name for path in log.glob("*.tail")] == [f"{newest:06}.tail"]
    assert len(list(log.glob("*.parquet"))) == newest


class Disk:
    """The contents of a directory after a power cut: only what was synced.

    Wraps fsync and fdatasync. At each call it notes the durable state and the number of visits
    that the writer reported as synced.
    """

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.log: LogWriter | None = None
        self.cuts: list[tuple[int, dict[str, bytes]]] = []
        self._contents: dict[int, bytes] = {}
        self._names: dict[str, int] = {}
        self._held: list[int] = []  # kept open so that no inode is reused
        for name in ("fsync", "fdatasync"):
            monkeypatch.setattr(os, name, self._synced)

    def _synced(self, descriptor: int) -> None:
        self.cut()
        path = Path(f"/proc/self/fd/{descriptor}").readlink()
        if path.is_dir():
            self._names = {one.name: one.stat().st_ino for one in path.iterdir()}
        else:
            self._contents[os.fstat(descriptor).st_ino] = path.read_bytes()
            self._held.append(os.dup(descriptor))

    def cut(self) -> None:
        """Notes the durable state at this moment."""
        durable = {name: self._contents.get(inode, b"") for name, inode in self._names.items()}
        self.cuts.append((self.log.synced if self.log else 0, durable))

    def close(self) -> None:
        for descriptor in self._held:
            os.close(descriptor)


@pytest.mark.skipif(
    not Path("/proc/self/fd").exists(), reason="the test asks the system which file is synced"
)
def test_a_power_cut_loses_no_synced_visit(tmp_path: Path) -> None:
    directory_of(tmp_path / "log", NODE).mkdir(parents=True)
    with pytest.MonkeyPatch.context() as patch:
        disk = Disk(patch)
        log = disk.log = LogWriter(tmp_path / "log", NODE)
        for one in visits(12):
            log.append(one)
            if one.sequence % 2:
                log.sync()
                disk.cut()
            if one.sequence in (4, 5, 9):
                log.seal()
                disk.cut()
        log.close()
        disk.cut()
        disk.close()
        patch.setattr(os, "fsync", lambda _descriptor: None)
        patch.setattr(os, "fdatasync", lambda _descriptor: None)
        assert len(disk.cuts) > 30
        for number, (safe, durable) in enumerate(disk.cuts):
            directory = directory_of(tmp_path / str(number), NODE)
            directory.mkdir(parents=True)
            for name, content in durable.items():
                (directory / name).write_bytes(content)
            with LogWriter(tmp_path / str(number), NODE) as again:
                back = list(read(directory))
                assert back == visits(len(back)), number
                assert safe <= len(back) == again.written, number
        assert disk.cuts[-1][0] == 12


_WRITER = """
import sys
from pathlib import Path
from tests.support.log_visits import NODE, visit
from toponaut.log import LogWriter

log = LogWriter(Path(sys.argv[1]), NODE)
print("open", flush=True)
while True:
    log.append(visit(log.written, text="x" * 3000))
    if log.written % 3 == 0:
        log.sync()
        print(log.synced, flush=True)
    if log.written % 40 == 0:
        log.seal()
"""


def test_a_killed_writer_loses_no_synced_visit(tmp_path: Path) -> None:
    moment = random.Random(9)
    directory = directory_of(tmp_path, NODE)
    before = 0
    for life in range(6):
        writer = subprocess.Popen(
            [sys.executable, "-c", _WRITER, str(tmp_path)], stdout=subprocess.PIPE, text=True
        )
        assert writer.stdout
        assert writer.stdout.readline() == "open\n"
        if life == 0:
            before = int(writer.stdout.readline())
        time.sleep(moment.uniform(0.0, 0.25))
        writer.send_signal(signal.SIGKILL)
        said = writer.stdout.read().split("\n")[:-1]  # the last line may be cut
        writer.wait()
        writer.stdout.close()
        with LogWriter(tmp_path, NODE) as log:
            safe = max([before, *map(int, said)])
            assert log.written >= safe
            back = list(read(directory))
            assert back == [visit(number, text="x" * 3000) for number in range(log.written)]
            before = log.written
    assert before > 0


_FULL = """
import resource, signal, sys
from pathlib import Path
from tests.support.log_visits import NODE, visit
from toponaut.errors import InputError
from toponaut.log import LogWriter, read

signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
_, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
log = LogWriter(Path(sys.argv[1]), NODE)
resource.setrlimit(resource.RLIMIT_FSIZE, (10_000, hard))
said = ""
while not said:
    log.append(visit(log.written))
    try:
        log.sync()
    except InputError as error:
        said = str(error)
print(said)
safe = log.synced
assert [one.sequence for one in read(log.directory)] == list(range(safe)), "no half frame"
log.append(visit(log.written))  # goes on in memory
for again in (log.sync, log.seal):
    try:
        again()
        raise SystemExit("a full disk was written to")
    except InputError:
        pass
assert log.synced == safe < log.written
resource.setrlimit(resource.RLIMIT_FSIZE, (hard, hard))
log.append(visit(log.written))
log.sync()
assert log.synced == log.written
log.roll()
resource.setrlimit(resource.RLIMIT_FSIZE, (2_000, hard))
try:
    log.seal()
    raise SystemExit("a full disk was sealed to")
except InputError as error:
    print(error)
assert not list(log.directory.glob("*.parquet*"))
resource.setrlimit(resource.RLIMIT_FSIZE, (hard, hard))
log.append(visit(log.written))
log.seal()
log.close()
print(log.written)
"""


def test_a_full_disk_is_reported_and_the_log_continues_later(tmp_path: Path) -> None:
    ran = subprocess.run(
        [sys.executable, "-c", _FULL, str(tmp_path)], capture_output=True, text=True, check=False
    )
    assert (ran.returncode, ran.stderr) == (0, "")
    full, unsealed, count = ran.stdout.splitlines()
    for said, name in ((full, "000000.tail"), (unsealed, "000000.parquet")):
        assert "the log cannot be written" in said
        assert name in said
        assert "File too large" in said
        assert "Nothing already written is lost" in said
    directory = directory_of(tmp_path, NODE)
    assert list(read(directory)) == visits(int(count))
    assert [path.name for path in sorted(directory.iterdir())] == [
        "000000.parquet",
        "000001.parquet",
        "000002.tail",
    ]


def test_an_unsynced_log_does_not_fill_the_memory(tmp_path: Path) -> None:
    with LogWriter(tmp_path, NODE) as log:
        for number in range(64):
            log.append(visit(number, text="x" * 1_000_000))
        with pytest.raises(InputError, match="64 visits wait to be written"):
            log.append(visit(64))
        log.sync()
        log.append(visit(64))
    assert log.synced == 65


def test_a_directory_that_cannot_be_created_is_reported(tmp_path: Path) -> None:
    (tmp_path / "logs").write_text("a file")
    with pytest.raises(InputError, match="the log cannot be written"):
        LogWriter(tmp_path / "logs", NODE)


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_an_unwritable_directory_is_reported(tmp_path: Path) -> None:
    log = write(tmp_path, visits(2))
    log.chmod(0o500)
    try:
        (log / "000000.tail").chmod(0o400)
        with pytest.raises(InputError, match="Permission denied"):
            LogWriter(tmp_path, NODE)
        assert list(read(log)) == visits(2)
    finally:
        log.chmod(0o700)


def test_a_tail_of_another_version_is_reported(tmp_path: Path) -> None:
    log = write(tmp_path, visits(1))
    tail = log / "000000.tail"
    tail.write_bytes(b"TOPOLOG9" + tail.read_bytes()[8:])
    for open_it in (lambda: LogWriter(tmp_path, NODE), lambda: list(read(log))):
        with pytest.raises(
            InputError,
            match=r"000000\.tail is damaged: it does not start like a log of this version",
        ):
            open_it()


def test_a_visit_with_an_unknown_outcome_is_reported(tmp_path: Path) -> None:
    """As another version may write it; msgspec does not check constructor arguments."""
    strange = msgspec.structs.replace(visit(0), outcome="abducted")
    log = write(tmp_path, [strange])
    with pytest.raises(InputError, match="a visit has a format this version cannot read"):
        list(read(log))
    with pytest.raises(InputError, match="this version has no outcome 'abducted'"):
        summary(log)
