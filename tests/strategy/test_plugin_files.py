"""Orderings under development, in files that the user names."""

from pathlib import Path

import pytest
from msgspec.structs import replace
from tests.support.crawling import job, run_here, visits
from tests.support.little_web import export, little_web

from toponaut.compare.runs import ComparisonRun
from toponaut.job import LimitsSection, render
from toponaut.strategy.plugin_files import VARIABLE, use_plugin_files
from toponaut.strategy.registry import ORDERINGS, installed, names

EXAMPLE = Path(__file__).parents[2] / "examples" / "plugin" / "shortest_first.py"


@pytest.fixture(autouse=True)
def _no_plugins(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(VARIABLE, "")


def test_a_crawl_with_an_ordering_in_a_file(tmp_path: Path) -> None:
    little = little_web(seed=3, hosts=2, pages=20)
    export(little, tmp_path / "web")
    limits = LimitsSection(pages=8, private_networks=True)
    wanted = job([little.seed], ordering="shortest_first", limits=limits)
    (tmp_path / "job.toml").write_text(render(wanted))
    given = ("crawl", tmp_path / "job.toml", tmp_path / "c", "--replay", tmp_path / "web", "-q")
    without = run_here(*given)
    assert (without.returncode, without.stderr.count("\n")) == (2, 1)
    assert "name the file of another with --plugin" in without.stderr
    done = run_here(*given, "--plugin", EXAMPLE)
    assert done.returncode == 0, done.stderr
    links = [link for one in visits(tmp_path / "c") if one.url for link in one.links]
    assert links
    assert f"a URL of {len(links[0].url)} characters" in {link.ordering_reason for link in links}


@pytest.mark.parametrize(
    ("name", "code", "words"),
    [
        ("odd", "def build(setting)\n    return 1\n", "odd.py, line 1 (SyntaxError: expected"),
        ("odd", "\nimport nothing_there\n", "odd.py, line 2 (ModuleNotFoundError: No module"),
        ("odd", "def build(setting):\n    return 1 / 0\n", "odd.py, line 2 (ZeroDivisionError"),
        ("odd", "def build(setting):\n    return 1\n", "build returned a int, not an Ordering"),
        ("odd", "x = 1\n", "has no attribute 'build'"),
        ("Odd One", "", '"Odd One" cannot be the name of a new ordering'),
        ("combined", "", '"combined" cannot be the name of a new ordering'),
    ],
)
def test_files_that_cannot_be_loaded(tmp_path: Path, name: str, code: str, words: str) -> None:
    (tmp_path / f"{name}.py").write_text(code)
    (tmp_path / "job.toml").write_text(render(job(["http://a.test/"], ordering=name.lower()[:3])))
    for command in ("crawl", "compare"):
        order = ("--ordering", name) if command == "compare" else ()
        run = run_here(
            command, tmp_path / "job.toml", tmp_path / "c", "--plugin", tmp_path / f"{name}.py",
            *order, *(("--pages", "10") if order else ()), "-q",
        )  # fmt: skip
        assert (run.returncode, run.stderr.count("\n")) == (2, 1), run.stderr
        assert words in run.stderr


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    run = run_here("crawl", "job.toml", tmp_path, "--plugin", tmp_path / "none.py")
    assert run.returncode == 2
    assert "none.py is not a Python file" in run.stderr


def test_results_are_those_of_one_version_of_the_file(tmp_path: Path) -> None:
    mine = tmp_path / "mine.py"
    mine.write_text(EXAMPLE.read_text())
    use_plugin_files([mine], installed(ORDERINGS))
    assert "mine" in names(ORDERINGS)
    run = ComparisonRun("mine", 1, tmp_path, job(["http://a.test/"], ordering="mine"), ())
    before = run.text
    mine.write_text(EXAMPLE.read_text() + "# changed\n")
    assert run.text != before
    assert replace(run, job=job(["http://a.test/"])).text == render(job(["http://a.test/"]))
