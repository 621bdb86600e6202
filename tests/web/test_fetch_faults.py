"""The HTTP Fetcher against servers that drop, delay, truncate and lie."""

import asyncio
import errno
import socket

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace
from tests.support.raw_server import (
    HERE,
    PAGE,
    QUICK,
    Server,
    Talk,
    Wire,
    always,
    answer,
    fetch,
    run,
)

from toponaut.job import LimitsSection, PolitenessSection
from toponaut.records import Outcome, Request, Response
from toponaut.web.http.client import HttpFetcher


@pytest.fixture(autouse=True)
def _no_proxy(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("http_proxy", "https_proxy", "no_proxy", "HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY"):
        monkeypatch.delenv(name, raising=False)


@pytest.mark.parametrize(
    ("sent", "outcome", "detail"),
    [
        (answer(PAGE, length=len(PAGE) + 5), Outcome.BROKEN, "cut short"),
        (
            b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nff\r\nhalf a chunk",
            Outcome.BROKEN,
            "cut short",
        ),
        (b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n", Outcome.BROKEN, ""),
        (b"HTTP/1.1 200 OK\r\nContent-Type: te", Outcome.BROKEN, "cut short"),
        (
            b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\nContent-Length: 7\r\n\r\nhello",
            Outcome.BROKEN,
            "invalid HTTP",
        ),
        (b"HTTP/1.1 200 OK\r\nContent-Length: minus\r\n\r\nhello", Outcome.BROKEN, "invalid HTTP"),
        (b"SSH-2.0-OpenSSH_9.2\r\n", Outcome.BROKEN, "invalid HTTP"),
        (b"\x16\x03\x01\x00\x05\x01\x00\x00", Outcome.BROKEN, "invalid HTTP"),
        (
            b"HTTP/1.1 200 OK\r\n" + b"X-Many: 1\r\n" * 1000 + b"\r\n",
            Outcome.BROKEN,
            "invalid HTTP",
        ),
        (
            b"HTTP/1.1 200 OK\r\nX-Long: " + b"x" * 100_000 + b"\r\n\r\n",
            Outcome.BROKEN,
            "invalid HTTP",
        ),
        (b"HTTP/1.1 200 " + b"x" * 100_000 + b"\r\n\r\n", Outcome.BROKEN, "invalid HTTP"),
        (b"", Outcome.NO_CONNECTION, "closed before an answer"),
    ],
)
def test_broken_answers(sent: bytes, outcome: Outcome, detail: str) -> None:
    page = fetch(always(sent, then_close=True))
    assert (page.outcome, page.body, page.payload) == (outcome, b"", b"")
    assert detail in page.detail


def test_long_headers_of_real_sites_are_read() -> None:
    policy = "Content-Security-Policy: " + "https://cdn.example.org " * 1000
    assert fetch(answer(PAGE, policy)).body == PAGE


def test_more_bytes_than_announced() -> None:
    """What the length leaves out is no part of the page, nor of the next answer."""

    async def work(server: Server, fetcher: HttpFetcher) -> None:
        for _ in range(3):
            page = await fetcher.fetch(Request(server.url()))
            assert page.outcome in (Outcome.FETCHED, Outcome.BROKEN)
            assert page.body in (PAGE[:10], b"")

    run(always(answer(PAGE, length=10)), work)


def test_an_answer_that_nobody_asked_for_is_not_taken_for_the_next() -> None:
    async def talk(wire: Wire) -> None:
        await wire.hear()
        await wire.say(answer(b"first"))
        await asyncio.sleep(0.05)
        await wire.say(answer(b"poison"))
        while True:
            await wire.hear()
            await wire.say(answer(b"second"))

    async def work(server: Server, fetcher: HttpFetcher) -> None:
        assert (await fetcher.fetch(Request(server.url()))).body == b"first"
        await asyncio.sleep(0.2)
        assert (await fetcher.fetch(Request(server.url()))).body == b"first"
        assert server.connections == 2

    run(talk, work)


def test_a_lost_connection() -> None:
    async def early(wire: Wire) -> None:
        await wire.hear()
        wire.reset()

    async def late(wire: Wire) -> None:
        await wire.hear()
        await wire.say(answer(PAGE, length=10**5))
        await asyncio.sleep(0.05)
        wire.reset()

    async def work(server: Server, fetcher: HttpFetcher) -> Response:
        page = await fetcher.fetch(Request(server.url()))
        assert len(server.requests) == 1  # a server that drops us is not asked again at once
        return page

    assert run(early, work).outcome is Outcome.NO_CONNECTION
    page = run(late, work)
    assert (page.outcome, page.status, page.detail) == (
        Outcome.BROKEN,
        200,
        "the answer was cut short",
    )


@pytest.mark.parametrize("reset", [False, True])
def test_a_connection_that_went_stale_is_replaced_at_once(reset: bool) -> None:
    """The server accepts a second request on a connection and closes it without an answer."""

    async def talk(wire: Wire) -> None:
        await wire.hear()
        await wire.say(answer())
        await wire.hear()
        if reset:
            wire.reset()

    async def work(server: Server, fetcher: HttpFetcher) -> None:
        for _ in range(2):
            page = await fetcher.fetch(Request(server.url()))
            assert (page.outcome, page.ip) == (Outcome.FETCHED, "127.0.0.1")
        assert (server.connections, len(server.requests)) == (2, 3)

    run(talk, work)


def test_an_answer_that_has_begun_is_not_asked_for_again() -> None:
    """The second answer on a connection is cut short in its head: not stale, but broken."""

    async def talk(wire: Wire) -> None:
        await wire.hear()
        await wire.say(answer())
        await wire.hear()
        await wire.say(b"HTTP/1.1 200 OK\r\nContent-")

    async def work(server: Server, fetcher: HttpFetcher) -> None:
        await fetcher.fetch(Request(server.url()))
        page = await fetcher.fetch(Request(server.url()))
        assert (page.outcome, page.detail) == (
            Outcome.BROKEN,
            "the answer was cut short in its head",
        )
        assert len(server.requests) == 2

    run(talk, work)


async def silent(wire: Wire) -> None:
    await wire.hear()
    await asyncio.sleep(5)


async def silent_in_the_middle(wire: Wire) -> None:
    await wire.hear()
    await wire.say(answer(PAGE, length=10**5))
    await asyncio.sleep(5)


async def dripping(wire: Wire) -> None:
    await wire.hear()
    await wire.say(b"HTTP/1.1 200 OK\r\n\r\n")
    while True:
        await wire.say(b"x")
        await asyncio.sleep(0.02)


async def dripping_head(wire: Wire) -> None:
    await wire.hear()
    await wire.say(b"HTTP/1.1 200 OK\r\n")
    while True:
        await wire.say(b"X: y\r\n")
        await asyncio.sleep(0.02)


async def dripping_error(wire: Wire) -> None:
    await wire.hear()
    await wire.say(b"HTTP/1.1 404 No\r\n\r\n")
    while True:
        await wire.say(b"x")
        await asyncio.sleep(0.02)


# One of them at a time: where a process stalls, as on a busy machine, it is chance which of two is
# over first.
SILENCE, WHOLE = (
    PolitenessSection(read_timeout=0.4, total_timeout=60.0),
    PolitenessSection(read_timeout=60.0, total_timeout=0.8),
)


@pytest.mark.parametrize(
    ("talk", "given", "status", "outcome", "detail"),
    [
        (silent, SILENCE, 0, Outcome.TIMEOUT, "silent for 0.4 s"),
        (silent_in_the_middle, SILENCE, 200, Outcome.TIMEOUT, "silent for 0.4 s"),
        (dripping, WHOLE, 200, Outcome.TIMEOUT, "not done within 0.8 s"),
        (dripping_head, WHOLE, 0, Outcome.TIMEOUT, "not done within 0.8 s"),
        (dripping_error, WHOLE, 404, Outcome.GONE, "status 404"),
    ],
)
def test_slow_servers(
    talk: Talk, given: PolitenessSection, status: int, outcome: Outcome, detail: str
) -> None:
    page = fetch(talk, politeness=given)
    assert (page.status, page.outcome, page.detail) == (status, outcome, detail)


def test_a_name_server_that_does_not_answer() -> None:
    given_up = []

    async def dead(host: str) -> list[str]:
        try:
            await asyncio.sleep(30)
        except asyncio.CancelledError:
            given_up.append(host)
            raise
        return []

    async def work(server: Server, fetcher: HttpFetcher) -> Response:
        return await fetcher.fetch(Request(server.url(host="slow.example")))

    page = run(
        always(answer()), work, politeness=PolitenessSection(connect_timeout=0.3), resolver=dead
    )
    assert (page.outcome, page.detail) == (Outcome.TIMEOUT, "no connection within 0.3 s")
    assert given_up == ["slow.example"]  # when the fetcher was closed


def test_no_host_and_no_connection() -> None:
    async def names(host: str) -> list[str]:
        return {"closed.example": ["127.0.0.1"], "half.example": ["127.0.0.2", "127.0.0.1"]}.get(
            host, []
        )

    async def work(server: Server, fetcher: HttpFetcher) -> None:
        assert (await fetcher.fetch(Request("http://gone.example/"))).outcome is Outcome.NO_HOST
        page = await fetcher.fetch(Request("http://closed.example:1/"))
        assert (page.outcome, page.status, page.seconds > 0) == (Outcome.NO_CONNECTION, 0, True)
        assert "refused" in page.detail or "failed" in page.detail
        page = await fetcher.fetch(Request(server.url(host="half.example")))
        assert (page.body, page.ip) == (PAGE, "127.0.0.1")

    run(always(answer()), work, resolver=names)


@pytest.mark.parametrize(
    "error",
    [
        socket.gaierror(socket.EAI_AGAIN, "Temporary failure in name resolution"),
        socket.gaierror(socket.EAI_FAIL, "Non-recoverable failure in name resolution"),
        socket.gaierror(socket.EAI_SYSTEM, "System error"),
        OSError(errno.EMFILE, "Too many open files"),
    ],
)
def test_a_lookup_that_fails_is_a_fault_of_the_connection(error: OSError) -> None:
    """It says nothing about the name: a host without a name is given up at once."""

    async def failing(_host: str) -> list[str]:
        raise error

    async def work(_server: Server, fetcher: HttpFetcher) -> Response:
        return await fetcher.fetch(Request("http://slow.example/"))

    page = run(always(answer()), work, resolver=failing)
    assert (page.outcome, page.detail) == (Outcome.NO_CONNECTION, error.args[1].lower())


def test_being_cancelled_is_no_fault_of_the_server() -> None:
    async def work(server: Server, fetcher: HttpFetcher) -> None:
        task = asyncio.create_task(fetcher.fetch(Request(server.url())))
        await asyncio.sleep(0.1)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    run(silent, work)


@given(
    st.binary(max_size=200),
    st.sampled_from([b"", b"HTTP/1.1 200 OK\r\n", b"HTTP/1.1 200 OK\r\n\r\n"]),
)
def test_noise_never_raises(noise: bytes, beginning: bytes) -> None:
    async def main() -> Response:
        async with Server(always(beginning + noise, then_close=True)) as server:
            fetcher = HttpFetcher(QUICK, HERE)
            try:
                return await fetcher.fetch(Request(server.url()))
            finally:
                await fetcher.close()

    assert asyncio.run(main()).outcome in Outcome


def test_endless_interim_answers_are_cut_off() -> None:
    """A few hints come before an answer; a server that sends nothing else gives none."""
    hint = b"HTTP/1.1 103 Early Hints\r\nLink: </a.css>\r\n\r\n"

    async def endless(wire: Wire) -> None:
        await wire.hear()
        while True:
            await wire.say(hint * 1000)

    assert fetch(hint * 10 + answer()).body == PAGE
    cut = fetch(endless, politeness=replace(QUICK, total_timeout=60))
    assert (cut.outcome, cut.detail) == (Outcome.BROKEN, "invalid HTTP: too many interim answers")


_LARGE = LimitsSection(private_networks=True, body_bytes=100_000_000)
_CHUNKED = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"


@pytest.mark.parametrize(
    ("begin", "piece"),
    [
        (_CHUNKED, b"0"),
        (_CHUNKED + b"5;", b"x"),
        (_CHUNKED, b"1\r\nx\r\n"),
        (b"", b"\r\n"),
    ],
    ids=["size", "extension", "chunks-of-one-byte", "empty-lines"],
)
def test_endless_bytes_beside_a_body_are_cut_off(begin: bytes, piece: bytes) -> None:
    async def endless(wire: Wire) -> None:
        await wire.hear()
        await wire.say(begin)
        while True:
            await wire.say(piece * 10_000)

    cut = fetch(endless, politeness=replace(QUICK, total_timeout=60), limits=_LARGE)
    detail = "invalid HTTP: more bytes than an answer may have"
    assert (cut.outcome, cut.detail) == (Outcome.BROKEN, detail)


def test_endless_answers_on_an_idle_connection_close_it() -> None:
    """aiohttp would keep them: 90 MB a second."""
    closed = asyncio.Event()

    async def talk(wire: Wire) -> None:
        await wire.hear()
        await wire.say(answer())
        await asyncio.sleep(0.1)
        try:
            while True:
                await wire.say(answer() * 100)
        finally:
            closed.set()

    async def work(server: Server, fetcher: HttpFetcher) -> Response:
        got = await fetcher.fetch(Request(server.url()))
        async with asyncio.timeout(10):
            await closed.wait()
        return got

    assert run(talk, work).body == PAGE


def test_the_oldest_request_to_a_newcomer_ends_if_slow_ones_hold_most_slots() -> None:
    """Eight requests to a server that never answers, and one to a host that has proved to work."""

    async def talk(wire: Wire) -> None:
        if b"/slow" in await wire.hear():
            await asyncio.sleep(900)
        await wire.say(answer())

    async def work(server: Server, fetcher: HttpFetcher) -> None:
        silent, new = Request(server.url("/slow")), Request(server.url(), newcomer=True)
        slow = [asyncio.ensure_future(fetcher.fetch(silent))]
        for number in range(8):
            slow.append(asyncio.ensure_future(fetcher.fetch(replace(silent, newcomer=True))))
            while len(server.requests) < number + 1:
                await asyncio.sleep(0.01)
        assert (await fetcher.fetch(new)).body == PAGE
        assert not any(one.done() for one in slow)  # they have had less than three seconds
        await asyncio.sleep(3.1)
        assert (await fetcher.fetch(new)).body == PAGE
        ended = await slow[1]
        assert ended.outcome is Outcome.TIMEOUT
        assert "ended for other requests" in ended.detail
        assert not any(one.done() for one in (slow[0], *slow[2:]))

    run(talk, work, politeness=PolitenessSection(concurrent=10))


def test_large_bodies_take_turns_and_small_ones_do_not_wait() -> None:
    """Until the task that asked is done: its page is in memory as well."""
    large = b"<p>" + b"word " * 400_000

    async def talk(wire: Wire) -> None:
        small = b"/small" in await wire.hear()
        await wire.say(answer(PAGE if small else large))

    async def work(server: Server, fetcher: HttpFetcher) -> None:
        done = asyncio.Event()

        async def visit() -> int:
            page = await fetcher.fetch(Request(server.url("/large")))
            arrived.append(page)
            await done.wait()
            return len(page.body)

        arrived: list[Response] = []
        visits = [asyncio.ensure_future(visit()) for _ in range(6)]
        while len(arrived) < 4:
            await asyncio.sleep(0.01)
        assert (await fetcher.fetch(Request(server.url("/small")))).body == PAGE
        assert len(arrived) == 4
        done.set()
        assert await asyncio.gather(*visits) == [len(large)] * 6

    run(talk, work, limits=_LARGE, politeness=PolitenessSection())
