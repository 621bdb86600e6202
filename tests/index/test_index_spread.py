"""An index that many processes make: it holds and answers what one that is made by one process does, whatever was killed on the way."""

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

from toponaut.crawl.indexing import bring_up, index_folder, is_behind
from toponaut.index import Box, Question, Search
from toponaut.index.build.building import chosen
from toponaut.index.build.pages import is_gone, is_page
from toponaut.index.build.planning import Look, look, plan
from toponaut.log import MAIN, Logs, LogWriter, position_after
from toponaut.places.names.finder import NameFinder
from toponaut.records import Outcome, Visit
from toponaut.urls import fingerprint

QUERIES = (
    "pizza in lisbon", "athens public schools", "oldenburg", "pizza", "plumbers near houston", "hotel in texas", "reading glasses",
    "pizza within 5 km of lisbon", "piza in lisbon",
)  # fmt: skip


def spread(root: Path, many: int = 3) -> Path:
    """Makes the index of a crawl, or adds to it, by a pool."""
    assert bring_up(root, pool=Here(many), least=0).processes == many
    return index_folder(root)


def alone(root: Path) -> Path:
    """The same by one process."""
    assert bring_up(root).processes == 1
    return index_folder(root)


def copy(root: Path, to: Path) -> Path:
    """A crawl without its index."""
    shutil.copytree(root, to, ignore=shutil.ignore_patterns("index"))
    return to


# --- what it holds ---------------------------------------------------------------------------------------------------

URLS = tuple(f"http://{name}.test/" for name in "abcd")
KINDS = {
    "page": (Outcome.FETCHED, True),
    "copy": (Outcome.NEAR_COPY, True),
    "empty": (Outcome.FETCHED, False),  # no word on anything
    "gone": (Outcome.GONE, False),
    "noindex": (Outcome.NO_INDEX, False),
    "failed": (Outcome.TIMEOUT, False),
}


@st.composite
def histories(draw: st.DrawFn) -> list[Event]:
    """URLs captured again and again, by three logs whose stamps interleave; some of it sealed."""
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
        latest[log] += draw(
            st.sampled_from([0.0, 1.0, 2.0])
        )  # equal stamps, too; within a log they never fall
        outcome, says = KINDS[kind]
        page = visit(
            0, url, f"Page {k}" if says else "", outcome, title=f"Title {k}" if says else ""
        )
        stamp = 0.0 if draw(st.integers(0, 9)) == 0 else latest[log]  # of an older version
        events.append(Event(log, stamp, replace(page, time=1.8e9 + k), draw(st.booleans())))
    return events


def last_words(events: Iterable[Visit]) -> tuple[dict[str, Visit], set[str]]:
    """The pages after some visits, and all URLs of which something was said: a fold, as one process makes it."""
    pages, said = dict[str, Visit](), set[str]()
    for one in events:
        if is_page(one) or is_gone(one):
            said.add(one.url)
            pages.pop(one.url, None)
        if is_page(one):
            pages[one.url] = one
    return pages, said


def planned(
    logs: Path, after: bytes | None, many: int
) -> tuple[dict[str, Visit], set[int], bytes | None]:
    """What those who make the parts read by the plan, the URLs of which something was said, and the position after it."""
    pieces = Logs(logs).pieces(after)
    said = [look(Look(str(logs), piece)) for piece in pieces]
    made = plan(pieces, said, 0, many)
    visits_ = [
        one
        for share in made.shares
        for piece, rows in share.pieces
        for one in chosen(str(logs), piece, rows)
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
def test_the_last_word_on_a_url_is_that_of_a_fold(
    events: list[Event], halt: int, many: int
) -> None:
    """In two steps; in the second the order is that among what is new."""
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
            assert said == set(map(fingerprint, urls))
        assert list(logs.batches(position)) == []


def test_work_is_shared_out_evenly_and_pieces_are_cut(tmp_path: Path) -> None:
    """Of two segments and a tail with 5,000 pages, 500 of them captured again, three processes make as many each."""
    log = [visit(k, f"http://{k % 4500}.test/", "", title=f"Page {k}") for k in range(5000)]
    with LogWriter(tmp_path, MAIN) as writer:
        for one in log:
            writer.append(one)
            if one.sequence in (1999, 3999):
                writer.seal()
    pieces = Logs(tmp_path).pieces()
    assert len(pieces) == 3
    said = [look(Look(str(tmp_path), piece)) for piece in pieces]
    made = plan(pieces, said, first=100, many=3)
    assert made.pages == len(made.urls) == 4500
    assert [share.first for share in made.shares] == [
        100,
        *(100 + np.cumsum([one.pages for one in made.shares])[:-1]),
    ]
    assert len(made.shares) == 3
    assert max(share.pages for share in made.shares) < 4500 / 3 + 1024  # batches are not cut
    rows = [
        (piece.start.segment, row)
        for share in made.shares
        for piece, own in share.pieces
        for row in own.tolist()
    ]
    assert rows == [(k // 2000, k % 2000) for k in range(500, 5000)]


# --- what it answers -------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def once(tmp_path_factory: pytest.TempPathFactory) -> list[Visit]:
    """A crawl of towns, each page captured once."""
    return [one for one in visits(crawl_towns(tmp_path_factory.mktemp("towns"))) if is_page(one)]


def scattered(log: Sequence[Visit]) -> list[Event]:
    """The same in three logs, of which two are sealed now and then."""
    names = (MAIN, "north", "south")
    return [
        Event(names[k % 3], float(k), one, seal=k % 3 > 0 and k % 5 == 4)
        for k, one in enumerate(log)
    ]


def answers(index: Path, finder: NameFinder, round_to: int = 6) -> list[object]:
    """All that an index tells, but for the numbers of its pages."""
    search = Search(index, finder)
    asked = [Question(query) for query in QUERIES]
    asked += [
        Question("", box=Box(38.0, -10.0, 42.0, -8.0)),
        Question("pizza near me", here=(38.7107, -9.1372)),
    ]
    told: list[object] = [search.pages]
    for question in asked:
        answer = search.ask(question)
        hits = [
            msgspec.to_builtins(replace(hit, number=0, score=round(hit.score, round_to)))
            for hit in answer.hits
        ]
        told.append(msgspec.to_builtins(replace(answer, hits=())))
        told.append(sorted(hits, key=lambda hit: (-hit["score"], hit["url"])))
        told.append(sorted(map(str, search.facets(question))))
        told.append(sorted(str(replace(pin, number=0)) for pin in search.pins(question)))
    return told


def test_it_answers_to_the_last_digit_as_one_process(
    once: list[Visit], tmp_path: Path, finder: NameFinder
) -> None:
    root = write(tmp_path / "one", scattered(once))
    more = copy(root, tmp_path / "many")
    assert answers(spread(more), finder) == answers(alone(root), finder)
    assert (
        len(json.loads((index_folder(more) / "words" / "meta.json").read_bytes())["segments"]) == 3
    )
    assert not (index_folder(more) / "parts").exists()


def test_captured_again_gone_and_copied(
    once: list[Visit], tmp_path: Path, finder: NameFinder
) -> None:
    """A third of the pages was something else before, in another log; some are gone, and one has two copies. What was replaced leaves
    no trace: the answers are those of an index that never had it. One process keeps a trace in its scores, until tantivy merges."""
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
    events = scattered([*earlier, *gone, *once, *copies, *ended])
    root = write(tmp_path / "one", events)
    clean = write(
        tmp_path / "clean", [one for one in events if one.visit in once or one.visit in copies]
    )
    made = spread(copy(root, tmp_path / "many"))
    assert answers(made, finder) == answers(spread(clean), finder)
    assert held(made) == held(alone(root))


def test_it_goes_on_in_one_process(once: list[Visit], tmp_path: Path, finder: NameFinder) -> None:
    """Pages that were made by a pool are replaced and removed as any others."""
    root = write(tmp_path / "many", scattered(once))
    spread(root)
    later = [replace(once[1], title="Later", time=2e9), visit(0, once[2].url, "", Outcome.GONE)]
    write(root, [Event("north", 1e6 + k, one) for k, one in enumerate(later)])
    assert is_behind(root)
    whole = held(alone(root))
    assert not is_behind(root)
    assert whole[once[1].url] == ("Later", 2e9)
    assert once[2].url not in whole
    shutil.rmtree(index_folder(root))
    assert held(alone(root)) == whole
    assert held(index_folder(root)) == held(spread(copy(root, tmp_path / "again")))
    assert answers(index_folder(tmp_path / "again"), finder)[0] == len(whole)


def test_little_is_done_by_one_process(tmp_path: Path) -> None:
    root = written(tmp_path / "crawl", [visit(k, f"http://{k}.test/", "Pizza") for k in range(10)])
    done = bring_up(root, pool=Here(4))
    assert (done.visits, done.pages, done.processes) == (10, 10, 1)


# --- what may happen on the way --------------------------------------------------------------------------------------

_KILLED = """
import os, signal, sys
from pathlib import Path
from tests.support.histories import Here
from toponaut.crawl import spreading
from toponaut.crawl.indexing import bring_up
from toponaut.index import joining, writing

def die(*_):
    os.kill(os.getpid(), signal.SIGKILL)

moved, keep = 0, Path.replace

def move(self, target):  # what is moved: three files of the table, then those of the words
    global moved
    moved += 1
    if moved == int(sys.argv[2]):
        die()
    return keep(self, target)

match sys.argv[2]:
    case "parts are made":
        writing.join = die
    case "the words are joined":
        writing.words_writer = lambda folder, make=writing.words_writer, made=[]: die() if made else made.append(1) or make(folder)
    case "old pages are removed":
        writing.write_whole = die
    case _:
        joining.Path.replace = move
bring_up(Path(sys.argv[1]), pool=Here(3), least=0)
"""


@pytest.fixture(scope="module")
def grown(
    once: list[Visit], tmp_path_factory: pytest.TempPathFactory
) -> tuple[Path, dict[str, tuple[str, float]]]:
    """A crawl of which half is indexed; the other half replaces some of the first. And what an index of all has."""
    root = write(tmp_path_factory.mktemp("grown") / "crawl", scattered(once[:12]))
    alone(root)
    again = [replace(one, title="Again", time=one.time + 1e6) for one in once[3:6]]
    write(root, [Event("north", 1e6 + k, one) for k, one in enumerate([*once[12:], *again])])
    return root, held(alone(copy(root, root.parent / "whole")))


@pytest.mark.parametrize(
    "when", ["parts are made", "6", "the words are joined", "old pages are removed"]
)
def test_killed_on_the_way_it_is_made_good(
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
    assert held(alone(root)) == expected  # one process goes on
    assert held(spread(other)) == expected  # or many
    for folder in (root, other):
        assert not (index_folder(folder) / "parts").exists()
        words = index_folder(folder) / "words"
        known = json.loads((words / ".managed.json").read_bytes())
        files = {
            path.name for path in words.iterdir() if not path.name.startswith((".", "meta.json"))
        }
        assert files <= set(known)  # what tantivy does not know of it never removes


def test_another_log_makes_it_anew(tmp_path: Path) -> None:
    root = write(tmp_path / "crawl", [Event(MAIN, 1.0, visit(0, "http://a.test/", "Pizza"))])
    spread(root)
    shutil.rmtree(root / "log")
    write(root, [Event(MAIN, 1.0, visit(0, "http://b.test/", "Pizza"))])
    assert list(held(spread(root))) == ["http://b.test/"]


# --- by the command --------------------------------------------------------------------------------------------------


def test_processes_of_this_machine(tmp_path: Path) -> None:
    many = [
        visit(k, f"http://{k % 5500}.test/", "Pizza in Lisbon", title=f"Page {k}")
        for k in range(6000)
    ]
    root = written(tmp_path / "crawl", many)
    done = run("index", root, "--workers", "2", "--json")
    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout)
    assert (told["visits"], told["pages"], told["total"], told["processes"]) == (
        6000,
        5500,
        5500,
        2,
    )
    expected = held(alone(copy(root, tmp_path / "one")))
    assert held(index_folder(root)) == expected
    assert not is_behind(root)


def test_workers_within_reason(tmp_path: Path) -> None:
    root = written(tmp_path / "crawl", [])
    done = run("index", root, "--workers", "257")
    assert (done.returncode, done.stdout) == (2, "")
    assert (
        done.stderr
        == "toponaut: --workers is 257. Give 0 to do it in this process, or up to 256 processes\n"
    )
