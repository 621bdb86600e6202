"""Attacks on the app over HTTP: other origins, hosts, paths and tokens."""

import contextlib
import hmac
import socket
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlsplit

import pytest
from tests.support.serving import get, serve
from tests.support.towns import visit, written

from toponaut.app.security import RequestGuard, hostname, is_loopback, policy, tile_source
from toponaut.app.served_crawl import MapTiles
from toponaut.cli import serving
from toponaut.errors import InputError

TOKEN = "a-long-token_1~2.3"


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return written(tmp_path_factory.mktemp("crawl"), [visit(0, "http://a.test/", "Pizza")])


@pytest.fixture(scope="module")
def base(root: Path) -> Iterator[str]:
    with serve(root) as url:
        yield url


# --- headers --------------------------------------------------------------------------------------

PATHS = (
    "/", "/dashboard", "/static/maplibre/maplibre-gl.js", "/api/search?q=pizza", "/api/about",
    "/api/search?limit=x", "/nothing", "/openapi.json",
    "/opensearch.xml", "/health", "/metrics", "/api/crawl", "/static/../x",
)  # fmt: skip


@pytest.mark.parametrize("path", PATHS)
@pytest.mark.parametrize("method", ["GET", "HEAD", "POST"])
def test_every_response_has_security_headers(base: str, path: str, method: str) -> None:
    headers = get(base, path, method).headers
    assert headers["content-security-policy"] == (
        "default-src 'none'; script-src 'self'; worker-src blob:; style-src 'self'; "
        "img-src 'self' data: blob:; connect-src"
        " 'self'; frame-src 'self'; "
        "form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
    )
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["referrer-policy"] == "no-referrer"
    assert (
        headers["cross-origin-opener-policy"]
        == headers["cross-origin-resource-policy"]
        == "same-origin"
    )
    assert "server" not in headers
    assert "access-control-allow-origin" not in headers


def test_an_internal_error_has_them_too(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object) -> None:
        raise RuntimeError("an internal secret")

    with serve(root) as base:
        monkeypatch.setattr("toponaut.app.served_crawl.ServedCrawl.locked_search", broken)
        answer = get(base, "/api/search?q=pizza")
    assert answer.status == 500
    assert "default-src 'none'" in answer.headers["content-security-policy"]
    assert answer.headers["x-content-type-options"] == "nosniff"
    assert b"secret" not in answer.body


def test_the_pages_need_no_exception(base: str) -> None:
    """The HTML has no inline script, style or handler, which the policy would block."""
    for path in ("/", "/dashboard"):
        page = get(base, path).body.decode().lower()
        assert "<style" not in page
        assert " style=" not in page
        assert " onload=" not in page
        assert all("src=" in tag for tag in page.split("<script")[1:])
        assert "http://" not in page.replace("http://www.w3.org", "")


def test_only_tiles_come_from_another_server() -> None:
    assert "img-src 'self' data: blob: https://*.tile.example:8443;" in policy(
        MapTiles("https://{s}.tile.example:8443/{z}/{x}/{y}.png", "Example")
    )
    assert tile_source("http://10.0.0.1/{z}/{x}/{y}?key=1") == "http://10.0.0.1"
    for bad in (
        "https://tile.example/{z}/{x}.png", "ftp://tile.example/{z}/{x}/{y}",
        "https://tile.example; script-src */{z}/{x}/{y}",
        "https://tile.example/{z}/{x}/{y};script-src *", "https://*/{z}/{x}/{y}",
        "javascript:{z}{x}{y}", "",
    ):  # fmt: skip
        with pytest.raises(InputError, match="--tiles"):
            tile_source(bad)


# --- requests -------------------------------------------------------------------------------------

OUTSIDE = (
    "/static/../server.py", "/static/..%2fserver.py", "/static/%2e%2e/server.py",
    "/static/..\\server.py", "/static//etc/passwd",
    "/static/maplibre/../../../../etc/passwd", "/static/....//server.py", "/static/%00", "/static/",
    "/static/.", "/static/maplibre",
    "//etc/passwd", "/../../etc/passwd", "/static/index.html%00.js",
)  # fmt: skip


@pytest.mark.parametrize("path", OUTSIDE)
def test_no_path_leads_out_of_the_static_files(base: str, path: str) -> None:
    answer = get(base, path)
    assert answer.status == 404
    assert set(answer.json) == {"error", "fix"}


@pytest.mark.parametrize(
    ("host", "status"),
    [
        ("127.0.0.1", 200), ("127.0.0.1:9", 200), ("localhost:8080", 200), ("LOCALHOST", 200),
            ("[::1]:80", 200), ("search.example.org", 200),
        ("evil.example", 421), ("localhost.evil.example", 421), ("127.0.0.1.evil.example", 421),
            ("", 421), ("user@127.0.0.1", 421),
        ("127.0.0.1, evil.example", 421), ("evil.example:127.0.0.1", 421), ("[", 421),
            ("127.0.0.2", 421), ("0.0.0.0", 421),
    ],
)  # fmt: skip
def test_the_host_name_must_be_known(named: str, host: str, status: int) -> None:
    """DNS rebinding: another host name with this machine's address."""
    for path in ("/health", "/api/search?q=pizza", "/"):
        answer = get(named, path, Host=host)
        assert answer.status == status
        assert (b"Pizza" in answer.body) is (status == 200 and "search" in path)


@pytest.mark.parametrize("site", ["cross-site", "same-site"])
def test_other_sites_may_link_but_not_send_requests(base: str, site: str) -> None:
    for mode in ("no-cors", "cors", "websocket"):
        answer = get(base, "/api/search?q=pizza", Sec_Fetch_Site=site, Sec_Fetch_Mode=mode)
        assert answer.status == 403
        assert b"Pizza" not in answer.body
    assert get(base, "/?q=pizza", Sec_Fetch_Site=site, Sec_Fetch_Mode="navigate").status == 200
    assert (
        get(base, "/api/search?q=pizza", Sec_Fetch_Site="same-origin", Sec_Fetch_Mode="cors").status
        == 200
    )


@pytest.mark.parametrize("version", ["1.0", "1.1"])
def test_a_request_without_a_host_is_refused(base: str, version: str) -> None:
    at = urlsplit(base)
    with socket.create_connection((at.hostname, at.port), timeout=60) as connection:
        connection.sendall(
            f"GET /api/search?q=pizza HTTP/{version}\r\nConnection: close\r\n\r\n".encode()
        )
        said = b"".join(iter(lambda: connection.recv(65536), b""))
    assert said.split()[1] in (b"400", b"421")
    assert b"Pizza" not in said


@pytest.mark.parametrize("long", ["path", "header"])
def test_too_long_requests_are_refused(base: str, long: str) -> None:
    huge = "x" * 300_000
    path, headers = (f"/api/search?q={huge}", {}) if long == "path" else ("/", {"X-Long": huge})
    with contextlib.suppress(ConnectionError):  # it may hang up early
        assert get(base, path, **headers).status in (400, 414, 431)
    assert get(base, "/health").status == 200


@pytest.fixture(scope="module")
def named(root: Path) -> Iterator[str]:
    with serve(root, names=("Search.example.org",)) as url:
        yield url


def test_names_of_hosts() -> None:
    assert [hostname(one) for one in ("A.example:80", "[::1]:80", "[::1]", "a b", "a/b", "[x",
    "")] == [
        "a.example", "::1", "::1", "", "", "", "",
    ]  # fmt: skip
    assert [is_loopback(one) for one in ("127.0.0.1", "127.9.9.9", "::1", "localhost", "0.0.0.0",
    "10.0.0.1", "x")] == [
        True, True, True, True, False, False, False,
    ]  # fmt: skip


# --- tokens ---------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def locked(root: Path) -> Iterator[str]:
    """On all addresses of this machine, with a token."""
    with serve(root, host="0.0.0.0", token=TOKEN) as url:
        yield f"http://127.0.0.1:{url.rpartition(':')[2]}"


@pytest.mark.parametrize(
    "path",
    [
        "/",
        "/api/search?q=pizza",
        "/static/maplibre/maplibre-gl.js",
        "/metrics",
        "/archived?url=http://a.test/",
    ],
)
def test_nothing_is_served_without_the_token(locked: str, path: str) -> None:
    mark = "&" if "?" in path else "?"
    for answer in (
        get(locked, path),
        get(locked, f"{path}{mark}token="),
        get(locked, f"{path}{mark}token={TOKEN}x"),
        get(locked, f"{path}{mark}token={quote('tökén')}"),
        get(locked, path, Authorization="Bearer"),
        get(locked, path, Authorization=f"Bearer {TOKEN[:-1]}"),
        get(locked, path, Authorization=f"Basic {TOKEN}"),
        get(locked, path, Cookie=f"token={TOKEN}"),
    ):
        assert answer.status == 401
        assert answer.json["error"] == "this server needs an access token"
        assert answer.headers["www-authenticate"] == "Bearer"
        assert "content-security-policy" in answer.headers


def test_health_needs_no_token(locked: str) -> None:
    assert get(locked, "/health").status == 200


def test_the_token_becomes_a_cookie(locked: str) -> None:
    welcome = get(locked, f"/api/search?q=pizza&token={TOKEN}&limit=1")
    assert (welcome.status, welcome.headers["location"]) == (303, "/api/search?q=pizza&limit=1")
    assert (welcome.headers["cache-control"], welcome.headers["referrer-policy"]) == (
        "no-store",
        "no-referrer",
    )
    cookie, *rules = [part.strip() for part in welcome.headers["set-cookie"].split(";")]
    assert {rule.lower() for rule in rules} == {"httponly", "path=/", "samesite=strict"}
    assert get(locked, "/api/search?q=pizza", Cookie=cookie).status == 200
    assert get(locked, "/api/search?q=pizza", Cookie=cookie[:-1]).status == 401
    assert get(locked, "/api/search?q=pizza", Authorization=f"bearer {TOKEN}").status == 200


def test_the_redirect_stays_on_this_server(locked: str) -> None:
    for path in ("//evil.example/x", "/\\evil.example", "///evil.example"):
        welcome = get(locked, f"{path}?token={TOKEN}")
        assert welcome.status == 303
        assert urlsplit(welcome.headers["location"].replace("\\", "/")).netloc == ""


def test_tokens_are_compared_in_constant_time(locked: str, monkeypatch: pytest.MonkeyPatch) -> None:
    compared: list[tuple[bytes, bytes]] = []

    def compare(left: bytes, right: bytes, *, own: Any = hmac.compare_digest) -> bool:
        compared.append((left, right))
        return bool(own(left, right))

    monkeypatch.setattr("toponaut.app.security.hmac.compare_digest", compare)
    for headers in ({"Authorization": "Bearer guess"}, {"Authorization": f"Bearer {TOKEN}"}):
        get(locked, "/api/about", **headers)
    get(locked, "/api/about?token=guess")
    assert {left for left, _ in compared} >= {b"guess", TOKEN.encode()}
    assert {right for _, right in compared} == {TOKEN.encode()}


def test_a_token_is_generated_if_needed() -> None:
    made = {serving._token("", loopback=False) for _ in range(3)}
    assert len(made) == 3
    assert all(len(one) >= 24 for one in made)
    assert serving._token("", loopback=True) == ""
    assert serving._token(TOKEN, loopback=True) == TOKEN
    for short in ("x", "elevensigns"):
        with pytest.raises(InputError, match="can be guessed"):
            serving._token(short, loopback=False)


def test_two_servers_have_different_cookies() -> None:
    async def nothing(*_: object) -> None: ...

    one, other = (
        RequestGuard(nothing, "127.0.0.1", "one"),
        RequestGuard(nothing, "127.0.0.1", "other"),
    )
    assert one._cookie != other._cookie
