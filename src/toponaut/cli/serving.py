"""The command that serves a crawl: its search page, its API, its dashboard."""

import contextlib
import secrets
import signal
import sys
import webbrowser
from pathlib import Path
from socket import socket
from typing import TYPE_CHECKING, Annotated

import typer

from toponaut.cli.searching import make_searchable
from toponaut.cli.terminal import Crawled, Json, print_json
from toponaut.errors import InputError

if TYPE_CHECKING:
    from toponaut.app.server import Options
    from toponaut.app.site import Tiles

_SHORTEST_TOKEN = 12  # letters and digits, 71 bits; nobody is kept from trying again


def serve(
    directory: Crawled,
    host: Annotated[
        str,
        typer.Option(
            help="The address to listen on. Beyond this machine (0.0.0.0) a token is wanted."
        ),
    ] = "127.0.0.1",
    port: Annotated[
        int, typer.Option(min=0, max=65535, help="The port; 0: any that is free.")
    ] = 8080,
    token: Annotated[
        str,
        typer.Option(
            help="Wanted of whoever asks; made up where one is needed and none is given.",
            envvar="TOPONAUT_TOKEN",
        ),
    ] = "",
    allow_host: Annotated[
        list[str] | None,
        typer.Option(
            help="A name that a proxy knows it by: search.example.org. May be given again."
        ),
    ] = None,
    tiles: Annotated[
        str,
        typer.Option(
            help="Pictures for the map, from elsewhere: https://tile.example.org/{z}/{x}/{y}.png"
        ),
    ] = "",
    attribution: Annotated[
        str, typer.Option(help="Whose pictures these are, as the map has to say it.")
    ] = "",
    open: Annotated[
        bool, typer.Option("--open/--no-open", help="Open the page in a browser.")
    ] = False,
    json: Json = False,
) -> None:
    """Serve a crawl: a search page with a map, a live view of the crawl, and a JSON API.

    The index is made or brought up first, and kept fresh while the crawl runs. Ctrl-C ends it.

        toponaut serve oldenburg/
        toponaut serve oldenburg/ --port 0 --open
        toponaut serve oldenburg/ --host 0.0.0.0 --token "$(cat token.txt)"
    """
    from toponaut.app.security import is_loopback
    from toponaut.app.server import Options, bind

    wanted = Options(
        host,
        port,
        _token(token, is_loopback(host)),
        _tiles(tiles, attribution),
        tuple(allow_host or ()),
    )
    with bind(
        host, port
    ) as listening:  # a port that is taken is told at once, and not after the index
        make_searchable(directory, json)
        _run(directory, wanted, listening, open, json)


def _run(directory: Path, wanted: "Options", listening: socket, open: bool, json: bool) -> None:
    from toponaut.app.keeping import Keeper
    from toponaut.app.server import address_of, make_app, make_server
    from toponaut.app.site import Site
    from toponaut.places.gazetteer.cache import open_names

    site = Site(directory, open_names(), wanted.tiles)
    server = make_server(make_app(site, wanted))
    url = address_of(listening) + (f"?token={wanted.token}" if wanted.token else "")
    with site.asking() as index:
        pages = index.pages
    if json:
        print_json({"url": url, "token": wanted.token, "pages": pages})
    else:
        print(f"{directory}, {pages:,} pages: {url}")
    sys.stdout.flush()
    if open:
        webbrowser.open(url)
    # The server ends in peace by itself, and then gives the signal on to whoever would have had it without a server.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
    with Keeper(site), contextlib.suppress(KeyboardInterrupt):
        server.run(sockets=[listening])


def _token(token: str, loopback: bool) -> str:
    if any(not (sign.isascii() and sign.isalnum()) and sign not in "-._~" for sign in token):
        raise InputError(
            "--token has signs that a URL cannot hold", "Take letters, digits and - . _ ~ only"
        )
    if 0 < len(token) < _SHORTEST_TOKEN:
        cure = f"Take {_SHORTEST_TOKEN} or more, or leave it out: one is made up where it is needed"
        raise InputError(f"--token has {len(token)} signs, which can be guessed", cure)
    return token or ("" if loopback else secrets.token_urlsafe(18))


def _tiles(url: str, attribution: str) -> "Tiles | None":
    from toponaut.app.security import tile_source
    from toponaut.app.site import Tiles

    if not url:
        return None
    tile_source(url)
    if not attribution.strip():
        raise InputError(
            "--tiles has no --attribution",
            'Say whose pictures these are: --attribution "Map: EXAMPLE"',
        )
    return Tiles(url, attribution.strip())


COMMANDS = (serve,)
