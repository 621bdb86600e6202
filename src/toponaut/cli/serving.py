"""The command that serves a crawl: a search page, a JSON API and a dashboard."""

import contextlib
import secrets
import signal
import sys
from pathlib import Path
from socket import socket
from typing import TYPE_CHECKING, Annotated

from typer import Argument

from toponaut.cli.options import (
    AllowHost,
    Attribution,
    BaseMapFile,
    CountQueries,
    CrawlDirectory,
    Host,
    Json,
    Mmdb,
    OpenBrowser,
    Port,
    Quiet,
    Tiles,
    Token,
)
from toponaut.cli.searching import make_searchable
from toponaut.cli.terminal import print_json
from toponaut.errors import InputError

if TYPE_CHECKING:
    from toponaut.app.served_crawl import MapTiles
    from toponaut.app.server import ServerOptions

_SHORTEST_TOKEN = 12  # letters and digits: 71 bits, as guesses are not limited


def serve(
    directory: CrawlDirectory,
    host: Host = "127.0.0.1",
    port: Port = 8080,
    token: Token = "",
    allow_host: AllowHost = None,
    basemap: BaseMapFile = None,
    tiles: Tiles = "",
    attribution: Attribution = "",
    mmdb: Mmdb = "",
    count_queries: CountQueries = False,
    open: OpenBrowser = False,
    quiet: Quiet = False,
    json: Json = False,
) -> None:
    """Serve a crawl: a search page with a map, a dashboard, and a JSON API.

    Builds or updates the index first, and keeps it fresh while the crawl runs. Ctrl-C stops it.

        toponaut serve oldenburg/
        toponaut serve oldenburg/ --port 0 --open
        toponaut serve oldenburg/ --basemap oldenburg.pmtiles
        toponaut serve oldenburg/ --host 0.0.0.0 --token "$(cat token.txt)"
    """
    from toponaut.app.security import is_loopback
    from toponaut.app.server import ServerOptions, bind

    wanted = ServerOptions(
        host,
        port,
        _token(token, is_loopback(host)),
        _tiles(tiles, attribution),
        _basemap(basemap, tiles),
        tuple(allow_host or ()),
        mmdb,
        count_queries,
    )
    with bind(host, port) as listening:  # a taken port is reported before the index is built
        make_searchable(directory, quiet or json)
        _run(directory, wanted, listening, open, json)


def _run(
    directory: Path, wanted: "ServerOptions", listening: socket, open: bool, json: bool
) -> None:
    from toponaut.app.served_crawl import IndexUpdater, ServedCrawl
    from toponaut.app.server import address_of, make_app, make_server
    from toponaut.places.gazetteer.cache import open_names

    crawl = ServedCrawl(
        directory,
        open_names(),
        wanted.tiles,
        basemap=wanted.basemap,
        mmdb=wanted.mmdb,
        count_queries=wanted.count_queries,
    )
    server = make_server(make_app(crawl, wanted))
    url = address_of(listening) + (f"?token={wanted.token}" if wanted.token else "")
    with crawl.locked_search() as index:
        pages = index.pages
    if json:
        print_json({"url": url, "token": wanted.token, "pages": pages})
    else:
        print(f"{directory}, {pages:,} pages: {url}")
    sys.stdout.flush()
    if open:
        import webbrowser

        webbrowser.open(url)
    # The server stops cleanly on a signal, and then raises it again for the default handler.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
    with IndexUpdater(crawl), contextlib.suppress(KeyboardInterrupt):
        server.run(sockets=[listening])
    if crawl.query_counts:
        crawl.query_counts.write()


def _token(token: str, loopback: bool) -> str:
    if any(not (sign.isascii() and sign.isalnum()) and sign not in "-._~" for sign in token):
        raise InputError(
            "--token has characters that a URL cannot hold", "Use letters, digits and - . _ ~ only"
        )
    if 0 < len(token) < _SHORTEST_TOKEN:
        fix = f"Use {_SHORTEST_TOKEN} or more, or leave it out: one is generated where needed"
        raise InputError(f"--token has {len(token)} characters, which can be guessed", fix)
    return token or ("" if loopback else secrets.token_urlsafe(18))


def _tiles(url: str, attribution: str) -> "MapTiles | None":
    from toponaut.app.security import tile_source
    from toponaut.app.served_crawl import MapTiles

    if not url:
        return None
    tile_source(url)
    if not attribution.strip():
        raise InputError(
            "--tiles has no --attribution",
            'Name the owner of the tiles: --attribution "Map: EXAMPLE"',
        )
    return MapTiles(url, attribution.strip())


def _basemap(path: Path | None, tiles: str) -> Path | None:
    """Checked before the index is built."""
    if path is None:
        return None
    if tiles:
        raise InputError("--basemap and --tiles are both given", "Use one of them")
    from toponaut.app.tile_files import TileFile

    TileFile(path).base_map()
    return path


_WHERE = """A base map is one PMTiles file with vector tiles (layers of Protomaps or OpenMapTiles).

Get an extract of your area (west, south, east, north) with the pmtiles program of Protomaps:
  pmtiles extract https://build.protomaps.com/DATE.pmtiles city.pmtiles --bbox=8.1,53.1,8.3,53.2
DATE is a day of the list on https://maps.protomaps.com/builds, and a city takes some megabytes.
Or make one from an extract of OpenStreetMap (.osm.pbf) with Planetiler or tilemaker.

Then:
  toponaut basemap city.pmtiles           check it
  toponaut serve DIR --basemap city.pmtiles
"""


def basemap(
    file: Annotated[Path | None, Argument(help="A PMTiles file to check.")] = None,
    json: Json = False,
) -> None:
    """Check a base map for `serve --basemap`; without a file, say where to get one.

    toponaut basemap
    toponaut basemap oldenburg.pmtiles
    """
    from msgspec import to_builtins

    from toponaut.app.tile_files import TileFile

    if file is None:
        if json:
            raise InputError("--json needs a file", "Name a PMTiles file: toponaut basemap FILE")
        print(_WHERE, end="")
        return
    found = TileFile(file).base_map()
    if json:
        print_json(to_builtins(found))
        return
    west, south, east, north = found.bounds
    print(f"{file}: a base map with the layers of {found.layers}, zoom {found.min_zoom} to "
          f"{found.max_zoom}, from {south:.3f}, {west:.3f} to {north:.3f}, {east:.3f}")  # fmt: skip
    print(f"Attribution: {found.attribution}")


COMMANDS = (serve, basemap)
