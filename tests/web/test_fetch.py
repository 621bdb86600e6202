"""HttpFetcher: requests, archived bytes, and the reading of answers."""

import asyncio
import gzip
import time
import zlib
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime

import brotli
import pytest
import zstandard
from hypothesis import given
from hypothesis import strategies as st
from tests.support.raw_server import HERE, PAGE, QUICK, Server, Wire, always, answer, fetch, run

from toponaut import __version__
from toponaut.errors import InputError
from toponaut.job import LimitsSection, PolitenessSection
from toponaut.records import Outcome, Request
from toponaut.web.fetch import LONGEST_WAIT, outcome_of, retry_after, wanted
from toponaut.web.http.client import HttpFetcher, user_agent
from toponaut.web.http.connections import Connections
from toponaut.web.http.guard import NetworkGuard

HTML = ("text/html", "application/xhtml+xml")


@pytest.fixture(autouse=True)
def _no_proxy(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("http_proxy", "https_proxy", "no_proxy", "HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY"):
        monkeypatch.delenv(name, raising=False)


# --- requests and archived bytes ---


@pytest.mark.parametrize("busy", ["server", "crawler"])
def test_only_the_time_of_the_server_counts(busy: str) -> None:
    """An answer that arrives while the crawler is busy is not slow: its host need not rest."""

    async def talk(wire: Wire) -> None:
        await wire.hear()
        if busy == "server":
            await asyncio.sleep(1.5)
        else:
            asyncio.get_running_loop().call_soon(time.sleep, 1.5)
        await wire.say(answer())

    seconds = fetch(talk).seconds
    assert (seconds > 0.75) is (busy == "server")


def test_a_page_and_its_bytes_on_the_wire() -> None:
    packed = gzip.compress(PAGE)
    sent = answer(
        packed,
        "Content-Type: Text/HTML; charset=utf-8",
        "Content-Encoding: gzip",
        "X-Odd:  tw\xf6 ",
    )

    async def work(server: Server, fetcher: HttpFetcher) -> None:
        url = server.url("/a//b/%7C?q=1&r=%C3%A4")
        page = await fetcher.fetch(
            Request(url, etag='"v1"', modified="Sat, 01 Nov 2025 00:00:00 GMT", types=HTML)
        )
        assert (page.url, page.status, page.outcome, page.detail) == (url, 200, Outcome.FETCHED, "")
        assert (page.body, page.payload) == (PAGE, packed)
        assert page.content_type == "Text/HTML; charset=utf-8"
        assert dict(page.headers)["x-odd"] == "twö"
        assert [name for name, _ in page.headers] == [
            "content-type",
            "content-encoding",
            "x-odd",
            "content-length",
        ]
        assert page.ip == "127.0.0.1"
        assert page.started > 1e9
        assert page.seconds > 0
        assert [page.request_head] == server.requests
        assert page.request_head.decode() == (
            f"GET /a//b/%7C?q=1&r=%C3%A4 HTTP/1.1\r\nHost: 127.0.0.1:{server.port}\r\n"
            f"User-Agent: Toponaut/{__version__}\r\n"
            "Accept: text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8\r\n"
            "Accept-Encoding: gzip, deflate, br, zstd\r\n"
            'If-None-Match: "v1"\r\nIf-Modified-Since: Sat, 01 Nov 2025 00:00:00 GMT\r\n\r\n'
        )
        lines = page.response_head.split(b"\r\n")
        assert lines[0] == b"HTTP/1.1 200 OK"
        assert lines[-2:] == [b"", b""]
        assert b"X-Odd: tw\xc3\xb6" in lines

    run(always(sent), work)


def test_the_archive_gets_no_chunks_and_no_claim_of_chunks() -> None:
    page = fetch(
        b"HTTP/1.1 200 Fine\r\ntransfer-encoding: chunked\r\nContent-Type: text/html\r\n\r\n"
        b"5;ext=1\r\nhello\r\n6\r\n world\r\n0\r\nTrailer: x\r\n\r\n"
    )
    assert (page.body, page.payload) == (b"hello world", b"hello world")
    assert page.response_head == (
        b"HTTP/1.1 200 Fine\r\nX-Archive-Orig-transfer-encoding: chunked\r\nContent-Type: "
        b"text/html\r\n\r\n"
    )
    assert ("transfer-encoding", "chunked") in page.headers


def test_headers_in_no_known_encoding_are_readable_text() -> None:
    head = (
        b"HTTP/1.1 200 OK\r\nX-Name: M\xfcnchen\r\nContent-Type: text/html; \xff\r\n"
        b"Content-Length: 0\r\n\r\n"
    )
    page = fetch(head)
    assert dict(page.headers)["x-name"] == "München"
    assert page.content_type == "text/html; ÿ"
    assert b"X-Name: M\xfcnchen\r\n" in page.response_head


def test_one_connection_serves_many_requests() -> None:
    async def work(server: Server, fetcher: HttpFetcher) -> None:
        for _ in range(5):
            assert (await fetcher.fetch(Request(server.url()))).body == PAGE
        assert (server.connections, len(server.requests)) == (1, 5)

    run(always(answer()), work)


def test_a_connection_that_nobody_uses_is_closed() -> None:
    async def talk(wire: Wire) -> None:
        await wire.hear()
        await wire.say(answer())
        with suppress(asyncio.IncompleteReadError):
            await wire.hear()
        ended.set()

    async def main() -> None:
        connections = Connections(QUICK, {}, NetworkGuard(allow_private=True), keep_alive=0.05)
        async with Server(talk) as server:
            head = await connections.ask(server.url())
            assert await head.read_part() == PAGE
            head.close()
            await asyncio.wait_for(ended.wait(), 5)
            await connections.close()
            assert len(server.requests) == 1

    ended = asyncio.Event()
    asyncio.run(main())


def test_a_value_cannot_begin_another_line_of_the_request() -> None:
    page = fetch(answer(), etag='"1"\r\nCookie: a', modified="Mon, 16 Nov 2026 12:00:00 GMT")
    assert b"Cookie" not in page.request_head
    assert page.request_head.endswith(
        b"\r\nIf-Modified-Since: Mon, 16 Nov 2026 12:00:00 GMT\r\n\r\n"
    )


def test_errors_and_redirects_leave_the_connection_usable() -> None:
    async def talk(wire: Wire) -> None:
        for status in ("404 Gone Fishing", "301 Moved", "503 Busy", "200 OK"):
            await wire.hear()
            await wire.say(answer(b"x" * 1000, "Location: /", status=status))

    async def work(server: Server, fetcher: HttpFetcher) -> None:
        answers = [await fetcher.fetch(Request(server.url())) for _ in range(4)]
        assert [one.outcome.name for one in answers] == [
            "GONE",
            "REDIRECT",
            "SERVER_ERROR",
            "FETCHED",
        ]
        assert [len(one.payload) for one in answers] == [1000] * 4
        assert [len(one.body) for one in answers] == [0, 0, 0, 1000]
        assert server.connections == 1

    run(talk, work)


def test_no_cookies_and_no_referer() -> None:
    async def work(server: Server, fetcher: HttpFetcher) -> None:
        for _ in range(2):
            await fetcher.fetch(Request(server.url()))
        assert all(
            b"Cookie" not in request and b"Referer" not in request for request in server.requests
        )

    run(always(answer(PAGE, "Set-Cookie: id=1; Path=/")), work)


def test_who_we_say_we_are() -> None:
    assert user_agent(
        PolitenessSection(user_agent="Nautilus", contact="https://example.org/bot")
    ) == (f"Nautilus/{__version__} (+https://example.org/bot)")
    for contact in ("me\r\nX-Evil: 1", "jürgen@example.org"):
        with pytest.raises(InputError, match="plain ASCII"):
            HttpFetcher(PolitenessSection(contact=contact), LimitsSection())


# --- statuses ---


@pytest.mark.parametrize(
    ("status", "headers", "outcome"),
    [
        ("200 OK", (), Outcome.FETCHED),
        ("201", (), Outcome.FETCHED),
        ("203 Changed By A Proxy", (), Outcome.FETCHED),
        ("300 Choose", (), Outcome.FETCHED),
        ("300 Choose", ("Location: /a",), Outcome.REDIRECT),
        ("302 Found", ("Location: /a",), Outcome.REDIRECT),
        ("302 Found", (), Outcome.BROKEN),
        ("305 Use Proxy", ("Location: /a",), Outcome.BROKEN),
        ("401 Who", (), Outcome.CLIENT_ERROR),
        ("404 Not Found", (), Outcome.GONE),
        ("410 Gone", (), Outcome.GONE),
        ("451 Illegal", (), Outcome.CLIENT_ERROR),
        ("429 Slower", (), Outcome.SERVER_ERROR),
        ("500 Oops", (), Outcome.SERVER_ERROR),
        ("999 Denied", (), Outcome.SERVER_ERROR),
    ],
)
def test_statuses(status: str, headers: tuple[str, ...], outcome: Outcome) -> None:
    page = fetch(answer(PAGE, *headers, status=status))
    assert (page.outcome, page.status) == (outcome, int(status[:3]))
    assert page.payload == PAGE


@pytest.mark.parametrize("status", ["204 No Content", "205 Reset"])
def test_success_without_a_body(status: str) -> None:
    page = fetch(answer(b"", status=status))
    assert (page.outcome, page.body) == (Outcome.FETCHED, b"")


def test_unchanged_if_asked_so() -> None:
    head = b'HTTP/1.1 304 Not Modified\r\nETag: "v1"\r\n\r\n'
    assert fetch(head, etag='"v1"').outcome is Outcome.UNCHANGED
    assert fetch(head).outcome is Outcome.BROKEN


def test_early_hints_come_before_the_answer() -> None:
    page = fetch(b"HTTP/1.1 103 Early Hints\r\nLink: </a.css>\r\n\r\n" + answer())
    assert (page.status, page.body) == (200, PAGE)


def test_an_upgrade_that_nobody_asked_for() -> None:
    page = fetch(b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n")
    assert page.outcome is Outcome.BROKEN


@given(status=st.integers(100, 999), location=st.booleans(), conditional=st.booleans())
def test_every_status_has_an_outcome(status: int, location: bool, conditional: bool) -> None:
    outcome, detail = outcome_of(status, location=location, conditional=conditional)
    assert detail or outcome in (Outcome.FETCHED, Outcome.REDIRECT, Outcome.UNCHANGED)


@pytest.mark.parametrize(
    ("location", "target"),
    [
        ("/b", "http://127.0.0.1:{port}/b"),
        ("b?x=1#part", "http://127.0.0.1:{port}/a/b?x=1"),
        ("//Example.ORG", "http://example.org/"),
        ("https://example.org:443/%7euser", "https://example.org/~user"),
        ("http://user:secret@example.org/", "http://example.org/"),
        ("http://example.org/ä", "http://example.org/%C3%A4"),
        ("ftp://example.org/", ""),
        ("javascript:alert(1)", ""),
        ("http://[broken/", ""),
        ("http://127.0.0.1:{port}/a/", "http://127.0.0.1:{port}/a/"),
    ],
)
def test_a_redirect_is_told_and_not_followed(location: str, target: str) -> None:
    async def work(server: Server, fetcher: HttpFetcher) -> None:
        sent = answer(b"", f"Location: {location}".format(port=server.port), status="301 Moved")
        server._talk = always(sent)
        page = await fetcher.fetch(Request(server.url("/a/")))
        assert page.outcome is Outcome.REDIRECT
        assert page.location == target.format(port=server.port)
        assert len(server.requests) == 1

    run(always(b""), work)


def test_the_wait_that_a_server_asks_for() -> None:
    assert fetch(answer(b"", "Retry-After: 120", status="503 Busy")).retry_after == 120
    assert fetch(answer(b"", status="503 Busy")).retry_after == 0
    assert fetch(answer(b"", "Retry-After: 120")).retry_after == 0
    soon = format_datetime(datetime.now(UTC) + timedelta(hours=2), usegmt=True)
    assert (
        7000 < fetch(answer(b"", f"Retry-After: {soon}", status="429 Slower")).retry_after <= 7200
    )


@pytest.mark.parametrize(
    ("value", "seconds"),
    [
        ("0", 0), (" 7 ", 7), ("9" * 5000, LONGEST_WAIT), ("-5", 0), ("1.5", 0), ("soon", 0), ("",
         0), ("²", 0),
        ("Thu, 01 Jan 1970 00:16:40 GMT", 0), ("Thu, 01 Jan 1970 00:17:40 GMT", 60),
        ("Thu, 01 Jan 1970 00:17:40 -0000", 60), ("Fri, 31 Dec 9999 23:59:59 GMT", LONGEST_WAIT),
        ("Thu, 32 Jan 1970 00:00:00 GMT", 0), ("Mon, 01 Jan 99999 00:00:00 GMT", 0),
    ],
)  # fmt: skip
def test_retry_after(value: str, seconds: float) -> None:
    assert retry_after(value, now=1000.0) == seconds


@given(st.text(max_size=60))
def test_retry_after_takes_anything(value: str) -> None:
    assert 0 <= retry_after(value, now=1e9) <= LONGEST_WAIT


# --- types and sizes ---


def test_unwanted_types_are_not_read() -> None:
    """The server never sends the body it announces: who waits for it runs into a timeout."""

    async def talk(wire: Wire) -> None:
        await wire.hear()
        await wire.say(answer(b"", "Content-Type: Video/MP4; x=1", length=10**9))
        await asyncio.sleep(3)

    page = fetch(talk, types=HTML)
    assert (page.outcome, page.detail, page.status) == (Outcome.WRONG_TYPE, "Video/MP4; x=1", 200)
    assert page.payload == b""


@pytest.mark.parametrize(
    ("kind", "ok"),
    [
        ("text/html", True), ("TEXT/HTML ;charset=x", True), ("", True), (";charset=utf-8", True),
        ("text/html+x", False), ("image/png", False), ("text", False),
    ],
)  # fmt: skip
def test_types(kind: str, ok: bool) -> None:
    assert wanted(kind, HTML) is ok
    assert wanted(kind, ())


def test_types_matter_for_pages_only() -> None:
    assert (
        fetch(answer(PAGE, "Content-Type: image/png", status="404 No"), types=HTML).outcome
        is Outcome.GONE
    )
    assert fetch(answer(PAGE), types=HTML).outcome is Outcome.FETCHED


def test_a_body_that_says_it_is_too_large_is_not_read() -> None:
    async def talk(wire: Wire) -> None:
        await wire.hear()
        await wire.say(answer(b"", length=HERE.body_bytes + 1))
        await asyncio.sleep(3)

    page = fetch(talk)
    assert (page.outcome, page.detail) == (Outcome.TOO_LARGE, "100001 bytes")


async def endless(wire: Wire) -> None:
    await wire.hear()
    await wire.say(b"HTTP/1.1 200 OK\r\n\r\n")
    while True:
        await wire.say(bytes(10_000))


async def endless_error(wire: Wire) -> None:
    await wire.hear()
    await wire.say(b"HTTP/1.1 404 No\r\n\r\n")
    while True:
        await wire.say(bytes(10_000))


def test_a_body_without_end_stops_at_the_limit() -> None:
    page = fetch(endless)
    assert (page.outcome, page.detail, page.payload) == (
        Outcome.TOO_LARGE,
        "more than 100000 bytes",
        b"",
    )


def test_of_an_endless_error_the_beginning_is_kept() -> None:
    page = fetch(endless_error)
    assert (page.outcome, len(page.payload)) == (Outcome.GONE, 64 * 1024)


def test_the_largest_body_that_is_allowed() -> None:
    assert len(fetch(answer(bytes(100_000))).body) == 100_000


@pytest.mark.parametrize("encoding", ["gzip", "deflate", "br", "zstd"])
def test_packed_pages_and_bombs(encoding: str) -> None:
    pack = {
        "gzip": gzip.compress,
        "deflate": zlib.compress,
        "br": brotli.compress,
        "zstd": zstandard.compress,
    }[encoding]
    page = fetch(answer(pack(PAGE), f"Content-Encoding: {encoding}"))
    assert (page.body, page.payload) == (PAGE, pack(PAGE))
    bomb = fetch(answer(pack(bytes(10_000_000)), f"Content-Encoding: {encoding}"))
    assert (bomb.outcome, bomb.body, bomb.payload) == (Outcome.TOO_LARGE, b"", b"")


def test_lies_about_packing() -> None:
    assert fetch(answer(PAGE, "Content-Encoding: gzip")).body == PAGE
    assert fetch(answer(PAGE, "Content-Encoding: utf-8")).body == PAGE
    assert (
        fetch(
            answer(
                gzip.compress(gzip.compress(PAGE)),
                "Content-Encoding: gzip",
                "Content-Encoding: gzip",
            )
        ).body
        == PAGE
    )
    half = fetch(answer(gzip.compress(PAGE)[:-20], "Content-Encoding: gzip"))
    assert (half.outcome, half.detail, half.status) == (
        Outcome.BROKEN,
        "compressed body cut short",
        200,
    )
    assert fetch(answer(PAGE, "Content-Encoding: br")).outcome is Outcome.BROKEN
