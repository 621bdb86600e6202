"""Pages that need JavaScript, rendered by a real browser on a real web."""

import shutil
from pathlib import Path

import pytest
from msgspec.structs import replace
from tests.support.crawling import FAST, crawl, job, run_here, visits
from tests.support.script_web import ENDLESS, PLAIN_PAGES, SPY, START, script_web
from tests.support.webserver import TestWeb
from warcio.archiveiterator import ArchiveIterator

from toponaut.job import FetchSection, Job, LimitsSection, render
from toponaut.records import PAGES, Outcome, Visit

needs_chromium = pytest.mark.skipif(
    shutil.which("chromium") is None, reason="Chromium is not installed"
)


def wanted(how: str, seconds: float = 30.0, seeds: tuple[str, ...] = (START,)) -> Job:
    fetch = FetchSection(render=how, render_seconds=seconds)  # type: ignore[arg-type]
    return replace(job(seeds, politeness=FAST, ordering="breadth-first"), fetch=fetch)


def addresses(found: list[Visit]) -> set[str]:
    return {one.normal for visit in found for one in visit.addresses}


def by_url(directory: Path) -> dict[str, Visit]:
    return {visit.url: visit for visit in visits(directory)}


@pytest.fixture(scope="module")
def when_empty(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, TestWeb]:
    """A crawl that renders empty pages, and the web with the requests that it got."""
    directory = tmp_path_factory.mktemp("render") / "c"
    with TestWeb(script_web()) as web:
        crawl(directory, wanted("when-empty", seconds=8.0), proxy=web.proxy)
    return directory, web


@needs_chromium
def test_addresses_are_found_with_few_pages_rendered(when_empty: tuple[Path, TestWeb]) -> None:
    """All that a browser would find (see the slow test), with under 5 % of pages rendered."""
    found = visits(when_empty[0])
    pages = [visit for visit in found if visit.outcome in PAGES]
    rendered = {visit.url for visit in pages if visit.rendered}
    assert len(addresses(found)) == 12 + 4
    assert rendered == {
        "http://fetch.test/", "http://fetch.test/kontakt", "http://json.test/",
        "http://frames.test/", SPY,
    }  # fmt: skip
    assert len(rendered) < 0.05 * len(pages)


@needs_chromium
@pytest.mark.slow
def test_a_full_browser_crawl_finds_no_more(
    tmp_path: Path, when_empty: tuple[Path, TestWeb]
) -> None:
    with TestWeb(script_web()) as web:
        full = wanted("always", seconds=8.0)
        crawl(tmp_path / "c", replace(full, fetch=replace(full.fetch, browsers=3)), proxy=web.proxy)
    everything = addresses(visits(tmp_path / "c"))
    assert len(addresses(visits(when_empty[0])) & everything) >= 0.95 * len(everything)


def test_without_a_browser_they_are_missing(tmp_path: Path) -> None:
    web = {host: site for host, site in script_web().items() if not host.startswith("plain")}
    seeds = tuple(f"http://{host}/" for host in web if host != "start.test")
    with TestWeb(web) as served:
        crawl(tmp_path / "c", wanted("never", seeds=seeds), proxy=served.proxy)
    assert len(addresses(visits(tmp_path / "c"))) == 1  # the one in <noscript>


@needs_chromium
def test_an_endless_script_ends(when_empty: tuple[Path, TestWeb]) -> None:
    page = by_url(when_empty[0])[ENDLESS]
    assert page.outcome is Outcome.FETCHED
    assert not page.rendered
    assert page.detail == "not rendered: its scripts ran for over 8 s"


@needs_chromium
def test_requests_of_scripts_are_in_the_log_and_go_out_once(
    when_empty: tuple[Path, TestWeb],
) -> None:
    directory, web = when_empty
    found = by_url(directory)
    for path in ("app.js", "api/home", "api/kontakt"):
        assert found[f"http://fetch.test/{path}"].outcome is Outcome.REQUISITE
        assert web.asked().count(f"http://fetch.test/{path}") == 1
    assert "http://spy.test/collect" not in web.asked()  # POST sends data


@needs_chromium
def test_private_networks_are_refused_inside_the_browser(tmp_path: Path) -> None:
    """The web is reached by its proxy; addresses of this machine are refused by the guard."""
    with TestWeb({"spy.test": script_web()["spy.test"]}) as web:
        spying = wanted("when-empty", seeds=(SPY,))
        crawl(tmp_path / "c", replace(spying, limits=LimitsSection(pages=5)), proxy=web.proxy)
    found = by_url(tmp_path / "c")
    assert "answers: refused, refused, refused, refused" in found[SPY].text
    private = {url for url, visit in found.items() if visit.outcome is Outcome.PRIVATE}
    assert private >= {"http://localhost/", "http://10.0.0.1/"}
    assert {access.host for access in web.accesses} == {"spy.test"}


@needs_chromium
def test_the_rendered_copy_is_archived_beside_the_response(
    when_empty: tuple[Path, TestWeb],
) -> None:
    url, responses, copies = "http://fetch.test/kontakt", {}, {}
    for warc in sorted((when_empty[0] / "archive").glob("*.warc.gz")):
        with warc.open("rb") as stream:
            for record in ArchiveIterator(stream):
                headers = record.rec_headers
                if headers.get_header("WARC-Target-URI") == url:
                    kind, body = record.rec_type, record.content_stream().read()
                    if kind == "response":
                        responses[headers.get_header("WARC-Record-ID")] = body
                    elif kind == "conversion":
                        copies[headers.get_header("WARC-Refers-To")] = body
    assert set(copies) == set(responses)
    (copy,) = copies.values()
    assert b"Bakery Miller" in copy
    assert all(b"Bakery Miller" not in body for body in responses.values())
    assert run_here("check", when_empty[0]).returncode == 0


@needs_chromium
def test_the_archive_can_be_exported_and_replayed(
    tmp_path: Path, when_empty: tuple[Path, TestWeb]
) -> None:
    """A replay renders again, with the archived answers to the pages' own requests."""
    file = tmp_path / "all.warc.gz"
    assert run_here("export", when_empty[0], "-o", file, "--all").returncode == 0
    with file.open("rb") as stream:
        kinds = [record.rec_type for record in ArchiveIterator(stream)]
    assert kinds.count("conversion") == 5
    seeds = ("http://fetch.test/", "http://json.test/")
    crawl(tmp_path / "c", wanted("when-empty", seeds=seeds), replay=when_empty[0] / "archive")
    assert len(addresses(visits(tmp_path / "c"))) == 2


def test_without_playwright_it_says_how_to_get_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("toponaut.render.renderer.find_spec", lambda _: None)
    (tmp_path / "job.toml").write_text(render(wanted("when-empty")))
    ended = run_here("crawl", tmp_path / "job.toml", tmp_path / "c")
    assert ended.returncode == 2
    assert "pip install 'toponaut[render]'" in ended.stderr
    assert len(ended.stderr.strip().splitlines()) == 1


def test_most_pages_of_the_web_are_plain() -> None:
    """So that 5 % mean something."""
    assert 10 * len(script_web()) < PLAIN_PAGES * 12


@needs_chromium
@pytest.mark.slow
def test_a_page_that_takes_all_memory_is_stopped(tmp_path: Path) -> None:
    """Its process is killed; the browser renders the next page."""
    grow = """<div id=root></div><script>const all = [];
      setInterval(() => { for (let k = 0; k < 200; k++) {
        const b = new Uint8Array(1 << 20); b.fill(k); all.push(b); } }, 10)</script>"""
    sites = {"grow.test": {"/": grow}, "fetch.test": script_web()["fetch.test"]}
    seeds = ("http://grow.test/", "http://fetch.test/kontakt")
    with TestWeb(sites) as web:
        wide = wanted("when-empty", seconds=60.0, seeds=seeds)
        wide = replace(wide, fetch=replace(wide.fetch, browser_bytes=600_000_000))
        crawl(tmp_path / "c", wide, proxy=web.proxy)
    found = by_url(tmp_path / "c")
    assert found["http://grow.test/"].detail == "not rendered: its scripts used too much memory"
    assert found["http://fetch.test/kontakt"].rendered
