"""storage.requisites: style sheets, pictures and fonts are fetched politely, and never read."""

from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace
from tests.support.crawling import crawl, job, run_here, urls, visits
from tests.support.web_answers import Answer, Page
from tests.support.webserver import TestWeb
from warcio.archiveiterator import ArchiveIterator

from toponaut.archive import read_answer
from toponaut.crawl.directory import Directory
from toponaut.job import Job, LimitsSection
from toponaut.page.parse.requisites import requisites_of
from toponaut.records import PAGES, Outcome, Response

HOME = """<html><head><link rel=stylesheet href="/style.css"><link rel=canonical href="/">
<style>h1 { background: url(&quot;/h1.png&quot;) }</style></head>
<body background=/body.gif><h1 style="background:url('/tile.png')">Home</h1>
<img src="/logo.png" srcset="/small.png 480w, /large.png 2x"><a href="/next">next</a>
<img src="/private/x.png"><img src="http://cdn.test/far.png"><img src="data:image/png;base64,AA">"""
CSS = '@import "more.css"; @font-face { src: url(/font.woff2) format("woff2") }'


def site() -> dict[str, dict[str, str | bytes | Answer]]:
    picture = Page(b"\x89PNG\r\n", "image/png")
    names = "h1 tile logo small large".split()
    own: dict[str, str | bytes | Answer] = {f"/{name}.png": picture for name in names}
    own |= {
        "/": Page(HOME),
        "/next": Page("<link rel=stylesheet href='/style.css'><img src='/logo.png'>"),
        "/style.css": Page(CSS, "text/css"),
        "/more.css": Page("b { color: red }", "text/css"),
        "/font.woff2": Page(b"wOF2", "font/woff2"),
        "/body.gif": Page("<p>404 as 200 <a href='/never'>never</a>"),
        "/robots.txt": Page("User-agent: *\nDisallow: /private/", "text/plain"),
    }
    return {"a.test": own, "cdn.test": {"/far.png": picture}}


def wanted(per_page: int = 50, pages: int = 0) -> Job:
    limits = LimitsSection(private_networks=True, pages=pages)
    plain = job(["http://a.test/"], limits=limits)
    storage = replace(plain.storage, requisites=True, requisites_per_page=per_page)
    return replace(plain, storage=storage)


def test_requisites_are_archived_but_not_read(tmp_path: Path) -> None:
    with TestWeb(site()) as web:
        crawl(tmp_path / "c", wanted(), proxy=web.proxy)
    found = {visit.url: visit for visit in visits(tmp_path / "c")}
    assert sorted(urls(tmp_path / "c", *PAGES)) == ["http://a.test/", "http://a.test/next"]
    kept = "body.gif font.woff2 h1.png large.png logo.png more.css small.png style.css tile.png"
    expected = [f"http://a.test/{name}" for name in kept.split()] + ["http://cdn.test/far.png"]
    assert sorted(urls(tmp_path / "c", Outcome.REQUISITE)) == expected
    assert found["http://a.test/private/x.png"].outcome is Outcome.FORBIDDEN
    assert "http://a.test/never" not in found  # a requisite has no links
    font = found["http://a.test/font.woff2"]
    stored = read_answer(tmp_path / "c" / "archive" / font.archive, font.offset, font.length)
    assert stored.payload == b"wOF2"


def test_an_export_of_relevant_pages_has_all_that_is_needed_to_show_them(tmp_path: Path) -> None:
    web_of = site()
    web_of["a.test"]["/"] = Page(HOME + "<p>Joe's Diner, 123 Pike Street, Seattle, WA 98101</p>")
    with TestWeb(web_of) as web:
        crawl(tmp_path / "c", wanted(), proxy=web.proxy)
    assert run_here("export", tmp_path / "c", "-o", tmp_path / "c.warc.gz").returncode == 0
    with (tmp_path / "c.warc.gz").open("rb") as stream:
        records = [one for one in ArchiveIterator(stream) if one.rec_type == "response"]
    found = [one.rec_headers.get_header("WARC-Target-URI") for one in records]
    assert "http://a.test/next" in urls(tmp_path / "c", *PAGES)  # not relevant
    assert sorted(found) == sorted(["http://a.test/", *urls(tmp_path / "c", Outcome.REQUISITE)])


def test_each_is_fetched_once_and_within_the_budget(tmp_path: Path) -> None:
    with TestWeb(site()) as web:
        crawl(tmp_path / "c", wanted(per_page=2), proxy=web.proxy)
    fetched = urls(tmp_path / "c", Outcome.REQUISITE)
    assert len(fetched) == len(set(fetched)) <= 2 * 4  # two pages and two style sheets


def test_none_without_the_key(tmp_path: Path) -> None:
    with TestWeb(site()) as web:
        crawl(tmp_path / "c", job(["http://a.test/"]), proxy=web.proxy)
    assert urls(tmp_path / "c", Outcome.REQUISITE) == []


def test_endless_style_sheets_end(tmp_path: Path) -> None:
    sheets: dict[str, str | bytes | Answer] = {
        f"/{k}.css": Page(f"@import '{k + 1}.css';", "text/css") for k in range(20)
    }
    with TestWeb({"a.test": {"/": Page("<link rel=stylesheet href=0.css>"), **sheets}}) as web:
        crawl(tmp_path / "c", wanted(), proxy=web.proxy)
    assert len(urls(tmp_path / "c", Outcome.REQUISITE)) == 4


def test_a_lost_frontier_is_rebuilt_with_them(tmp_path: Path) -> None:
    with TestWeb(site()) as web:
        crawl(tmp_path / "c", wanted(pages=1), proxy=web.proxy)
        state = Directory(tmp_path / "c").state
        for path in sorted(state.rglob("*"), reverse=True):
            path.unlink() if path.is_file() else path.rmdir()
        crawl(tmp_path / "c", wanted(), proxy=web.proxy)
    assert len(urls(tmp_path / "c", Outcome.REQUISITE)) == 10
    assert len(urls(tmp_path / "c", *PAGES)) == 2


@given(st.text() | st.binary())
def test_any_bytes_have_requisites(body: str | bytes) -> None:
    data = body.encode("utf-8", "replace") if isinstance(body, str) else body
    for kind in ("text/html", "text/css"):
        for url in requisites_of(Response("http://a.test/", 200, b"<img src=" + data + b">", kind)):
            assert url.startswith("http")
