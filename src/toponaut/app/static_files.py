"""Static files: our own, and Leaflet's from its wheel. All are read at the start, so that no
request path reaches the disk."""

import gzip
import mimetypes
from collections.abc import Iterator
from importlib.metadata import distribution
from pathlib import Path

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from toponaut.app.responses import NotFoundError, accepts_gzip, etag, is_cached

OWN = Path(__file__).parent / "static"
_TYPES = {
    ".js": "text/javascript; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".html": "text/html; charset=utf-8",
    ".json": "application/json",
}
# Our files are revalidated; Leaflet's only change with its version.
_OWN_CACHED, _LEAFLET_CACHED = "private, no-cache", "private, max-age=86400"
_LEVEL = 6  # zlib: 0.2 s for the largest file, once; level 9 takes 0.7 s and saves 2 %
_WORTH = 0.9  # send compressed if that is at most this share of the file


class StaticFile:
    def __init__(self, path: Path, cached: str) -> None:
        self._body = path.read_bytes()
        self._compressed: bytes | None = None
        media = _TYPES.get(path.suffix) or mimetypes.guess_type(path.name)[0]
        self._headers = {
            "Content-Type": media or "application/octet-stream",
            "ETag": etag(self._body),
            "Cache-Control": cached,
            "Vary": "Accept-Encoding",
        }

    def respond(self, request: Request) -> Response:
        if is_cached(request, self._headers["ETag"]):
            return Response(status_code=304, headers=self._headers)
        if accepts_gzip(request) and len(self._compress()) < _WORTH * len(self._body):
            headers = {**self._headers, "Content-Encoding": "gzip"}
            return Response(self._compress(), headers=headers)
        return Response(self._body, headers=self._headers)

    def _compress(self) -> bytes:
        if self._compressed is None:
            self._compressed = gzip.compress(self._body, _LEVEL, mtime=0)
        return self._compressed


class StaticFiles:
    def __init__(self) -> None:
        leaflet = Path(str(distribution("XStatic-Leaflet").locate_file("xstatic/pkg/leaflet/data")))
        self._files = {name: StaticFile(path, _OWN_CACHED) for name, path in _below(OWN)}
        self._files |= {
            f"leaflet/{name}": StaticFile(path, _LEAFLET_CACHED) for name, path in _below(leaflet)
        }

    def route(self, path: str, name: str) -> Route:
        """One file under its own path."""

        def answer(request: Request) -> Response:
            return self._find(name).respond(request)

        return Route(path, answer, methods=["GET"])

    def all_under(self, folder: str) -> Route:
        """All files by name."""

        def answer(request: Request) -> Response:
            return self._find(request.path_params["name"]).respond(request)

        return Route(f"{folder}/{{name:path}}", answer, methods=["GET"])

    def _find(self, name: str) -> StaticFile:
        file = self._files.get(name)
        if file is None:
            raise NotFoundError("there is no such file", "Open the search page at /")
        return file


def _below(folder: Path) -> Iterator[tuple[str, Path]]:
    """Files by name, without the sources and source maps of Leaflet."""
    for path in sorted(folder.rglob("*")):
        if path.is_file() and "-src." not in path.name and path.suffix != ".map":
            yield path.relative_to(folder).as_posix(), path
