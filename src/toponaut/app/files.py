"""Static files: our own, and Leaflet's from its wheel. All are read at the start, so that no path of a request meets the disk."""

import gzip
import mimetypes
from collections.abc import Iterator
from importlib.metadata import distribution
from pathlib import Path

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from toponaut.app.sending import NotFoundError, accepts_gzip, knows, tag_of

OWN = Path(__file__).parent / "static"
_TYPES = {
    ".js": "text/javascript; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".html": "text/html; charset=utf-8",
    ".json": "application/json",
}
# Ours are asked for anew, which costs a line where nothing has changed; Leaflet's change with its version only.
_OWN_CACHED, _LEAFLET_CACHED = "private, no-cache", "private, max-age=86400"
# Of zlib. It takes 0.2 s for the largest file, once, and when it is first asked for; level 9 takes 0.7 and saves 2 %.
_LEVEL = 6
_WORTH = 0.9  # of its length, at most, a file is packed to


class File:
    def __init__(self, path: Path, cached: str) -> None:
        self._body = path.read_bytes()
        self._packed: bytes | None = None
        media = (
            _TYPES.get(path.suffix)
            or mimetypes.guess_type(path.name)[0]
            or "application/octet-stream"
        )
        self._headers = {
            "Content-Type": media,
            "ETag": tag_of(self._body),
            "Cache-Control": cached,
            "Vary": "Accept-Encoding",
        }

    def respond(self, request: Request) -> Response:
        if knows(request, self._headers["ETag"]):
            return Response(status_code=304, headers=self._headers)
        if accepts_gzip(request) and len(packed := self._pack()) < _WORTH * len(self._body):
            return Response(packed, headers={**self._headers, "Content-Encoding": "gzip"})
        return Response(self._body, headers=self._headers)

    def _pack(self) -> bytes:
        if self._packed is None:
            self._packed = gzip.compress(self._body, _LEVEL, mtime=0)
        return self._packed


class Files:
    def __init__(self) -> None:
        leaflet = Path(str(distribution("XStatic-Leaflet").locate_file("xstatic/pkg/leaflet/data")))
        self._files = {name: File(path, _OWN_CACHED) for name, path in _below(OWN)}
        self._files |= {
            f"leaflet/{name}": File(path, _LEAFLET_CACHED) for name, path in _below(leaflet)
        }

    def route(self, path: str, name: str) -> Route:
        """One file under a path of its own."""

        def answer(request: Request) -> Response:
            return self._named(name).respond(request)

        return Route(path, answer, methods=["GET"])

    def all_under(self, folder: str) -> Route:
        """All of them, by their names."""

        def answer(request: Request) -> Response:
            return self._named(request.path_params["name"]).respond(request)

        return Route(f"{folder}/{{name:path}}", answer, methods=["GET"])

    def _named(self, name: str) -> File:
        file = self._files.get(name)
        if file is None:
            raise NotFoundError("there is no such file", "See the page at /")
        return file


def _below(folder: Path) -> Iterator[tuple[str, Path]]:
    """Files by their names; without what only those need who change Leaflet."""
    for path in sorted(folder.rglob("*")):
        if path.is_file() and "-src." not in path.name and path.suffix != ".map":
            yield path.relative_to(folder).as_posix(), path
