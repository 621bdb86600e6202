"""Cut shapes in Web Mercator (0..1, y downwards) into vector tiles of a zoom level."""

from collections.abc import Iterator, Mapping

import numpy as np
import shapely
from shapely.geometry.polygon import orient
from tools.vector_tiles import EXTENT, Feature, Shape, Units, encode_tile

BUFFER = 64 / EXTENT  # of a tile's width, drawn beyond its edge: no seams
_Tile = tuple[int, int, int]


def cut_tiles(layers: Mapping[str, shapely.Geometry], zoom: int) -> dict[_Tile, bytes]:
    """All tiles of a zoom that contain anything."""
    tiles = {}
    for x, y, cut in _quarters(layers, 0, 0, 0, zoom):
        body = encode_tile(
            {name: list(_features(shape, zoom, x, y)) for name, shape in cut.items()}
        )
        if body:
            tiles[zoom, x, y] = body
    return tiles


def _quarters(
    layers: Mapping[str, shapely.Geometry], level: int, x: int, y: int, zoom: int
) -> Iterator[tuple[int, int, Mapping[str, shapely.Geometry]]]:
    """The tiles below a tile, each with its part of every layer."""
    wide = 1 / 2**level
    margin = BUFFER / 2**level  # wider than that of the tiles below
    box = (x * wide - margin, y * wide - margin, (x + 1) * wide + margin, (y + 1) * wide + margin)
    cut = {name: shapely.clip_by_rect(shape, *box) for name, shape in layers.items()}
    cut = {name: shape for name, shape in cut.items() if not shape.is_empty}
    if not cut:
        return
    if level == zoom:
        yield x, y, cut
        return
    for right, down in ((0, 0), (1, 0), (0, 1), (1, 1)):
        yield from _quarters(cut, level + 1, 2 * x + right, 2 * y + down, zoom)


def _features(shape: shapely.Geometry, zoom: int, x: int, y: int) -> Iterator[Feature]:
    """The lines as one feature; each polygon as its own. Rounding keeps polygons valid."""
    units = shapely.transform(shape, lambda points: (points * 2**zoom - (x, y)) * EXTENT)
    lines = []
    for part in _simple(shapely.set_precision(units, 1)):
        if part.geom_type == "LineString":
            lines.append(_points(part))
        elif part.geom_type == "Polygon":
            whole = orient(part)
            rings = [_points(ring)[:-1] for ring in (whole.exterior, *whole.interiors)]
            yield Feature(Shape.POLYGON, rings)
    if lines:
        yield Feature(Shape.LINE, lines)


def _simple(shape: shapely.Geometry) -> Iterator[shapely.Geometry]:
    for part in shapely.get_parts(shape):
        if hasattr(part, "geoms"):
            yield from _simple(part)
        elif not part.is_empty:
            yield part


def _points(line: shapely.Geometry) -> Units:
    points: Units = np.round(shapely.get_coordinates(line)).astype(np.int64)
    return points
