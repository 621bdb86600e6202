"""`toponaut train`: from lists and crawls to a model, and everything that may be wrong with
them."""

import json
from collections import Counter
from pathlib import Path

import pytest
from tests.support.crawling import crawl, run_here, visits
from tests.support.webserver import TestWeb

from toponaut.crawl.strategies import setting_of
from toponaut.errors import InputError
from toponaut.job import (
    CollaborationSection,
    Job,
    NodesSection,
    PolitenessSection,
    TargetsSection,
    render,
)
from toponaut.job.sections import TerritorySection
from toponaut.job.targets import find_place
from toponaut.places.gazetteer import Gazetteer
from toponaut.records import JudgedPage, Link, Outcome, Page
from toponaut.strategy.learning.labelled import topic_place
from toponaut.strategy.learning.text_bayes import WordCounts, load
from toponaut.strategy.learning.training import FOLDS, TrainingResult, drawn, folds_of, train
from toponaut.strategy.registry import collaboration_of

WORDS = {
    "Seattle, WA": "Alki ferry Puget Seahawks rain coffee",
    "Boston, MA": "Fenway harbor Celtics chowder commons",
    "-": "recipe flour water salt yeast bread",
}
SEATTLE = "400 Broad Street, Seattle, WA 98109"
BOSTON = "1 City Hall Square, Boston, MA 02201"


def labelled(folder: Path, each: int = 5) -> Path:
    """A list of files: some pages for each place, with words about it."""
    lines = ["# pages for a test", ""]
    for place, words in WORDS.items():
        for number in range(each):
            name = f"{place[:3].strip()}{number}.html"
            some = " ".join(words.split()[number % 3 :])
            (folder / name).write_text(
                f"<title>{some}</title><p>The page number {number}.", encoding="utf-8"
            )
            lines.append(f"{name}\t{place}")
    path = folder / "list.tsv"
    path.write_text("\n".join(lines), encoding="utf-8")
    return path


def learn(
    source: Path, out: Path, job: Job | None = None
) -> tuple[TrainingResult, WordCounts, list[str]]:
    """The summary of a training, its model, and the reported faults."""
    faults: list[str] = []
    trained = train(
        source, out, job, lambda where, error: faults.append(f"{where}: {error}"), lambda *_: None
    )
    return trained, load(out.read_bytes()), faults


# --- lists ----------------------------------------------------------------------------------------


def test_a_list_of_files(tmp_path: Path, gazetteer: Gazetteer) -> None:
    trained, model, faults = learn(labelled(tmp_path), tmp_path / "my.model")
    assert trained.pages == {"Seattle, WA, US": 5, "Boston, MA, US": 5, "none": 5}
    seattle, boston = (
        find_place(gazetteer, "Seattle, WA").id,
        find_place(gazetteer, "Boston, MA").id,
    )
    assert dict(zip(model.places, model.texts, strict=True)) == {0: 5, boston: 5, seattle: 5}
    assert trained.words == len(model.words)
    assert {"seahawks", "celtics", "bread"} < set(model.words[:12])
    assert model.words[-1] in "the page number 0 1 2 3 4".split()
    assert (trained.accuracy, trained.largest, trained.faults, faults) == (1.0, 0.3333, 0, [])


def test_the_model_gives_links_to_nodes(tmp_path: Path) -> None:
    learn(labelled(tmp_path), tmp_path / "my.model")
    job = Job(
        partition="written",
        nodes=NodesSection(
            general=1,
            territories=(
                TerritorySection(targets=("Boston, MA",)),
                TerritorySection(targets=("Seattle, WA",)),
            ),
        ),
        collaboration=CollaborationSection(strategy="classifier", model=str(tmp_path / "my.model")),
    )
    page = JudgedPage(Page("http://a.test/", title="Seahawks on Puget"))
    (answer,) = collaboration_of(setting_of(job)).assign(
        page, [Link("http://b.test/", "http://a.test/")]
    )
    assert answer.owners == ("Cn2",)
    assert "'seahawks'" in answer.why


def test_the_same_list_gives_the_same_model(tmp_path: Path) -> None:
    source = labelled(tmp_path)
    first, second = tmp_path / "first", tmp_path / "second"
    assert learn(source, first)[0] == learn(source, second)[0]
    assert first.read_bytes() == second.read_bytes()


def test_bad_lines_are_named_and_the_others_count(tmp_path: Path) -> None:
    source = labelled(tmp_path)
    (tmp_path / "picture.png").write_bytes(b"\x89PNG\r\n\x1a\n" + bytes(range(256)))
    (tmp_path / "spare.html").write_text("<p>Spare.", encoding="utf-8")
    bad = [
        "spare.html",
        "\tBoston, MA",
        "spare.html\tGlendale",
        "spare.html\tNowhereville, ZZ",
        "missing.html\tBoston, MA",
        "ftp://a.test/page\tBoston, MA",
        "picture.png\tBoston, MA",
        "spare.html\t1",
    ]
    source.write_text(
        source.read_text(encoding="utf-8") + "\r\n" + "\r\n".join(bad) + "\r\n", encoding="utf-8"
    )
    trained, _, faults = learn(source, tmp_path / "my.model")
    first = source.read_text(encoding="utf-8").splitlines().index("spare.html") + 1
    by_line = {
        line: fault
        for fault in faults
        for line in range(first, first + 8)
        if f"line {line}:" in fault
    }
    assert sorted(by_line) == list(range(first, first + 8))
    for line, cause in enumerate(
        [
            "there is no place or - for none after a tab",
            "there is no URL or file before the tab",
            '"Glendale" is ambiguous',
            'no place is called "Nowhereville, ZZ"',
            "missing.html: there is no such file",
            "only http:// and https://",
            "picture.png: it is neither HTML nor text",
            "no place has the id 1",
        ],
        first,
    ):
        assert cause in by_line[line]
    assert trained.faults == 8
    assert sum(trained.pages.values()) == 15


def test_places_by_id_and_in_a_job(tmp_path: Path, gazetteer: Gazetteer) -> None:
    """With a job its targets are the classes: places in one count for it, and places in none
    as none."""
    for name, text in {"a": "Alki", "b": "Fenway", "c": "Bread"}.items():
        (tmp_path / f"{name}.txt").write_text(text, encoding="utf-8")
    source = tmp_path / "list.tsv"
    source.write_text("a.txt\t5809844\nb.txt\tBoston, MA\nc.txt\tNone\n", encoding="utf-8")
    assert learn(source, tmp_path / "m")[0].pages == {
        "Seattle, WA, US": 1,
        "Boston, MA, US": 1,
        "none": 1,
    }
    job = Job(targets=TargetsSection(places=("King County, WA",)))
    trained, model, _ = learn(source, tmp_path / "m", job)
    assert model.places == (0, find_place(gazetteer, "King County, WA").id)
    assert trained.pages == {"King County, WA, US": 1, "none": 2}


def test_places_of_one_name_are_told_apart(tmp_path: Path, gazetteer: Gazetteer) -> None:
    twins = [place.id for place in gazetteer.lookup("Glendale, OH")]
    assert len(twins) == 2
    (tmp_path / "a.txt").write_text("Alki", encoding="utf-8")
    source = tmp_path / "list.tsv"
    source.write_text("".join(f"a.txt\t{place}\n" for place in twins), encoding="utf-8")
    assert list(learn(source, tmp_path / "m")[0].pages.values()) == [1, 1]


def test_a_folder_or_a_warc_is_many_pages(tmp_path: Path) -> None:
    (tmp_path / "west").mkdir()
    for number in range(3):
        (tmp_path / "west" / f"{number}.html").write_text(f"<p>Alki {number}", encoding="utf-8")
    (tmp_path / "b.txt").write_text("Fenway", encoding="utf-8")
    source = tmp_path / "list.tsv"
    source.write_text("west\tSeattle, WA\nb.txt\tBoston, MA\n", encoding="utf-8")
    assert learn(source, tmp_path / "m")[0].pages == {"Seattle, WA, US": 3, "Boston, MA, US": 1}


def test_no_place_swamps_the_others(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("toponaut.strategy.learning.training.PER_PLACE", 2)
    assert learn(labelled(tmp_path), tmp_path / "m")[0].pages == {
        "Seattle, WA, US": 2,
        "Boston, MA, US": 2,
        "none": 5,
    }


def test_urls_are_fetched(tmp_path: Path) -> None:
    with TestWeb({"a.test": {"/s": "<p>Alki Seahawks", "/b": "<p>Fenway Celtics"}}) as server:
        source = tmp_path / "list.tsv"
        source.write_text(
            "http://a.test/s\tSeattle, WA\nhttp://a.test/b\tBoston, "
            "MA\nhttp://a.test/gone\tBoston, MA\n",
            encoding="utf-8",
        )
        done = run_here("train", source, "--output", tmp_path / "m", "--json", proxy=server.proxy)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["pages"] == {"Seattle, WA, US": 1, "Boston, MA, US": 1}
    assert "line 3: http://a.test/gone: the server answered 404" in done.stderr


@pytest.mark.parametrize(
    ("topic", "place"),
    [
        (
            "Top/Regional/North_America/United_States/Texas/Localities/H/Houston/Society",
            "Houston, Texas, United States",
        ),
        (
            "Top/Regional/Europe/Germany/States/Lower_Saxony/Localities/O/Oldenburg",
            "Oldenburg, Lower Saxony, Germany",
        ),
        ("Top/Regional/Europe/Malta/Localities/V/Valletta", "Valletta, Malta"),
        ("Top/Regional/North_America/United_States/Texas/Localities", ""),
        ("Top/Regional/North_America/United_States/Government", ""),
        ("Top/World/Deutsch/Regional/Europa", ""),
        ("Top/Arts/Music", "-"),
        ("", "-"),
    ],
)
def test_the_place_of_a_topic(topic: str, place: str) -> None:
    assert topic_place(topic) == place


def test_a_web_directory(tmp_path: Path) -> None:
    """Gao, Lee and Miao 2006, 3.4.4: the pages that a directory has for a city."""
    texas = "Top/Regional/North_America/United_States/Texas"
    topics = {"h": f"{texas}/Localities/H/Houston", "t": texas, "m": "Top/Arts/Music"}
    entries = "".join(
        f'<ExternalPage about="http://a.test/{path}"><topic>{topic}</topic></ExternalPage>'
        for path, topic in topics.items()
    )
    source = tmp_path / "content.rdf.u8"
    source.write_text(f"<RDF>{entries}</RDF>", encoding="utf-8")
    with TestWeb({"a.test": {f"/{path}": f"<p>Words of {path}" for path in topics}}) as server:
        done = run_here("train", source, "--output", tmp_path / "m", "--json", proxy=server.proxy)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["pages"] == {"Houston, TX, US": 1, "none": 1}


def test_a_file_that_is_no_web_directory(tmp_path: Path) -> None:
    source = tmp_path / "content.rdf.u8"
    source.write_text("<RDF>\n<ExternalPage", encoding="utf-8")
    done = run_here("train", source, "--output", tmp_path / "m")
    assert done.returncode == 2
    assert "content.rdf.u8 is not a directory in RDF" in done.stderr
    assert "line 2" in done.stderr
    assert "Traceback" not in done.stderr


def test_a_folder_with_a_subfolder_for_each_place(tmp_path: Path) -> None:
    for place in ("Seattle, WA", "Boston, MA", "none"):
        (tmp_path / "pages" / place).mkdir(parents=True)
        (tmp_path / "pages" / place / "a.html").write_text(f"<p>About {place}", encoding="utf-8")
    assert learn(tmp_path / "pages", tmp_path / "m")[0].pages == {
        "Seattle, WA, US": 1,
        "Boston, MA, US": 1,
        "none": 1,
    }


def test_pages_for_each_of_a_hundred_places() -> None:
    """The paper has 500 to 2,000 pages of a city."""
    place_of = {100_000 * place + page: place for place in range(1, 101) for page in range(600)}
    counts = Counter(place_of[mark] for mark in drawn(place_of))
    assert set(counts.values()) == {500}
    alone = dict.fromkeys(range(3000), 1)
    assert len(drawn(alone)) == 2_000


# --- crawls ---------------------------------------------------------------------------------------


def web(folder: Path, pages: dict[str, str]) -> Path:
    folder.mkdir()
    lines = []
    for name, body in pages.items():
        (folder / f"{name}.html").write_text(body, encoding="utf-8")
        lines.append(f"http://{name}.test/\t{name}.html\ttext/html\n")
    (folder / "manifest.tsv").write_text("".join(lines), encoding="utf-8")
    return folder


@pytest.fixture
def crawled(tmp_path: Path) -> Path:
    """A crawl of pages on hosts of their own: 4 with an address in Seattle, 3 in Boston, one with
    both, 12 without."""
    pages = {f"s{number}": f"<p>Alki Puget Seahawks {number}<p>{SEATTLE}" for number in range(4)}
    pages |= {f"b{number}": f"<p>Fenway Celtics harbor {number}<p>{BOSTON}" for number in range(3)}
    pages |= {"both": f"<p>Fenway<p>{BOSTON}<p>26 Court Street, Boston, MA 02108<p>{SEATTLE}"}
    pages |= {f"n{number}": f"<p>Bread, salt and flour {number}" for number in range(11)}
    links = "".join(f'<a href="http://{name}.test/">{name}</a> ' for name in pages)
    polite = PolitenessSection(delay=0.0, robots=False, contact="https://bot.example/")
    job = Job(
        seeds=("http://home.test/",),
        targets=TargetsSection(places=("Seattle, WA", "Boston, MA")),
        politeness=polite,
    )
    crawl(tmp_path / "crawl", job, replay=web(tmp_path / "web", {"home": links, **pages}))
    return tmp_path / "crawl"


def test_the_addresses_of_a_crawl_are_the_labels(tmp_path: Path, crawled: Path) -> None:
    """8 pages have addresses, so 8 of the 12 others are drawn; the page with two of Boston is
    Boston's."""
    trained, model, faults = learn(crawled, tmp_path / "m")
    assert trained.pages == {"Seattle, WA, US": 4, "Boston, MA, US": 4, "none": 8}
    assert {"seahawks", "celtics", "alki"} < set(model.words)
    assert trained.accuracy is not None
    assert trained.accuracy > 0.8
    assert faults == []
    again = learn(crawled, tmp_path / "again")
    assert again[0] == trained
    assert (tmp_path / "again").read_bytes() == (tmp_path / "m").read_bytes()


def test_a_crawl_with_what_a_crawl_has_taught(tmp_path: Path, crawled: Path) -> None:
    """The links of pages without an address go where their words belong."""
    learn(crawled, tmp_path / "my.model")
    pages = {
        "home": '<p>Bread and flour <a href="http://west.test/">w</a> <a href="http://east.test/">e</a>',
        "west": '<p>Seahawks at Alki, Puget <a href="http://s.test/">go</a>',
        "east": '<p>Celtics and the harbor at Fenway <a href="http://b.test/">go</a>',
        "s": "<p>1",
        "b": "<p>2",
    }
    job = Job(
        seeds=("http://home.test/",),
        partition="written",
        nodes=NodesSection(
            general=1,
            territories=(
                TerritorySection(targets=("Boston, MA",)),
                TerritorySection(targets=("Seattle, WA",)),
            ),
        ),
        collaboration=CollaborationSection(strategy="classifier", model=str(tmp_path / "my.model")),
        politeness=PolitenessSection(delay=0.0, robots=False, contact="https://bot.example/"),
    )
    crawl(tmp_path / "second", job, replay=web(tmp_path / "pages", pages))
    fetched_by = {
        visit.url: visit.node
        for visit in visits(tmp_path / "second")
        if visit.outcome is Outcome.FETCHED
    }
    assert fetched_by == {
        "http://home.test/": "general1",
        "http://west.test/": "general1",
        "http://east.test/": "general1",
        "http://s.test/": "Cn2",
        "http://b.test/": "Cn1",
    }


def test_a_crawl_for_other_targets(tmp_path: Path, crawled: Path) -> None:
    trained, _, _ = learn(
        crawled, tmp_path / "m", Job(targets=TargetsSection(places=("Massachusetts",)))
    )
    assert trained.pages == {"Massachusetts, US": 4, "none": 4}


def test_a_crawl_without_addresses_in_targets(tmp_path: Path, crawled: Path) -> None:
    with pytest.raises(
        InputError, match=r"no page of .* has an address in a target\. Continue the crawl"
    ):
        learn(crawled, tmp_path / "m", Job(targets=TargetsSection(places=("Tulsa, OK",))))


def test_pages_are_drawn_by_their_fingerprints() -> None:
    """All of the places, the same share of none, and no matter in which order they come."""
    place_of = {mark: 7 if mark % 10 == 0 else 0 for mark in range(1, 1000)}
    chosen = drawn(place_of)
    assert {mark for mark in chosen if place_of[mark]} == {
        mark for mark, place in place_of.items() if place
    }
    assert sum(not place_of[mark] for mark in chosen) == sum(map(bool, place_of.values()))
    assert drawn(dict(reversed(place_of.items()))) == chosen


# --- how good it is -------------------------------------------------------------------------------


def test_pages_of_a_host_are_put_aside_together() -> None:
    groups = [f"{number % 20}.test" for number in range(200)]
    folds = folds_of(groups)
    assert len(set(zip(groups, folds, strict=True))) == 20
    assert sorted(folds.count(fold) for fold in range(FOLDS)) == [40] * FOLDS
    assert folds_of(groups) == folds


def test_few_hosts_are_put_aside_page_by_page() -> None:
    assert sorted(folds_of(["a.test"] * 10)) == sorted([*range(FOLDS)] * 2)
    assert folds_of(["a.test"]) == [0]


# --- the command ----------------------------------------------------------------------------------


def test_the_command_says_what_came_of_it(tmp_path: Path) -> None:
    done = run_here("train", labelled(tmp_path), "--output", tmp_path / "my.model")
    assert done.returncode == 0, done.stderr
    assert "15 pages" in done.stdout
    assert "Seattle, WA, US        5" in done.stdout
    assert "Held-out pages classified correctly: 100.0% (largest class: 33.3%)" in done.stdout
    assert done.stderr == ""


def test_the_command_ends_with_one_line_and_code_2(tmp_path: Path) -> None:
    done = run_here("train", tmp_path / "none.tsv", "--output", tmp_path / "m")
    assert (done.returncode, done.stdout) == (2, "")
    cause = (
        f"toponaut: {tmp_path}/none.tsv cannot be read (No such file or directory). Name a "
        f"list or a crawl"
    )
    assert done.stderr == cause + "\n"


def test_a_job_that_does_not_fit_is_refused(tmp_path: Path) -> None:
    job = tmp_path / "job.toml"
    wanted = Job(seeds=("http://a.test/",), targets=TargetsSection(places=("Nowhereville, ZZ",)))
    job.write_text(render(wanted), encoding="utf-8")
    done = run_here("train", labelled(tmp_path), "--output", tmp_path / "m", "--job", job)
    assert done.returncode == 2
    assert 'no place is called "Nowhereville, ZZ"' in done.stderr
    assert len(done.stderr.splitlines()) == 1


@pytest.mark.parametrize(
    ("text", "cause"),
    [
        ("missing.html\tBoston, MA\n", r".* has no usable pages\. Give pages with text"),
        ("empty.txt\tBoston, MA\n", r".* has no usable pages"),
        ("no tab here\n", r"has no usable line\. Write URL or file, a tab"),
        ("", r"has no usable line"),
        (
            "b.txt\tBoston, MA\n",
            r"all pages of .* are about Boston, MA, US\. Add pages about other places",
        ),
        ("b.txt\tnone\n", r"all pages of .* are about no target"),
    ],
)
def test_nothing_to_learn_from(tmp_path: Path, text: str, cause: str) -> None:
    source = tmp_path / "list.tsv"
    source.write_text(text, encoding="utf-8")
    (tmp_path / "b.txt").write_text("Fenway", encoding="utf-8")
    (tmp_path / "empty.txt").write_text("", encoding="utf-8")
    with pytest.raises(InputError, match=cause):
        learn(source, tmp_path / "m")
    assert not (tmp_path / "m").exists()


def test_wrong_sources_and_outputs(tmp_path: Path) -> None:
    source = labelled(tmp_path)
    (tmp_path / "raw").write_bytes(b"\xff\xfe\xfd")
    for given, out, cause in [
        (tmp_path / "raw", tmp_path / "m", r"is not UTF-8 text\. Save the list"),
        (
            tmp_path,
            tmp_path / "m",
            r"is not a crawl directory\. Name a labelled list, a folder",
        ),
        (source, tmp_path, r"it is a folder\. Name a file"),
        (source, tmp_path / "no" / "m", r"there is no such folder\. Name a file"),
    ]:
        with pytest.raises(InputError, match=cause):
            learn(given, out)
