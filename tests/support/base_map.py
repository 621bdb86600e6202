"""A small base map in the layers of Protomaps or OpenMapTiles: a park, a river, streets, names."""

from pathlib import Path
from typing import Literal

import numpy as np
from tools.vector_tiles import EXTENT, Feature, Shape, encode_tile, write_pmtiles

ZOOMS = range(4, 13)
ATTRIBUTION = '<a href="https://maps.example/">&copy; Example Maps</a>'


def write_base_map(
    path: Path, lat: float, lon: float, kind: Literal["protomaps", "openmaptiles"] = "protomaps"
) -> Path:
    """A PMTiles file with the tiles around a point."""
    tile = (_protomaps if kind == "protomaps" else _openmaptiles)()
    tiles = {}
    for zoom in ZOOMS:
        column, row = _tile_of(lat, lon, zoom)
        for x in range(column - 1, column + 2):
            for y in range(row - 1, row + 2):
                tiles[zoom, x, y] = encode_tile(tile)
    layers = [{"id": name, "fields": {}} for name in tile]
    path.write_bytes(write_pmtiles(tiles, {"vector_layers": layers, "attribution": ATTRIBUTION}))
    return path


def _tile_of(lat: float, lon: float, zoom: int) -> tuple[int, int]:
    y = 0.5 - np.arcsinh(np.tan(np.radians(lat))) / (2 * np.pi)
    return int((lon / 360 + 0.5) * 2**zoom), int(y * 2**zoom)


def _box(left: float, top: float, right: float, bottom: float, **properties: str) -> Feature:
    corners = np.array([[left, top], [right, top], [right, bottom], [left, bottom]]) * EXTENT
    return Feature(Shape.POLYGON, [corners.astype(np.int64)], properties)


def _line(*points: tuple[float, float], **properties: str | int) -> Feature:
    return Feature(Shape.LINE, [(np.array(points) * EXTENT).astype(np.int64)], properties)


def _point(x: float, y: float, **properties: str) -> Feature:
    return Feature(Shape.POINT, [(np.array([[x, y]]) * EXTENT).astype(np.int64)], properties)


def _protomaps() -> dict[str, list[Feature]]:
    return {
        "earth": [_box(0, 0, 1, 1, kind="earth")],
        "landuse": [_box(0.1, 0.1, 0.4, 0.35, kind="park")],
        "water": [_box(0, 0.7, 1, 0.85, kind="river")],
        "roads": [
            _line((0, 0.5), (1, 0.5), kind="highway", name="Ring Road"),
            _line((0.5, 0), (0.5, 1), kind="major_road", name="High Street"),
            _line((0.5, 0.2), (1, 0.2), kind="minor_road", name="Mill Lane"),
        ],
        "places": [_point(0.55, 0.45, kind="locality", kind_detail="city", name="Exampleton")],
    }


def _openmaptiles() -> dict[str, list[Feature]]:
    return {
        "landcover": [_box(0.1, 0.1, 0.4, 0.35, **{"class": "wood"})],
        "water": [_box(0, 0.7, 1, 0.85, **{"class": "river"})],
        "transportation": [
            _line((0, 0.5), (1, 0.5), **{"class": "motorway"}),
            _line((0.5, 0), (0.5, 1), **{"class": "primary"}),
        ],
        "transportation_name": [
            _line((0.5, 0), (0.5, 1), name="High Street", **{"class": "primary"})
        ],
        "place": [_point(0.55, 0.45, name="Exampleton", **{"class": "city"})],
    }
