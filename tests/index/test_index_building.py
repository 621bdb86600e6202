"""Building an index from a log: in steps or at once, after a kill; extracts; geometry."""

import re
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace
from tests.support.crawling import visits
from tests.support.towns import address, crawl_towns, visit, written

from toponaut.crawl.directory import LOG
from toponaut.errors import InputError
from toponaut.index import Box, Extract, IndexWriter, Question, Search, SearchAnswer, index_folder
from toponaut.index.cells import cells_around, cells_at, cells_in
from toponaut.index.georeference import GeoReferencer
from toponaut.index.query.hits import window
from toponaut.index.table import distances_km
from toponaut.index.write.update import update_index
from toponaut.log import LogWriter
from toponaut.places.gazetteer.gazetteer import Gazetteer, great_circle_km
from toponaut.places.names.finder import NameFinder
from toponaut.records import Kind, Outcome

BAIXA = (38.7107, -9.1372)


@pytest.fixture(scope="module")
def towns(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = crawl_towns(tmp_path_factory.mktemp("towns"))
    update_index(root)
    return root


# --- building -------------------------------------------------------------------------------------


def answers(root: Path, finder: NameFinder) -> list[SearchAnswer]:
    search = Search(index_folder(root), finder)
    queries = (
        "pizza in lisbon",
        "athens public schools",
        "oldenburg",
        "pizza",
        "plumbers near houston",
    )
    return [search.ask(Question(query)) for query in queries]


def bare(found: list[SearchAnswer]) -> list[object]:
    """Without page numbers, which may differ, and with rounded scores."""
    return [
        (
            answer.total,
            answer.where,
            answer.others,
            [(hit.url, hit.extract, hit.address, round(hit.score, 2)) for hit in answer.hits],
        )
        for answer in found
    ]


def test_indexing_in_steps_or_in_one_run(towns: Path, tmp_path: Path, finder: NameFinder) -> None:
    root = tmp_path / "crawl"
    root.mkdir()
    shutil.copy(towns / "job.toml", root)
    with LogWriter(root / "log", LOG) as log:
        for visit in visits(towns):
            log.append(visit)
            if visit.sequence % 5 == 4:
                log.sync()
                update_index(root)
            if visit.sequence % 7 == 6:
                log.seal()
    update_index(root)
    assert bare(answers(root, finder)) == bare(answers(towns, finder))


def test_a_page_fetched_again_is_one_page(tmp_path: Path, finder: NameFinder) -> None:
    root = tmp_path / "crawl"
    first = visit(0, "http://a.test/", "Pizza in Lisbon, before")
    update_index(written(root, [first, visit(1, "http://b.test/", "Pizza elsewhere")]))
    with LogWriter(root / "log", LOG) as log:
        log.append(visit(2, "http://a.test/", "Pizza in Lisbon, after"))
        log.append(visit(3, "http://b.test/", "", Outcome.GONE))
    assert update_index(root).pages == 1
    answer = Search(index_folder(root), finder).ask(Question("pizza", place=0))
    assert [(hit.url, hit.extract.text) for hit in answer.hits] == [
        ("http://a.test/", "Pizza in Lisbon, after")
    ]


def test_only_gone_pages_are_removed(tmp_path: Path, finder: NameFinder) -> None:
    """A page that answers 403, or a failing server, may be back tomorrow; 404 and 410 may not."""
    urls = {
        outcome: f"http://{outcome.name.lower().replace('_', '-')}.test/" for outcome in Outcome
    }
    lost = (Outcome.GONE, Outcome.CLIENT_ERROR, Outcome.SERVER_ERROR, Outcome.TIMEOUT)
    pages = [visit(k, urls[outcome], "Pizza in Lisbon") for k, outcome in enumerate(lost)]
    again = [visit(k + len(lost), urls[outcome], "", outcome) for k, outcome in enumerate(lost)]
    root = written(tmp_path / "crawl", [*pages, *again])
    update_index(root)
    hits = Search(index_folder(root), finder).ask(Question("pizza", place=0)).hits
    assert {hit.url for hit in hits} == {urls[outcome] for outcome in lost} - {urls[Outcome.GONE]}


def test_an_open_index_sees_added_pages(tmp_path: Path, finder: NameFinder) -> None:
    root = written(tmp_path / "crawl", [visit(0, "http://a.test/", "Pizza")])
    update_index(root)
    search = Search(index_folder(root), finder)
    assert not search.refresh()
    with LogWriter(root / "log", LOG) as log:
        log.append(visit(1, "http://b.test/", "Pizza"))
    update_index(root)
    assert search.ask(Question("pizza")).total == 1  # as of when it was opened
    assert search.refresh()
    assert search.ask(Question("pizza")).total == 2


def test_near_copies_are_folded(tmp_path: Path, finder: NameFinder) -> None:
    """Three copies are one hit; the same text with another address is a second hit."""
    lisbon, porto = 2267057, 2735943
    own = [*[address(lisbon, "rua a 1, lisboa")] * 3, address(porto, "rua b 2, porto")]
    text = "Pizza in a chain of restaurants"
    log = [
        visit(k, f"http://{k}.test/", text, addresses=(one,), simhash=0b1111 << k)
        for k, one in enumerate(own)
    ]
    update_index(written(tmp_path / "crawl", log))
    answer = Search(index_folder(tmp_path / "crawl"), finder).ask(Question("pizza"))
    assert [(hit.url, hit.copies) for hit in answer.hits] == [
        ("http://0.test/", 2),
        ("http://3.test/", 0),
    ]


def test_a_deleted_index_can_be_rebuilt(towns: Path, tmp_path: Path, finder: NameFinder) -> None:
    root = tmp_path / "crawl"
    shutil.copytree(towns, root)
    shutil.rmtree(index_folder(root))
    with pytest.raises(InputError, match="no index"):
        Search(index_folder(root), finder)
    update_index(root)
    assert bare(answers(root, finder)) == bare(answers(towns, finder))


def test_another_log_rebuilds_the_index(towns: Path, tmp_path: Path, finder: NameFinder) -> None:
    """After a power cut the log may lack indexed visits."""
    root = tmp_path / "crawl"
    shutil.copytree(towns, root)
    shutil.rmtree(root / "log")
    written(root, [visit(0, "http://a.test/", "Pizza")])
    update_index(root)
    assert Search(index_folder(root), finder).pages == 1


_KILLED = """
import os, signal, sys
from pathlib import Path
from toponaut.index.write.update import update_index
from toponaut.index import table
from toponaut.index.write import writer

def die(*_):
    os.kill(os.getpid(), signal.SIGKILL)

def write_and_die(*arguments, write=table.write_rows):
    write(*arguments)
    die()

match sys.argv[2]:
    case "before the commit":
        table.write_rows = die
    case "after the table":
        table.write_rows = write_and_die
    case "before the marker":
        writer.write_whole = die
update_index(Path(sys.argv[1]))
"""


def killed(root: Path, when: str) -> None:
    """An update in a separate process that is killed at some point."""
    command = [sys.executable, "-c", _KILLED, str(root), when]
    assert subprocess.run(command, capture_output=True, timeout=300).returncode == -signal.SIGKILL


def test_visits_that_the_log_lost_are_not_in_the_index(tmp_path: Path, finder: NameFinder) -> None:
    """A power cut may lose visits that were indexed before they were safe on disk."""
    first, lost = visit(0, "http://a.test/", "Pizza"), visit(1, "http://lost.test/", "Pizza")
    root = written(tmp_path / "crawl", [first])
    update_index(root)
    with LogWriter(root / "log", LOG) as log:
        log.append(lost)
    killed(root, "before the marker")
    shutil.rmtree(root / "log")
    update_index(written(root, [first]))
    hits = Search(index_folder(root), finder).ask(Question("pizza")).hits
    assert [hit.url for hit in hits] == ["http://a.test/"]


@pytest.mark.parametrize("when", ["before the commit", "after the table", "before the marker"])
def test_a_killed_run_leaves_a_usable_index(
    towns: Path, tmp_path: Path, finder: NameFinder, when: str
) -> None:
    """Half of the log is indexed; the run for the other half is killed."""
    log = visits(towns)
    root = written(tmp_path / "crawl", log[:10])
    shutil.copy(towns / "job.toml", root)
    update_index(root)
    before = answers(root, finder)
    with LogWriter(root / "log", LOG) as writer:
        for one in log[10:]:
            writer.append(one)
    killed(root, when)
    assert all(
        answer.hits or not known.hits
        for answer, known in zip(answers(root, finder), before, strict=True)
    )
    update_index(root)
    assert bare(answers(root, finder)) == bare(answers(towns, finder))


def test_there_is_only_one_writer(towns: Path, finder: NameFinder) -> None:
    with (
        IndexWriter(index_folder(towns), finder),
        pytest.raises(InputError, match="another process"),
    ):
        IndexWriter(index_folder(towns), finder)


# --- hostile pages --------------------------------------------------------------------------------

HOSTILE = '<script>alert(1)</script> "pizza" <img src=x onerror=alert(1)> &amp; </mark><b>pizza</b>'


def test_hostile_text_is_escaped(tmp_path: Path, finder: NameFinder) -> None:
    page = visit(0, "http://evil.test/?<script>", HOSTILE, title="\x1b[31mPizza\x07 <script>\u202e")
    update_index(written(tmp_path / "crawl", [page]))
    (hit,) = Search(index_folder(tmp_path / "crawl"), finder).ask(Question("pizza")).hits
    html = hit.extract.html()
    assert html.count("<mark>") == html.count("</mark>") == 2
    assert tags(html) == {"<mark>", "</mark>"}
    assert hit.title == "[31mPizza <script>"  # safe on a terminal; the web page escapes it
    assert [hit.extract.text[start:end] for start, end in hit.extract.marks] == ["pizza", "pizza"]


@given(
    st.text(max_size=80), st.lists(st.tuples(st.integers(0, 40), st.integers(1, 40)), max_size=3)
)
def test_an_extract_has_no_markup_except_marks(text: str, spans: list[tuple[int, int]]) -> None:
    marks, at = [], 0
    for gap, length in spans:
        start, end = at + gap, at + gap + length
        if end <= len(text):
            marks.append((start, end))
            at = end
    html = Extract(text, tuple(marks)).html()
    assert tags(html) <= {"<mark>", "</mark>"}
    assert html.count("<mark>") == len(marks)


@given(
    st.lists(st.sampled_from(["pizza", "and", "Straße", "x" * 30]), min_size=1, max_size=150),
    st.booleans(),
)
def test_the_searched_word_is_near_the_beginning_of_an_extract(
    words: list[str], late: bool
) -> None:
    """A phone shows about 150 characters of an extract."""
    if late:
        words = [word for word in words if word != "pizza"] + ["pizza"]
    text = " ".join(words)
    marks = tuple((found.start(), found.end()) for found in re.finditer("pizza", text))
    extract = window(Extract(text, marks))
    inner = extract.text.removeprefix("… ").removesuffix(" …")
    assert inner in text
    assert len(inner) <= max(240, len("pizza"))
    assert [extract.text[start:end] for start, end in extract.marks] == ["pizza"] * len(
        extract.marks
    )
    assert bool(extract.marks) == bool(marks)
    if len(text) > 240 and marks:
        assert extract.marks[0][0] <= 150


def tags(html: str) -> set[str]:
    return set(re.findall(r"<[^>]*>?", html))


# --- ties and cells -------------------------------------------------------------------------------


def test_ties_by_hand(gazetteer: Gazetteer) -> None:
    """Two addresses in Lisbon and one in Porto; a tenth of the mentions are of Oldenburg."""
    lisbon, porto, oldenburg = 2267057, 2735943, 2857458
    addresses = (address(lisbon, "a"), address(lisbon, "b"), address(porto, "c"))
    scope = ((lisbon, 0.6), (porto, 0.3), (oldenburg, 0.1))
    page = visit(0, "http://a.test/", "x", addresses=addresses, scope=scope)
    ties = GeoReferencer(gazetteer).ties(page)
    portugal, germany = (gazetteer.ancestors(one)[-2].id for one in (lisbon, oldenburg))
    assert (ties[lisbon], ties[porto]) == (7, 6)  # two thirds of the addresses; a third
    assert ties[portugal] == 7
    assert (ties[oldenburg], ties[germany]) == (2, 2)  # a tenth of the mentions
    assert 6255148 not in ties  # no continents


def test_a_district_also_counts_as_its_city(gazetteer: Gazetteer) -> None:
    """Lisbon is a city in the district of Lisbon: a page about the district is found under both."""
    district, city = (
        next(one for one in gazetteer.lookup("Lisbon, Portugal") if one.kind is kind).id
        for kind in (Kind.STATE, Kind.CITY)
    )
    page = visit(0, "http://a.test/", "x", scope=((district, 1.0),))
    assert GeoReferencer(gazetteer).ties(page)[city] == 4


def test_a_host_may_be_named_after_its_place(finder: NameFinder) -> None:
    """A page that names no place is in that of its host's name; one that names another is not."""
    graz, oldenburg = 2778067, 2857458
    referencer = GeoReferencer(finder.gazetteer, finder.urls)
    page = visit(0, "http://yoga-graz.test/", "x")
    assert referencer.ties(page)[graz] == 3
    elsewhere = replace(page, own_scope=((oldenburg, 1.0),))
    assert graz not in referencer.ties(elsewhere)
    assert not referencer.ties(visit(0, "http://bakery-brinkmann.test/", "x"))


POINT = st.tuples(st.floats(-85, 85), st.floats(-180, 180))


@given(POINT, st.floats(0.05, 900), st.floats(0, 360), st.floats(0, 1))
def test_a_circle_is_covered_by_its_cells(
    point: tuple[float, float], km: float, bearing: float, share: float
) -> None:
    lat, lon = destination(point, 0.999 * km * share, bearing)
    cells = cells_around(*point, km)
    assert cells is None or set(cells) & set(cells_at(lat, lon))


@given(POINT, st.floats(0.01, 3), st.floats(0.01, 3), st.floats(0, 1), st.floats(0, 1))
def test_a_box_is_covered_by_its_cells(
    corner: tuple[float, float], height: float, width: float, up: float, right: float
) -> None:
    south, west = corner
    box = Box(south, west, min(south + height, 89), min(west + width, 180))
    lat, lon = south + up * (box.north - south), west + right * (box.east - west)
    assert box.holds(lat, lon)
    cells = cells_in(box)
    assert cells is None or set(cells) & set(cells_at(lat, lon))


@given(POINT, POINT)
def test_distances_are_great_circles(one: tuple[float, float], other: tuple[float, float]) -> None:
    found = distances_km(np.array([(*one, 0.0)], np.float32), *other)
    assert found[0] == pytest.approx(
        great_circle_km(float(np.float32(one[0])), float(np.float32(one[1])), *other), abs=1e-3
    )


def destination(point: tuple[float, float], km: float, bearing: float) -> tuple[float, float]:
    """The point at a distance and bearing from another, on the sphere."""
    lat, lon, angle, turn = (
        np.radians(point[0]),
        np.radians(point[1]),
        km / 6371.0088,
        np.radians(bearing),
    )
    there = np.arcsin(np.sin(lat) * np.cos(angle) + np.cos(lat) * np.sin(angle) * np.cos(turn))
    across = np.arctan2(
        np.sin(turn) * np.sin(angle) * np.cos(lat), np.cos(angle) - np.sin(lat) * np.sin(there)
    )
    return float(np.degrees(there)), float((np.degrees(lon + across) + 540) % 360 - 180)
