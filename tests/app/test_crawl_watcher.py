"""The crawl watcher on hand-made logs, its curves, and metrics for Prometheus."""

import os
import re
from pathlib import Path
from shutil import rmtree

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace
from tests.support.watched import (
    BOSTON,
    DENVER,
    INTERRUPTED,
    SEATTLE,
    START,
    VISITS,
    append,
    at,
    set_limit,
    snapshot,
    visit,
    write,
)

from toponaut.app.crawl_watcher import (
    CrawlNumbers,
    CrawlState,
    CrawlWatcher,
    NodeState,
    OutcomeCount,
)
from toponaut.app.dashboard import format_metrics
from toponaut.app.log_statistics import (
    LatestPage,
    LiveHarvestCurve,
    PaceCurve,
    SnapshotHistory,
    Tally,
)
from toponaut.crawl.address_counts import AddressCounts
from toponaut.crawl.directory import LOG, Directory
from toponaut.crawl.status import write_snapshot
from toponaut.job import load
from toponaut.log import seal
from toponaut.records import Outcome

# --- curves ---------------------------------------------------------------------------------------


@given(st.lists(st.booleans(), max_size=400), st.integers(2, 12).map(lambda half: 2 * half))
def test_every_point_of_a_curve_is_exact(relevant: list[bool], shown: int) -> None:
    curve = LiveHarvestCurve(shown)
    for one in relevant:
        curve.add(one)
    points = curve.points()
    assert len(points) <= shown
    assert [pages for pages, _, _ in points[-1:]] == ([len(relevant)] if relevant else [])
    assert [pages for pages, _, _ in points] == sorted({pages for pages, _, _ in points})
    for pages, harvest, window in points:
        assert harvest == round(sum(relevant[:pages]) / pages, 4)
        # The window may be up to a step longer than nominal.
        step = max(1, 2 * len(relevant) // shown)
        spans = range(min(pages, curve.window), min(pages, curve.window + step) + 1)
        assert window in {round(sum(relevant[pages - span : pages]) / span, 4) for span in spans}


def test_a_curve_of_few_pages() -> None:
    curve = LiveHarvestCurve()
    for relevant in (True, False, True, True):
        curve.add(relevant)
    assert curve.points() == [(1, 1.0, 1.0), (2, 0.5, 0.5), (3, 0.6667, 0.6667), (4, 0.75, 0.75)]
    assert curve.window == 50


def test_the_window_of_a_long_curve() -> None:
    """20,000 pages, the first half relevant: the last window of 1,000 has no relevant page."""
    curve = LiveHarvestCurve()
    for number in range(20_000):
        curve.add(number < 10_000)
    points = curve.points()
    assert curve.window == 1000
    assert 100 <= len(points) <= 200
    assert points[-1] == (20_000, 0.5, 0.0)
    assert all(
        (harvest, window) == (1.0, 1.0) for pages, harvest, window in points if pages <= 10_000
    )
    assert all(window == 0.0 for pages, _, window in points if pages >= 11_100)


def test_the_pace_leaves_pauses_out() -> None:
    pace = PaceCurve()
    for time in (0, 0.5, 1.2, 90_000, 90_000.5, 90_001.5):
        pace.add(START + time)
    # Active after 0, 0.5, 1.2, 301.2, 301.7 and 302.7 s, in intervals of 2 s.
    points = pace.points()
    assert points[0] == (1.0, 1.5)
    assert {rate for _, rate in points[1:-1]} == {0.0}
    assert points[-1] == (301.0, 1.0)
    assert len(points) == 151


@given(st.lists(st.integers(0, 10**7), max_size=300))
def test_a_pace_counts_every_page_in_bounded_memory(times: list[int]) -> None:
    pace = PaceCurve(10)
    active, latest, moments = 0, None, []
    for time in times:
        pace.add(START + time)
        active += min(max(time - latest, 0), 300) if latest is not None else 0
        latest = max(time, latest or 0)
        moments.append(active)
    points = pace.points()
    assert len(points) < 10
    if points:
        width = 2 * points[0][0]
        buckets = [int(moment / width) for moment in moments]
        assert [rate for _, rate in points] == [
            round(buckets.count(k) / width, 3) for k in range(max(buckets))
        ]
    elif moments:
        assert moments[-1] < 1  # less than a second of activity


def test_a_history_of_snapshots() -> None:
    seen = SnapshotHistory(4)
    assert (seen.queue(), seen.pace()) == ([], [])
    for second in range(9):
        seen.add(START + second, 10 * second * second, 100 + second)
    assert seen.queue() == [(0, 100), (160, 104), (640, 108)]
    assert seen.pace() == [(4.0, 40.0), (8.0, 120.0)]
    seen.add(START + 10, 640, 109)
    assert seen.queue()[-1] == (640, 109)
    assert seen.pace()[-1] == (10.0, 0.0)


def test_a_tally_keeps_frequent_names() -> None:
    tally = Tally(10)
    for number in range(3000):
        tally.add(f"once{number}")
        tally.add(f"often{number % 3}")
    assert tally.most_common(3) == [("often0", 1000), ("often1", 1000), ("often2", 1000)]
    assert len(tally.most_common(1000)) <= 20


# --- watching -------------------------------------------------------------------------------------


def test_the_state_of_a_hand_made_crawl(tmp_path: Path) -> None:
    root = write(tmp_path / "crawl", snapshot(stopped=INTERRUPTED))
    state = CrawlWatcher(root).look()
    assert (state.name, state.state, state.stopped, state.trouble) == (
        "crawl",
        "stopped",
        INTERRUPTED,
        "",
    )
    assert state.numbers == CrawlNumbers(
        visits=9, pages=5, relevant=3, harvest=0.6, addresses=7, errors=2, received=8410, queued=70,
        hosts=7, resting=3,
        busy=0, sent=17, per_second=0.0, address_counts=AddressCounts(7, 5, 5, 3),
    )  # fmt: skip
    assert state.harvest.window == 50
    assert state.harvest.points == [
        (1, 1.0, 1.0),
        (2, 0.5, 0.5),
        (3, 0.6667, 0.6667),
        (4, 0.5, 0.5),
        (5, 0.6, 0.6),
    ]
    # Pages were asked for in seconds 0, 1, 2, 5 and 6.
    assert state.pace.source == "log"
    assert state.pace.points == [
        (0.5, 1.0),
        (1.5, 1.0),
        (2.5, 1.0),
        (3.5, 0.0),
        (4.5, 0.0),
        (5.5, 1.0),
    ]
    assert state.queue == [(5, 70)]
    north = [(1, 1.0, 1.0), (2, 0.5, 0.5), (3, 0.6667, 0.6667)]
    assert state.nodes == [
        NodeState(
            node="north",
            pages=3,
            relevant=2,
            harvest=0.6667,
            addresses=2,
            received=4510,
            queued=50,
            resting=2,
            busy=1,
            curve=north,
        ),
        NodeState(
            node="south",
            pages=2,
            relevant=1,
            harvest=0.5,
            addresses=5,
            errors=2,
            received=3900,
            queued=20,
            resting=1,
            curve=[(1, 1.0, 1.0), (2, 0.5, 0.5)],
        ),
    ]
    assert (state.places.targets, state.places.covered) == (12, 3)
    assert [(place.id, place.name, place.pages) for place in state.places.top][:4] == [
        (SEATTLE, "Seattle, WA, US", 2),
        (BOSTON, "Boston, MA, US", 1),
        (DENVER, "Denver, CO, US", 1),
        (4180439, "Atlanta, GA, US", 0),
    ]
    assert (state.places.top[0].lat, state.places.top[0].lon) == pytest.approx(
        (47.606, -122.332), abs=0.01
    )
    assert {(one.outcome, one.visits, one.kind) for one in state.outcomes} == {
        ("fetched", 4, "page"), ("near copy", 1, "page"), ("client error", 1, "error"),
            ("timeout", 1, "error"),
        ("robots.txt", 1, "other"), ("seeded", 1, "other"),
    }  # fmt: skip
    assert state.outcomes[0] == OutcomeCount("fetched", 4, "page")
    assert state.refused == {"calendar": 2, "nofollow": 1}
    assert state.hosts == [("a.test", 3), ("b.test", 2)]
    assert state.latest == [
        LatestPage("http://a.test/3", "Page 8", "3 Tremont St", "", "north", START + 8),
        LatestPage(
            "http://b.test/1",
            "Page 4",
            "2 Pike St, Seattle, WA 98101, US",
            "Two",
            "south",
            START + 4,
        ),
        LatestPage("http://a.test/1", "Page 2", "1 Pike, St, Seattle", "", "north", START + 2),
    ]


@pytest.mark.parametrize("sealed", [False, True])
def test_many_looks_equal_one(tmp_path: Path, sealed: bool) -> None:
    whole = CrawlWatcher(write(tmp_path / "crawl", snapshot())).look()
    rmtree(tmp_path / "crawl")
    root = write(tmp_path / "crawl", snapshot(), VISITS[:2])
    watcher = CrawlWatcher(root)
    for number in range(2, len(VISITS)):
        assert watcher.look().numbers.visits == number
        append(root, VISITS[number : number + 1], seal=sealed)
    assert replace(watcher.look(), written=0.0) == replace(whole, written=0.0)


def test_an_unchanged_crawl_has_the_same_state(tmp_path: Path) -> None:
    root = write(tmp_path / "crawl", snapshot())
    watcher = CrawlWatcher(root)
    first = watcher.look()
    assert watcher.look() is first
    seal(root / "log" / LOG)
    assert watcher.look() is first  # the same visits in another file
    append(root, (visit(9, "north", "http://d.test/"),))
    assert watcher.look().numbers.visits == 10


def test_a_long_log_is_read_in_steps(tmp_path: Path) -> None:
    many = tuple(visit(number, "north", f"http://a.test/{number}") for number in range(3000))
    root = write(tmp_path / "crawl", None, many)
    watcher = CrawlWatcher(root)
    turns = [watcher.look(seconds=0) for _ in range(4)]
    read = [turn.numbers.visits for turn in turns]
    assert 0 < read[0] < read[1] < read[2] == read[3] == 3000
    assert [turn.reading for turn in turns] == [True, True, True, False]
    assert len(turns[-1].harvest.points) <= 200
    write_snapshot(Directory(root), snapshot())
    watcher = CrawlWatcher(root)
    assert not watcher.look(seconds=0).reading  # the 9 visits of the snapshot were read
    assert watcher.look(seconds=9).numbers.visits == 3000


def test_a_log_that_lost_visits_is_read_again(tmp_path: Path) -> None:
    """After a power cut the log is shorter, and other visits replace the lost ones."""
    root = write(tmp_path / "crawl", snapshot())
    watcher = CrawlWatcher(root)
    watcher.look()
    rmtree(root / "log")
    other = (
        *VISITS[:5],
        visit(5, "south", "http://e.test/", relevant=True, addresses=(at(BOSTON),)),
    )
    write(root, snapshot(), other)
    state = watcher.look()
    assert state.numbers.visits == 6
    assert replace(state, queue=[]) == replace(CrawlWatcher(root).look(), queue=[])
    rmtree(root / "log")
    write(root, None, ())
    assert watcher.look().numbers.visits == 0


def test_before_a_crawl_and_after_it_was_killed(tmp_path: Path) -> None:
    root = tmp_path / "crawl"
    watcher = CrawlWatcher(root)
    assert watcher.look() == CrawlState("crawl", "not started")
    write(root, None, ())
    assert (watcher.look().state, watcher.look().numbers.pages) == ("aborted", 0)
    append(root, VISITS)
    write_snapshot(Directory(root), snapshot())
    state = watcher.look()
    assert (state.state, state.stopped, state.numbers.pages) == ("aborted", "", 5)
    with Directory(root).open(
        (root / "job.toml").read_text(), load((root / "job.toml").read_text(), "job.toml")
    ):
        assert watcher.look().state == "running"
    rmtree(root)
    assert watcher.look() == CrawlState("crawl", "not started")


def test_a_resumed_crawl_has_its_new_limit(tmp_path: Path) -> None:
    root = write(tmp_path / "crawl", snapshot())
    watcher = CrawlWatcher(root)
    assert watcher.look().limit == 10_000
    set_limit(root, 77)
    append(root, (visit(9, "north", "http://d.test/"),))
    assert watcher.look().limit == 77


def test_speed_and_queue_come_from_snapshots(tmp_path: Path) -> None:
    root = write(tmp_path / "crawl", snapshot(pages=5, queued=70))
    directory, watcher = Directory(root), CrawlWatcher(root)
    written = directory.state / "progress.json"

    def seen(second: int, pages: int, queued: int) -> CrawlState:
        write_snapshot(directory, snapshot(pages, queued))
        os.utime(written, (START + second, START + second))
        return watcher.look()

    text = (root / "job.toml").read_text()
    with directory.open(text, load(text, "job.toml")):
        assert seen(0, 5, 70).numbers.per_second == 0.0
        assert seen(4, 25, 90).numbers.per_second == 5.0
        assert seen(20, 185, 60).numbers.per_second == 10.0  # over the last ten seconds
        assert watcher.look().queue == [(5, 70), (25, 90), (185, 60)]
        seen(22, 3, 50)  # another crawl started
        assert watcher.look().queue == [(3, 50)]
        seen(24, 9, 40)
        assert seen(24 + 301, 30, 30).queue == [(30, 30)]  # after a long pause
    assert watcher.look().numbers.per_second == 0.0
    assert watcher.look().queue == [(30, 30)]
    with directory.open(text, load(text, "job.toml")):
        assert watcher.look().queue == []
        assert seen(400, 31, 29).queue == [(31, 29)]


def test_the_pace_of_a_replay_comes_from_snapshots(tmp_path: Path) -> None:
    root = write(
        tmp_path / "crawl",
        snapshot(),
        tuple(replace(one, time=float(one.sequence)) for one in VISITS),
    )
    state = CrawlWatcher(root).look()
    assert (state.pace.source, state.pace.points) == ("snapshots", [])


def test_a_damaged_log_is_reported_and_the_state_stays(tmp_path: Path) -> None:
    root = write(tmp_path / "crawl", snapshot())
    watcher = CrawlWatcher(root)
    watcher.look()
    append(root, (visit(9, "north", "http://d.test/"),), seal=True)
    append(root, (visit(10, "north", "http://d.test/1"),), seal=True)
    last = sorted((root / "log" / LOG).glob("*.parquet"))[-1]
    content = last.read_bytes()
    last.write_bytes(content[:-20])
    state = watcher.look()
    assert "damaged" in state.trouble
    assert state.numbers.visits == 10
    last.write_bytes(content)
    state = watcher.look()
    assert (state.trouble, state.numbers.visits) == ("", 11)


# --- Prometheus -----------------------------------------------------------------------------------

_SAMPLE = re.compile(r'([a-z_]+)(?:\{([a-z]+)="((?:[^"\\\n]|\\[\\"n])*)"\})? (-?\d+(?:\.\d+)?)')
Samples = dict[tuple[str, str, str], float]


def parsed(text: str) -> Samples:
    """A strict parser of the format: HELP and TYPE come before the samples of each metric."""
    assert text.endswith("\n")
    samples: Samples = {}
    heads: list[str] = []
    for line in text[:-1].split("\n"):
        if line.startswith("# HELP "):
            heads.append(line.split(" ")[2])
            assert heads.count(heads[-1]) == 1
        elif line.startswith("# TYPE "):
            _, _, name, kind = line.split(" ")
            assert name == heads[-1]
            assert kind == ("counter" if name.endswith("_total") else "gauge")
        else:
            found = _SAMPLE.fullmatch(line)
            assert found is not None, line
            name, label, value, number = found.groups()
            assert name == heads[-1]
            key = (
                name,
                label or "",
                re.sub(r"\\(.)", lambda part: {"n": "\n"}.get(part[1], part[1]), value or ""),
            )
            assert key not in samples
            samples[key] = float(number)
    return samples


def test_metrics(tmp_path: Path) -> None:
    found = parsed(
        format_metrics(CrawlWatcher(write(tmp_path / "crawl", snapshot())).look(), indexed=4)
    )
    assert found["toponaut_pages_total", "node", "north"] == 3
    assert found["toponaut_pages_total", "node", "south"] == 2
    assert found["toponaut_relevant_pages_total", "node", "south"] == 1
    assert found["toponaut_addresses_total", "node", "south"] == 5
    assert found["toponaut_received_bytes_total", "node", "north"] == 4510
    assert found["toponaut_outcomes_total", "outcome", "robots.txt"] == 1
    assert found["toponaut_refused_total", "reason", "calendar"] == 2
    assert found["toponaut_queue_links", "node", "north"] == 50
    assert found["toponaut_hosts", "state", "resting"] == 3
    assert found["toponaut_targets_covered", "", ""] == 3
    assert found["toponaut_index_pages", "", ""] == 4
    assert found["toponaut_running", "", ""] == 0
    assert sum(
        number for (name, _, _), number in found.items() if name == "toponaut_outcomes_total"
    ) == len(VISITS)


def test_metrics_before_a_crawl() -> None:
    found = parsed(format_metrics(CrawlState("crawl", "not started")))
    assert found["toponaut_running", "", ""] == 0
    assert not any(name == "toponaut_pages_total" for name, _, _ in found)


@given(st.text(st.characters(codec="utf-8"), max_size=30))
def test_labels_are_escaped(name: str) -> None:
    node = NodeState(node=name, pages=1, curve=[])
    text = format_metrics(
        CrawlState(
            "crawl", "running", nodes=[node], outcomes=[OutcomeCount(Outcome.FETCHED, 1, "page")]
        )
    )
    assert parsed(text)["toponaut_pages_total", "node", name] == 1
