"""Damage to the files of a crawl: it is noticed on resuming, reported, and made good."""

import json
import random
import shutil
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace
from tests.support.crawling import job, run_here, urls, visits
from tests.support.little_web import export, little_web

from toponaut.crawl.directory import LOG, Directory
from toponaut.job import Job, LimitsSection, StorageSection, render
from toponaut.log import LogWriter, tails
from toponaut.records import Outcome

LITTLE = little_web(seed=5, hosts=4, pages=100)
STOPS = (20, 45, 70)  # pages: a run, and with it a segment of the log, each


def wanted(pages: int) -> Job:
    return job([LITTLE.seed], limits=LimitsSection(private_networks=True, depth=0, pages=pages))


@pytest.fixture(scope="module")
def web(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return export(LITTLE, tmp_path_factory.mktemp("web"))


@pytest.fixture(scope="module")
def stopped(tmp_path_factory: pytest.TempPathFactory, web: Path) -> Path:
    """A crawl of three runs, each with several row groups in its segment."""
    folder = tmp_path_factory.mktemp("stopped")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(tails, "CHUNK_VISITS", 10)
        for pages in STOPS:
            crawl(folder, web, pages)
            with LogWriter(folder / "c" / "log", LOG) as log:
                log.seal()
    crawl(folder, web, STOPS[-1] + 1)  # the state is that of a clean stop
    return folder


def crawl(folder: Path, web: Path, pages: int = 0) -> str:
    """Runs the crawl in a folder; returns its messages."""
    (folder / "job.toml").write_text(render(wanted(pages)))
    done = run_here(
        "crawl", folder / "job.toml", folder / "c", "--replay", web, "--workers", "0", "-q"
    )
    assert done.returncode == 0, done.stderr
    return done.stderr


@pytest.fixture
def folder(tmp_path: Path, stopped: Path) -> Path:
    shutil.copytree(stopped, tmp_path / "copy")
    return tmp_path / "copy"


def damage(path: Path, how: str) -> None:
    whole = path.read_bytes()
    if how == "deleted":
        path.unlink()
    elif how == "cut":
        path.write_bytes(whole[: len(whole) // 2])
    else:  # one byte, near the beginning
        path.write_bytes(whole[:60] + bytes([whole[60] ^ 0xFF]) + whole[61:])


@pytest.mark.parametrize("number", [0, 1, 2])
@pytest.mark.parametrize("how", ["deleted", "cut", "changed"])
def test_pages_of_a_lost_segment_are_fetched_again(
    folder: Path, web: Path, number: int, how: str
) -> None:
    before = {visit.sequence: visit for visit in visits(folder / "c")}
    segment = folder / "c" / "log" / LOG / f"{number:06}.parquet"
    damage(segment, how)
    said = crawl(folder, web)
    assert "visits are missing from the log" in said
    if how == "deleted":
        assert "is damaged" not in said
    else:
        assert f"{segment.name} is damaged" in said
        assert segment.with_name(f"{segment.name}.damaged").exists()
    if how == "changed":
        assert "are kept" in said
    after = visits(folder / "c")
    fetched = Counter(urls(folder / "c", Outcome.FETCHED))
    assert set(fetched) == LITTLE.pages
    assert set(fetched.values()) == {1}
    assert len({visit.sequence for visit in after}) == len(after)
    kept = [visit for visit in after if visit.sequence in before]
    assert all(before[visit.sequence] == visit for visit in kept)
    assert crawl(folder, web) == ""  # reported once, and the state is sound again


def test_a_segment_that_comes_back_counts_again(folder: Path, web: Path, tmp_path: Path) -> None:
    segment = folder / "c" / "log" / LOG / "000001.parquet"
    segment.rename(tmp_path / "elsewhere")
    crawl(folder, web, STOPS[-1] + 1)
    (tmp_path / "elsewhere").rename(segment)
    crawl(folder, web)
    assert set(urls(folder / "c", Outcome.FETCHED)) == LITTLE.pages


def test_a_shortened_archive_is_noticed(tmp_path: Path) -> None:
    """Also in files before the last one."""
    web, rng = tmp_path / "web", random.Random(1)
    web.mkdir()
    lines = ["http://a.test/\t0.html\ttext/html\n"]
    (web / "0.html").write_text("".join(f"<a href=/{page}>{page}</a> " for page in range(1, 7)))
    for page in range(1, 7):
        (web / f"{page}.html").write_text(f"<p>{rng.randbytes(600_000).hex()}")
        lines.append(f"http://a.test/{page}\t{page}.html\ttext/html\n")
    (web / "manifest.tsv").write_text("".join(lines))
    storage = StorageSection(warc_bytes=1_000_000)
    (tmp_path / "job.toml").write_text(
        render(replace(job(["http://a.test/"]), storage=storage)), encoding="utf-8"
    )
    line = ("crawl", tmp_path / "job.toml", tmp_path / "c", "--replay", web, "--workers", "0", "-q")
    assert run_here(*line).stderr == ""
    warcs = sorted((tmp_path / "c" / "archive").glob("*.warc.gz"))
    assert len(warcs) > 2
    damage(warcs[0], "cut")
    damage(warcs[1], "deleted")
    said = run_here(*line).stderr
    assert f"{warcs[0].name} lacks" in said
    assert f"{warcs[1].name} lacks" in said
    assert f"toponaut check {tmp_path / 'c'}" in said
    assert warcs[-1].name not in said


@pytest.mark.parametrize("part", ["words/*.store", "words/meta.json", "pages/*", "words/*.idx"])
def test_a_damaged_index_is_rebuilt(folder: Path, part: str) -> None:
    crawled = folder / "c"
    before = run_here("search", crawled, "diner", "--json").stdout
    for path in (crawled / "index").glob(part):
        damage(path, "cut")
    found = run_here("search", crawled, "diner", "--json")
    assert found.returncode == 0, found.stderr
    assert found.stdout == before
    for path in (crawled / "index").glob(part):
        damage(path, "cut")
    assert run_here("index", crawled).returncode == 0
    assert run_here("search", crawled, "diner", "--json").stdout == before


# --- toponaut check ------------------------------------------------------------------------------


def check(folder: Path, *more: str) -> tuple[int, dict[str, Any]]:
    done = run_here("check", folder / "c", "--json", *more)
    assert done.stderr == ""
    return done.returncode, json.loads(done.stdout)


def test_a_whole_crawl_is_fine(folder: Path) -> None:
    run_here("index", folder / "c")
    code, report = check(folder)
    assert (code, report["findings"], report["missing"], report["dangling"]) == (0, [], 0, 0)
    assert report["visits"] == len(visits(folder / "c"))
    assert report["pointers"] == report["answers"] > STOPS[-1]
    assert report["indexed"] > 0
    shown = run_here("check", folder / "c")
    assert shown.returncode == 0
    assert shown.stdout.splitlines()[-1] == f"{folder / 'c'}: nothing is wrong"


def test_a_check_finds_damage_and_repairs_it(folder: Path, web: Path) -> None:
    run_here("index", folder / "c")
    log, archive = folder / "c" / "log" / LOG, folder / "c" / "archive"
    damage(log / "000001.parquet", "changed")
    cdxj = archive / "main-000000.cdxj"
    cdxj.write_bytes(b"".join(cdxj.read_bytes().splitlines(keepends=True)[3:]))
    store = next((folder / "c" / "index" / "words").glob("*.store"))
    content = store.read_bytes()
    store.write_bytes(bytes([content[0] ^ 0xFF]) + content[1:])
    before = {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}

    code, report = check(folder)
    assert code == 1
    assert before == {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}
    fates = {one["file"]: one["fate"] for one in report["findings"]}
    assert fates == {
        "log/main/000001.parquet": "repairable",
        "log/main": "gone",
        "archive/main-000000.cdxj": "repairable",
        "index": "repairable",
    }
    code, report = check(folder, "--repair")
    assert code == 1  # some visits are gone
    assert [one["fate"] for one in report["findings"]].count("repaired") == 3
    code, report = check(folder)
    assert [one["file"] for one in report["findings"]] == ["log/main"]
    assert "visits are missing" in crawl(folder, web)
    assert set(urls(folder / "c", Outcome.FETCHED)) == LITTLE.pages


@pytest.mark.parametrize("repaired", [True, False])
def test_a_tail_of_zeros_is_set_aside(folder: Path, web: Path, repaired: bool) -> None:
    """As a disk may leave it after a power cut. The next run fetches its pages again."""
    (tail,) = (folder / "c" / "log" / LOG).glob("*.tail")
    tail.write_bytes(bytes(tail.stat().st_size))
    code, report = check(folder)
    assert (code, [one["fate"] for one in report["findings"]]) == (1, ["repairable"])
    if repaired:
        assert check(folder, "--repair")[0] == 0
    assert ("set aside" in crawl(folder, web)) == (not repaired)
    assert set(urls(folder / "c", Outcome.FETCHED)) == LITTLE.pages
    assert check(folder)[0] == 0
    assert tail.with_suffix(".torn").exists()


def test_a_check_names_the_pages_that_are_gone(folder: Path) -> None:
    warc = folder / "c" / "archive" / "main-000000.warc.gz"
    archived = [visit for visit in visits(folder / "c") if visit.archive]
    lost = archived[30]
    content = bytearray(warc.read_bytes())
    content[lost.offset + lost.length // 2] ^= 0xFF
    warc.write_bytes(content)
    code, report = check(folder)
    gone = next(one for one in report["findings"] if one["pages"])
    assert (code, gone["fate"], report["records"] > 90) == (1, "gone", True)
    assert lost.url in gone["pages"]  # and perhaps copies of it
    warc.unlink()
    code, report = check(folder)
    assert report["dangling"] == report["pointers"] == len(archived)


def test_a_running_crawl_is_checked_and_not_repaired(folder: Path) -> None:
    with Directory(folder / "c").locked():
        assert check(folder)[0] == 0
        refused = run_here("check", folder / "c", "--repair")
    assert refused.returncode == 2
    assert "another crawl is running" in refused.stderr
    assert run_here("check", folder / "nothing").returncode == 2
