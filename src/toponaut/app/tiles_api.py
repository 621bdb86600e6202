"""The tiles of a map, by zoom, x and y."""

import gzip

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from toponaut.app.responses import NotFoundError, respond
from toponaut.app.tile_files import TileFile

MVT = "application/vnd.mapbox-vector-tile"
_HIGHEST_ZOOM = 24
_CACHED = {"Cache-Control": "private, max-age=3600"}


def tile_route(file: TileFile, name: str) -> Route:
    """The tiles of a file under /tiles/NAME/zoom/x/y. One that is not there is empty: open sea."""

    def answer(request: Request) -> Response:
        zoom, x, y = (int(request.path_params[key]) for key in ("zoom", "x", "y"))
        if zoom > _HIGHEST_ZOOM or max(x, y) >= 2**zoom:
            raise NotFoundError("there is no such tile", "See /api/about for its zooms")
        return _respond(request, file.tile(zoom, x, y), file.compressed)

    return Route(f"/tiles/{name}/{{zoom:int}}/{{x:int}}/{{y:int}}", answer, methods=["GET"])


def _respond(request: Request, body: bytes, compressed: bool) -> Response:
    if not compressed or not body:
        return respond(request, body, MVT, _CACHED)
    if "gzip" in request.headers.get("accept-encoding", "").lower():
        return respond(request, body, MVT, {**_CACHED, "Content-Encoding": "gzip"})
    return respond(request, gzip.decompress(body), MVT, _CACHED)
