"""`toponaut watch` on a live server that changes, and on dated archives of the same sites."""

import asyncio
import json
import signal
import subprocess
import time
from pathlib import Path

import pytest
from msgspec.structs import replace
from tests.support.crawling import command, crawl, job, run_here
from tests.support.shops import shop
from tests.support.watching import Receiver, receiving
from tests.support.webserver import TestWeb

from toponaut.job import WatchSection, render
from toponaut.records import Request
from toponaut.watch.delivery import DeliveryView
from toponaut.web.replay import DatedFetcher, ReplayFetcher

OAK = ("40 Oak Street", "Springfield", "IL", "62701", "US")
ELM = ("900 Elm Avenue", "Springfield", "IL", "62701", "US")
PHONE = "(217) 555-0111"
CLOSED = "<title>Beta Tours</title><h1>Beta Tours is permanently closed</h1>"
# Each page is visited after two to four seconds.
OFTEN = WatchSection(requests_per_day=500_000, shortest_hours=2 / 3600, longest_days=4 / 86_400)


# --- a live server -------------------------------------------------------------------------------


def test_a_live_watch_reports_what_changes_on_a_server(tmp_path: Path) -> None:
    """The server changes after the crawl. The receiver refuses the first deliveries."""
    shops = {"/": shop("Alpha Books", OAK, PHONE)}
    tours = {"/": shop("Beta Tours", ELM)}
    with (
        TestWeb({"books.test": shops, "tours.test": tours}) as web,
        receiving(refuses=lambda number: number < 2) as receiver,
    ):
        wanted = job(["http://books.test/", "http://tours.test/"])
        crawl(tmp_path / "c", replace(wanted, watch=OFTEN), proxy=web.proxy)
        shops["/"] = shop("Alpha Books", ("7 Pine Street", *OAK[1:]), PHONE)
        tours["/"] = CLOSED + shop("Beta Tours", ELM)
        line, environment = command("watch", tmp_path / "c", "--post", receiver.url, "-q")
        environment = {**environment, "http_proxy": web.proxy, "no_proxy": "127.0.0.1"}
        process = subprocess.Popen(line, env=environment, stdout=subprocess.PIPE, text=True)
        _wait_for(receiver, 2, process)
        process.send_signal(signal.SIGINT)
        said, _ = process.communicate(timeout=120)
    assert process.returncode == 130
    assert "it was interrupted" in said
    found = {(one["kind"], one["name"]): one for one in receiver.received}
    assert set(found) == {("moved", "Alpha Books"), ("closed", "Beta Tours")}
    assert found["moved", "Alpha Books"]["evidence"]["url"] == "http://books.test/"
    assert len(receiver.ids) == len(set(receiver.ids))
    again = run_here("changes", tmp_path / "c", "--post", receiver.url)
    assert again.stdout.startswith("0 changes sent")
    conditional = [one for one in web.accesses if "if-none-match" in one.headers]
    assert not conditional  # this server sends no ETag
    status = json.loads(run_here("status", tmp_path / "c", "--json").stdout)
    assert status["progress"]["watch"]["pages"] == 2
    messages: list[str] = []
    with DeliveryView(tmp_path / "c", "http://127.0.0.1:9/", messages.append):
        pass  # closed before a watch began: it sends nothing, so nothing fails
    assert messages == []


def _wait_for(receiver: Receiver, count: int, process: "subprocess.Popen[str]") -> None:
    end = time.monotonic() + 120
    while len(receiver.received) < count and process.poll() is None:
        assert time.monotonic() < end, "no change came"
        time.sleep(0.1)


# --- dated archives ------------------------------------------------------------------------------

APRIL = {
    "http://books.test/": shop("Alpha Books", OAK, PHONE),
    "http://tours.test/": shop("Beta Tours", ELM),
    "http://same.test/": shop("Gamma Yoga", ("5 Lake Road", *OAK[1:])),
}
MAY = {
    "http://books.test/": shop("Alpha Books", ("7 Pine Street", *OAK[1:]), PHONE),
    "http://tours.test/": CLOSED + shop("Beta Tours", ELM),
}


def folder_web(folder: Path, pages: dict[str, str], date: str) -> Path:
    folder.mkdir()
    lines = []
    for number, (url, html) in enumerate(pages.items()):
        (folder / f"{number}.html").write_text(html, encoding="utf-8")
        lines.append(f"{url}\t{number}.html\ttext/html\t{date}T00:00:00Z\n")
    (folder / "manifest.tsv").write_text("".join(lines), encoding="utf-8")
    return folder


@pytest.fixture
def archives(tmp_path: Path) -> tuple[Path, Path]:
    return (
        folder_web(tmp_path / "april", APRIL, "2026-04-01"),
        folder_web(tmp_path / "may", MAY, "2026-05-01"),
    )


def test_dated_archives_are_a_web_that_changes(archives: tuple[Path, Path], tmp_path: Path) -> None:
    april, may = archives
    wanted = tmp_path / "job.toml"
    section = WatchSection(requests_per_day=20, longest_days=7.0)
    wanted.write_text(render(replace(job(list(APRIL)), watch=section)))
    assert run_here("crawl", wanted, tmp_path / "c", "--replay", april, "-q").returncode == 0
    dated = ("--replay", april, "--replay", may)
    done = run_here("watch", tmp_path / "c", *dated, "--days", "45", "-q")
    assert (done.returncode, done.stderr) == (0, "")
    assert "it has watched for 45 days" in done.stdout
    lines = run_here("changes", tmp_path / "c", "--json").stdout.splitlines()
    found = [json.loads(line) for line in lines]
    assert {(one["kind"], one["name"]) for one in found} == {
        ("moved", "Alpha Books"), ("closed", "Beta Tours"),
    }  # fmt: skip
    may_first = 1_777_593_600
    assert all(one["time"] == may_first for one in found)  # the date of the capture that shows it


def test_each_archive_answers_from_its_date_on(archives: tuple[Path, Path]) -> None:
    async def title(url: str, day: float) -> str:
        answer = await web.fetch(Request(url, now=day * 86_400))
        return answer.body.decode().partition("<h1>")[2].partition("<")[0]

    web = DatedFetcher([ReplayFetcher(one) for one in reversed(archives)])  # in any order
    url = "http://tours.test/"
    assert "closed" not in asyncio.run(title(url, 29.9))
    assert "closed" in asyncio.run(title(url, 30.0))
    # The later archive did not ask for it: the earlier one answers.
    later = asyncio.run(web.fetch(Request("http://same.test/", now=86_400 * 40.0)))
    assert (later.status, later.started) == (200, 1_775_001_600.0)
    assert asyncio.run(web.fetch(Request("http://none.test/", now=0.0))).status == 404
    asyncio.run(web.close())


def test_two_webs_are_one_too_many(archives: tuple[Path, Path], tmp_path: Path) -> None:
    crawl(tmp_path / "c", job(list(APRIL)), replay=archives[0])
    done = run_here("watch", tmp_path / "c", "--replay", archives[1], "--synthetic", "1")
    assert (done.returncode, done.stderr.count("\n")) == (2, 1)
    assert "name two webs" in done.stderr
