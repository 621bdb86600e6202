"""The test web sends the bytes its answers define; the little web is the same over all paths."""

import asyncio
import gzip
import http.client
import socket
from collections import Counter
from contextlib import closing
from pathlib import Path

import pytest
from tests.support.little_web import export, little_web
from tests.support.web_answers import (
    HTML,
    Bomb,
    Drop,
    EndlessBody,
    EndlessPath,
    Flaky,
    Garbage,
    HugeHead,
    LyingLength,
    Page,
    Redirect,
    RedirectLoop,
    Robots,
    Sitemap,
    Slow,
    SlowLoris,
    Status,
    TooMany,
    WrongEncoding,
)
from tests.support.webserver import Site, TestWeb, WebProcess

from toponaut.job import LimitsSection, PolitenessSection
from toponaut.page.parse import parse
from toponaut.records import Outcome, Request, Response
from toponaut.web.fetch import Fetcher
from toponaut.web.http.client import HttpFetcher
from toponaut.web.replay import ReplayFetcher

HOST = "127.0.0.1"


def raw(
    web: TestWeb, path: str = "/", headers: str = "", size: int = 1 << 20, patience: float = 5.0
) -> bytes:
    """All bytes that the server sends before it closes, up to `size`."""
    with closing(socket.create_connection((HOST, web.port), timeout=patience)) as client:
        client.sendall(
            f"GET {path} HTTP/1.1\r\nHost: {HOST}\r\nConnection: close\r\n{headers}\r\n".encode()
        )
        received = b""
        while len(received) < size and (some := client.recv(1 << 16)):
            received += some
    return received


def get(
    web: TestWeb, path: str = "/", headers: dict[str, str] | None = None
) -> tuple[int, bytes, http.client.HTTPMessage]:
    with closing(http.client.HTTPConnection(HOST, web.port, timeout=60)) as client:
        client.request("GET", path, headers=headers or {})
        answer = client.getresponse()
        return answer.status, answer.read(), answer.headers


def test_pages_by_text_bytes_and_object() -> None:
    site: Site = {
        "/": "<p>ü",
        "/b": b"\xff",
        "/c": Page("x", "text/plain", headers=(("X-A", "1"),), packing="gzip"),
    }
    with TestWeb({HOST: site}) as web:
        assert get(web)[:2] == (200, "<p>ü".encode())
        assert get(web)[2]["Content-Type"] == HTML
        assert get(web, "/b")[1] == b"\xff"
        _, body, headers = get(web, "/c")
        assert gzip.decompress(body) == b"x"
        assert (headers["Content-Type"], headers["X-A"], headers["Content-Encoding"]) == (
            "text/plain",
            "1",
            "gzip",
        )
        assert get(web, "/none")[0] == 404


def test_paths_are_found_with_query_then_without_then_by_prefix() -> None:
    with TestWeb(
        {HOST: {"/a": "a", "/a?x=1": "x", "/deep/*": "deep", "/deep/er/*": "deeper"}}
    ) as web:
        assert [get(web, path)[1] for path in ("/a", "/a?x=1", "/a?x=2")] == [b"a", b"x", b"a"]
        assert [get(web, path)[1] for path in ("/deep/1", "/deep/er/1?y")] == [b"deep", b"deeper"]


def test_hosts_by_proxy_and_by_address() -> None:
    with TestWeb({"a.test": {"/": "a"}, "b.test": {"/": "b"}, "127.0.0.7": {"/": "seven"}}) as web:
        assert get(web, "http://a.test/")[1] == b"a"
        assert get(web, "http://B.test:80/")[1] == b"b"
        assert get(web, "http://c.test/")[0] == 502
        with closing(http.client.HTTPConnection("127.0.0.7", web.port, timeout=60)) as client:
            client.request("GET", "/")
            assert client.getresponse().read() == b"seven"
        assert web.asked() == [
            "http://a.test/",
            "http://b.test/",
            "http://c.test/",
            "http://127.0.0.7/",
        ]
        assert web.asked("a.test") == ["http://a.test/"]


def test_connections_are_kept_and_counted() -> None:
    with TestWeb({HOST: {"/": "a"}}) as web:
        with closing(http.client.HTTPConnection(HOST, web.port, timeout=60)) as client:
            for _ in range(3):
                client.request("GET", "/", headers={"User-Agent": "me"})
                client.getresponse().read()
        get(web)
        assert [access.connection for access in web.accesses] == [0, 0, 0, 1]
        assert web.accesses[0].headers["user-agent"] == "me"
        assert web.accesses[0].time <= web.accesses[3].time


def test_conditions() -> None:
    with TestWeb(
        {HOST: {"/": Page("a", etag='"1"', modified="Thu, 01 Jan 2026 00:00:00 GMT")}}
    ) as web:
        assert get(web, headers={"If-None-Match": '"1"'})[:2] == (304, b"")
        assert get(web, headers={"If-None-Match": '"2"'})[0] == 200
        assert get(web, headers={"If-Modified-Since": "Thu, 01 Jan 2026 00:00:00 GMT"})[0] == 304


def test_statuses_redirects_robots_sitemaps() -> None:
    site: Site = {
        "/gone": Status(410, "gone"),
        "/old": Redirect("/new", 308),
        "/robots.txt": Robots("User-agent: *\nDisallow: /x", 503),
        "/sitemap.xml": Sitemap(["http://a.test/1"]),
        "/chunked": Page("chunks of it", chunked=True),
    }
    with TestWeb({HOST: site}) as web:
        assert get(web, "/gone")[:2] == (410, b"gone")
        assert get(web, "/old")[2]["Location"] == "/new"
        assert get(web, "/robots.txt")[0] == 503
        assert b"<loc>http://a.test/1</loc>" in get(web, "/sitemap.xml")[1]
        assert get(web, "/chunked")[1] == b"chunks of it"


def test_failures_that_pass() -> None:
    with TestWeb({HOST: {"/flaky": Flaky(2, Page("fine")), "/many": TooMany("7")}}) as web:
        assert [get(web, "/flaky")[0] for _ in range(4)] == [503, 503, 200, 200]
        status, _, headers = get(web, "/many")
        assert (status, headers["Retry-After"]) == (429, "7")
        assert get(web, "/many")[0] == 200


def test_broken_answers() -> None:
    site: Site = {
        "/before": Drop(),
        "/head": Drop("head"),
        "/body": Drop("body"),
        "/less": LyingLength(-100, b"x" * 50),
        "/more": LyingLength(20, b"x" * 50),
        "/garbage": Garbage(),
        "/huge": HugeHead(200_000),
        "/plain": WrongEncoding(),
        "/torn": WrongEncoding(damaged=True),
        "/bomb": Bomb(1_000_000),
    }
    with TestWeb({HOST: site}) as web:
        assert raw(web, "/before") == b""
        assert raw(web, "/head") == b"HTTP/1.1 200 OK\r\nContent-Type:"[:30]
        assert b"Content-Length: 1000\r\n\r\n<p>the first" in raw(web, "/body")
        assert raw(web, "/less").endswith(b"Content-Length: 150\r\n\r\n" + b"x" * 50)
        assert raw(web, "/more").endswith(b"Content-Length: 30\r\n\r\n" + b"x" * 50)
        assert raw(web, "/garbage").startswith(b"SSH-")
        assert len(raw(web, "/huge")) > 200_000
        assert b"Content-Encoding: gzip\r\n" in raw(web, "/plain")
        assert raw(web, "/plain").partition(b"\r\n\r\n")[2].startswith(b"<p>plain")
        with pytest.raises(EOFError):
            gzip.decompress(raw(web, "/torn").partition(b"\r\n\r\n")[2])
        bomb = raw(web, "/bomb").partition(b"\r\n\r\n")[2]
        assert len(bomb) < 10_000
        assert len(gzip.decompress(bomb)) == 1_000_000


def test_endless_and_slow_answers() -> None:
    site: Site = {
        "/endless": EndlessBody(),
        "/slow": Slow(pause=0.01, pieces=3),
        "/loris": SlowLoris(),
        "/late": Slow(delay=60),
    }
    with TestWeb({HOST: site}) as web:
        assert len(raw(web, "/endless", size=3_000_000)) >= 3_000_000
        assert raw(web, "/slow").endswith(b"<p>slow</p>")
        assert 0 < len(raw(web, "/loris", size=5)) < 20
        with pytest.raises(TimeoutError):
            raw(web, "/late", patience=0.1)
        assert get(web, "/none")[0] == 404, "others are served in the meantime"
    assert len(web.accesses) == 5, "and what still waits does not keep the server from stopping"


def test_traps() -> None:
    site: Site = {
        "/ring*": RedirectLoop(2),
        "/on*": RedirectLoop(0),
        "/cal/*": EndlessPath("calendar"),
        "/s*": EndlessPath("session"),
        "/deep/*": EndlessPath("deeper"),
        "/n/*": EndlessPath("copies"),
    }
    with TestWeb({HOST: site}) as web:

        def leads(path: str) -> list[str]:
            status, body, headers = get(web, path)
            if status == 302:
                return [headers["Location"]]
            page = parse(Response(f"http://t.test{path}", 200, body, HTML))
            return [link.url.removeprefix("http://t.test") for link in page.links]

        assert (leads("/ring"), leads("/ring?step=1")) == (["/ring?step=1"], ["/ring"])
        assert leads("/on?step=41") == ["/on?step=42"]
        assert leads("/cal/2026-01") == ["/cal/2025-12", "/cal/2026-02"]
        sessions = leads("/s")
        assert len(set(sessions + leads(sessions[0]))) == 4
        assert leads("/deep/more/stuff/") == [
            "/deep/more/stuff/more/stuff/",
            "/deep/more/stuff/more/things/",
        ]
        assert leads("/n/4") == ["/n/13", "/n/14", "/n/15"]


# --- the little web ---


def test_the_little_web_is_the_same_each_time_and_another_by_another_number() -> None:
    assert little_web(3) == little_web(3)
    assert little_web(3) != little_web(4)


def test_what_is_in_the_little_web() -> None:
    web = little_web(0, hosts=8, pages=200)
    assert len(web.sites) == 8
    assert len(web.pages - web.copies) == 200
    for kind in (web.copies, web.relevant, web.redirects, web.missing, web.forbidden):
        assert kind
    assert web.copies | web.relevant <= web.pages
    for host, site in web.sites.items():
        for path, answer in site.items():
            if isinstance(answer, Page) and f"http://{host}{path}" in web.pages:
                page = parse(Response(f"http://{host}{path}", 200, answer.content, HTML))
                assert 3 <= len(page.links) <= 20  # 5 or more, of which some are the same
                assert page.title


async def crawl(fetcher: Fetcher, seed: str) -> dict[str, Response]:
    """Everything that can be found from a page, robots.txt and all, with no manners."""
    found: dict[str, Response] = {}
    waiting = [seed]
    while waiting:
        url = waiting.pop()
        if url in found:
            continue
        answer = found[url] = await fetcher.fetch(Request(url))
        if answer.outcome is Outcome.FETCHED:
            waiting += [link.url for link in parse(answer).links]
            waiting.append("/".join(url.split("/")[:3]) + "/robots.txt")
        elif answer.location:
            waiting.append(answer.location)
    await fetcher.close()
    return found


def test_crawls_by_http_and_by_replay_find_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    little = little_web(1, hosts=5, pages=60)
    with TestWeb(little.sites) as web:
        monkeypatch.setenv("http_proxy", web.proxy)
        monkeypatch.delenv("no_proxy", raising=False)

        async def live() -> dict[str, Response]:
            return await crawl(HttpFetcher(PolitenessSection(), LimitsSection()), little.seed)

        by_http = asyncio.run(live())
        assert sorted(web.asked()) == sorted(by_http), "nothing was asked for twice"
    replayed = asyncio.run(crawl(ReplayFetcher(export(little, tmp_path / "web")), little.seed))

    def key_of(answer: Response) -> tuple[object, ...]:
        return answer.status, answer.outcome, answer.body, answer.content_type, answer.location

    assert by_http.keys() == replayed.keys()
    for url, answer in by_http.items():
        if answer.status == 404:
            assert replayed[url].outcome is answer.outcome
        else:
            assert key_of(answer) == key_of(replayed[url]), url
    pages = {
        url
        for url, answer in by_http.items()
        if answer.outcome is Outcome.FETCHED and url.endswith((".html", "/"))
    }
    assert pages == little.pages | little.forbidden
    assert {
        url for url, answer in by_http.items() if answer.outcome is Outcome.REDIRECT
    } == little.redirects
    assert {
        url for url, answer in by_http.items() if answer.outcome is Outcome.GONE
    } == little.missing


def test_in_a_process_of_its_own(tmp_path: Path) -> None:
    with WebProcess(tmp_path, seed=2, hosts=3, pages=20) as process:
        host, port = process.proxy.removeprefix("http://").split(":")
        for url in sorted(process.web.pages)[:5]:
            with closing(http.client.HTTPConnection(host, int(port), timeout=60)) as client:
                client.request("GET", url)
                assert client.getresponse().status == 200
        assert [access.url for access in process.accesses()] == sorted(process.web.pages)[:5]
        assert Counter(access.connection for access in process.accesses()) == dict.fromkeys(
            range(5), 1
        )
