"""The app put together, and run."""

import re
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Thread

import uvicorn
from msgspec import Struct
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route
from starlette.types import ASGIApp

from toponaut.app import about, api, archived, dashboard, openapi, opensearch, page_view, towns
from toponaut.app.files import Files
from toponaut.app.security import Guard
from toponaut.app.sending import NotFoundError, as_json, refuse
from toponaut.app.site import Site, Tiles
from toponaut.errors import InputError

_OPTION = re.compile(r"--(near|place) ")
_GRACE_S = 2  # for answers under way when the server is stopped


class Options(Struct, frozen=True):
    """How a crawl is served."""

    host: str = "127.0.0.1"
    port: int = 8080  # 0: any that is free
    token: str = ""  # wanted of whoever asks; "": none
    tiles: Tiles | None = None
    names: tuple[str, ...] = ()  # by which a proxy knows us


def make_app(site: Site, options: Options) -> ASGIApp:
    handlers = {InputError: _refuse_input, HTTPException: _refuse_request, Exception: _own_fault}
    abouts = about.Abouts(site)
    app = Starlette(
        routes=routes_of(site, abouts), exception_handlers=handlers, lifespan=abouts.kept
    )
    return Guard(app, options.host, options.token, options.tiles, options.names)


def routes_of(site: Site, abouts: about.Abouts) -> list[Route]:
    endpoints = (
        about.endpoint(abouts),
        *api.ENDPOINTS,
        *page_view.ENDPOINTS,
        towns.endpoint(site.gazetteer),
    )
    files = Files()
    return [
        files.route("/", "index.html"),
        files.route("/dashboard", "dashboard.html"),
        files.route("/favicon.ico", "favicon.svg"),
        files.all_under("/static"),
        *(endpoint.route(site) for endpoint in endpoints),
        *dashboard.routes(site.root),
        archived.route(site),
        opensearch.route(site),
        openapi.route(endpoints),
        Route("/health", _health, methods=["GET"]),
    ]


async def _health(request: Request) -> Response:
    return as_json(request, {"status": "ok"})


async def _refuse_input(_: Request, error: Exception) -> Response:
    assert isinstance(error, InputError)
    cure = _OPTION.sub(
        r"\1=", error.cure
    )  # the index speaks of the command's options: "--near 53.14,8.21"
    return refuse(404 if isinstance(error, NotFoundError) else 400, error.cause, cure)


async def _refuse_request(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    if error.status_code == 405:
        return refuse(
            405,
            f"nothing can be done here by {request.method}",
            "Ask by GET",
            {"Allow": "GET, HEAD"},
        )
    return refuse(error.status_code, error.detail.lower(), "See /openapi.json for what there is")


async def _own_fault(_: Request, __: Exception) -> Response:
    """A mistake of ours; the server's own log tells where."""
    return refuse(
        500, "something went wrong in the server", "See what it has printed, and please report it"
    )


# --- running ---------------------------------------------------------------------------------------------------------


def bind(host: str, port: int) -> socket.socket:
    """A socket that listens: whoever connects from now on is served, as soon as the server runs."""
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(
            host, port, type=socket.SOCK_STREAM
        )[0]
        listening = socket.socket(family, kind, protocol)
    except OSError as error:
        raise InputError(
            f"there is no address {host} here ({error.strerror})", "Give --host 127.0.0.1"
        ) from error
    try:
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listening.bind(address)
        listening.listen(128)
    except (OSError, OverflowError) as error:
        listening.close()
        cause = (
            f"cannot listen on {host}, port {port} ({getattr(error, 'strerror', None) or error})"
        )
        raise InputError(cause, "Give another port, or 0 for any that is free: --port 0") from error
    return listening


def address_of(listening: socket.socket) -> str:
    """The URL of a server, by its socket."""
    host, port = listening.getsockname()[:2]
    host = {"0.0.0.0": socket.gethostname(), "::": socket.gethostname()}.get(host, host)
    return f"http://[{host}]:{port}/" if ":" in host else f"http://{host}:{port}/"


def make_server(app: ASGIApp) -> uvicorn.Server:
    config = uvicorn.Config(
        app,
        log_level="warning",
        access_log=False,
        server_header=False,
        ws="none",
        timeout_graceful_shutdown=_GRACE_S,
    )
    return uvicorn.Server(config)


@contextmanager
def serving(site: Site, options: Options) -> Iterator[str]:
    """Serves in a thread of its own, for as long as the context lasts; gives the URL."""
    with bind(options.host, options.port) as listening:
        server = make_server(make_app(site, options))
        thread = Thread(target=server.run, kwargs={"sockets": [listening]})
        thread.start()
        try:
            yield address_of(listening)
        finally:
            server.should_exit = True
            thread.join()
