"""Geometry for centres: TopoJSON outlines (world-atlas, us-atlas) and GeoJSON polygons.

A shape's centre is the area-weighted centroid of its largest outer ring: for France the mainland,
without Guiana.
"""

import math
from itertools import accumulate, pairwise
from typing import Any

Ring = list[tuple[float, float]]  # (lon, lat)


class Topology:
    """A quantised TopoJSON file."""

    def __init__(self, data: Any) -> None:
        self.objects = data["objects"]
        self._arcs = [_arc(arc, data["transform"]) for arc in data["arcs"]]

    def rings(self, shape: Any) -> list[Ring]:
        """The outer rings of one of its geometries."""
        polygons = {"Polygon": [shape.get("arcs")], "MultiPolygon": shape.get("arcs")}.get(
            shape["type"], []
        )
        return [_stitch(polygon[0], self._arcs) for polygon in polygons]


def geojson_rings(geometry: Any) -> list[Ring]:
    polygons = (
        geometry["coordinates"] if geometry["type"] == "MultiPolygon" else [geometry["coordinates"]]
    )
    return [[(point[0], point[1]) for point in polygon[0]] for polygon in polygons]


def area(ring: Ring) -> float:
    """Area in square degrees at the equator; areas shrink with the cosine of the latitude."""
    return _moments(ring)[0]


def centre(rings: list[Ring]) -> tuple[float, float] | None:
    """(lat, lon) of the largest ring's centroid."""
    if not rings:
        return None
    largest = max(rings, key=area)
    _, lon, lat = _moments(largest)
    return round(lat, 4), round(lon, 4)


def _moments(ring: Ring) -> tuple[float, float, float]:
    """Area and centroid of a ring; a ring without area has its first point as centroid."""
    twice = x = y = 0.0
    for (x0, y0), (x1, y1) in pairwise(ring):
        cross = x0 * y1 - x1 * y0
        twice += cross
        x += (x0 + x1) * cross
        y += (y0 + y1) * cross
    if abs(twice) < 1e-9:
        return 0.0, *ring[0]
    lat = y / (3 * twice)
    return abs(twice) / 2 * math.cos(math.radians(lat)), x / (3 * twice), lat


def _arc(arc: Any, transform: Any) -> Ring:
    (scale_x, scale_y), (left, bottom) = transform["scale"], transform["translate"]
    xs = accumulate(point[0] for point in arc)
    ys = accumulate(point[1] for point in arc)
    return [(x * scale_x + left, y * scale_y + bottom) for x, y in zip(xs, ys, strict=True)]


def _stitch(outline: list[int], arcs: list[Ring]) -> Ring:
    """A negative index means the arc of its complement, reversed."""
    ring: Ring = []
    for index in outline:
        piece = arcs[index] if index >= 0 else arcs[~index][::-1]
        ring.extend(piece if not ring else piece[1:])
    return ring
