"""An index built by several processes equals one built by one process, also after a kill."""

import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Sequence
from pathlib import Path

import msgspec
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace
from tests.support.crawling import run, visits
from tests.support.histories import Event, Here, held, write
from tests.support.towns import crawl_towns, visit, written

from toponaut.index import Box, Question, Search, index_folder
from toponaut.index.table import PageTable
from toponaut.index.write.documents import is_gone, is_page
from toponaut.index.write.parts import ScanTask, plan, read_rows, scan
from toponaut.index.write.update import is_outdated, update_index
from toponaut.log import MAIN, Logs, LogWriter, position_after
from toponaut.places.names.finder import NameFinder
from toponaut.records import Outcome, Visit
from toponaut.urls import fingerprint

QUERIES = (
    "pizza in lisbon", "athens public schools", "oldenburg", "pizza", "plumbers near houston",
    "hotel in texas", "reading glasses", "pizza within 5 km of lisbon", "piza in lisbon",
)  # fmt: skip


def in_parallel(root: Path, many: int = 3) -> Path:
    """Build or update the index with a pool."""
    assert update_index(root, pool=Here(many), least=0).processes == many
    return index_folder(root)


def in_one_process(root: Path) -> Path:
    """Build or update the index in one process."""
    assert update_index(root).processes == 1
    return index_folder(root)


def copy(root: Path, to: Path) -> Path:
    """A crawl without its index."""
    shutil.copytree(root, to, ignore=shutil.ignore_patterns("index"))
    return to


# --- contents -------------------------------------------------------------------------------------

SECRET = 2**64 - 3
URLS = tuple(f"http://{name}.test/" for name in "abcd")
KINDS = {
    "page": (Outcome.FETCHED, True),
    "copy": (Outcome.NEAR_COPY, True),
    "empty": (Outcome.FETCHED, False),  # says nothing about the URL
    "gone": (Outcome.GONE, False),
    "noindex": (Outcome.NO_INDEX, False),
    "failed": (Outcome.TIMEOUT, False),
}


@st.composite
def histories(draw: st.DrawFn) -> list[Event]:
    """URLs fetched repeatedly, in up to three logs with interleaved stamps, partly sealed."""
    logs = draw(
        st.sampled_from([(MAIN,), (MAIN, "north"), ("north", "south"), (MAIN, "north", "south")])
    )
    latest = dict.fromkeys(logs, 0.0)
    events = []
    for k in range(draw(st.integers(0, 14))):
        log, url, kind = (
            draw(st.sampled_from(logs)),
            draw(st.sampled_from(URLS)),
            draw(st.sampled_from(sorted(KINDS))),
        )
        latest[log] += draw(st.sampled_from([0.0, 1.0, 2.0]))  # stamps never fall within a log
        outcome, says = KINDS[kind]
        page = visit(
            0, url, f"Page {k}" if says else "", outcome, title=f"Title {k}" if says else ""
        )
        stamp = 0.0 if draw(st.integers(0, 9)) == 0 else latest[log]  # of an older version
        events.append(Event(log, stamp, replace(page, time=1.8e9 + k), draw(st.booleans())))
    return events


def last_words(events: Iterable[Visit]) -> tuple[dict[str, Visit], set[str]]:
    """A fold over visits: the remaining pages, and all URLs that were mentioned."""
    pages, said = dict[str, Visit](), set[str]()
    for one in events:
        if is_page(one) or is_gone(one):
            said.add(one.url)
            pages.pop(one.url, None)
        if is_page(one):
            pages[one.url] = one
    return pages, said


def planned(
    logs: Path, after: bytes | None, processes: int
) -> tuple[dict[str, Visit], set[int], bytes | None]:
    """The visits read by a plan, the URLs that were mentioned, and the position after it."""
    pieces = Logs(logs).pieces(after)
    said = [scan(ScanTask(str(logs), piece, SECRET)) for piece in pieces]
    made = plan(pieces, said, 0, processes)
    visits_ = [
        one
        for part in made.parts
        for piece, rows in part.pieces
        for one in read_rows(str(logs), piece, rows)
    ]
    assert len(visits_) == made.pages == len({one.url for one in visits_})
    read = [
        (piece.log, one.positions[-1])
        for piece, one in zip(pieces, said, strict=True)
        if one.positions
    ]
    return (
        {one.url: one for one in visits_},
        set(made.urls.tolist()),
        position_after(after, read) if read else after,
    )


@settings(max_examples=20)
@given(histories(), st.integers(0, 14), st.integers(1, 4))
def test_the_last_word_on_a_url_counts_as_in_a_fold(
    events: list[Event], halt: int, many: int
) -> None:
    """In two steps: the second only considers new visits."""
    with tempfile.TemporaryDirectory() as folder:
        root, position = Path(folder) / "crawl", None
        logs = Logs(root / "log")
        for some in (events[:halt], events[halt:]):
            write(root, some)
            new = [one for batch in logs.batches(position) for one in batch.visits]
            pages, urls = last_words(new)
            found, said, position = planned(root / "log", position, many)
            assert {url: one.time for url, one in found.items()} == {
                url: one.time for url, one in pages.items()
            }
            assert said == {fingerprint(url, SECRET) for url in urls}
        assert list(logs.batches(position)) == []


def test_work_is_divided_evenly(tmp_path: Path) -> None:
    """Two segments and a tail with 5,000 pages, 500 of them fetched twice, for three processes."""
    log = [visit(k, f"http://{k % 4500}.test/", "", title=f"Page {k}") for k in range(5000)]
    with LogWriter(tmp_path, MAIN) as writer:
        for one in log:
            writer.append(one)
            if one.sequence in (1999, 3999):
                writer.seal()
    pieces = Logs(tmp_path).pieces()
    assert len(pieces) == 3
    said = [scan(ScanTask(str(tmp_path), piece, SECRET)) for piece in pieces]
    made = plan(pieces, said, first=100, processes=3)
    assert made.pages == len(made.urls) == 4500
    assert [part.first for part in made.parts] == [
        100,
        *(100 + np.cumsum([one.pages for one in made.parts])[:-1]),
    ]
    assert len(made.parts) == 3
    assert max(part.pages for part in made.parts) < 4500 / 3 + 1024  # batches are not cut
    rows = [
        (piece.start.segment, row)
        for part in made.parts
        for piece, own in part.pieces
        for row in own.tolist()
    ]
    assert rows == [(k // 2000, k % 2000) for k in range(500, 5000)]


# --- answers --------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def once(tmp_path_factory: pytest.TempPathFactory) -> list[Visit]:
    """A crawl of towns, each page fetched once."""
    return [one for one in visits(crawl_towns(tmp_path_factory.mktemp("towns"))) if is_page(one)]


def in_three_logs(log: Sequence[Visit]) -> list[Event]:
    """The visits in three logs, two of which are sealed now and then."""
    names = (MAIN, "north", "south")
    return [
        Event(names[k % 3], float(k), one, seal=k % 3 > 0 and k % 5 == 4)
        for k, one in enumerate(log)
    ]


def answers(index: Path, finder: NameFinder, round_to: int = 6) -> list[object]:
    """All answers of an index, without page numbers."""
    search = Search(index, finder)
    questions = [Question(query) for query in QUERIES]
    questions += [
        Question("", box=Box(38.0, -10.0, 42.0, -8.0)),
        Question("pizza near me", here=(38.7107, -9.1372)),
    ]
    found: list[object] = [search.pages]
    for question in questions:
        answer = search.ask(question)
        hits = [
            msgspec.to_builtins(replace(hit, number=0, score=round(hit.score, round_to)))
            for hit in answer.hits
        ]
        found.append(msgspec.to_builtins(replace(answer, hits=())))
        found.append(sorted(hits, key=lambda hit: (-hit["score"], hit["url"])))
        found.append(sorted(map(str, search.facets(question))))
        found.append(sorted(str(replace(pin, number=0)) for pin in search.pins(question)))
    return found


def test_answers_equal_those_of_one_process(
    once: list[Visit], tmp_path: Path, finder: NameFinder
) -> None:
    root = write(tmp_path / "one", in_three_logs(once))
    more = copy(root, tmp_path / "many")
    assert answers(in_parallel(more), finder) == answers(in_one_process(root), finder)
    assert (
        len(json.loads((index_folder(more) / "words" / "meta.json").read_bytes())["segments"]) == 3
    )
    assert not (index_folder(more) / "parts").exists()


def test_replaced_and_gone_pages_leave_no_trace(
    once: list[Visit], tmp_path: Path, finder: NameFinder
) -> None:
    """The answers equal those of an index that never had these pages.

    One process keeps a trace in its scores, until tantivy merges.
    """
    earlier = [
        replace(one, title="Earlier", text=f"Pizza in Lisbon and Athens {one.url}")
        for one in once[::3]
    ]
    gone = [visit(0, f"http://gone{k}.test/", "Pizza in Lisbon, Portugal") for k in range(4)]
    copies = [
        replace(
            one, url=f"{one.url}?copy={k}", text=one.text + " more" * k, outcome=Outcome.NEAR_COPY
        )
        for one in once[:2]
        for k in (1, 2)
    ]
    ended = [visit(0, one.url, "", Outcome.GONE) for one in gone]
    events = in_three_logs([*earlier, *gone, *once, *copies, *ended])
    root = write(tmp_path / "one", events)
    clean = write(
        tmp_path / "clean", [one for one in events if one.visit in once or one.visit in copies]
    )
    made = in_parallel(copy(root, tmp_path / "many"))
    assert answers(made, finder) == answers(in_parallel(clean), finder)
    assert held(made) == held(in_one_process(root))


def test_one_process_continues_a_parallel_build(
    once: list[Visit], tmp_path: Path, finder: NameFinder
) -> None:
    """Pages built by a pool are replaced and removed like any others."""
    root = write(tmp_path / "many", in_three_logs(once))
    in_parallel(root)
    later = [replace(once[1], title="Later", time=2e9), visit(0, once[2].url, "", Outcome.GONE)]
    write(root, [Event("north", 1e6 + k, one) for k, one in enumerate(later)])
    assert is_outdated(root)
    whole = held(in_one_process(root))
    assert not is_outdated(root)
    assert whole[once[1].url] == ("Later", 2e9)
    assert once[2].url not in whole
    shutil.rmtree(index_folder(root))
    assert held(in_one_process(root)) == whole
    assert held(index_folder(root)) == held(in_parallel(copy(root, tmp_path / "again")))
    assert answers(index_folder(tmp_path / "again"), finder)[0] == len(whole)


def test_fingerprints_are_secret_and_stay_with_the_index(once: list[Visit], tmp_path: Path) -> None:
    """No server can make up a URL whose fingerprint is that of another's page."""
    root = write(tmp_path / "one", in_three_logs(once[:6]))
    other = copy(root, tmp_path / "other")
    first = set(PageTable(in_parallel(root) / "pages").url.tolist())
    assert first.isdisjoint(PageTable(in_parallel(other) / "pages").url.tolist())
    write(root, [Event("north", 1e6, once[6])])
    assert first < set(PageTable(in_one_process(root) / "pages").url.tolist())


def test_few_visits_are_read_by_one_process(tmp_path: Path) -> None:
    root = written(tmp_path / "crawl", [visit(k, f"http://{k}.test/", "Pizza") for k in range(10)])
    done = update_index(root, pool=Here(4))
    assert (done.visits, done.pages, done.processes) == (10, 10, 1)


# --- kills ----------------------------------------------------------------------------------------

_KILLED = """
import os, signal, sys
from pathlib import Path
from tests.support.histories import Here
from toponaut.index.write.update import update_index
from toponaut.index.write import parts, writer

def die(*_):
    os.kill(os.getpid(), signal.SIGKILL)

moved, keep = 0, Path.replace

def move(self, target):  # three files of the table, then those of the words
    global moved
    moved += 1
    if moved == int(sys.argv[2]):
        die()
    return keep(self, target)

match sys.argv[2]:
    case "parts are built":
        writer.join = die
    case "the words are joined":
        opened, make = [], writer.words_writer
        writer.words_writer = lambda folder: die() if opened else opened.append(1) or make(folder)
    case "old pages are removed":
        writer.write_whole = die
    case _:
        parts.Path.replace = move
update_index(Path(sys.argv[1]), pool=Here(3), least=0)
"""


@pytest.fixture(scope="module")
def grown(
    once: list[Visit], tmp_path_factory: pytest.TempPathFactory
) -> tuple[Path, dict[str, tuple[str, float]]]:
    """A half-indexed crawl whose later visits replace pages, and the contents of the whole."""
    root = write(tmp_path_factory.mktemp("grown") / "crawl", in_three_logs(once[:12]))
    in_one_process(root)
    again = [replace(one, title="Again", time=one.time + 1e6) for one in once[3:6]]
    write(root, [Event("north", 1e6 + k, one) for k, one in enumerate([*once[12:], *again])])
    return root, held(in_one_process(copy(root, root.parent / "whole")))


@pytest.mark.parametrize(
    "when", ["parts are built", "6", "the words are joined", "old pages are removed"]
)
def test_a_killed_build_is_completed(
    grown: tuple[Path, dict[str, tuple[str, float]]], tmp_path: Path, when: str
) -> None:
    root, other, expected = tmp_path / "crawl", tmp_path / "other", grown[1]
    shutil.copytree(grown[0], root)
    command = [sys.executable, "-c", _KILLED, str(root), when]
    environment = {
        **os.environ,
        "PYTHONPATH": os.pathsep.join([str(Path.cwd()), os.environ.get("PYTHONPATH", "")]),
    }
    done = subprocess.run(command, env=environment, capture_output=True, timeout=300)
    assert done.returncode == -signal.SIGKILL, done.stderr
    shutil.copytree(root, other)
    assert held(in_one_process(root)) == expected  # by one process
    assert held(in_parallel(other)) == expected  # or by several
    for folder in (root, other):
        assert not (index_folder(folder) / "parts").exists()
        words = index_folder(folder) / "words"
        known = json.loads((words / ".managed.json").read_bytes())
        files = {
            path.name for path in words.iterdir() if not path.name.startswith((".", "meta.json"))
        }
        assert files <= set(known)  # tantivy never removes files that it does not know


def test_another_log_rebuilds_it_in_parallel(tmp_path: Path) -> None:
    root = write(tmp_path / "crawl", [Event(MAIN, 1.0, visit(0, "http://a.test/", "Pizza"))])
    in_parallel(root)
    shutil.rmtree(root / "log")
    write(root, [Event(MAIN, 1.0, visit(0, "http://b.test/", "Pizza"))])
    assert list(held(in_parallel(root))) == ["http://b.test/"]


# --- the command ----------------------------------------------------------------------------------


def test_processes_of_this_machine(tmp_path: Path) -> None:
    many = [
        visit(k, f"http://{k % 5500}.test/", "Pizza in Lisbon", title=f"Page {k}")
        for k in range(6000)
    ]
    root = written(tmp_path / "crawl", many)
    done = run("index", root, "--workers", "2", "--json")
    assert done.returncode == 0, done.stderr
    result = json.loads(done.stdout)
    del result["seconds"]
    assert result == {"visits": 6000, "pages": 5500, "total": 5500, "processes": 2}
    expected = held(in_one_process(copy(root, tmp_path / "one")))
    assert held(index_folder(root)) == expected
    assert not is_outdated(root)


def test_too_many_workers_are_refused(tmp_path: Path) -> None:
    root = written(tmp_path / "crawl", [])
    done = run("index", root, "--workers", "257")
    assert (done.returncode, done.stdout) == (2, "")
    assert (
        done.stderr
        == "toponaut: --workers is 257. Give 0 to do it in this process, or up to 256 processes\n"
    )
