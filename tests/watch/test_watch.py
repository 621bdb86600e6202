"""Watches on the changing web: what they notice, what they spend, and what a kill costs."""

import json
import shutil
from pathlib import Path
from statistics import median

import pytest
from tests.support.crawling import run_here, urls, visits
from tests.support.watching import DAY_S, ChangingCity, closed_hosts, receiving

from toponaut.api.crawls import Crawl
from toponaut.api.watching import place_history
from toponaut.app.crawl_watcher import CrawlWatcher
from toponaut.crawl.progress import Totals
from toponaut.crawl.status import status_of
from toponaut.errors import InputError
from toponaut.job import Job
from toponaut.log import Logs
from toponaut.records import Outcome, Visit
from toponaut.timing import SimulatedTime
from toponaut.watch.budget import RequestBudget
from toponaut.watch.changes import Change, ChangeKind
from toponaut.watch.delivery import Delivery
from toponaut.watch.feeds import ChangeReader, as_atom, as_geojson
from toponaut.watch.plan import check_pace
from toponaut.watch.revisit_table import RevisitTable

SHOPS, DAYS = 30, 30


@pytest.fixture(scope="module")
def city() -> ChangingCity:
    return ChangingCity(seed=3, shops=SHOPS)


@pytest.fixture(scope="module")
def crawled(city: ChangingCity, tmp_path_factory: pytest.TempPathFactory) -> Path:
    directory = tmp_path_factory.mktemp("crawl") / "c"
    city.crawl(directory)
    return directory


@pytest.fixture(scope="module")
def watched(city: ChangingCity, crawled: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Thirty days with one request a page a week."""
    directory = Path(shutil.copytree(crawled, tmp_path_factory.mktemp("watch") / "c"))
    city.watch(directory, _per_day(crawled), DAYS)
    return directory


def _per_day(crawled: Path) -> int:
    return len(urls(crawled, Outcome.FETCHED)) // 7


@pytest.fixture(scope="module")
def changes(watched: Path) -> list[Change]:
    return Crawl(watched).changes()


def test_closed_shops_are_noticed_within_a_week(city: ChangingCity, watched: Path) -> None:
    """Of those that close: at least 85 %, at least 95 % rightly, within 7 days in the median."""
    reader = ChangeReader(Logs(watched / "log"))
    noticed = closed_hosts(list(reader.read()))
    closings = city.closings(reader)
    late = 18 * DAY_S  # those that closed at the end may be noticed after it
    closed = [host for host, moment in closings.items() if 1000 < moment < late]
    assert len(closed) >= 4
    found = [host for host in closed if host in noticed]
    assert len(found) >= 0.85 * len(closed)
    right = [host for host, moment in noticed.items() if closings[host] <= moment]
    assert len(right) >= 0.95 * len(noticed)
    assert median((noticed[host] - closings[host]) / DAY_S for host in found) <= 7


def test_a_watch_stays_within_its_budget(watched: Path) -> None:
    found = status_of(watched).progress
    assert found is not None
    assert found.watch is not None
    assert 0 < found.watch.used <= found.watch.budget + 1
    assert found.watch.pages == found.pages
    assert found.watch.next
    start = next(one.sequence for one in visits(watched) if one.outcome is Outcome.CONTROL)
    requests = [one for one in visits(watched) if one.sequence > start and one.url]
    assert len(requests) <= 30 * found.watch.budget + found.watch.budget / 96 + 1


def test_the_dashboard_counts_a_page_once(watched: Path) -> None:
    shown = CrawlWatcher(watched).look().numbers
    progress = status_of(watched).progress
    assert progress is not None
    assert (shown.pages, shown.relevant) == (progress.pages, progress.relevant)
    assert shown.watch == progress.watch


def test_no_page_starves(watched: Path) -> None:
    looked = {one.url for one in visits(watched) if one.revisit}
    fetched = {one.url for one in visits(watched) if one.outcome is Outcome.FETCHED}
    hosts = {url.split("/")[2] for url in looked}
    missing = {url for url in fetched - looked if url.split("/")[2] in hosts}
    assert len(missing) <= 0.05 * len(fetched)


def test_unchanged_pages_are_not_logged_again(watched: Path) -> None:
    same = [one for one in visits(watched) if one.outcome is Outcome.CONFIRMED]
    assert same
    assert not any(one.text or one.addresses for one in same)
    assert any(one.status == 304 for one in same)
    assert any(one.status == 200 for one in same)  # other bytes, the same facts
    assert all(one.archive for one in same)


def test_every_change_has_its_proof_in_the_archive(watched: Path, changes: list[Change]) -> None:
    assert {one.kind for one in changes} >= {ChangeKind.CLOSED, ChangeKind.MOVED}
    by_number = {one.sequence: one for one in visits(watched)}
    for change in changes:
        visit = by_number[change.evidence.sequence]
        assert (visit.archive, visit.offset) == (change.evidence.archive, change.evidence.offset)
        assert 0 < change.confidence <= 1


def test_the_schedule_is_a_fold_over_the_log(watched: Path, tmp_path: Path) -> None:
    """Read in one go, or in two with another table between: the same columns."""
    tables = []
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
        tables.append(RevisitTable(tmp_path / name))
    for visit in visits(watched):
        tables[0].learn(visit)
    for visit in Logs(watched / "log").read(tables[1].learns_from):
        tables[1].learn(visit)
    for column in ("last", "changes", "same_days", "importance", "facts", "strikes"):
        assert (tables[0].column(column) == tables[1].column(column)).all()


def test_formats(watched: Path, changes: list[Change]) -> None:
    lines = run_here("changes", watched, "--format", "jsonl").stdout.splitlines()
    assert [json.loads(line)["id"] for line in lines] == [one.id for one in changes]
    shown = json.loads("".join(as_geojson(changes)))
    assert len(shown["features"]) == len(changes)
    feed = "".join(as_atom(changes))
    assert feed.count("<entry>") == len(changes)
    closed = run_here("changes", watched, "--kind", "closed").stdout
    assert closed.count("\n") == sum(one.kind is ChangeKind.CLOSED for one in changes)


def test_the_history_of_a_place(watched: Path, changes: list[Change]) -> None:
    moved = next(one for one in changes if one.kind is ChangeKind.MOVED)
    found = place_history(watched, moved.place)
    addresses = [one.value for one in found.place.facts if one.name == "address"]
    assert addresses.index(moved.before) < addresses.index(moved.after)
    assert moved in found.changes
    assert moved.evidence.url in found.pages
    said = run_here("explain", watched, moved.place).stdout
    assert f"moved: {moved.name}" in said
    assert "first seen day 1" in said
    none = run_here("explain", watched, "0" * 16)
    assert (none.returncode, none.stderr.count("\n")) == (2, 1)
    assert "this crawl has no place 0000000000000000" in none.stderr


# --- delivery ------------------------------------------------------------------------------------


def test_changes_are_delivered_once_in_order(changes: list[Change], tmp_path: Path) -> None:
    def wait(_: float) -> bool:
        return False

    some, more = changes[:3], changes[:5]
    with receiving(refuses=lambda number: number < 2) as receiver:
        assert Delivery(tmp_path, receiver.url, 0.0).send(some, wait) == 3
        assert Delivery(tmp_path, receiver.url, 0.0).send(more, wait) == 2  # as after a restart
        assert receiver.ids == [one.id for one in more]


def test_a_receiver_that_refuses_is_named(changes: list[Change], tmp_path: Path) -> None:
    with pytest.raises(InputError, match="does not accept changes"):
        Delivery(tmp_path, "http://127.0.0.1:9/x", 0.0).send(changes, lambda _: False, tries=2)


# --- bad input -----------------------------------------------------------------------------------


def test_a_budget_that_politeness_cannot_use() -> None:
    check_pace(86_400, 1, 1.0)
    with pytest.raises(InputError, match=r"100,000 requests a day cannot be made: 1 host with 1 s"):
        check_pace(100_000, 1, 1.0)


@pytest.mark.parametrize(
    ("options", "cause"),
    [
        (("--since", "2999-01-01"), "is in the future"),
        (("--since", "yesterday"), '--since is "yesterday"'),
        (("--format", "xml"), '--format is "xml"'),
        (("--kind", "burnt"), '"burnt" is no kind of change'),
        (("--post", "ftp://x"), '--post is "ftp://x"'),
    ],
)
def test_bad_input(watched: Path, options: tuple[str, ...], cause: str) -> None:
    done = run_here("changes", watched, *options)
    assert (done.returncode, done.stdout) == (2, "")
    assert cause in done.stderr
    assert done.stderr.count("\n") == 1


def test_a_budget_that_politeness_cannot_use_is_refused(watched: Path) -> None:
    done = run_here("watch", watched, "--requests-per-day", "100000000")
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (2, "", 1)
    assert "100,000,000 requests a day cannot be made" in done.stderr


def test_a_watch_needs_a_crawl(tmp_path: Path) -> None:
    done = run_here("watch", tmp_path / "none")
    assert done.returncode == 2
    assert "holds no crawl" in done.stderr


# --- the budget ----------------------------------------------------------------------------------


def test_the_budget_is_spread_over_the_day() -> None:
    """96 requests a day: one each quarter of an hour, and no more after a long pause."""
    time_ = SimulatedTime()
    limits = RequestBudget(Job(), Totals(), time_, 96, 0)
    made = 0
    while time_.now() < DAY_S:
        if limits.has_room(0):
            limits.learn(_request(time_.now()))
            made += 1
        else:
            time_.advance_to(limits.room_at(0))
    assert made in (96, 97)
    time_.advance_to(10 * DAY_S)
    assert limits.has_room(0)
    assert not limits.has_room(1)


def _request(now: float) -> Visit:
    return Visit(0, "a", "http://a.org/", 200, Outcome.CONFIRMED, time=now)
