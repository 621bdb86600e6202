"""Read shapes from a TopoJSON file: arcs in quantized steps, shared by the shapes."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import shapely


def geometries(topology: Any, layer: str) -> list[shapely.Geometry]:
    """All shapes of a layer: polygons or lines."""
    scale, shift = (np.array(topology["transform"][key]) for key in ("scale", "translate"))
    arcs = [np.cumsum(arc, axis=0) * scale + shift for arc in topology["arcs"]]

    def joined(numbers: Sequence[int]) -> Any:
        lines = [arcs[k] if k >= 0 else arcs[~k][::-1] for k in numbers]
        return np.concatenate([lines[0], *(line[1:] for line in lines[1:])])

    def made(shape: Any) -> list[shapely.Geometry]:
        found, kind = shape.get("arcs"), shape["type"]
        if kind == "Polygon":
            outer, *holes = (joined(ring) for ring in found)
            return [shapely.make_valid(shapely.Polygon(outer, holes))]
        if kind == "MultiPolygon":
            return [one for part in found for one in made({"type": "Polygon", "arcs": part})]
        if kind == "LineString":
            return [shapely.LineString(joined(found))]
        if kind == "MultiLineString":
            return [shapely.LineString(joined(part)) for part in found]
        return []

    return [one for shape in topology["objects"][layer]["geometries"] for one in made(shape)]
