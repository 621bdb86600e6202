"""toponaut.crawl and toponaut.open: a whole crawl from Python, also inside an event loop."""

import asyncio
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from tests.support.little_web import little_web
from tests.support.webserver import TestWeb

import toponaut
from toponaut.job import load

EXAMPLE = Path(__file__).parents[2] / "examples" / "oldenburg"
JOB = EXAMPLE / "job.toml"
SHOP = "https://vesuvio.example/impressum"


@pytest.fixture(scope="module")
def crawl(tmp_path_factory: pytest.TempPathFactory) -> toponaut.Crawl:
    directory = tmp_path_factory.mktemp("api") / "crawl"
    return toponaut.crawl(JOB, directory, replay=EXAMPLE, workers=0)


def test_a_crawl_says_how_it_ended(crawl: toponaut.Crawl) -> None:
    assert crawl.end is not None
    assert (crawl.end.why, crawl.end.interrupted) == ("nothing is left to fetch", False)
    assert repr(crawl) == f"<Crawl {crawl.directory}: 19 visits, 3 relevant pages>"


def test_an_opened_crawl_knows_what_it_found(crawl: toponaut.Crawl) -> None:
    opened = toponaut.open(str(crawl.directory))
    assert opened.end is None
    assert opened.job == crawl.job
    assert opened.status().log.relevant == 3
    assert opened.status().to_dict()["stopped"] == "nothing is left to fetch"
    assert len(opened.addresses()) == 4
    assert {row.city for row in opened.addresses(in_targets=True)} == {"Oldenburg"}
    assert len(opened.addresses(place="Oldenburg, DE")) == 3
    assert opened.addresses(bbox=(0, 0, 1, 1)) == []
    assert len(opened.pages()) == 9
    assert all(page.relevant for page in opened.pages(relevant_only=True))
    assert opened.measure().whole.pages == 9
    assert opened.measure().to_dict()["whole"]["pages"] == 9


def test_a_crawl_can_be_searched(crawl: toponaut.Crawl) -> None:
    found = crawl.search("pizzeria in oldenburg", limit=2)
    assert found[0].url == SHOP
    assert found.answer.where is not None
    assert found.to_geopandas().geometry[0].x == pytest.approx(8.2, abs=0.1)
    assert found[0].to_dict()["organisation"] == "Pizzeria Vesuvio"
    assert crawl.search("zeppelins") == []


def test_a_url_is_explained(crawl: toponaut.Crawl) -> None:
    explained = crawl.explain(SHOP)
    assert explained.visits[0].relevant
    assert json.dumps(explained.to_dict())
    assert str(explained).startswith(f"{SHOP}: fetched, relevant\n  found on   ")
    assert "stopped because nothing is left to fetch" in str(crawl.status())


def test_a_crawl_is_exported(crawl: toponaut.Crawl, tmp_path: Path) -> None:
    done = crawl.export(tmp_path / "found.geojson")
    assert (done.rows, done.format) == (4, "geojson")
    assert len(json.loads((tmp_path / "found.geojson").read_text())["features"]) == 4


@pytest.mark.parametrize("kind", ["dict", "Job"])
def test_a_job_may_be_a_dict_or_a_job(kind: str, tmp_path: Path) -> None:
    loaded = load(JOB.read_text(encoding="utf-8"))
    small = {"targets": {"places": ["Oldenburg, DE"]}, "limits": {"pages": 2}}
    job = loaded if kind == "Job" else {"seeds": list(loaded.seeds), **small}
    crawled = toponaut.crawl(job, tmp_path / "c", replay=str(EXAMPLE), workers=0)
    assert crawled.end is not None
    assert crawled.end.progress.pages == (9 if kind == "Job" else 2)


@pytest.mark.parametrize(
    ("job", "said"),
    [
        ("nowhere.toml", "cannot read nowhere.toml"),
        ({"seeds": ["https://example.org/"], "tragets": {}}, 'job: unknown section "tragets"'),
        ({"seeds": [None]}, "a NoneType cannot be part of a job"),
        ({"targets": {"places": ["Oldenburg, DE"]}}, "job: .*seeds"),
    ],
)
def test_a_bad_job_is_an_input_error(job: "str | dict[str, object]", said: str) -> None:
    with pytest.raises(toponaut.InputError, match=said):
        toponaut.crawl(job, "never", replay=EXAMPLE)


def test_a_directory_without_a_crawl_is_an_input_error(tmp_path: Path) -> None:
    with pytest.raises(toponaut.InputError, match="crawl"):
        toponaut.open(tmp_path)


def test_a_crawl_inside_a_running_loop(tmp_path: Path) -> None:
    async def cell() -> toponaut.Crawl:
        return toponaut.crawl(JOB, tmp_path / "c", replay=EXAMPLE, workers=0)

    assert asyncio.run(cell()).status().log.relevant == 3


async def _bad_cell(directory: Path) -> None:
    toponaut.crawl(JOB, directory, replay=EXAMPLE, synthetic=1)


def test_an_error_inside_a_running_loop(tmp_path: Path) -> None:
    with pytest.raises(toponaut.InputError, match="name two webs"):
        asyncio.run(_bad_cell(tmp_path / "c"))


CELL = """
import asyncio, sys, toponaut
from pathlib import Path

async def cell():
    return toponaut.crawl(sys.argv[1], sys.argv[2], workers=0)

crawl = asyncio.new_event_loop().run_until_complete(cell())
print(crawl.end.interrupted, crawl.status().stopped)
"""


def test_ctrl_c_stops_a_crawl_in_a_notebook(tmp_path: Path) -> None:
    from tests.support.crawling import job as make_job

    from toponaut.job import render

    little = little_web(seed=5, hosts=3, pages=60)
    with TestWeb(little.sites, delay=0.2) as server:
        job = tmp_path / "job.toml"
        job.write_text(render(make_job([little.seed])), encoding="utf-8")
        line = [sys.executable, "-c", CELL, str(job), str(tmp_path / "c")]
        with subprocess.Popen(
            line,
            env={**os.environ, "http_proxy": server.proxy},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        ) as cell:
            while len(server.asked()) < 5:
                assert cell.poll() is None, cell.communicate()
                time.sleep(0.05)
            cell.send_signal(signal.SIGINT)
            out, err = cell.communicate(timeout=300)
    assert out == "True it was interrupted\n", err
