"""Orderings compared on real sites: sites.tsv, settings, intervals, and a small comparison."""

import asyncio
import json
from pathlib import Path
from xml.etree import ElementTree

import pytest
from tests.support.crawling import CITIES, job, run_here
from tests.support.recorded_sites import HEAD, recorded_sites, sites_in

from toponaut.compare.job_keys import changed_job
from toponaut.compare.real_sites import choose, read_sites, targets_of
from toponaut.compare.remembering import RememberingReaders
from toponaut.errors import InputError
from toponaut.job import Job, TargetsSection, render
from toponaut.measures.focus import (
    END,
    FocusCurve,
    FocusTarget,
    focus_figures,
    focus_tables,
    may_be_action,
)
from toponaut.measures.intervals import Interval, mean_interval, ratio_interval
from toponaut.measures.svg import as_file
from toponaut.page.reading.reader import PageReader
from toponaut.places.gazetteer.cache import open_gazetteer
from toponaut.records import JudgedPage, Response

# --- sites.tsv ------------------------------------------------------------------------------------


def test_a_place_may_be_several_or_have_a_remark(tmp_path: Path) -> None:
    folder = sites_in(
        tmp_path,
        "a\tBoulder/Denver, CO\tUS\tguide\thttp://a.example\t7",
        "b\tGeorgia (Atlanta ...)\tUS\tdirectory\thttp://b.example/\t9",
        "c\tNowhere at all\tUS\tclub\thttp://c.example/\t3",
        "d\tDenver/Boulder, CO\tUS\tclub\thttp://d.example/\t5",
    )
    gazetteer = open_gazetteer()
    targets, skipped = targets_of(gazetteer, read_sites(folder))
    named = [(t.name, {gazetteer.place(p).name for p in t.places}, t.pages) for t in targets]
    assert named == [
        ("Boulder/Denver, CO", {"Boulder", "Denver"}, 12),
        ("Georgia (Atlanta ...)", {"Georgia"}, 9),
    ]
    assert skipped == {"Nowhere at all": 'no place is called "Nowhere at all, US"'}
    assert read_sites(folder)[0].seed == "http://a.example/"
    assert choose(targets, "1") == targets[:1]
    assert choose(targets, "all") == targets
    assert choose(targets, "Georgia (Atlanta ...);") == targets[1:]
    for wrong in ("Paris", "0", ";"):
        with pytest.raises(InputError, match="--targets: no site is in"):
            choose(targets, wrong)


@pytest.mark.parametrize(
    ("lines", "head", "cause"),
    [
        ((), HEAD, "lists no sites"),
        (("a\tB\tUS\tk\thttp://a.example/\t1",), "site\tplace", "line 1 is not the head"),
        (("a\tB\tUS\tk\thttp://a.example/",), HEAD, "line 2 is not a site"),
        (("a\tB\tUS\tk\tnowhere\t1",), HEAD, "line 2 is not a site"),
        (("a\tB\tUS\tk\thttp://a.example/\tmany",), HEAD, "line 2 is not a site"),
    ],
)
def test_a_damaged_list_of_sites_is_refused(
    tmp_path: Path, lines: tuple[str, ...], head: str, cause: str
) -> None:
    with pytest.raises(InputError, match=cause):
        read_sites(sites_in(tmp_path, *lines, head=head))


def test_a_missing_list_of_sites_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"cannot read .*sites.tsv"):
        read_sites(tmp_path)


# --- settings -------------------------------------------------------------------------------------


def test_a_setting_changes_keys_of_a_job() -> None:
    changed = changed_job(Job(), "concurrent=2, delay=0.5,limits.depth=3,robots=false")
    assert (changed.politeness.concurrent, changed.politeness.delay) == (2, 0.5)
    assert (changed.limits.depth, changed.politeness.robots) == (3, False)
    assert changed_job(Job(), "") == Job()


@pytest.mark.parametrize(
    ("setting", "cause"),
    [
        ("speed=1", "sets no key"),
        ("depth=3", "sets no key"),  # of limits or of ordering?
        ("concurrent", "sets no key"),
        ("politeness.pages=3", "sets no key"),
        ("concurrent=none", "is not valid"),
        ("delay=-1", "is not valid"),
    ],
)
def test_a_wrong_setting_is_refused(setting: str, cause: str) -> None:
    with pytest.raises(InputError, match=cause):
        changed_job(Job(), setting)


# --- figures --------------------------------------------------------------------------------------


def test_intervals_by_hand() -> None:
    # Two targets: a draw has both (1/2), twice the first (1/4) or twice the second (1/4).
    assert ratio_interval([1, 3], [2, 2]) == Interval(1.0, 0.5, 1.5)
    assert mean_interval([4, 8]) == Interval(6.0, 4.0, 8.0)
    assert ratio_interval([5], [2]) == Interval(2.5)
    assert ratio_interval([5, 1], [0, 0]) == Interval(None)
    texts = [one.format(1) for one in (Interval(None), Interval(2.5), Interval(6.0, 4.0, 8.0))]
    assert texts == ["–", "2.5", "6.0 (4.0 to 8.0)"]


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        ("https://www.google.com/maps/dir/?q=1", True),
        ("http://a.example/fair?ical=1", True),
        ("http://a.example/page/?replytocom=7", True),
        ("http://a.example/wp-login.php", True),
        ("https://t.example/share?url=http://a.example/", True),
        ("http://a.example/roadmap/printing/shared-house/hotel", False),
        ("http://maple.example/", False),
    ],
)
def test_words_of_action_links(url: str, expected: bool) -> None:
    assert may_be_action(url) is expected


def test_tables_by_hand() -> None:
    def target(name: str, *hits: tuple[int, ...]) -> FocusTarget:
        ours, theirs, best = (FocusCurve(one, 20, actions=len(one) // 4) for one in hits)
        return FocusTarget(name, 4, best, {"fast": {"ours": ours, "theirs": theirs}})

    one = target("one", (2, 4, 6, 30), (9, 10), (1, 2, 3, 4))
    two = target("two", (1, 2, 3, 4), (1, 10), (1, 2, 3, 4))
    assert [one.oracle.found(n) for n in (0, 1, 3, END)] == [0, 1, 3, 4]
    found, share, ratio, actions, by_target = focus_tables([one, two], "ours", (5, 10))
    assert found.head == ("", "after 5", "after 10", "at the end")
    assert found.rows == (
        ("ours", "3 (2 to 4)", "4 (3 to 4)", "4 (4 to 4)"),
        ("theirs", "0 (0 to 1)", "2 (2 to 2)", "2 (2 to 2)"),
        ("oracle", "4 (4 to 4)", "4 (4 to 4)", "4 (4 to 4)"),
    )
    assert share.rows[0] == (
        "ours", "0.75 (0.50 to 1.00)", "0.88 (0.75 to 1.00)", "1.00 (1.00 to 1.00)",
    )  # fmt: skip
    assert [row[0] for row in ratio.rows] == ["theirs"]
    assert ratio.rows[0][3] == "2.00 (2.00 to 2.00)"
    assert actions.rows == (("ours", "5.00 %"), ("theirs", "0.00 %"))  # 2 of 40
    assert by_target.rows == (("one", "4", "4", "2"), ("two", "4", "4", "2"))
    [figure] = focus_figures([one, two], (5, 10))
    drawn = ElementTree.fromstring(as_file(figure.drawing, figure.keys))
    texts = [element.text for element in drawn.iter() if element.tag.endswith("text")]
    assert {"ours", "theirs", "oracle", "fetches"} <= set(texts)


# --- crawls ---------------------------------------------------------------------------------------


class CountingReader(PageReader):
    """Counts the pages that it reads."""

    pages = 0

    def read(self, fetched: Response) -> JudgedPage:
        self.pages += 1
        return super().read(fetched)


def test_a_page_is_read_once_and_judged_alike() -> None:
    wanted = job(["http://a.example/"])
    reader = CountingReader(wanted)
    readers = RememberingReaders(reader)
    body = b"<p>200 East Colfax Avenue, Denver, CO 80203</p><a href='b'>more</a>"

    def page(url: str) -> Response:
        return Response(url, 200, body, "text/html")

    async def read_all() -> list[JudgedPage]:
        urls = ("http://a.example/", "http://a.example/", "http://a.example/x/")
        return [await readers.read(page(url)) for url in urls]

    first, again, twin = asyncio.run(read_all())
    assert reader.pages == 2
    assert first.relevant
    assert (
        first.addresses
        == again.addresses
        == PageReader(wanted).read(page("http://a.example/")).addresses
    )
    assert first.page.links[0].url == again.page.links[0].url == "http://a.example/b"
    assert twin.page.links[0].url == "http://a.example/x/b"
    assert len(set(readers.documents.values())) == 1


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return recorded_sites(tmp_path_factory.mktemp("sites"))


@pytest.fixture(scope="module")
def job_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("job") / "job.toml"
    path.write_text(render(Job(targets=TargetsSection(places=CITIES[:1]))), encoding="utf-8")
    return path


def test_orderings_are_compared_on_sites(folder: Path, job_file: Path, tmp_path: Path) -> None:
    out, figure = tmp_path / "out", tmp_path / "figure.svg"
    line = (
        "compare", job_file, out, "--replay", folder, "--targets", "all", "--pages", "60",
        "--ordering", "breadth-first,combined", "--setting", "concurrent=1,delay=0",
        "--setting", "concurrent=8,delay=1", "--workers", "1", "--figure", figure, "-q", "--json",
    )  # fmt: skip
    done = run_here(*line)
    assert done.returncode == 0, done.stderr
    report = json.loads(done.stdout)
    assert report["left_out"] == {
        "Nowhere at all": 'no place is called "Nowhere at all, US"',
        "Boston, MA": "only 0 relevant pages can be reached",
    }
    [target] = report["targets"]
    assert (target["name"], target["relevant"]) == ("Denver, CO", 40)
    # One fetch for the home page, then one for each relevant page.
    assert target["oracle"]["hits"][:3] == [2, 3, 4]
    slow = target["crawls"]["concurrent=8,delay=1"]["breadth-first"]
    assert slow["pages"] == 60
    assert slow["seconds"] >= 29  # two hosts, a page a second from each
    fast = target["crawls"]["concurrent=1,delay=0"]
    assert fast["breadth-first"]["seconds"] == 0
    assert fast["breadth-first"]["fetches"] > 60  # the links to missing pages count
    assert len(fast["combined"]["hits"]) > len(fast["breadth-first"]["hits"])
    assert ElementTree.fromstring(figure.read_text(encoding="utf-8")).tag.endswith("svg")
    assert (tmp_path / "figure-2.svg").is_file()
    kept = {path: path.stat().st_mtime_ns for path in out.rglob("*.json")}
    assert len(kept) == 1 + 1 + 2 * 2  # two oracles; of one target, two settings and orderings
    assert run_here(*line).stdout == done.stdout
    assert {path: path.stat().st_mtime_ns for path in out.rglob("*.json")} == kept
    assert not list(out.rglob("crawl-*"))


def test_targets_need_a_folder_of_sites(folder: Path, job_file: Path, tmp_path: Path) -> None:
    done = run_here("compare", job_file, tmp_path / "out", "--targets", "1")
    assert done.returncode == 2
    assert "--targets needs a folder with a sites.tsv" in done.stderr
    done = run_here("compare", job_file, tmp_path / "out", "--replay", tmp_path, "--targets", "1")
    assert done.returncode == 2
    assert f"cannot read {tmp_path / 'sites.tsv'}" in done.stderr
    line = ("--replay", folder, "--targets", "1", "--setting", "speed=1")
    done = run_here("compare", job_file, tmp_path / "out", *line)
    assert done.returncode == 2
    assert '"speed=1" sets no key of a job' in done.stderr
