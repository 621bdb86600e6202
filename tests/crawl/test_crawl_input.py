"""Bad input and failures: one line says what is wrong, what is safe and what to do."""

import os
import resource
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from msgspec.structs import replace
from tests.support.crawling import CITIES, FAST, command, job, run, urls, visits
from tests.support.little_web import LittleWeb, export, little_web
from tests.support.web_answers import Answer, Slow
from tests.support.webserver import TestWeb

from toponaut.cli import main
from toponaut.crawl.directory import LOG, Directory
from toponaut.crawl.status import is_running
from toponaut.job import (
    CollaborationSection,
    Job,
    LimitsSection,
    OrderingSection,
    StorageSection,
    TargetsSection,
    render,
)
from toponaut.log import LogWriter
from toponaut.records import Outcome

Toponaut = Callable[..., tuple[int, str, str]]
LITTLE = little_web(seed=5, hosts=4, pages=60)
JOB = job([LITTLE.seed])
FEW = job([LITTLE.seed], limits=LimitsSection(private_networks=True, pages=20))


@pytest.fixture(scope="module")
def web(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The little web as a folder to replay."""
    folder = tmp_path_factory.mktemp("web")
    export(LITTLE, folder)
    return folder


@pytest.fixture
def toponaut(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str], tmp_path: Path
) -> Toponaut:
    """The command line in this process: exit code, standard output, standard error."""

    def call(*arguments: object) -> tuple[int, str, str]:
        monkeypatch.setattr("sys.argv", ["toponaut", *map(str, arguments)])
        capfd.readouterr()
        with pytest.raises(SystemExit) as ended:
            main()
        said = capfd.readouterr()
        return int(ended.value.code or 0), said.out, said.err

    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "300")
    return call


@pytest.fixture
def crawl(toponaut: Toponaut, web: Path) -> Callable[..., tuple[int, str, str]]:
    """`toponaut crawl` of the replayed web with a job, in "c"."""

    def call(wanted: Job | str = JOB, directory: str = "c", *more: object) -> tuple[int, str, str]:
        Path("job.toml").write_text(
            wanted if isinstance(wanted, str) else render(wanted), encoding="utf-8"
        )
        return toponaut(
            "crawl", "job.toml", directory, "--replay", web, "--workers", 0, "--quiet", *more
        )

    return call


def refused(answer: tuple[int, str, str], *words: str) -> None:
    """The answer is one line of complaint with these words in it."""
    code, out, err = answer
    assert (code, out, err.count("\n")) == (2, "", 1), err
    assert err.startswith("toponaut: ")
    for word in words:
        assert word in err


def finished(answer: tuple[int, str, str], directory: str = "c", little: LittleWeb = LITTLE) -> str:
    """Check that a crawl found everything; return its messages."""
    code, out, err = answer
    assert code == 0, err
    assert "stopped because nothing is left to fetch" in out
    assert out.count("\n") == 1
    assert "Traceback" not in err
    assert set(urls(Path(directory), Outcome.FETCHED)) == little.pages
    return err


def seal() -> None:
    """Seal the log of "c"."""
    with LogWriter(Path("c/log"), LOG) as log:
        assert log.seal() == 1


# --- the job --------------------------------------------------------------------------------------
# ------------------


@pytest.mark.parametrize(
    ("wanted", "words"),
    [
        (replace(JOB, seeds=()), ["has no seeds", "add seeds"]),
        (
            replace(JOB, seeds=("http://ok.test/", "ftp://x/")),
            ["must be a web address", '"ftp://x/"'],
        ),
        (replace(JOB, seeds=("example.com",)), ["write https://example.com/"]),
        (replace(JOB, targets=TargetsSection()), ["has no targets", "add [targets]"]),
        (
            replace(JOB, targets=TargetsSection(places=("Nowhereville",))),
            ['no place is called "Nowhereville"'],
        ),
        (
            replace(JOB, targets=TargetsSection(presets=("mars",))),
            ['no preset "mars"', "us-top-100"],
        ),
        (
            replace(JOB, ordering=OrderingSection(strategy="best")),
            ['no ordering "best"', "link-distance"],
        ),
        (
            replace(JOB, collaboration=CollaborationSection(strategy="hush")),
            ['no collaboration "hush"', "hash"],
        ),
    ],
)
def test_a_bad_job_is_refused_before_anything_is_written(
    crawl: Toponaut, toponaut: Toponaut, wanted: Job, words: list[str]
) -> None:
    refused(crawl(wanted), *words)
    assert not Path("c").exists()
    refused(toponaut("job", "job.toml"), *words)  # the check says the same


def test_a_job_file_that_is_missing_or_not_toml(crawl: Toponaut, toponaut: Toponaut) -> None:
    refused(toponaut("crawl", "missing.toml", "c"), "missing.toml", "No such file")
    refused(crawl("seeds = ["), "job.toml:1")
    Path("job.toml").write_bytes(b"\xff\xfe")
    refused(toponaut("crawl", "job.toml", "c"), "UTF-8")


@pytest.mark.parametrize("workers", ["-1", "100000"])
def test_impossible_numbers_of_workers(crawl: Toponaut, workers: str) -> None:
    refused(crawl(JOB, "c", "--workers", workers), f"--workers is {workers}", "Give 0")
    assert not Path("c").exists()


def test_a_job_may_change_in_part(crawl: Toponaut) -> None:
    assert crawl(FEW)[0] == 0
    begun = visits(Path("c"))
    other = replace(
        JOB,
        targets=TargetsSection(places=CITIES[1:]),
        ordering=OrderingSection(strategy="breadth-first"),
    )
    refused(crawl(other), "targets.places, ordering.strategy", "limits", "may change")
    assert visits(Path("c")) == begun
    assert Path("c/job.toml").read_text() == render(FEW)
    more = ("http://www.diner-0.test/missing/new.html",)
    changed = replace(
        JOB,
        seeds=JOB.seeds + more,
        politeness=replace(FAST, delay=0.2),
        storage=StorageSection(warc=False),
    )
    finished(crawl(changed))
    seeded = [
        [link.url for link in visit.links]
        for visit in visits(Path("c"))
        if visit.outcome is Outcome.SEEDED
    ]
    assert seeded == [list(JOB.seeds), list(more)]
    assert more[0] in urls(Path("c"), Outcome.GONE)


# --- the directory
# --------------------------------------------------------------------------------------------------


def test_directories_that_cannot_be_written_to(crawl: Toponaut) -> None:
    Path("file").write_text("")
    for name in ("file", "file/c", "/proc/c", "/dev/null/c"):
        refused(crawl(JOB, name), f"{name} cannot be written to", "Name another directory")


def test_a_directory_with_other_files_is_not_touched(crawl: Toponaut) -> None:
    Path("c").mkdir()
    Path("c/letters").write_text("dear")
    refused(crawl(), "c holds other things (letters)", "new or empty")
    assert [path.name for path in Path("c").iterdir()] == ["letters"]
    Path("c/letters").unlink()
    finished(crawl())


@pytest.mark.parametrize(
    "left",
    [["lock"], ["lock", "job.toml.new"], ["lock", "log/", "archive/", "state/", "job.toml.new"]],
)
def test_a_directory_of_an_interrupted_start_is_accepted(crawl: Toponaut, left: list[str]) -> None:
    Path("c").mkdir()
    for name in left:
        Path("c", name).mkdir() if name.endswith("/") else Path("c", name).write_text("se")
    finished(crawl())


def test_a_damaged_or_lost_job_in_the_directory(crawl: Toponaut, toponaut: Toponaut) -> None:
    crawl(FEW)
    whole = Path("c/job.toml").read_bytes()
    for damage in (b"seeds = [\n", b"\xff\xfe\x00", b""):
        Path("c/job.toml").write_bytes(damage)
        for answer in (crawl(), toponaut("status", "c"), toponaut("explain", "c", LITTLE.seed)):
            refused(answer, "the job in c is damaged", "The crawl is safe")
    Path("c/job.toml").unlink()
    refused(crawl(), "c has a log and no job", "as c/job.toml")
    Path("c/job.toml").write_bytes(whole)
    finished(crawl())


def test_a_directory_without_a_crawl(toponaut: Toponaut) -> None:
    for name in (".", "missing"):
        refused(toponaut("status", name), "holds no crawl", "toponaut crawl")
        refused(toponaut("explain", name, "http://a.test/"), "holds no crawl")


def test_text_that_is_not_a_url_is_not_explained(crawl: Toponaut, toponaut: Toponaut) -> None:
    crawl(FEW)
    for url in (
        "",
        "hello world",
        "mailto:somebody@a.test",
        "javascript:alert(1)",
        "ftp://a.test/",
        "http://",
        "::",
    ):
        refused(toponaut("explain", "c", url), f'"{url}" is not an http or https URL')


def test_two_crawls_in_one_directory(toponaut: Toponaut, tmp_path: Path) -> None:
    sites: dict[str, dict[str, str | bytes | Answer]] = {
        "a.test": {"/robots.txt": "", "/": Slow(delay=60)}
    }
    patient = job(
        ["http://a.test/"], politeness=replace(FAST, read_timeout=90.0, total_timeout=90.0)
    )
    Path("job.toml").write_text(render(patient))
    with TestWeb(sites) as server:
        line, environment = command("crawl", "job.toml", "c", "--workers", "0", proxy=server.proxy)
        first = subprocess.Popen(line, env=environment, cwd=tmp_path)
        try:
            while "http://a.test/" not in server.asked():
                assert first.poll() is None
                time.sleep(0.05)
            assert is_running(Directory(Path("c")))
            answer = toponaut("crawl", "job.toml", "c", "--workers", 0)
            refused(
                answer,
                f"another crawl is running in c (process {first.pid})",
                f"kill -INT {first.pid}",
            )
        finally:
            first.kill()
            first.wait()
    assert not is_running(Directory(Path("c")))


# --- damage ---------------------------------------------------------------------------------------
# ------------------


def damaged(path: Path, how: str) -> None:
    whole = path.read_bytes()
    middle = len(whole) // 2
    if how == "flipped":
        path.write_bytes(
            bytes(255 - one if place % 50 == 0 else one for place, one in enumerate(whole))
        )
    elif how == "cut":
        path.write_bytes(whole[:middle])
    elif how == "garbage":
        path.write_bytes(b"\x00garbage\xff" * 40)
    else:
        path.unlink()


@pytest.mark.parametrize("how", ["flipped", "cut"])
def test_a_damaged_segment_is_named_and_a_copy_repairs_the_log(
    crawl: Toponaut, toponaut: Toponaut, how: str
) -> None:
    crawl(FEW)
    seal()
    segment = Path("c/log/main/000000.parquet")
    whole = segment.read_bytes()
    damaged(segment, how)
    refused(
        toponaut("explain", "c", LITTLE.seed),
        f"{segment} is damaged",
        "All other files of the log are safe",
        "Restore this file from a copy",
        "toponaut check DIR --repair",
    )
    segment.write_bytes(whole)
    assert finished(crawl()) == ""


def test_a_segment_that_is_moved_away_is_made_good_and_the_archive_is_kept(crawl: Toponaut) -> None:
    crawl(FEW)
    seal()
    before = Path("c/archive/main-000000.warc.gz").read_bytes()
    damaged(Path("c/log/main/000000.parquet"), "deleted")
    assert "visits are missing from the log" in finished(crawl())
    assert Path("c/archive/main-000000.warc.gz").read_bytes().startswith(before)


@pytest.mark.parametrize("how", ["cut", "garbage", "deleted"])
def test_a_damaged_archive_is_reported_and_the_crawl_continues(crawl: Toponaut, how: str) -> None:
    crawl(FEW)
    damaged(Path("c/archive/main-000000.warc.gz"), how)
    said = finished(crawl())
    assert "main-000000.warc.gz lacks" in said
    assert said.count("\n") == 1
    assert Path("c/archive/main-000001.warc.gz").exists()


def test_damage_amid_the_archive_does_not_stop_the_crawl(crawl: Toponaut) -> None:
    crawl(FEW)
    damaged(Path("c/archive/main-000000.warc.gz"), "flipped")
    finished(crawl())


def test_bytes_after_the_last_archived_answer_are_cut_off(crawl: Toponaut) -> None:
    crawl(FEW)
    warc = Path("c/archive/main-000000.warc.gz")
    whole = warc.read_bytes()
    warc.write_bytes(whole + b"\x1f\x8bhalf a record")
    assert finished(crawl()) == ""
    assert warc.read_bytes().startswith(whole)
    assert b"half a record" not in warc.read_bytes()


@pytest.mark.parametrize("how", ["flipped", "cut", "garbage", "deleted"])
def test_a_damaged_state_is_rebuilt_from_the_log(
    crawl: Toponaut, toponaut: Toponaut, how: str
) -> None:
    crawl(FEW)
    for path in Path("c/state").rglob("*"):
        if path.is_file():
            damaged(path, how)
    assert toponaut("status", "c")[0] == 0
    assert finished(crawl()) == ""
    assert len(urls(Path("c"), Outcome.FETCHED)) == len(LITTLE.pages)  # none twice


def test_a_torn_log_is_repaired_and_reported(crawl: Toponaut) -> None:
    crawl(FEW)
    tail = Path("c/log/main/000000.tail")
    tail.write_bytes(tail.read_bytes()[:-100])
    assert "bytes of an interrupted write" in finished(crawl())


# --- what is replayed
# -----------------------------------------------------------------------------------------------


def test_replays_of_nothing(toponaut: Toponaut) -> None:
    Path("empty").mkdir()
    Path("empty.warc").write_bytes(b"")
    Path("broken.warc.gz").write_bytes(b"no WARC at all")
    Path("broken.wacz").write_bytes(b"PK no zip")
    Path("list").mkdir()
    Path("list/manifest.tsv").write_text("http://a.test/\tmissing.html\n")
    Path("job.toml").write_text(render(JOB))
    for name in ("missing", "empty", "empty.warc", "broken.warc.gz", "broken.wacz", "list"):
        refused(toponaut("crawl", "job.toml", "c", "--replay", name), name)
        assert not Path("c").exists()


# --- a full disk
# --------------------------------------------------------------------------------------------------
# --


def limited(size: int, *arguments: object, proxy: str = "") -> tuple[int, str, str]:
    """The command line in a process that can write no file of more than `size` bytes."""
    line, environment = command(*map(str, arguments), proxy=proxy)
    ended = subprocess.run(
        line,
        env=environment,
        capture_output=True,
        text=True,
        timeout=60,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (size, size)),
    )
    return ended.returncode, ended.stdout, ended.stderr


# What is written first that is larger: the lock, the job, the frontier, the archive's index or the
# log's tail.
@pytest.mark.parametrize("size", [0, 100, 5_000, 40_000])
def test_a_full_disk_stops_the_crawl_and_space_lets_it_resume(
    crawl: Toponaut, web: Path, size: int
) -> None:
    Path("job.toml").write_text(render(JOB))
    line = ("crawl", "job.toml", "c", "--replay", web, "--workers", 0, "--quiet")
    refused(
        limited(size, *line),
        "is full",
        "Everything written is safe",
        "repeat the command",
    )
    finished(crawl())


def test_a_full_disk_is_noticed_between_visits(tmp_path: Path) -> None:
    sites: dict[str, dict[str, str | bytes | Answer]] = {
        "a.test": {
            "/robots.txt": "",
            "/": "<p>much to write " * 3000 + '<a href="/slow">slow</a>',
            "/slow": Slow(delay=90),
        }
    }
    patient = job(
        ["http://a.test/"], politeness=replace(FAST, read_timeout=90.0, total_timeout=90.0)
    )
    (tmp_path / "job.toml").write_text(render(patient))
    line = ("crawl", tmp_path / "job.toml", tmp_path / "c", "--workers", 0, "--quiet")
    with TestWeb(sites) as server:
        refused(
            limited(30_000, *line, proxy=server.proxy),
            "000000.tail: File too large",
            "Nothing already written is lost",
        )
        assert "http://a.test/slow" in server.asked()


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[Callable[[int], Path]]:
    """A file system whose size can be set, in KB, where we may mount one."""
    if sys.platform != "linux" or os.geteuid() != 0 or not shutil.which("mount"):
        pytest.skip("only root can mount a file system")
    place = tmp_path / "disk"
    place.mkdir()

    def resized(size: int) -> Path:
        again = "remount," if place.is_mount() else ""
        done = subprocess.run(
            ["mount", "-t", "tmpfs", "-o", f"{again}size={size}k", "none", place],
            capture_output=True,
        )
        if done.returncode:
            pytest.skip("no file system can be mounted here")
        return place

    yield resized
    if place.is_mount():
        subprocess.run(["umount", "-l", place], check=True)


# Full while the archive grows, and (mostly) while the first second of the log is sealed.
@pytest.mark.parametrize("size", [250, 850])
def test_a_disk_that_fills_up_on_the_way(
    toponaut: Toponaut, disk: Callable[[int], Path], size: int
) -> None:
    little = little_web(seed=5, hosts=4, pages=150)
    Path("job.toml").write_text(render(job([little.seed], politeness=replace(FAST, delay=0.03))))
    directory = disk(size) / "c"
    line = ("crawl", "job.toml", directory, "--workers", "0", "--quiet")
    with TestWeb(little.sites) as server:
        full = run(*line, proxy=server.proxy)
        assert (full.returncode, full.stdout) == (2, "")
        *sealing, last = full.stderr.splitlines()
        assert all(
            line.startswith("toponaut: cannot seal the log, will retry: ") for line in sealing
        )
        assert "No space left on device" in last
        assert "written is" in last  # safe, or not lost
        assert toponaut("status", directory)[0] == 0
        kept = visits(directory)
        disk(10_000)
        room = run(*line, proxy=server.proxy)
        finished((room.returncode, room.stdout, room.stderr), str(directory), little)
    assert visits(directory)[: len(kept)] == kept
