"""Interests learned from judged pages: Rocchio's formula worked by hand, and the commands on a
small crawl and on lists."""

import json
import tomllib
from pathlib import Path

import pytest
from msgspec.structs import replace
from tests.support.crawling import FAST, crawl, job, run_here

from toponaut.cli import app
from toponaut.errors import InputError
from toponaut.job import load
from toponaut.strategy.learning import rocchio
from toponaut.strategy.learning.interests import InterestsRequest, learn
from toponaut.strategy.learning.rocchio import Factors, Judgements, priorities

# N = 4; tf / max tf: iran 1, news 1/2 | iran 1, tehran 1/2 || news 1, sport 1/3 | sport 1
RELEVANT = [{"iran": 4, "news": 2}, {"iran": 2, "tehran": 1}]
OTHERS = [{"news": 3, "sport": 1}, {"sport": 2}]


def judged(*passed_over: str) -> Judgements:
    found = Judgements(passed_over)
    for words in RELEVANT:
        found.add(words, relevant=True)
    for words in OTHERS:
        found.add(words, relevant=False)
    return found


def test_the_formula() -> None:
    """iran    0.75 * (1 + 1) / 2 * ln(4/2)                        = 0.519860
    tehran  0.75 * 0.5 / 2 * ln(4/1)                            = 0.259930
    news    (0.75 * 0.5 / 2 - 0.15 * 1 / 2) * ln(4/2)           = 0.077979
    sport   -0.15 * (1/3 + 1) / 2 * ln(4/2), below 0: left out"""
    query = judged().query({}, Factors())
    assert list(query) == ["iran", "tehran", "news"]
    assert list(query.values()) == pytest.approx([0.519860, 0.259930, 0.077979], abs=1e-6)


def test_the_formula_with_interests_to_start_with() -> None:
    """tehran 0.259930 + (0.5 + 0.5 * 2/2) * ln 4 = 1.646225, khatami, on no page, (0.5 + 0.5 * 1/2)
    * ln 4 = 1.039721"""
    query = judged().query({"tehran": 2.0, "khatami": 1.0}, Factors())
    assert list(query) == ["tehran", "khatami", "iran", "news"]
    assert [query["tehran"], query["khatami"]] == pytest.approx([1.646225, 1.039721], abs=1e-6)
    doubled = judged().query({"khatami": 1.0}, Factors(alpha=2.0))
    assert doubled["khatami"] == pytest.approx(2 * 1.386294, abs=1e-6)


def test_each_factor_counts() -> None:
    assert "news" not in judged().query({}, Factors(gamma=0.75))  # 0.75 * 0.25 - 0.75 * 0.5 < 0
    only = judged().query({}, Factors(beta=0.0, gamma=0.0))
    assert only == {}


def test_what_is_no_term() -> None:
    assert list(judged("iran").query({}, Factors())) == ["tehran", "news"]
    assert (
        next(iter(judged("iran").query({"iran": 1.0}, Factors()))) == "iran"
    )  # what was asked for is never passed over
    assert list(judged().query({}, Factors(), least=2)) == ["iran"]  # the only word of both
    pages = Judgements()
    pages.add({"2005": 3, "x": 3, "京": 3, "b2b": 1}, relevant=True)
    pages.add({"other": 1}, relevant=False)
    assert list(pages.query({}, Factors())) == ["京", "b2b"]


def test_a_word_that_all_pages_have_tells_nothing() -> None:
    pages = Judgements()
    pages.add({"the": 9, "iran": 1}, relevant=True)
    pages.add({"the": 1, "sport": 5}, relevant=False)
    assert list(pages.query({}, Factors())) == ["iran"]


def test_the_vocabulary_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    """Beyond the bound words of a single page are forgotten, and those of several stay."""
    monkeypatch.setattr(rocchio, "MOST_WORDS", 50)
    pages = Judgements()
    for number in range(40):
        pages.add({"iran": 2, f"only{number}": 9, f"here{number}": 9}, relevant=True)
        pages.add({f"else{number}": 1, "sport": 1}, relevant=False)
        assert len(pages._words) <= 54
    assert "iran" in pages.query({}, Factors(), least=2)


def test_priorities_are_readable() -> None:
    assert priorities({"iran": 0.52, "tehran": 0.26, "news": 0.078, "dust": 0.001}, 20) == {
        "iran": 10.0,
        "tehran": 5.0,
        "news": 1.5,
    }
    assert priorities({"iran": 0.52, "tehran": 0.26}, 1) == {"iran": 10.0}


# --- the commands ---------------------------------------------------------------------------------

ADDRESS = "<p>Joe's Diner, 123 Main Street, Springfield, IL 62701"
GERMAN = (
    "Die Küche ist mit der Pizza für den Gast und das Haus auch da, und die Pizza ist für "
    "die Stadt und den Abend"
)
SPORT = (
    "The match of the week is on, and the team that won it is the team of the year with "
    "the best score of the league"
)


@pytest.fixture(scope="module")
def crawled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Four relevant pages in German about pizza, four others in English about sport."""
    root = tmp_path_factory.mktemp("interests")
    web = root / "web"
    web.mkdir()
    lines = []
    for number in range(8):
        body = f"{GERMAN}, Pizzeria{ADDRESS}" if number % 2 else SPORT
        title = f"Speisekarte {number}" if number % 2 else f"News {number}"
        text = (
            f"<title>{title}</title><p>{body}<p>{'Steinofen ' * number}<a "
            f'href="http://h{number + 1}.test/">next</a>'
        )
        (web / f"{number}.html").write_text(text, encoding="utf-8")
        lines.append(f"http://h{number}.test/\t{number}.html\ttext/html\n")
    (web / "manifest.tsv").write_text("".join(lines), encoding="utf-8")
    crawl(root / "c", job(["http://h0.test/"], politeness=replace(FAST, robots=False)), replay=web)
    return root


def test_learn_from_a_crawl(crawled: Path) -> None:
    done = run_here("interests", "learn", crawled / "c", "--terms", "30")
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines()[:3] == [
        "# Learned from 4 relevant pages and 4 others.",
        "[ordering]",
        'strategy = "interest"',
    ]
    found = tomllib.loads(done.stdout)["ordering"]["interests"]
    assert max(found.values()) == found["pizza"] == 10.0
    # "der", "und", "die" are as frequent and on no English page: that they do not win is the
    # stop words' merit
    assert not {"der", "die", "und", "den", "für", "the", "of", "is"} & found.keys()
    assert "pizzeria" in found
    assert "team" not in found
    load(
        f'seeds = ["http://h0.test/"]\ntargets.places = ["Springfield, IL"]\n{done.stdout}'
    )  # it fits into a job


def test_learn_as_json_and_with_interests_of_a_job(
    crawled: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    wanted = crawled / "job.toml"
    wanted.write_text(
        'seeds = ["http://h0.test/"]\ntargets.places = ["Springfield, IL"]\n'
        'ordering = { interests = { "Main Street" = 3, Khatami = 1 } }\n',
        encoding="utf-8",
    )
    found = json.loads(
        output(capsys, "learn", crawled / "c", "--job", wanted, "--terms", "3", "--json")
    )
    assert (found["relevant"], found["others"]) == (4, 4)
    assert (
        next(iter(found["interests"])) == "khatami"
    )  # on no page: 0.67 * ln 8; main street, on half of them: 1 * ln 2
    assert "main street" in found["interests"]


def test_learn_from_a_list(tmp_path: Path) -> None:
    pages = tmp_path / "pages"
    pages.mkdir()
    (pages / "a.html").write_text(
        "<title>Iran</title><p>News from Tehran, Tehran", encoding="utf-8"
    )
    (pages / "b.txt").write_text("Tehran and the news of Iran", encoding="utf-8")
    (pages / "c.txt").write_text("The news of sport", encoding="utf-8")
    (pages / "picture.png").write_bytes(b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR")
    listed = tmp_path / "judged.tsv"
    listed.write_text(
        "# judged by "
        "hand\npages/a.html\tyes\npages/b.txt\tYES\n\npages/c.txt\tno\npages/d.txt\tno\n"
        "pages/picture.png\tno\npages/c.txt\tperhaps\npages/c.txt\n",
        encoding="utf-8",
    )
    done = run_here("interests", "learn", listed, "--json")
    assert done.returncode == 0, done.stderr
    # tf/max tf: a tehran 1, iran 1/2; b both 1; news is on every page
    assert json.loads(done.stdout) == {
        "interests": {"tehran": 10.0, "iran": 7.5},
        "relevant": 2,
        "others": 1,
    }
    faults = done.stderr.splitlines()
    assert len(faults) == 4
    assert (
        'line 8: "perhaps" is neither yes nor no. Write URL or file, a tab, and yes or no'
        in faults[0]
    )
    assert "line 9: there is no yes or no after a tab" in faults[1]
    assert "line 6: pages/d.txt: there is no such file or folder" in faults[2]
    assert "line 7: pages/picture.png: it is neither HTML nor text" in faults[3]


def output(capsys: pytest.CaptureFixture[str], *arguments: str | Path) -> str:
    """What `toponaut interests ...` prints, in this process."""
    app(["interests", *map(str, arguments)], standalone_mode=False)
    return capsys.readouterr().out


def nothing(*_: object) -> None:
    """Neither faults nor progress are of interest."""


@pytest.mark.parametrize(
    ("lines", "cause"),
    [
        ("", "has no usable line. Write URL or file, a tab, and yes or no"),
        ("a.txt\tyes\n", "are relevant. Add pages that are not"),
        ("a.txt\tno\n", "is relevant. Continue the crawl, or judge more pages"),
        ("a.txt\tyes\na.txt\tno\n", "no word distinguishes the relevant pages"),
    ],
)
def test_what_cannot_be_learned_from(tmp_path: Path, lines: str, cause: str) -> None:
    (tmp_path / "a.txt").write_text("news from Tehran", encoding="utf-8")
    (tmp_path / "judged.tsv").write_text(lines, encoding="utf-8")
    with pytest.raises(InputError) as refused:
        learn(tmp_path / "judged.tsv", InterestsRequest(), nothing, nothing)
    assert cause in str(refused.value)


def test_a_source_that_is_none(tmp_path: Path) -> None:
    for source, cause in ((tmp_path, "holds no crawl"), (tmp_path / "no.tsv", "cannot be read")):
        with pytest.raises(InputError, match=cause):
            learn(source, InterestsRequest(), nothing, nothing)
    done = run_here("interests", "learn", tmp_path)
    assert (done.returncode, done.stdout, len(done.stderr.splitlines())) == (2, "", 1)


def with_interests(crawled: Path) -> Path:
    wanted = crawled / "pizza.toml"
    wanted.write_text(
        'seeds = ["http://h0.test/"]\ntargets.places = ["Springfield, IL"]\n'
        '[ordering]\nscheme = "nxx"\ninterests = { steinofen = 2, league = 1 }\n',
        encoding="utf-8",
    )
    return wanted


def test_rank_a_crawl(crawled: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Page k says Steinofen k times; even ones say league once. Page 7: 14, every day; 6: 13; 1: 2,
    every 7 days; 0: 1."""
    by = ("rank", crawled / "c", "--job", with_interests(crawled))
    ranked = [
        json.loads(line) for line in output(capsys, *by, "--json", "--latest", "10").splitlines()
    ]
    assert [page["url"][8] for page in ranked] == list("76543210")
    assert [page["weight"] for page in ranked] == [14, 13, 10, 9, 6, 5, 2, 1]
    assert [ranked[k]["days"] for k in (0, 2, 6, 7)] == pytest.approx([1.0, 1.4, 7.0, 10.0])
    assert ranked[1]["terms"] == {"steinofen": 6, "league": 1}
    due = output(capsys, *by, "--due", "1.5", "--limit", "2", "--seeds")
    assert tomllib.loads(due) == {"seeds": ["http://h7.test/", "http://h6.test/"]}
    shown = output(capsys, *by)
    assert "1.0 days" in shown
    assert "steinofen 7x" in shown


def test_rank_says_what_it_lacks(crawled: Path, capsys: pytest.CaptureFixture[str]) -> None:
    wrong: list[tuple[tuple[str | Path, ...], str]] = [
        ((), "has no interests"),
        (("--job", crawled / "no.toml"), "cannot read"),
        (("--job", crawled / "c" / "job.toml"), "has no interests. Add interests ="),
        (
            ("--job", with_interests(crawled), "--latest", "0.5"),
            "--latest 0.5 is sooner than --soonest 1",
        ),
    ]
    for options, cause in wrong:
        with pytest.raises(InputError) as refused:
            output(capsys, "rank", crawled / "c", *options)
        assert cause in str(refused.value)
