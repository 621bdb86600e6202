"""Who may send requests, and what a browser may do with the responses.

RequestGuard wraps the whole app, so that every response, even an error, has these headers:

- Pages of other origins: they load nothing here, and cannot embed these pages (the
  Content-Security-Policy). If crawled text were taken for markup, it could still run no script.
- Requests that such pages make from a browser, to measure times or to keep us busy: refused by
  Sec-Fetch-Site. Links to this server may be followed.
- DNS rebinding: a page of evil.example whose name resolves to 127.0.0.1 sends `Host: evil.example`,
  and is refused.
- Others on the network: if the server listens beyond this machine, a token is required.
"""

import hashlib
import hmac
import ipaddress
import re
from collections.abc import Iterable
from urllib.parse import parse_qsl, urlencode, urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from toponaut.app.responses import error_response
from toponaut.app.served_crawl import MapTiles
from toponaut.errors import InputError

# Need no token: for monitoring, and to show the page that asks for the token.
OPEN = ("/health", "/static/base.css", "/static/favicon.svg")
_LOCAL = frozenset({"localhost", "127.0.0.1", "::1"})
# Values of Sec-Fetch-Site. Another port of this host is the "same site".
_OTHER_SITES = frozenset({"cross-site", "same-site"})
_PERMISSIONS = "geolocation=(self), camera=(), microphone=(), payment=(), usb=()"
_TILES = re.compile(r"(https?)://((?:\{s\}\.)?)([a-zA-Z0-9.-]+(?::\d{1,5})?)(/[^\s;,'\"<>]*)")


def is_loopback(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def policy(tiles: MapTiles | None) -> str:
    """The Content-Security-Policy of all responses except archived copies."""
    pictures = f" {tile_source(tiles.url)}" if tiles else ""
    return (  # the map library makes its worker from a blob, and loads tiles there
        "default-src 'none'; script-src 'self'; worker-src blob:; style-src 'self'; "
        f"img-src 'self' data: blob:{pictures}; connect-src 'self'{pictures}; "
        "frame-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
    )


def tile_source(url: str) -> str:
    """The origin of a tile server, for the policy. InputError if it is not a tile URL."""
    found = _TILES.fullmatch(url)
    if not found or not all(part in found[4] for part in ("{z}", "{x}", "{y}")):
        fix = "Give it with its variables: https://tile.example.org/{z}/{x}/{y}.png"
        raise InputError(f'--tiles is "{url}"', fix)
    return f"{found[1]}://{'*.' if found[2] else ''}{found[3]}"


class RequestGuard:
    """Wraps the app. `host`: where it listens; `names`: host names that a proxy forwards."""

    def __init__(
        self,
        app: ASGIApp,
        host: str,
        token: str = "",
        tiles: MapTiles | None = None,
        names: Iterable[str] = (),
    ) -> None:
        self._app = app
        known = _LOCAL | {host, *(name.lower() for name in names)}
        self._hosts = known if is_loopback(host) else None
        self._token = token.encode()
        # Browsers send a cookie to all ports of a host: two servers must not share its name.
        self._cookie = f"toponaut_{hashlib.sha256(self._token).hexdigest()[:12]}"
        self._headers = {
            "Content-Security-Policy": policy(tiles),
            "X-Content-Type-Options": "nosniff",
            "Referrer-Policy": "no-referrer",
            "Cross-Origin-Opener-Policy": "same-origin",
            "Cross-Origin-Resource-Policy": "same-origin",
            "Permissions-Policy": _PERMISSIONS,
            "X-DNS-Prefetch-Control": "off",
        }

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
            return
        if scope["type"] != "http":
            return

        async def guarded(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in self._headers.items():
                    headers.setdefault(name, value)
            await send(message)

        refusal = self._refuse(scope)
        await (refusal or self._app)(scope, receive, guarded)

    def _refuse(self, scope: Scope) -> Response | None:
        """The response to a request that is not allowed; None if it is."""
        request, headers = Request(scope), Headers(scope=scope)
        host = hostname(headers.get("host", ""))
        if self._hosts is not None and host not in self._hosts:
            fix = "Open the address that `toponaut serve` printed"
            return error_response(request, 421, "this server does not have that host name", fix)
        navigating = headers.get("sec-fetch-mode") == "navigate"
        if headers.get("sec-fetch-site") in _OTHER_SITES and not navigating:
            fix = "Send requests from a page of this server, or from a program"
            return error_response(
                request, 403, "pages of other sites may not send requests here", fix
            )
        if not self._token or scope["path"] in OPEN:
            return None
        given = request.query_params.get("token")
        if given is not None and self._is_token(given):
            return self._set_cookie(request)
        scheme, _, bearer = request.headers.get("authorization", "").partition(" ")
        known = self._is_token(request.cookies.get(self._cookie, ""))
        if known or (scheme.lower() == "bearer" and self._is_token(bearer.strip())):
            return None
        fix = (
            "Open the address that `toponaut serve` printed, or send the token: "
            "Authorization: Bearer TOKEN"
        )
        challenge = {"WWW-Authenticate": "Bearer"}
        return error_response(request, 401, "this server needs an access token", fix, challenge)

    def _is_token(self, given: str) -> bool:
        return hmac.compare_digest(given.encode(errors="replace"), self._token)

    def _set_cookie(self, request: Request) -> Response:
        """Move the token from the URL, which others may see, to a cookie hidden from scripts."""
        pairs = parse_qsl(request.url.query, keep_blank_values=True)
        rest = [pair for pair in pairs if pair[0] != "token"]
        # One slash: "//evil.example" would be another host.
        target = "/" + request.url.path.lstrip("/\\") + (f"?{urlencode(rest)}" if rest else "")
        answer = RedirectResponse(target, 303, {"Cache-Control": "no-store"})
        secure = request.url.scheme == "https"
        token = self._token.decode()
        answer.set_cookie(self._cookie, token, httponly=True, samesite="strict", secure=secure)
        return answer


def hostname(host: str) -> str:
    """The name in a Host header, without the port; "" if it is invalid."""
    if not re.fullmatch(r"[\w.:\[\]-]+", host, re.ASCII):
        return ""
    try:
        return urlsplit(f"//{host}").hostname or ""
    except ValueError:
        return ""
