"""Who may ask, and what a browser may do with the answers.

One layer around the whole app, so that no answer, also none of an error, leaves without these headers. What it keeps out:

- pages of other origins: nothing of theirs is loaded, nothing of ours is embedded (Content-Security-Policy and its kin). Everything
  crawled is text to us, and were it ever taken for markup, it could run no script and reach no server.
- requests that pages of other origins make in a browser here, to see how long they take or to keep us busy: browsers say whose request it
  is (Sec-Fetch-Site). A link that leads here may be followed.
- DNS rebinding: a page of evil.example whose name is made to mean 127.0.0.1 asks with `Host: evil.example`, and is refused.
- neighbours on the network: where we listen beyond this machine, a token is asked for.
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

from toponaut.app.sending import refuse
from toponaut.app.site import Tiles
from toponaut.errors import InputError

OPEN = ("/health",)  # asked without a token, by those who look after the process
_LOCAL = frozenset({"localhost", "127.0.0.1", "::1"})
_OTHERS = frozenset(
    {"cross-site", "same-site"}
)  # of Sec-Fetch-Site: another port of this host is the same site
_TILES = re.compile(r"(https?)://((?:\{s\}\.)?)([a-zA-Z0-9.-]+(?::\d{1,5})?)(/[^\s;,'\"<>]*)")


def is_loopback(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def policy(tiles: Tiles | None) -> str:
    """The Content-Security-Policy of all but the archived copies."""
    pictures = f" {tile_source(tiles.url)}" if tiles else ""
    return (
        f"default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:{pictures}; connect-src 'self'; "
        "frame-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
    )


def tile_source(url: str) -> str:
    """Where the pictures of a map come from, as the policy names it. InputError where the URL is none of such pictures."""
    found = _TILES.fullmatch(url)
    if not found or not all(part in found[4] for part in ("{z}", "{x}", "{y}")):
        cause = f'--tiles is "{url}"'
        raise InputError(
            cause, "Give it with its variables: https://tile.example.org/{z}/{x}/{y}.png"
        )
    return f"{found[1]}://{'*.' if found[2] else ''}{found[3]}"


class Guard:
    """Around the app. `host` is what we listen on, `names` are others that a proxy knows us by; a token is wanted where there is one."""

    def __init__(
        self,
        app: ASGIApp,
        host: str,
        token: str = "",
        tiles: Tiles | None = None,
        names: Iterable[str] = (),
    ) -> None:
        self._app = app
        self._hosts = (
            _LOCAL | {host, *(name.lower() for name in names)} if is_loopback(host) else None
        )
        self._token = token.encode()
        # Browsers send a cookie to all ports of a host: two servers with two tokens must not take each other's away.
        self._cookie = f"toponaut_{hashlib.sha256(self._token).hexdigest()[:12]}"
        self._headers = {
            "Content-Security-Policy": policy(tiles),
            "X-Content-Type-Options": "nosniff",
            "Referrer-Policy": "no-referrer",
            "Cross-Origin-Opener-Policy": "same-origin",
            "Cross-Origin-Resource-Policy": "same-origin",
            "Permissions-Policy": "geolocation=(self), camera=(), microphone=(), payment=(), usb=()",
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

        answer = self._refusal(scope)
        await (answer or self._app)(scope, receive, guarded)

    def _refusal(self, scope: Scope) -> Response | None:
        """What is said instead of an answer; None if there is nothing against one."""
        headers = Headers(scope=scope)
        host = hostname(headers.get("host", ""))
        if self._hosts is not None and host not in self._hosts:
            return refuse(
                421,
                "this server does not go by that name",
                "Open it by the address that `toponaut serve` printed",
            )
        if headers.get("sec-fetch-site") in _OTHERS and headers.get("sec-fetch-mode") != "navigate":
            return refuse(
                403,
                "pages of other sites may not ask here",
                "Ask from a page of this server, or from a program",
            )
        if not self._token or scope["path"] in OPEN:
            return None
        request = Request(scope)
        given = request.query_params.get("token")
        if given is not None and self._is_token(given):
            return self._welcome(request)
        scheme, _, bearer = request.headers.get("authorization", "").partition(" ")
        known = self._is_token(request.cookies.get(self._cookie, ""))
        if known or (scheme.lower() == "bearer" and self._is_token(bearer.strip())):
            return None
        cure = "Open the address that `toponaut serve` printed, or send the token: Authorization: Bearer TOKEN"
        return refuse(401, "this server wants its token", cure, {"WWW-Authenticate": "Bearer"})

    def _is_token(self, given: str) -> bool:
        return hmac.compare_digest(given.encode(errors="replace"), self._token)

    def _welcome(self, request: Request) -> Response:
        """The token leaves the address line, where others could read it, and becomes a cookie that no script can."""
        rest = [
            pair
            for pair in parse_qsl(request.url.query, keep_blank_values=True)
            if pair[0] != "token"
        ]
        # One slash: "//evil.example" would be another host.
        target = "/" + request.url.path.lstrip("/\\") + (f"?{urlencode(rest)}" if rest else "")
        answer = RedirectResponse(target, 303, {"Cache-Control": "no-store"})
        answer.set_cookie(
            self._cookie,
            self._token.decode(),
            httponly=True,
            samesite="strict",
            secure=request.url.scheme == "https",
        )
        return answer


def hostname(host: str) -> str:
    """The name in a Host header, without its port; "" if it is none."""
    try:
        return (
            (urlsplit(f"//{host}").hostname or "")
            if re.fullmatch(r"[\w.:\[\]-]+", host, re.ASCII)
            else ""
        )
    except ValueError:
        return ""
