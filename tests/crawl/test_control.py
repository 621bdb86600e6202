"""Commands to a running crawl: they act at once, are in the log, and outlive a kill."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.support.controlled import (
    HOST,
    LITTLE,
    PATIENCE_S,
    crawling,
    is_paused,
    wait_for,
    wanted,
)
from tests.support.crawling import run_here, urls, visits
from tests.support.webserver import TestWeb

from toponaut.crawl.control import ControlState, exclusion
from toponaut.crawl.directory import Directory
from toponaut.crawl.status import is_running
from toponaut.errors import InputError
from toponaut.job import render
from toponaut.records import Outcome

PATTERN = r"[a-z]-1[12]\d\.html$"


@pytest.fixture(scope="module")
def web() -> Iterator[TestWeb]:
    with TestWeb(LITTLE.sites) as served:
        yield served


def control(folder: Path, *line: str) -> str:
    done = run_here("control", folder / "c", *line)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_a_paused_crawl_stays_paused_until_it_is_resumed(tmp_path: Path, web: TestWeb) -> None:
    with crawling(tmp_path, web) as process:
        assert "paused" in control(tmp_path, "pause")
        again = run_here("control", tmp_path / "c", "pause")
        assert (again.returncode, "paused already" in again.stderr) == (2, True)
        wait_for(lambda: is_paused(tmp_path), process)  # it is on the disk
    asked = len(web.asked())
    with crawling(tmp_path, web) as process:  # killed, and resumed by the same command
        wait_for(lambda: is_running(Directory(tmp_path / "c")), process)
        assert len(web.asked()) == asked
        assert "resumed" in control(tmp_path, "resume", "--json")
        out, err = process.communicate(timeout=PATIENCE_S)
        assert "nothing is left to fetch" in out, err
        assert "the crawl is paused" in err
    assert set(urls(tmp_path / "c", Outcome.FETCHED)) == LITTLE.pages


def test_a_host_is_excluded_a_seed_added_and_the_budget_changed(
    tmp_path: Path, web: TestWeb
) -> None:
    with crawling(tmp_path, web, pages=1000):
        assert "waiting links dropped" in control(tmp_path, "exclude", HOST, PATTERN)
        seen = sum(f"//{HOST}/" in url for url in web.asked())
        assert "budget is 70 pages" in control(tmp_path, "budget", "70")
        assert "added 1 seed" in control(tmp_path, "seed", "http://elsewhere.test/")
    with crawling(tmp_path, web, pages=1000) as process:  # all of it holds after a kill
        out = process.communicate(timeout=PATIENCE_S)[0]
    assert "limits.pages = 70" in out
    log = visits(tmp_path / "c")
    assert any("elsewhere.test" in visit.url for visit in log)
    details = [visit.detail for visit in log if visit.outcome is Outcome.CONTROL]
    assert details[:2] == [f"exclude {HOST}", f"exclude {PATTERN}"]
    assert details[2] == "budget 70 instead of 1000"
    at = next(visit.sequence for visit in log if visit.outcome is Outcome.CONTROL)
    later = [visit.url for visit in log if visit.sequence > at + 12]  # after those in flight
    assert not [url for url in later if f"//{HOST}/" in url]
    assert sum(f"//{HOST}/" in url for url in web.asked()) <= seen + 2


@pytest.mark.parametrize(
    ("line", "words"),
    [
        (("pause",), "no crawl is running"),
        (("stop",), '"stop" is no command'),
        (("budget", "many"), "budget needs a number"),
        (("exclude",), "exclude needs a value"),
        (("exclude", "("), "is not a pattern"),
        (("seed", "mailto:a@b.test"), "is not a web address"),
    ],
)
def test_impossible_commands(tmp_path: Path, line: tuple[str, ...], words: str) -> None:
    (tmp_path / "c" / "log").mkdir(parents=True)
    (tmp_path / "c" / "job.toml").write_text(render(wanted()))
    done = run_here("control", tmp_path / "c", *line)
    assert (done.returncode, done.stderr.count("\n")) == (2, 1)
    assert words in done.stderr


def test_exclusions() -> None:
    host = exclusion("Shop.Example.org")
    assert host("https://shop.example.org/a")
    assert host("https://www.shop.example.org/")
    assert not host("https://example.org/shop.example.org")
    assert exclusion("/calendar/")("https://a.test/calendar/1")
    with pytest.raises(InputError):
        exclusion("[")


def test_a_budget_gives_way_to_a_changed_job() -> None:
    state = ControlState()
    state.add("budget 500 instead of 100")
    assert (state.pages(100), state.pages(200)) == (500, 200)
