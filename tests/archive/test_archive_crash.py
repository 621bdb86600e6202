"""The archive after kills, torn writes, lying and full disks: valid, and losses are reported."""

import errno
import json
import os
import random
import resource
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from msgspec.structs import replace
from warcio.archiveiterator import ArchiveIterator

from toponaut.archive import ArchiveWriter, RecordLocation, TruncateResult, read_answer
from toponaut.errors import InputError
from toponaut.records import Response

MAX_BYTES = 6000
FILE = "north-{:06d}.warc.gz"


def answer(number: int) -> Response:
    """Every third page is a copy of an earlier one."""
    payload = (b"<p>page %d " % (number - number % 3 * 2 if number > 6 else number)) * 150
    head = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n"
    url = f"http://example.com/{number}"
    return Response(url, 200, payload, "text/html", started=1.8e9 + number,
    request_head=b"GET / HTTP/1.1\r\n\r\n",
                   response_head=head, payload=payload)  # fmt: skip


def writer(directory: Path) -> ArchiveWriter:
    return ArchiveWriter(directory, "north", max_bytes=MAX_BYTES, info={"software": "Toponaut"})


def write(archive: ArchiveWriter, numbers: range) -> list[RecordLocation]:
    stored = [archive.write(answer(number), {"number": number}) for number in numbers]
    return [one for one in stored if one is not None]


def content(directory: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in directory.iterdir()}


def check(directory: Path, stored: list[RecordLocation]) -> None:
    """Valid by warcio, complete by the log's places, and indexed line by line."""
    for path in directory.glob("*.warc.gz"):
        with path.open("rb") as stream:
            for record in ArchiveIterator(stream, check_digests="raise"):
                record.content_stream().read()
    for number, one in enumerate(stored):
        assert (
            read_answer(directory / one.file, one.offset, one.length).payload
            == answer(number).payload
        )
    lines = [line for index in directory.glob("*.cdxj") for line in index.read_text().splitlines()]
    places = sorted(
        (entry["filename"], int(entry["offset"]))
        for entry in (json.loads(one.split(" ", 2)[2]) for one in lines)
    )
    assert places == sorted((one.file, one.offset) for one in stored)


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, list[RecordLocation]]:
    directory = tmp_path_factory.mktemp("undisturbed")
    with writer(directory) as archive:
        stored = write(archive, range(24))
    check(directory, stored)
    assert len({one.file for one in stored}) > 2
    return directory, stored


def test_a_torn_archive_is_cut_to_its_log(
    tmp_path: Path, undisturbed: tuple[Path, list[RecordLocation]]
) -> None:
    """After resuming, the archive does not depend on how much of the last second was on disk."""
    whole, stored = undisturbed
    chance = random.Random(4)
    for case in range(30):
        directory = tmp_path / str(case)
        shutil.copytree(whole, directory)
        known = chance.randrange(len(stored))  # answers that the log knows of
        last = stored[known - 1] if known else None
        for path in sorted(directory.iterdir()):  # later bytes may be torn anywhere, or missing
            safe = (
                last.end
                if last and path.name == last.file
                else 0
                if last is None or path.name > last.file
                else None
            )
            if path.suffix == ".cdxj":
                path.unlink() if chance.random() < 0.5 else None
            elif safe is not None:
                os.truncate(path, chance.randint(safe, path.stat().st_size))
        archive = writer(directory)
        result = archive.truncate_to(*((last.file, last.end) if last else ("", 0)))
        assert (result.missing, result.file) == (0, "")
        assert write(archive, range(known, 24)) == stored[known:]
        archive.close()
        assert content(directory) == content(whole)


def test_without_a_log_a_torn_tail_is_cut(
    tmp_path: Path, undisturbed: tuple[Path, list[RecordLocation]]
) -> None:
    whole, stored = undisturbed
    [*_, file] = sorted({one.file for one in stored})
    last = [one for one in stored if one.file == file]
    chance = random.Random(5)
    for case in range(25):
        directory = tmp_path / str(case)
        shutil.copytree(whole, directory)
        size = chance.randint(0, last[-1].end)
        os.truncate(directory / file, size)
        if case % 2:  # a hole of zeros, as after a power cut
            os.truncate(directory / file, size + 700)
        kept = [one for one in stored if one.file < file or one.end <= size]
        with writer(directory) as archive:
            assert write(archive, range(len(kept), 24)) == stored[len(kept) :]
        check(directory, stored)


def test_an_archive_shorter_than_its_log_says_what_is_missing(
    tmp_path: Path, undisturbed: tuple[Path, list[RecordLocation]]
) -> None:
    whole, stored = undisturbed
    last = stored[-1]
    before = next(one for one in reversed(stored[:-1]) if one.file == last.file)
    for damage in ("cut", "zeros", "gone"):
        directory = tmp_path / damage
        shutil.copytree(whole, directory)
        path = directory / last.file
        if damage == "gone":
            path.unlink()
        else:
            os.truncate(path, last.end - 10)
        if damage == "zeros":
            os.truncate(path, last.end)
        archive = writer(directory)
        result = archive.truncate_to(last.file, last.end)
        start = 0 if damage == "gone" else before.end
        assert result == TruncateResult(missing=last.end - start, file=last.file)
        assert (directory / f"{last.file}.torn").exists() == (damage != "gone")
        [new] = write(archive, range(24, 25))
        assert new.file > last.file  # no place in the log leads to a wrong record
        archive.close()
        with pytest.raises(InputError, match=r"has no answer|there is no"):
            read_answer(path, last.offset, last.length)
        assert (
            read_answer(directory / new.file, new.offset, new.length).url == "http://example.com/24"
        )
        with writer(directory) as again:
            assert again.truncate_to(new.file, new.end) == TruncateResult()


def test_a_log_of_another_crawl(tmp_path: Path) -> None:
    with pytest.raises(
        InputError, match=r'"south-000000.warc.gz" is not an archive file of node "north". The log'
    ):
        writer(tmp_path).truncate_to("south-000000.warc.gz", 5)


@pytest.mark.parametrize("node", ["a/b", "..", "Île de-France", "north-000000", "a*"])
def test_nodes_may_be_called_anything(tmp_path: Path, node: str) -> None:
    for name in (node, "a", "north"):
        with ArchiveWriter(tmp_path / "archive", name, max_bytes=MAX_BYTES, info={}) as archive:
            write(archive, range(2))
    archive = ArchiveWriter(tmp_path / "archive", node, max_bytes=MAX_BYTES, info={})
    [stored] = write(archive, range(2, 3))
    archive.close()
    assert stored.file.endswith("-000000.warc.gz")  # its own file, taken up again
    assert len(list((tmp_path / "archive").glob("*.warc.gz"))) == 3
    assert [path.name for path in tmp_path.iterdir()] == ["archive"]
    ArchiveWriter(tmp_path / "archive", node, max_bytes=MAX_BYTES, info={}).truncate_to("", 0)
    assert len(list((tmp_path / "archive").glob("*.warc.gz"))) == 2  # of the other nodes


KILLED = """
import sys
from pathlib import Path
sys.path.insert(0, sys.argv[2])
from test_archive_crash import answer, writer
archive = writer(Path(sys.argv[1]))
lines = []
for number in range(100_000):
    stored = archive.write(answer(number), {"number": number})
    lines.append(f"{stored.file} {stored.offset} {stored.length} {stored.digest}")
    if number % 5 == 4:
        archive.sync()
        print(*lines, sep="\\n", flush=True)  # as a log: only durable answers
        lines.clear()
"""


def test_kill(tmp_path: Path) -> None:
    """Compares locations, not bytes: packing depends on the processor (archive/records.py)."""
    chance = random.Random(6)
    for case in range(3):
        directory = tmp_path / str(case)
        command = [sys.executable, "-c", KILLED, str(directory), str(Path(__file__).parent)]
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
            assert process.stdout is not None
            lines = [process.stdout.readline() for _ in range(5 * chance.randrange(1, 30))]
            process.send_signal(signal.SIGKILL)
            lines += process.stdout
        places = [line.split() for line in lines]
        stored = [
            RecordLocation(file, int(offset), int(length), digest)
            for file, offset, length, digest in places
        ]
        archive = writer(directory)
        assert (
            archive.truncate_to(stored[-1].file, stored[-1].end).missing == 0
        )  # to what a log would know
        stored += write(archive, range(len(stored), len(stored) + 4))
        archive.close()
        check(directory, stored)


def test_a_full_disk_loses_nothing(tmp_path: Path) -> None:
    """RLIMIT_FSIZE makes writes fail like a full disk: within a group, or at byte 0."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    ignored = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    archive = writer(tmp_path)
    stored = write(archive, range(2))
    archive.sync()
    safe = stored[-1].end
    stored += write(archive, range(2, 3))
    try:
        for limit in (safe, safe + 1, safe + 400):
            resource.setrlimit(resource.RLIMIT_FSIZE, (limit, hard))
            with pytest.raises(OSError, match="File too large") as caught:
                archive.sync()
            assert caught.value.errno == errno.EFBIG
            assert (tmp_path / stored[-1].file).stat().st_size == safe
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
        stored += write(archive, range(3, 6))  # there is room again
        archive.sync()
        assert (
            tmp_path / stored[-1].file
        ).stat().st_size >= MAX_BYTES  # the next answer begins a file
        resource.setrlimit(resource.RLIMIT_FSIZE, (100, hard))
        for _ in range(2):
            with pytest.raises(OSError, match="File too large"):
                archive.write(answer(6), {"number": 6})
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
        signal.signal(signal.SIGXFSZ, ignored)
    stored += write(archive, range(6, 8))
    assert stored[-1].file == FILE.format(1)
    archive.close()
    check(tmp_path, stored)


def test_an_answer_that_finds_no_room_is_not_taken(tmp_path: Path) -> None:
    """More than a megabyte is not held back: then a write fails, and can be made again."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    ignored = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    archive = ArchiveWriter(tmp_path, "north", max_bytes=10**8, info={})
    noise = random.Random(7).randbytes(300_000)
    answers = [replace(answer(number), payload=noise + bytes([number])) for number in range(5)]
    stored = [archive.write(one, {}) for one in answers[:4]]
    try:
        resource.setrlimit(resource.RLIMIT_FSIZE, (1000, hard))
        with pytest.raises(OSError, match="File too large"):
            archive.write(answers[4], {})
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
        signal.signal(signal.SIGXFSZ, ignored)
    stored.append(archive.write(answers[4], {}))
    archive.close()
    read = [
        read_answer(tmp_path / one.file, one.offset, one.length).payload for one in stored if one
    ]
    assert read == [one.payload for one in answers]


def test_the_growing_archive_can_be_read(tmp_path: Path) -> None:
    archive = writer(tmp_path)
    for number in range(5):
        [stored] = write(archive, range(number, number + 1))
        archive.sync()
        read = read_answer(tmp_path / stored.file, stored.offset, stored.length)
        assert read.payload == answer(number).payload
        with (tmp_path / stored.file).open("rb") as stream:
            assert sum(1 for _ in ArchiveIterator(stream)) > 3 * (number % 4)
    archive.close()


def test_a_directory_that_may_not_be_written(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"")
    with pytest.raises(OSError, match="file"):
        write(writer(tmp_path / "file" / "archive"), range(1))
