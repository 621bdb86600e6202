"""The example plug-in, installed as a user would and used by a crawl in a process of its own."""

import os
import subprocess
import sys
from pathlib import Path
from shutil import copytree

import pytest
from msgspec.structs import replace
from tests.support.crawling import command, job, urls, visits
from tests.support.little_web import export, little_web

import toponaut
from toponaut.job import LimitsSection, render
from toponaut.records import Outcome

SOURCE = Path(toponaut.__file__).parents[1]
EXAMPLE = Path(__file__).parents[2] / "examples" / "plugin"
BROKEN = {
    "raises": ("def build(setting):\n    return 1 / 0\n", "ZeroDivisionError"),
    "lies": ("def build(setting):\n    return 'an ordering'\n", "it returned a str"),
    "missing": ("from shortest import nothing\n", "ModuleNotFoundError"),
}


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the installed package. Its sources are copied, because a build writes files."""
    source = copytree(EXAMPLE, tmp_path_factory.mktemp("source") / "plugin")
    folder = tmp_path_factory.mktemp("installed")
    options = [
        "--quiet",
        "--no-deps",
        "--no-build-isolation",
        "--disable-pip-version-check",
        "--target",
        str(folder),
    ]
    subprocess.run([sys.executable, "-m", "pip", "install", *options, str(source)], check=True)
    return folder


def run_with(installed: Path, *arguments: str | Path) -> subprocess.CompletedProcess[str]:
    line, environment = command(*arguments)
    return subprocess.run(
        line,
        env={**environment, "PYTHONPATH": os.pathsep.join([str(installed), str(SOURCE)])},
        capture_output=True,
        text=True,
        timeout=120,
    )


def test_a_crawl_uses_the_plug_in_by_its_name(tmp_path: Path, installed: Path) -> None:
    little = little_web(seed=3, hosts=4, pages=60)
    (tmp_path / "web").mkdir()
    export(little, tmp_path / "web")
    wanted = job([little.seed], ordering="shortest-first", limits=LimitsSection(pages=30))
    wanted = replace(wanted, politeness=replace(wanted.politeness, concurrent=1))
    (tmp_path / "job.toml").write_text(render(wanted))
    run = run_with(
        installed,
        "crawl",
        tmp_path / "job.toml",
        tmp_path / "c",
        "--replay",
        tmp_path / "web",
        "--quiet",
        "--workers",
        "0",
    )
    assert run.returncode == 0, run.stderr
    assert len(urls(tmp_path / "c", Outcome.FETCHED)) == 30
    links = [
        link
        for visit in visits(tmp_path / "c")
        if visit.url
        for link in visit.links
        if not link.sitemap
    ]
    assert links
    assert all(
        link.promise == -len(link.url) for link in links if "redirect" not in link.ordering_reason
    )
    explained = run_with(installed, "explain", tmp_path / "c", links[0].url)
    assert f"a URL of {len(links[0].url)} characters" in explained.stdout


def test_without_it_the_name_is_unknown_and_with_it_it_is_offered(
    tmp_path: Path, installed: Path
) -> None:
    (tmp_path / "job.toml").write_text(render(job(["http://a.test/"], ordering="shortest-first")))
    run = run_with(tmp_path, "job", tmp_path / "job.toml")
    assert (run.returncode, run.stderr.count("\n")) == (2, 1)
    assert 'there is no ordering "shortest-first"' in run.stderr
    (tmp_path / "job.toml").write_text(render(job(["http://a.test/"], ordering="longest-first")))
    run = run_with(installed, "job", tmp_path / "job.toml")
    assert run.returncode == 2
    assert "shortest-first" in run.stderr


@pytest.mark.parametrize("fault", BROKEN)
def test_a_plug_in_that_is_broken_is_named(tmp_path: Path, installed: Path, fault: str) -> None:
    broken = copytree(installed, tmp_path / "installed")
    code, words = BROKEN[fault]
    (broken / "shortest_first.py").write_text(code)
    (tmp_path / "job.toml").write_text(render(job(["http://a.test/"], ordering="shortest-first")))
    run = run_with(broken, "job", tmp_path / "job.toml")
    assert (run.returncode, run.stderr.count("\n")) == (2, 1)
    assert "toponaut-shortest-first" in run.stderr
    assert words in run.stderr
