"""The index: made from a crawl's log, bit by bit or at once, also after a kill; and what it answers."""

import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import msgspec
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.crawling import run, visits
from tests.towns import PAGES, crawl_towns

from toponaut.crawl.directory import LOG
from toponaut.crawl.indexing import bring_up, index_folder
from toponaut.errors import InputError
from toponaut.index import Answer, Box, Extract, Question, Search
from toponaut.index.cells import cells_around, cells_at, cells_in
from toponaut.index.table import distances_km
from toponaut.index.ties import Ties
from toponaut.log import LogWriter
from toponaut.places.gazetteer import Gazetteer, great_circle_km
from toponaut.places.names import NameFinder
from toponaut.records import Address, Kind, Outcome, Precision, Visit

BAIXA = (38.7107, -9.1372)


@pytest.fixture(scope="module")
def towns(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = crawl_towns(tmp_path_factory.mktemp("towns"))
    bring_up(root)
    return root


@pytest.fixture(scope="module")
def search(towns: Path, finder: NameFinder) -> Search:
    return Search(index_folder(towns), finder)


def paths(answer: Answer) -> list[str]:
    return [hit.url.removeprefix("http://towns.test") for hit in answer.hits]


def place(answer: Answer) -> str:
    assert answer.where is not None
    assert answer.where.place is not None
    return ", ".join(reversed(answer.where.place.path))


# --- golden queries --------------------------------------------------------------------------------------------------


def test_pizza_in_lisbon_is_in_portugal(search: Search) -> None:
    answer = search.ask(Question("pizza in lisbon"))
    assert place(answer) == "Lisbon, Lisbon, Portugal"
    assert paths(answer) == ["/pt/forno", "/pt/guide"]  # the address before the mention, and neither Porto nor Ohio
    first = answer.hits[0]
    assert first.address.startswith("Rua Augusta 100")
    assert first.path == ("Portugal", "Lisbon", "Lisbon")
    assert first.point is not None
    assert (first.point.precision, first.point.lat) == (Precision.GIVEN, pytest.approx(38.7107, abs=1e-4))
    assert "has an address in Lisbon" in first.why
    assert '"pizza" in its text' in first.why
    assert any(other.path[0] == "United States" and other.pages == 1 for other in answer.others)


def test_lisbon_ohio(search: Search) -> None:
    answer = search.ask(Question("pizza lisbon ohio"))
    assert place(answer) == "Lisbon, Columbiana County, Ohio, United States"
    assert paths(answer) == ["/oh/lisbon"]
    by_hand = search.ask(
        Question("pizza in lisbon", place=answer.where.place.id if answer.where and answer.where.place else 0)
    )
    assert paths(by_hand) == ["/oh/lisbon"]


def test_athens_is_where_the_schools_are(search: Search) -> None:
    schools = search.ask(Question("Athens public schools"))
    assert place(schools) == "Athens, Clarke County, Georgia, United States"
    assert set(paths(schools)) == {f"/ga/school{k}" for k in range(3)}
    assert any(other.path[0] == "Greece" for other in schools.others)
    assert schools.as_words
    museums = search.ask(Question("athens museums"))
    assert place(museums) == "Athens, Attica, Greece"
    assert paths(museums) == ["/gr/athens"]
    assert any(other.path[1:2] == ("Georgia",) for other in museums.others)


def test_a_country_has_what_its_cities_have(search: Search) -> None:
    assert set(paths(search.ask(Question("pizza in portugal")))) == {"/pt/forno", "/pt/guide", "/pt/porto"}
    assert "/de/pizzeria" in paths(search.ask(Question("pizzeria niedersachsen")))


def test_within_five_kilometres(search: Search) -> None:
    answer = search.ask(Question("pizzeria within 5 km of oldenburg"))
    assert paths(answer) == ["/de/pizzeria"]  # Bremen is 40 km away
    wider = search.ask(Question("pizzeria within 60 km of oldenburg"))
    assert paths(wider) == ["/de/pizzeria", "/de/bremen"]
    distance = wider.hits[1].distance_km
    assert distance == pytest.approx(40, abs=3)


def test_near_an_address_that_the_index_knows(search: Search) -> None:
    answer = search.ask(Question("plumbers near 100 milam street houston"))
    assert answer.where is not None
    assert answer.where.street_found
    assert (answer.where.lat, answer.where.lon) == (pytest.approx(29.7633), pytest.approx(-95.3628))
    assert paths(answer)[0] == "/tx/plumber"
    assert answer.hits[0].distance_km == pytest.approx(0.12, abs=0.05)


def test_near_me(search: Search) -> None:
    answer = search.ask(Question("pizza near me", here=BAIXA))
    assert paths(answer)[0] == "/pt/forno"
    assert answer.hits[0].distance_km == pytest.approx(0.035, abs=0.01)
    assert "/oh/lisbon" not in paths(answer)
    with pytest.raises(InputError, match="--near"):
        search.ask(Question("pizza near me"))


def test_common_words_stay_words(search: Search) -> None:
    for query, first in (
        ("reading glasses", "/tx/glasses"),
        ("mobile phone repair", "/tx/glasses"),
        ("nice hotel", "/tx/glasses"),
    ):
        answer = search.ask(Question(query))
        assert answer.where is None
        assert paths(answer)[0] == first


def test_no_place_and_no_words(search: Search) -> None:
    assert {"/pt/forno", "/oh/lisbon", "/de/pizzeria"} <= set(paths(search.ask(Question("pizza"))))
    anything = search.ask(Question("oldenburg"))
    assert {"/de/pizzeria", "/de/museum"} == set(paths(anything))
    for nothing in ("", "   "):
        with pytest.raises(InputError, match="nothing was asked"):
            search.ask(Question(nothing))


def test_other_forms_of_a_word(search: Search) -> None:
    assert paths(search.ask(Question("school in athens ga"))) == paths(search.ask(Question("schools in athens ga")))


def test_did_you_mean(search: Search) -> None:
    assert "pizza in lisbon" in search.ask(Question("pizza in lisbonn")).did_you_mean
    assert "museums in athens" in search.ask(Question("musaems in athens")).did_you_mean
    assert search.ask(Question("pizza in lisbon")).did_you_mean == ()


def test_a_box_on_the_map(search: Search) -> None:
    houston = Box(29.5, -95.6, 30.0, -95.0)
    assert set(paths(search.ask(Question("plumbers", box=houston)))) == {"/tx/plumber"}
    assert "/tx/katy" in paths(search.ask(Question("plumbers", box=Box(29.5, -96.0, 30.0, -95.0))))


def test_facets_go_down_the_hierarchy(search: Search) -> None:
    countries = {facet.name: facet for facet in search.facets(Question("pizza"))}
    assert {"Portugal", "United States", "Germany"} <= set(countries)
    below = search.facets(Question("pizza", place=countries["Portugal"].id))
    assert {facet.name: facet.pages for facet in below} == {"Lisbon": 2, "Porto": 1}


def test_pages_near_a_page(search: Search) -> None:
    found = search.near("http://towns.test/de/pizzeria")
    assert found.in_space[0].url.endswith("/de/museum")
    assert found.in_space[0].distance_km == pytest.approx(0.36, abs=0.05)
    assert found.in_hierarchy[0].url.endswith("/de/museum")
    assert found.in_hierarchy[0].path == ("Germany", "Lower Saxony", "Oldenburg")
    with pytest.raises(InputError, match="no page"):
        search.near("http://nowhere.test/")


def test_an_area_stays_an_area(search: Search) -> None:
    """A page whose address is known to its postcode only does not stand at the postcode's middle."""
    answer = search.ask(Question("pizza lisbon ohio"))
    point = answer.hits[0].point
    assert point is not None
    assert point.precision is Precision.POSTCODE
    assert point.radius_km == 4.0
    there = (point.lat, point.lon)
    assert search.ask(Question("pizza within 1 km of me", here=there)).total == 0
    near = search.ask(Question("pizza within 5 km of me", here=there))
    assert paths(near) == ["/oh/lisbon"]
    assert near.hits[0].distance_km == pytest.approx(2.83, abs=0.01)  # 4 / sqrt(2)


# --- the command line ------------------------------------------------------------------------------------------------


def test_the_commands(tmp_path: Path) -> None:
    root = crawl_towns(tmp_path, PAGES[:4])
    early = run("search", root, "pizza in lisbon")
    assert early.returncode == 2
    assert "toponaut index" in early.stderr
    assert "4 pages" not in early.stdout
    made = run("index", root)
    assert "pages added" in made.stdout
    again = run("index", root, "--json")
    assert msgspec.json.decode(again.stdout)["pages"] == 0
    shown = run("search", root, "pizza in lisbon")
    assert "Lisbon, Lisbon, Portugal" in shown.stdout
    assert "Rua Augusta 100" in shown.stdout
    told = msgspec.json.decode(run("search", root, "pizza near me", "--near", "38.71,-9.13", "--json").stdout)
    assert told["hits"][0]["url"] == "http://towns.test/pt/forno"
    for wrong in (["search", root, ""], ["search", root, "x", "--near", "north"], ["index", tmp_path / "none"]):
        assert run(*wrong).returncode == 2


# --- making it -------------------------------------------------------------------------------------------------------


def answers(root: Path, finder: NameFinder) -> list[Answer]:
    search = Search(index_folder(root), finder)
    queries = ("pizza in lisbon", "athens public schools", "oldenburg", "pizza", "plumbers near houston")
    return [search.ask(Question(query)) for query in queries]


def bare(found: list[Answer]) -> list[object]:
    """Without the numbers of pages, which are an index's own affair; and scores, which may differ in how they are rounded."""
    return [
        (
            answer.total,
            answer.where,
            answer.others,
            [(hit.url, hit.extract, hit.address, round(hit.score, 2)) for hit in answer.hits],
        )
        for answer in found
    ]


def test_bit_by_bit_is_as_at_once(towns: Path, tmp_path: Path, finder: NameFinder) -> None:
    root = tmp_path / "crawl"
    root.mkdir()
    shutil.copy(towns / "job.toml", root)
    with LogWriter(root / "log", LOG) as log:
        for visit in visits(towns):
            log.append(visit)
            if visit.sequence % 5 == 4:
                log.sync()
                bring_up(root)
            if visit.sequence % 7 == 6:
                log.seal()
    bring_up(root)
    assert bare(answers(root, finder)) == bare(answers(towns, finder))


def test_a_page_fetched_again_is_one_page(tmp_path: Path, finder: NameFinder) -> None:
    root = tmp_path / "crawl"
    first = visit(0, "http://a.test/", "Pizza in Lisbon, as it was")
    bring_up(written(root, [first, visit(1, "http://b.test/", "Pizza elsewhere")]))
    with LogWriter(root / "log", LOG) as log:
        log.append(visit(2, "http://a.test/", "Pizza in Lisbon, as it is"))
        log.append(visit(3, "http://b.test/", "", Outcome.NOT_FOUND))
    assert bring_up(root).pages == 1
    answer = Search(index_folder(root), finder).ask(Question("pizza", place=0))
    assert [(hit.url, hit.extract.text) for hit in answer.hits] == [("http://a.test/", "Pizza in Lisbon, as it is")]


def test_near_copies_are_folded(tmp_path: Path, finder: NameFinder) -> None:
    """Three copies are one hit; a page with the same text and another address is another."""
    lisbon, porto = 2267057, 2735943
    own = [
        address(lisbon, "rua a 1, lisboa"),
        address(lisbon, "rua a 1, lisboa"),
        address(lisbon, "rua a 1, lisboa"),
        address(porto, "rua b 2, porto"),
    ]
    log = [
        visit(k, f"http://{k}.test/", "Pizza in a chain of restaurants", addresses=(one,), simhash=0b1111 << k)
        for k, one in enumerate(own)
    ]
    bring_up(written(tmp_path / "crawl", log))
    answer = Search(index_folder(tmp_path / "crawl"), finder).ask(Question("pizza"))
    assert [(hit.url, hit.copies) for hit in answer.hits] == [("http://0.test/", 2), ("http://3.test/", 0)]


def test_deleting_it_loses_nothing(towns: Path, tmp_path: Path, finder: NameFinder) -> None:
    root = tmp_path / "crawl"
    shutil.copytree(towns, root)
    shutil.rmtree(index_folder(root))
    with pytest.raises(InputError, match="no index"):
        Search(index_folder(root), finder)
    bring_up(root)
    assert bare(answers(root, finder)) == bare(answers(towns, finder))


def test_another_log_makes_it_anew(towns: Path, tmp_path: Path, finder: NameFinder) -> None:
    """After a power cut the log may lack what was indexed."""
    root = tmp_path / "crawl"
    shutil.copytree(towns, root)
    shutil.rmtree(root / "log")
    written(root, [visit(0, "http://a.test/", "Pizza")])
    bring_up(root)
    assert Search(index_folder(root), finder).pages == 1


_KILLED = """
import os, signal, sys
from pathlib import Path
from toponaut.crawl import indexing
from toponaut.index import writing

after = sys.argv[2]
done = getattr(writing, after) if after == "write_whole" else None

def die(*arguments):
    os.kill(os.getpid(), signal.SIGKILL)

indexing.COMMIT_PAGES = 4
real = writing.IndexWriter.commit
def commit(self, position):
    if self.marker.pages >= 4:  # the second commit
        if after == "before":
            die()
        writing.write_whole = die  # all is written but the marker
    real(self, position)
writing.IndexWriter.commit = commit
indexing.bring_up(Path(sys.argv[1]))
"""


@pytest.mark.parametrize("when", ["before", "marker"])
def test_a_killed_run_leaves_a_usable_index(towns: Path, tmp_path: Path, finder: NameFinder, when: str) -> None:
    root = tmp_path / "crawl"
    shutil.copytree(towns, root)
    shutil.rmtree(index_folder(root))
    # Batches of the log hold a thousand visits; here each visit is one, so that there is something to lose.
    split = _KILLED.replace("indexing.bring_up(", "batches = indexing.batches\n"
        "def one_by_one(log, after, fields):\n"
        "    for batch in batches(log, after, fields):\n"
        "        for k in range(len(batch.visits)):\n"
        "            from toponaut.log.positions import Position, mark\n"
        "            last = batch.visits[k]\n"
        "            yield batch._replace(visits=[last], position=Position(0, last.sequence + 1, mark(last.sequence, last.url, last.time)).note())\n"
        "indexing.batches = one_by_one\n"
        "indexing.bring_up(")  # fmt: skip
    ended = subprocess.run(
        [sys.executable, "-c", split, str(root), when], env=os.environ, capture_output=True, timeout=60
    )
    assert ended.returncode == -signal.SIGKILL, ended.stderr.decode()
    left = Search(index_folder(root), finder)
    assert left.pages >= 4
    assert left.ask(Question("pizza")).hits  # it can be asked as it is
    bring_up(root)
    assert bare(answers(root, finder)) == bare(answers(towns, finder))


def test_two_cannot_write_at_once(towns: Path, gazetteer: Gazetteer) -> None:
    from toponaut.index import IndexWriter

    with IndexWriter(index_folder(towns), gazetteer), pytest.raises(InputError, match="another process"):
        IndexWriter(index_folder(towns), gazetteer)


# --- hostile pages ---------------------------------------------------------------------------------------------------

HOSTILE = '<script>alert(1)</script> "pizza" <img src=x onerror=alert(1)> &amp; </mark><b>pizza</b>'


def test_hostile_text_is_escaped(tmp_path: Path, finder: NameFinder) -> None:
    page = visit(0, "http://evil.test/?<script>", HOSTILE, title="\x1b[31mPizza\x07 <script>\u202e")
    bring_up(written(tmp_path / "crawl", [page]))
    (hit,) = Search(index_folder(tmp_path / "crawl"), finder).ask(Question("pizza")).hits
    html = hit.extract.html()
    assert html.count("<mark>") == html.count("</mark>") == 2
    assert set(re_tags(html)) == {"<mark>", "</mark>"}
    assert hit.title == "[31mPizza <script>"  # the page view escapes it; a terminal is not moved by it
    assert [hit.extract.text[start:end] for start, end in hit.extract.marks] == ["pizza", "pizza"]


@given(st.text(max_size=80), st.lists(st.tuples(st.integers(0, 40), st.integers(1, 40)), max_size=3))
def test_an_extract_has_no_markup_but_marks(text: str, spans: list[tuple[int, int]]) -> None:
    marks, at = [], 0
    for gap, length in spans:
        start, end = at + gap, at + gap + length
        if end <= len(text):
            marks.append((start, end))
            at = end
    html = Extract(text, tuple(marks)).html()
    assert set(re_tags(html)) <= {"<mark>", "</mark>"}
    assert html.count("<mark>") == len(marks)


def re_tags(html: str) -> Iterator[str]:
    import re

    return iter(re.findall(r"<[^>]*>?", html))


# --- ties and cells --------------------------------------------------------------------------------------------------


def test_ties_by_hand(gazetteer: Gazetteer) -> None:
    """Two addresses in Lisbon and one in Porto; a tenth of what is mentioned is Oldenburg."""
    lisbon, porto, oldenburg = 2267057, 2735943, 2857458
    page = visit(
        0, "http://a.test/", "x", addresses=(address(lisbon, "a"), address(lisbon, "b"), address(porto, "c")),
        scope=((lisbon, 0.6), (porto, 0.3), (oldenburg, 0.1)),
    )  # fmt: skip
    ties = Ties(gazetteer).of(page)
    portugal, germany = (gazetteer.ancestors(one)[-2].id for one in (lisbon, oldenburg))
    assert (ties[lisbon], ties[porto]) == (7, 6)  # two thirds of the addresses; a third
    assert ties[portugal] == 7
    assert (ties[oldenburg], ties[germany]) == (2, 2)  # a tenth of the mentions
    assert 6255148 not in ties  # no continents


def test_a_district_is_read_as_its_city(gazetteer: Gazetteer) -> None:
    """Lisbon is a city in the district of Lisbon: a page that is read as speaking of the district speaks of the city, too."""
    district, city = (
        next(one for one in gazetteer.lookup("Lisbon, Portugal") if one.kind is kind).id
        for kind in (Kind.STATE, Kind.CITY)
    )
    assert Ties(gazetteer).of(visit(0, "http://a.test/", "x", scope=((district, 1.0),)))[city] == 4


POINT = st.tuples(st.floats(-85, 85), st.floats(-180, 180))


@given(POINT, st.floats(0.05, 900), st.floats(0, 360), st.floats(0, 1))
def test_a_circle_is_covered_by_its_cells(point: tuple[float, float], km: float, bearing: float, share: float) -> None:
    lat, lon = walked(point, 0.999 * km * share, bearing)
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
    assert found[0] == pytest.approx(great_circle_km(*np.float32(one).tolist(), *other), abs=1e-3)


def walked(point: tuple[float, float], km: float, bearing: float) -> tuple[float, float]:
    """Where one comes by going so far in a direction, on the sphere."""
    lat, lon, angle, turn = np.radians(point[0]), np.radians(point[1]), km / 6371.0088, np.radians(bearing)
    there = np.arcsin(np.sin(lat) * np.cos(angle) + np.cos(lat) * np.sin(angle) * np.cos(turn))
    across = np.arctan2(np.sin(turn) * np.sin(angle) * np.cos(lat), np.cos(angle) - np.sin(lat) * np.sin(there))
    return float(np.degrees(there)), float((np.degrees(lon + across) + 540) % 360 - 180)


# --- visits by hand --------------------------------------------------------------------------------------------------


def address(place: int, normal: str) -> Address:
    return Address("", -1, -1, street="Rua", city="x", country="PT", normal=normal, place=place, confidence=0.9)


def visit(
    sequence: int,
    url: str,
    text: str,
    outcome: Outcome = Outcome.FETCHED,
    title: str = "A page",
    addresses: tuple[Address, ...] = (),
    scope: tuple[tuple[int, float], ...] = (),
    simhash: int = 0,
) -> Visit:
    return Visit(
        sequence, LOG, url, 200, outcome, time=1.8e9 + sequence, title=title, text=text, addresses=addresses, scope=scope,
        simhash=simhash,
    )  # fmt: skip


def written(root: Path, log: list[Visit]) -> Path:
    """A crawl's directory with just this log."""
    from tests.crawling import job

    from toponaut.job import render

    root.mkdir(exist_ok=True)
    (root / "job.toml").write_text(render(job(["http://a.test/"])), encoding="utf-8")
    with LogWriter(root / "log", LOG) as writer:
        for one in log:
            writer.append(one)
    return root
