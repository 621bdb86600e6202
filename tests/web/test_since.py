"""A crawl with --since: unchanged pages are not sent again, but are part of the crawl."""

from datetime import UTC, datetime
from io import BytesIO
from pathlib import Path

from tests.support.crawling import crawl, edges, job, urls, visits
from tests.support.web_answers import Answer, Page
from tests.support.webserver import TestWeb
from warcio.statusandheaders import StatusAndHeaders
from warcio.warcwriter import WARCWriter

from toponaut.archive import read_answer
from toponaut.crawl.adopting import adopt
from toponaut.job import render
from toponaut.records import PAGES, Outcome

SHOP = (
    "<title>Shop</title><p>Joe's Diner, 123 Main Street, Springfield, IL 62701 <a href='/more'>"
    "more</a>" + "<p>word " * 300
)


def site(news: str) -> dict[str, dict[str, str | bytes | Answer]]:
    return {
        "a.test": {
            "/": Page(
                "<a href='/shop'>shop</a> <a href='/news'>news</a> <a href='/dated'>dated</a>"
            ),
            "/shop": Page(SHOP, etag='"v1"', packing="gzip"),
            "/dated": Page("<p>dated", modified="Sat, 02 May 2026 10:00:00 GMT"),
            "/news": Page(f"<p>{news}", etag=f'"{news}"'),
            "/more": Page("<p>more <a href='/private/x'>x</a>"),
            "/robots.txt": Page("User-agent: *\nDisallow: /private/", "text/plain", etag='"rules"'),
        }
    }


def test_what_has_not_changed_is_not_sent_again(tmp_path: Path) -> None:
    april, may = tmp_path / "april", tmp_path / "may"
    wanted = job(["http://a.test/"])
    with TestWeb(site("old")) as web:
        crawl(april, wanted, proxy=web.proxy)
    with TestWeb(site("new")) as web:
        crawl(may, wanted, proxy=web.proxy, since=april)
    assert sorted(urls(may, Outcome.UNCHANGED)) == ["http://a.test/dated", "http://a.test/shop"]
    assert sorted(urls(may, Outcome.FETCHED)) == [
        "http://a.test/",
        "http://a.test/more",
        "http://a.test/news",
    ]
    assert edges(may) == edges(april)
    before, after = ({visit.url: visit for visit in visits(one)} for one in (april, may))
    shop = "http://a.test/shop"
    assert after[shop].addresses == before[shop].addresses != ()
    assert after[shop].text == before[shop].text
    assert after[shop].size < before[shop].size
    assert after["http://a.test/private/x"].outcome is Outcome.FORBIDDEN
    assert after["http://a.test/news"].text == "new"
    stored = read_answer(
        may / "archive" / after[shop].archive, after[shop].offset, after[shop].length
    )
    assert (stored.kind, stored.payload) == ("revisit", b"")


def test_pages_of_another_crawler_are_conditional_too(tmp_path: Path) -> None:
    """An adopted page has no validators: the date of its capture is one."""
    captured = datetime(2026, 3, 1, 12, tzinfo=UTC)
    warc = tmp_path / "other.warc.gz"
    with warc.open("wb") as stream:
        writer = WARCWriter(stream)
        for path, html in (("/", "<a href='/shop'>shop</a>"), ("/shop", SHOP)):
            head = StatusAndHeaders("200 OK", [("Content-Type", "text/html")], protocol="HTTP/1.1")
            record = writer.create_warc_record(
                f"http://a.test{path}",
                "response",
                payload=BytesIO(html.encode()),
                length=len(html.encode()),
                http_headers=head,
                warc_headers_dict={"WARC-Date": "2026-03-01T12:00:00Z"},
            )
            writer.write_record(record)
    old, new = tmp_path / "old", tmp_path / "new"
    adopt([warc], old, render(job(["http://a.test/"])), "job.toml")
    pages = [visit for visit in visits(old) if visit.outcome in PAGES]
    assert {visit.time for visit in pages} == {captured.timestamp()}
    date = "Sun, 01 Mar 2026 12:00:00 GMT"
    site = {"a.test": {"/": Page("<a href='/shop'>shop</a>"), "/shop": Page(SHOP, modified=date)}}
    with TestWeb(site) as web:
        crawl(new, job(["http://a.test/"]), proxy=web.proxy, since=old)
    assert urls(new, Outcome.UNCHANGED) == ["http://a.test/shop"]
    assert next(visit for visit in visits(new) if visit.url.endswith("shop")).addresses
