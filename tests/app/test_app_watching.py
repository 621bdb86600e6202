"""What a watcher is told of a crawl, by hand-made logs; and the same for Prometheus."""

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

from toponaut.app.crawl_state import CrawlNumbers, CrawlState, LatestPage, NodeState, OutcomeCount
from toponaut.app.crawl_watcher import CrawlWatcher
from toponaut.app.curves import HarvestCurve, PaceCurve, SnapshotHistory, Tally
from toponaut.app.dashboard import format_metrics
from toponaut.crawl.directory import LOG, Directory
from toponaut.crawl.status import write_snapshot
from toponaut.job import load
from toponaut.log import seal
from toponaut.records import Outcome

# --- bounded in memory -----------------------------------------------------------------------------------------------


@given(st.lists(st.booleans(), max_size=400), st.integers(2, 12).map(lambda half: 2 * half))
def test_every_point_of_a_curve_is_exact(relevant: list[bool], shown: int) -> None:
    curve = HarvestCurve(shown)
    for one in relevant:
        curve.add(one)
    points = curve.points()
    assert len(points) <= shown
    assert [pages for pages, _, _ in points[-1:]] == ([len(relevant)] if relevant else [])
    assert [pages for pages, _, _ in points] == sorted({pages for pages, _, _ in points})
    for pages, harvest, window in points:
        assert harvest == round(sum(relevant[:pages]) / pages, 4)
        # The window spans what it should, or up to a step more, where points are further apart.
        step = max(1, 2 * len(relevant) // shown)
        spans = range(min(pages, curve.window), min(pages, curve.window + step) + 1)
        assert window in {round(sum(relevant[pages - span : pages]) / span, 4) for span in spans}


def test_a_curve_of_few_pages_by_hand() -> None:
    curve = HarvestCurve()
    for relevant in (True, False, True, True):
        curve.add(relevant)
    assert curve.points() == [(1, 1.0, 1.0), (2, 0.5, 0.5), (3, 0.6667, 0.6667), (4, 0.75, 0.75)]
    assert curve.window == 50


def test_the_window_of_a_long_curve_by_hand() -> None:
    """20,000 pages, the first half relevant: the window of the last 1,000 sees none."""
    curve = HarvestCurve()
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
    for time in (
        START,
        START + 0.5,
        START + 1.2,
        START + 90_000,
        START + 90_000.5,
        START + 90_001.5,
    ):
        pace.add(time)
    told = (
        pace.points()
    )  # at work after 0, 0.5, 1.2, 301.2, 301.7 and 302.7 s: in stretches of 2 s, as 200 are shown
    assert told[0] == (1.0, 1.5)
    assert {rate for _, rate in told[1:-1]} == {0.0}
    assert told[-1] == (301.0, 1.0)
    assert len(told) == 151


@given(st.lists(st.integers(0, 10**7), max_size=300))
def test_a_pace_counts_every_page_and_stays_small(times: list[int]) -> None:
    pace = PaceCurve(10)
    worked, latest, moments = 0, None, []
    for time in times:
        pace.add(START + time)
        worked += min(max(time - latest, 0), 300) if latest is not None else 0
        latest = max(time, latest or 0)
        moments.append(worked)
    told = pace.points()
    assert len(told) < 10
    if told:
        width = 2 * told[0][0]
        buckets = [int(moment / width) for moment in moments]
        assert [rate for _, rate in told] == [
            round(buckets.count(k) / width, 3) for k in range(max(buckets))
        ]
    elif moments:
        assert moments[-1] < 1  # not a second at work yet


def test_snapshots_that_were_seen() -> None:
    seen = SnapshotHistory(4)
    assert (seen.queue(), seen.pace()) == ([], [])
    for second in range(9):
        seen.add(START + second, 10 * second * second, 100 + second)
    assert seen.queue() == [(0, 100), (160, 104), (640, 108)]
    assert seen.pace() == [(4.0, 40.0), (8.0, 120.0)]
    seen.add(START + 10, 640, 109)
    assert seen.queue()[-1] == (640, 109)
    assert seen.pace()[-1] == (10.0, 0.0)


def test_a_tally_keeps_the_frequent() -> None:
    tally = Tally(10)
    for number in range(3000):
        tally.add(f"once{number}")
        tally.add(f"often{number % 3}")
    assert tally.most_common(3) == [("often0", 1000), ("often1", 1000), ("often2", 1000)]
    assert len(tally.most_common(1000)) <= 20


# --- watching --------------------------------------------------------------------------------------------------------


def test_what_is_told_by_hand(tmp_path: Path) -> None:
    root = write(tmp_path / "crawl", snapshot(stopped=INTERRUPTED))
    told = CrawlWatcher(root).look()
    assert (told.name, told.state, told.stopped, told.trouble) == (
        "crawl",
        "stopped",
        INTERRUPTED,
        "",
    )
    assert told.numbers == CrawlNumbers(
        visits=9, pages=5, relevant=3, harvest=0.6, addresses=7, errors=2, received=8410, queued=70, hosts=7, resting=3,
        busy=0, sent=17, per_second=0.0,
    )  # fmt: skip
    assert told.harvest.window == 50
    assert told.harvest.points == [
        (1, 1.0, 1.0),
        (2, 0.5, 0.5),
        (3, 0.6667, 0.6667),
        (4, 0.5, 0.5),
        (5, 0.6, 0.6),
    ]
    # Pages were asked for in seconds 0, 1, 2, 5 and 6.
    assert told.pace.source == "log"
    assert told.pace.points == [
        (0.5, 1.0),
        (1.5, 1.0),
        (2.5, 1.0),
        (3.5, 0.0),
        (4.5, 0.0),
        (5.5, 1.0),
    ]
    assert told.queue == [(5, 70)]
    north = [(1, 1.0, 1.0), (2, 0.5, 0.5), (3, 0.6667, 0.6667)]
    assert told.nodes == [
        NodeState("north", 3, 2, 0.6667, 2, 0, 4510, 50, 2, 1, north),
        NodeState("south", 2, 1, 0.5, 5, 2, 3900, 20, 1, 0, [(1, 1.0, 1.0), (2, 0.5, 0.5)]),
    ]
    assert (told.places.targets, told.places.covered) == (12, 3)
    assert [(place.id, place.name, place.pages) for place in told.places.top][:4] == [
        (SEATTLE, "Seattle, WA, US", 2),
        (BOSTON, "Boston, MA, US", 1),
        (DENVER, "Denver, CO, US", 1),
        (4180439, "Atlanta, GA, US", 0),
    ]
    assert (told.places.top[0].lat, told.places.top[0].lon) == pytest.approx(
        (47.606, -122.332), abs=0.01
    )
    assert {(one.outcome, one.visits, one.kind) for one in told.outcomes} == {
        ("fetched", 4, "page"), ("near copy", 1, "page"), ("client error", 1, "error"), ("timeout", 1, "error"),
        ("robots.txt", 1, "other"), ("seeded", 1, "other"),
    }  # fmt: skip
    assert told.outcomes[0] == OutcomeCount("fetched", 4, "page")
    assert told.refused == {"calendar": 2, "nofollow": 1}
    assert told.hosts == [("a.test", 3), ("b.test", 2)]
    assert told.latest == [
        LatestPage("http://a.test/3", "Page 8", "3 Tremont St", "", "north", START + 8),
        LatestPage(
            "http://b.test/1", "Page 4", "2 Pike St, Seattle 98101", "Two", "south", START + 4
        ),
        LatestPage("http://a.test/1", "Page 2", "1 Pike St, Seattle", "", "north", START + 2),
    ]


@pytest.mark.parametrize("sealed", [False, True])
def test_bit_by_bit_is_as_at_once(tmp_path: Path, sealed: bool) -> None:
    whole = CrawlWatcher(write(tmp_path / "crawl", snapshot())).look()
    rmtree(tmp_path / "crawl")
    root = write(tmp_path / "crawl", snapshot(), VISITS[:2])
    watch = CrawlWatcher(root)
    for number in range(2, len(VISITS)):
        assert watch.look().numbers.visits == number
        append(root, VISITS[number : number + 1], seal=sealed)
    assert replace(watch.look(), written=0.0) == replace(whole, written=0.0)


def test_where_nothing_is_new_nothing_is_told_anew(tmp_path: Path) -> None:
    root = write(tmp_path / "crawl", snapshot())
    watch = CrawlWatcher(root)
    first = watch.look()
    assert watch.look() is first
    seal(root / "log" / LOG)
    assert watch.look() is first  # the same visits in another file
    append(root, (visit(9, "north", "http://d.test/"),))
    assert watch.look().numbers.visits == 10


def test_a_long_log_is_read_in_turns(tmp_path: Path) -> None:
    many = tuple(visit(number, "north", f"http://a.test/{number}") for number in range(3000))
    root = write(tmp_path / "crawl", None, many)
    watch = CrawlWatcher(root)
    turns = [watch.look(seconds=0) for _ in range(4)]
    read = [turn.numbers.visits for turn in turns]
    assert 0 < read[0] < read[1] < read[2] == read[3] == 3000
    assert [turn.reading for turn in turns] == [True, True, True, False]
    assert len(turns[-1].harvest.points) <= 200
    write_snapshot(Directory(root), snapshot())
    watch = CrawlWatcher(root)
    assert not watch.look(
        seconds=0
    ).reading  # all that the crawl has written down (9 visits) was read
    assert watch.look(seconds=9).numbers.visits == 3000


def test_a_log_that_lost_visits_is_read_anew(tmp_path: Path) -> None:
    """What a power cut leaves: a shorter log, and then other visits in the place of those that are gone."""
    root = write(tmp_path / "crawl", snapshot())
    watch = CrawlWatcher(root)
    watch.look()
    rmtree(root / "log")
    other = (
        *VISITS[:5],
        visit(5, "south", "http://e.test/", relevant=True, addresses=(at(BOSTON),)),
    )
    write(root, snapshot(), other)
    told = watch.look()
    assert told.numbers.visits == 6
    assert replace(told, queue=[]) == replace(CrawlWatcher(root).look(), queue=[])
    rmtree(root / "log")
    write(root, None, ())
    assert watch.look().numbers.visits == 0


def test_before_a_crawl_and_after_it_was_killed(tmp_path: Path) -> None:
    root = tmp_path / "crawl"
    watch = CrawlWatcher(root)
    assert watch.look() == CrawlState("crawl", "not started")
    write(root, None, ())
    assert (watch.look().state, watch.look().numbers.pages) == ("aborted", 0)
    append(root, VISITS)
    write_snapshot(Directory(root), snapshot())
    told = watch.look()
    assert (told.state, told.stopped, told.numbers.pages) == ("aborted", "", 5)
    with Directory(root).open(
        (root / "job.toml").read_text(), load((root / "job.toml").read_text(), "job.toml")
    ):
        assert watch.look().state == "running"
    rmtree(root)
    assert watch.look() == CrawlState("crawl", "not started")


def test_a_resumed_crawl_has_its_new_limit(tmp_path: Path) -> None:
    root = write(tmp_path / "crawl", snapshot())
    watch = CrawlWatcher(root)
    assert watch.look().limit == 10_000
    set_limit(root, 77)
    append(root, (visit(9, "north", "http://d.test/"),))
    assert watch.look().limit == 77


def test_speed_and_queue_are_those_of_the_snapshots_seen(tmp_path: Path) -> None:
    root = write(tmp_path / "crawl", snapshot(pages=5, queued=70))
    directory, watch = Directory(root), CrawlWatcher(root)
    written = directory.state / "progress.json"

    def seen(second: int, pages: int, queued: int) -> CrawlState:
        write_snapshot(directory, snapshot(pages, queued))
        os.utime(written, (START + second, START + second))
        return watch.look()

    text = (root / "job.toml").read_text()
    with directory.open(text, load(text, "job.toml")):
        assert seen(0, 5, 70).numbers.per_second == 0.0
        assert seen(4, 25, 90).numbers.per_second == 5.0
        assert (
            seen(20, 185, 60).numbers.per_second == 10.0
        )  # what is longer ago than ten seconds is forgotten
        assert watch.look().queue == [(5, 70), (25, 90), (185, 60)]
        seen(22, 3, 50)  # somebody began anew
        assert watch.look().queue == [(3, 50)]
        seen(24, 9, 40)
        assert seen(24 + 301, 30, 30).queue == [(30, 30)]  # it stood still, or nobody looked
    assert watch.look().numbers.per_second == 0.0
    assert watch.look().queue == [(30, 30)]
    with directory.open(text, load(text, "job.toml")):
        assert watch.look().queue == []
        assert seen(400, 31, 29).queue == [(31, 29)]


def test_the_pace_of_a_replayed_web_is_that_of_its_watcher(tmp_path: Path) -> None:
    root = write(
        tmp_path / "crawl",
        snapshot(),
        tuple(replace(one, time=float(one.sequence)) for one in VISITS),
    )
    told = CrawlWatcher(root).look()
    assert (told.pace.source, told.pace.points) == ("snapshots", [])


def test_a_damaged_log_is_told_and_what_was_read_stays(tmp_path: Path) -> None:
    root = write(tmp_path / "crawl", snapshot())
    watch = CrawlWatcher(root)
    watch.look()
    append(root, (visit(9, "north", "http://d.test/"),), seal=True)
    append(root, (visit(10, "north", "http://d.test/1"),), seal=True)
    last = sorted((root / "log" / LOG).glob("*.parquet"))[-1]
    content = last.read_bytes()
    last.write_bytes(content[:-20])
    told = watch.look()
    assert "damaged" in told.trouble
    assert told.numbers.visits == 10
    last.write_bytes(content)
    told = watch.look()
    assert (told.trouble, told.numbers.visits) == ("", 11)


# --- for Prometheus --------------------------------------------------------------------------------------------------

_SAMPLE = re.compile(r'([a-z_]+)(?:\{([a-z]+)="((?:[^"\\\n]|\\[\\"n])*)"\})? (-?\d+(?:\.\d+)?)')
Samples = dict[tuple[str, str, str], float]


def parsed(text: str) -> Samples:
    """A strict reader of the format: a HELP and a TYPE before the samples of each metric, which stand together."""
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


def test_metrics_by_hand(tmp_path: Path) -> None:
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
def test_any_label_comes_back(name: str) -> None:
    node = NodeState(name, 1, 0, 0.0, 0, 0, 0, 0, 0, 0, [])
    text = format_metrics(
        CrawlState(
            "crawl", "running", nodes=[node], outcomes=[OutcomeCount(Outcome.FETCHED, 1, "page")]
        )
    )
    assert parsed(text)["toponaut_pages_total", "node", name] == 1
