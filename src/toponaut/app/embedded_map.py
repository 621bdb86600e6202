"""The map inside an HTML file of its own: reports and the demo page open without a server.

The file carries the map library (compressed), our scripts, and the tiles of outlines around its
places. Until it is drawn, and where it cannot be, a picture is shown instead.
"""

import base64
import gzip
import json
import math
import re
from collections.abc import Iterator, Sequence

from msgspec import Struct

from toponaut.app.responses import OWN
from toponaut.app.tile_files import OUTLINES, TileFile

_MODULES = ("dom.js", "ground.js", "base_map.js", "spots_map.js", "embedded_map.js")
_STYLES = ("maplibre/maplibre-gl.css", "map.css")
_IMPORT = re.compile(r"^import .*?;\n", re.M)
_EXPORT = re.compile(r"^export (?=\w)", re.M)
_DEEPEST = 6  # of the outlines
_MOST_TILES = 12  # of one zoom
_AROUND = 1.0  # of the span of the places, on each side: readers move the map


class Spot(Struct, frozen=True):
    """A place with its number of pages; `away`: outside the targets."""

    name: str
    lat: float
    lon: float
    pages: int
    away: bool = False


def embedded_map(picture: str, spots: Sequence[Spot], pages: str = "pages") -> str:
    """The markup of a map with these places; `picture` is its first content."""
    styles = "".join((OWN / name).read_text(encoding="utf-8") for name in _STYLES)
    data = {
        "library": _packed((OWN / "maplibre" / "maplibre-gl.js").read_bytes()),
        "tiles": {f"{z}/{x}/{y}": body for (z, x, y), body in _tiles(spots)},
        "spots": [
            {"name": one.name, "lat": one.lat, "lon": one.lon, "pages": one.pages, "away": one.away}
            for one in spots
        ],
        "unit": pages,
    }
    text = json.dumps(data, separators=(",", ":")).replace("<", "\\u003c")
    return (
        f'<style>{styles}</style><div id="map" class="framed-map">{picture}</div>'
        f'<script type="application/json" id="map-data">{text}</script>'
        f'<script type="module">{_script()}</script>'
    )


def _script() -> str:
    """Our modules as one: their names differ, so imports and exports are left out."""
    sources = ((OWN / name).read_text(encoding="utf-8") for name in _MODULES)
    return "\n".join(_EXPORT.sub("", _IMPORT.sub("", source)) for source in sources)


def _packed(body: bytes) -> str:
    return base64.b64encode(gzip.compress(body, 9, mtime=0)).decode()


def _tiles(spots: Sequence[Spot]) -> Iterator[tuple[tuple[int, int, int], str]]:
    """The tiles around the places, as deep as few tiles are enough."""
    file = TileFile(OUTLINES)
    for zoom in range(_DEEPEST + 1):
        wanted = _around(spots, zoom)
        if len(wanted) > _MOST_TILES:
            return
        for x, y in wanted:
            yield (zoom, x, y), base64.b64encode(file.tile(zoom, x, y)).decode()


def _around(spots: Sequence[Spot], zoom: int) -> list[tuple[int, int]]:
    points = [_mercator(one.lat, one.lon) for one in spots] or [(0.0, 0.0), (1.0, 1.0)]
    ranges = []
    for values in zip(*points, strict=True):
        low, high = min(values), max(values)
        more = max((high - low) * _AROUND, 0.01)
        first, last = (math.floor(edge * 2**zoom) for edge in (low - more, high + more))
        ranges.append(range(max(0, first), min(2**zoom - 1, last) + 1))
    return [(x, y) for x in ranges[0] for y in ranges[1]]


def _mercator(lat: float, lon: float) -> tuple[float, float]:
    bounded = math.radians(max(-85.0, min(85.0, lat)))
    return lon / 360 + 0.5, 0.5 - math.asinh(math.tan(bounded)) / (2 * math.pi)
