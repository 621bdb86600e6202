"""A watch that is killed at random moments ends as one that nobody disturbed.

`make soak` kills it more often than `make test`: TOPONAUT_KILLS times in each of three cities.
"""

import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any, NamedTuple

import msgspec
import pytest
from tests.support.crawling import urls, visits
from tests.support.watching import ChangingCity, days_left, receiving

from toponaut.api.crawls import Crawl
from toponaut.crawl.progress import Totals
from toponaut.log import Logs
from toponaut.records import Outcome
from toponaut.timing import SimulatedTime
from toponaut.watch.feeds import ChangeReader
from toponaut.watch.plan import WatchPlan

KILLS = int(os.environ.get("TOPONAUT_KILLS", "2"))
SOAK = KILLS > 4
SEEDS = (5, 6, 7) if SOAK else (5,)
SHOPS, DAYS = 12 if SOAK else 6, 16 + 2 * KILLS


class WatchResult(NamedTuple):
    """What a watch leaves behind."""

    feed: list[dict[str, Any]]
    history: dict[str, Any]
    schedule: dict[str, tuple[float, ...]]
    requests: list[tuple[str, str, float]]


@pytest.mark.parametrize("seed", SEEDS)
def test_a_watch_that_is_killed_ends_as_an_undisturbed_one(tmp_path: Path, seed: int) -> None:
    city = ChangingCity(seed, SHOPS)
    city.crawl(tmp_path / "crawl", "lambda")
    per_day = len(urls(tmp_path / "crawl", Outcome.FETCHED)) // 5
    quiet = Path(shutil.copytree(tmp_path / "crawl", tmp_path / "quiet"))
    city.watch(quiet, per_day, DAYS)
    killed = Path(shutil.copytree(tmp_path / "crawl", tmp_path / "killed"))
    with receiving(refuses=lambda number: number % 5 == 1) as receiver:
        kills = _watch_with_kills(killed, receiver.url, seed, per_day)
        city.watch(killed, per_day, days_left(killed, DAYS), receiver.url)
        sent = receiver.ids
    assert kills >= 0.8 * KILLS
    expected, found = result_of(quiet, per_day), result_of(killed, per_day)
    assert found.requests == expected.requests
    assert found.feed == expected.feed
    assert found.history == expected.history
    assert found.schedule == expected.schedule
    assert len(expected.feed) >= 2
    assert list(dict.fromkeys(sent)) == [one["id"] for one in found.feed]  # none lost, in order
    assert len(sent) <= len(found.feed) + KILLS  # one is sent again if its note was lost
    assert Crawl(killed).check().ok


def _watch_with_kills(directory: Path, post: str, seed: int, per_day: int) -> int:
    line = [sys.executable, "-m", "tests.support.watching", str(directory), post]
    numbers = map(str, (seed, SHOPS, per_day, DAYS, KILLS))
    return int(subprocess.run([*line, *numbers], stdout=subprocess.PIPE, check=True).stdout)


def result_of(directory: Path, per_day: int) -> WatchResult:
    """Everything that follows from the log, without positions in files."""
    reader = ChangeReader(Logs(directory / "log"))
    feed = [_plain(change) for change in reader.read()]
    history = {key: _plain(place) for key, place in reader.fold.places.items()}
    requests = [(one.url, str(one.outcome), one.time) for one in visits(directory) if one.url]
    return WatchResult(feed, history, _schedule(directory, per_day), requests)


def _schedule(directory: Path, per_day: int) -> dict[str, tuple[float, ...]]:
    """When each page is due, and the columns from which that follows."""
    crawl, clock = Crawl(directory), SimulatedTime()
    agenda = WatchPlan(per_day).agenda(crawl.job, directory / "folded", Totals(), clock)
    for visit in visits(directory):
        agenda.learn(visit)
    agenda.put_due(-1.0)  # plans, and puts nothing
    names = ("last", "due", "rate", "importance", "strikes", "visits")
    columns = zip(*(agenda.pages.column(name).tolist() for name in names), strict=True)
    return {agenda.pages.record(row).url: values for row, values in enumerate(columns)}


def _plain(value: object) -> Any:
    """As JSON, without the numbers of visits and the places in the archive."""
    made = msgspec.to_builtins(value)

    def strip(one: Any) -> Any:
        if isinstance(one, dict):
            left_out = ("sequence", "archive", "offset", "length")
            return {key: strip(inner) for key, inner in one.items() if key not in left_out}
        return [strip(inner) for inner in one] if isinstance(one, list | tuple) else one

    return strip(made)


@pytest.fixture(autouse=True)
def _no_proxy(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("no_proxy", "127.0.0.1")
