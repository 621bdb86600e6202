"""The output of a crawl: `status`, `explain`, the live table, lines of JSON, and help."""

import json
import os
import pty
import re
import subprocess
import time
from collections.abc import Callable, Iterator
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace
from rich.console import Console
from tests.support.crawling import FAST, command, crawl, job, run_here, visits
from tests.support.little_web import export, little_web
from tests.support.web_answers import Answer, Drop, Flaky, Page, Redirect, Robots, Slow
from tests.support.webserver import TestWeb

from toponaut.cli import main
from toponaut.crawl.explain import explain
from toponaut.crawl.progress import NodeProgress, Progress
from toponaut.crawl.refusals import refusal_in_words
from toponaut.crawl.status import status_of
from toponaut.crawl.view import Speed, table_of
from toponaut.job import LimitsSection, render
from toponaut.records import Outcome, Refusal

Toponaut = Callable[..., str]
DEEP = "/" + "/".join("abcdefghijklmnopqrstuv")
MANY = "/find?" + "&".join(f"p{number}=1" for number in range(12))


def links(*targets: str) -> str:
    return "<title>Links</title>" + "".join(
        f'<p>see <a href="{target}">the {target} page</a>' for target in targets
    )


@pytest.fixture
def toponaut(monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> Toponaut:
    """The command line in this process, which is to succeed: its standard output."""

    def call(*arguments: object) -> str:
        monkeypatch.setattr("sys.argv", ["toponaut", *map(str, arguments)])
        capfd.readouterr()
        with pytest.raises(SystemExit) as ended:
            main()
        said = capfd.readouterr()
        assert ended.value.code in (0, None), said.err
        return said.out

    return call


# --- explain --------------------------------------------------------------------------------------
# ------------------

REFUSED = {
    "/paid": "the page asks not to follow it (nofollow; politeness.robots)",
    "/" + "x" * 150: "longer than 120 characters (limits.url_length)",
    DEEP: "more than 5 links deep in its host (limits.depth) or 20 folders",
    "/a/b/a/b/a/b/a/b": "its path repeats itself, as in a trap",
    "/calendar/2050-01": "a page of a calendar, 2 years ahead or 10 years back",
    MANY: "too many parameters, or a session parameter, as in a trap",
    "/menu.pdf": "a file of an unwanted type, by its name (limits.content_types)",
    "http://b.example/": "its top-level domain is not test (limits.tlds)",
    "/login": "excluded by the job (limits.exclude: /log[io]n)",
}


@pytest.fixture(scope="module")
def done(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A crawl that has met everything there is to explain."""
    others = [url for url in REFUSED if url != "/paid"]
    sites: dict[str, dict[str, str | bytes | Answer]] = {
        "a.test": {
            "/robots.txt": Robots("User-agent: *\nDisallow: /private"),
            "/": links(
                "/contact", "/private/x", "/moved", "/gone", "/flaky", "http://dead.test/1", *others
            )
            + '<a rel="nofollow" href="/paid">ad</a>',
            "/contact": "<title>Contact us</title><h1>Springfield Diner</h1>"
            "<p>123 Main Street, Springfield, IL 62701</p>" + links("/"),
            "/moved": Redirect("/contact"),
            "/flaky": Flaky(1, Page("<p>fine")),
        },
        "dead.test": {"/*": Drop("before")},
    }
    limits = LimitsSection(
        private_networks=True, url_length=120, tlds=("test",), exclude=("/log[io]n", "never")
    )
    directory = tmp_path_factory.mktemp("done") / "c"
    with TestWeb(sites) as web, pytest.MonkeyPatch.context() as patch:
        for moment in ("clocks.FIRST_REST", "clocks.LONGEST_REST", "robots.FIRST_WAIT"):
            patch.setattr(f"toponaut.web.politeness.{moment}", 0.01)
        crawl(directory, job(["http://a.test/"], limits=limits), proxy=web.proxy)
    return directory


def test_a_relevant_page_is_explained(done: Path, toponaut: Toponaut) -> None:
    said = toponaut("explain", done, "http://a.test/contact")
    assert said.startswith("http://a.test/contact: fetched, relevant\n")
    assert '  found on   http://a.test/, as "the /contact page"\n' in said
    assert (
        "    when     promise 0.5: 0.5 of its page's 1 "
        "(1 link from a seed, 1 link deep in its host)\n" in said
    )
    assert "    who      Cn1: the only node\n" in said
    assert "  also on    http://a.test/moved\n" in said
    assert "by Cn1: fetched (200)\n" in said
    assert "    title    Contact us\n" in said
    assert "    relevant yes, 1 address\n" in said
    assert (
        "    address  Springfield Diner, 123 main street, 62701, us (by text; confidence 0.9"
        in said
    )
    assert '      text   "123 Main Street, Springfield, IL 62701", characters ' in said
    assert "    archive  main-000000.warc.gz, " in said
    found = json.loads(toponaut("explain", done, "a.test/contact", "--json"))
    assert (found["url"], found["state"]) == ("http://a.test/contact", "fetched, relevant")
    assert [one["decision"] for one in found["found"]] == ["queued", "known"]
    [visit] = found["visits"]
    [address] = visit["addresses"]
    assert (visit["outcome"], address["text"]) == (
        "fetched",
        "123 Main Street, Springfield, IL 62701",
    )


def test_a_visit_without_a_page_is_explained(done: Path) -> None:
    forbidden = str(explain(done, "http://a.test/private/x"))
    assert forbidden.startswith("http://a.test/private/x: forbidden by robots.txt\n")
    assert forbidden.endswith("by Cn1: forbidden by robots.txt")
    moved = str(explain(done, "http://a.test/moved"))
    assert moved.startswith("http://a.test/moved: redirect\n")
    assert "by Cn1: redirect (301): to http://a.test/contact\n" in moved
    gone = str(explain(done, "http://a.test/gone"))
    assert gone.startswith("http://a.test/gone: gone\n")
    assert "by Cn1: gone (404)\n" in gone
    flaky = explain(done, "http://a.test/flaky")
    assert [(visit.outcome, visit.retry) for visit in flaky.visits] == [
        (Outcome.SERVER_ERROR, True),
        (Outcome.FETCHED, False),
    ]
    assert "server error (503), to be tried again\n" in str(flaky)
    dead = str(explain(done, "http://dead.test/1"))
    assert dead.startswith(
        "http://dead.test/1: given up, because its host does not answer (the connection was closed"
    )
    assert "visited" not in dead
    seed = str(explain(done, "http://a.test/"))
    assert (
        "  found on   the job's seeds\n    when     promise 1: a seed (0 links from a seed" in seed
    )
    assert "9 refused (nofollow 1, " in seed


@pytest.mark.parametrize("link", REFUSED)
def test_a_refused_link_is_explained(done: Path, link: str) -> None:
    url = link if "://" in link else f"http://a.test{link}"
    said = str(explain(done, url))
    assert said == f"{url}: refused\n  found on   http://a.test/\n    refused  {REFUSED[link]}"


def test_every_reason_has_words() -> None:
    words = {refusal_in_words(why, "http://a.test/", job([])) for why in Refusal}
    assert len(words) == len(Refusal)


def test_an_unknown_url_is_explained(done: Path, toponaut: Toponaut) -> None:
    said = toponaut("explain", done, "http://c.test/")
    assert said.startswith("http://c.test/: no fetched page links to it\n")
    assert "Check http/https" in said


def test_a_waiting_url_is_explained(tmp_path: Path) -> None:
    sites: dict[str, dict[str, str | bytes | Answer]] = {
        "a.test": {"/": links("/1", "/2"), "/*": "<p>page"}
    }
    with TestWeb(sites) as web:
        one = LimitsSection(private_networks=True, pages=1)
        crawl(tmp_path / "one", job(["http://a.test/"], limits=one), proxy=web.proxy)
        full = LimitsSection(private_networks=True, pages_per_host=1)
        crawl(tmp_path / "full", job(["http://a.test/"], limits=full), proxy=web.proxy)
    first = "waiting: its promise is 0.5, and links with at least 1 came first"
    assert explain(tmp_path / "one", "http://a.test/1").state == first
    enough = "given up, because its host has given 1 pages (limits.pages_per_host = 1)"
    assert explain(tmp_path / "full", "http://a.test/1").state == enough


def test_a_promise_that_fell_is_explained(tmp_path: Path) -> None:
    little = little_web(seed=6, hosts=5, pages=60)
    some = LimitsSection(private_networks=True, depth=0, pages=40)
    wanted = job([little.seed], limits=some, ordering="combined")
    crawl(tmp_path / "c", wanted, replay=export(little, tmp_path))
    log = visits(tmp_path / "c")
    asked = {visit.url for visit in log}
    visit, url = next((one, url) for one in log for url in one.sunk if url not in asked)
    found = explain(tmp_path / "c", url)
    promise = visit.sunk_to[visit.sunk.index(url)]
    assert (found.sank[0].before, found.sank[0].promise) == (visit.sequence, promise)
    assert f"sank       to promise {promise:.4g} at its turn before visit" in str(found)
    assert re.match(rf"waiting: its promise (is )?{found.sank[-1].promise:.3g}\b", found.state)


def test_a_url_whose_host_rests_is_explained(tmp_path: Path) -> None:
    sites: dict[str, dict[str, str | bytes | Answer]] = {
        "a.test": {"/": links("/1", "http://b.test/")},
        "b.test": {"/": links("http://c.test/")},
        "c.test": {"/": "<p>page"},
    }
    with TestWeb(sites) as web:
        three = LimitsSection(private_networks=True, pages=3)
        slow = replace(FAST, delay=60.0, robots=False)
        crawl(tmp_path, job(["http://a.test/"], limits=three, politeness=slow), proxy=web.proxy)
    state = explain(tmp_path, "http://a.test/1").state
    assert state.startswith("waiting: its promise was 0.5 when it was found. The last request went")
    assert state.endswith("a promise of 0.25: its host rests, or its promise has fallen since")


def test_a_replay_shows_the_dates_of_its_pages(tmp_path: Path) -> None:
    web = tmp_path / "web"
    web.mkdir()
    for name in ("index", "old"):
        (web / f"{name}.html").write_text('<p>hello <a href="/old">old</a>')
    os.utime(web / "old.html", (1e9, 1e9))
    lines = "http://a.test/\tindex.html\ttext/html\t2025-03-04T05:06:07Z\n"
    (web / "manifest.tsv").write_text(lines + "http://a.test/old\told.html\n")
    crawl(tmp_path / "c", job(["http://a.test/"]), replay=web)
    for url, date in (("/", "2025-03-04 05:06:07"), ("/old", "2001-09-09 01:46:40")):
        shown = str(explain(tmp_path / "c", f"http://a.test{url}"))
        assert f"  visited    {date} UTC by Cn1: fetched (200)" in shown


# --- status and lines of JSON
# ---------------------------------------------------------------------------------------


@pytest.fixture
def running(tmp_path: Path) -> Iterator[tuple[TestWeb, Path]]:
    """A web that is slow enough to be watched, and a job for it, two nodes together."""
    little = little_web(seed=7, hosts=4, pages=60)
    wanted = render(job([little.seed], politeness=FAST)).replace("geographic = 1", "geographic = 2")
    (tmp_path / "job.toml").write_text(wanted)
    with TestWeb(little.sites, delay=0.1) as web:
        yield web, tmp_path


def test_a_crawl_is_watched_from_outside_and_then_killed(
    running: tuple[TestWeb, Path], toponaut: Toponaut
) -> None:
    web, folder = running
    line, environment = command(
        "crawl", folder / "job.toml", folder / "c", "--workers", "0", "--json", proxy=web.proxy
    )
    with subprocess.Popen(line, env=environment, stdout=subprocess.PIPE, text=True) as crawling:
        try:
            assert crawling.stdout is not None
            first, second = (json.loads(crawling.stdout.readline()) for _ in range(2))
            assert first["seconds"] < second["seconds"]
            assert first["pages"] <= second["pages"]
            assert second["per_second"] > 0
            assert sum(node["pages"] for node in second["nodes"]) == second["pages"]
            seen = _until(
                lambda: json.loads(toponaut("status", folder / "c", "--json")),
                lambda one: one["progress"],
            )
            assert seen["running"] is True
            said = toponaut("status", folder / "c")
            assert said.startswith(f"{folder / 'c'}: running\nnode ")
            for word in (
                "Cn1",
                "Cn2",
                "all",
                "harvest",
                "queued",
                "hosts",
                "waiting",
                "busy",
                "errors",
                "outcomes: ",
            ):
                assert word in said
        finally:
            crawling.kill()
    assert "not running, and it did not stop cleanly; `toponaut crawl` resumes" in toponaut(
        "status", folder / "c"
    )
    assert status_of(folder / "c").running is False


def _until(
    look: Callable[[], dict[str, Any]], enough: Callable[[dict[str, Any]], object]
) -> dict[str, Any]:
    while not enough(seen := look()):
        time.sleep(0.05)
    return seen


def test_each_end_is_reported(tmp_path: Path, toponaut: Toponaut) -> None:
    sites: dict[str, dict[str, str | bytes | Answer]] = {
        "a.test": {"/robots.txt": "", "/": links("/1", "/2"), "/1": "<p>one", "/2": Slow(delay=0.8)}
    }
    (tmp_path / "job.toml").write_text(
        render(job(["http://a.test/"], limits=LimitsSection(private_networks=True, pages=2)))
    )
    (tmp_path / "more.toml").write_text(render(job(["http://a.test/"])))
    with TestWeb(sites) as web:
        limit = run_here(
            "crawl",
            tmp_path / "job.toml",
            tmp_path / "c",
            "--quiet",
            "--workers",
            "0",
            proxy=web.proxy,
        )
        assert (limit.returncode, limit.stderr) == (0, "")
        why = "stopped because the page limit is reached (limits.pages = 2)"
        assert limit.stdout.startswith(
            f"{tmp_path / 'c'}: {why}. 2 pages, 0 relevant (0.0%), 0 addresses found, "
        )
        assert limit.stdout.endswith("1 link waiting.\n")
        assert limit.stdout.count("\n") == 1
        assert toponaut("status", tmp_path / "c").startswith(f"{tmp_path / 'c'}: {why}\n")
        rest = run_here(
            "crawl",
            tmp_path / "more.toml",
            tmp_path / "c",
            "--json",
            "--workers",
            "0",
            proxy=web.proxy,
        )
    lines = [json.loads(line) for line in rest.stdout.splitlines()]
    assert [line["pages"] for line in lines] == sorted(line["pages"] for line in lines)
    assert lines[-1]["stopped"] == "nothing is left to fetch"
    assert all("stopped" not in line for line in lines[:-1])
    status = json.loads(toponaut("status", tmp_path / "c", "--json"))
    assert (status["running"], status["stopped"]) == (False, "nothing is left to fetch")
    assert status["log"]["outcomes"] == status["progress"]["outcomes"]
    assert set(status["progress"]) == {key for key in lines[-1] if key != "stopped"}


# --- the live view
# --------------------------------------------------------------------------------------------------


def test_the_live_view_in_a_real_terminal(running: tuple[TestWeb, Path]) -> None:
    web, folder = running
    line, environment = command(
        "crawl", folder / "job.toml", folder / "c", "--workers", "0", proxy=web.proxy
    )
    ours, theirs = pty.openpty()
    crawling = subprocess.Popen(
        line, env={**environment, "TERM": "xterm"}, stdout=theirs, stderr=theirs
    )
    os.close(theirs)
    seen = b""
    try:
        while part := os.read(ours, 65_536):
            seen += part
    except OSError:  # the other end is closed
        pass
    finally:
        os.close(ours)
        crawling.wait()
    said = seen.decode()
    for word in (
        "pages/s",
        "relevant",
        "harvest",
        "queued",
        "hosts",
        "waiting",
        "busy",
        "errors",
        "Cn1",
        "Cn2",
        "all",
    ):
        assert word in said
    assert "MB received" in said
    assert (
        f"{folder / 'c'}: stopped because nothing is left to fetch. "
        in said.rstrip().splitlines()[-1]
    )
    assert "\x1b[?25h" in said  # the cursor is shown again


def progress(seconds: float, *pages: int) -> Progress:
    nodes = tuple(
        NodeProgress(f"Cn{k}", some, 1, 10, 5, 3, 1, 2, 0) for k, some in enumerate(pages, 1)
    )
    total, count = sum(pages), len(pages)
    return Progress(
        time=0.0, seconds=seconds, pages=total, relevant=count, harvest=count / total,
        addresses=1234, queued=10 * count,
        seen=0, hosts=5 * count, resting=3 * count, busy=count, faults=2 * count,
        received=5_600_000, sent=12, messages=3, message_bytes=900,
        outcomes={"fetched": total, "timeout": 2}, refused={"calendar": 1_000}, nodes=nodes,
    )  # fmt: skip


def test_the_table_by_hand() -> None:
    speed = Speed()
    speed.measure(progress(0.0, 10, 20))
    console = Console(
        width=100, force_terminal=True, color_system=None, record=True, file=StringIO()
    )
    console.print(table_of(progress(3725.0, 2, 4000), speed.measure(progress(2.0, 30, 70))))
    rows = [line.split() for line in console.export_text().splitlines()]
    assert rows == [
        [
            "node",
            "pages",
            "pages/s",
            "relevant",
            "harvest",
            "queued",
            "hosts",
            "waiting",
            "busy",
            "errors",
        ],
        ["Cn1", "2", "10.0", "1", "50.0%", "10", "5", "3", "1", "2"],
        ["Cn2", "4,000", "25.0", "1", "0.0%", "10", "5", "3", "1", "2"],
        ["all", "4,002", "35.0", "2", "0.0%", "20", "10", "6", "2", "4"],
        [
            "5.6",
            "MB",
            "received",
            "1,234",
            "addresses",
            "found",
            "12",
            "links",
            "in",
            "3",
            "messages",
            "between",
            "nodes",
            "1:02:05",
        ],
        ["outcomes:", "fetched", "4,002,", "timeout", "2"],
        ["links", "refused:", "calendar", "1,000"],
    ]


# --- the help -------------------------------------------------------------------------------------
# ------------------


@pytest.mark.parametrize(
    ("verb", "words"),
    [
        ("crawl", ["Ctrl-C", "--replay", "--workers", "--quiet", "--json",
                   "    toponaut crawl oldenburg.toml oldenburg/\n"]),
        ("status", ["while it runs", '"waiting"', "--json", "    toponaut status oldenburg/\n"]),
        ("explain", ["why it was fetched", "--json", "    toponaut explain oldenburg/ https://www.oldenburg.de/kontakt\n"]),
    ],
)  # fmt: skip
def test_the_help_says_what_to_type(toponaut: Toponaut, verb: str, words: list[str]) -> None:
    said = toponaut(verb, "--help")
    for word in words:
        assert word in said
