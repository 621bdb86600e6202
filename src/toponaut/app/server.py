"""Assembles the app, and runs it."""

import asyncio
import re
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Thread
from typing import cast

import uvicorn
from msgspec import Struct
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route
from starlette.types import ASGIApp

from toponaut.app import changes_api, dashboard, page_view, places_api, search_api
from toponaut.app.about import AboutService
from toponaut.app.connection_limits import BACKLOG, ConnectionLimits
from toponaut.app.control_api import control_route
from toponaut.app.descriptions import openapi_route, opensearch_route
from toponaut.app.responses import NotFoundError, StaticFiles, as_json, error_response
from toponaut.app.security import RequestGuard
from toponaut.app.served_crawl import MapTiles, ServedCrawl
from toponaut.app.tile_files import OUTLINES, TileFile
from toponaut.app.tiles_api import tile_route
from toponaut.errors import InputError

_OPTION = re.compile(r"--(near|place) ")
_GRACE_S = 2  # for running requests when the server stops


class ServerOptions(Struct, frozen=True):
    host: str = "127.0.0.1"
    port: int = 8080  # 0: any free port
    token: str = ""  # "": none is needed
    tiles: MapTiles | None = None
    basemap: Path | None = None  # a PMTiles file
    names: tuple[str, ...] = ()  # host names that a proxy forwards
    mmdb: str = ""  # finds the region of clients
    count_queries: bool = False


def make_app(crawl: ServedCrawl, options: ServerOptions) -> ASGIApp:
    handlers = {InputError: _input_error, HTTPException: _http_error, Exception: _internal_error}
    about = AboutService(crawl)
    app = Starlette(
        routes=make_routes(crawl, about, token=bool(options.token)),
        exception_handlers=handlers,
        lifespan=about.lifespan,
    )
    return RequestGuard(app, options.host, options.token, options.tiles, options.names)


def make_routes(crawl: ServedCrawl, about: AboutService, *, token: bool) -> list[Route]:
    changes = changes_api.ChangeLog(crawl)
    outlines = TileFile(OUTLINES)
    endpoints = (
        about.endpoint(),
        *search_api.endpoints(crawl.gazetteer),
        *places_api.endpoints(),
        page_view.ENDPOINT,
        changes_api.endpoint(changes),
    )
    files = StaticFiles()
    return [
        files.route("/", "index.html"),
        files.route("/dashboard", "dashboard.html"),
        files.route("/changes", "changes.html"),
        files.route("/favicon.ico", "favicon.svg"),
        files.all_under("/static"),
        tile_route(outlines, "outlines"),
        *([tile_route(crawl.basemap, "basemap")] if crawl.basemap else []),
        *(endpoint.route(crawl) for endpoint in endpoints),
        *dashboard.routes(crawl.root),
        control_route(crawl, allowed=token),
        page_view.copy_route(crawl),
        changes_api.feed_route(crawl, changes),
        opensearch_route(crawl),
        openapi_route(endpoints),
        Route("/health", _health, methods=["GET"]),
    ]


async def _health(request: Request) -> Response:
    return as_json(request, {"status": "ok"})


async def _input_error(request: Request, error: Exception) -> Response:
    assert isinstance(error, InputError)
    fix = _OPTION.sub(r"\1=", error.fix)  # the index names command-line options: "--near ..."
    status = 404 if isinstance(error, NotFoundError) else 400
    return error_response(request, status, error.cause, fix)


async def _http_error(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    if error.status_code == 405:
        cause = f"{request.method} is not allowed here"
        return error_response(request, 405, cause, "Use GET", {"Allow": "GET, HEAD"})
    if error.status_code == 404:
        fix = "Check the address, or search for it. Programs find all paths in /openapi.json"
        return error_response(request, 404, "there is no such page", fix)
    return error_response(request, error.status_code, error.detail.lower(), "See /openapi.json")


async def _internal_error(request: Request, _: Exception) -> Response:
    fix = "Check the server's log, and please report it"
    return error_response(request, 500, "internal server error", fix)


# --- running ---------------------------------------------------------------------------------


def bind(host: str, port: int) -> socket.socket:
    """A listening socket. Clients can connect now, and are served when the server runs."""
    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
        family, kind, protocol, _, address = found
        listening = socket.socket(family, kind, protocol)
    except OSError as error:
        cause = f"this machine has no address {host} ({error.strerror})"
        raise InputError(cause, "Use --host 127.0.0.1") from error
    try:
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listening.bind(address)
        listening.listen(BACKLOG)
    except (OSError, OverflowError) as error:
        listening.close()
        reason = getattr(error, "strerror", None) or error
        cause = f"cannot listen on {host}, port {port} ({reason})"
        raise InputError(cause, "Use another port, or any free one: --port 0") from error
    return listening


def address_of(listening: socket.socket) -> str:
    """The URL of a server, by its socket."""
    host, port = listening.getsockname()[:2]
    host = {"0.0.0.0": socket.gethostname(), "::": socket.gethostname()}.get(host, host)
    return f"http://[{host}]:{port}/" if ":" in host else f"http://{host}:{port}/"


def make_server(app: ASGIApp) -> uvicorn.Server:
    config = uvicorn.Config(
        app,
        http=cast("type[asyncio.Protocol]", ConnectionLimits()),
        backlog=BACKLOG,
        log_level="warning",
        access_log=False,
        server_header=False,
        ws="none",
        timeout_graceful_shutdown=_GRACE_S,
    )
    return uvicorn.Server(config)


@contextmanager
def serving(crawl: ServedCrawl, options: ServerOptions) -> Iterator[str]:
    """Serve in a thread while the context lasts; yields the URL."""
    with bind(options.host, options.port) as listening:
        server = make_server(make_app(crawl, options))
        thread = Thread(target=server.run, kwargs={"sockets": [listening]})
        thread.start()
        try:
            yield address_of(listening)
        finally:
            server.should_exit = True
            thread.join()
