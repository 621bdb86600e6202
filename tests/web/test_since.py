"""A crawl with --since: unchanged pages are not sent again, but are part of the crawl."""

from pathlib import Path

from tests.support.crawling import crawl, edges, job, urls, visits
from tests.support.web_answers import Answer, Page
from tests.support.webserver import TestWeb

from toponaut.archive import read_answer
from toponaut.records import Outcome

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
