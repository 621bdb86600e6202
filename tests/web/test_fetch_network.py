"""The HTTP Fetcher over TLS, through proxies and with little bandwidth."""

import asyncio
import ssl
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
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

from toponaut.errors import InputError
from toponaut.job import LimitsSection, PolitenessSection
from toponaut.records import Outcome, Request, Response
from toponaut.web.http.client import BandwidthLimit, HttpFetcher


@pytest.fixture(autouse=True)
def _no_proxy(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("http_proxy", "https_proxy", "no_proxy", "HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY"):
        monkeypatch.delenv(name, raising=False)


# --- secure connections ---

# Made for these tests: self-signed, so that no client trusts it.
CERTIFICATE = """-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgAOa6Yp8aeewf4DZU
JdwtcIon+Ghl3us8bqAlM4B/xIKhRANCAARbJBUPcBg4lX6x6yu3u7y07bVbWyrs
80xy/K7xxP7BF7cbCs2fowgSoTVQLWbTKsVzqNEN9+iksJq1llhoZlXz
-----END PRIVATE KEY-----
-----BEGIN CERTIFICATE-----
MIIBkDCCATagAwIBAgIUJJmb50xK3M6Ou5jxqhMOQBU2hpIwCgYIKoZIzj0EAwIw
FDESMBAGA1UEAwwJMTI3LjAuMC4xMCAXDTI2MTExNjAxMjkxM1oYDzIxMjYxMDIz
MDEyOTEzWjAUMRIwEAYDVQQDDAkxMjcuMC4wLjEwWTATBgcqhkjOPQIBBggqhkjO
PQMBBwNCAARbJBUPcBg4lX6x6yu3u7y07bVbWyrs80xy/K7xxP7BF7cbCs2fowgS
oTVQLWbTKsVzqNEN9+iksJq1llhoZlXzo2QwYjAdBgNVHQ4EFgQUhWwSmrTbFzbW
diw6enYqtS4sUZ8wHwYDVR0jBBgwFoAUhWwSmrTbFzbWdiw6enYqtS4sUZ8wDwYD
VR0TAQH/BAUwAwEB/zAPBgNVHREECDAGhwR/AAABMAoGCCqGSM49BAMCA0gAMEUC
IHFpX89kPYc1OsZwGjIXfD+B/UkGJVWtyz25Vj3BKylhAiEAyg9DxRheICCdQCVp
l6iuEyPFSvg0qpMBHyV6ONIxlZ0=
-----END CERTIFICATE-----
"""


@pytest.fixture
def secure(tmp_path: Path) -> ssl.SSLContext:
    path = tmp_path / "server.pem"
    path.write_text(CERTIFICATE, encoding="ascii")
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(path)
    return context


def fetch_secure(talk: Talk, context: ssl.SSLContext | None, *, verify: bool) -> Response:
    async def work(server: Server, fetcher: HttpFetcher) -> Response:
        return await fetcher.fetch(Request(server.url(scheme="https")))

    return run(
        talk,
        work,
        context=context,
        politeness=PolitenessSection(verify_tls=verify, connect_timeout=2),
    )


def test_a_certificate_that_nobody_signed(secure: ssl.SSLContext) -> None:
    page = fetch_secure(always(answer()), secure, verify=True)
    assert page.outcome is Outcome.NO_TLS
    assert "certificate" in page.detail
    page = fetch_secure(always(answer()), secure, verify=False)
    assert (page.outcome, page.body, page.ip) == (Outcome.FETCHED, PAGE, "127.0.0.1")


def test_no_tls_behind_https() -> None:
    async def talk(wire: Wire) -> None:
        await wire.say(b"HTTP/1.1 400 Bad Request\r\n\r\n")

    page = fetch_secure(talk, None, verify=True)
    assert page.outcome is Outcome.NO_TLS
    assert page.detail


# --- proxies ---


def through_proxy(
    monkeypatch: pytest.MonkeyPatch,
    talk: Talk,
    url: str,
    limits: LimitsSection = HERE,
    politeness: PolitenessSection = QUICK,
) -> tuple[Response, Server]:
    """One request with the test's server as proxy for http and https."""

    async def main() -> tuple[Response, Server]:
        async with Server(talk) as proxy:
            monkeypatch.setenv("http_proxy", f"127.0.0.1:{proxy.port}")
            monkeypatch.setenv("https_proxy", f"http://user:secret@127.0.0.1:{proxy.port}")
            monkeypatch.setenv("no_proxy", "direct.example")
            fetcher = HttpFetcher(politeness, limits)
            try:
                return await fetcher.fetch(Request(url)), proxy
            finally:
                await fetcher.close()

    return asyncio.run(main())


def test_through_a_proxy(monkeypatch: pytest.MonkeyPatch) -> None:
    """The proxy may be in a private network, and it alone looks names up."""
    page, proxy = through_proxy(
        monkeypatch, always(answer()), "http://far.example/a?b=%7C", LimitsSection()
    )
    assert (page.outcome, page.body, page.ip) == (Outcome.FETCHED, PAGE, "")
    assert proxy.requests[0].startswith(
        b"GET http://far.example/a?b=%7C HTTP/1.1\r\nHost: far.example\r\n"
    )
    assert page.request_head.startswith(b"GET /a?b=%7C HTTP/1.1\r\nHost: far.example\r\n")


def test_a_proxy_that_wants_to_know_us(monkeypatch: pytest.MonkeyPatch) -> None:
    """The proxy's credentials are not in the request that the archive keeps."""

    async def main() -> tuple[Response, bytes]:
        async with Server(always(answer())) as proxy:
            monkeypatch.setenv("http_proxy", f"http://user:secret@127.0.0.1:{proxy.port}")
            fetcher = HttpFetcher(QUICK, LimitsSection())
            page = await fetcher.fetch(Request("http://far.example/"))
            await fetcher.close()
            return page, proxy.requests[0]

    page, request = asyncio.run(main())
    assert (page.outcome, page.body) == (Outcome.FETCHED, PAGE)
    assert b"\r\nProxy-Authorization: Basic dXNlcjpzZWNyZXQ=\r\n" in request
    assert b"Proxy" not in page.request_head


@pytest.mark.parametrize(
    "host", ["127.0.0.1", "[::1]", "169.254.169.254", "localhost", "metadata.google.internal"]
)
def test_a_proxy_is_not_asked_for_private_hosts(monkeypatch: pytest.MonkeyPatch, host: str) -> None:
    page, proxy = through_proxy(monkeypatch, always(answer()), f"http://{host}/", LimitsSection())
    assert (page.outcome, proxy.requests) == (Outcome.PRIVATE, [])


def test_hosts_that_need_no_proxy(monkeypatch: pytest.MonkeyPatch) -> None:
    page, proxy = through_proxy(monkeypatch, always(answer()), "http://direct.example/")
    assert (page.outcome, proxy.requests) == (Outcome.NO_HOST, [])


def test_a_tunnel_through_a_proxy(monkeypatch: pytest.MonkeyPatch, secure: ssl.SSLContext) -> None:
    async def talk(wire: Wire) -> None:
        await wire.hear()
        await wire.say(b"HTTP/1.1 200 Connected\r\n\r\n")
        await wire.secure(secure)
        await always(answer())(wire)

    page, proxy = through_proxy(
        monkeypatch, talk, "https://far.example/a", politeness=PolitenessSection(verify_tls=False)
    )
    assert (page.outcome, page.body, page.ip) == (Outcome.FETCHED, PAGE, "")
    assert proxy.requests[0].startswith(b"CONNECT far.example:443 HTTP/1.1\r\n")
    assert b"Proxy-Authorization: Basic dXNlcjpzZWNyZXQ=\r\n" in proxy.requests[0]
    assert proxy.requests[1] == page.request_head


def test_a_proxy_that_refuses(monkeypatch: pytest.MonkeyPatch) -> None:
    page, _ = through_proxy(
        monkeypatch, always(answer(b"", status="403 Forbidden")), "https://far.example/"
    )
    assert (page.outcome, page.detail) == (
        Outcome.NO_CONNECTION,
        "the proxy answered 403 Forbidden",
    )


def test_a_proxy_that_is_none(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("http_proxy", "ftp://nowhere")
    with pytest.raises(InputError, match="http_proxy is not the address of a proxy"):
        HttpFetcher(QUICK, HERE)


# --- bandwidth ---


@given(st.lists(st.tuples(st.integers(1, 5000), st.floats(0, 3)), min_size=1, max_size=30))
def test_bandwidth_is_never_exceeded(takes: list[tuple[int, float]]) -> None:
    """A client that waits receives at most the rate; waiting longer saves nothing up."""
    bandwidth, now, total = BandwidthLimit(1000), 50.0, 0
    for count, idle in takes:
        total += count
        now += bandwidth.delay(count, now)
        assert total <= (now - 50.0) * 1000 + 1e-6
        assert bandwidth.debt(now) == pytest.approx(0, abs=1e-9)
        now += idle


def test_readers_share_one_bandwidth() -> None:
    bandwidth = BandwidthLimit(1000)
    assert [bandwidth.delay(500, 0.0) for _ in range(4)] == [0.5, 1.0, 1.5, 2.0]
    assert bandwidth.debt(0.5) == 1.5


def test_waiting_for_bandwidth_is_not_held_against_the_server() -> None:
    """60 KB at 30 KB/s in parts outlast the 1.5 s that a server has."""

    async def talk(wire: Wire) -> None:
        await wire.hear()
        await wire.say(b"HTTP/1.1 200 OK\r\nContent-Length: 60000\r\n\r\n")
        for _ in range(6):
            await wire.say(bytes(10_000))
            await asyncio.sleep(0.01)

    capped = LimitsSection(private_networks=True, bandwidth=30_000)
    page = fetch(talk, limits=capped, politeness=PolitenessSection(total_timeout=1.5))
    assert (page.outcome, len(page.body)) == (Outcome.FETCHED, 60_000)
    assert page.seconds > 1.5
